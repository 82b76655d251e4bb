// The gradient of the padded image first, then its frame is cut off.
#include "convolution_backward.hpp"

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    const int P = options.padding;
    Tensor wide(x.shape[0], x.shape[1], x.shape[2] + 2 * P, x.shape[3] + 2 * P), dx(x.shape[0], x.shape[1], x.shape[2], x.shape[3]);
    for (int a = 0; a < weight.shape[2]; ++a)
        for (int b = 0; b < weight.shape[3]; ++b)
            for (int n = 0; n < x.shape[0]; ++n)
                for (int c = 0; c < x.shape[1]; ++c)
                    for (int r = 0; r < dy.shape[2]; ++r)
                        for (int s = 0; s < dy.shape[3]; ++s) {
                            double sum = 0;
                            for (int o = 0; o < weight.shape[0]; ++o) sum += weight(o, c, a, b) * dy(n, o, r, s);
                            wide(n, c, r * options.stride + a * options.dilation, s * options.stride + b * options.dilation) += sum;
                        }
    for (int n = 0; n < x.shape[0]; ++n)
        for (int c = 0; c < x.shape[1]; ++c)
            for (int row = 0; row < x.shape[2]; ++row)
                for (int col = 0; col < x.shape[3]; ++col) dx(n, c, row, col) = wide(n, c, row + P, col + P);
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dw(weight.shape[0], weight.shape[1], weight.shape[2], weight.shape[3]);
    const auto pixel = [&](int n, int c, int row, int col) {
        return row < 0 || col < 0 || row >= x.shape[2] || col >= x.shape[3] ? 0.0 : x(n, c, row, col);
    };
    for (int n = 0; n < x.shape[0]; ++n)
        for (int r = 0; r < dy.shape[2]; ++r)
            for (int s = 0; s < dy.shape[3]; ++s)
                for (int o = 0; o < weight.shape[0]; ++o)
                    for (int c = 0; c < weight.shape[1]; ++c)
                        for (int a = 0; a < weight.shape[2]; ++a)
                            for (int b = 0; b < weight.shape[3]; ++b)
                                dw(o, c, a, b) += dy(n, o, r, s) * pixel(n, c, r * options.stride - options.padding + a * options.dilation,
                                                                         s * options.stride - options.padding + b * options.dilation);
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    std::vector<long double> sums(std::size_t(dy.shape[1]));
    for (int n = 0; n < dy.shape[0]; ++n)
        for (int o = 0; o < dy.shape[1]; ++o)
            for (int r = dy.shape[2]; r-- > 0;)
                for (int s = dy.shape[3]; s-- > 0;) sums[std::size_t(o)] += dy(n, o, r, s);
    return {sums.begin(), sums.end()};
}
