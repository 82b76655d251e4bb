#include "twice.hpp"

int twice(int x) { return x + x; }
