// One tap after the other adds a shifted and scaled image to the whole output.
#include "convolution.hpp"

int output_size(int size, int kernel, const Options& options) {
    const int last = size + options.padding - options.dilation * (kernel - 1) - 1;  // the last place where a window may begin
    if (last < -options.padding) throw std::invalid_argument("no window fits");
    return (last + options.padding) / options.stride + 1;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    const int rows = output_size(x.shape[2], weight.shape[2], options), cols = output_size(x.shape[3], weight.shape[3], options);
    Tensor y(x.shape[0], weight.shape[0], rows, cols);
    for (int n = 0; n < x.shape[0]; ++n)
        for (int o = 0; o < weight.shape[0]; ++o)
            for (int r = 0; r < rows; ++r)
                for (int s = 0; s < cols; ++s) y(n, o, r, s) = bias[std::size_t(o)];
    const auto inside = [](int place, int size) { return 0 <= place && place < size; };
    for (int a = 0; a < weight.shape[2]; ++a)
        for (int b = 0; b < weight.shape[3]; ++b)
            for (int r = 0; r < rows; ++r)
                for (int s = 0; s < cols; ++s) {
                    const int row = r * options.stride - options.padding + a * options.dilation,
                              col = s * options.stride - options.padding + b * options.dilation;
                    if (!inside(row, x.shape[2]) || !inside(col, x.shape[3])) continue;
                    for (int n = 0; n < x.shape[0]; ++n)
                        for (int c = x.shape[1]; c-- > 0;)
                            for (int o = 0; o < weight.shape[0]; ++o) y(n, o, r, s) += weight(o, c, a, b) * x(n, c, row, col);
                }
    return y;
}
