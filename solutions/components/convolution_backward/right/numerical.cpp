// Central differences of the program itself. A step of 1/4 adds no error, because the loss is linear in every single number.
#include "convolution_backward.hpp"

static long double loss(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Tensor& dy, const Options& options) {
    long double total = 0;
    for (int n = 0; n < dy.shape[0]; ++n)
        for (int o = 0; o < dy.shape[1]; ++o)
            for (int r = 0; r < dy.shape[2]; ++r)
                for (int s = 0; s < dy.shape[3]; ++s) {
                    long double y = bias[std::size_t(o)];
                    for (int c = 0; c < x.shape[1]; ++c)
                        for (int a = 0; a < weight.shape[2]; ++a)
                            for (int b = 0; b < weight.shape[3]; ++b) {
                                const int row = r * options.stride - options.padding + a * options.dilation,
                                          col = s * options.stride - options.padding + b * options.dilation;
                                if (row >= 0 && row < x.shape[2] && col >= 0 && col < x.shape[3])
                                    y += (long double)weight(o, c, a, b) * x(n, c, row, col);
                            }
                    total += y * dy(n, o, r, s);
                }
    return total;
}

template <class Loss>
static std::vector<double> slopes(std::vector<double> at, Loss of) {
    std::vector<double> found;
    for (double& number : at) {
        const double before = number, step = 0.25;
        const double above = before + step, below = before - step;
        number = above;
        const long double high = of(at);
        number = below;
        const long double low = of(at);
        number = before;
        found.push_back(double((high - low) / ((long double)above - below)));
    }
    return found;
}

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dx = x;
    const std::vector<double> none(std::size_t(dy.shape[1]));
    dx.numbers = slopes(x.numbers, [&](const std::vector<double>& numbers) {
        Tensor changed = x;
        changed.numbers = numbers;
        return loss(changed, weight, none, dy, options);
    });
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dw = weight;
    const std::vector<double> none(std::size_t(dy.shape[1]));
    dw.numbers = slopes(weight.numbers, [&](const std::vector<double>& numbers) {
        Tensor changed = weight;
        changed.numbers = numbers;
        return loss(x, changed, none, dy, options);
    });
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    const Tensor x(dy.shape[0], 1, dy.shape[2], dy.shape[3]), weight(dy.shape[1], 1, 1, 1);
    return slopes(std::vector<double>(std::size_t(dy.shape[1])),
                  [&](const std::vector<double>& bias) { return loss(x, weight, bias, dy, {}); });
}
