#pragma once
#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tensor.hpp"

// The settings of a convolution; rows and columns have the same.
struct Options {
    int stride = 1;    // pixels from one window to the next, at least 1
    int padding = 0;   // rows or columns of zeros on each side, at least 0
    int dilation = 1;  // pixels from one tap of the kernel to the next, at least 1
};

// The gradients of a loss with respect to the input, the weights and the bias of y = convolution(x, weight, bias, options),
// from dy, the gradient with respect to y. Each has the shape of what it belongs to.
Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options);
Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options);
std::vector<double> bias_gradient(const Tensor& dy);
