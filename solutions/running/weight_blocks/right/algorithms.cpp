// The algorithms of the standard library, block by block, from the last to the first.
#include "weight_blocks.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes part_of(const Bytes& bytes, std::size_t from, std::size_t count) {
    return Bytes(bytes.begin() + std::ptrdiff_t(from), bytes.begin() + std::ptrdiff_t(from + count));
}
float joined(const Bytes& two) {
    return from_half(
        std::uint16_t(std::accumulate(two.rbegin(), two.rend(), 0, [](int sum, int b) { return 256 * sum + b; })));
}

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(bytes.size() / 34 * 32);
    for (std::size_t b = bytes.size() / 34; b-- > 0;) {
        const Bytes codes = part_of(bytes, 34 * b + 2, 32);
        const float scale = joined(part_of(bytes, 34 * b, 2));
        std::transform(codes.begin(), codes.end(), weights.begin() + std::ptrdiff_t(32 * b),
                       [scale](std::uint8_t byte) { return std::bit_cast<std::int8_t>(byte) * scale; });
    }
    return weights;
}

std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights(bytes.size() / 18 * 32);
    for (std::size_t b = bytes.size() / 18; b-- > 0;) {
        const Bytes codes = part_of(bytes, 18 * b + 2, 16);
        const float scale = joined(part_of(bytes, 18 * b, 2));
        const auto to = weights.begin() + std::ptrdiff_t(32 * b);
        std::transform(codes.begin(), codes.end(), to, [scale](int byte) { return float(byte % 16 - 8) * scale; });
        std::transform(codes.begin(), codes.end(), to + 16, [scale](int byte) { return float(byte / 16 - 8) * scale; });
    }
    return weights;
}

std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    if (bytes.empty()) return weights;
    const Bytes block = part_of(bytes, bytes.size() - 20, 20), codes = part_of(block, 4, 16);
    weights = decode_q4_1(part_of(bytes, 0, bytes.size() - 20));
    const float scale = joined(part_of(block, 0, 2)), least = joined(part_of(block, 2, 2));
    for (const bool upper : {false, true})
        for (const int byte : codes) weights.push_back(least + scale * float(upper ? byte >> 4 : byte & 15));
    return weights;
}
