// The result of either mode as one multiplication and one addition: y = a x + b, with b rounded late.
#include "batch_norm_2d.hpp"

namespace {

struct Affine {
    double scale, centre, shift;
    double operator()(double x) const { return std::fma(scale, x - centre, shift); }
};

Affine affine(const BatchNorm& norm, int c, double mean, double variance) {
    return {norm.weight[std::size_t(c)] / std::sqrt(variance + norm.eps), mean, norm.bias[std::size_t(c)]};
}

template <class F>
double sum_over(const Maps& x, int c, F term) {
    double sum = 0, lost = 0;  // Kahan's summation
    for (int j = 0; j < x.width; ++j)
        for (int i = 0; i < x.height; ++i)
            for (int n = 0; n < x.batch; ++n) {
                const double more = term(x(n, c, i, j)) - lost, next = sum + more;
                lost = (next - sum) - more;
                sum = next;
            }
    return sum;
}

void move(double& running, double to, double momentum) { running = running * (1 - momentum) + to * momentum; }

}  // namespace

Maps forward(BatchNorm& norm, const Maps& x) {
    std::vector<Affine> layer;
    if (norm.training) {
        const double count = double(x.batch) * x.height * x.width;
        if (count <= 1) throw std::invalid_argument("forward: a variance needs two numbers");
        for (int c = 0; c < x.channels; ++c) {
            const double mean = sum_over(x, c, [](double value) { return value; }) / count;
            const double squares = sum_over(x, c, [mean](double value) { return std::pow(value - mean, 2); });
            layer.push_back(affine(norm, c, mean, squares / count));
            move(norm.running_mean[std::size_t(c)], mean, norm.momentum);
            move(norm.running_variance[std::size_t(c)], squares / (count - 1), norm.momentum);
        }
    } else {
        for (int c = 0; c < x.channels; ++c)
            layer.push_back(affine(norm, c, norm.running_mean[std::size_t(c)], norm.running_variance[std::size_t(c)]));
    }
    Maps y = x;
    for (int c = 0; c < x.channels; ++c)
        for (int n = 0; n < x.batch; ++n)
            for (int i = 0; i < x.height; ++i)
                for (int j = 0; j < x.width; ++j) y(n, c, i, j) = layer[std::size_t(c)](x(n, c, i, j));
    return y;
}

Convolution fold(const Convolution& conv, const BatchNorm& norm) {
    Convolution both{conv.weight, {}};
    for (int c = 0; c < conv.weight.rows; ++c) {
        const std::size_t at = std::size_t(c);
        const Affine layer = affine(norm, c, norm.running_mean[at], norm.running_variance[at]);
        both.bias.push_back(layer(conv.bias[at]));
        for (int k = 0; k < conv.weight.cols; ++k) both.weight(c, k) *= layer.scale;
    }
    return both;
}
