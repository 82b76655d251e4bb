// A table of the sixteen weights that a block can have, and a table of the 256 signed bytes.
#include "weight_blocks.hpp"

namespace {

float scale_at(const std::uint8_t* at) {
    std::uint16_t bits = at[1];
    bits = std::uint16_t(bits << 8);
    bits = std::uint16_t(bits | at[0]);
    return from_half(bits);
}

std::array<float, 256> signed_bytes() {
    std::array<float, 256> table{};
    for (int code = -128; code < 128; ++code) table[std::size_t(code & 255)] = float(code);
    return table;
}

void read_halves(const std::uint8_t* codes, const std::array<float, 16>& table, float* to) {
    for (int i = 0; i < 16; ++i, ++to) {
        to[0] = table[codes[i] & 15u];
        to[16] = table[codes[i] / 16u];
    }
}

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) {
    static const std::array<float, 256> table = signed_bytes();
    std::vector<float> weights;
    weights.reserve(bytes.size());
    float scale = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        if (at % 34 == 0) scale = scale_at(&bytes[at]);
        if (at % 34 >= 2) weights.push_back(scale * table[bytes[at]]);
    }
    return weights;
}

std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(bytes.size() / 9 * 16);
    for (std::size_t block = 0; block < bytes.size() / 18; ++block) {
        const std::uint8_t* from = bytes.data() + 18 * block;
        std::array<float, 16> table{};
        for (std::size_t code = 0; code < 16; ++code) table[code] = scale_at(from) * (float(code) - 8.0f);
        read_halves(from + 2, table, weights.data() + 32 * block);
    }
    return weights;
}

std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(bytes.size() / 5 * 8);
    for (std::size_t block = 0; block < bytes.size() / 20; ++block) {
        const std::uint8_t* from = bytes.data() + 20 * block;
        std::array<float, 16> table{};
        for (std::size_t code = 0; code < 16; ++code) table[code] = scale_at(from + 2) + scale_at(from) * float(code);
        read_halves(from + 4, table, weights.data() + 32 * block);
    }
    return weights;
}
