#include "weight_blocks.hpp"

namespace {

float number_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
    return from_half(std::uint16_t(bytes[at] | bytes[at + 1] << 8));
}

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    for (std::size_t block = 0; block < bytes.size(); block += 34) {
        const float scale = number_at(bytes, block);
        for (std::size_t i = 0; i < 32; ++i) {
            const int code = std::int8_t(bytes[block + 2 + i]);
            weights.push_back(scale * float(code));
        }
    }
    return weights;
}

std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    for (std::size_t block = 0; block < bytes.size(); block += 18) {
        const float scale = number_at(bytes, block);
        for (std::size_t i = 0; i < 32; ++i) {
            const int both = bytes[block + 2 + i % 16];
            const int code = i < 16 ? both & 15 : both >> 4;
            weights.push_back(scale * float(code - 8));
        }
    }
    return weights;
}

std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    for (std::size_t block = 0; block < bytes.size(); block += 20) {
        const float scale = number_at(bytes, block), minimum = number_at(bytes, block + 2);
        for (std::size_t i = 0; i < 32; ++i) {
            const int both = bytes[block + 4 + i % 16];
            const int code = i < 16 ? both & 15 : both >> 4;
            weights.push_back(scale * float(code) + minimum);
        }
    }
    return weights;
}
