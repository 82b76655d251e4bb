#pragma once
/// @file
/// Which vector instructions this machine has; loops are compiled for each class and chosen at start.
#include <recto/base/config.hpp>

namespace RECTO {

/// Classes of x86-64 processors that hot loops are compiled for; other machines have only `plain`.
enum class CpuClass {
    plain,   ///< What every machine of this architecture has.
    avx2,    ///< 256-bit vectors and fused multiply-add (x86-64-v3).
    avx512,  ///< 512-bit vectors (x86-64-v4).
};

/// The class in use: the machine's best, or RECTO_CPU (plain, avx2, avx512) if that is lower.
CpuClass cpu_class();

/// `plain`, `avx2` or `avx512`.
const char* cpu_class_name();

}  // namespace RECTO
