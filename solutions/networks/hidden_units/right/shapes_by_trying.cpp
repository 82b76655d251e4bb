// Lets the given functions compute shapes, on images of zeros.
#include "hidden_units.hpp"

int errors(Network& network, const Images& images, int batch) {
    int wrong = 0;
    for (int first = 0; first < images.x.rows; first += batch) {
        const Images some = part_of(images, first, std::min(first + batch, images.x.rows));
        const Matrix y = network.forward(some.x);
        for (int row = 0; row < y.rows; ++row) {
            int best = 0;
            for (int k = 1; k < y.cols; ++k)
                if (y(row, k) > y(row, best)) best = k;
            if (best != some.labels[std::size_t(row)]) ++wrong;
        }
    }
    return wrong;
}

std::vector<double> train(Network& network, const Images& images, int batch, int epochs, double rate) {
    std::vector<double> losses;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        double sum = 0;
        for (int first = 0; first < images.x.rows; first += batch) {
            const Images some = part_of(images, first, std::min(first + batch, images.x.rows));
            Matrix y = network.forward(some.x);
            for (int row = 0; row < y.rows; ++row) {
                const int label = some.labels[std::size_t(row)];
                double top = y(row, 0), whole = 0;
                for (int k = 1; k < y.cols; ++k) top = std::max(top, y(row, k));
                for (int k = 0; k < y.cols; ++k) whole += std::exp(y(row, k) - top);
                sum += top + std::log(whole) - y(row, label);
                for (int k = 0; k < y.cols; ++k)
                    y(row, k) = (std::exp(y(row, k) - top) / whole - (k == label ? 1 : 0)) / y.rows;
            }
            network.backward(y);
            for (Layer& layer : network.layers) {
                for (std::size_t i = 0; i < layer.weight.numbers.size(); ++i)
                    layer.weight.numbers[i] -= rate * layer.weight_gradient.numbers[i];
                for (std::size_t i = 0; i < layer.bias.numbers.size(); ++i)
                    layer.bias.numbers[i] -= rate * layer.bias_gradient.numbers[i];
            }
            network.zero_gradients();
        }
        losses.push_back(sum / images.x.rows);
    }
    return losses;
}

std::vector<double> error_shares(const std::vector<int>& sizes, int classes, const Images& learn, const Images& test,
                                 const Settings& how, std::mt19937_64& random) {
    std::vector<double> shares;
    for (const int size : sizes) {
        Network network({learn.x.cols, size, classes}, random);
        train(network, learn, how.batch, how.epochs, how.rate);
        shares.push_back(double(errors(network, test, how.batch)) / test.x.rows);
        kit::progress(double(shares.size()) / double(sizes.size()), shares.back());
    }
    return shares;
}

std::vector<std::array<int, 4>> shapes(const ConvNet& net, const std::array<int, 4>& image) {
    Tensor now(image[0], image[1], image[2], image[3]);
    std::vector<std::array<int, 4>> found;
    const auto note = [&] { found.push_back(now.shape); };
    now = convolve(now, net.filters[0], net.bias[0]), note();
    now = pool(now), note();
    now = convolve(now, net.filters[1], net.bias[1]), note();
    now = pool(now), note();
    now = convolve(now, net.filters[2], net.bias[2]), note();
    return found;
}

Matrix scores(const ConvNet& net, const Tensor& x) {
    const auto bent = [](Tensor y) {
        for (double& value : y.numbers)
            if (value < 0) value = 0;
        return y;
    };
    const Tensor last = bent(convolve(
        pool(bent(convolve(pool(bent(convolve(x, net.filters[0], net.bias[0]))), net.filters[1], net.bias[1]))),
        net.filters[2], net.bias[2]));
    Matrix y(last.shape[0], net.weight.cols);
    for (int image = 0; image < y.rows; ++image) {
        int input = 0;
        for (int c = 0; c < last.shape[1]; ++c)
            for (int row = 0; row < last.shape[2]; ++row)
                for (int col = 0; col < last.shape[3]; ++col, ++input)
                    for (int k = 0; k < y.cols; ++k) y(image, k) += last(image, c, row, col) * net.weight(input, k);
        for (int k = 0; k < y.cols; ++k) y(image, k) += net.last_bias(0, k);
    }
    return y;
}
