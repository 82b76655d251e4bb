// outcome: wrong answer
// says: an object that is not a std::exception
#include "twice.hpp"

int twice(int) { throw 3; }
