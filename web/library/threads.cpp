// A page in a browser has one thread.
#include <recto/device/threads.hpp>

#include <algorithm>

#include <recto/base/check.hpp>

namespace RECTO {

int threads() { return 1; }

void set_threads(int count) {
    check(count == 1, "threads: a browser gives a page one thread; wanted 1, got {}", count);
}

void detail::run_pieces(Index n, Index grain, Piece piece, const void* body) {
    for (Index begin = 0; begin < n; begin += grain) piece(body, begin, std::min(begin + grain, n));
}

}  // namespace RECTO
