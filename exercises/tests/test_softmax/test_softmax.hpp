#pragma once
#include "matrix.hpp"

// An implementation of softmax: y = softmax(x), both (rows, columns), where y(i, j) is exp(x(i, j)), divided by the sum
// of exp(x(i, k)) over all k.
using Softmax = Matrix (*)(const Matrix& x);

// True if `softmax` satisfies the contract in the statement of this exercise, and false if it breaks it anywhere.
bool test_softmax(Softmax softmax);
