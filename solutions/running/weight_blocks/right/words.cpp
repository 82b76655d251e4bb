// Eight bytes at a time as one word, whose halves are separated by a mask.
#include "weight_blocks.hpp"

namespace {

constexpr std::uint64_t lower = 0x0F0F0F0F0F0F0F0Full;

std::uint64_t word_at(const std::uint8_t* at) {
    std::uint64_t word = 0;
    for (int i = 7; i >= 0; --i) word = word << 8 | at[i];
    return word;
}
float half_at(const std::uint8_t* at) { return from_half(static_cast<std::uint16_t>(at[0] + (at[1] << 8))); }

void spread(std::uint64_t word, float scale, int minus, float least, float* to) {
    for (int i = 0; i < 8; ++i, word >>= 8) to[i] = scale * float(int(word & 0xFF) - minus) + least;
}

void four_bits(const std::uint8_t* codes, float scale, int minus, float least, float* to) {
    for (int k = 0; k < 2; ++k) {
        const std::uint64_t word = word_at(codes + 8 * k);
        spread(word & lower, scale, minus, least, to + 8 * k);
        spread(word >> 4 & lower, scale, minus, least, to + 16 + 8 * k);
    }
}

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(bytes.size() - bytes.size() / 34 * 2);
    for (std::size_t b = 0; 34 * b < bytes.size(); ++b)
        for (std::size_t k = 0; k < 4; ++k) {
            const std::uint64_t word = word_at(&bytes[34 * b + 2 + 8 * k]) ^ 0x8080808080808080ull;  // plus 128
            spread(word, half_at(&bytes[34 * b]), 128, 0, &weights[32 * b + 8 * k]);
        }
    return weights;
}

std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(2 * (bytes.size() - bytes.size() / 18 * 2));
    for (std::size_t b = 0; 18 * b < bytes.size(); ++b)
        four_bits(&bytes[18 * b + 2], half_at(&bytes[18 * b]), 8, 0, &weights[32 * b]);
    return weights;
}

std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(2 * (bytes.size() - bytes.size() / 20 * 4));
    for (std::size_t b = 0; 20 * b < bytes.size(); ++b)
        four_bits(&bytes[20 * b + 4], half_at(&bytes[20 * b]), 0, half_at(&bytes[20 * b + 2]), &weights[32 * b]);
    return weights;
}
