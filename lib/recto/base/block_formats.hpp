#pragma once
/// @file
/// Weights in blocks of 32 that share a scale: the formats Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0 of llama.cpp, byte for byte.
///
/// A block begins with its scale d in FP16, then its minimum m in FP16 if the format has one. With 5 bits the fifth bits
/// of all codes follow: four bytes, the lowest bit first. Last come the codes: with 8 bits a signed byte each; else 16
/// bytes, and byte i holds the lower four bits of code i and, in its upper half, those of code 16 + i. Numbers of several
/// bytes begin with the lowest. (llama.cpp, ggml-common.h and ggml-quants.c; the `gguf` package of PyPI agrees.)
#include <array>
#include <cstdint>

#include <recto/base/float_formats.hpp>

namespace RECTO {

inline constexpr int block_size = 32;  ///< Weights in a block.

/// A format for blocks of weights: integer codes of a few bits, and a scale for all of them.
struct BlockFormat {
    const char* name;  ///< such as `Q4_1`
    int bits;          ///< bits of a code: 4, 5 or 8
    bool minimum;      ///< whether a block has a minimum: its codes then count upwards from there

    constexpr int head() const { return minimum ? 4 : 2; }          ///< Bytes of the scale and the minimum.
    constexpr int fifth_bits() const { return bits == 5 ? 4 : 0; }  ///< Bytes of the codes' fifth bits.
    /// Bytes of a block.
    constexpr int bytes() const { return head() + fifth_bits() + (bits == 8 ? block_size : block_size / 2); }
    /// Bits for each weight, the scale and the minimum included.
    constexpr double bits_per_weight() const { return 8.0 * bytes() / block_size; }
    /// The smallest code. Without a minimum, codes are signed.
    constexpr int lowest() const { return minimum ? 0 : bits == 8 ? -127 : -(1 << (bits - 1)); }
    constexpr int highest() const { return lowest() + (bits == 8 ? 254 : (1 << bits) - 1); }  ///< The largest code.

    /// Whether both describe the same bytes.
    friend constexpr bool operator==(const BlockFormat& a, const BlockFormat& b) {
        return a.bits == b.bits && a.minimum == b.minimum;
    }
};

inline constexpr BlockFormat q4_0{"Q4_0", 4, false};  ///< 16 codes from -8 to 7.
inline constexpr BlockFormat q4_1{"Q4_1", 4, true};   ///< 16 codes from the minimum upwards.
inline constexpr BlockFormat q5_0{"Q5_0", 5, false};  ///< 32 codes from -16 to 15.
inline constexpr BlockFormat q5_1{"Q5_1", 5, true};   ///< 32 codes from the minimum upwards.
inline constexpr BlockFormat q8_0{"Q8_0", 8, false};  ///< 255 codes from -127 to 127.

inline constexpr std::array<BlockFormat, 5> block_formats = {q4_0, q4_1, q5_0, q5_1,
                                                             q8_0};  ///< All, by bits per weight.

/// The numbers with which a block begins. Without a minimum in the format, `minimum` is 0.
struct BlockHead {
    float scale;    ///< the distance between neighbouring codes
    float minimum;  ///< the number for which code 0 stands
};

/// The scale and the minimum of a block.
RECTO_HD constexpr BlockHead block_head(const std::uint8_t* block, BlockFormat format) {
    const auto half = [block](int at) {
        return decode(std::uint32_t(block[at]) | std::uint32_t(block[at + 1]) << 8, fp16);
    };
    return {half(0), format.minimum ? half(2) : 0.0f};
}

/// Code number `i` of a block, 0 <= i < 32.
RECTO_HD constexpr int block_code(const std::uint8_t* block, int i, BlockFormat format) {
    const std::uint8_t* codes = block + format.head() + format.fifth_bits();
    if (format.bits == 8) return int(codes[i]) - (codes[i] > 127 ? 256 : 0);
    const int half = block_size / 2, low = i < half ? codes[i] & 15 : codes[i - half] >> 4;
    const int fifth = format.bits == 5 ? (block[format.head() + i / 8] >> (i % 8) & 1) << 4 : 0;
    return (low | fifth) + format.lowest();
}

/// The weight for which a code stands: scale times code, plus the minimum.
RECTO_HD constexpr float block_weight(BlockHead head, int code, BlockFormat format) {
    const float scaled = head.scale * float(code);
    return format.minimum ? scaled + head.minimum : scaled;
}

/// Restores the 32 weights of a block.
template <class Number>
RECTO_HD constexpr void decode_block(const std::uint8_t* block, Number* weights, BlockFormat format) {
    const BlockHead head = block_head(block, format);
    for (int i = 0; i < block_size; ++i) weights[i] = Number(block_weight(head, block_code(block, i, format), format));
}

/// Stores 32 weights as a block, with the arithmetic of llama.cpp in single precision. With a minimum, the scale is
/// (largest - smallest) / (2^bits - 1); without one, the weight of largest size gets the lowest code (with 8 bits the
/// code -127 or 127). Codes are rounded to nearest with the scale before it is rounded to FP16.
///
/// A block with a weight that is not finite, or with a scale or a minimum beyond FP16 (65504), is restored as NaN or
/// infinity.
template <class Number>
RECTO_HD constexpr void encode_block(const Number* weights, std::uint8_t* block, BlockFormat format) {
    float low = float(weights[0]), high = low, widest = 0;  // widest: that of largest size, with its sign
    bool finite = true;
    for (int i = 0; i < block_size; ++i) {
        const float w = float(weights[i]), size = w < 0 ? -w : w, so_far = widest < 0 ? -widest : widest;
        finite = finite && w - w == 0;
        low = w < low ? w : low;
        high = w > high ? w : high;
        widest = size > so_far ? w : widest;
    }
    const float span = format.minimum     ? (high - low) / float(format.highest())
                       : format.bits == 8 ? (widest < 0 ? -widest : widest) / 127
                                          : widest / float(format.lowest());
    const float scale = finite ? span : std::numeric_limits<float>::quiet_NaN();
    const float times = finite && scale != 0 ? 1 / scale : 0.0f;

    for (int at = 0; at < format.bytes(); ++at) block[at] = 0;
    const std::uint32_t d = encode(scale, fp16), m = encode(low, fp16);
    block[0] = std::uint8_t(d), block[1] = std::uint8_t(d >> 8);
    if (format.minimum) block[2] = std::uint8_t(m), block[3] = std::uint8_t(m >> 8);
    std::uint8_t* codes = block + format.head() + format.fifth_bits();
    for (int i = 0; i < block_size; ++i) {
        const float w = float(weights[i]), scaled = (format.minimum ? w - low : w) * times;
        if (format.bits == 8) {  // half away from zero
            const float size = scaled < 0 ? -scaled : scaled, kept = size < 127 ? size : size >= 127 ? 127.0f : 0.0f;
            const int whole = int(kept), code = whole + (kept - float(whole) >= 0.5f);
            codes[i] = std::uint8_t(scaled < 0 ? -code : code);
        } else {
            const float most = float(format.highest() - format.lowest()),
                        up = scaled + (float(-format.lowest()) + 0.5f);
            const int code = up >= most ? int(most) : up > 0 ? int(up) : 0;  // 0 for NaN
            const int half = block_size / 2, byte = i < half ? i : i - half;
            codes[byte] = std::uint8_t(codes[byte] | (code & 15) << (i < half ? 0 : 4));
            if (format.bits == 5)
                block[format.head() + i / 8] = std::uint8_t(block[format.head() + i / 8] | (code >> 4) << (i % 8));
        }
    }
}

}  // namespace RECTO
