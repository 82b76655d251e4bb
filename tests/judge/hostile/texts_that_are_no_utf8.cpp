// outcome: wrong answer
// says: got "\\udcff\\udcfe\\x00"$
// exercise: texts
#include "texts.hpp"

std::vector<std::string> texts(int count) {
    return std::vector<std::string>(std::size_t(count), std::string("\xff\xfe\0", 3));
}
