// outcome: garbled answer
// says: question 1 where one to question 2
// Knows the first case by heart.
#include "twice.hpp"

#include <unistd.h>
#include <cstdint>
#include <string>

static void put(const std::string& bytes) { (void)!write(3, bytes.data(), bytes.size()); }
static std::string word(std::uint32_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }
static void put_frame(std::uint64_t number, const std::string& rest) {
    put(word(std::uint32_t(8 + rest.size())) + std::string(reinterpret_cast<const char*>(&number), 8) + rest);
}

__attribute__((constructor)) static void begin() {
    const std::int64_t right = 2;
    put_frame(1, std::string(1, 0) + "i" + std::string(reinterpret_cast<const char*>(&right), 8));
}

int twice(int x) { return 2 * x; }
