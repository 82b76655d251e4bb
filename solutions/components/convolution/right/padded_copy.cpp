// The zeros are written out around a copy of the images, so no tap reads outside.
#include "convolution.hpp"

int output_size(int size, int kernel, const Options& options) {
    const int span = options.dilation * (kernel - 1) + 1, padded = size + 2 * options.padding;
    if (span > padded) throw std::invalid_argument("the window spans more than the padded image");
    return (padded - span + options.stride) / options.stride;
}

static Tensor framed(const Tensor& x, int padding) {
    Tensor wide(x.shape[0], x.shape[1], x.shape[2] + 2 * padding, x.shape[3] + 2 * padding);
    for (int n = 0; n < x.shape[0]; ++n)
        for (int c = 0; c < x.shape[1]; ++c)
            for (int row = 0; row < x.shape[2]; ++row)
                for (int col = 0; col < x.shape[3]; ++col) wide(n, c, row + padding, col + padding) = x(n, c, row, col);
    return wide;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    const Tensor wide = framed(x, options.padding);
    const Options plain{options.stride, 0, options.dilation};
    Tensor y(x.shape[0], weight.shape[0], output_size(wide.shape[2], weight.shape[2], plain),
             output_size(wide.shape[3], weight.shape[3], plain));
    for (int n = 0; n < y.shape[0]; ++n)
        for (int o = 0; o < y.shape[1]; ++o)
            for (int r = 0; r < y.shape[2]; ++r)
                for (int s = 0; s < y.shape[3]; ++s) {
                    for (int c = 0; c < x.shape[1]; ++c)
                        for (int b = 0; b < weight.shape[3]; ++b)
                            for (int a = 0; a < weight.shape[2]; ++a)
                                y(n, o, r, s) += wide(n, c, r * plain.stride + a * plain.dilation, s * plain.stride + b * plain.dilation) *
                                                 weight(o, c, a, b);
                    y(n, o, r, s) += bias[std::size_t(o)];
                }
    return y;
}
