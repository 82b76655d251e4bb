#pragma once
#include <vector>

#include <recto/emulator/cuda_on_cpu.hpp>

// factor * x, number by number, computed on the device. x holds 256 numbers or a multiple of that.
std::vector<float> scaled(const std::vector<float>& x, float factor);
