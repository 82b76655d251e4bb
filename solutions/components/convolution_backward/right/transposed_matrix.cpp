// The dense layer that equals the convolution: dx is its transposed matrix times dy, and dw gathers the gradient of its cells.
#include "convolution_backward.hpp"

#include "matrix.hpp"

// Calls use(row, column, weight) for every cell of the matrix that holds a weight, by its place in memory.
template <class Use>
static void cells(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options, Use use) {
    int at = 0;
    for (int o = 0; o < weight.shape[0]; ++o)
        for (int c = 0; c < weight.shape[1]; ++c)
            for (int a = 0; a < weight.shape[2]; ++a)
                for (int b = 0; b < weight.shape[3]; ++b, ++at)
                    for (int r = 0; r < dy.shape[2]; ++r)
                        for (int s = 0; s < dy.shape[3]; ++s) {
                            const int row = r * options.stride + a * options.dilation - options.padding,
                                      col = s * options.stride + b * options.dilation - options.padding;
                            if (row >= 0 && col >= 0 && row < x.shape[2] && col < x.shape[3])
                                use((o * dy.shape[2] + r) * dy.shape[3] + s, (c * x.shape[2] + row) * x.shape[3] + col, std::size_t(at));
                        }
}

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    const int pixels = x.shape[1] * x.shape[2] * x.shape[3], outputs = dy.shape[1] * dy.shape[2] * dy.shape[3];
    Matrix dense(outputs, pixels);
    cells(x, weight, dy, options, [&](int i, int j, std::size_t at) { dense(i, j) += weight.numbers[at]; });
    Tensor dx(x.shape[0], x.shape[1], x.shape[2], x.shape[3]);
    for (int n = 0; n < x.shape[0]; ++n)
        for (int j = 0; j < pixels; ++j)
            for (int i = outputs; i-- > 0;) dx.numbers[std::size_t(n * pixels + j)] += dense(i, j) * dy.numbers[std::size_t(n * outputs + i)];
    return dx;
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    const int pixels = x.shape[1] * x.shape[2] * x.shape[3], outputs = dy.shape[1] * dy.shape[2] * dy.shape[3];
    Matrix slopes(outputs, pixels);
    for (int n = 0; n < x.shape[0]; ++n)
        for (int i = 0; i < outputs; ++i)
            for (int j = 0; j < pixels; ++j)
                slopes(i, j) += dy.numbers[std::size_t(n * outputs + i)] * x.numbers[std::size_t(n * pixels + j)];
    Tensor dw(weight.shape[0], weight.shape[1], weight.shape[2], weight.shape[3]);
    cells(x, weight, dy, options, [&](int i, int j, std::size_t at) { dw.numbers[at] += slopes(i, j); });
    return dw;
}

std::vector<double> bias_gradient(const Tensor& dy) {
    std::vector<double> db(std::size_t(dy.shape[1]));
    for (std::size_t i = dy.numbers.size(); i-- > 0;) db[i / std::size_t(dy.shape[2] * dy.shape[3]) % db.size()] += dy.numbers[i];
    return db;
}
