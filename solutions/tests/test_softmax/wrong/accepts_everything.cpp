// wrong: accepts-everything
// It calls the implementation, and is content that it came back.
#include "test_softmax.hpp"

bool test_softmax(Softmax softmax) {
    softmax({{0, 1, 2}});
    return true;
}
