#include "chain.hpp"

#include <cmath>

#include "not_written.hpp"

// Write one function after the other, and delete its call of not_written.

Matrix normalise(const Matrix& z) { not_written("normalise"); }

Matrix normalise_backward(const Matrix& z, const Matrix& dy) { not_written("normalise_backward"); }

Pass forward(const Chain& net, const Matrix& x) { not_written("forward"); }

std::vector<Matrix> gradients(const Chain& net, const Matrix& x, const std::vector<int>& labels) {
    not_written("gradients");
}

Matrix table(const Chain& net, const Matrix& x, const std::vector<int>& labels) { not_written("table"); }
