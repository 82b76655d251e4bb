// outcome: wrong answer
// says: expected|another answer
#include "twice.hpp"

#include <cstdint>

int twice(int x) {
    const auto* leaked = new char[16];
    return 2 * x + int(reinterpret_cast<std::uintptr_t>(leaked) >> 4 & 3);
}
