#include <recto/data/idx.hpp>

#include <sys/stat.h>
#include <zlib.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <utility>

#include <unistd.h>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Catch::Matchers::StartsWith;

namespace {

using Bytes = std::string;

/// A file that is deleted with the test.
struct Scratch {
    std::string path = (std::filesystem::temp_directory_path() / fmt::format("recto idx {}", getpid())).string();
    explicit Scratch(const Bytes& content) { std::ofstream(path, std::ios::binary) << content; }
    ~Scratch() { std::filesystem::remove(path); }
};

Bytes header(int type, const std::vector<std::uint32_t>& extents) {
    Bytes b = {0, 0, char(type), char(extents.size())};
    for (const std::uint32_t n : extents)
        for (int shift = 24; shift >= 0; shift -= 8) b += char(n >> shift);
    return b;
}

Bytes gzip(const Bytes& content) {
    z_stream z{};
    REQUIRE(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    Bytes out(deflateBound(&z, content.size()) + 100, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    z.avail_in = uInt(content.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = uInt(out.size());
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

/// The reader's message for a file with this content.
std::string complaint(const Bytes& content) {
    const Scratch file(content);
    try {
        read_idx(file.path);
    } catch (const Error& error) {
        const std::string text = error.what(), start = file.path + ": byte ";
        if (!text.starts_with(start) || text.find('\n') != Bytes::npos)
            return "not of the form path: byte N: reason: " + text;
        return text.substr(start.size());
    }
    return "accepted";
}

/// 3 x 4 bytes, 0 to 11.
Bytes small() {
    Bytes b = header(0x08, {3, 4});
    for (char i = 0; i < 12; ++i) b += i;
    return b;
}

/// A small file that unpacks to `content` followed by `zeros` zero bytes.
Bytes bomb(const Bytes& content, std::size_t zeros) {
    z_stream z{};
    REQUIRE(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    Bytes out(zeros / 100 + 1000, '\0'), chunk = content;
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = uInt(out.size());
    const Bytes nothing(1 << 20, '\0');
    for (std::size_t sent = 0; sent <= zeros; sent += nothing.size(), chunk = nothing) {
        z.next_in = reinterpret_cast<Bytef*>(chunk.data());
        z.avail_in = uInt(chunk.size());
        REQUIRE(deflate(&z, sent + nothing.size() > zeros ? Z_FINISH : Z_NO_FLUSH) >= 0);
    }
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

/// A line of /proc/self/status, in bytes: VmRSS is the memory in use, VmHWM its peak.
std::size_t memory(const std::string& what) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(what + ":")) return std::stoul(line.substr(what.size() + 1)) * 1024;
    return 0;
}

}  // namespace

TEST_CASE("idx: reads what is written, plain and compressed", "[data]") {
    for (const Bytes& content : {small(), gzip(small())}) {
        const Scratch file(content);
        const Idx idx = read_idx(file.path);
        CHECK(idx.shape == Shape{3, 4});
        CHECK(integers_of(idx).values() == std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
        CHECK(tensor_of(idx, Real(0.5)).at({2, 3}) == Real(5.5));
    }
}

TEST_CASE("idx: every type of the format", "[data]") {
    const auto read = [](int type, const Bytes& numbers) {
        const Scratch file(header(type, {2}) + numbers);
        const Idx idx = read_idx(file.path);
        return std::pair(idx.number(0), idx.number(1));
    };
    using namespace std::string_literals;
    CHECK(read(0x08, "\x01\xff"s) == std::pair(1.0, 255.0));
    CHECK(read(0x09, "\x01\xff"s) == std::pair(1.0, -1.0));
    CHECK(read(0x0B, "\x01\x02\xff\xfe"s) == std::pair(258.0, -2.0));
    CHECK(read(0x0C, "\x00\x01\x00\x00\xff\xff\xff\xff"s) == std::pair(65536.0, -1.0));
    CHECK(read(0x0D, "\x3f\x80\x00\x00\xc0\x20\x00\x00"s) == std::pair(1.0, -2.5));
    CHECK(read(0x0E, "\x3f\xf0\0\0\0\0\0\0\xc0\x04\0\0\0\0\0\0"s) == std::pair(1.0, -2.5));
    const Scratch fractions(header(0x0D, {1}) + "\x3f\x80\x00\x00"s);
    CHECK_THROWS_WITH(integers_of(read_idx(fractions.path)),
                      "integers_of: wanted a file of integers, got one of fractions");
    CHECK(tensor_of(read_idx(fractions.path)).item() == 1);
}

TEST_CASE("idx: empty axes", "[data]") {
    const Scratch file(header(0x08, {0, 28}));
    CHECK(tensor_of(read_idx(file.path)).shape() == Shape{0, 28});
}

TEST_CASE("idx: what is wrong, and where", "[data]") {
    CHECK(complaint("") == "0: the file ends here, 4 bytes too early");
    CHECK(complaint("hello, world") == "0: an IDX file starts with two zero bytes, this one with 0x68 0x65");
    CHECK(complaint(header(0x0A, {1}) + "x") == "2: type code 0x0a is unknown");
    CHECK(complaint(header(0x08, {})) == "3: wanted 1 to 8 axes, got 0");
    CHECK(complaint(header(0x08, std::vector<std::uint32_t>(9, 1)) + "x") == "3: wanted 1 to 8 axes, got 9");
    CHECK(complaint(header(0x08, {0xffffffff, 0xffffffff, 2})) == "8: the extents multiply to more than 2^62 bytes");
    CHECK(complaint(header(0x0E, {0x80000000, 0x10000001})) == "8: the extents multiply to more than 2^62 bytes");
    CHECK(complaint(header(0x08, {0x80000000, 0x80000000, 2})) == "12: the extents multiply to more than 2^62 bytes");
    CHECK(complaint(header(0x08, {0x80000000, 0x80000000, 1})) ==
          "16: the file ends here, 4611686018427387904 bytes too early");
    CHECK(complaint(header(0x08, {0, 0xffffffff, 0xffffffff})) == "12: the extents multiply to more than 2^62 bytes");
    CHECK(complaint(header(0x08, {0xffffffff})) == "8: the file ends here, 4294967295 bytes too early");
    CHECK(complaint(small() + "xy") == "24: 2 bytes follow after the end of what is declared");
}

TEST_CASE("idx: a plain file cut anywhere", "[data]") {
    const Bytes whole = small();
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_THAT(complaint(whole.substr(0, length)), ContainsSubstring("bytes too early"));
}

TEST_CASE("idx: damaged compressed files", "[data]") {
    Bytes content = header(0x08, {40, 50});
    for (int i = 0; i < 2000; ++i) content += char(i * i % 251);
    const Bytes whole = gzip(content);
    for (std::size_t length = 2; length < whole.size(); length += length < 40 ? 1 : 37)
        CHECK(complaint(whole.substr(0, length)) ==
              fmt::format("{}: the gzip data are damaged: they end too early", length));
    for (std::size_t at = 10; at < whole.size(); at += 11) {  // flip one bit; the 10 bytes before carry no data
        Bytes damaged = whole;
        damaged[at] = char(damaged[at] ^ 4);
        CAPTURE(at);
        CHECK(complaint(damaged) != "accepted");
    }
    CHECK_THAT(complaint(whole + "more"), ContainsSubstring("more bytes follow after the end of the gzip data"));
    CHECK_THAT(complaint(whole + whole), ContainsSubstring("more bytes follow after the end of the gzip data"));
    CHECK(complaint(gzip(content + "x")) ==
          "2012: more bytes follow after the end of what is declared (counted after decompression)");
    CHECK(complaint(gzip(content.substr(0, 1999))) ==
          "1999: the file ends here, 13 bytes too early (counted after decompression)");
    CHECK(complaint(gzip("\x01")) == "1: the file ends here, 3 bytes too early (counted after decompression)");
}

TEST_CASE("idx: neither bombs nor promises cost memory or time", "[data]") {
    const Bytes unpacks_to_much = bomb(small(), std::size_t(200) << 20);
    CHECK(unpacks_to_much.size() < 2000000);
    std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak
    const std::size_t before = memory("VmRSS");
    const auto start = std::chrono::steady_clock::now();
    CHECK(complaint(unpacks_to_much) ==
          "24: more bytes follow after the end of what is declared (counted after decompression)");
    CHECK_THAT(complaint(gzip(header(0x08, {0x7fffffff, 0x7fffffff}))),
               ContainsSubstring("bytes of gzip data cannot hold the"));
    CHECK(complaint(header(0x08, {0x7fffffff, 0x7fffffff})) ==
          "12: the file ends here, 4611686014132420609 bytes too early");
    CHECK_THAT(complaint(gzip(header(0x08, {1000000}) + "x")), ContainsSubstring("bytes of gzip data cannot hold the"));
    CHECK(complaint(gzip(header(0x08, {20000}) + "x")) ==
          "9: the file ends here, 19999 bytes too early (counted after decompression)");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
    CHECK(memory("VmHWM") <= before + (64u << 20));
}

TEST_CASE("idx: gzip data that hold nothing, or far too much", "[data]") {
    const std::clock_t start = std::clock();
    // Empty blocks of ten bits each: ten million bytes that unpack to nothing.
    Bytes nothing = gzip("").substr(0, 10);
    const std::array<char, 5> four_blocks = {char(0x02), char(0x08), char(0x20), char(0x80), char(0x00)};
    for (int i = 0; i < 2000000; ++i) nothing.append(four_blocks.data(), four_blocks.size());
    CHECK_THAT(complaint(nothing),
               ContainsSubstring("the gzip data are damaged: ") && ContainsSubstring("hold only 0"));
    const std::uint32_t much = 100u << 20;
    CHECK_THAT(complaint(bomb(header(0x08, {much}), much)), ContainsSubstring("become 104857608 are a bomb"));
    CHECK(std::clock() - start < 4 * CLOCKS_PER_SEC);  // most of it to write the files
}

TEST_CASE("idx: what is mistaken for data is called by its name", "[data]") {
    using namespace std::string_literals;
    const Bytes pages[] = {"<!DOCTYPE html><title>404"s, "\n  <HTML lang=en>"s, "\xEF\xBB\xBF<html>"s};
    for (const Bytes& page : pages) {
        CHECK(complaint(page) == "0: this is an HTML page, not an IDX file");
        CHECK(complaint(gzip(page)) == "0: this is an HTML page, not an IDX file (counted after decompression)");
    }
    CHECK_THAT(complaint("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"),
               StartsWith("0: this is a Git LFS pointer"));
    CHECK_THAT(complaint("\x80\x04\x95\x20\0\0\0\0\0\0\0}."s), StartsWith("0: this is a pickle"));
    CHECK_THAT(complaint("PK\x03\x04\0\0\x08\x08 archive/data.pkl"s),
               StartsWith("0: this is a zip archive of torch.save"));
    CHECK(complaint("PK\x03\x04\0\0\x08\x08 a.npy"s) == "0: this is a zip archive, not an IDX file");
    CHECK(complaint("\x80 no pickle") == "0: an IDX file starts with two zero bytes, this one with 0x80 0x20");
}

TEST_CASE("idx: no file, and no file at all", "[data]") {
    const auto start = std::chrono::steady_clock::now();
    CHECK_THROWS_WITH(read_idx("/nowhere/at all"),
                      "/nowhere/at all: byte 0: cannot be opened (No such file or directory)");
    CHECK_THROWS_WITH(read_idx("/tmp"), "/tmp: byte 0: wanted a regular file, this is a directory");
    CHECK_THROWS_WITH(read_idx("/dev/zero"), "/dev/zero: byte 0: wanted a regular file, this is a device");
    CHECK_THROWS_WITH(read_idx("/a\nb\x1b[2J\\"), StartsWith("/a\\u000ab\\u001b[2J\\\\: byte 0: cannot be opened"));
    const Scratch pipe("");
    std::filesystem::remove(pipe.path);
    REQUIRE(::mkfifo(pipe.path.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(read_idx(pipe.path), pipe.path + ": byte 0: wanted a regular file, this is a pipe");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}

TEST_CASE("idx: a file that changes while it is read", "[data]") {
    for (const bool compressed : {false, true}) {
        Bytes content = header(0x08, {300000});
        Generator random(1);
        for (int i = 0; i < 300000; ++i) content += char(random.next_integer(0, 256));  // gzip cannot compress it
        const Scratch file(compressed ? gzip(content) : content);
        const auto length = std::filesystem::file_size(file.path);
        std::vector<std::uint8_t> numbers(300000);
        const auto read_while = [&](std::uintmax_t changed) {
            std::filesystem::resize_file(file.path, length);
            io::ByteSource source(file.path);
            CHECK(read_idx_header(source).bytes() == 300000);
            source.read(numbers.data(), 1000);
            std::filesystem::resize_file(file.path, changed);
            source.read(numbers.data() + 1000, 299000);
            source.expect_end();
        };
        CAPTURE(compressed);
        CHECK_THROWS_WITH(read_while(100000), StartsWith(file.path + ": byte 100000: the file ends here"));
        CHECK_THROWS_AS(read_while(length + 1), Error);
    }
}

TEST_CASE("idx: more than the machine has is refused at once", "[data]") {
    const Scratch file(header(0x0E, {0x7fffffff, 0x100}));  // four tebibytes, as a sparse file
    if (::truncate(file.path.c_str(), 12 + (off_t(0x7fffffff) << 11)) != 0) SKIP("this file system has no such files");
    CHECK_THROWS_WITH(read_idx(file.path),
                      file.path + ": byte 4: 4398046509056 bytes are declared, more than this machine has");
}
