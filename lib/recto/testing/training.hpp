#pragma once
/// @file
/// Shared by the tests of optimisers.
#include <recto/autograd/tape.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>

namespace RECTO::testing {

/// Stores a gradient where backward() would.
inline void give(const Tensor& w, const Tensor& g) {
    record("given", Tensor(Shape{}, {0}, w.device()), {w}, [&](const Tensor&) { return Grads{clone(g)}; }).backward();
}

/// For every setting of a file, on every device: one step from `start` for each of the `gradients` must lead to `y`.
/// @param make  returns the optimiser of a setting: `(const Golden&, NamedTensors)`
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
