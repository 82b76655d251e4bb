#pragma once
// Kernels without a mistake, each with the plain loop that it must equal; and what some of them cost.
#include <span>
#include <string>

#include <recto/emulator/cuda_on_cpu.hpp>

/// A kernel or a few, and what should come out.
struct Right {
    const char* name;
    std::vector<double> (*emulated)();
    std::vector<double> (*plain)();
};
std::span<const Right> right();

/// What one transpose of a 64 x 64 matrix costs: `naive`, `tile` or `padded`.
recto::kernels::Counts transpose_counts(const std::string& way);
/// What a kernel costs that is not local to its file, with one array of 64 floats.
recto::kernels::Counts visible_counts();
/// What a kernel of one warp costs that reads a number of a `__constant__` and one of a `__device__` in each thread.
recto::kernels::Counts constant_counts();
/// The message for a kernel that reads a `__constant__` and then writes it.
std::string constant_written();
/// What adding 128 numbers costs, as floats or as float4.
recto::kernels::Counts copy_counts(bool by_four);
/// The places that threads take by atomicAdd: right in any order, and different in each.
std::vector<int> taken_places();
/// Seconds for a tiled product of 128 x 128 x 128, counted; the best of three.
double seconds_of_a_product();
