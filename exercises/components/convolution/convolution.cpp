#include "convolution.hpp"

#include "not_written.hpp"

int output_size(int size, int kernel, const Options& options) {
    not_written("output_size");
    return 0;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    Tensor y;
    // Give y its shape, fill it, and delete the next line.
    not_written("convolution");
    return y;
}
