// The loss is linear in every single number, so its derivative is its change when this number grows by one.
#include "convolution_backward.hpp"

static double loss(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    double sum = 0;
    for (int n = 0; n < dy.shape[0]; ++n)
        for (int o = 0; o < dy.shape[1]; ++o)
            for (int r = 0; r < dy.shape[2]; ++r)
                for (int s = 0; s < dy.shape[3]; ++s)
                    for (int c = 0; c < x.shape[1]; ++c)
                        for (int a = 0; a < weight.shape[2]; ++a)
                            for (int b = 0; b < weight.shape[3]; ++b) {
                                const int row = r * options.stride - options.padding + a * options.dilation,
                                          col = s * options.stride - options.padding + b * options.dilation;
                                if (row >= 0 && row < x.shape[2] && col >= 0 && col < x.shape[3])
                                    sum += dy(n, o, r, s) * weight(o, c, a, b) * x(n, c, row, col);
                            }
    return sum;
}

// Only the loss of the unit vector: its change, without the digits that a difference would lose.
Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dx(x.shape[0], x.shape[1], x.shape[2], x.shape[3]), unit = dx;
    for (std::size_t i = 0; i < unit.numbers.size(); ++i) {
        unit.numbers[i] = 1;
        dx.numbers[i] = loss(unit, weight, dy, options);
        unit.numbers[i] = 0;
    }
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dw = weight;
    const double before = loss(x, weight, dy, options);
    for (std::size_t i = 0; i < weight.numbers.size(); ++i) {
        Tensor more = weight;
        more.numbers[i] += 1;
        dw.numbers[i] = loss(x, more, dy, options) - before;
    }
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    std::vector<double> db(std::size_t(dy.shape[1]), 0.0);
    for (std::size_t i = 0; i < dy.numbers.size(); ++i) db[i / std::size_t(dy.shape[2] * dy.shape[3]) % db.size()] += dy.numbers[i];
    return db;
}
