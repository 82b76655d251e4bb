#include "test_softmax.hpp"

#include "not_written.hpp"

bool test_softmax(Softmax softmax) {
    const Matrix y = softmax({{0, 1, 2}});
    // Check y, call softmax with other inputs, return false as soon as something is wrong, and delete the next line.
    not_written("test_softmax");
    return y.rows == 1;
}
