// outcome: did not compile
// says: judge.py is not among the files
#include "@HERE@/solutions/own/twice/judge.py"
