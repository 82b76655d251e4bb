#include <bit>
#include <cstdio>
#include <stdexcept>

#include "driver.hpp"
#include "float_formats.hpp"

namespace {

Format format_named(const std::string& name) {
    Format format{0, 0, name != "E4M3"};
    if (name == "binary16") return binary16;
    if (name == "bfloat16") return bfloat16;
    if (std::sscanf(name.c_str(), "E%dM%d", &format.exponent_bits, &format.digit_bits) != 2)
        throw std::runtime_error("kit: there is no format " + name);
    return format;
}

// A pattern as text: 0 01111 0000000000 is the 1 of binary16.
std::string text_of(std::uint32_t pattern, const Format& format) {
    std::string text;
    const int bits = 1 + format.exponent_bits + format.digit_bits;
    for (int bit = 31; bit >= 0; --bit) {
        const bool set = pattern >> bit & 1;
        if (bit >= bits && !set) continue;  // bits above the format are shown only if one of them is set
        text += set ? '1' : '0';
        if (bit == bits || bit == bits - 1 || bit == format.digit_bits) text += ' ';
    }
    return text;
}

std::uint32_t pattern_of(const std::string& text) {
    std::uint32_t pattern = 0;
    for (const char bit : text)
        if (bit != ' ') pattern = pattern << 1 | std::uint32_t(bit == '1');
    return pattern;
}

void decode_(kit::Arguments& in, kit::Answer& out) {
    const std::uint32_t pattern = pattern_of(in.next<std::string>());
    out.write(decode(pattern, format_named(in.next<std::string>())));
}

// `count` patterns in a row, beginning with `first`.
void decode_many(kit::Arguments& in, kit::Answer& out) {
    const int first = in.next<int>(), count = in.next<int>();
    const Format format = format_named(in.next<std::string>());
    std::vector<float> numbers;
    for (int at = first; at < first + count; ++at) numbers.push_back(decode(std::uint32_t(at), format));
    out.write(numbers);
}

void encode_(kit::Arguments& in, kit::Answer& out) {
    const auto x = in.next<float>();
    const Format format = format_named(in.next<std::string>());
    out.write(text_of(encode(x, format), format));
}

// The patterns of many numbers at once, as integers.
void encode_many(kit::Arguments& in, kit::Answer& out) {
    const auto numbers = in.next<std::vector<float>>();
    const Format format = format_named(in.next<std::string>());
    std::vector<long> patterns;
    for (const float x : numbers) patterns.push_back(long(encode(x, format)));
    out.write(patterns);
}

// The pattern of a float given by its bits, for floats that have no text as a number.
void encode_float_bits(kit::Arguments& in, kit::Answer& out) {
    const auto x = std::bit_cast<float>(pattern_of(in.next<std::string>()));
    const Format format = format_named(in.next<std::string>());
    out.write(text_of(encode(x, format), format));
}

const kit::Function functions[] = {{"decode", decode_},
                                   {"decode_many", decode_many},
                                   {"encode", encode_},
                                   {"encode_many", encode_many},
                                   {"encode_float_bits", encode_float_bits}};

}  // namespace
