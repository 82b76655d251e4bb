// The sum of each window is split into halves again and again.
#include "convolution.hpp"

int output_size(int size, int kernel, const Options& options) {
    if (options.padding > 0) return output_size(size + 2, kernel, {options.stride, options.padding - 1, options.dilation});
    if (options.dilation > 1) return output_size(size, options.dilation * (kernel - 1) + 1, {options.stride, 0, 1});
    if (kernel > size) throw std::invalid_argument("no window fits");
    return kernel + options.stride > size ? 1 : 1 + output_size(size - options.stride, kernel, options);
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    Tensor y(x.shape[0], weight.shape[0], output_size(x.shape[2], weight.shape[2], options),
             output_size(x.shape[3], weight.shape[3], options));
    const int taps = weight.shape[2] * weight.shape[3];
    for (int n = 0; n < y.shape[0]; ++n)
        for (int o = 0; o < y.shape[1]; ++o)
            for (int r = 0; r < y.shape[2]; ++r)
                for (int s = 0; s < y.shape[3]; ++s) {
                    const std::function<double(int, int)> sum = [&](int from, int to) -> double {
                        if (to - from > 1) return sum(from, (from + to) / 2) + sum((from + to) / 2, to);
                        const int a = from % taps / weight.shape[3], b = from % weight.shape[3];
                        const int row = r * options.stride - options.padding + a * options.dilation,
                                  col = s * options.stride - options.padding + b * options.dilation;
                        if (row < 0 || col < 0 || row >= x.shape[2] || col >= x.shape[3]) return 0;
                        return weight(o, from / taps, a, b) * x(n, from / taps, row, col);
                    };
                    y(n, o, r, s) = bias[std::size_t(o)] + sum(0, x.shape[1] * taps);
                }
    return y;
}
