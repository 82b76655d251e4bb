#pragma once
/// @file
/// What a model did once: how summary() and model_diagram() know it. Nothing in an operation or a layer is there for
/// them: they read the tape.
#include <map>
#include <type_traits>

#include <recto/autograd/tape.hpp>
#include <recto/nn/module.hpp>

namespace RECTO::nn {

/// A tensor that a model began with.
struct Leaf {
    std::string name;  ///< what the model calls it, or `input`
    Index trained;     ///< how many of its numbers are trained: all or none
};

/// The operations of a model on one input.
struct Tape {
    std::vector<Step> steps;               ///< earliest first, see steps()
    std::map<std::uint64_t, Leaf> leaves;  ///< the input and all tensors of the model, by the id of their step

    /// Makes a tensor a leaf of its own, so that everything computed from it is on the tape, trained or not.
    void begin(const std::string& name, Tensor& x, Index trained);
};

/// Runs a model once, as it answers and not as it is trained: dropout does nothing, and running statistics stay as they
/// are. Seen is what leads from the input and the model's tensors to the result.
/// @param model  is not changed: what runs is a copy with other handles on the same numbers
/// @param input  what it is called with; or a function that calls it and returns a tensor, such as
///               `[&](const nn::Lstm& m) { return m(x).y; }`
/// @throws Error when nothing is recorded, such as under NoGrad
template <class Model, class Input>
Tape tape_of(const Model& model, const Input& input) {
    Tape tape;
    Model copy = model;
    set_training(copy, false);
    walk("", copy, [&](const std::string& name, Tensor& t) { tape.begin(name, t, t.requires_grad() ? t.numel() : 0); });
    Tensor y;
    if constexpr (std::is_same_v<Input, Tensor>) {
        Tensor x = input;
        tape.begin("input", x, 0);
        y = copy(x);
    } else if constexpr (std::is_invocable_v<const Input&, Model&>) {
        y = input(copy);
    } else {
        y = copy(input);
    }
    check(y.requires_grad(),
          "tape_of: wanted a model whose operations are recorded, got a result that none of them made");
    tape.steps = steps(y);
    return tape;
}

}  // namespace RECTO::nn
