#pragma once
/// @file
/// Keeps BLAS and LAPACK on the calling thread; call this before any use of them.
#include <recto/base/config.hpp>

namespace RECTO::linalg {

/// Makes every later call of OpenBLAS run on the thread that makes it; costs nothing after the first time.
///
/// The library cuts work itself (device/threads.hpp) and calls BLAS from several threads at once. Debian's pthread
/// flavour allows that; its serial flavour has no lock round its table of buffers and returns wrong products now
/// and then.
void use_blas_on_one_thread();

/// What the linked BLAS says of itself: version, processor it chose, threading.
const char* blas_description();

}  // namespace RECTO::linalg
