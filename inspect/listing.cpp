#include "listing.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <recto/book/progress.hpp>
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

/// The format of a file by its first nine bytes: an IDX file begins with two zeros or gzip's mark, a safetensors file
/// with a length and a brace. Otherwise the file's name decides.
bool is_safetensors(const std::string& path) {
    const io::InputFile file(path);
    if (file.size() == 0) file.fail(0, "this file is empty");
    std::array<char, 9> start{};
    file.read(start.data(), 0, std::min<Index>(file.size(), Index(start.size())));
    const bool zeros = start[0] == 0 && start[1] == 0, gzip = start[0] == '\x1f' && start[1] == '\x8b';
    const bool safetensors = start[8] == '{' && start[4] == 0 && start[5] == 0 && start[6] == 0 && start[7] == 0;
    if (safetensors || zeros || gzip || path.ends_with(".safetensors")) return safetensors || !(zeros || gzip);
    std::array<char, 256> more{};
    const auto got = std::size_t(std::min<Index>(file.size(), Index(more.size())));
    file.read(more.data(), 0, Index(got));
    const std::string_view kind = io::known_kind({more.data(), got});
    if (!kind.empty()) file.fail(0, fmt::format("this is {}, not an IDX or a safetensors file", kind));
    file.fail(0, "this is neither an IDX nor a safetensors file");
}

}  // namespace

std::string listing_of(const std::string& path) {
    const std::string shown = io::escaped(path);
    return is_safetensors(path) ? safetensors_listing(path, shown) : idx_listing(path, shown);
}

}  // namespace RECTO::inspect
