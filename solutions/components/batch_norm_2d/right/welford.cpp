// Welford's streaming mean and variance, one number after the other; the folded bias as the layer's answer to the bias.
#include "batch_norm_2d.hpp"

Maps forward(BatchNorm& norm, const Maps& x) {
    const long count = long(x.batch) * x.height * x.width;
    if (norm.training && count < 2) throw std::invalid_argument("too few");
    Maps y = x;
    for (int c = 0; c < x.channels; ++c) {
        const auto at = std::size_t(c);
        double mean = 0, squares = 0, seen = 0;
        for (int n = 0; n < x.batch; ++n)
            for (int i = 0; i < x.height; ++i)
                for (int j = 0; j < x.width; ++j) {
                    const double step = x(n, c, i, j) - mean;
                    mean += step / ++seen;
                    squares += step * (x(n, c, i, j) - mean);
                }
        double divisor = std::sqrt(squares / seen + norm.eps);
        if (norm.training) {
            norm.running_mean[at] = (1 - norm.momentum) * norm.running_mean[at] + norm.momentum * mean;
            norm.running_variance[at] =
                (1 - norm.momentum) * norm.running_variance[at] + norm.momentum * squares / (seen - 1);
        } else {
            mean = norm.running_mean[at];
            divisor = std::sqrt(norm.running_variance[at] + norm.eps);
        }
        for (int n = 0; n < x.batch; ++n)
            for (int i = 0; i < x.height; ++i)
                for (int j = 0; j < x.width; ++j)
                    y(n, c, i, j) = (x(n, c, i, j) - mean) / divisor * norm.weight[at] + norm.bias[at];
    }
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    BatchNorm evaluated = norm;
    evaluated.training = false;
    Maps biases(1, conv.weight.rows, 1, 1);
    biases.numbers = conv.bias;
    Convolution both{conv.weight, forward(evaluated, biases).numbers};
    for (int c = 0; c < conv.weight.rows; ++c)
        for (int k = 0; k < conv.weight.cols; ++k)
            both.weight(c, k) *=
                norm.weight[std::size_t(c)] / std::sqrt(norm.running_variance[std::size_t(c)] + norm.eps);
    return both;
}
