// Copies each channel into a vector of its own, works with standard algorithms, and copies the result back.
#include "batch_norm_2d.hpp"

namespace {

std::vector<double*> channel_of(Maps& maps, int c) {
    std::vector<double*> found;
    for (int n = 0; n < maps.batch; ++n)
        for (int i = 0; i < maps.height; ++i)
            for (int j = 0; j < maps.width; ++j) found.push_back(&maps(n, c, i, j));
    return found;
}

}  // namespace

Maps forward(BatchNorm& norm, const Maps& x) {
    Maps y = x;
    BatchNorm next = norm;  // taken over at the end, so that an exception changes nothing
    for (int c = 0; c < x.channels; ++c) {
        const std::size_t at = std::size_t(c);
        const std::vector<double*> channel = channel_of(y, c);
        const double count = double(channel.size());
        double mean = norm.running_mean[at], variance = norm.running_variance[at];
        if (norm.training) {
            if (count < 2) throw std::invalid_argument("no variance");
            mean =
                std::accumulate(channel.begin(), channel.end(), 0.0, [](double sum, double* p) { return sum + *p; }) /
                count;
            const double sum = std::accumulate(channel.begin(), channel.end(), 0.0, [mean](double squares, double* p) {
                return squares + (*p - mean) * (*p - mean);
            });
            variance = sum / count;
            next.running_mean[at] = mean * norm.momentum + norm.running_mean[at] * (1 - norm.momentum);
            next.running_variance[at] =
                sum / (count - 1) * norm.momentum + norm.running_variance[at] * (1 - norm.momentum);
        }
        const double a = norm.weight[at] / std::sqrt(variance + norm.eps);
        for (double* const p : channel) *p = a * (*p - mean) + norm.bias[at];
    }
    norm = next;
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    // The layer as a matrix with one row and one column for every channel and one more for the shift.
    const int channels = conv.weight.rows;
    Matrix layer(channels, channels + 1);
    for (int c = 0; c < channels; ++c) {
        const std::size_t at = std::size_t(c);
        layer(c, c) = norm.weight[at] / std::sqrt(norm.running_variance[at] + norm.eps);
        layer(c, channels) = norm.bias[at] - layer(c, c) * norm.running_mean[at];
    }
    Convolution both{Matrix(channels, conv.weight.cols), std::vector<double>(std::size_t(channels))};
    for (int c = 0; c < channels; ++c) {
        both.bias[std::size_t(c)] = layer(c, channels);
        for (int b = 0; b < channels; ++b) {
            both.bias[std::size_t(c)] += layer(c, b) * conv.bias[std::size_t(b)];
            for (int k = 0; k < conv.weight.cols; ++k) both.weight(c, k) += layer(c, b) * conv.weight(b, k);
        }
    }
    return both;
}
