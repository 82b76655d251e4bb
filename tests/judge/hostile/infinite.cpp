// outcome: wrong answer
// says: got inf
// exercise: halves
#include "halves.hpp"

#include <limits>

std::vector<double> halves(const std::vector<double>& x) {
    return std::vector<double>(x.size(), std::numeric_limits<double>::infinity());
}
