#pragma once
/// @file
/// The basic names that every other file uses: RECTO, Real, Index and RECTO_HD.
#include <cstdint>

/// Every library file opens `namespace RECTO {`. Float and double builds have different inline namespaces, so that one
/// program may contain both and the linker cannot confuse them.
#ifdef RECTO_REAL_IS_DOUBLE
#define RECTO recto::inline f64
#else
#define RECTO recto::inline f32
#endif

/// Marks functions that CPU loops and CUDA threads may both call.
#ifdef __CUDACC__
#define RECTO_HD __host__ __device__
#elif defined(__clang__)  // its `flatten` (device/launch.hpp) reaches only what the loop itself calls
#define RECTO_HD __attribute__((always_inline))
#else
#define RECTO_HD
#endif

/// Placed before a loop whose iterations are independent, like a GPU's threads. Without it, g++ first tests at run time
/// whether inputs and outputs overlap, and takes a slow path when a result is written over its own input (in place).
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define RECTO_INDEPENDENT _Pragma("GCC ivdep")
#else
#define RECTO_INDEPENDENT
#endif

/// A deep-learning library small enough to read: tensors, automatic differentiation, one directory per kind of
/// operation.
namespace RECTO {

#ifdef RECTO_REAL_IS_DOUBLE
using Real = double;  ///< The element type of tensors; double in this build, which gradient checks need.
#else
using Real = float;  ///< The element type of tensors.
#endif

using Index = std::int64_t;  ///< Positions, sizes and counts; signed, so that differences may be negative.

}  // namespace RECTO
