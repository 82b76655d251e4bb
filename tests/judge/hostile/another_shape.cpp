// outcome: wrong answer
// says: the shape: expected 1, got 2
// exercise: halves
#include "halves.hpp"

std::vector<double> halves(const std::vector<double>& x) { return std::vector<double>(x.size() + 1); }
