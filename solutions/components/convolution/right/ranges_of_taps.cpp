// The taps that lie inside are found before the loops, and pointers walk through memory; long double, last tap first.
#include "convolution.hpp"

int output_size(int size, int kernel, const Options& options) {
    int low = 0, high = size + 2 * options.padding + 1;  // the number of windows lies in [low, high)
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        ((middle - 1) * options.stride + options.dilation * (kernel - 1) < size + 2 * options.padding ? low : high) = middle;
    }
    if (low == 0) throw std::invalid_argument("no window fits");
    return low;
}

// The first tap of a window beginning at `first` that lies inside, and the one after the last.
static std::pair<int, int> inside(int first, int size, int kernel, int dilation) {
    int from = 0, to = kernel;
    while (from < kernel && first + from * dilation < 0) ++from;
    while (to > from && first + (to - 1) * dilation >= size) --to;
    return {from, to};
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    const auto [images, channels, height, width] = x.shape;
    const int filters = weight.shape[0], kernel_rows = weight.shape[2], kernel_cols = weight.shape[3];
    Tensor y(images, filters, output_size(height, kernel_rows, options), output_size(width, kernel_cols, options));
    double* to = y.numbers.data();
    for (int n = 0; n < images; ++n)
        for (int o = 0; o < filters; ++o)
            for (int r = 0; r < y.shape[2]; ++r)
                for (int s = 0; s < y.shape[3]; ++s) {
                    const int first_row = r * options.stride - options.padding, first_col = s * options.stride - options.padding;
                    const auto [a0, a1] = inside(first_row, height, kernel_rows, options.dilation);
                    const auto [b0, b1] = inside(first_col, width, kernel_cols, options.dilation);
                    long double sum = 0;
                    for (int c = channels; c-- > 0;)
                        for (int a = a1; a-- > a0;) {
                            const double* pixels = x.numbers.data() + ((n * channels + c) * height + first_row + a * options.dilation) * width;
                            const double* weights = weight.numbers.data() + ((o * channels + c) * kernel_rows + a) * kernel_cols;
                            for (int b = b1; b-- > b0;) sum += (long double)weights[b] * pixels[first_col + b * options.dilation];
                        }
                    *to++ = double(sum + bias[std::size_t(o)]);
                }
    return y;
}
