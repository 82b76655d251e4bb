#pragma once
/// @file
/// The cost of a model: shapes, parameters, multiply-accumulates and memory of its operations.
#include <recto/nn/model_tape.hpp>

namespace RECTO::nn {

/// One operation of a model, or the sum of all.
struct SummaryRow {
    std::string layer;      ///< layer whose tensors it reads, such as `blocks.0.first`; empty if it reads none
    std::string operation;  ///< its name on the tape, such as `linear`
    Shape shape;            ///< shape of its result
    Index parameters = 0;   ///< trained numbers that no earlier operation reads
    Index macs = 0;         ///< multiply-accumulates, see Summary
    Index bytes = 0;        ///< bytes of its result; 0 for a view
};

/// A table with a row for each operation of a model, in the order in which they ran.
///
/// Multiply-accumulates are those of products: fully connected layers, matmul(), convolutions, attention and recurrent
/// layers. Everything else counts 0: biases, activations, normalisations, pooling, sums. Products with padding count in
/// a convolution, as do those that a mask hides in attention. Only the forward pass counts; training needs about three
/// times as many.
struct Summary {
    std::vector<SummaryRow> rows;  ///< one for each operation
    SummaryRow total;              ///< sums over all rows, and the last shape
    Index unread = 0;              ///< trained numbers that no operation reads
};

/// The cost of the operations on a tape.
Summary summary(const Tape& tape);

/// The cost of a model on one input. Runs the model once, see tape_of(): `summary(model, x)`, or `summary(model,
/// [&](const Gpt& m) { return m(tokens, options); })`.
/// @throws Error when nothing is recorded, such as under NoGrad
template <class Model, class Input>
Summary summary(const Model& model, const Input& input) {
    return summary(tape_of(model, input));
}

/// The table as text: a line for each row, one for the sum, and one for unread parameters if there are any.
std::string to_string(const Summary& summary);

}  // namespace RECTO::nn

/// Formats a summary as to_string().
template <>
struct fmt::formatter<recto::nn::Summary> {
    /// No options.
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    /// Writes the lines.
    template <class Context>
    auto format(const recto::nn::Summary& summary, Context& context) const {
        return fmt::format_to(context.out(), "{}", recto::nn::to_string(summary));
    }
};
