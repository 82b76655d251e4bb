#pragma once
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matrix.hpp"

// The symbols are numbers: '.' is 0, 'a' is 1, ... 'z' is 26. Words hold lower-case letters only and may be empty.

// Every position of every word, in order: first the contexts, (positions, length), rows with the `length` symbols before
// a position, the nearest last; then the targets, (positions), the symbols at the positions. Dots stand before a word,
// as many as a context needs. The last position of a word is the dot after it.
std::pair<Matrix, std::vector<int>> make_contexts(const std::vector<std::string>& words, int length);

// Words for three purposes.
struct Split {
    std::vector<std::string> train;  // to fit the parameters
    std::vector<std::string> dev;    // to choose between models
    std::vector<std::string> test;   // for one measurement at the very end
};

// Sends each distinct word of the list to one of three lists, at random: of n distinct words n / 10 to `dev`, n / 10
// to `test`, both rounded down, and the others to `train`. The same seed gives the same split, another seed another
// split.
Split split(const std::vector<std::string>& words, int seed);
