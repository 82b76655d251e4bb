#include "softmax.hpp"

#include <cmath>

#include "not_written.hpp"

Matrix softmax(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    // Fill y here, row by row, and delete the next line.
    not_written("softmax");
    return y;
}
