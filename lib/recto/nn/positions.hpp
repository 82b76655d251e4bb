#pragma once
/// @file
/// Position encodings that are added to a sequence.
#include <recto/core/random.hpp>
#include <recto/nn/module.hpp>

namespace RECTO::nn {

/// A trained position encoding: adds a learned vector at every position.
struct LearnedPositions {
    Tensor weight;  ///< (length, width)

    /// Initialises the vectors from a normal distribution. @throws Error when a size is negative
    LearnedPositions(Index length, Index width, Generator& random, Real deviation = Real(0.02),
                     Device device = Device::cpu);

    /// (..., time, width) to the same shape. @param first  the position of time 0
    /// @throws Error when positions are outside the table
    Tensor operator()(const Tensor& x, Index first = 0) const;

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight); }
};

/// Adds sinusoidal_positions(), which are not trained.
struct SinusoidalPositions {
    Tensor table;  ///< (length, width)

    /// @throws Error when a size is negative
    SinusoidalPositions(Index length, Index width, Device device = Device::cpu);

    /// (..., time, width) to the same shape. @param first  the position of time 0
    /// @throws Error when positions are outside the table
    Tensor operator()(const Tensor& x, Index first = 0) const;

    /// Names its parts.
    void visit(auto&& part) { part("table", table); }
};

}  // namespace RECTO::nn
