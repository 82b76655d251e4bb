#pragma once
#include "matrix.hpp"

// The softmax of every row of x, (rows, columns): positive numbers that sum to one, proportional to the exponentials of
// the scores.
Matrix softmax(const Matrix& x);
