// Shows the network all images at once to count the errors, and calls functions of the standard library.
#include "hidden_units.hpp"

int errors(Network& network, const Images& images, int batch) {
    (void)batch;
    const Matrix y = network.forward(images.x);
    int wrong = 0;
    for (int row = 0; row < y.rows; ++row) {
        const auto first = y.numbers.begin() + std::ptrdiff_t(row) * y.cols;
        wrong += std::max_element(first, first + y.cols) - first != images.labels[std::size_t(row)];
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

std::array<int, 4> after(const Tensor& filters, const std::array<int, 4>& x) {
    return {x[0], filters.shape[0], x[2] - (filters.shape[2] - 1), x[3] - (filters.shape[3] - 1)};
}

std::array<int, 4> halved(const std::array<int, 4>& x) { return {x[0], x[1], x[2] >> 1, x[3] >> 1}; }

}  // namespace

std::vector<std::array<int, 4>> shapes(const ConvNet& net, const std::array<int, 4>& image) {
    const auto one = after(net.filters[0], image), two = halved(one), three = after(net.filters[1], two);
    const auto four = halved(three), five = after(net.filters[2], four);
    return {one, two, three, four, five};
}

Matrix scores(const ConvNet& net, const Tensor& x) {
    Tensor now = x;
    for (std::size_t at = 0; at < 3; ++at) {
        now = convolve(now, net.filters[at], net.bias[at]);
        for (double& value : now.numbers) value = std::max(value, 0.0);
        if (at < 2) now = pool(now);
    }
    Matrix y(x.shape[0], net.weight.cols);
    for (int row = 0; row < y.rows; ++row)
        for (int k = 0; k < y.cols; ++k) {
            y(row, k) = net.last_bias(0, k);
            for (int i = 0; i < net.weight.rows; ++i)
                y(row, k) += now.numbers[std::size_t(row * net.weight.rows + i)] * net.weight(i, k);
        }
    return y;
}
