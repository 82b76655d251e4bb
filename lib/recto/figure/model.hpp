#pragma once
/// @file
/// The diagram of a model, from the tape of a forward pass.
#include <recto/figure/diagram.hpp>
#include <recto/nn/model_tape.hpp>

namespace RECTO::figure {

/// The diagram of a tape: operations in round boxes with the shape of their result, the initial tensors in plain boxes
/// with their names in the model. It has a default description; describe() replaces it.
/// @param name  its name in the book, and the name of its file
Diagram model_diagram(std::string name, const nn::Tape& tape);

/// The diagram of a model's forward pass with one input, see nn::tape_of(). @throws Error when nothing is recorded
template <class Model, class Input>
Diagram model_diagram(std::string name, const Model& model, const Input& input) {
    return model_diagram(std::move(name), nn::tape_of(model, input));
}

}  // namespace RECTO::figure
