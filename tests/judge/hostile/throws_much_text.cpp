// outcome: wrong answer
// says: ^twice threw an exception: \\x1b\]0;x\\x07<b>\\n  4/4 \\u202ea{200,300}\.\.\.$
// A title for the window, a line that looks like the judge's, letters from right to left, and a million more.
#include "twice.hpp"

#include <stdexcept>
#include <string>

int twice(int) { throw std::runtime_error("\x1b]0;x\a<b>\n  4/4 \u202e" + std::string(1 << 20, 'a')); }
