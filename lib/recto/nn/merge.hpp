#pragma once
/// @file
/// Merging models: arithmetic on lists of named tensors, such as nn::parameters(model), which refuses lists that do not fit.
///
///     const NamedTensors task = nn::difference(nn::state(tuned), nn::state(base));
///     nn::assign(nn::state(model), nn::plus(nn::state(base), task, 0.5));
#include <vector>

#include <recto/core/named_tensors.hpp>
#include <recto/core/random.hpp>

namespace RECTO::nn {

/// a - b, tensor by tensor, in the order of `a` and without a tape. Of a fine-tuned model and its base this is the *task
/// vector*, the residual of fine-tuning (Ilharco et al., 2023). @throws Error unless names and shapes are the same
NamedTensors difference(const NamedTensors& a, const NamedTensors& b);

/// a + scale b, tensor by tensor, in the order of `a` and without a tape.
/// @throws Error unless names and shapes are the same
NamedTensors plus(const NamedTensors& a, const NamedTensors& b, double scale = 1);

/// Keeps the `kept` share of the numbers, those of largest magnitude in the whole list, and sets the others to zero; the
/// number of survivors is rounded. @throws Error unless 0 <= kept <= 1, or for a NaN
NamedTensors trimmed(const NamedTensors& residual, double kept);

/// One residual from several: trim, elect sign and merge (TIES, Yadav et al., 2023). Each residual is trimmed(). For each
/// number the sign of the sum is elected, and the result is the mean of the survivors with this sign.
/// @throws Error without residuals, unless names and shapes are the same, or as trimmed()
NamedTensors ties(const std::vector<NamedTensors>& residuals, double kept = 0.2);

/// Drop and rescale (DARE, Yu et al., 2024): sets each number to zero with the probability `dropped`, and divides the
/// others by 1 - dropped, so that the mean over all draws is the residual itself.
/// @throws Error unless 0 <= dropped < 1
NamedTensors dare(const NamedTensors& residual, double dropped, Generator& random);

}  // namespace RECTO::nn
