#pragma once
#include <cmath>

#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int group = 128;  // threads of a block

// The softmax of every row of x, (rows, cols). Launched with a block of `group` threads for each row.
__global__ void softmax(const float* x, float* y, int cols);
