// Shapes and scores by recursion over the stages, and epochs one by one.
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

namespace {

void append(std::vector<std::array<int, 4>>& found, const ConvNet& net, std::array<int, 4> shape, std::size_t at) {
    const auto [filters, channels, rows, cols] = net.filters[at].shape;
    (void)channels;
    found.push_back({shape[0], filters, shape[2] + 1 - rows, shape[3] + 1 - cols});
    if (at == 2) return;
    const auto last = found.back();
    found.push_back({last[0], last[1], (last[2] - last[2] % 2) / 2, (last[3] - last[3] % 2) / 2});
    append(found, net, found.back(), at + 1);
}

Tensor features(const ConvNet& net, const Tensor& x, std::size_t stage) {
    if (stage == 0) return x;
    Tensor y = convolve(features(net, x, stage - 1), net.filters[stage - 1], net.bias[stage - 1]);
    std::transform(y.numbers.begin(), y.numbers.end(), y.numbers.begin(),
                   [](double v) { return (v + std::abs(v)) / 2; });
    return stage < 3 ? pool(y) : y;
}

}  // namespace

std::vector<std::array<int, 4>> shapes(const ConvNet& net, const std::array<int, 4>& image) {
    std::vector<std::array<int, 4>> found;
    append(found, net, image, 0);
    return found;
}

Matrix scores(const ConvNet& net, const Tensor& x) {
    const Tensor last = features(net, x, 3);
    Matrix y(x.shape[0], net.weight.cols);
    const double* at = last.numbers.data();
    for (int row = 0; row < y.rows; ++row) {
        for (int k = 0; k < y.cols; ++k) y(row, k) = net.last_bias(0, k);
        for (int i = 0; i < net.weight.rows; ++i, ++at)
            for (int k = 0; k < y.cols; ++k) y(row, k) += *at * net.weight(i, k);
    }
    return y;
}
