// outcome: wrong answer
// says: expected "0", got "a{50,70}\.\.\."$
// exercise: texts
#include "texts.hpp"

std::vector<std::string> texts(int count) {
    return std::vector<std::string>(std::size_t(count), std::string(10 << 20, 'a'));
}
