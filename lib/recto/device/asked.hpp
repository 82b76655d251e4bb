#pragma once
/// @file
/// Tells a profile (autograd/profile.hpp) that memory was asked for, which is how an operation begins.
#include <recto/base/config.hpp>

namespace RECTO::detail {

using MemoryAsked = void (*)();  ///< What wants to know.
/// Called for every new Storage on this thread, unless null.
inline constinit thread_local MemoryAsked memory_asked = nullptr;

}  // namespace RECTO::detail
