#include "weight_blocks.hpp"

#include "not_written.hpp"

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    (void)bytes;
    not_written("decode_q8_0");
    return weights;
}

std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    (void)bytes;
    not_written("decode_q4_0");
    return weights;
}

std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    (void)bytes;
    not_written("decode_q4_1");
    return weights;
}
