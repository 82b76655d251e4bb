#pragma once
#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int tile = 16;             // a block has tile x tile threads and computes tile x tile numbers of y
constexpr int reach = 2;             // a window reaches this far from its middle in each of the four directions
constexpr int side = 2 * reach + 1;  // a window has side x side numbers in each channel, and so have the weights

// The cross-correlation of x, (channels, height, width), with w, (channels, side, side), summed over the channels:
// y has shape (height, width). Numbers outside of x count as 0. Block (bx, by) computes the tile of y that begins at row
// by * tile, column bx * tile, with threads (0, 0) to (tile - 1, tile - 1).
__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width);
