// outcome: did not compile
// says: depth
#include "twice.hpp"

template <int N>
struct Deeper {
    static constexpr int value = Deeper<N + 1>::value;
};

int twice(int x) { return x + Deeper<0>::value; }
