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

// The number of windows of a kernel along one axis. Throws std::invalid_argument if not even one window fits.
int output_size(int size, int kernel, const Options& options);

// The convolution, without flipping the kernel, of images x (images, channels, rows, columns) with the filters of `weight`
// (filters, channels, kernel rows, kernel columns) and one bias for each filter: (images, filters, output rows, output
// columns). Throws std::invalid_argument if not even one window fits.
Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options);
