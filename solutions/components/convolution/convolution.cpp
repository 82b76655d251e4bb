#include "convolution.hpp"

int output_size(int size, int kernel, const Options& options) {
    const int rest = size + 2 * options.padding - options.dilation * (kernel - 1) - 1;
    if (rest < 0) throw std::invalid_argument("convolution: the kernel is larger than the padded image");
    return rest / options.stride + 1;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    const auto [images, channels, height, width] = x.shape;
    const int filters = weight.shape[0], kernel_rows = weight.shape[2], kernel_cols = weight.shape[3];
    const int rows = output_size(height, kernel_rows, options), cols = output_size(width, kernel_cols, options);
    Tensor y(images, filters, rows, cols);
    for (int n = 0; n < images; ++n)
        for (int o = 0; o < filters; ++o)
            for (int r = 0; r < rows; ++r)
                for (int s = 0; s < cols; ++s) {
                    double sum = bias[o];
                    for (int c = 0; c < channels; ++c)
                        for (int a = 0; a < kernel_rows; ++a)
                            for (int b = 0; b < kernel_cols; ++b) {
                                const int row = r * options.stride - options.padding + a * options.dilation;
                                const int col = s * options.stride - options.padding + b * options.dilation;
                                if (row < 0 || row >= height || col < 0 || col >= width) continue;
                                sum += weight(o, c, a, b) * x(n, c, row, col);
                            }
                    y(n, o, r, s) = sum;
                }
    return y;
}
