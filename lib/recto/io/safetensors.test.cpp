#include <recto/io/safetensors.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include <recto/io/atomic_file.hpp>
#include <recto/io/parameters.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace std::string_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {
#ifdef RECTO_SANITIZED
constexpr bool counts_memory = false;  // freed memory is kept for a while, to detect its use
#else
constexpr bool counts_memory = true;
#endif

/// A path that is deleted with the test.
struct Scratch {
    std::string path = fmt::format("/tmp/recto-{}-{}.safetensors", ::getpid(), reinterpret_cast<std::uintptr_t>(this));
    ~Scratch() { std::remove(path.c_str()); }
};

/// A file with this header followed by zero bytes.
std::string file_of(const std::string& header, std::size_t bytes) {
    const std::uint64_t length = header.size();
    std::string text(8, '\0');
    std::memcpy(text.data(), &length, 8);
    return text + header + std::string(bytes, '\0');
}

/// The error message for these bytes, without the path.
std::string complaint(const std::string& bytes) {
    const Scratch file;
    std::ofstream(file.path, std::ios::binary) << bytes;
    try {
        io::load_parameters(file.path);
    } catch (const Error& error) {
        const std::string text = error.what();
        CHECK(text.starts_with(file.path + ": "));
        return text.substr(std::min(text.size(), file.path.size() + 2));
    }
    return "";
}

std::string one(const std::string& type, const std::string& shape, const std::string& offsets) {
    return R"({"w":{"dtype":")" + type + R"(","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}}";
}
}  // namespace

TEST_CASE("safetensors: what is mistaken for data is called by its name", "[io]") {
    const std::string more(1000, 'x');
    CHECK(complaint("<!doctype HTML><html>" + more) == "byte 0: this is an HTML page, not a safetensors file");
    CHECK(complaint("\x1f\x8b\x08\0\0\0\0\0\0\x03"s + more) == "byte 0: this is gzip data, not a safetensors file");
    CHECK_THAT(complaint("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n"),
               StartsWith("byte 0: this is a Git LFS pointer"));
    for (char protocol = 2; protocol <= 5; ++protocol)
        CHECK_THAT(complaint("\x80"s + protocol + "}q\0."s + more), StartsWith("byte 0: this is a pickle"));
    CHECK_THAT(complaint("PK\x03\x04\x14\0\0\0\0\0 archive/data.pkl"s + more),
               StartsWith("byte 0: this is a zip archive of torch.save"));
    CHECK_THAT(complaint("PK\x03\x04"), StartsWith("byte 0: this is a zip archive"));
    CHECK(complaint("hello, world") ==
          "byte 0: the header would have 8583909746840200552 bytes, the file has 4 after this");
}

TEST_CASE("safetensors: text from strangers is shown, not obeyed", "[io]") {
    CHECK(io::escaped("plain ä 😀") == "plain ä 😀");
    CHECK(io::escaped("\x1b[2J\r\n\x7f\\") == "\\u001b[2J\\u000d\\u000a\\u007f\\\\");
    CHECK(io::escaped("\u009b2J\u202eabc\u2028\ufeff\U000e0041") == "\\u009b2J\\u202eabc\\u2028\\ufeff\\U000e0041");
    CHECK(io::escaped("\xff\xC0\x80"
                      "a\xE2\x82") == "\\xff\\xc0\\x80a\\xe2\\x82");
    CHECK(io::escaped(std::string(20, '\x9c')).size() == 80);
    CHECK(complaint(file_of(R"({"\u001b[31m":{"dtype":"F32\u0007","shape":[1],"data_offsets":[0,4]}})", 4)) ==
          "byte 22: '\\u001b[31m' has type 'F32\\u0007', which is unknown here");
}

TEST_CASE("safetensors: hostile headers cost neither memory nor time", "[io]") {
    // Memory is proportional to the file, at most twice its length plus 64 MiB; a line of /proc/self/status in bytes.
    const auto memory = [](const std::string& what) -> std::size_t {
        std::ifstream status("/proc/self/status");
        for (std::string line; std::getline(status, line);)
            if (line.starts_with(what + ":")) return std::stoul(line.substr(what.size() + 1)) * 1024;
        return 0;
    };
    const auto costs_little = [&](const std::string& bytes, const std::string& says) {
        const Scratch file;
        io::write_file(file.path, bytes);
        std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak
        const std::size_t before = memory("VmRSS");
        const std::clock_t start = std::clock();  // processor time, since other processes may delay this one
        std::string said;
        try {
            io::read_parameters(file.path);
        } catch (const Error& error) {
            said = error.what();
        }
        CHECK(std::clock() - start < 2 * CLOCKS_PER_SEC);
        if (counts_memory) CHECK(memory("VmHWM") <= before + 2 * bytes.size() + (64u << 20));
        CHECK_THAT(said, ContainsSubstring(says));
    };
    std::string many = "{", notes = "{\"__metadata__\":{";
    for (int i = 0; i < 100001; ++i) {
        many += fmt::format(R"({}"{:x}":{{"dtype":"F16","shape":[0],"data_offsets":[0,0]}})", i ? "," : "", i);
        notes += fmt::format(R"({}"{:x}":"")", i ? "," : "", i);
    }
    costs_little(file_of(many + "}", 0), "more than 100000 names in one object");
    costs_little(file_of(notes + "}}", 0), "more than 100000 names in one object");
    costs_little(file_of(many.substr(0, many.rfind(',')) + "}", 0), "");
    costs_little(file_of("{\"" + std::string(10 << 20, 'a') + "\":1}", 0), "a name has more than 1024 bytes");
    costs_little(file_of("{\"__metadata__\":{\"a\":\"" + std::string(15 << 20, '\\'), 0), "a string does not end");
    costs_little(file_of("{\"__metadata__\":{\"a\":\"" + std::string(15 << 20, 'a') + "\"}}", 0), "");
    costs_little(file_of("{" + std::string(17 << 20, ' ') + "}", 0), "more than the 16777216 allowed here");
    costs_little(file_of("{\"a\":" + std::string(15 << 20, '{'), 0), "wanted");
    costs_little(file_of(one("F16", "5000000", "0,10000000"), 10000000), "");
}

TEST_CASE("safetensors: a file that shrinks while it is read, and one larger than the machine", "[io]") {
    const Scratch file;
    io::write_file(file.path, file_of(one("F32", "250000", "0,1000000"), 1000000));
    const io::SafetensorsFile source(file.path);
    REQUIRE(::truncate(file.path.c_str(), 5000) == 0);
    char numbers[10000];
    CHECK_THROWS_WITH(source.file().read(numbers, source.data(), 10000),
                      StartsWith(file.path + ": byte 5000: the file ends here"));
    CHECK_THROWS_WITH(source.file().expect_unchanged(),
                      file.path + ": byte 5000: the file changed its length while it was read");

    io::write_file(file.path, file_of(one(sizeof(Real) == 8 ? "F64" : "F32",
                                          std::to_string((Index(1) << 42) / Index(sizeof(Real))), "0,4398046511104"),
                                      0));
    if (::truncate(file.path.c_str(), off_t(std::filesystem::file_size(file.path)) + (off_t(1) << 42)) != 0)
        SKIP("this file system has no such files");
    CHECK_THROWS_WITH(io::load_parameters(file.path),
                      file.path + ": byte 13: 4398046511104 bytes are declared, more than this machine has");
}
