// outcome: garbled answer
// says: 0 values where 1 were due
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
    put_frame(1, std::string(1, 0));
    return 2 * x;
}
