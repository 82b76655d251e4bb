#pragma once
/// @file
/// The accuracy of a classifier.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO::nn {

/// The fraction of samples whose largest score is that of their label, from 0 to 1. Of equal scores the first counts; a
/// sample with a NaN among its scores is wrong.
/// @param scores  (..., classes): at least one sample; log-probabilities also work
/// @param labels  (...): the right class of every sample
/// @throws Error when shapes or devices do not fit, there is no sample, or a label is out of range
double accuracy(const Tensor& scores, const Integers& labels);

/// The fraction of samples that are misclassified: 1 - accuracy().
double error_rate(const Tensor& scores, const Integers& labels);

}  // namespace RECTO::nn
