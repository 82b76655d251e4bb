#include <recto/text/byte_pair_file.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include <recto/testing/testing.hpp>
#include <recto/testing/texts.hpp>
#include <recto/text/byte_pair_training.hpp>

using namespace recto;
using namespace recto::testing;
using text::BytePairs, text::load_byte_pairs, text::save_byte_pairs;

namespace {

/// A file that is deleted with the test.
struct Scratch {
    std::string path = (std::filesystem::temp_directory_path() / fmt::format("recto byte pairs {}", getpid())).string();
    explicit Scratch(const std::string& content = "") { std::ofstream(path, std::ios::binary) << content; }
    ~Scratch() { std::filesystem::remove(path); }

    std::string content() const {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// The message for a file with this content, without its path.
    static std::string complaint(const std::string& content) {
        const Scratch file(content);
        try {
            load_byte_pairs(file.path);
        } catch (const Error& error) {
            const std::string text = error.what();
            REQUIRE(text.starts_with(file.path + ": "));
            return text.substr(file.path.size() + 2);
        }
        return "";
    }
};

const std::string title = "recto byte pairs 1\n";

}  // namespace

TEST_CASE("byte pair file: what was written is read, byte by byte the same", "[text][byte_pair_file]") {
    const Scratch file;
    save_byte_pairs(file.path, BytePairs({{'a', 'b'}, {256, 0}}));
    CHECK(file.content() == title + "2\n97 98\n256 0\n");
    Generator random(1);
    for (const Index size : {256, 257, 300, 400}) {
        const BytePairs trained = text::train_byte_pairs(random_words(random, 3000, 6), {.size = size});
        save_byte_pairs(file.path, trained);
        const BytePairs loaded = load_byte_pairs(file.path);
        CHECK(loaded.merges() == trained.merges());
        CHECK(loaded.size() == size);
    }
}

TEST_CASE("byte pair file: every mistake is named with its byte", "[text][byte_pair_file]") {
    const auto complaint = Scratch::complaint;
    CHECK(complaint(title + "0\n") == "");
    CHECK(complaint("") == "byte 0: wanted the line 'recto byte pairs 1'");
    CHECK(complaint("recto byte pairs 2\n0\n") == "byte 0: wanted the line 'recto byte pairs 1'");
    CHECK(complaint("<html>") == "byte 0: this is an HTML page, wanted byte pairs");
    CHECK(complaint(title) == "byte 19: wanted a number from 0 to 1048576");
    CHECK(complaint(title + "1048577\n") == "byte 19: wanted a number from 0 to 1048576");
    CHECK(complaint(title + "99999999999999999999999\n") == "byte 19: wanted a number from 0 to 1048576");
    CHECK(complaint(title + "-1\n") == "byte 19: wanted a number from 0 to 1048576");
    CHECK(complaint(title + "01\n97 98\n") == "byte 19: wanted a number from 0 to 1048576");
    CHECK(complaint(title + "1") == "byte 20: wanted the end of the line");
    CHECK(complaint(title + "1048576\n97 98\n") == "byte 27: 1048576 merges do not fit into 6 bytes");
    CHECK(complaint(title + "1\n97\n98\n") == "byte 23: wanted a space");
    CHECK(complaint(title + "1\n97  98\n") == "byte 24: wanted a number from 0 to 255");
    CHECK(complaint(title + "1\n97 256\n") == "byte 24: wanted a number from 0 to 255");
    CHECK(complaint(title + "1\n00 98\n") == "byte 21: wanted a number from 0 to 255");
    CHECK(complaint(title + "1\n97 98\r\n") == "byte 26: wanted the end of the line");
    CHECK(complaint(title + "1\n97 98\n ") == "byte 27: wanted the end after 1 merges");
    CHECK(complaint(title + "2\n97 98\n97 98\n") == "byte 32: tokens 97 and 98 are merged twice");
    std::string doubling = title + "12\n97 97\n";
    for (int i = 256; i < 267; ++i) doubling += fmt::format("{0} {0}\n", i);
    CHECK(complaint(doubling) == "byte 107: this makes a token of 2048 bytes, wanted at most 1024");
    CHECK_THROWS(load_byte_pairs("/nowhere/at/all"));
    CHECK_THROWS(load_byte_pairs("/tmp"));
}

TEST_CASE("byte pair file: any change of a byte is read as something or refused in order", "[text][byte_pair_file]") {
    Generator random(3);
    const Scratch file;
    save_byte_pairs(file.path, text::train_byte_pairs(random_words(random, 500), {.size = 276}));
    const std::string good = file.content();
    for (std::size_t i = 0; i < good.size(); ++i)
        for (const char c : {'\0', '0', '9', ' ', '\n', '\xFF'}) {
            std::string bad = good;
            bad[i] = c;
            const std::string said = Scratch::complaint(bad);
            REQUIRE((said.empty() || said.starts_with("byte ")));
            REQUIRE_FALSE(Scratch::complaint(good.substr(0, i)).empty());
        }
}
