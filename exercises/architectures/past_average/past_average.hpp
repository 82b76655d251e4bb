#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "matrix.hpp"

// A sequence is a matrix (places, width): row t is the vector at place t. Place t may use the places 0 to t.

// The mean of the past, (places, width): row t is the mean of the rows 0 to t of x.
Matrix mean_of_past(const Matrix& x);

// The matrix product weights x: row t of the result is the sum of weights(t, s) times row s of x.
Matrix mix(const Matrix& weights, const Matrix& x);

// The matrix (places, places) whose product with x is mean_of_past(x), for every x with this number of rows.
Matrix mean_matrix(int places);

// Row t: the softmax of the scores (t, 0) to (t, t), then zeros. `scores` and the result are (places, places).
Matrix masked_softmax(const Matrix& scores);

// The gradients of a loss.
struct Gradients {
    Matrix scores;  // (places, places)
    Matrix x;       // (places, width)
};

// The gradients with respect to scores and x of a loss that depends on y = mix(masked_softmax(scores), x). `dy`, of the
// shape of y, is the gradient with respect to y.
Gradients gradients(const Matrix& scores, const Matrix& x, const Matrix& dy);
