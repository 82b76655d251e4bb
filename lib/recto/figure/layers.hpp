#pragma once
/// @file
/// Layer diagrams: a model as a column of layers, from the tape of a forward pass.
#include <recto/figure/diagram.hpp>
#include <recto/nn/model_tape.hpp>

namespace RECTO::figure {

/// A box of a layer diagram.
struct LayerBox {
    std::string words;          ///< the operation, such as `conv2d`; or the module drawn as one box
    recto::Shape input;         ///< shape of its first input: a sample, without the batch
    recto::Shape result;        ///< shape of its result for this sample
    Index parameters = 0;       ///< trained numbers that no earlier box reads
    bool complex = false;       ///< whether it has parameters or represents several operations; its box is taller
    std::vector<Index> inputs;  ///< the boxes whose results it reads; -1 is the input of the model

    bool operator==(const LayerBox&) const = default;  ///< Same words, shapes, parameters and inputs.
};

/// A group of boxes that is repeated, with its own parameters each time.
struct LayerGroup {
    Index first;       ///< the first box in the column
    Index boxes;       ///< number of boxes in a copy
    Index times;       ///< number of copies
    Index parameters;  ///< trained numbers of all copies
};

/// A model as a column of boxes. Only the first copy of a group is in the column.
struct LayerColumn {
    std::vector<LayerBox> boxes;     ///< in the order in which they ran
    std::vector<LayerGroup> groups;  ///< repeated boxes
    Index parameters = 0;            ///< trained numbers of all layers, copies included
};

/// The column of a tape. Successive copies of the same boxes form a group if nothing outside reads anything but the
/// result of the last copy.
/// @param tape   see nn::tape_of(); the first axis of every shape is the batch
/// @param whole  names of modules that are drawn as one box, such as `attention`
LayerColumn layer_column(const nn::Tape& tape, const std::vector<std::string>& whole = {});

/// The diagram of a column, after the conventions of The Little Book of Deep Learning: a repeated group stands in a dashed
/// frame with a multiplier; a size stands right of an arrow if the layer before it has changed the size; complex layers
/// have taller boxes. It has a default description; describe() replaces it.
/// @param name  its name in the book and of its file
Diagram layer_diagram(std::string name, const LayerColumn& column);

}  // namespace RECTO::figure
