#include <recto/text/gpt2_files.hpp>

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <recto/testing/testing.hpp>
#include <recto/text/gpt2_tokenizer.hpp>

using namespace recto;
using Words = std::vector<std::string>;

namespace {

struct Scratch {
    std::string path = fmt::format("/tmp/recto-gpt2-files-{}", ::getpid());
    explicit Scratch(const std::string& content) { std::ofstream(path) << content; }
    ~Scratch() { std::remove(path.c_str()); }
};
Words vocabulary(const std::string& content) { return text::read_gpt2_vocabulary(Scratch(content).path); }
Words merges(const std::string& content) { return text::read_gpt2_merges(Scratch(content).path); }
std::string refused(const auto& read, const std::string& content) {
    try {
        read(content);
    } catch (const Error& error) {
        const std::string text = error.what();
        return text.substr(text.find(": ") + 2);
    }
    return "";
}

}  // namespace

TEST_CASE("gpt2 files: a vocabulary in any order, and merges", "[text][gpt2_files]") {
    CHECK(vocabulary(R"({"b": 1, "a" : 0,
        "\u0120": 2, "ab": 3, "<|endoftext|>": 4})") == Words{"a", "b", "Ġ", "ab", "<|endoftext|>"});
    CHECK(vocabulary("{}").empty());
    CHECK(merges("#version: 0.2\na b\nĠ a\n") == Words{"a b", "Ġ a"});
    CHECK(merges("# #\r\n#version: #") == Words{"# #", "#version: #"});
    CHECK(merges("").empty());
    const text::Gpt2Tokenizer made(vocabulary(R"({"b": 1, "a": 0, "\u0120": 2, "ab": 3})"), merges("a b\n"));
    CHECK(made.encode("aab ab") == std::vector<Index>{0, 3, 2, 3});
}

TEST_CASE("gpt2 files: messages", "[text][gpt2_files]") {
    CHECK(refused(vocabulary, R"({"a": 0, "b": 0})") == "byte 15: two tokens have the number 0");
    CHECK(refused(vocabulary, R"({"a": 0, "b": 2})") == "byte 0: no token has the number 1");
    CHECK(refused(vocabulary, R"({"a": 0, "a": 1})") == "byte 12: 'a' is declared twice");
    CHECK(refused(vocabulary, R"({"a": -1})") == "byte 6: wanted a whole number from 0 on");
    CHECK(refused(vocabulary, R"({"a": 0} 1)") == "byte 9: wanted the end of the header");
    CHECK(refused(vocabulary, "<!DOCTYPE html>").find("byte 0: this is ") == 0);
    CHECK(refused(merges, "a b\na\n") == "byte 4: wanted two tokens with a space between them");
    CHECK(refused(merges, "a b\n\n") == "byte 4: wanted two tokens with a space between them");
    CHECK(refused(merges, "a b c") == "byte 0: wanted two tokens with a space between them");
    CHECK(refused(merges, "a \xff") == "byte 0: this line is not UTF-8");
}
