// One pass over the memory for all sums, another for all squares, a third for the result.
#include "batch_norm_2d.hpp"

Maps forward(BatchNorm& norm, const Maps& x) {
    const std::size_t plane = std::size_t(x.height) * std::size_t(x.width), channels = std::size_t(x.channels);
    const double count = double(plane) * x.batch;
    if (norm.training && !(count >= 2)) throw std::invalid_argument("forward: one number has no variance");
    std::vector<double> mean = norm.running_mean, variance = norm.running_variance;
    if (norm.training) {
        mean.assign(channels, 0), variance.assign(channels, 0);
        for (std::size_t at = 0; at < x.numbers.size(); ++at) mean[at / plane % channels] += x.numbers[at] / count;
        for (std::size_t at = 0; at < x.numbers.size(); ++at) {
            const double apart = x.numbers[at] - mean[at / plane % channels];
            variance[at / plane % channels] += apart * apart / count;
        }
        for (std::size_t c = 0; c < channels; ++c) {
            norm.running_mean[c] = std::lerp(norm.running_mean[c], mean[c], norm.momentum);
            norm.running_variance[c] =
                std::lerp(norm.running_variance[c], variance[c] * count / (count - 1), norm.momentum);
        }
    }
    Maps y = x;
    for (std::size_t at = 0; at < y.numbers.size(); ++at) {
        const std::size_t c = at / plane % channels;
        y.numbers[at] = norm.weight[c] * (y.numbers[at] - mean[c]) / std::sqrt(variance[c] + norm.eps) + norm.bias[c];
    }
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    Convolution both = conv;
    for (std::size_t at = 0; at < both.weight.numbers.size(); ++at) {
        const std::size_t c = at / std::size_t(conv.weight.cols);
        both.weight.numbers[at] *= norm.weight[c] / std::sqrt(norm.running_variance[c] + norm.eps);
    }
    for (std::size_t c = 0; c < both.bias.size(); ++c) {
        const double a = norm.weight[c] / std::sqrt(norm.running_variance[c] + norm.eps);
        both.bias[c] = a * conv.bias[c] + (norm.bias[c] - a * norm.running_mean[c]);
    }
    return both;
}
