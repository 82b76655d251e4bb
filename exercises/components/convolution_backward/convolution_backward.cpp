#include "convolution_backward.hpp"

#include "not_written.hpp"

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dx;
    // Give dx its shape, fill it, and delete the next line.
    not_written("input_gradient");
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dw;
    not_written("weight_gradient");
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    std::vector<double> db;
    not_written("bias_gradient");
    return db;
}
