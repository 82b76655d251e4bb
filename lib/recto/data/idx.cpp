#include <recto/data/idx.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace RECTO::data {
namespace {

std::uint64_t big_endian(const std::uint8_t* bytes, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[i];
    return value;
}

/// The format of a file that is not an IDX file, if its beginning identifies a known format.
std::string_view other_kind(io::ByteSource& source, std::span<const std::uint8_t> start) {
    std::array<std::uint8_t, 256> more{};
    std::ranges::copy(start, more.begin());
    const std::size_t got = source.read_some(more.data() + start.size(), more.size() - start.size());
    return io::known_kind({reinterpret_cast<const char*>(more.data()), start.size() + got});
}

}  // namespace

std::size_t bytes_of(IdxType type) {
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

double number_of(IdxType type, const std::uint8_t* bytes) {
    const std::uint64_t word = big_endian(bytes, bytes_of(type));
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

std::span<const std::uint8_t> Idx::bytes() const { return {raw.get(), std::size_t(shape.numel()) * bytes_of(type)}; }
double Idx::number(Index i) const { return number_of(type, raw.get() + std::size_t(i) * bytes_of(type)); }

IdxHeader read_idx_header(io::ByteSource& source) {
    std::array<std::uint8_t, 4> magic;
    source.read(magic.data(), 4);
    if (magic[0] != 0 || magic[1] != 0) {
        const std::string_view kind = other_kind(source, magic);
        source.fail(0, kind.empty() ? fmt::format("an IDX file starts with two zero bytes, this one with 0x{:02x} "
                                                  "0x{:02x}",
                                                  magic[0], magic[1])
                                    : fmt::format("this is {}, not an IDX file", kind));
    }
    const auto type = IdxType(magic[2]);
    if (bytes_of(type) == 0) source.fail(2, fmt::format("type code 0x{:02x} is unknown", magic[2]));
    if (magic[3] < 1 || magic[3] > max_rank)
        source.fail(3, fmt::format("wanted 1 to {} axes, got {}", max_rank, magic[3]));

    std::array<Index, max_rank> extents{};
    constexpr Index most = Index(1) << 62;
    // In bytes, with an empty axis counted as 1, so that an empty shape may not have absurd extents either.
    Index size = Index(bytes_of(type));
    for (std::size_t axis = 0; axis < magic[3]; ++axis) {
        std::array<std::uint8_t, 4> extent;
        source.read(extent.data(), 4);
        extents[axis] = Index(big_endian(extent.data(), 4));
        if (__builtin_mul_overflow(size, std::max<Index>(extents[axis], 1), &size) || size > most)
            source.fail(source.offset() - 4, "the extents multiply to more than 2^62 bytes");
    }
    const IdxHeader header{type, Shape(std::span(extents.data(), magic[3])), source.offset()};
    source.expect_size(header.place + header.bytes());
    return header;
}

Idx read_idx(const std::string& path) {
    io::ByteSource source(path);
    const IdxHeader header = read_idx_header(source);
    source.file().expect_memory(Index(header.bytes()), 4);
    std::shared_ptr<std::uint8_t[]> raw;
    try {
        raw = std::make_shared_for_overwrite<std::uint8_t[]>(header.bytes());
    } catch (const std::bad_alloc&) {
        source.fail(4,
                    fmt::format("wanted memory for the {} bytes that the header declares, got none", header.bytes()));
    }
    source.read(raw.get(), header.bytes());
    source.expect_end();
    return {header.type, header.shape, raw};
}

Tensor tensor_of(const Idx& content, Real scale) {
    Tensor x = empty(content.shape);
    Real* out = x.write();
    if (content.type == IdxType::u8) {  // pixels: the common case, at the speed of memory
        const std::uint8_t* in = content.raw.get();
        for (Index i = 0; i < x.numel(); ++i) out[i] = Real(in[i]) * scale;
    } else {
        for (Index i = 0; i < x.numel(); ++i) out[i] = Real(content.number(i)) * scale;
    }
    return x;
}

Integers integers_of(const Idx& content) {
    check(content.type != IdxType::f32 && content.type != IdxType::f64,
          "integers_of: wanted a file of integers, got one of fractions");
    Integers x(content.shape);
    Index* out = x.write();
    for (Index i = 0; i < x.numel(); ++i) out[i] = Index(content.number(i));
    return x;
}

}  // namespace RECTO::data
