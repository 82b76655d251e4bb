// A tape: the forward pass writes down which numbers it multiplies, and the backward pass reads the list from its end.
#include "convolution_backward.hpp"

struct Product {
    std::size_t output, weight, pixel;  // places in memory
};

static std::vector<Product> tape(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    std::vector<Product> made;
    const auto flat = [](const Tensor& t, int i, int j, int k, int l) {
        return std::size_t(((i * t.shape[1] + j) * t.shape[2] + k) * t.shape[3] + l);
    };
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
                                    made.push_back({flat(dy, n, o, r, s), flat(weight, o, c, a, b), flat(x, n, c, row, col)});
                            }
    return made;
}

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dx = x;
    std::fill(dx.numbers.begin(), dx.numbers.end(), 0.0);
    const auto made = tape(x, weight, dy, options);
    for (auto one = made.rbegin(); one != made.rend(); ++one) dx.numbers[one->pixel] += dy.numbers[one->output] * weight.numbers[one->weight];
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dw = weight;
    std::fill(dw.numbers.begin(), dw.numbers.end(), 0.0);
    const auto made = tape(x, weight, dy, options);
    for (auto one = made.rbegin(); one != made.rend(); ++one) dw.numbers[one->weight] += dy.numbers[one->output] * x.numbers[one->pixel];
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    std::vector<double> db(std::size_t(dy.shape[1]), 0);
    for (int o = dy.shape[1]; o-- > 0;)
        for (int n = dy.shape[0]; n-- > 0;)
            for (int r = 0; r < dy.shape[2]; ++r)
                for (int s = 0; s < dy.shape[3]; ++s) db[std::size_t(o)] += dy(n, o, r, s);
    return db;
}
