// The weight matrix of the dense layer that equals the convolution, built once and multiplied with every image.
#include "convolution.hpp"

#include "matrix.hpp"

int output_size(int size, int kernel, const Options& options) {
    std::vector<int> firsts;
    for (int first = -options.padding; first < size + options.padding; ++first)
        if ((first + options.padding) % options.stride == 0 && first + options.dilation * (kernel - 1) < size + options.padding)
            firsts.push_back(first);
    if (firsts.empty()) throw std::invalid_argument("no window fits");
    return int(firsts.size());
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    const int rows = output_size(x.shape[2], weight.shape[2], options), cols = output_size(x.shape[3], weight.shape[3], options);
    Tensor y(x.shape[0], weight.shape[0], rows, cols);
    Matrix dense(weight.shape[0] * rows * cols, x.shape[1] * x.shape[2] * x.shape[3]);
    for (int o = 0; o < weight.shape[0]; ++o)
        for (int c = 0; c < weight.shape[1]; ++c)
            for (int a = 0; a < weight.shape[2]; ++a)
                for (int b = 0; b < weight.shape[3]; ++b)
                    for (int r = 0; r < rows; ++r)
                        for (int s = 0; s < cols; ++s) {
                            const int row = r * options.stride + a * options.dilation - options.padding,
                                      col = s * options.stride + b * options.dilation - options.padding;
                            if (row >= 0 && row < x.shape[2] && col >= 0 && col < x.shape[3])
                                dense((o * rows + r) * cols + s, (c * x.shape[2] + row) * x.shape[3] + col) += weight(o, c, a, b);
                        }
    for (int n = 0; n < x.shape[0]; ++n)
        for (int i = 0; i < dense.rows; ++i) {
            double sum = bias[std::size_t(i / (rows * cols))];
            for (int j = 0; j < dense.cols; ++j) sum += dense(i, j) * x.numbers[std::size_t(n * dense.cols + j)];
            y.numbers[std::size_t(n * dense.rows + i)] = sum;
        }
    return y;
}
