// Every pixel adds its multiples of the weights to all outputs that read it. The windows are counted one by one.
#include "convolution.hpp"

int output_size(int size, int kernel, const Options& options) {
    int count = 0;
    for (int first = -options.padding; first + options.dilation * (kernel - 1) < size + options.padding; first += options.stride)
        ++count;
    if (count == 0) throw std::invalid_argument("no window fits");
    return count;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    Tensor y(x.shape[0], weight.shape[0], output_size(x.shape[2], weight.shape[2], options),
             output_size(x.shape[3], weight.shape[3], options));
    // The output along one axis whose tap reads this place, or -1.
    const auto reader = [&](int place, int tap, int outputs) {
        const int first = place + options.padding - tap * options.dilation;
        return first >= 0 && first % options.stride == 0 && first / options.stride < outputs ? first / options.stride : -1;
    };
    for (int c = 0; c < x.shape[1]; ++c)
        for (int row = x.shape[2]; row-- > 0;)
            for (int col = x.shape[3]; col-- > 0;)
                for (int a = 0; a < weight.shape[2]; ++a)
                    for (int b = 0; b < weight.shape[3]; ++b) {
                        const int r = reader(row, a, y.shape[2]), s = reader(col, b, y.shape[3]);
                        if (r < 0 || s < 0) continue;
                        for (int n = 0; n < x.shape[0]; ++n)
                            for (int o = 0; o < weight.shape[0]; ++o) y(n, o, r, s) += weight(o, c, a, b) * x(n, c, row, col);
                    }
    for (std::size_t i = 0; i < y.numbers.size(); ++i)
        y.numbers[i] += bias[i / std::size_t(y.shape[2] * y.shape[3]) % bias.size()];
    return y;
}
