// Every image alone: its derivatives are added up by backward, and divided at the step.
#include "hidden_units.hpp"

int errors(Network& network, const Images& images, int batch) {
    (void)batch;
    int right = 0;
    for (int row = 0; row < images.x.rows; ++row) {
        const Matrix y = network.forward(part_of(images, row, row + 1).x);
        bool best = true;
        const int label = images.labels[std::size_t(row)];
        for (int k = 0; k < y.cols; ++k) best = best && (k < label ? y(0, k) < y(0, label) : y(0, k) <= y(0, label));
        right += best;
    }
    return images.x.rows - right;
}

std::vector<double> train(Network& network, const Images& images, int batch, int epochs, double rate) {
    std::vector<double> losses(std::size_t(epochs), 0.0);
    for (double& loss : losses)
        for (int at = 0, seen = 0; at < images.x.rows; ++at) {
            Matrix y = network.forward(part_of(images, at, at + 1).x);
            double whole = 0;
            for (const double score : y.numbers) whole += std::exp(score);
            const std::size_t label = std::size_t(images.labels[std::size_t(at)]);
            loss -= std::log(std::exp(y.numbers[label]) / whole) / images.x.rows;
            for (double& score : y.numbers) score = std::exp(score) / whole;
            y.numbers[label] -= 1;
            network.backward(y);
            if (++seen < batch && at + 1 < images.x.rows) continue;
            for (Layer& layer : network.layers) {
                for (auto [number, gradient] :
                     {std::pair{&layer.weight, &layer.weight_gradient}, {&layer.bias, &layer.bias_gradient}})
                    for (std::size_t i = 0; i < number->numbers.size(); ++i)
                        number->numbers[i] -= rate / seen * gradient->numbers[i];
            }
            network.zero_gradients();
            seen = 0;
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
