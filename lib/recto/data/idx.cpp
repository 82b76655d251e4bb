#include <recto/data/idx.hpp>

#include <array>
#include <bit>
#include <new>

#include <recto/data/byte_source.hpp>

namespace RECTO::data {
namespace {

/// Bytes per number, 0 for a code that the format does not know.
std::size_t width(IdxType type) {
    switch (type) {
        case IdxType::u8:
        case IdxType::i8:
            return 1;
        case IdxType::i16:
            return 2;
        case IdxType::i32:
        case IdxType::f32:
            return 4;
        case IdxType::f64:
            return 8;
    }
    return 0;
}

std::uint64_t big_endian(const std::uint8_t* bytes, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[i];
    return value;
}

}  // namespace

std::span<const std::uint8_t> Idx::bytes() const { return {raw.get(), std::size_t(shape.count()) * width(type)}; }

double Idx::number(Index i) const {
    const std::size_t n = width(type);
    const std::uint64_t word = big_endian(raw.get() + std::size_t(i) * n, n);
    switch (type) {
        case IdxType::u8:
            return double(word);
        case IdxType::i8:
            return std::int8_t(word);
        case IdxType::i16:
            return std::int16_t(word);
        case IdxType::i32:
            return std::int32_t(word);
        case IdxType::f32:
            return std::bit_cast<float>(std::uint32_t(word));
        case IdxType::f64:
            return std::bit_cast<double>(word);
    }
    return 0;
}

Idx read_idx(const std::string& path) {
    ByteSource source(path);
    std::array<std::uint8_t, 4> magic;
    source.read(magic.data(), 4);
    if (magic[0] != 0 || magic[1] != 0)
        source.fail(0, fmt::format("an IDX file starts with two zero bytes, this one with 0x{:02x} 0x{:02x}", magic[0],
                                   magic[1]));
    const auto type = IdxType(magic[2]);
    if (width(type) == 0) source.fail(2, fmt::format("type code 0x{:02x} is unknown", magic[2]));
    if (magic[3] < 1 || magic[3] > max_rank)
        source.fail(3, fmt::format("wanted 1 to {} axes, got {}", max_rank, magic[3]));

    std::array<Index, max_rank> extents{};
    constexpr Index most = Index(1) << 62;
    Index size = Index(width(type));  // in bytes
    for (std::size_t axis = 0; axis < magic[3]; ++axis) {
        std::array<std::uint8_t, 4> extent;
        source.read(extent.data(), 4);
        extents[axis] = Index(big_endian(extent.data(), 4));
        if (__builtin_mul_overflow(size, extents[axis], &size) || size > most)
            source.fail(source.offset() - 4, "the extents multiply to more than 2^62 bytes");
    }
    source.expect_size(source.offset() + std::size_t(size));

    std::shared_ptr<std::uint8_t[]> raw;
    try {
        raw = std::make_shared_for_overwrite<std::uint8_t[]>(std::size_t(size));
    } catch (const std::bad_alloc&) {
        source.fail(source.offset(), fmt::format("{} bytes are declared, more than this machine has", size));
    }
    source.read(raw.get(), std::size_t(size));
    source.expect_end();
    return {type, Shape(std::span(extents.data(), magic[3])), raw};
}

Tensor tensor_of(const Idx& content, Real scale) {
    Tensor x = empty(content.shape);
    Real* out = x.write();
    if (content.type == IdxType::u8) {  // pixels: the common case, at the speed of memory
        const std::uint8_t* in = content.raw.get();
        for (Index i = 0; i < x.size(); ++i) out[i] = Real(in[i]) * scale;
    } else {
        for (Index i = 0; i < x.size(); ++i) out[i] = Real(content.number(i)) * scale;
    }
    return x;
}

Integers integers_of(const Idx& content) {
    check(content.type != IdxType::f32 && content.type != IdxType::f64,
          "integers_of: wanted a file of integers, got one of fractions");
    Integers x(content.shape);
    Index* out = x.write();
    for (Index i = 0; i < x.size(); ++i) out[i] = Index(content.number(i));
    return x;
}

}  // namespace RECTO::data
