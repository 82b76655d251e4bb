// Means and squared distances of each sample, combined as in parallel computations.
#include "batch_norm_2d.hpp"

namespace {

struct Moments {
    double count = 0, mean = 0, squares = 0;
    Moments operator+(const Moments& other) const {
        if (count == 0) return other;
        const double both = count + other.count, apart = other.mean - mean;
        return {both, mean + apart * other.count / both,
                squares + other.squares + apart * apart * count * other.count / both};
    }
};

Moments of(const Maps& x, int c, int first, int last) {  // samples from first to before last, halved again and again
    if (last - first > 1) {
        const int middle = (first + last) / 2;
        return of(x, c, first, middle) + of(x, c, middle, last);
    }
    Moments found;
    for (int i = 0; last > first && i < x.height; ++i)
        for (int j = 0; j < x.width; ++j) found = found + Moments{1, x(first, c, i, j), 0};
    return found;
}

double shifted(double x, double mean, double variance, const BatchNorm& norm, std::size_t c) {
    return norm.weight[c] * ((x - mean) / std::sqrt(variance + norm.eps)) + norm.bias[c];
}

}  // namespace

Maps forward(BatchNorm& norm, const Maps& x) {
    if (norm.training && x.batch * x.height * x.width < 2) throw std::invalid_argument("forward: no");
    Maps y(x.batch, x.channels, x.height, x.width);
    for (int c = x.channels; c-- > 0;) {
        const std::size_t at = std::size_t(c);
        if (norm.training) {
            const Moments found = of(x, c, 0, x.batch);
            BatchNorm frozen = norm;
            frozen.training = false;
            norm.running_mean[at] += norm.momentum * (found.mean - norm.running_mean[at]);
            norm.running_variance[at] +=
                norm.momentum * (found.squares / (found.count - 1) - norm.running_variance[at]);
            for (int n = 0; n < x.batch; ++n)
                for (int i = 0; i < x.height; ++i)
                    for (int j = 0; j < x.width; ++j)
                        y(n, c, i, j) = shifted(x(n, c, i, j), found.mean, found.squares / found.count, frozen, at);
            continue;
        }
        for (int n = 0; n < x.batch; ++n)
            for (int i = 0; i < x.height; ++i)
                for (int j = 0; j < x.width; ++j)
                    y(n, c, i, j) = shifted(x(n, c, i, j), norm.running_mean[at], norm.running_variance[at], norm, at);
    }
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    Convolution both = conv;
    for (int c = 0; c < conv.weight.rows; ++c) {
        const std::size_t at = std::size_t(c);
        const auto layer = [&](double value) {
            return shifted(value, norm.running_mean[at], norm.running_variance[at], norm, at);
        };
        both.bias[at] = layer(conv.bias[at]);
        for (int k = 0; k < conv.weight.cols; ++k) both.weight(c, k) = layer(conv.weight(c, k)) - layer(0);
    }
    return both;
}
