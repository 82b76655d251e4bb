#include <recto/io/gguf.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <recto/core/random.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using namespace std::string_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {
/// A path that is deleted with the test.
struct Scratch {
    std::string path = fmt::format("/tmp/recto-{}-{}.gguf", ::getpid(), reinterpret_cast<std::uintptr_t>(this));
    ~Scratch() { std::remove(path.c_str()); }

    void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
    std::string read() const {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

template <class Number>
std::string little(Number value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}
std::string text(const std::string& value) { return little(std::uint64_t(value.size())) + value; }

/// A file with these notes and declarations, padded to whole alignments, and then these bytes.
std::string file_of(std::uint64_t notes, std::uint64_t tensors, const std::string& head, std::size_t bytes = 0) {
    std::string made = "GGUF" + little(std::uint32_t(3)) + little(tensors) + little(notes) + head;
    made.resize((made.size() + 31) / 32 * 32 + bytes, '\0');
    return made;
}
std::string declared(const std::string& name, const std::vector<std::uint64_t>& extents, std::uint32_t type,
                     std::uint64_t offset) {
    std::string made = text(name) + little(std::uint32_t(extents.size()));
    for (const std::uint64_t extent : extents) made += little(extent);
    return made + little(type) + little(offset);
}

/// The error message for these bytes, without the path.
std::string complaint(const std::string& bytes) {
    const Scratch file;
    file.write(bytes);
    try {
        const io::GgufFile source(file.path);
        for (const io::GgufTensor& t : source.tensors) (void)io::read_gguf(source, t);
    } catch (const Error& error) {
        const std::string said = error.what();
        CHECK(said.starts_with(file.path + ": "));
        return said.substr(std::min(said.size(), file.path.size() + 2));
    }
    return "";
}
}  // namespace

TEST_CASE("gguf: files of llama.cpp's own writer", "[io][gguf][golden]") {
    for (const Golden& g : golden("gguf")) {
        const Scratch file;
        std::string bytes;
        for (const double byte : doubles(g["bytes"])) bytes += char(std::uint8_t(byte));
        file.write(bytes);
        const io::GgufFile source(file.path);
        CHECK(source.note<std::string>("general.architecture") == "test");
        CHECK(source.note<Index>("u8") == 200);
        CHECK(source.note<Index>("i8") == -100);
        CHECK(source.note<Index>("u16") == 60000);
        CHECK(source.note<Index>("i16") == -30000);
        CHECK(source.note<Index>("i32") == -2'000'000'000);
        CHECK(source.note<Index>("u64") == Index(1) << 40);
        CHECK(source.note<double>("f32") == 0.25);
        CHECK(source.note<double>("f64") == 0.1);
        CHECK(source.note<bool>("yes"));
        CHECK(source.note<std::string>("text") == "größer");
        CHECK(source.note<std::vector<std::string>>("words") == std::vector<std::string>{"the", "", "Ġend"});
        CHECK(source.note<std::vector<Index>>("whole") == std::vector<Index>{1, -2, 3});
        CHECK(source.note<std::vector<double>>("scores") == std::vector<double>{0.5, -1.5});
        CHECK(source.note_or<Index>("missing", 7) == 7);
        CHECK(source.tensors.size() == 10);
        for (const io::GgufTensor& t : source.tensors) {
            CAPTURE(t.name);
            const Tensor x = io::read_gguf(source, t);
            CHECK(x.shape() == g[t.name].shape());
            CHECK(doubles(x) == doubles(g[t.name]));
            if (io::is_blocks(t)) CHECK(doubles(dequantize(io::read_gguf_blocks(source, t))) == doubles(g[t.name]));
        }
        CHECK(source.has("row"));
        CHECK(!source.has("rows"));
    }
}

TEST_CASE("gguf: what is written reads the same", "[io][gguf]") {
    Generator random(1);
    const Tensor x = random.normal({3, 2, 64}, 0, 1), row = random.normal({5}, 0, 1);
    for (const Index alignment : {32, 64}) {
        const io::GgufNotes notes = {{"general.alignment", alignment},
                                     {"general.architecture", "gpt2"s},
                                     {"b", true},
                                     {"n", Index(-3)},
                                     {"big", Index(5'000'000'000)},
                                     {"x", 0.5},
                                     {"words", std::vector<std::string>{"a", "\xff\0z"s}},
                                     {"list", std::vector<Index>{3, -4}},
                                     {"scores", std::vector<double>{0.25}}};
        std::vector<io::GgufWritten> tensors = {{"x", x}, {"row", row}};
        for (const BlockFormat f : block_formats) tensors.push_back({f.name, quantize(x, f)});
        const Scratch file;
        io::write_gguf(file.path, notes, tensors);
        const io::GgufFile source(file.path);
        CHECK(source.notes == notes);
        CHECK(source.tensors.size() == tensors.size());
        CHECK(source.file().size() % alignment == 0);
        for (const io::GgufTensor& t : source.tensors) CHECK(t.begin % alignment == 0);
        const auto rounded = [](const Tensor& from) {  // to F32
            std::vector<double> numbers = doubles(from);
            for (double& v : numbers) v = float(v);
            return numbers;
        };
        CHECK(doubles(io::read_gguf(source, source.tensor("x"))) == rounded(x));
        CHECK(doubles(io::read_gguf(source, source.tensor("row"))) == rounded(row));
        for (const BlockFormat f : block_formats) {
            CAPTURE(f.name);
            const QuantizedTensor back = io::read_gguf_blocks(source, source.tensor(f.name));
            CHECK(back.bytes() == quantize(x, f).bytes());
            CHECK(back.shape() == x.shape());
        }
    }
}

TEST_CASE("gguf: no tensors, an empty tensor, a single number", "[io][gguf]") {
    const Scratch file;
    io::write_gguf(file.path, {}, {});
    CHECK(io::GgufFile(file.path).tensors.empty());
    io::write_gguf(file.path, {}, std::vector<io::GgufWritten>{{"none", empty({0, 4})}, {"one", Tensor({}, {2})}});
    const io::GgufFile source(file.path);
    CHECK(io::read_gguf(source, source.tensor("none")).shape() == Shape{0, 4});
    CHECK(io::read_gguf(source, source.tensor("one")).item() == 2);
}

TEST_CASE("gguf: damaged and malicious files", "[io][gguf]") {
    CHECK(complaint("") == "byte 0: wanted the letters GGUF");
    CHECK(complaint("<html>") == "byte 0: this is an HTML page, not a GGUF file");
    CHECK(complaint("GGUF\3") == "byte 5: the file ends here, 3 bytes too early");
    CHECK(complaint("GGUF" + little(std::uint32_t(1))) == "byte 4: wanted version 2 or 3, got 1");
    CHECK(complaint(file_of(~0ull, 0, "")) ==
          "byte 16: 18446744073709551615 notes are declared, the file has 8 bytes after this");
    CHECK(complaint(file_of(0, 1ull << 60, "")) ==
          "byte 8: 1152921504606846976 tensors are declared, the file has 16 bytes after this");
    const std::string note = text("k") + little(std::uint32_t(8)) + text("v");
    CHECK(complaint(file_of(1, 0, note)).empty());
    CHECK(complaint(file_of(2, 0, note + note)) == "byte 46: the note 'k' is declared twice");
    CHECK(complaint(file_of(1, 0, text("k") + little(std::uint32_t(13)) + text("v"))) ==
          "byte 33: a note has type 13, which is unknown here");
    CHECK(complaint(file_of(1, 0, text("\xff"))) == "byte 24: wanted a key in UTF-8 of at most 1024 bytes");
    CHECK(complaint(file_of(1, 0, text("k") + little(std::uint32_t(8)) + little(~0ull))) ==
          "byte 37: 18446744073709551615 characters are declared, the file has 19 bytes after this");
    CHECK(complaint(file_of(1, 0, text("k") + little(std::uint32_t(9)) + little(std::uint32_t(9)))) ==
          "byte 37: a list in a list is unknown here");
    CHECK_THAT(complaint(file_of(1, 0, text("k") + little(std::uint32_t(9)) + little(std::uint32_t(8)) + little(9ull))),
               ContainsSubstring("9 elements of a list are declared"));
    CHECK_THAT(complaint(file_of(1, 0, text("k") + little(std::uint32_t(7)) + "\2")),
               ContainsSubstring("wanted 0 or 1, got 2"));
    CHECK(complaint(file_of(1, 0, text("k") + little(std::uint32_t(10)) + little(~0ull))) ==
          "byte 37: this number is too large");
    const std::string odd = text("general.alignment") + little(std::uint32_t(4)) + little(std::uint32_t(48));
    CHECK(complaint(file_of(1, 0, odd)) == "byte 0: general.alignment is 48, wanted a power of two of at most 65536");

    CHECK(complaint(file_of(0, 1, declared("w", {4, 2}, 0, 0), 32)).empty());
    CHECK(complaint(file_of(0, 1, declared("w", {4, 3}, 0, 0), 32)) ==
          "byte 24: 'w' does not fit into the file's 128 bytes");
    CHECK(complaint(file_of(0, 1, declared("w", {4, 2}, 0, 8), 64)) ==
          "byte 24: 'w' begins at 8, which is no multiple of 32");
    CHECK(complaint(file_of(0, 1, declared("w", {4, 2}, 5, 0), 32)) ==
          "byte 24: 'w' has type 5, which is unknown here");
    CHECK(complaint(file_of(0, 1, declared("w", {256}, 12, 0), 160)) ==
          "byte 24: 'w' has type Q4_K, wanted F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1 or Q8_0");
    CHECK(complaint(file_of(0, 1, declared("w", {33, 2}, 2, 0), 64)) ==
          "byte 24: 'w' has rows of 33 numbers, which are not whole blocks of 32");
    CHECK_THAT(complaint(file_of(0, 1, declared("w", {1ull << 32, 1ull << 32}, 0, 0), 32)),
               StartsWith("byte 24: 'w' has an impossible shape: "));
    CHECK(complaint(file_of(0, 1, declared("w", {~0ull}, 0, 0), 32)) == "byte 24: 'w' has an extent that is too large");
    CHECK(complaint(file_of(0, 1, declared("w", std::vector<std::uint64_t>(9, 1), 0, 0), 32)) ==
          "byte 24: 'w' has 9 axes, wanted at most 8");
    const std::string both = declared("w", {4, 2}, 0, 0);
    CHECK_THAT(complaint(file_of(0, 2, both + both, 64)), ContainsSubstring("'w' is declared twice"));
    CHECK_THAT(complaint(file_of(0, 2, both + declared("v", {4, 2}, 0, 0), 64)),
               ContainsSubstring("'v' overlaps another tensor"));
    CHECK_THAT(complaint(file_of(0, 1, declared("\33[2J", {4, 2}, 0, 8), 64)),
               ContainsSubstring("'\\u001b[2J' begins"));
}

TEST_CASE("gguf: a long file without blocks on the disk declares more than fits into memory", "[io][gguf]") {
    const std::string words = little(std::uint32_t(9)) + little(std::uint32_t(8)) + little(std::uint64_t(1) << 38);
    for (const std::string& value : {little(std::uint32_t(8)) + little(std::uint64_t(1) << 42), words}) {
        const Scratch file;
        file.write(file_of(1, 0, text("k") + value));
        std::filesystem::resize_file(file.path, std::uintmax_t(1) << 43);
        CHECK_THROWS_WITH(io::GgufFile(file.path), ContainsSubstring("are declared, more than this machine has"));
    }
}

TEST_CASE("gguf: messages", "[io][gguf]") {
    const Scratch file;
    io::write_gguf(file.path, {{"n", Index(1)}}, std::vector<io::GgufWritten>{{"w", zeros({32})}});
    const io::GgufFile source(file.path);
    CHECK_THROWS_WITH(source.note<Index>("m"), file.path + ": byte 0: wants the note 'm'");
    CHECK_THROWS_WITH(source.note<double>("n"), file.path + ": byte 0: the note 'n' has another type than wanted");
    CHECK_THROWS_WITH(source.tensor("v"), file.path + ": byte 0: wants a tensor 'v'");
    CHECK_THROWS_WITH(io::read_gguf_blocks(source, source.tensor("w")),
                      file.path + ": byte 41: 'w' has type F32, wanted Q4_0, Q4_1, Q5_0, Q5_1 or Q8_0");
    const std::string before = file.read();
    CHECK_THROWS_WITH(io::write_gguf(file.path, {}, std::vector<io::GgufWritten>{{"a", zeros({1})}, {"a", zeros({1})}}),
                      "write_gguf: wanted every name once, got 'a' again");
    CHECK_THROWS_WITH(io::write_gguf(file.path, {}, std::vector<io::GgufWritten>{{"a", zeros({1, 1, 1, 1, 1})}}),
                      "write_gguf: wanted at most four axes, got shape (1, 1, 1, 1, 1) of 'a'");
    CHECK_THROWS_WITH(io::write_gguf(file.path, {{"\xff", true}}, {}),
                      "write_gguf: wanted names in UTF-8 of at most 1024 bytes, got '\\xff'");
    CHECK_THROWS_WITH(io::write_gguf(file.path, {{"l", std::vector<Index>{Index(1) << 40}}}, {}),
                      "write_gguf: wanted lists of numbers of 32 bits, got 1099511627776");
    CHECK_THROWS_WITH(io::write_gguf(file.path, {{"general.alignment", Index(48)}}, {}),
                      "write_gguf: wanted general.alignment to be a power of two of at most 65536");
    CHECK(file.read() == before);
}
