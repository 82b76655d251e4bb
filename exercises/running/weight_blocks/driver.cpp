#include "driver.hpp"

#include "weight_blocks.hpp"

namespace {

// A decoder that takes the bytes as whole numbers.
template <std::vector<float> (*decode)(const std::vector<std::uint8_t>&)>
std::vector<float> of_numbers(const std::vector<int>& numbers) {
    return decode(std::vector<std::uint8_t>(numbers.begin(), numbers.end()));
}

const kit::Function q8_0("decode_q8_0", of_numbers<decode_q8_0>), q4_0("decode_q4_0", of_numbers<decode_q4_0>),
    q4_1("decode_q4_1", of_numbers<decode_q4_1>);

}  // namespace
