#include "listing.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include <recto/base/block_formats.hpp>
#include <recto/book/progress.hpp>
#include <recto/io/gguf.hpp>
#include <recto/io/plain_text.hpp>

#include "meter.hpp"

namespace RECTO::inspect {
namespace {

constexpr Index buffer_bytes = Index(1) << 20;
constexpr std::size_t widest_column = 60, longest_note = 200;

/// Reads `numbers` numbers of `width` bytes in pieces: `read(to, bytes)` reads the next bytes.
template <class Read>
Reading measure(Meter& meter, Index numbers, Index width, const Read& read) {
    std::vector<std::uint8_t> buffer(std::size_t(std::min(buffer_bytes, numbers * width)));
    const Index at_once = buffer_bytes / width;
    for (Index done = 0; done < numbers; done += at_once) {
        const Index n = std::min(at_once, numbers - done);
        read(buffer.data(), n * width);
        meter.add(buffer.data(), n);
    }
    return meter.reading();
}

/// Rows of cells under a row of titles: words left-aligned, numbers right-aligned. All cells are in a single string,
/// since a file may declare a hundred thousand tensors.
class Table {
public:
    Table() { add({"name", "type", "shape", "begin", "end", "minimum", "mean", "maximum", "NaN"}); }
    void add(const std::array<std::string, 9>& row) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths_[i] = std::max(widths_[i], std::min(row[i].size(), widest_column));
            cells_ += row[i] + '\n';  // escaped names contain no newline
        }
    }
    /// Appends the lines.
    void write_to(std::string& text) const {
        std::size_t column = 0;
        for (std::size_t at = 0; at < cells_.size();) {
            const std::size_t end = cells_.find('\n', at);
            const std::string_view cell = std::string_view(cells_).substr(at, end - at);
            text += column < 3 ? fmt::format("  {:<{}}", cell, widths_[column])
                               : fmt::format("  {:>{}}", cell, widths_[column]);
            column = (column + 1) % widths_.size();
            if (column == 0) text += '\n';
            at = end + 1;
        }
    }

private:
    std::string cells_;
    std::array<std::size_t, 9> widths_{};
};

std::string counted(Index count, const char* word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

const char* name_of(data::IdxType type) {
    switch (type) {
        case data::IdxType::u8:
            return "U8";
        case data::IdxType::i8:
            return "I8";
        case data::IdxType::i16:
            return "I16";
        case data::IdxType::i32:
            return "I32";
        case data::IdxType::f32:
            return "F32";
        case data::IdxType::f64:
            return "F64";
    }
    return "?";
}

std::string idx_listing(const std::string& path, const std::string& shown) {
    io::ByteSource source(path);
    const data::IdxHeader header = data::read_idx_header(source);
    const auto total = Index(header.bytes());
    const auto meter = meter_of(header.type);
    const Reading r =
        measure(*meter, header.shape.numel(), Index(data::bytes_of(header.type)), [&](std::uint8_t* to, Index bytes) {
            source.read(to, std::size_t(bytes));
            book::progress(Index(source.offset() - header.place), total, shown);
        });
    source.expect_end();
    Table table;
    table.add({"numbers", name_of(header.type), to_string(header.shape), std::to_string(header.place),
               std::to_string(source.offset()), r.minimum, r.mean, r.maximum, r.nans});
    const std::string packed =
        source.compressed() ? fmt::format(" in {} bytes of gzip data", source.file().size()) : "";
    std::string text = fmt::format("{}: IDX, {}, {}{}\n", shown, counted(header.shape.numel(), "number"),
                                   counted(Index(source.offset()), "byte"), packed);
    table.write_to(text);
    return text;
}

std::string safetensors_listing(const std::string& path, const std::string& shown) {
    const io::SafetensorsFile source(path);
    const io::InputFile& file = source.file();
    Table table;
    Index numbers = 0;
    for (const io::Declared& t : source.header.tensors) {
        const Index width = std::ranges::find(io::stored_types, t.type, &io::StoredType::name)->bytes;
        const auto meter = meter_of(t.type);
        Index place = source.data() + t.begin;
        const Reading r = measure(*meter, t.shape.numel(), width, [&](std::uint8_t* to, Index bytes) {
            file.read(to, place, bytes);
            place += bytes;
            book::progress(place, file.size(), shown);
        });
        table.add({io::escaped(t.name), std::string(t.type), to_string(t.shape),
                   std::to_string(source.data() + t.begin), std::to_string(source.data() + t.end), r.minimum, r.mean,
                   r.maximum, r.nans});
        numbers += t.shape.numel();
    }
    file.expect_unchanged();
    std::string text =
        fmt::format("{}: safetensors, {}, {}, {}\n", shown, counted(Index(source.header.tensors.size()), "tensor"),
                    counted(numbers, "number"), counted(file.size(), "byte"));
    for (const auto& [key, value] : source.header.notes) {
        const std::string rest = value.size() > longest_note ? fmt::format(" ... ({} bytes)", value.size()) : "";
        text += fmt::format("  note {}: {}{}\n", io::escaped(key), io::escaped(value.substr(0, longest_note)), rest);
    }
    table.write_to(text);
    return text;
}

std::string shown_value(const io::GgufValue& value) {
    const auto list = [](const auto& v) { return fmt::format("a list of {}", counted(Index(v.size()), "element")); };
    if (const auto* text = std::get_if<std::string>(&value)) {
        const std::string rest = text->size() > longest_note ? fmt::format(" ... ({} bytes)", text->size()) : "";
        return io::escaped(text->substr(0, longest_note)) + rest;
    }
    if (const auto* yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
    if (const auto* whole = std::get_if<Index>(&value)) return std::to_string(*whole);
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.6g}", *number);
    if (const auto* words = std::get_if<std::vector<std::string>>(&value)) return list(*words);
    if (const auto* numbers = std::get_if<std::vector<double>>(&value)) return list(*numbers);
    return list(std::get<std::vector<Index>>(value));
}

/// Reads the numbers of a tensor in a GGUF file; blocks as the numbers for which they stand.
Reading reading_of(const io::GgufFile& source, const io::GgufTensor& t, const std::string& shown) {
    const io::InputFile& file = source.file();
    Index place = t.begin;
    const auto next = [&](std::uint8_t* to, Index bytes) {
        file.read(to, place, bytes);
        place += bytes;
        book::progress(place, file.size(), shown);
    };
    if (!io::is_blocks(t)) return measure(*meter_of(t.type.name), t.shape.numel(), t.type.bytes, next);
    const BlockFormat format = *std::ranges::find(block_formats, t.type.name, &BlockFormat::name);
    const auto meter = meter_of("F32");
    std::vector<std::uint8_t> blocks(std::size_t(4096 * t.type.bytes));
    std::vector<float> numbers(std::size_t(4096 * block_size));
    for (Index left = (t.end - t.begin) / t.type.bytes; left > 0; left -= 4096) {
        const Index n = std::min<Index>(left, 4096);
        next(blocks.data(), n * t.type.bytes);
        for (Index b = 0; b < n; ++b)
            decode_block(blocks.data() + b * t.type.bytes, numbers.data() + b * block_size, format);
        meter->add(reinterpret_cast<const std::uint8_t*>(numbers.data()), n * block_size);
    }
    return meter->reading();
}

std::string gguf_listing(const std::string& path, const std::string& shown) {
    const io::GgufFile source(path);
    Table table;
    Index numbers = 0;
    for (const io::GgufTensor& t : source.tensors) {
        const bool read = io::is_blocks(t) || t.type.block == 1;
        const Reading r = read ? reading_of(source, t, shown) : Reading{"-", "-", "-", "-"};
        table.add({io::escaped(t.name), std::string(t.type.name), to_string(t.shape), std::to_string(t.begin),
                   std::to_string(t.end), r.minimum, r.mean, r.maximum, r.nans});
        numbers += t.shape.numel();
    }
    source.file().expect_unchanged();
    std::string text = fmt::format("{}: GGUF, {}, {}, {}\n", shown, counted(Index(source.tensors.size()), "tensor"),
                                   counted(numbers, "number"), counted(source.file().size(), "byte"));
    for (const auto& [key, value] : source.notes)
        text += fmt::format("  note {}: {}\n", io::escaped(key), shown_value(value));
    table.write_to(text);
    return text;
}

enum class Format { idx, safetensors, gguf };

/// The format of a file by its first nine bytes: a GGUF file begins with these letters, an IDX file with two zeros or gzip's
/// mark, a safetensors file with a length and a brace. Otherwise the file's name decides.
Format format_of(const std::string& path) {
    const io::InputFile file(path);
    if (file.size() == 0) file.fail(0, "this file is empty");
    std::array<char, 9> start{};
    file.read(start.data(), 0, std::min<Index>(file.size(), Index(start.size())));
    const bool zeros = start[0] == 0 && start[1] == 0, gzip = start[0] == '\x1f' && start[1] == '\x8b';
    const bool safetensors = start[8] == '{' && start[4] == 0 && start[5] == 0 && start[6] == 0 && start[7] == 0;
    if (std::string_view(start.data(), 4) == "GGUF") return Format::gguf;
    if (safetensors) return Format::safetensors;
    if (zeros || gzip) return Format::idx;
    if (path.ends_with(".safetensors")) return Format::safetensors;
    if (path.ends_with(".gguf")) return Format::gguf;
    std::array<char, 256> more{};
    const auto got = std::size_t(std::min<Index>(file.size(), Index(more.size())));
    file.read(more.data(), 0, Index(got));
    const std::string_view kind = io::known_kind({more.data(), got});
    if (!kind.empty()) file.fail(0, fmt::format("this is {}, not an IDX, a safetensors or a GGUF file", kind));
    file.fail(0, "this is neither an IDX nor a safetensors nor a GGUF file");
}

}  // namespace

std::string listing_of(const std::string& path) {
    const std::string shown = io::escaped(path);
    switch (format_of(path)) {
        case Format::gguf:
            return gguf_listing(path, shown);
        case Format::safetensors:
            return safetensors_listing(path, shown);
        default:
            return idx_listing(path, shown);
    }
}

}  // namespace RECTO::inspect
