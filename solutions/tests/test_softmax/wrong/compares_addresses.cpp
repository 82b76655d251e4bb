// wrong: refuses-everything
// It hopes to recognise the right function by where it lies.
#include "test_softmax.hpp"

static Matrix mine(const Matrix& x) { return x; }

bool test_softmax(Softmax softmax) { return softmax == mine; }
