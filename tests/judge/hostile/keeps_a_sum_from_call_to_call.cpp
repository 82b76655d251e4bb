// outcome: wrong answer
// says: right when it is asked alone, wrong after the calls before
// Is right at the first call, and adds up what was asked before at the others.
#include "twice.hpp"

int twice(int number) {
    static int sum = 0;
    return sum += 2 * number;
}
