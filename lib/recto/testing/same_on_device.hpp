#pragma once
/// @file
/// Whether a model computes on another device what it computes on the CPU.
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

namespace RECTO::testing {

/// What a forward and a backward pass leave, on the CPU: the result, the gradient of the input, and those of all
/// parameters. The loss is the sum of the squares of the result.
template <class Model>
std::vector<Tensor> passes(const Model& model, const Tensor& at) {
    const Tensor x = at.detach().requires_grad_();
    const Tensor y = model(x);
    sum(y * y).backward();
    std::vector<Tensor> found = {y.detach().to(Device::cpu), x.grad().to(Device::cpu)};
    for (const NamedTensor& p : nn::parameters(model)) found.push_back(p.tensor.grad().to(Device::cpu));
    return found;
}

/// Checks that a copy of a model of the CPU leaves on `device` what the model leaves, up to rounding.
template <class Model>
void check_same_on(Device device, const Model& model, const Tensor& x) {
    Model there = nn::clone(model);
    nn::to(there, device);
    const std::vector<Tensor> want = passes(model, x), got = passes(there, x.to(device));
    REQUIRE(want.size() == got.size());
    CHECK(double(max(abs(want[0])).item()) > 0);
    for (std::size_t i = 0; i < want.size(); ++i) {
        CAPTURE(i);
        CHECK(close(got[i], doubles(want[i]), 50 * usual));
    }
}

}  // namespace RECTO::testing
