// outcome: did not compile
// says: /etc/passwd is not among the files
#include "/etc/passwd"
