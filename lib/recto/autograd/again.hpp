#pragma once
/// @file
/// Computations that run twice: in the forward pass for their result, and again in the backward pass for the values
/// that it needs.
#include <recto/autograd/checkpoint.hpp>
#include <recto/autograd/node.hpp>
#include <recto/device/draws.hpp>

namespace RECTO::detail {

/// What a segment's first run (run_first()) leaves for the backward pass.
struct FirstRun {
    Tensor y;                      ///< the result, detached from the tape
    std::vector<Edge> edges;       ///< the inputs from outside the segment: leaves, earlier steps, constants
    bool wanted = false;           ///< whether any of these requires a gradient
    std::shared_ptr<Draws> draws;  ///< the random numbers that the segment drew
};

/// Runs a segment without keeping its tape.
/// @param who  the caller's name, for messages
FirstRun run_first(const char* who, const Segment& segment, const Tensor& x);

/// Runs the segment again with the same random numbers and keeps the tape.
Tensor run_again(const Segment& segment, const Tensor& x, const std::shared_ptr<Draws>& draws);

}  // namespace RECTO::detail
