// wrong: refuses-everything
// Tries to recognise the right function by its address.
#include "test_softmax.hpp"

static Matrix mine(const Matrix& x) { return x; }

bool test_softmax(Softmax softmax) { return softmax == mine; }
