#pragma once
/// @file
/// A part of a model as one operation of the tape, for diagrams.
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/nn/module.hpp>

namespace RECTO::nn {

/// Runs a part of a model and records it as one operation, whose inputs are `x` and the tensors of the part. So a diagram
/// drawn from the tape has one box for it.
/// @param name  of the operation
/// @param part  a layer or a block, called as `part(x)`
/// @return      `part(x)`, without a way for gradients: a backward pass through it throws an Error
template <class Part>
Tensor as_one(const char* name, const Part& part, const Tensor& x) {
    std::vector<Tensor> inputs = {x};
    for (const NamedTensor& t : state(part)) inputs.push_back(t.tensor);
    const auto alone = [&] {
        const NoGrad forward_only;
        return part(x);
    };
    return record(name, alone(), inputs, [](const Tensor&) -> Grads {
        throw Error("as_one: wanted a pass forward for a diagram, got one backward");
    });
}

}  // namespace RECTO::nn
