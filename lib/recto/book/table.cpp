#include <algorithm>

#include <recto/book/table.hpp>
#include <recto/book/trace.hpp>

namespace RECTO::book {
namespace {

std::string shown(const Cell& cell) { return cell.numeric ? brief(cell.number) : cell.words; }

/// Number of characters instead of bytes, so that a minus sign or an umlaut does not shift a column.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

void table(const std::string& name, const std::string& caption, const std::vector<std::string>& columns,
           const std::vector<std::vector<Cell>>& rows, Place where) {
    check(!columns.empty(), "table {}: wanted at least one column, got none", name);
    std::vector<std::size_t> widths;
    Json heads = Json::array(), lines = Json::array();
    for (const std::string& column : columns) {
        heads.append(column);
        widths.push_back(width(column));
    }
    for (const auto& row : rows) {
        check(row.size() == columns.size(), "table {}: wanted {} cells in a row, got {}", name, columns.size(),
              row.size());
        Json cells = Json::array();
        for (std::size_t i = 0; i < row.size(); ++i) {
            cells.append(row[i].numeric ? Json(row[i].number) : Json(row[i].words));
            widths[i] = std::max(widths[i], width(shown(row[i])));
        }
        lines.append(cells);
    }
    keep(record("table", where).add("name", name).add("caption", caption).add("columns", heads).add("rows", lines));

    print(fmt::format("table {}: {}", name, caption));
    const auto print_row = [&](auto&& text, auto&& numeric) {
        std::string line;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::string cell = text(i), space(widths[i] - width(cell), ' ');
            line += "  " + (numeric(i) ? space + cell : cell + space);
        }
        print(line.substr(0, line.find_last_not_of(' ') + 1));
    };
    const auto number_column = [&](std::size_t i) { return !rows.empty() && rows[0][i].numeric; };
    print_row([&](std::size_t i) { return columns[i]; }, number_column);
    for (const auto& row : rows)
        print_row([&](std::size_t i) { return shown(row[i]); }, [&](std::size_t i) { return row[i].numeric; });
}

}  // namespace RECTO::book
