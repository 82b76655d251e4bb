// outcome: wrong answer
// says: something that is no std::exception
#include "twice.hpp"

int twice(int) { throw 3; }
