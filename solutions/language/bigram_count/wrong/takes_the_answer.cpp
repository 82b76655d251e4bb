// wrong: takes-the-answer
// outcome: did not compile
#include "../../solutions/language/bigram_count/bigram_count.cpp"
