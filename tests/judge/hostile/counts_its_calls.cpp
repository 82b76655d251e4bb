// outcome: wrong answer
// says: another answer the second time
// Right whenever it is asked for the first time.
#include "twice.hpp"

#include <set>

int twice(int x) {
    static std::set<int> seen;
    return 2 * x + !seen.insert(x).second;
}
