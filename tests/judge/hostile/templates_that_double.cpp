// outcome: did not compile
// says: the compiler (needs more than|did not come to an end)
#include "twice.hpp"

template <int Depth, unsigned long Path>
struct Branch {
    static constexpr int value = Branch<Depth - 1, 2 * Path>::value + Branch<Depth - 1, 2 * Path + 1>::value;
};
template <unsigned long Path>
struct Branch<0, Path> {
    static constexpr int value = 1;
};

int twice(int x) { return x + Branch<40, 1>::value; }
