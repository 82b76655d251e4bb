// outcome: did not compile
// says: defines it
// Standard input is empty.
#include "/dev/stdin"
