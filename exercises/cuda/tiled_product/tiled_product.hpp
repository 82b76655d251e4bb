#pragma once
#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int tile = 16;  // a tile has tile x tile numbers, and a block has tile x tile threads

// c = a b, with a (m, k), b (k, n), c (m, n), all row by row. Block (bx, by) computes the tile of c that begins at row
// by * tile, column bx * tile, with threads (0, 0) to (tile - 1, tile - 1).
__global__ void product(const float* a, const float* b, float* c, int m, int k, int n);
