#include <recto/io/csv.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include <recto/io/byte_source.hpp>
#include <recto/io/plain_text.hpp>
#include <recto/io/utf8.hpp>

namespace RECTO::io {
namespace {

/// A name or note must be read back unchanged: without separators, and without a start that has another meaning.
bool plain(std::string_view text, std::string_view refused) {
    return text.find_first_of(refused) == text.npos && is_utf8(text) && escaped(text) == text;
}

std::vector<std::string_view> cut(std::string_view text, char at) {
    std::vector<std::string_view> pieces;
    for (;;) {
        const std::size_t end = std::min(text.find(at), text.size());
        pieces.push_back(text.substr(0, end));
        if (end == text.size()) return pieces;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

std::vector<double> Csv::column(std::string_view name) const {
    const auto found = std::ranges::find(columns, name);
    check(found != columns.end(), "csv: there is no column '{}', only {}", escaped(name), fmt::join(columns, ", "));
    std::vector<double> numbers;
    for (const auto& row : rows) numbers.push_back(row[std::size_t(found - columns.begin())]);
    return numbers;
}

std::string Csv::note(std::string_view word) const {
    for (const std::string& line : notes)
        if (line.starts_with(word) && line.size() > word.size() && line[word.size()] == ' ')
            return line.substr(word.size() + 1);
    return {};
}

std::string Csv::text() const {
    std::string text;
    for (const std::string& line : notes) {
        check(plain(line, "\n"), "csv: wanted a note of one line, got '{}'", escaped(line));
        text += "# " + line + "\n";
    }
    check(!columns.empty(), "csv: wanted at least one column, got none");
    for (const std::string& name : columns)
        check(!name.empty() && plain(name, ",\n#"), "csv: wanted a name without commas, got '{}'", escaped(name));
    text += fmt::format("{}\n", fmt::join(columns, ","));
    for (const auto& row : rows) {
        check(row.size() == columns.size(), "csv: wanted {} numbers in a row, got {}", columns.size(), row.size());
        text += fmt::format("{}\n", fmt::join(row, ","));
    }
    return text;
}

Csv read_csv(const std::string& path) {
    const std::string text = read_text(path);
    Csv table;
    std::size_t number = 0;
    const auto expect = [&](bool right, const std::string& reason) {
        check(right, "{}: line {}: {}", escaped(path), number, reason);
    };
    std::string_view rest = text;
    for (; !rest.empty(); rest.remove_prefix(std::min(rest.find('\n') + 1, rest.size()))) {
        ++number;
        expect(rest.find('\n') != rest.npos, "the line does not end");
        const std::string_view line = rest.substr(0, rest.find('\n'));
        expect(is_utf8(line) && escaped(line) == line, "wanted plain text");
        if (line.starts_with("# ") && table.columns.empty()) {
            table.notes.emplace_back(line.substr(2));
            continue;
        }
        const std::vector<std::string_view> cells = cut(line, ',');
        if (table.columns.empty()) {
            for (const std::string_view name : cells) {
                expect(!name.empty() && name.find('#') == name.npos, "wanted the names of the columns");
                expect(std::ranges::find(table.columns, name) == table.columns.end(), "a name comes twice");
                table.columns.emplace_back(name);
            }
            continue;
        }
        expect(cells.size() == table.columns.size(),
               fmt::format("wanted {} numbers, got {}", table.columns.size(), cells.size()));
        std::vector<double>& row = table.rows.emplace_back();
        for (const std::string_view cell : cells) {
            double value = 0;
            const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
            expect(error == std::errc() && end == cell.data() + cell.size(),
                   fmt::format("wanted a number, got '{}'", cell.substr(0, 40)));
            row.push_back(value);
        }
    }
    check(!table.columns.empty(), "{}: wanted a table with names of columns, got none", escaped(path));
    return table;
}

}  // namespace RECTO::io
