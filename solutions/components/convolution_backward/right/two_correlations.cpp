// Zeros between the numbers of dy undo the stride. Then dx is a correlation with the turned kernels, and dw one with dy itself.
#include "convolution_backward.hpp"

// dy with stride - 1 zeros between neighbours, `top` rows and columns of zeros in front, in an image of this size.
static Tensor spread(const Tensor& dy, int stride, int top, int left, int rows, int cols) {
    Tensor wide(dy.shape[0], dy.shape[1], rows, cols);
    for (int n = 0; n < dy.shape[0]; ++n)
        for (int o = 0; o < dy.shape[1]; ++o)
            for (int r = 0; r < dy.shape[2]; ++r)
                for (int s = 0; s < dy.shape[3]; ++s) wide(n, o, top + r * stride, left + s * stride) = dy(n, o, r, s);
    return wide;
}

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    const int K = weight.shape[2], L = weight.shape[3], P = options.padding, gap = options.dilation;
    const int up = gap * (K - 1), left = gap * (L - 1);
    const Tensor wide = spread(dy, options.stride, up, left, x.shape[2] + 2 * P + up, x.shape[3] + 2 * P + left);
    Tensor dx(x.shape[0], x.shape[1], x.shape[2], x.shape[3]);
    for (int n = 0; n < x.shape[0]; ++n)
        for (int c = 0; c < x.shape[1]; ++c)
            for (int row = 0; row < x.shape[2]; ++row)
                for (int col = 0; col < x.shape[3]; ++col)
                    for (int o = 0; o < weight.shape[0]; ++o)
                        for (int a = 0; a < K; ++a)
                            for (int b = 0; b < L; ++b)
                                dx(n, c, row, col) += weight(o, c, K - 1 - a, L - 1 - b) * wide(n, o, row + P + a * gap, col + P + b * gap);
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    const int P = options.padding, gap = options.dilation;
    const int rows = (dy.shape[2] - 1) * options.stride + 1, cols = (dy.shape[3] - 1) * options.stride + 1;
    const Tensor wide = spread(dy, options.stride, 0, 0, rows, cols);
    Tensor framed(x.shape[0], x.shape[1], x.shape[2] + 2 * P, x.shape[3] + 2 * P);
    for (int n = 0; n < x.shape[0]; ++n)
        for (int c = 0; c < x.shape[1]; ++c)
            for (int row = 0; row < x.shape[2]; ++row)
                for (int col = 0; col < x.shape[3]; ++col) framed(n, c, row + P, col + P) = x(n, c, row, col);
    Tensor dw(weight.shape[0], weight.shape[1], weight.shape[2], weight.shape[3]);
    for (int o = 0; o < weight.shape[0]; ++o)
        for (int c = 0; c < weight.shape[1]; ++c)
            for (int a = 0; a < weight.shape[2]; ++a)
                for (int b = 0; b < weight.shape[3]; ++b)
                    for (int n = 0; n < x.shape[0]; ++n)
                        for (int i = 0; i < rows; ++i)
                            for (int j = 0; j < cols; ++j) dw(o, c, a, b) += wide(n, o, i, j) * framed(n, c, i + a * gap, j + b * gap);
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    std::vector<double> db(std::size_t(dy.shape[1]));
    for (int r = 0; r < dy.shape[2]; ++r)
        for (int s = 0; s < dy.shape[3]; ++s)
            for (int o = 0; o < dy.shape[1]; ++o)
                for (int n = 0; n < dy.shape[0]; ++n) db[std::size_t(o)] += dy(n, o, r, s);
    return db;
}
