#pragma once
/// @file
/// Memory for time: what the backward pass needs is computed again instead of kept (Chen et al., 2016).
#include <functional>

#include <recto/autograd/tape.hpp>

namespace RECTO {

/// A part of a computation: one tensor in, one out. What else it uses, such as weights, it captures.
using Segment = std::function<Tensor(const Tensor& x)>;

/// Returns segment(x), keeping nothing of what happened in between but `x`. When the backward pass comes here, the
/// segment runs a second time, now with everything kept, is swept, and is forgotten again.
///
/// The gradients have the bits of those without checkpoint: for `x`, for weights, for whatever the segment captures.
/// What it draws at random is drawn again, the same numbers. Segments may hold segments. While nothing is recorded, and
/// where nothing wants a gradient, this is segment(x).
///
/// Nor does the segment survive its block by itself: let it capture modules and tensors by value, which are
/// handles, and let generators live as long as the result. Whatever else it does, it does twice; running
/// statistics of batch_norm() would move twice.
///
/// @param segment  computes the same in both runs
/// @param x        defined; need not want a gradient
/// @throws Error when the segment is empty, or `x` or its result is undefined; in the backward pass when it gives another
/// shape or draws more or fewer random numbers than in the first run, or when what it used was changed since
Tensor checkpoint(Segment segment, const Tensor& x);

}  // namespace RECTO
