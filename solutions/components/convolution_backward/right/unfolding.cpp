// With windows as rows of a matrix U and weights as rows of W: dW = dY^T U, and dY W is folded back into the image.
#include "convolution_backward.hpp"

#include "matrix.hpp"

// Calls use(window, column of the window, pixel) for every pixel that the windows of one image hold.
template <class Use>
static void windows(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options, Use use) {
    for (int at = 0; at < dy.shape[2] * dy.shape[3]; ++at)
        for (int k = 0; k < x.shape[1] * weight.shape[2] * weight.shape[3]; ++k) {
            const int b = k % weight.shape[3], a = k / weight.shape[3] % weight.shape[2], c = k / weight.shape[3] / weight.shape[2];
            const int row = at / dy.shape[3] * options.stride - options.padding + a * options.dilation,
                      col = at % dy.shape[3] * options.stride - options.padding + b * options.dilation;
            if (row >= 0 && row < x.shape[2] && col >= 0 && col < x.shape[3]) use(at, k, (c * x.shape[2] + row) * x.shape[3] + col);
        }
}

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dx(x.shape[0], x.shape[1], x.shape[2], x.shape[3]);
    const int taps = x.shape[1] * weight.shape[2] * weight.shape[3], places = dy.shape[2] * dy.shape[3];
    const int size = x.shape[1] * x.shape[2] * x.shape[3];
    for (int n = 0; n < x.shape[0]; ++n) {
        Matrix unfolded(places, taps);
        for (int at = 0; at < places; ++at)
            for (int k = 0; k < taps; ++k)
                for (int o = 0; o < dy.shape[1]; ++o)
                    unfolded(at, k) += dy.numbers[std::size_t((n * dy.shape[1] + o) * places + at)] * weight.numbers[std::size_t(o * taps + k)];
        windows(x, weight, dy, options, [&](int at, int k, int pixel) { dx.numbers[std::size_t(n * size + pixel)] += unfolded(at, k); });
    }
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dw(weight.shape[0], weight.shape[1], weight.shape[2], weight.shape[3]);
    const int taps = x.shape[1] * weight.shape[2] * weight.shape[3], places = dy.shape[2] * dy.shape[3];
    const int size = x.shape[1] * x.shape[2] * x.shape[3];
    for (int n = 0; n < x.shape[0]; ++n) {
        Matrix unfolded(places, taps);
        windows(x, weight, dy, options, [&](int at, int k, int pixel) { unfolded(at, k) = x.numbers[std::size_t(n * size + pixel)]; });
        for (int o = 0; o < dy.shape[1]; ++o)
            for (int k = 0; k < taps; ++k)
                for (int at = 0; at < places; ++at)
                    dw.numbers[std::size_t(o * taps + k)] += dy.numbers[std::size_t((n * dy.shape[1] + o) * places + at)] * unfolded(at, k);
    }
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    const auto places = std::ptrdiff_t(dy.shape[2]) * dy.shape[3];
    std::vector<double> db(std::size_t(dy.shape[1]));
    auto from = dy.numbers.begin();
    for (int n = 0; n < dy.shape[0]; ++n)
        for (double& sum : db) {
            sum = std::accumulate(from, from + places, sum);
            from += places;
        }
    return db;
}
