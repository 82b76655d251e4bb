#include "convolution_backward.hpp"

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    const auto [images, channels, height, width] = x.shape;
    Tensor dx(images, channels, height, width);
    for (int n = 0; n < images; ++n)
        for (int o = 0; o < dy.shape[1]; ++o)
            for (int r = 0; r < dy.shape[2]; ++r)
                for (int s = 0; s < dy.shape[3]; ++s)
                    for (int c = 0; c < channels; ++c)
                        for (int a = 0; a < weight.shape[2]; ++a)
                            for (int b = 0; b < weight.shape[3]; ++b) {
                                const int row = r * options.stride - options.padding + a * options.dilation;
                                const int col = s * options.stride - options.padding + b * options.dilation;
                                if (row < 0 || row >= height || col < 0 || col >= width) continue;
                                dx(n, c, row, col) += dy(n, o, r, s) * weight(o, c, a, b);
                            }
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    const auto [filters, channels, height, width] = weight.shape;
    Tensor dw(filters, channels, height, width);
    for (int o = 0; o < filters; ++o)
        for (int c = 0; c < channels; ++c)
            for (int a = 0; a < height; ++a)
                for (int b = 0; b < width; ++b)
                    for (int n = 0; n < x.shape[0]; ++n)
                        for (int r = 0; r < dy.shape[2]; ++r)
                            for (int s = 0; s < dy.shape[3]; ++s) {
                                const int row = r * options.stride - options.padding + a * options.dilation;
                                const int col = s * options.stride - options.padding + b * options.dilation;
                                if (row < 0 || row >= x.shape[2] || col < 0 || col >= x.shape[3]) continue;
                                dw(o, c, a, b) += dy(n, o, r, s) * x(n, c, row, col);
                            }
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    std::vector<double> db(std::size_t(dy.shape[1]));
    for (int n = 0; n < dy.shape[0]; ++n)
        for (int o = 0; o < dy.shape[1]; ++o)
            for (int r = 0; r < dy.shape[2]; ++r)
                for (int s = 0; s < dy.shape[3]; ++s) db[std::size_t(o)] += dy(n, o, r, s);
    return db;
}
