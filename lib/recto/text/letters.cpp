#include <recto/text/letters.hpp>

#include <algorithm>
#include <iterator>

namespace RECTO::text {
namespace {

/// Code points from `first` to `last`.
struct Range {
    std::uint32_t first, last;
};

#include "letters.inc"

template <std::size_t count>
bool is_in(const Range (&ranges)[count], std::uint32_t code_point) {
    const auto* at = std::ranges::upper_bound(ranges, code_point, {}, &Range::first);
    return at != std::begin(ranges) && code_point <= std::prev(at)->last;
}

}  // namespace

bool is_letter(std::uint32_t code_point) { return is_in(letter_ranges, code_point); }
bool is_number(std::uint32_t code_point) { return is_in(number_ranges, code_point); }
bool is_space(std::uint32_t code_point) {
    constexpr Range spaces[] = {{0x09, 0x0D},     {0x20, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},
                                {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                                {0x205F, 0x205F}, {0x3000, 0x3000}};
    return is_in(spaces, code_point);
}

}  // namespace RECTO::text
