#pragma once
/// @file
/// Advice on memory, for a machine that takes none.
#include <cstddef>

#define MADV_HUGEPAGE 14
inline int madvise(void*, std::size_t, int) { return 0; }
