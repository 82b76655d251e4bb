// A matrix of log-probabilities first, and a while loop over the batches.
#include "hidden_units.hpp"

namespace {

// The logarithms of the probabilities.
Matrix log_softmax(Matrix y) {
    for (int row = 0; row < y.rows; ++row) {
        double top = -1e300, whole = 0;
        for (int k = 0; k < y.cols; ++k) top = std::max(top, y(row, k));
        for (int k = 0; k < y.cols; ++k) whole += std::exp(y(row, k) - top);
        for (int k = 0; k < y.cols; ++k) y(row, k) -= top + std::log(whole);
    }
    return y;
}

void descend(Matrix& weight, const Matrix& gradient, double rate) {
    std::transform(weight.numbers.begin(), weight.numbers.end(), gradient.numbers.begin(), weight.numbers.begin(),
                   [&](double w, double s) { return w - rate * s; });
}

}  // namespace

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
    while (int(losses.size()) < epochs) {
        double sum = 0;
        int first = 0;
        while (first < images.x.rows) {
            const int last = std::min(images.x.rows, first + batch);
            const Images some = part_of(images, first, last);
            const Matrix p = log_softmax(network.forward(some.x));
            Matrix dy(p.rows, p.cols);
            for (int row = 0; row < p.rows; ++row) {
                sum += p(row, some.labels[std::size_t(row)]);
                for (int k = 0; k < p.cols; ++k) dy(row, k) = std::exp(p(row, k)) / p.rows;
                dy(row, some.labels[std::size_t(row)]) -= 1.0 / p.rows;
            }
            network.zero_gradients();
            network.backward(dy);
            for (Layer& layer : network.layers) {
                descend(layer.weight, layer.weight_gradient, rate);
                descend(layer.bias, layer.bias_gradient, rate);
            }
            first = last;
        }
        losses.push_back(-sum / images.x.rows);
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
