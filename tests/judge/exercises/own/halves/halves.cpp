#include "halves.hpp"

std::vector<double> halves(const std::vector<double>& x) {
    std::vector<double> y;
    for (const double number : x) y.push_back(number / 2);
    return y;
}
