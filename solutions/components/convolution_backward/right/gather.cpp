// Every pixel asks which outputs read it: with a stride, only places without a remainder have an answer.
#include "convolution_backward.hpp"

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dx(x.shape[0], x.shape[1], x.shape[2], x.shape[3]);
    const auto reader = [&](int place, int tap, int outputs) {  // -1 if no output reads this place with this tap
        const int first = place + options.padding - tap * options.dilation;
        return first < 0 || first % options.stride || first / options.stride >= outputs ? -1 : first / options.stride;
    };
    for (int n = 0; n < x.shape[0]; ++n)
        for (int c = 0; c < x.shape[1]; ++c)
            for (int row = 0; row < x.shape[2]; ++row)
                for (int col = 0; col < x.shape[3]; ++col) {
                    double sum = 0;
                    for (int a = 0; a < weight.shape[2]; ++a)
                        for (int b = 0; b < weight.shape[3]; ++b) {
                            const int r = reader(row, a, dy.shape[2]), s = reader(col, b, dy.shape[3]);
                            if (r < 0 || s < 0) continue;
                            for (int o = 0; o < weight.shape[0]; ++o) sum += weight(o, c, a, b) * dy(n, o, r, s);
                        }
                    dx(n, c, row, col) = sum;
                }
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    Tensor dw(weight.shape[0], weight.shape[1], weight.shape[2], weight.shape[3]);
    for (int n = x.shape[0]; n-- > 0;)
        for (int c = 0; c < x.shape[1]; ++c)
            for (int row = 0; row < x.shape[2]; ++row)
                for (int col = 0; col < x.shape[3]; ++col)
                    for (int a = 0; a < weight.shape[2]; ++a)
                        for (int b = 0; b < weight.shape[3]; ++b) {
                            const int up = row + options.padding - a * options.dilation, left = col + options.padding - b * options.dilation;
                            if (up < 0 || left < 0 || up % options.stride || left % options.stride) continue;
                            const int r = up / options.stride, s = left / options.stride;
                            if (r >= dy.shape[2] || s >= dy.shape[3]) continue;
                            for (int o = 0; o < weight.shape[0]; ++o) dw(o, c, a, b) += x(n, c, row, col) * dy(n, o, r, s);
                        }
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    std::vector<double> db;
    for (int o = 0; o < dy.shape[1]; ++o) {
        double sum = 0;
        for (int n = 0; n < dy.shape[0]; ++n)
            for (int s = 0; s < dy.shape[3]; ++s)
                for (int r = 0; r < dy.shape[2]; ++r) sum += dy(n, o, r, s);
        db.push_back(sum);
    }
    return db;
}
