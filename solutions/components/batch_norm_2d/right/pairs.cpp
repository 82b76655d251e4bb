// The variance from the differences of all pairs, which need no mean.
#include "batch_norm_2d.hpp"

Maps forward(BatchNorm& norm, const Maps& x) {
    Maps y(x.batch, x.channels, x.height, x.width);
    const int plane = x.height * x.width, count = x.batch * plane;
    if (norm.training && count < 2) throw std::invalid_argument("forward: too few numbers");
    for (int c = 0; c < x.channels; ++c) {
        const std::size_t at = std::size_t(c);
        const auto number = [&](int k) { return x(k / plane, c, k % plane / x.width, k % plane % x.width); };
        double mean = norm.running_mean[at], variance = norm.running_variance[at];
        if (norm.training) {
            double apart = 0, from_first = 0;
            for (int a = 0; a < count; ++a) {
                from_first += number(a) - number(0);
                for (int b = 0; b < a; ++b) apart += (number(a) - number(b)) * (number(a) - number(b));
            }
            mean = number(0) + from_first / count;
            variance = apart / count / count;
            norm.running_mean[at] = norm.momentum * mean + (1 - norm.momentum) * norm.running_mean[at];
            norm.running_variance[at] =
                norm.momentum * apart / count / (count - 1) + (1 - norm.momentum) * norm.running_variance[at];
        }
        for (int k = 0; k < count; ++k)
            y(k / plane, c, k % plane / x.width, k % plane % x.width) =
                norm.bias[at] + norm.weight[at] * (number(k) - mean) / std::sqrt(variance + norm.eps);
    }
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    Convolution both = conv;
    for (int k = 0; k < conv.weight.cols; ++k)
        for (int c = 0; c < conv.weight.rows; ++c)
            both.weight(c, k) = norm.weight[std::size_t(c)] * conv.weight(c, k) /
                                std::sqrt(norm.running_variance[std::size_t(c)] + norm.eps);
    for (int c = 0; c < conv.weight.rows; ++c) {
        const std::size_t at = std::size_t(c);
        both.bias[at] = norm.bias[at] - norm.weight[at] * (norm.running_mean[at] - conv.bias[at]) /
                                            std::sqrt(norm.running_variance[at] + norm.eps);
    }
    return both;
}
