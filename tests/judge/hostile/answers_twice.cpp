// outcome: garbled answer
// says: question 1 where one to question 2
// The first answer is right.
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
    static std::uint64_t number = 0;
    const std::int64_t right = 2 * x;
    put_frame(++number, std::string(1, 0) + "i" + std::string(reinterpret_cast<const char*>(&right), 8));
    return 2 * x;
}
