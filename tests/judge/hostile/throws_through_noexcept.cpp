// outcome: crashed
// says: abort.*: \\x1b\[2Jwell <b>done</b>$
// The text of the exception comes from a stranger.
#include "twice.hpp"

#include <stdexcept>

static int refuse() noexcept { throw std::runtime_error("\x1b[2Jwell <b>done</b>"); }

int twice(int) { return refuse(); }
