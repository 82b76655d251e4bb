// outcome: wrong answer
// says: expected|another answer
#include "twice.hpp"

#include <random>

int twice(int x) {
    static std::random_device dice;
    return 2 * x + int(dice() % 4 == 0);
}
