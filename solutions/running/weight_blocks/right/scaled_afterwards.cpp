// First all codes as numbers, then all scales, then their products.
#include "weight_blocks.hpp"

namespace {

std::vector<float> heads(const std::vector<std::uint8_t>& bytes, std::size_t length, std::size_t at) {
    std::vector<float> found;
    for (std::size_t b = at; b < bytes.size(); b += length) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, bytes.data() + b, 2);
        found.push_back(from_half(bits));
    }
    return found;
}

std::vector<float> fours(const std::vector<std::uint8_t>& bytes, std::size_t length) {
    std::vector<float> codes;
    for (std::size_t end = length; end <= bytes.size(); end += length)
        for (int shift : {0, 4})
            for (std::size_t i = end - 16; i < end; ++i) codes.push_back(float(bytes[i] >> shift & 15));
    return codes;
}

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) {
    const std::vector<float> scales = heads(bytes, 34, 0);
    std::vector<float> weights;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (i % 34 > 1) weights.push_back(float(bytes[i]) - (bytes[i] & 128 ? 256.0f : 0.0f));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= scales[i / 32];
    return weights;
}

std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) {
    const std::vector<float> scales = heads(bytes, 18, 0);
    std::vector<float> weights = fours(bytes, 18);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = (weights[i] - 8) * scales[i / 32];
    return weights;
}

std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) {
    const std::vector<float> scales = heads(bytes, 20, 0), least = heads(bytes, 20, 2);
    std::vector<float> weights = fours(bytes, 20);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= scales[i / 32];
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += least[i / 32];
    return weights;
}
