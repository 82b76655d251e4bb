// outcome: did not compile
// says: the compiler (needs more than|did not come to an end)
// A file without an end.
#include "/dev/urandom"
