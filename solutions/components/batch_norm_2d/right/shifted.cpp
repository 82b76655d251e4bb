// One pass over each channel, with its first number subtracted, so that the squares stay small.
#include "batch_norm_2d.hpp"

Maps forward(BatchNorm& norm, const Maps& x) {
    const std::size_t plane = std::size_t(x.height) * std::size_t(x.width), count = plane * std::size_t(x.batch);
    if (norm.training && count < 2) throw std::invalid_argument("forward: needs two numbers in each channel");
    Maps y = x;
    for (int c = 0; c < x.channels; ++c) {
        const std::size_t at = std::size_t(c);
        double mean = norm.running_mean[at], variance = norm.running_variance[at];
        if (norm.training) {
            const double from = x(0, c, 0, 0);
            double sum = 0, squares = 0;
            for (int n = 0; n < x.batch; ++n)
                for (int i = 0; i < x.height; ++i)
                    for (int j = 0; j < x.width; ++j) {
                        const double value = x(n, c, i, j) - from;
                        sum += value, squares += value * value;
                    }
            const double numbers(count);
            mean = from + sum / numbers;
            const double apart = squares - sum * sum / numbers;
            variance = apart / numbers;
            norm.running_mean[at] -= norm.momentum * (norm.running_mean[at] - mean);
            norm.running_variance[at] -= norm.momentum * (norm.running_variance[at] - apart / (numbers - 1));
        }
        for (int n = 0; n < x.batch; ++n)
            for (int i = 0; i < x.height; ++i)
                for (int j = 0; j < x.width; ++j) {
                    double& value = y(n, c, i, j);
                    value -= mean;
                    value /= std::sqrt(variance + norm.eps);
                    value *= norm.weight[at];
                    value += norm.bias[at];
                }
    }
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    Convolution both = conv;
    for (int c = 0; c < conv.weight.rows; ++c) {
        const std::size_t at = std::size_t(c);
        both.bias[at] -= norm.running_mean[at];
        both.bias[at] /= std::sqrt(norm.running_variance[at] + norm.eps);
        both.bias[at] *= norm.weight[at];
        both.bias[at] += norm.bias[at];
        for (int k = 0; k < conv.weight.cols; ++k)
            both.weight(c, k) *= norm.weight[at] * std::pow(norm.running_variance[at] + norm.eps, -0.5);
    }
    return both;
}
