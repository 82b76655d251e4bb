#pragma once
#include <vector>

#include <recto/emulator/cuda_on_cpu.hpp>

// factor * x, elementwise, computed on the device. The length of x is 256 or a multiple of 256.
std::vector<float> scaled(const std::vector<float>& x, float factor);
