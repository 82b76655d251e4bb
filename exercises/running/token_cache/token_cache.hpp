#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "matrix.hpp"

// Keys and values of the tokens so far: row t belongs to the token at place t. The rows from `length` on may hold anything.
struct Cache {
    Matrix keys, values;  // of the same shape: (capacity, width of the keys)
    int length = 0;       // how many tokens are in it
};

// Appends the keys and values of the new tokens, and returns what each new token reads. q and the result are (new tokens,
// width), k and v (new tokens, width of the keys). `heads` divides the width.
// Throws std::length_error when the new tokens do not fit; the cache is then as it was before.
Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, int heads, Cache& cache);
