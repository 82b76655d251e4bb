// Three copies of the map moved down, each moved to the right afterwards. The root is half of a logarithm.
#include "registration.hpp"

using namespace recto;

namespace {

const Index side = 32;
const std::vector<Index> sizes = {4, 8, 16};  // arrows along each side, at each scale

Tensor shrink(const Tensor& x, Index size) { return avg_pool2d(x, x.size(2) / size); }

}  // namespace

namespace {

// Copies of x moved along an axis, read `step` before, in place, and `step` after.
std::vector<Tensor> three(const Tensor& x, int axis, Index step) {
    const Index size = x.size(axis);
    const Tensor wide = axis == 2 ? pad(x, {{step, step}, {0, 0}}) : pad(x, {{step, step}});
    return {slice(wide, axis, 0, size), x, slice(wide, axis, 2 * step, 2 * step + size)};
}

}  // namespace

Tensor compare(const Tensor& own, const Tensor& map, Index step) {
    std::vector<Tensor> lines;
    for (const Tensor& down : three(map, 2, step)) lines.push_back(concat(three(down, 3, step), 1) * own);
    return concat(lines, 1);
}

Tensor loss(const std::vector<Tensor>& flows, const Tensor& truth) {
    Tensor found = zeros({});
    for (const Tensor& flow : flows) {
        const Index size = flow.size(3), cell = truth.size(3) / size;
        const Tensor squares = square(shrink(truth, size) - flow * double(cell));
        found = found + mean(exp(log(sum(squares, {1}) + 0.01) * 0.5));
    }
    return found;
}

namespace {

// What corrects the flow at one scale.
struct Scale {
    Conv enter, middle, leave;

    explicit Scale(Generator& random) : enter(11, 32, 3, random), middle(32, 32, 3, random), leave(32, 2, 3, random) {
        leave.weight = (leave.weight.detach() * 0.1).requires_grad_();  // the first corrections are small
    }
    Tensor operator()(const Tensor& x) const { return leave(relu(middle(relu(enter(x))))); }
    void visit(auto&& part) { part("enter", enter), part("middle", middle), part("leave", leave); }
};

class CoarseToFine : public Model {
public:
    explicit CoarseToFine(Generator& random) {
        for (const auto& [in, out] : {std::pair<Index, Index>{3, 12}, {12, 12}, {12, 1}})
            draw_.emplace_back(in, out, 3, random);
        for (std::size_t k = 0; k < sizes.size(); ++k) scales_.emplace_back(random);
    }
    Tensor flow(const Tensor& images, const Tensor& maps) const override {
        const NoGrad only_asking;
        return nn::resize_flow(flows(own_map(images), maps).back(), side);
    }
    void train(Generator& random) override {
        const int steps = 300;
        optim::Adam adam(nn::parameters(*this));
        for (int step = 0; step < steps; ++step) {
            const data::Buildings pairs = data::buildings(16, random);
            const Tensor own = own_map(pairs.images);
            const Tensor error = loss(flows(own, pairs.masks), pairs.flows) + 5 * mean(square(own - pairs.aligned));
            adam.options.lr = 5e-3 * (1 - double(step) / steps);
            adam.zero_grad();
            error.backward();
            optim::clip_norm(adam.parameters(), 1);
            adam.step();
            if (step % 10 == 0) kit::progress(double(step) / steps, double(error.item()));
        }
    }
    void visit(auto&& part) { part("draw", draw_), part("scales", scales_); }

private:
    Tensor own_map(const Tensor& images) const {
        return sigmoid(draw_[2](relu(draw_[1](relu(draw_[0]((images - 0.45) * 5))))));
    }
    std::vector<Tensor> flows(const Tensor& own, const Tensor& maps) const {
        std::vector<Tensor> found;
        Tensor flow = zeros({maps.size(0), 2, sizes[0], sizes[0]});
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            flow = nn::resize_flow(flow, sizes[k]);
            const Tensor warped = nn::warp(maps, nn::resize_flow(flow, side));
            const Tensor products = compare(own * 2 - 0.6, warped * 2 - 0.6, side / sizes[k] / 2);
            flow = flow + scales_[k](concat({shrink(products, sizes[k]), flow}, 1));
            found.push_back(flow);
        }
        return found;
    }

    std::vector<Conv> draw_;
    std::vector<Scale> scales_;
};

}  // namespace

std::unique_ptr<Model> propose(Generator& random) { return std::make_unique<CoarseToFine>(random); }
