// A sum of one-dimensional convolutions: each row of the kernel with the row of the image that it meets.
#include "convolution.hpp"

int output_size(int size, int kernel, const Options& options) {
    const long rest = long(size) + 2L * options.padding - long(options.dilation) * (kernel - 1);
    if (rest <= 0) throw std::invalid_argument("no window fits");
    return int((rest - 1) / options.stride + 1);
}

using Row = std::vector<double>;

static Row row_of(const Tensor& t, int n, int c, int row) {
    const auto first = t.numbers.begin() + ((long(n) * t.shape[1] + c) * t.shape[2] + row) * t.shape[3];
    return Row(first, first + t.shape[3]);
}

static void add(Row& y, const Row& x, const Row& w, const Options& options) {
    Row wide(x.size() + 2 * std::size_t(options.padding));
    std::copy(x.begin(), x.end(), wide.begin() + options.padding);
    for (std::size_t s = 0; s < y.size(); ++s)
        for (std::size_t b = 0; b < w.size(); ++b) y[s] += w[b] * wide[s * std::size_t(options.stride) + b * std::size_t(options.dilation)];
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    const int rows = output_size(x.shape[2], weight.shape[2], options), cols = output_size(x.shape[3], weight.shape[3], options);
    Tensor y(x.shape[0], weight.shape[0], rows, cols);
    for (int n = 0; n < y.shape[0]; ++n)
        for (int o = 0; o < y.shape[1]; ++o)
            for (int r = 0; r < rows; ++r) {
                Row sums(std::size_t(cols), bias[std::size_t(o)]);
                for (int c = 0; c < x.shape[1]; ++c)
                    for (int a = 0; a < weight.shape[2]; ++a)
                        if (const int row = r * options.stride - options.padding + a * options.dilation; row >= 0 && row < x.shape[2])
                            add(sums, row_of(x, n, c, row), row_of(weight, o, c, a), options);
                for (int s = 0; s < cols; ++s) y(n, o, r, s) = sums[std::size_t(s)];
            }
    return y;
}
