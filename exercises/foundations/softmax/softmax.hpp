#pragma once
#include "matrix.hpp"

// The softmax of every row of x, (rows, columns): numbers that are positive and sum to one, in the proportions of their
// exponentials.
Matrix softmax(const Matrix& x);
