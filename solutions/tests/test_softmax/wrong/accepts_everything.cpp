// wrong: accepts-everything
// Calls the implementation and accepts every result.
#include "test_softmax.hpp"

bool test_softmax(Softmax softmax) {
    softmax({{0, 1, 2}});
    return true;
}
