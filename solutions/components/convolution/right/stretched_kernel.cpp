// Each setting by its definition: zeros around the image, zeros between the weights, and every S-th output of stride 1.
#include "convolution.hpp"

int output_size(int size, int kernel, const Options& options) {
    const int all = size + 2 * options.padding - (kernel + (kernel - 1) * (options.dilation - 1)) + 1;  // with stride 1
    if (all <= 0) throw std::invalid_argument("no window fits");
    return (all + options.stride - 1) / options.stride;
}

static Tensor stretched(const Tensor& weight, int dilation) {
    Tensor wide(weight.shape[0], weight.shape[1], (weight.shape[2] - 1) * dilation + 1, (weight.shape[3] - 1) * dilation + 1);
    for (int o = 0; o < weight.shape[0]; ++o)
        for (int c = 0; c < weight.shape[1]; ++c)
            for (int a = 0; a < weight.shape[2]; ++a)
                for (int b = 0; b < weight.shape[3]; ++b) wide(o, c, a * dilation, b * dilation) = weight(o, c, a, b);
    return wide;
}

static Tensor with_frame(const Tensor& x) {
    Tensor wide(x.shape[0], x.shape[1], x.shape[2] + 2, x.shape[3] + 2);
    for (int n = 0; n < x.shape[0]; ++n)
        for (int c = 0; c < x.shape[1]; ++c)
            for (int row = 0; row < x.shape[2]; ++row)
                for (int col = 0; col < x.shape[3]; ++col) wide(n, c, row + 1, col + 1) = x(n, c, row, col);
    return wide;
}

static Tensor plain(const Tensor& x, const Tensor& weight, const std::vector<double>& bias) {
    Tensor y(x.shape[0], weight.shape[0], x.shape[2] - weight.shape[2] + 1, x.shape[3] - weight.shape[3] + 1);
    for (int n = 0; n < y.shape[0]; ++n)
        for (int o = 0; o < y.shape[1]; ++o)
            for (int r = 0; r < y.shape[2]; ++r)
                for (int s = 0; s < y.shape[3]; ++s) {
                    double sum = 0;
                    for (int c = 0; c < x.shape[1]; ++c)
                        for (int a = 0; a < weight.shape[2]; ++a)
                            for (int b = 0; b < weight.shape[3]; ++b) sum += weight(o, c, a, b) * x(n, c, r + a, s + b);
                    y(n, o, r, s) = bias[std::size_t(o)] + sum;
                }
    return y;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    Tensor y(x.shape[0], weight.shape[0], output_size(x.shape[2], weight.shape[2], options),
             output_size(x.shape[3], weight.shape[3], options));
    Tensor wide = x;
    for (int ring = 0; ring < options.padding; ++ring) wide = with_frame(wide);
    const Tensor every = plain(wide, stretched(weight, options.dilation), bias);
    for (int n = 0; n < y.shape[0]; ++n)
        for (int o = 0; o < y.shape[1]; ++o)
            for (int r = 0; r < y.shape[2]; ++r)
                for (int s = 0; s < y.shape[3]; ++s) y(n, o, r, s) = every(n, o, r * options.stride, s * options.stride);
    return y;
}
