// outcome: did not compile
// says: driver.hpp is not among the files
#include "driver.hpp"
