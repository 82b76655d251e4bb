// By the place of a weight: the block, the place in it, and arithmetic with whole numbers in place of casts.
#include "weight_blocks.hpp"

namespace {

int byte_of(const std::vector<std::uint8_t>& bytes, int block, int length, int at) {
    return bytes.at(std::size_t(block * length + at));
}
float pair_of(const std::vector<std::uint8_t>& bytes, int block, int length, int at) {
    return from_half(std::uint16_t(byte_of(bytes, block, length, at) + 256 * byte_of(bytes, block, length, at + 1)));
}
int four_of(const std::vector<std::uint8_t>& bytes, int block, int length, int at, int place) {
    const int byte = byte_of(bytes, block, length, at + place % 16);
    return place < 16 ? byte % 16 : byte / 16;
}

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(bytes.size() / 34 * 32);
    for (int n = 0; n < int(weights.size()); ++n) {
        const int byte = byte_of(bytes, n / 32, 34, 2 + n % 32);
        weights[std::size_t(n)] = float(byte - byte / 128 * 256) * pair_of(bytes, n / 32, 34, 0);
    }
    return weights;
}

std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(bytes.size() / 18 * 32);
    for (int n = 0; n < int(weights.size()); ++n) {
        const float scale = pair_of(bytes, n / 32, 18, 0);
        weights[std::size_t(n)] = scale * float(four_of(bytes, n / 32, 18, 2, n % 32)) - 8 * scale;
    }
    return weights;
}

std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(bytes.size() / 20 * 32);
    for (int n = 0; n < int(weights.size()); ++n)
        weights[std::size_t(n)] = pair_of(bytes, n / 32, 20, 2) +
                                  pair_of(bytes, n / 32, 20, 0) * float(four_of(bytes, n / 32, 20, 4, n % 32));
    return weights;
}
