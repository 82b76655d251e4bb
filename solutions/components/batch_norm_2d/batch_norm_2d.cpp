#include "batch_norm_2d.hpp"

namespace {

// Calls what is wanted with the place of every number of a channel.
void each(const Maps& x, int c, auto&& wanted) {
    for (int n = 0; n < x.batch; ++n)
        for (int i = 0; i < x.height; ++i)
            for (int j = 0; j < x.width; ++j) wanted(n, c, i, j);
}

}  // namespace

Maps forward(BatchNorm& norm, const Maps& x) {
    const double count = double(x.batch) * x.height * x.width;
    if (norm.training && count < 2) throw std::invalid_argument("forward: a channel needs two numbers for a variance");
    Maps y(x.batch, x.channels, x.height, x.width);
    for (int c = 0; c < x.channels; ++c) {
        const std::size_t at = std::size_t(c);
        double mean = norm.running_mean[at], variance = norm.running_variance[at];
        if (norm.training) {
            double sum = 0, squares = 0;
            each(x, c, [&](auto... place) { sum += x(place...); });
            mean = sum / count;
            each(x, c, [&](auto... place) { squares += (x(place...) - mean) * (x(place...) - mean); });
            variance = squares / count;
            norm.running_mean[at] += norm.momentum * (mean - norm.running_mean[at]);
            norm.running_variance[at] += norm.momentum * (squares / (count - 1) - norm.running_variance[at]);
        }
        const double scale = norm.weight[at] / std::sqrt(variance + norm.eps);
        each(x, c, [&](auto... place) { y(place...) = scale * (x(place...) - mean) + norm.bias[at]; });
    }
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    Convolution both = conv;
    for (int c = 0; c < conv.weight.rows; ++c) {
        const std::size_t at = std::size_t(c);
        const double scale = norm.weight[at] / std::sqrt(norm.running_variance[at] + norm.eps);
        for (int k = 0; k < conv.weight.cols; ++k) both.weight(c, k) = scale * conv.weight(c, k);
        both.bias[at] = scale * (conv.bias[at] - norm.running_mean[at]) + norm.bias[at];
    }
    return both;
}
