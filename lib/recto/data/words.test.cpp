#include <recto/data/words.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <unistd.h>

#include <recto/io/byte_source.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Message;
using Catch::Matchers::StartsWith;
using List = std::vector<std::string>;

namespace {

/// A folder that exists during a test.
struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / fmt::format("recto words {}", getpid())).string();
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    void write(const char* name, std::string_view content) const {
        std::ofstream(path + "/" + name, std::ios::binary) << content;
    }
};

std::string complaint(const std::string& folder) {
    try {
        read_names(folder);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("words: the lists hold what the exercises read", "[data][words]") {
    CHECK(names().size() == 1513);
    CHECK(names().front() == "aaron");
    CHECK(names().back() == "zon");
    CHECK(words().size() == 196'185);
    CHECK(words().front() == "aa");
    CHECK(words().back() == "zyzzogeton");
    for (const List* list : {&names(), &words()}) {
        CHECK(std::set(list->begin(), list->end()).size() == list->size());
        CHECK(std::ranges::all_of(*list, [](const std::string& word) {
            return !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == word.npos;
        }));
    }
    CHECK(std::ranges::all_of(words(), [](const auto& word) { return word.size() >= 2 && word.size() <= 12; }));
    CHECK(&names() == &names());
    const auto& read = io::files_read();  // a page that reads a list runs again when the list changes
    for (const char* name : {"propernames", "web2"})
        CHECK(std::ranges::any_of(read, [&](const std::string& path) { return path.find(name) != path.npos; }));
}

TEST_CASE("words: one line says what is wrong with a list and how to get it", "[data][words]") {
    const Folder folder;
    const std::string remedy = "; get it with: apt-get install miscfiles";
    CHECK(complaint(folder.path) == folder.path + "/propernames: byte 0: there is no such file" + remedy);
    folder.write("propernames", "Aaron\n");
    CHECK(complaint(folder.path) ==
          folder.path + "/propernames: byte 6: the file ends here, 10003 bytes too early" + remedy);
    folder.write("propernames", std::string(10'010, '\n'));
    CHECK(complaint(folder.path) ==
          folder.path + "/propernames: byte 10009: 1 bytes follow after the end of what is declared" + remedy);
    folder.write("propernames", std::string(10'009, '\n'));
    CHECK_THAT(
        complaint(folder.path),
        StartsWith(folder.path + "/propernames: byte 0: wanted content with SHA-256 87f8b641") && EndsWith(remedy));
    folder.write("propernames.gz", "\x1f\x8b no more of it");  // found first
    CHECK_THAT(complaint(folder.path), StartsWith(folder.path + "/propernames.gz: byte ") && EndsWith(remedy));
}

TEST_CASE("words: another folder by RECTO_WORD_LISTS", "[data][words]") {
    const char* before = std::getenv("RECTO_WORD_LISTS");
    const std::string kept = before ? before : "";
    setenv("RECTO_WORD_LISTS", "/elsewhere", 1);
    CHECK(word_folder() == "/elsewhere");
    setenv("RECTO_WORD_LISTS", "", 1);
    CHECK(word_folder() == "/usr/share/dict");
    unsetenv("RECTO_WORD_LISTS");
    CHECK(word_folder() == "/usr/share/dict");
    if (before) setenv("RECTO_WORD_LISTS", kept.c_str(), 1);
}

TEST_CASE("words: a sample has every word at most once, and follows from the seed", "[data][words]") {
    const List list = {"a", "b", "c", "d", "e", "f", "g"};
    Generator one(7), two(7), other(8);
    const List drawn = sample(list, 5, one);
    CHECK(drawn.size() == 5);
    CHECK(std::set(drawn.begin(), drawn.end()).size() == 5);
    CHECK(sample(list, 5, two) == drawn);
    CHECK(sample(list, 5, other) != drawn);
    CHECK(sample(list, 0, one).empty());
    List all = sample(list, 7, one);
    CHECK(all != list);
    std::ranges::sort(all);
    CHECK(all == list);
    CHECK_THROWS_MATCHES(sample(list, 8, one), Error, Message("sample: wanted 0 to 7 words, got 8"));
    CHECK_THROWS_MATCHES(sample(list, -1, one), Error, Message("sample: wanted 0 to 7 words, got -1"));
}

TEST_CASE("words: symbols are numbers", "[data][words]") {
    CHECK(alphabet.size() == 27);
    for (Index i = 0; i < 27; ++i) CHECK(symbol(alphabet[std::size_t(i)]) == i);
    CHECK(symbols("abz") == std::vector<Index>{1, 2, 26});
    CHECK(symbols("").empty());
    CHECK_THROWS_MATCHES(symbol('A'), Error, Message("symbol: wanted the dot or a letter of a to z, got \"A\""));
    CHECK_THROWS_MATCHES(symbol('\0'), Error, Message("symbol: wanted the dot or a letter of a to z, got \"\\u0000\""));
    CHECK_THROWS_MATCHES(symbols("a.b"), Error, Message("symbols: wanted a word of letters a to z, got \"a.b\""));
    CHECK_THROWS_MATCHES(symbols("\x1b[2J"), Error,
                         Message("symbols: wanted a word of letters a to z, got \"\\u001b[2J\""));
}

TEST_CASE("words: a context is a window that begins in dots",
          "[data][words][row:sys-context-dataset/a][row:sys-context-dataset/b]") {
    const Contexts some = contexts({"ab", "c"}, 3);
    CHECK(some.before.shape() == Shape{5, 3});
    CHECK(some.before.values() == std::vector<Index>{0, 0, 0, 0, 0, 1, 0, 1, 2, 0, 0, 0, 0, 0, 3});
    CHECK(some.next.values() == std::vector<Index>{1, 2, 0, 3, 0});
    for (Index length = 0; length <= 9; ++length)
        CHECK(contexts({std::string(std::size_t(length), 'q')}, 2).size() == length + 1);
    CHECK(contexts({}, 2).before.shape() == Shape{0, 2});
    CHECK_THROWS_MATCHES(contexts({"a"}, 0), Error, Message("contexts: wanted a length of at least 1, got 0"));
    CHECK_THROWS_MATCHES(contexts({"a", "B"}, 1), Error,
                         Message("symbols: wanted a word of letters a to z, got \"B\""));

    const List list(names().begin(), names().begin() + 40);  // against a loop that reads each symbol by its position
    for (const Index length : {1, 3, 8}) {
        const Contexts found = contexts(list, length);
        const std::vector<Index> before = found.before.values(), next = found.next.values();
        std::size_t row = 0;
        for (const std::string& word : list)
            for (Index place = 0; place <= Index(word.size()); ++place, ++row) {
                const auto at = [&](Index i) {
                    return i < 0 || i >= Index(word.size()) ? 0 : Index(word[std::size_t(i)] - 'a' + 1);
                };
                REQUIRE(next[row] == at(place));
                for (Index back = 1; back <= length; ++back)
                    REQUIRE(before[row * std::size_t(length) + std::size_t(length - back)] == at(place - back));
            }
        CHECK(row == next.size());
    }
}

TEST_CASE("words: a batch draws places with their contexts", "[data][words]") {
    const Contexts all = contexts({"abc", "de"}, 2);
    Generator one(3), two(3);
    const Contexts drawn = draw(all, 200, one);
    CHECK(drawn.before.shape() == Shape{200, 2});
    CHECK(drawn.before.values() == draw(all, 200, two).before.values());
    std::map<std::vector<Index>, Index> rows, found;
    const auto collect = [](const Contexts& from, auto& into) {
        for (Index n = 0; n < from.size(); ++n)
            into[from.before.slice(n, n + 1).values()] = from.next.values()[std::size_t(n)];
    };
    collect(all, rows), collect(drawn, found);
    rows.erase({0, 0}), found.erase({0, 0});  // the only context with two targets
    CHECK(found == rows);                     // all rows appear in 200 draws, and no others
    CHECK(draw(all, 0, one).size() == 0);
    CHECK_THROWS_AS(draw(contexts({}, 2), 1, one), Error);
}
