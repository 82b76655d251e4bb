#include "past_average.hpp"

Matrix mean_of_past(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    std::vector<double> sum(std::size_t(x.cols));
    for (int t = 0; t < x.rows; ++t)
        for (int c = 0; c < x.cols; ++c) {
            sum[std::size_t(c)] += x(t, c);
            y(t, c) = sum[std::size_t(c)] / (t + 1);
        }
    return y;
}

Matrix mix(const Matrix& weights, const Matrix& x) {
    Matrix y(weights.rows, x.cols);
    for (int t = 0; t < weights.rows; ++t)
        for (int s = 0; s < x.rows; ++s)
            for (int c = 0; c < x.cols; ++c) y(t, c) += weights(t, s) * x(s, c);
    return y;
}

Matrix mean_matrix(int places) {
    Matrix weights(places, places);
    for (int t = 0; t < places; ++t)
        for (int s = 0; s <= t; ++s) weights(t, s) = 1.0 / (t + 1);
    return weights;
}

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
    const Matrix a = masked_softmax(scores);
    Gradients d{Matrix(scores.rows, scores.cols), Matrix(x.rows, x.cols)};
    for (int t = 0; t < scores.rows; ++t)
        for (int s = 0; s < scores.rows; ++s)
            for (int c = 0; c < x.cols; ++c) {
                d.x(s, c) += a(t, s) * dy(t, c);
                for (int u = 0; u < scores.rows; ++u)
                    d.scores(t, u) += dy(t, c) * x(s, c) * a(t, s) * ((s == u ? 1 : 0) - a(t, u));
            }
    return d;
}
