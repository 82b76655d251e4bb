// Reads FP16 with its own few lines, by doubling, and the codes by bit operations.
#include "weight_blocks.hpp"

namespace {

double own_half(unsigned bits) {
    double size = bits & 0x3FF;
    unsigned exponent = (bits & 0x7C00) >> 10;
    if (exponent == 0)
        exponent = 1;
    else
        size += 1024;
    size /= 33554432.0;  // 2^25
    while (exponent-- > 0) size *= 2;
    return bits & 0x8000 ? -size : size;
}

std::vector<float> weights_of(const std::vector<std::uint8_t>& bytes, std::size_t head, std::size_t codes) {
    std::vector<float> weights;
    const std::size_t length = head + codes;
    for (auto at = bytes.begin(); at != bytes.end(); at += std::ptrdiff_t(length)) {
        const double scale = own_half(unsigned(at[0]) | unsigned(at[1]) << 8);
        const double least = head == 4 ? own_half(unsigned(at[2]) | unsigned(at[3]) << 8) : 0;
        for (unsigned i = 0; i < 32; ++i) {
            if (codes == 32) {
                const int byte = at[std::ptrdiff_t(head + i)];
                weights.push_back(float(scale * ((byte ^ 0x80) - 0x80)));
            } else {
                const unsigned byte = at[std::ptrdiff_t(head + (i & 15))], code = byte >> ((i & 16) >> 2) & 15;
                weights.push_back(float(head == 4 ? scale * code + least : scale * (int(code) - 8)));
            }
        }
    }
    return weights;
}

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) { return weights_of(bytes, 2, 32); }
std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) { return weights_of(bytes, 2, 16); }
std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) { return weights_of(bytes, 4, 16); }
