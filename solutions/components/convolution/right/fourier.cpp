// By Fourier transforms: the product of two spectra is a convolution that wraps around, of all windows with stride 1.
#include "convolution.hpp"

#include <cmath>
#include <complex>
#include <numbers>

using Spectrum = std::vector<std::complex<double>>;

int output_size(int size, int kernel, const Options& options) {
    const int rest = size + 2 * options.padding - options.dilation * (kernel - 1) - 1;
    if (rest < 0) throw std::invalid_argument("no window fits");
    return rest / options.stride + 1;
}

// The transform along both axes of an image with rows x cols numbers.
static Spectrum transformed(const Spectrum& image, int rows, int cols, double sign) {
    const auto turn = [&](int k, int of) {
        const double angle = sign * 2 * std::numbers::pi * (k % of) / of;
        return std::complex<double>(std::cos(angle), std::sin(angle));
    };
    Spectrum half(image.size()), whole(image.size());
    for (int row = 0; row < rows; ++row)
        for (int u = 0; u < cols; ++u)
            for (int col = 0; col < cols; ++col) half[std::size_t(row * cols + u)] += image[std::size_t(row * cols + col)] * turn(u * col, cols);
    for (int v = 0; v < rows; ++v)
        for (int row = 0; row < rows; ++row)
            for (int u = 0; u < cols; ++u) whole[std::size_t(v * cols + u)] += half[std::size_t(row * cols + u)] * turn(v * row, rows);
    return whole;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    Tensor y(x.shape[0], weight.shape[0], output_size(x.shape[2], weight.shape[2], options),
             output_size(x.shape[3], weight.shape[3], options));
    const int rows = x.shape[2] + 2 * options.padding, cols = x.shape[3] + 2 * options.padding, count = rows * cols;
    const Spectrum zeros(std::size_t(rows * cols));
    std::vector<Spectrum> images, kernels;
    for (int n = 0; n < x.shape[0]; ++n)
        for (int c = 0; c < x.shape[1]; ++c) {
            Spectrum image = zeros;
            for (int row = 0; row < x.shape[2]; ++row)
                for (int col = 0; col < x.shape[3]; ++col)
                    image[std::size_t((row + options.padding) * cols + col + options.padding)] = x(n, c, row, col);
            images.push_back(transformed(image, rows, cols, -1));
        }
    for (int o = 0; o < weight.shape[0]; ++o)
        for (int c = 0; c < x.shape[1]; ++c) {
            Spectrum kernel = zeros;
            for (int a = 0; a < weight.shape[2]; ++a)
                for (int b = 0; b < weight.shape[3]; ++b)
                    kernel[std::size_t(a * options.dilation * cols + b * options.dilation)] = weight(o, c, a, b);
            kernels.push_back(transformed(kernel, rows, cols, -1));
        }
    for (int n = 0; n < x.shape[0]; ++n)
        for (int o = 0; o < weight.shape[0]; ++o) {
            Spectrum sum = zeros;
            for (int c = 0; c < x.shape[1]; ++c)
                for (int i = 0; i < count; ++i) {
                    const auto w = kernels[std::size_t(o * x.shape[1] + c)][std::size_t(i)];
                    sum[std::size_t(i)] += images[std::size_t(n * x.shape[1] + c)][std::size_t(i)] *
                                           std::complex<double>(w.real(), -w.imag());
                }
            sum = transformed(sum, rows, cols, 1);
            for (int r = 0; r < y.shape[2]; ++r)
                for (int s = 0; s < y.shape[3]; ++s)
                    y(n, o, r, s) = sum[std::size_t(r * options.stride * cols + s * options.stride)].real() / count + bias[std::size_t(o)];
        }
    return y;
}
