#include "texts.hpp"

std::vector<std::string> texts(int count) {
    std::vector<std::string> found;
    for (int at = 0; at < count; ++at) found.push_back(std::to_string(at));
    return found;
}
