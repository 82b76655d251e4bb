#include "past_average.hpp"

Matrix mean_of_past(const Matrix& x) {
    Matrix y = x;
    for (int t = 1; t < x.rows; ++t)
        for (int c = 0; c < x.cols; ++c) y(t, c) = y(t - 1, c) + (x(t, c) - y(t - 1, c)) / (t + 1);
    return y;
}

Matrix mix(const Matrix& weights, const Matrix& x) {
    Matrix y(weights.rows, x.cols);
    for (int t = 0; t < weights.rows; ++t)
        for (int s = 0; s < x.rows; ++s)
            for (int c = 0; c < x.cols; ++c) y(t, c) += weights(t, s) * x(s, c);
    return y;
}

Matrix mean_matrix(int places) { return masked_softmax(Matrix(places, places)); }

Matrix masked_softmax(const Matrix& scores) {
    Matrix weights(scores.rows, scores.cols);
    for (int t = 0; t < scores.rows; ++t) {
        double sum = 0;
        for (int s = 0; s <= t; ++s) sum += weights(t, s) = std::exp(scores(t, s));
        for (int s = 0; s <= t; ++s) weights(t, s) /= sum;
    }
    return weights;
}

Gradients gradients(const Matrix& scores, const Matrix& x, const Matrix& dy) {
    const Matrix weights = masked_softmax(scores);
    Gradients d{Matrix(scores.rows, scores.cols), Matrix(x.rows, x.cols)};
    for (int t = 0; t < scores.rows; ++t) {
        double mean = 0;  // of the gradients of the row's weights, with these weights
        for (int s = 0; s <= t; ++s) {
            double slope = 0;  // the gradient of the weight
            for (int c = 0; c < x.cols; ++c) {
                slope += dy(t, c) * x(s, c);
                d.x(s, c) += weights(t, s) * dy(t, c);
            }
            d.scores(t, s) = slope;
            mean += weights(t, s) * slope;
        }
        for (int s = 0; s <= t; ++s) d.scores(t, s) = weights(t, s) * (d.scores(t, s) - mean);
    }
    return d;
}
