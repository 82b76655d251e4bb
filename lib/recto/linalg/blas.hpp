#pragma once
/// @file
/// Keeps BLAS and LAPACK on the calling thread; call this before any use of them.
#include <recto/base/config.hpp>

namespace RECTO::linalg {

/// Makes every later call of OpenBLAS run on the calling thread; costs nothing after the first time.
///
/// The library parallelises work itself (device/threads.hpp) and calls BLAS from several threads at once. Debian's
/// pthread variant supports this; its serial variant has no lock around its table of buffers and occasionally returns
/// wrong products.
void use_blas_on_one_thread();

/// How the linked BLAS describes itself: version, chosen processor, threading.
const char* blas_description();

}  // namespace RECTO::linalg
