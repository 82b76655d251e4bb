// outcome: did not compile
// says: nested|the compiler did not come to an end|needs more than
#include __FILE__
#include __FILE__
