#pragma once
#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int side = 32;  // a tile has side x side numbers; a block has side x lines threads
constexpr int lines = 8;

// y = x transposed: y[col * rows + row] = x[row * cols + col]. Block (bx, by) takes the tile of x that begins at row
// by * side, column bx * side, with threads (0, 0) to (side - 1, lines - 1).
__global__ void transpose(const float* x, float* y, int rows, int cols);
