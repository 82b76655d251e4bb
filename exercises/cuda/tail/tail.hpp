#pragma once
#include <recto/emulator/cuda_on_cpu.hpp>

// How add_scaled is launched for n numbers, n >= 0: {blocks, threads of a block}.
recto::kernels::Config grid_for(int n);

// y += a * x, for n numbers each.
__global__ void add_scaled(float a, const float* x, float* y, int n);
