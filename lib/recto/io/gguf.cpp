#include <recto/io/gguf.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/base/float_formats.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/io/plain_text.hpp>
#include <recto/io/read_converted.hpp>
#include <recto/io/utf8.hpp>

namespace RECTO::io {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is little-endian");

constexpr std::string_view magic = "GGUF";
constexpr std::size_t longest_name = 1024;
constexpr Index usual_alignment = 32, largest_alignment = 65536;
/// The types of notes, by their numbers in a file.
enum class Kind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, truth, text, list, u64, i64, f64 };
constexpr std::array<Index, 13> kind_bytes = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};  // at least, for text and list

Index aligned(Index place, Index alignment) { return (place + alignment - 1) / alignment * alignment; }

/// Reads a file from its start to its end, through a buffer.
class Reader {
public:
    explicit Reader(const InputFile& file) : file_(file) {}

    Index place() const { return place_; }                // of the next byte
    Index left() const { return file_.size() - place_; }  // bytes until the end
    /// Throws an Error about what was read last.
    [[noreturn]] void fail(std::string_view reason) const { file_.fail(last_, reason); }

    template <class Number>
    Number number() {
        Number value;
        bytes(&value, sizeof value);
        return value;
    }
    /// A count of things that take at least `each` bytes of the file, and `memory` bytes here.
    Index count(Index each, Index memory, std::string_view what) {
        const auto value = number<std::uint64_t>();
        if (value > std::uint64_t(left() / each))
            fail(fmt::format("{} {} are declared, the file has {} bytes after this", value, what, left()));
        const Index most = std::numeric_limits<Index>::max() / memory;
        file_.expect_memory(std::min(Index(value), most) * memory, last_);
        return Index(value);
    }
    std::string text() {
        std::string value(std::size_t(count(1, 1, "characters")), '\0');
        bytes(value.data(), Index(value.size()));
        return value;
    }
    std::string name(std::string_view what) {
        const Index start = place_;
        const std::string value = text();
        if (value.size() > longest_name || !is_utf8(value))
            file_.fail(start, fmt::format("wanted a {} in UTF-8 of at most {} bytes", what, longest_name));
        return value;
    }

private:
    void bytes(void* to, Index wanted) {
        last_ = place_;
        if (wanted > left())
            file_.fail(file_.size(), fmt::format("the file ends here, {} bytes too early", wanted - left()));
        if (wanted > Index(buffer_.size())) {
            file_.read(to, place_, wanted);
        } else {
            if (place_ < start_ || place_ + wanted > start_ + filled_) {
                start_ = place_, filled_ = std::min(left(), Index(buffer_.size()));
                file_.read(buffer_.data(), start_, filled_);
            }
            std::memcpy(to, buffer_.data() + (place_ - start_), std::size_t(wanted));
        }
        place_ += wanted;
    }

    const InputFile& file_;
    std::array<char, 65536> buffer_;
    Index place_ = 0, last_ = 0;    // where what is read next begins, and what was read last
    Index start_ = 0, filled_ = 0;  // the buffer holds the bytes from start_ to start_ + filled_
};

Index whole(Reader& from, Kind kind) {
    switch (kind) {
        case Kind::u8:
            return from.number<std::uint8_t>();
        case Kind::i8:
            return from.number<std::int8_t>();
        case Kind::u16:
            return from.number<std::uint16_t>();
        case Kind::i16:
            return from.number<std::int16_t>();
        case Kind::u32:
            return from.number<std::uint32_t>();
        case Kind::i32:
            return from.number<std::int32_t>();
        case Kind::truth: {
            const auto value = from.number<std::uint8_t>();
            if (value > 1) from.fail(fmt::format("wanted 0 or 1, got {}", value));
            return value;
        }
        case Kind::u64: {
            const auto value = from.number<std::uint64_t>();
            if (value > std::uint64_t(std::numeric_limits<Index>::max())) from.fail("this number is too large");
            return Index(value);
        }
        default:
            return from.number<std::int64_t>();
    }
}

bool is_fraction(Kind kind) { return kind == Kind::f32 || kind == Kind::f64; }
double fraction(Reader& from, Kind kind) {
    return kind == Kind::f32 ? double(from.number<float>()) : from.number<double>();
}

Kind kind_of(Reader& from) {
    const auto code = from.number<std::uint32_t>();
    if (code >= kind_bytes.size()) from.fail(fmt::format("a note has type {}, which is unknown here", code));
    return Kind(code);
}

GgufValue value_of(Reader& from, Kind kind) {
    if (kind == Kind::text) return from.text();
    if (kind == Kind::truth) return whole(from, kind) == 1;
    if (is_fraction(kind)) return fraction(from, kind);
    if (kind != Kind::list) return whole(from, kind);
    const Kind element = kind_of(from);
    if (element == Kind::list) from.fail("a list in a list is unknown here");
    const Index count = from.count(kind_bytes[std::size_t(element)],
                                   element == Kind::text ? sizeof(std::string) : sizeof(Index), "elements of a list");
    const auto each = [&](auto list, auto&& read) -> GgufValue {
        list.reserve(std::size_t(count));
        for (Index i = 0; i < count; ++i) list.push_back(read());
        return list;
    };
    if (element == Kind::text) return each(std::vector<std::string>(), [&] { return from.text(); });
    if (is_fraction(element)) return each(std::vector<double>(), [&] { return fraction(from, element); });
    return each(std::vector<Index>(), [&] { return whole(from, element); });
}

GgufTensor declaration(Reader& from, const InputFile& file) {
    GgufTensor tensor{{}, gguf_types[0], {}, 0, 0, from.place()};
    tensor.name = from.name("name");
    const auto fail = [&](const std::string& reason) {
        file.fail(tensor.place, fmt::format("'{}' {}", escaped(tensor.name), reason));
    };
    const auto axes = from.number<std::uint32_t>();
    if (axes > 8) fail(fmt::format("has {} axes, wanted at most 8", axes));
    std::vector<Index> extents(axes);
    for (Index& extent : extents) {
        const auto value = from.number<std::uint64_t>();
        if (value > std::uint64_t(std::numeric_limits<Index>::max())) fail("has an extent that is too large");
        extent = Index(value);
    }
    std::ranges::reverse(extents);
    try {
        tensor.shape = Shape(extents);
    } catch (const Error& error) {
        fail(fmt::format("has an impossible shape: {}", error.what()));
    }
    const auto code = from.number<std::uint32_t>();
    const auto known = std::ranges::find(gguf_types, code, &GgufType::code);
    if (known == gguf_types.end()) fail(fmt::format("has type {}, which is unknown here", code));
    tensor.type = *known;
    const Index row = axes == 0 ? 1 : extents.back();
    Index bytes = 0;
    if (row % known->block != 0)
        fail(fmt::format("has rows of {} numbers, which are not whole blocks of {}", row, known->block));
    if (__builtin_mul_overflow(tensor.shape.numel() / known->block, known->bytes, &bytes)) fail("is too large");
    const auto offset = from.number<std::uint64_t>();
    if (offset > std::uint64_t(file.size()))
        fail(fmt::format("begins at {}, the file has {} bytes", offset, file.size()));
    tensor.begin = Index(offset), tensor.end = bytes;  // as declared; place_numbers() makes places in the file of them
    return tensor;
}

/// Where the numbers of all tensors lie, relative to the file's start.
void place_numbers(std::vector<GgufTensor>& tensors, Index data, Index alignment, const InputFile& file) {
    std::vector<GgufTensor*> order;
    for (GgufTensor& t : tensors) {
        const auto fail = [&](const std::string& reason) {
            file.fail(t.place, fmt::format("'{}' {}", escaped(t.name), reason));
        };
        if (t.begin % alignment != 0) fail(fmt::format("begins at {}, which is no multiple of {}", t.begin, alignment));
        if (__builtin_add_overflow(data, t.begin, &t.begin) || __builtin_add_overflow(t.begin, t.end, &t.end) ||
            t.end > file.size())
            fail(fmt::format("does not fit into the file's {} bytes", file.size()));
        order.push_back(&t);
    }
    std::ranges::sort(order, {}, [](const GgufTensor* t) { return std::pair(t->begin, t->end); });
    Index reached = data;
    for (const GgufTensor* t : order) {
        if (t->begin < reached) file.fail(t->place, fmt::format("'{}' overlaps another tensor", escaped(t->name)));
        reached = t->end;
    }
}

Index alignment_of(const GgufFile& source) {
    const Index alignment = source.note_or<Index>("general.alignment", usual_alignment);
    if (alignment < 1 || alignment > largest_alignment || (alignment & (alignment - 1)) != 0)
        source.file().fail(0, fmt::format("general.alignment is {}, wanted a power of two of at most {}", alignment,
                                          largest_alignment));
    return alignment;
}

const BlockFormat* block_format(const GgufTensor& tensor) {
    const auto known =
        std::ranges::find(block_formats, tensor.type.name, [](BlockFormat f) { return std::string_view(f.name); });
    return known == block_formats.end() ? nullptr : &*known;
}

/// Collects the bytes of a file's head.
class Writer {
public:
    std::string bytes;  // so far

    template <class Number>
    void number(Number value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(std::string_view value) {
        number(std::uint64_t(value.size()));
        bytes += value;
    }
    void kind(Kind value) { number(std::uint32_t(value)); }
    void name(const std::string& value) {
        check(value.size() <= longest_name && is_utf8(value),
              "write_gguf: wanted names in UTF-8 of at most {} bytes, got '{}'", longest_name, escaped(value));
        text(value);
    }

    void value(bool v) { kind(Kind::truth), number(std::uint8_t(v)); }
    void value(Index v) {  // 32 bits where they suffice, as other programs expect it of most notes
        const bool small = v >= 0 && v <= Index(std::numeric_limits<std::uint32_t>::max());
        kind(small ? Kind::u32 : Kind::i64);
        small ? number(std::uint32_t(v)) : number(std::int64_t(v));
    }
    void value(double v) { kind(Kind::f32), number(float(v)); }
    void value(const std::string& v) { kind(Kind::text), text(v); }
    void value(const std::vector<Index>& v) {
        list(Kind::i32, v.size());
        for (const Index x : v) {
            check(x >= std::numeric_limits<std::int32_t>::min() && x <= std::numeric_limits<std::int32_t>::max(),
                  "write_gguf: wanted lists of numbers of 32 bits, got {}", x);
            number(std::int32_t(x));
        }
    }
    void value(const std::vector<double>& v) {
        list(Kind::f32, v.size());
        for (const double x : v) number(float(x));
    }
    void value(const std::vector<std::string>& v) {
        list(Kind::text, v.size());
        for (const std::string& x : v) text(x);
    }

private:
    void list(Kind element, std::size_t count) { kind(Kind::list), kind(element), number(std::uint64_t(count)); }
};

const Shape& shape_of(const GgufWritten& t) {
    return std::visit([](const auto& numbers) -> const Shape& { return numbers.shape(); }, t.numbers);
}
Index bytes_of(const GgufWritten& t) {
    const auto* blocks = std::get_if<QuantizedTensor>(&t.numbers);
    return blocks ? blocks->nbytes() : shape_of(t).numel() * 4;
}
std::string_view type_of(const GgufWritten& t) {
    const auto* blocks = std::get_if<QuantizedTensor>(&t.numbers);
    return blocks ? blocks->format().name : "F32";
}

/// Writes plain numbers as F32, in pieces.
void write_plain(AtomicFile& file, const Tensor& x) {
    const Tensor here = dense(x.to(Device::cpu));
    const Real* from = here.host();
    float piece[4096];
    for (Index done = 0; done < here.numel();) {
        const Index n = std::min<Index>(4096, here.numel() - done);
        for (Index i = 0; i < n; ++i) piece[i] = float(from[done + i]);
        file.write({reinterpret_cast<const char*>(piece), std::size_t(n) * sizeof(float)});
        done += n;
    }
}

}  // namespace

GgufFile::GgufFile(const std::string& path) : file_(path) {
    std::array<char, 256> start{};
    const auto got = std::size_t(std::min<Index>(file_.size(), Index(start.size())));
    file_.read(start.data(), 0, Index(got));
    if (const std::string_view begins(start.data(), got); !begins.starts_with(magic)) {
        const std::string_view kind = known_kind(begins);
        file_.fail(0, kind.empty() ? "wanted the letters GGUF" : fmt::format("this is {}, not a GGUF file", kind));
    }
    Reader from(file_);
    (void)from.number<std::uint32_t>();
    const auto version = from.number<std::uint32_t>();
    if (version != 2 && version != 3) file_.fail(4, fmt::format("wanted version 2 or 3, got {}", version));
    const Index count = from.count(8 + 4 + 4 + 8, sizeof(GgufTensor), "tensors");
    const Index noted = from.count(8 + 4 + 1, sizeof(GgufNotes::value_type), "notes");
    for (Index i = 0; i < noted; ++i) {
        const Index place = from.place();
        std::string key = from.name("key");
        GgufValue value = value_of(from, kind_of(from));
        if (!notes.emplace(key, std::move(value)).second)
            file_.fail(place, fmt::format("the note '{}' is declared twice", escaped(key)));
    }
    for (Index i = 0; i < count; ++i) {
        tensors.push_back(declaration(from, file_));
        if (!places_.emplace(tensors.back().name, std::size_t(i)).second) fail(tensors.back(), "is declared twice");
    }
    const Index alignment = alignment_of(*this);
    if (!tensors.empty()) place_numbers(tensors, aligned(from.place(), alignment), alignment, file_);
}

bool GgufFile::has(std::string_view name) const { return places_.find(name) != places_.end(); }

const GgufTensor& GgufFile::tensor(std::string_view name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) file_.fail(0, fmt::format("wants a tensor '{}'", name));
    return tensors[found->second];
}

void GgufFile::fail(const GgufTensor& tensor, std::string_view reason) const {
    file_.fail(tensor.place, fmt::format("'{}' {}", escaped(tensor.name), reason));
}

bool is_blocks(const GgufTensor& tensor) { return block_format(tensor) != nullptr; }

Tensor read_gguf(const GgufFile& source, const GgufTensor& tensor, Device device) {
    const bool half = tensor.type.name == "F16" || tensor.type.name == "BF16";
    const BlockFormat* blocks = block_format(tensor);
    if (!half && !blocks && tensor.type.name != "F32")
        source.fail(tensor, fmt::format("has type {}, wanted F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1 or Q8_0",
                                        tensor.type.name));
    Index bytes = 0;
    if (__builtin_mul_overflow(tensor.shape.numel(), Index(sizeof(Real)), &bytes)) source.fail(tensor, "is too large");
    source.file().expect_memory(bytes, tensor.place);
    Tensor x = empty(tensor.shape);
    Real* to = x.write();
    const InputFile& file = source.file();
    if (blocks) {
        const Index bytes_each = blocks->bytes(), at_once = 1024 * bytes_each;
        std::vector<std::uint8_t> piece(std::size_t(std::min(at_once, tensor.end - tensor.begin)));
        for (Index at = tensor.begin; at < tensor.end; at += at_once) {
            const Index n = std::min(at_once, tensor.end - at);
            file.read(piece.data(), at, n);
            for (Index b = 0; b < n; b += bytes_each, to += block_size) decode_block(piece.data() + b, to, *blocks);
        }
    } else if (half) {
        const FloatFormat& format = tensor.type.name == "F16" ? fp16 : bf16;
        read_converted<std::uint16_t>(file, tensor.begin, to, x.numel(),
                                      [&](std::uint16_t v) { return decode(v, format); });
    } else {
        read_converted<float>(file, tensor.begin, to, x.numel(), [](float v) { return v; });
    }
    return x.to(device);
}

QuantizedTensor read_gguf_blocks(const GgufFile& source, const GgufTensor& tensor, Device device) {
    const BlockFormat* format = block_format(tensor);
    if (!format || tensor.shape.dim() == 0)
        source.fail(tensor, fmt::format("has type {}, wanted Q4_0, Q4_1, Q5_0, Q5_1 or Q8_0", tensor.type.name));
    source.file().expect_memory(tensor.end - tensor.begin, tensor.place);
    std::vector<std::uint8_t> bytes(std::size_t(tensor.end - tensor.begin));
    source.file().read(bytes.data(), tensor.begin, Index(bytes.size()));
    return {tensor.shape, *format, bytes, device};
}

void write_gguf(const std::string& path, const GgufNotes& notes, std::span<const GgufWritten> tensors) {
    Writer head;
    head.bytes = magic;
    head.number(std::uint32_t(3));
    head.number(std::uint64_t(tensors.size()));
    head.number(std::uint64_t(notes.size()));
    for (const auto& [key, value] : notes) {
        head.name(key);
        std::visit([&](const auto& v) { head.value(v); }, value);
    }
    const auto given = notes.find("general.alignment");
    const Index* const stated = given == notes.end() ? nullptr : std::get_if<Index>(&given->second);
    check(given == notes.end() ||
              (stated && *stated >= 1 && *stated <= largest_alignment && (*stated & (*stated - 1)) == 0),
          "write_gguf: wanted general.alignment to be a power of two of at most {}", largest_alignment);
    const Index alignment = stated ? *stated : usual_alignment;
    std::set<std::string_view> names;
    Index offset = 0;
    for (const GgufWritten& t : tensors) {
        const Shape& shape = shape_of(t);
        check(names.insert(t.name).second, "write_gguf: wanted every name once, got '{}' again", escaped(t.name));
        check(shape.dim() <= 4, "write_gguf: wanted at most four axes, got shape {} of '{}'", shape, escaped(t.name));
        head.name(t.name);
        head.number(std::uint32_t(shape.dim()));
        for (int axis = shape.dim() - 1; axis >= 0; --axis) head.number(std::uint64_t(shape.size(axis)));
        head.number(std::ranges::find(gguf_types, type_of(t), &GgufType::name)->code);
        head.number(std::uint64_t(offset));
        offset = aligned(offset + bytes_of(t), alignment);
    }
    head.bytes.resize(std::size_t(aligned(Index(head.bytes.size()), alignment)), '\0');

    AtomicFile file(path);
    file.write(head.bytes);
    for (const GgufWritten& t : tensors) {
        if (const auto* blocks = std::get_if<QuantizedTensor>(&t.numbers)) {
            const std::vector<std::uint8_t> bytes = blocks->bytes();
            file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        } else {
            write_plain(file, std::get<Tensor>(t.numbers));
        }
        file.write(std::string(std::size_t(aligned(bytes_of(t), alignment) - bytes_of(t)), '\0'));
    }
    file.commit();
}

}  // namespace RECTO::io
