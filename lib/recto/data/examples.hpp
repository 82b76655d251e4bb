#pragma once
/// @file
/// Examples: inputs of a model with the expected outputs, row by row.
#include <string>

#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

/// Data: readers, generators, splits and batches. Every set states where it comes from.
namespace RECTO::data {

/// A set of n examples. Classification has labels, regression has targets; density modelling has neither, and a model
/// with two outputs has both.
struct Examples {
    Tensor x;            ///< (n, ...): one signal per row
    Integers labels;     ///< (n): one class per row; undefined without labels
    Tensor targets;      ///< (n, ...): numbers to predict; undefined without targets
    std::string source;  ///< where the set comes from, in a sentence

    Index size() const { return x.size(0); }  ///< Number of examples.
};

/// Examples [begin, end), as views: no number is copied. @throws Error when out of range
Examples slice(const Examples& all, Index begin, Index end);

/// The examples of these rows in this order, copied; rows may repeat. The set must be on cpu.
/// @throws Error when there is no such row
Examples select(const Examples& all, std::span<const Index> which);

/// The set with every signal flattened: x becomes (n, numbers per signal). No copy.
Examples flat(const Examples& all);

/// The set on another device.
Examples to(const Examples& all, Device device);

}  // namespace RECTO::data
