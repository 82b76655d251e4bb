#pragma once
/// @file
/// What the tests of optimisers share.
#include <recto/autograd/tape.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>

namespace RECTO::testing {

/// Puts a gradient where backward() would.
inline void give(const Tensor& w, const Tensor& g) {
    record("given", Tensor(Shape{}, {0}, w.device()), {w}, [&](const Tensor&) { return Grads{clone(g)}; }).backward();
}

/// In every setting of a file, on every device: from `start`, one step for each of the `gradients`, must end at `y`.
/// @param make  the optimiser of a setting: `(const Golden&, NamedTensors)`
template <class Make>
void check_golden_steps(const std::string& op, const Make& make) {
    for (const Device device : devices()) {
        const std::vector<Golden> settings = golden(op, device);
        REQUIRE(settings.size() >= 8);
        for (const Golden& setting : settings) {
            CAPTURE(device, setting.name);
            const Tensor w = clone(setting["start"]).requires_grad_();
            auto optimiser = make(setting, NamedTensors{{"w", w}});
            for (Index t = 0; t < setting["gradients"].size(0); ++t) {
                optimiser.zero_grad();
                give(w, select(setting["gradients"], 0, t));
                optimiser.step();
            }
            CHECK(close(w, doubles(setting["y"]), golden_tolerance));
        }
    }
}

}  // namespace RECTO::testing
