#pragma once
/// @file
/// One pool of threads for the whole program.
///
/// How work is divided depends on its size alone, never on the number of threads, so results are the same for any
/// number.
#include <recto/base/config.hpp>

namespace RECTO {

/// The number of threads: RECTO_THREADS, else one per core.
int threads();

/// Sets the number of threads. @throws Error outside 1 to 1024, or inside parallel()
void set_threads(int count);

namespace detail {
using Piece = void (*)(const void* body, Index begin, Index end);
void run_pieces(Index n, Index grain, Piece piece, const void* body);
}  // namespace detail

/// Calls `body(begin, end)` over consecutive pieces of [0, n), each at most `grain` long, on all threads.
///
/// Returns when all are done. Inside another `parallel` the pieces run one after another on the calling
/// thread. The first exception that a piece throws is thrown again here, after the others have ended.
template <class Body>
void parallel(Index n, Index grain, const Body& body) {
    if (n <= 0) return;
    if (n <= grain) return body(Index(0), n);  // the common small case costs one comparison
    detail::run_pieces(
        n, grain, [](const void* b, Index begin, Index end) { (*static_cast<const Body*>(b))(begin, end); }, &body);
}

}  // namespace RECTO
