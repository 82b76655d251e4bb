// Sums in long double, where even the mean of the squares minus the square of the mean keeps enough digits.
#include "batch_norm_2d.hpp"

Maps forward(BatchNorm& norm, const Maps& x) {
    const int count = x.batch * x.height * x.width;
    if (norm.training && count < 2) throw std::invalid_argument("");
    Maps y(x.batch, x.channels, x.height, x.width);
    for (int c = 0; c < x.channels; ++c) {
        const std::size_t at = std::size_t(c);
        long double sum = 0, squares = 0;
        for (int n = x.batch; n-- > 0;)
            for (int i = x.height; i-- > 0;)
                for (int j = x.width; j-- > 0;) {
                    sum += x(n, c, i, j);
                    squares += static_cast<long double>(x(n, c, i, j)) * x(n, c, i, j);
                }
        long double mean = norm.running_mean[at], variance = norm.running_variance[at];
        if (norm.training) {
            mean = sum / count;
            variance = std::max(0.0L, squares / count - mean * mean);
            norm.running_mean[at] = double((1 - norm.momentum) * norm.running_mean[at] + norm.momentum * mean);
            norm.running_variance[at] = double((1 - norm.momentum) * norm.running_variance[at] +
                                               norm.momentum * variance * count / (count - 1));
        }
        for (int n = 0; n < x.batch; ++n)
            for (int i = 0; i < x.height; ++i)
                for (int j = 0; j < x.width; ++j)
                    y(n, c, i, j) = double(norm.weight[at] * (x(n, c, i, j) - mean) / std::sqrt(variance + norm.eps) +
                                           norm.bias[at]);
    }
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    Convolution both{Matrix(conv.weight.rows, conv.weight.cols), std::vector<double>(conv.bias.size())};
    for (int c = 0; c < conv.weight.rows; ++c) {
        const std::size_t at = std::size_t(c);
        const long double divisor = std::sqrt(static_cast<long double>(norm.running_variance[at]) + norm.eps);
        for (int k = 0; k < conv.weight.cols; ++k)
            both.weight(c, k) = double(norm.weight[at] * conv.weight(c, k) / divisor);
        both.bias[at] = double(norm.weight[at] * (conv.bias[at] - norm.running_mean[at]) / divisor + norm.bias[at]);
    }
    return both;
}
