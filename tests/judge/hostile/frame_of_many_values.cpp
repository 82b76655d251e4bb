// outcome: garbled answer
// says: more than 1048576 values
#include "twice.hpp"

#include <unistd.h>
#include <cstdint>
#include <string>

static void put(const std::string& bytes) { (void)!write(3, bytes.data(), bytes.size()); }
static std::string word(std::uint32_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }
static void put_frame(std::uint64_t number, const std::string& rest) {
    put(word(std::uint32_t(8 + rest.size())) + std::string(reinterpret_cast<const char*>(&number), 8) + rest);
}

int twice(int x) {
    std::string values(1, 0);
    for (int at = 0; at < 1100000; ++at) values += "s" + word(0);
    put_frame(1, values);
    return 2 * x;
}
