// The dense layer of the convolutional network is a Network of one layer; the ReLU comes after the pooling.
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
    std::vector<std::array<int, 4>> found;
    std::array<int, 4> shape = image;
    for (std::size_t at = 0; at < 3; ++at) {
        const auto& filters = net.filters[at].shape;
        shape = {shape[0], filters[0], shape[2] - filters[2] + 1, shape[3] - filters[3] + 1};
        found.push_back(shape);
        if (at < 2) {
            shape = {shape[0], shape[1], shape[2] / 2, shape[3] / 2};
            found.push_back(shape);
        }
    }
    return found;
}

Matrix scores(const ConvNet& net, const Tensor& x) {
    Network dense;
    dense.layers.resize(1);
    dense.layers[0].weight = net.weight;
    dense.layers[0].bias = net.last_bias;
    Tensor now = x;
    for (std::size_t at = 0; at < 3; ++at) {
        now = convolve(now, net.filters[at], net.bias[at]);
        if (at < 2) now = pool(now);
        for (double& value : now.numbers) value = std::fmax(0, value);  // max and ReLU commute
    }
    Matrix flat(x.shape[0], net.weight.rows);
    flat.numbers = now.numbers;
    return dense.forward(flat);
}
