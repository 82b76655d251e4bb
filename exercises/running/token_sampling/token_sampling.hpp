#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>
#include <vector>

// The probability of each token. temperature is at least 0, top_k at least 0 (0 for all tokens), 0 < top_p <= 1.
std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p);

// The token that u draws, 0 <= u < 1: its number, counted from 0. The chances add up to 1, up to rounding.
int draw(const std::vector<double>& chances, double u);
