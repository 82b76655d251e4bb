#pragma once
#include <algorithm>
#include <set>
#include <vector>

// Numbers of samples: those to learn from, those to choose settings by, those that are looked at once, at the end.
struct Split {
    std::vector<int> train, validation, test;
};

// Somebody's split of the samples 0, 1, ..., count - 1. The seed says which of the many random splits it is.
using Splitter = Split (*)(int count, unsigned seed);

// True if `split` keeps its contract, which the statement of this exercise lists, and false if it breaks it anywhere.
bool test_split(Splitter split);
