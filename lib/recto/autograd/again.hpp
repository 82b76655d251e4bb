#pragma once
/// @file
/// Computations that run twice: once for their result, and again in the backward pass for what it needs.
#include <recto/autograd/checkpoint.hpp>
#include <recto/autograd/node.hpp>
#include <recto/device/draws.hpp>

namespace RECTO::detail {

/// What is left of the first run.
struct FirstRun {
    Tensor y;                      ///< the result, without tape
    std::vector<Edge> edges;       ///< what came from outside: leaves, earlier steps, and what wants no gradient
    bool wanted = false;           ///< does any of these want a gradient?
    std::shared_ptr<Draws> draws;  ///< what was drawn
};

/// Runs a segment and forgets the tape.
/// @param who  for messages
FirstRun run_first(const char* who, const Segment& segment, const Tensor& x);

/// Runs it again with the same draws and keeps the tape.
Tensor run_again(const Segment& segment, const Tensor& x, const std::shared_ptr<Draws>& draws);

}  // namespace RECTO::detail
