#pragma once
#include <vector>

// Half of every number.
std::vector<double> halves(const std::vector<double>& x);
