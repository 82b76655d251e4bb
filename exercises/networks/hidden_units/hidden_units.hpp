#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

#include "dense_network.hpp"
#include "matrix.hpp"
#include "tensor.hpp"

using Network = DenseNetwork;

using Labels = std::vector<int>;

// Images as rows, and their classes, counted from 0.
struct Images {
    Matrix x;
    Labels labels;
};

// The rows from `first` to `last` - 1 of a set of images.
inline Images part_of(const Images& all, int first, int last) {
    Images some{Matrix(last - first, all.x.cols), Labels(all.labels.begin() + first, all.labels.begin() + last)};
    std::copy(all.x.numbers.begin() + std::ptrdiff_t(first) * all.x.cols,
              all.x.numbers.begin() + std::ptrdiff_t(last) * all.x.cols, some.x.numbers.begin());
    return some;
}

// How many of the images the network gets wrong: the largest score is at another class than the label. Of equal
// scores the first one counts. It shows the network `batch` images at a time.
int errors(Network& network, const Images& images, int batch);

// Gradient descent on the cross-entropy: `epochs` times all images in their order, `batch` at a time; the last batch
// of an epoch may be smaller. After each batch every weight and bias loses `rate` times its derivative of the mean
// loss of the batch. Returns for each epoch the mean over all images of the loss that each had when its batch came.
std::vector<double> train(Network& network, const Images& images, int batch, int epochs, double rate);

// How to train.
struct Settings {
    int batch = 0, epochs = 0;
    double rate = 0;
};

// For each size of the hidden layer: a new network of one hidden layer with `classes` outputs, trained on the one set
// of images, and its share of errors on the other, from 0 to 1.
std::vector<double> error_shares(const std::vector<int>& sizes, int classes, const Images& learn, const Images& test,
                                 const Settings& how, std::mt19937_64& random);

// A network of three convolutions and a dense layer.
struct ConvNet {
    std::array<Tensor, 3> filters;  // (filters, channels, rows, columns) each
    std::array<Matrix, 3> bias;     // (1, filters) each
    Matrix weight, last_bias;       // of the dense layer
};

// A convolution without padding.
inline Tensor convolve(const Tensor& x, const Tensor& filters, const Matrix& bias) {
    const auto [images, channels, rows, cols] = x.shape;
    const auto [count, depth, height, width] = filters.shape;
    if (channels != depth)
        throw std::invalid_argument("convolve: the filters have " + std::to_string(depth) + " channels, the images " +
                                    std::to_string(channels));
    Tensor y(images, count, rows - height + 1, cols - width + 1);
    for (int image = 0; image < images; ++image)
        for (int f = 0; f < count; ++f)
            for (int row = 0; row < y.shape[2]; ++row)
                for (int col = 0; col < y.shape[3]; ++col) {
                    double sum = bias(0, f);
                    for (int c = 0; c < channels; ++c)
                        for (int i = 0; i < height; ++i)
                            for (int j = 0; j < width; ++j) sum += filters(f, c, i, j) * x(image, c, row + i, col + j);
                    y(image, f, row, col) = sum;
                }
    return y;
}

// The largest number of each window of 2 x 2. An odd last row or column has no window.
inline Tensor pool(const Tensor& x) {
    Tensor y(x.shape[0], x.shape[1], x.shape[2] / 2, x.shape[3] / 2);
    for (int image = 0; image < y.shape[0]; ++image)
        for (int c = 0; c < y.shape[1]; ++c)
            for (int row = 0; row < y.shape[2]; ++row)
                for (int col = 0; col < y.shape[3]; ++col)
                    y(image, c, row, col) =
                        std::max(std::max(x(image, c, 2 * row, 2 * col), x(image, c, 2 * row, 2 * col + 1)),
                                 std::max(x(image, c, 2 * row + 1, 2 * col), x(image, c, 2 * row + 1, 2 * col + 1)));
    return y;
}

// The shapes of the images after each stage: the first convolution, the first pooling, the second convolution, the
// second pooling, the third convolution. `image` is the shape of the input.
std::vector<std::array<int, 4>> shapes(const ConvNet& net, const std::array<int, 4>& image);

// The scores of a batch of images, (images, classes): a ReLU follows each convolution, and a pooling each of the
// first two. The dense layer reads channel after channel, row after row.
Matrix scores(const ConvNet& net, const Tensor& x);

namespace kit {
// Shows the progress of a training run, from 0 to 1, and its loss. Calling it is up to you.
void progress(double done, double loss);
}  // namespace kit
