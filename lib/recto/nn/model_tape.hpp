#pragma once
/// @file
/// The tape of one forward pass of a model, for summary() and model_diagram(). Operations and layers need no code for
/// it.
#include <map>
#include <type_traits>

#include <recto/autograd/tape.hpp>
#include <recto/nn/module.hpp>

namespace RECTO::nn {

/// An input, parameter or buffer of the model.
struct Leaf {
    std::string name;  ///< its name in the model, or `input`
    Index trained;     ///< number of its trained elements: all or 0
};

/// The operations of a model on one input.
struct Tape {
    std::vector<Step> steps;               ///< earliest first, see steps()
    std::map<std::uint64_t, Leaf> leaves;  ///< the input and all tensors of the model, by the id of their step

    /// Makes a tensor a separate leaf, so that every result computed from it is on the tape, even if the tensor is not
    /// trained.
    void begin(const std::string& name, Tensor& x, Index trained);
};

/// Runs a model once in evaluation mode: dropout does nothing, and running statistics do not change. Returns the steps
/// that lead from the input and the model's tensors to the result.
/// @param model  is not changed: a copy runs, which shares its elements
/// @param input  the model's input; or a function that calls the model and returns a tensor, such as
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
