// One function for all formats, with a description of each; weights grow by a push for each half.
#include "weight_blocks.hpp"

namespace {

struct Layout {
    bool eight, minimum;
    int shift;
};

std::vector<float> restore(const std::vector<std::uint8_t>& bytes, Layout layout) {
    const int head = layout.minimum ? 4 : 2, codes = layout.eight ? 32 : 16;
    std::vector<float> weights, upper;
    int place = 0;  // in the block
    std::uint16_t words[2] = {};
    for (const std::uint8_t byte : bytes) {
        if (place < head) {
            auto& word = words[place / 2];
            word = std::uint16_t(place % 2 == 0 ? byte : word + 256 * byte);
        } else {
            const float scale = from_half(words[0]), least = layout.minimum ? from_half(words[1]) : 0.0f;
            if (layout.eight) {
                weights.push_back(scale * float(static_cast<signed char>(byte)));
            } else {
                weights.push_back(scale * float((byte & 0x0F) - layout.shift) + least);
                upper.push_back(scale * float((byte & 0xF0) / 16 - layout.shift) + least);
            }
        }
        if (++place == head + codes) {
            weights.insert(weights.end(), upper.begin(), upper.end());
            upper.clear(), place = 0;
        }
    }
    return weights;
}

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) { return restore(bytes, {true, false, 0}); }
std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) { return restore(bytes, {false, false, 8}); }
std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) { return restore(bytes, {false, true, 0}); }
