// No steps from coarse to fine: one network sees the products at three distances and gives 8 x 8 arrows at once.
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

class AllAtOnce : public Model {
public:
    explicit AllAtOnce(Generator& random)
        : first_(3, 12, 3, random),
          second_(12, 12, 3, random),
          third_(12, 1, 3, random),
          enter_(27, 48, 3, random),
          middle_(48, 64, 3, random),
          last_(64, 64, 3, random),
          leave_(64, 2, 3, random) {}
    void train(Generator& random) override {
        const int steps = 400;
        optim::Adam adam(nn::parameters(*this));
        for (int step = 0; step < steps; ++step) {
            const data::Buildings pairs = data::buildings(16, random);
            const Tensor own = own_map(pairs.images);
            const Tensor error = loss({arrows(own, pairs.masks)}, pairs.flows) + 5 * mean(square(own - pairs.aligned));
            adam.options.lr = 5e-3 * (1 - double(step) / steps);
            adam.zero_grad();
            error.backward();
            optim::clip_norm(adam.parameters(), 1);
            adam.step();
            if (step % 10 == 0) kit::progress(double(step) / steps, double(error.item()));
        }
    }
    Tensor flow(const Tensor& images, const Tensor& maps) const override {
        const NoGrad only_asking;
        return nn::resize_flow(arrows(own_map(images), maps), side);
    }
    void visit(auto&& part) {
        part("first", first_), part("second", second_), part("third", third_);
        part("enter", enter_), part("middle", middle_), part("last", last_), part("leave", leave_);
    }

private:
    Tensor own_map(const Tensor& images) const {
        return sigmoid(third_(relu(second_(relu(first_((images - 0.45) * 5))))));
    }
    Tensor arrows(const Tensor& own, const Tensor& maps) const {
        std::vector<Tensor> found;
        for (const Index step : {1, 2, 4}) found.push_back(compare(own * 2 - 0.6, maps * 2 - 0.6, step));
        const Tensor x = relu(enter_(shrink(concat(found, 1), 16)));
        return leave_(relu(last_(relu(middle_(shrink(x, 8))))));
    }
    Conv first_, second_, third_, enter_, middle_, last_, leave_;
};

}  // namespace

std::unique_ptr<Model> propose(Generator& random) { return std::make_unique<AllAtOnce>(random); }
