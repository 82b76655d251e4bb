#include <recto/io/csv.hpp>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include <recto/io/atomic_file.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using io::Csv, io::read_csv;

namespace {

/// Reads a text like the content of a file.
Csv read(const std::string& text) {
    const std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("recto-{}.csv", ::getpid())).string();
    io::write_file(path, text);
    struct Gone {
        const std::string& path;
        ~Gone() { std::filesystem::remove(path); }
    } gone{path};
    return read_csv(path);
}

std::string complaint(const std::string& text) {
    try {
        read(text);
    } catch (const Error& error) {
        const std::string words = error.what();
        return words.substr(words.find(".csv: ") + 6);
    }
    return "";
}

}  // namespace

TEST_CASE("csv: what is written is read back to the bit") {
    const double infinity = std::numeric_limits<double>::infinity();
    Csv table{
        {"date 2026-11-22", "commit 630f450"}, {"width", "error"}, {{8, 0.1}, {1e300, -infinity}, {5e-324, 1.0 / 3}}};
    const Csv back = read(table.text());
    CHECK(back.notes == table.notes);
    CHECK(back.columns == table.columns);
    CHECK(back.rows == table.rows);
    CHECK(back.note("commit") == "630f450");
    CHECK(back.note("comm").empty());
    CHECK(back.column("error") == std::vector<double>{0.1, -infinity, 1.0 / 3});
    table.rows = {{std::nan(""), 0}};
    CHECK(std::isnan(read(table.text()).rows[0][0]));
    table.rows.clear();
    CHECK(read(table.text()).rows.empty());
}

TEST_CASE("csv: a damaged file is refused with its line") {
    CHECK(complaint("") == "wanted a table with names of columns, got none");
    CHECK(complaint("# only a note\n") == "wanted a table with names of columns, got none");
    CHECK(complaint("a,b\n1,2") == "line 2: the line does not end");
    CHECK(complaint("a,b\n1\n") == "line 2: wanted 2 numbers, got 1");
    CHECK(complaint("a,b\n1,2,3\n") == "line 2: wanted 2 numbers, got 3");
    CHECK(complaint("a,b\n1,x\n") == "line 2: wanted a number, got 'x'");
    CHECK(complaint("a,b\n1, 2\n") == "line 2: wanted a number, got ' 2'");
    CHECK(complaint("a,b\n1,\n") == "line 2: wanted a number, got ''");
    CHECK(complaint("a,a\n") == "line 1: a name comes twice");
    CHECK(complaint("a,\n") == "line 1: wanted the names of the columns");
    CHECK(complaint("a,b\n# late\n") == "line 2: wanted 2 numbers, got 1");
    CHECK(complaint("a\n\x1b[2J\n") == "line 2: wanted plain text");
    CHECK(complaint(std::string("a\n\0\n", 4)) == "line 2: wanted plain text");
}

TEST_CASE("csv: what would be read otherwise is not written") {
    CHECK_THROWS_WITH((Csv{{}, {"a"}, {{1, 2}}}.text()), "csv: wanted 1 numbers in a row, got 2");
    CHECK_THROWS_WITH((Csv{{}, {}, {}}.text()), "csv: wanted at least one column, got none");
    CHECK_THROWS_WITH((Csv{{}, {"a,b"}, {}}.text()), "csv: wanted a name without commas, got 'a,b'");
    CHECK_THROWS_WITH((Csv{{"a\nb"}, {"a"}, {}}.text()), "csv: wanted a note of one line, got 'a\\u000ab'");
    CHECK_THROWS_WITH((Csv{{}, {"a"}, {}}.column("b")), "csv: there is no column 'b', only a");
    CHECK_THROWS_WITH(read_csv("/"), Catch::Matchers::ContainsSubstring("/: "));
}
