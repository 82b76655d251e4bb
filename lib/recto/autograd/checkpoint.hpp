#pragma once
/// @file
/// Gradient checkpointing saves memory at the price of time: activations that the backward pass needs are computed
/// again instead of kept (Chen et al., 2016).
#include <functional>

#include <recto/autograd/tape.hpp>

namespace RECTO {

/// A part of a computation: a function of one tensor that returns one tensor. It captures whatever else it uses, such
/// as weights.
using Segment = std::function<Tensor(const Tensor& x)>;

/// Returns segment(x) and keeps `x` but no intermediate result. When the backward pass reaches this step, the segment
/// runs a second time, with its intermediate results kept; after its backward pass they are freed.
///
/// The gradients have the same bits as without checkpoint: for `x`, for weights, for everything the segment captures.
/// The second run draws the same random numbers as the first. Segments may contain checkpoints. Under NoGrad, and where
/// nothing requires a gradient, checkpoint() just returns segment(x).
///
/// The segment must outlive the block that defines it: let it capture modules and tensors by value, since both are
/// handles, and keep its generators alive as long as the result. Side effects happen twice: the running statistics of
/// batch_norm() would be updated twice.
///
/// @param segment  computes the same in both runs
/// @param x        defined; may be a constant
/// @throws Error when the segment is empty, or `x` or its result is undefined; in the backward pass when the second run
/// gives another shape or draws more or fewer random numbers than the first, or when a tensor that the segment used has
/// been changed since
Tensor checkpoint(Segment segment, const Tensor& x);

}  // namespace RECTO
