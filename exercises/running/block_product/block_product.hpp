#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "matrix.hpp"

// A matrix in blocks of 32 numbers of a row. `cols` is a multiple of 32.
struct Blocks {
    int rows = 0, cols = 0;
    std::vector<std::int8_t> codes;  // row after row: rows * cols
    std::vector<double> scales;      // of each block, row after row: rows * cols / 32
};

// Numbers in blocks. x has a multiple of 32 columns.
Blocks quantise(const Matrix& x);

// x (n, cols) times the transposed matrix w (rows, cols), without restoring w: (n, rows).
Matrix product(const Matrix& x, const Blocks& w);

// The same for x in blocks, too: in a block, the products of the codes are added up as whole numbers.
Matrix product_of_blocks(const Blocks& x, const Blocks& w);
