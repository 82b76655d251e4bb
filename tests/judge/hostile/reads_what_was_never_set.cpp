// outcome: crashed
// says: index outside|not its own
// exercise: halves
// sanitized: yes
// Right in the first run, by accident: the value that it reads beyond the end is not used.
#include "halves.hpp"

std::vector<double> halves(const std::vector<double>& x) {
    std::vector<double> y;
    for (const double number : x) y.push_back(number / 2);
    volatile double beyond = x.data()[x.size()];
    (void)beyond;
    return y;
}
