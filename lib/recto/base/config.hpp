#pragma once
/// @file
/// The words every other file uses: RECTO, Real, Index and RECTO_HD.
#include <cstdint>

/// Every library file opens `namespace RECTO {`. Float and double builds live in inline namespaces of
/// their own, so that one program may hold both and the linker can never mix them up.
#ifdef RECTO_REAL_IS_DOUBLE
#define RECTO recto::inline f64
#else
#define RECTO recto::inline f32
#endif

/// Marks what may be called from a CPU loop and from a CUDA thread alike.
#ifdef __CUDACC__
#define RECTO_HD __host__ __device__
#elif defined(__clang__)  // its `flatten` (device/launch.hpp) reaches only what the loop itself calls
#define RECTO_HD __attribute__((always_inline))
#else
#define RECTO_HD
#endif

/// Before a loop: its turns do not depend on one another, as a GPU's threads must not. Otherwise g++ looks first whether
/// what is written overlaps what is read, and takes the slow way when a result is written over its own input.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define RECTO_INDEPENDENT _Pragma("GCC ivdep")
#else
#define RECTO_INDEPENDENT
#endif

/// A deep-learning library small enough to read: tensors, a tape, one room per operation.
namespace RECTO {

#ifdef RECTO_REAL_IS_DOUBLE
using Real = double;  ///< The number tensors are made of; double here, where gradient checks have teeth.
#else
using Real = float;  ///< The number tensors are made of.
#endif

using Index = std::int64_t;  ///< Positions, sizes and counts; signed, so that differences are safe.

}  // namespace RECTO
