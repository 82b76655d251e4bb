// Calls the student's functions one by one, and all of them in a training run.
#include "driver.hpp"

#include <algorithm>
#include <tuple>

#include "perceptron.hpp"

namespace {

using Four = std::tuple<Matrix, Matrix, Matrix, Matrix>;
using Labels = std::vector<int>;
constexpr int classes = 10, units = 50;

Four parts(const Perceptron& f) { return {f.weights1, f.bias1, f.weights2, f.bias2}; }

// Converts images as they are stored, one byte a pixel, to numbers from 0 to 1.
Matrix pictures(const std::string& bytes, int pixels) {
    Matrix x(int(bytes.size()) / pixels, pixels);
    std::transform(bytes.begin(), bytes.end(), x.numbers.begin(),
                   [](char byte) { return double((unsigned char)byte) / 255; });
    return x;
}

std::pair<Matrix, Matrix> call_forward(Matrix w1, Matrix b1, Matrix w2, Matrix b2, Matrix x) {
    const Pass pass = forward({w1, b1, w2, b2}, x);
    return {pass.hidden, pass.outputs};
}

Four call_backward(Matrix w1, Matrix b1, Matrix w2, Matrix b2, Matrix x, Matrix hidden, Matrix outputs, Labels labels) {
    return parts(backward({w1, b1, w2, b2}, x, {hidden, outputs}, labels));
}

Four call_step(Matrix w1, Matrix b1, Matrix w2, Matrix b2, Matrix d1, Matrix e1, Matrix d2, Matrix e2, double rate) {
    Perceptron f{w1, b1, w2, b2};
    step(f, {d1, e1, d2, e2}, rate);
    return parts(f);
}

std::vector<int> call_predict(Matrix w1, Matrix b1, Matrix w2, Matrix b2, Matrix x) {
    return predict({w1, b1, w2, b2}, x);
}

Four call_begin(int pixels, int hidden, int outputs, long seed) { return parts(begin(pixels, hidden, outputs, seed)); }

Four call_epoch(Matrix w1, Matrix b1, Matrix w2, Matrix b2, Matrix x, Labels labels, int batch, double rate,
                long seed) {
    Perceptron f{w1, b1, w2, b2};
    epoch(f, x, labels, batch, rate, seed);
    return parts(f);
}

// The training: begin, then the epochs of settings(); each epoch ends with the loss on the first images.
Four train(std::string bytes, int pixels, Labels labels, long seed) {
    const Matrix x = pictures(bytes, pixels);
    const int few = std::min(500, x.rows);
    const Matrix first = pictures(bytes.substr(0, std::size_t(few) * std::size_t(pixels)), pixels);
    const Labels first_labels(labels.begin(), labels.begin() + few);
    const Settings how = settings();
    Perceptron f = begin(pixels, units, classes, seed);
    for (int done = 0; done < how.epochs; ++done) {
        epoch(f, x, labels, how.batch, how.rate, seed + done + 1);
        kit::progress(double(done + 1) / how.epochs, squared_error(forward(f, first).outputs, first_labels));
    }
    return parts(f);
}

std::vector<int> classify(Matrix w1, Matrix b1, Matrix w2, Matrix b2, std::string bytes, int pixels) {
    return predict({w1, b1, w2, b2}, pictures(bytes, pixels));
}

const kit::Function functions[] = {
    {"forward", call_forward},   {"squared_error", squared_error},
    {"backward", call_backward}, {"step", call_step},
    {"predict", call_predict},   {"begin", call_begin},
    {"epoch", call_epoch},       {"train", train},
    {"classify", classify},
};

}  // namespace
