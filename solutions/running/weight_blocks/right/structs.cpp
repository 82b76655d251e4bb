// Blocks as structs, copied from the bytes as they lie in memory.
#include "weight_blocks.hpp"

namespace {

struct Eight {
    std::uint16_t scale;
    std::int8_t codes[32];
};
struct Four {
    std::uint16_t scale;
    std::uint8_t codes[16];
};
struct FourAndMinimum {
    std::uint16_t scale, minimum;
    std::uint8_t codes[16];
};
static_assert(sizeof(Eight) == 34 && sizeof(Four) == 18 && sizeof(FourAndMinimum) == 20);

template <class Block>
std::vector<Block> blocks_of(const std::vector<std::uint8_t>& bytes) {
    std::vector<Block> blocks(bytes.size() / sizeof(Block));
    if (!blocks.empty()) std::memcpy(blocks.data(), bytes.data(), bytes.size());
    return blocks;
}

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    for (const Eight& block : blocks_of<Eight>(bytes))
        for (const std::int8_t code : block.codes) weights.push_back(from_half(block.scale) * code);
    return weights;
}

std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    for (const Four& block : blocks_of<Four>(bytes)) {
        const float scale = from_half(block.scale);
        for (const std::uint8_t both : block.codes) weights.push_back(scale * float((both & 0xF) - 8));
        for (const std::uint8_t both : block.codes) weights.push_back(scale * float((both >> 4) - 8));
    }
    return weights;
}

std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    for (const FourAndMinimum& block : blocks_of<FourAndMinimum>(bytes)) {
        const float scale = from_half(block.scale), least = from_half(block.minimum);
        for (const std::uint8_t both : block.codes) weights.push_back(std::fma(scale, float(both & 0xF), least));
        for (const std::uint8_t both : block.codes) weights.push_back(std::fma(scale, float(both >> 4), least));
    }
    return weights;
}
