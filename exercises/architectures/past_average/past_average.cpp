#include "past_average.hpp"

#include "not_written.hpp"

Matrix mean_of_past(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    // Fill y, then delete the next line.
    not_written("mean_of_past");
    return y;
}

Matrix mix(const Matrix& weights, const Matrix& x) {
    Matrix y(weights.rows, x.cols);
    not_written("mix");
    return y;
}

Matrix mean_matrix(int places) {
    Matrix weights(places, places);
    not_written("mean_matrix");
    return weights;
}

Matrix masked_softmax(const Matrix& scores) {
    Matrix weights(scores.rows, scores.cols);
    not_written("masked_softmax");
    return weights;
}

Gradients gradients(const Matrix& scores, const Matrix& x, const Matrix& dy) {
    Gradients d{Matrix(scores.rows, scores.cols), Matrix(x.rows, x.cols)};
    (void)dy;
    not_written("gradients");
    return d;
}
