// Every window becomes a row of a matrix (im2col); the convolution is then one matrix product.
#include "convolution.hpp"

#include "matrix.hpp"

int output_size(int size, int kernel, const Options& options) {
    const int rest = size + 2 * options.padding - options.dilation * (kernel - 1) - 1;
    if (rest < 0) throw std::invalid_argument("no window fits");
    return 1 + rest / options.stride;
}

static Matrix unfold(const Tensor& x, const Tensor& weight, int rows, int cols, const Options& options) {
    const int taps = weight.shape[2] * weight.shape[3];
    Matrix windows(x.shape[0] * rows * cols, x.shape[1] * taps);
    for (int at = 0; at < windows.rows; ++at)
        for (int k = 0; k < windows.cols; ++k) {
            const int a = k % taps / weight.shape[3], b = k % weight.shape[3];
            const int row = at / cols % rows * options.stride - options.padding + a * options.dilation,
                      col = at % cols * options.stride - options.padding + b * options.dilation;
            if (row >= 0 && row < x.shape[2] && col >= 0 && col < x.shape[3])
                windows(at, k) = x(at / (rows * cols), k / taps, row, col);
        }
    return windows;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    Tensor y(x.shape[0], weight.shape[0], output_size(x.shape[2], weight.shape[2], options),
             output_size(x.shape[3], weight.shape[3], options));
    const int places = y.shape[2] * y.shape[3];
    const Matrix windows = unfold(x, weight, y.shape[2], y.shape[3], options);
    for (int at = 0; at < windows.rows; ++at)
        for (int o = 0; o < weight.shape[0]; ++o) {
            double sum = 0;
            for (int k = windows.cols; k-- > 0;) sum += windows(at, k) * weight.numbers[std::size_t(o * windows.cols + k)];
            y(at / places, o, at % places / y.shape[3], at % y.shape[3]) = sum + bias[std::size_t(o)];
        }
    return y;
}
