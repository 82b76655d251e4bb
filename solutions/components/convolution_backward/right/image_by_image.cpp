// Recursion over the batch: the gradient of the weights is that of the first half plus that of the second.
#include "convolution_backward.hpp"

static Tensor part_of(const Tensor& t, int from, int to) {
    Tensor part(to - from, t.shape[1], t.shape[2], t.shape[3]);
    const auto size = std::ptrdiff_t(t.shape[1]) * t.shape[2] * t.shape[3];
    std::copy(t.numbers.begin() + from * size, t.numbers.begin() + to * size, part.numbers.begin());
    return part;
}

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dx(x.shape[0], x.shape[1], x.shape[2], x.shape[3]);
    if (x.shape[0] > 1) {
        dx.numbers.clear();
        for (int n = 0; n < x.shape[0]; ++n) {
            const Tensor one = input_gradient(part_of(x, n, n + 1), weight, part_of(dy, n, n + 1), options);
            dx.numbers.insert(dx.numbers.end(), one.numbers.begin(), one.numbers.end());
        }
        return dx;
    }
    if (x.shape[0] == 0) return dx;
    for (int o = 0; o < weight.shape[0]; ++o)
        for (int r = 0; r < dy.shape[2]; ++r)
            for (int s = 0; s < dy.shape[3]; ++s)
                for (int a = 0; a < weight.shape[2]; ++a)
                    for (int b = 0; b < weight.shape[3]; ++b)
                        try {
                            for (int c = 0; c < x.shape[1]; ++c)
                                dx(0, c, r * options.stride - options.padding + a * options.dilation,
                                   s * options.stride - options.padding + b * options.dilation) += weight(o, c, a, b) * dy(0, o, r, s);
                        } catch (const std::out_of_range&) {  // padding
                        }
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    const int count = x.shape[0];
    if (count > 1) {
        Tensor sum = weight_gradient(part_of(x, 0, count / 2), weight, part_of(dy, 0, count / 2), options);
        const Tensor more = weight_gradient(part_of(x, count / 2, count), weight, part_of(dy, count / 2, count), options);
        std::transform(sum.numbers.begin(), sum.numbers.end(), more.numbers.begin(), sum.numbers.begin(), std::plus<>());
        return sum;
    }
    Tensor dw(weight.shape[0], weight.shape[1], weight.shape[2], weight.shape[3]);
    if (count == 0) return dw;
    for (int row = 0; row < x.shape[2]; ++row)
        for (int col = 0; col < x.shape[3]; ++col)
            for (int r = 0; r < dy.shape[2]; ++r)
                for (int s = 0; s < dy.shape[3]; ++s) {
                    // The tap with which output (r, s) reads this pixel.
                    const int down = row + options.padding - r * options.stride, right = col + options.padding - s * options.stride;
                    const int a = down / options.dilation, b = right / options.dilation;
                    if (down < 0 || right < 0 || a >= weight.shape[2] || b >= weight.shape[3] || down % options.dilation || right % options.dilation)
                        continue;
                    for (int o = 0; o < weight.shape[0]; ++o)
                        for (int c = 0; c < weight.shape[1]; ++c) dw(o, c, a, b) += x(0, c, row, col) * dy(0, o, r, s);
                }
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    const std::function<double(std::size_t, std::size_t, int)> sum = [&](std::size_t from, std::size_t to, int o) -> double {
        if (to - from > 1) return sum(from, (from + to) / 2, o) + sum((from + to) / 2, to, o);
        return from < to && int(from) / (dy.shape[2] * dy.shape[3]) % dy.shape[1] == o ? dy.numbers[from] : 0;
    };
    std::vector<double> db;
    for (int o = 0; o < dy.shape[1]; ++o) db.push_back(sum(0, dy.numbers.size(), o));
    return db;
}
