#pragma once
// Kernels and host code with one mistake each. The same file is compiled for the emulator, for AddressSanitizer, for
// ThreadSanitizer and, by nvcc, for compute-sanitizer (run.sh, on_gpu.sh).
#include <span>

/// One mistake.
struct Planted {
    const char* name;
    void (*run)();
};
std::span<const Planted> planted();
