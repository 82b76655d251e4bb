// outcome: did not compile
// says: defines it
// Nobody types anything.
#include "/dev/stdin"
