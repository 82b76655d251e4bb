#pragma once
/// @file
/// How often a classifier is right.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO::nn {

/// The share of samples whose largest score is that of their label, from 0 to 1. Of equal scores the first counts as
/// the answer; a sample with a NaN among its scores has none, and is wrong.
/// @param scores  (..., classes): at least one sample; logarithms of probabilities do as well
/// @param labels  (...): the right class of every sample
/// @throws Error when shapes or devices do not fit, or there is no sample, or a label is out of range
double accuracy(const Tensor& scores, const Integers& labels);

/// The share of samples that are classified wrongly: 1 - accuracy().
double error_rate(const Tensor& scores, const Integers& labels);

}  // namespace RECTO::nn
