#pragma once
// A fully connected network in double precision: dense layers with a tanh between them, none after the last. forward
// computes the outputs, backward the derivatives.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "matrix.hpp"

// A standard normal number, from two uniform ones (Box and Muller). std::normal_distribution draws others in each standard
// library, and an exercise has the same networks everywhere.
inline double normal_draw(std::mt19937_64& random) {
    const auto uniform = [&] { return double(random() >> 11) * 0x1p-53; };  // from 0 to 1, without the 1
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

// One dense layer: y = x weight + bias.
struct Layer {
    Matrix weight, bias;                    // (inputs, outputs) and (1, outputs)
    Matrix weight_gradient, bias_gradient;  // the derivatives of the loss with respect to them, added up by backward
};

class DenseNetwork {
public:
    std::vector<Layer> layers;

    DenseNetwork() = default;

    // Random weights with variance 1 / inputs, and biases of 0. The sizes are those of the input, of each hidden
    // layer and of the output.
    DenseNetwork(const std::vector<int>& sizes, std::mt19937_64& random) {
        for (std::size_t at = 0; at + 1 < sizes.size(); ++at) {
            Layer layer;
            layer.weight = Matrix(sizes[at], sizes[at + 1]);
            layer.bias = Matrix(1, sizes[at + 1]);
            for (double& weight : layer.weight.numbers) weight = normal_draw(random) / std::sqrt(double(sizes[at]));
            layers.push_back(std::move(layer));
        }
        zero_gradients();
    }

    // The outputs, (rows, outputs), for inputs (rows, inputs). It remembers what backward needs.
    Matrix forward(const Matrix& x) {
        inputs_.assign(1, x);
        for (std::size_t at = 0; at < layers.size(); ++at) {
            const Layer& layer = layers[at];
            if (inputs_.back().cols != layer.weight.rows)
                throw std::invalid_argument("forward: layer " + std::to_string(at) + " takes " +
                                            std::to_string(layer.weight.rows) + " columns, got " +
                                            std::to_string(inputs_.back().cols));
            Matrix y(x.rows, layer.weight.cols);
            for (int row = 0; row < y.rows; ++row)
                std::copy(layer.bias.numbers.begin(), layer.bias.numbers.end(), y.numbers.begin() + place(y, row));
            add_product(inputs_.back(), layer.weight, y);
            if (at + 1 < layers.size())
                for (double& value : y.numbers) value = std::tanh(value);
            inputs_.push_back(std::move(y));
        }
        return inputs_.back();
    }

    // From the derivatives of a loss with respect to the outputs of the last forward, of the same shape: adds the
    // derivatives with respect to all weights and biases to the gradients, and returns those with respect to the
    // inputs.
    Matrix backward(Matrix dy) {
        if (inputs_.empty() || dy.rows != inputs_.back().rows || dy.cols != inputs_.back().cols)
            throw std::invalid_argument("backward: wanted the shape of the outputs of the last forward, got " +
                                        std::to_string(dy.rows) + " x " + std::to_string(dy.cols));
        for (std::size_t at = layers.size(); at-- > 0;) {
            Layer& layer = layers[at];
            const Matrix& x = inputs_[at];
            add_product(transposed(x), dy, layer.weight_gradient);
            for (int row = 0; row < dy.rows; ++row)
                for (int col = 0; col < dy.cols; ++col)
                    layer.bias_gradient.numbers[std::size_t(col)] += dy.numbers[std::size_t(place(dy, row) + col)];
            Matrix dx(x.rows, x.cols);
            add_product(dy, transposed(layer.weight), dx);
            if (at > 0)
                for (std::size_t i = 0; i < dx.numbers.size(); ++i) dx.numbers[i] *= 1 - x.numbers[i] * x.numbers[i];
            dy = std::move(dx);
        }
        return dy;
    }

    void zero_gradients() {
        for (Layer& layer : layers) {
            layer.weight_gradient = Matrix(layer.weight.rows, layer.weight.cols);
            layer.bias_gradient = Matrix(1, layer.bias.cols);
        }
    }

private:
    static std::ptrdiff_t place(const Matrix& x, int row) { return std::ptrdiff_t(row) * x.cols; }

    static Matrix transposed(const Matrix& x) {
        Matrix y(x.cols, x.rows);
        for (int row = 0; row < x.rows; ++row)
            for (int col = 0; col < x.cols; ++col)
                y.numbers[std::size_t(place(y, col) + row)] = x.numbers[std::size_t(place(x, row) + col)];
        return y;
    }

    // Adds the product a b to c, four rows of b at a time.
    static void add_product(const Matrix& a, const Matrix& b, Matrix& c) {
        for (int row = 0; row < a.rows; ++row) {
            const double* const left = a.numbers.data() + place(a, row);
            double* const sum = c.numbers.data() + place(c, row);
            int k = 0;
            for (; k + 4 <= a.cols; k += 4) {
                const double *const b0 = b.numbers.data() + place(b, k), *const b1 = b0 + b.cols,
                                    *const b2 = b1 + b.cols, *const b3 = b2 + b.cols;
                const double a0 = left[k], a1 = left[k + 1], a2 = left[k + 2], a3 = left[k + 3];
                for (int col = 0; col < b.cols; ++col)
                    sum[col] += a0 * b0[col] + a1 * b1[col] + a2 * b2[col] + a3 * b3[col];
            }
            for (; k < a.cols; ++k)
                for (int col = 0; col < b.cols; ++col) sum[col] += left[k] * b.numbers[std::size_t(place(b, k) + col)];
        }
    }

    std::vector<Matrix> inputs_;  // of each layer in the last forward, and the outputs of the last layer
};
