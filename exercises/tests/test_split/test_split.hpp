#pragma once
#include <algorithm>
#include <set>
#include <vector>

// The indices of the samples: to learn from, to choose settings with, and to use once, at the end.
struct Split {
    std::vector<int> train, validation, test;
};

// An implementation that splits the samples 0, 1, ..., count - 1. The seed selects one of the many random splits.
using Splitter = Split (*)(int count, unsigned seed);

// True if `split` satisfies the contract in the statement of this exercise, and false if it breaks it anywhere.
bool test_split(Splitter split);
