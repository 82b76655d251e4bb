#include <recto/data/sha256.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace RECTO::data {
namespace {

constexpr std::array<std::uint32_t, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

/// Processes one block of 64 bytes: the definition.
void stir(State& state, const std::uint8_t* block) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i)
        w[i] = std::uint32_t(block[4 * i]) << 24 | std::uint32_t(block[4 * i + 1]) << 16 |
               std::uint32_t(block[4 * i + 2]) << 8 | block[4 * i + 3];
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t near = w[i - 15], far = w[i - 2];
        w[i] = w[i - 16] + (std::rotr(near, 7) ^ std::rotr(near, 18) ^ near >> 3) + w[i - 7] +
               (std::rotr(far, 17) ^ std::rotr(far, 19) ^ far >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t one =
            h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        const std::uint32_t two =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    const State mixed = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += mixed[i];
}

}  // namespace

void Sha256::add(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const std::size_t waiting = length_ % 64, taken = std::min(64 - waiting, bytes.size());
        std::copy_n(bytes.begin(), taken, rest_.begin() + std::ptrdiff_t(waiting));
        if (waiting + taken == 64) stir(state_, rest_.data());
        length_ += taken;
        bytes = bytes.subspan(taken);
    }
}

std::string Sha256::hex() const {
    State state = state_;
    std::array<std::uint8_t, 128> tail{};  // the rest, a one bit, zeros, the length in bits
    const std::size_t waiting = length_ % 64, size = waiting < 56 ? 64 : 128;
    std::copy_n(rest_.begin(), waiting, tail.begin());
    tail[waiting] = 0x80;
    for (std::size_t i = 0; i < 8; ++i) tail[size - 1 - i] = std::uint8_t(length_ * 8 >> 8 * i);
    for (std::size_t i = 0; i < size; i += 64) stir(state, tail.data() + i);

    std::string hex;
    for (const std::uint32_t word : state) hex += fmt::format("{:08x}", word);
    return hex;
}

}  // namespace RECTO::data
