#pragma once
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matrix.hpp"

// The symbols are numbers: '.' is 0, 'a' is 1, ... 'z' is 26. Words hold small letters alone and may be empty.

// Every place of every word, in order: first the contexts, (places, length), a row with the `length` symbols that stand
// before a place, the nearest last; then the targets, (places), the symbols at the places. Before a word there are
// dots, as many as a context needs. The last place of a word is the dot behind it.
std::pair<Matrix, std::vector<int>> make_contexts(const std::vector<std::string>& words, int length);

// Words for three purposes.
struct Split {
    std::vector<std::string> train;  // to fit the parameters
    std::vector<std::string> dev;    // to choose between models
    std::vector<std::string> test;   // for one measure at the very end
};

// Sends each different word of the list to one of three lists, at random: of n different words n / 10 to `dev`, n / 10
// to `test`, both rounded down, and the others to `train`. The same seed gives the same split, another seed another
// one.
Split split(const std::vector<std::string>& words, int seed);
