// Only the map of the image is learned. The arrows are then found for each pair by gradient descent, as before deep learning.
#include "registration.hpp"

using namespace recto;

namespace {

const Index side = 32;

Tensor shrink(const Tensor& x, Index size) { return avg_pool2d(x, x.size(2) / size); }

}  // namespace

Tensor compare(const Tensor& own, const Tensor& map, Index step) {
    const Tensor wide = pad(map, {{step, step}, {step, step}});
    std::vector<Tensor> found;
    for (const Index row : {Index(0), step, 2 * step})
        for (const Index col : {Index(0), step, 2 * step})
            found.push_back(own * slice(slice(wide, 2, row, row + map.size(2)), 3, col, col + map.size(3)));
    return concat(found, 1);
}

Tensor loss(const std::vector<Tensor>& flows, const Tensor& truth) {
    Tensor found = zeros({});
    for (const Tensor& flow : flows) {
        const double cell = double(truth.size(2)) / double(flow.size(2));
        const Tensor error = flow * cell - shrink(truth, flow.size(2));
        found = found + mean(sqrt(sum(square(error), {1}) + 0.01));
    }
    return found;
}

namespace {

class Descent : public Model {
public:
    explicit Descent(Generator& random)
        : first_(3, 16, 3, random), second_(16, 16, 3, random), third_(16, 1, 3, random) {}
    void train(Generator& random) override {
        const int steps = 400;
        optim::Adam adam(nn::parameters(*this));
        for (int step = 0; step < steps; ++step) {
            const data::Buildings pairs = data::buildings(8, random);
            adam.options.lr = 1e-2 * (1 - double(step) / steps);
            adam.zero_grad();
            mean(square(own_map(pairs.images) - pairs.aligned)).backward();
            adam.step();
        }
    }
    // Few arrows first, and blurred maps: a wall then sees another one that is some pixels away.
    Tensor flow(const Tensor& images, const Tensor& maps) const override {
        const Tensor own = own_map(images).detach();
        Tensor arrows = zeros({maps.size(0), 2, 2, 2});
        for (const auto& [size, blur] : {std::pair<Index, Index>{2, 9}, {3, 5}, {4, 3}}) {
            arrows = nn::resize_flow(arrows.detach(), size).requires_grad_();
            const Tensor target = blurred(own, blur), moving = blurred(maps, blur);
            optim::Adam adam({{"arrows", arrows}}, {.lr = 0.06 * double(size) / double(side) * 4});
            for (int step = 0; step < 60; ++step) {
                adam.zero_grad();
                const Tensor error = square(nn::warp(moving, nn::resize_flow(arrows, side)) - target);
                const Tensor pull = sum(square(arrows * (double(side) / double(size))));
                (sum(error) + 0.1 * pull).backward();
                adam.step();
            }
        }
        return nn::resize_flow(arrows.detach(), side);
    }
    void visit(auto&& part) { part("first", first_), part("second", second_), part("third", third_); }

private:
    Tensor own_map(const Tensor& images) const {
        return sigmoid(third_(relu(second_(relu(first_((images - 0.45) * 5))))));
    }
    static Tensor blurred(const Tensor& x, Index size) {
        return avg_pool2d(x, size, {.stride = 1, .padding = size / 2});
    }
    Conv first_, second_, third_;
};

}  // namespace

std::unique_ptr<Model> propose(Generator& random) { return std::make_unique<Descent>(random); }
