#include <recto/io/parameters.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include <recto/base/float_formats.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using namespace std::string_literals;

namespace {
/// A path that is deleted with the test.
struct Scratch {
    std::string path = fmt::format("/tmp/recto-{}-{}.safetensors", ::getpid(), reinterpret_cast<std::uintptr_t>(this));
    ~Scratch() { std::remove(path.c_str()); }
};

std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

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

TEST_CASE("parameters: a model survives the file bit for bit", "[io][devices][row:sys-parametric-model/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Scratch file;
    Generator random(1);
    nn::Mlp model({5, 7, 3}, relu, random, {.device = device}), other({5, 7, 3}, relu, random, {.device = device});
    model.layers[0].weight.set({0, 0}, -0.0f);
    model.layers[0].weight.set({0, 1}, not_a_number);
    model.layers[0].weight.set({0, 2}, std::numeric_limits<Real>::denorm_min());
    nn::save(file.path, model);
    nn::load(file.path, other);
    const NamedTensors a = nn::state(model), b = nn::state(other);
    REQUIRE(a.size() == 4);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(same_bits(a[i].tensor, b[i].tensor));
    CHECK(b[0].tensor.device() == device);

    nn::Mlp narrow({5, 6, 3}, relu, random);
    CHECK_THROWS_WITH(nn::load(file.path, narrow),
                      "load " + file.path + ": assign: wanted 'layers.0.weight' of shape (6, 5), got shape (7, 5)");
}

TEST_CASE("parameters: edges", "[io]") {
    const Scratch file;
    const NamedTensors tensors{{"a \"quoted\" \\ näme", Tensor({2}, {1, 2})},
                               {"empty", empty({3, 0, 2})},
                               {"number", Tensor(Shape{}, {5})},
                               {"view", Tensor({2, 2}, {1, 2, 3, 4}).view({2, 2}, {1, 2}, 0)}};
    io::save_parameters(file.path, tensors, {{"made by", "a test"}});
    const io::ParameterFile got = io::read_parameters(file.path, Device::sim);
    CHECK(got.notes == io::Notes{{"made by", "a test"}});
    REQUIRE(got.tensors.size() == 4);
    for (const NamedTensor& t : got.tensors) {
        const auto found = std::ranges::find(tensors, t.name, &NamedTensor::name);
        REQUIRE(found != tensors.end());
        CHECK(same_bits(t.tensor, found->tensor));
        CHECK(t.tensor.device() == Device::sim);
    }
    CHECK(contents(file.path).size() % 4 == 0);
    io::save_parameters(file.path, {});
    CHECK(io::load_parameters(file.path).empty());
    CHECK(contents(file.path) == file_of("{}      ", 0));
}

TEST_CASE("parameters: shorter types are read exactly", "[io]") {
    const Scratch file;
    const auto write = [&](const std::string& type, auto value) {
        std::string bytes = file_of(one(type, "1", fmt::format("0,{}", sizeof value)), sizeof value);
        std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
        io::write_file(file.path, bytes);
    };
    write("F32", 0.1f);
    CHECK(io::load_parameters(file.path)[0].tensor.item() == Real(0.1f));
    write("F16", std::uint16_t(encode(0.1f, fp16)));
    CHECK(io::load_parameters(file.path)[0].tensor.item() == rounded(Real(0.1f), fp16));
    write("BF16", std::uint16_t(encode(0.1f, bf16)));
    CHECK(io::load_parameters(file.path)[0].tensor.item() == rounded(Real(0.1f), bf16));
    std::vector<std::uint16_t> many;  // more than are converted at a time
    std::vector<Real> want;
    for (std::uint32_t p = 0; p < 5000; ++p) many.push_back(std::uint16_t(p)), want.push_back(Real(decode(p, fp16)));
    std::string bytes = file_of(one("F16", "5000", "0,10000"), 10000);
    std::memcpy(bytes.data() + bytes.size() - 10000, many.data(), 10000);
    io::write_file(file.path, bytes);
    CHECK(io::load_parameters(file.path)[0].tensor.values() == want);
    write("F64", 0.1);
    if (sizeof(Real) == 8)
        CHECK(double(io::load_parameters(file.path)[0].tensor.item()) == 0.1);
    else
        CHECK_THROWS_WITH(io::load_parameters(file.path),
                          file.path + ": byte 13: 'w' has type F64, which this build would have to round");
}

TEST_CASE("parameters: a damaged file is refused, and where it is damaged is said", "[io]") {
    CHECK_THROWS_WITH(io::load_parameters("/nowhere/x"),
                      "/nowhere/x: byte 0: cannot be opened (No such file or directory)");
    CHECK_THROWS_WITH(io::load_parameters("/tmp"), "/tmp: byte 0: wanted a regular file, this is a directory");
    CHECK_THROWS_WITH(io::load_parameters("/dev/zero"), "/dev/zero: byte 0: wanted a regular file, this is a device");
    CHECK(complaint("1234567") == "byte 7: wanted eight bytes of header length, the file ends here");
    CHECK(complaint(file_of("{}", 0).substr(0, 9)) ==
          "byte 0: the header would have 2 bytes, the file has 1 after this");
    CHECK(complaint(std::string(8, '\xFF')) ==
          "byte 0: the header would have 18446744073709551615 bytes, the file has 0 after this");

    CHECK(complaint(file_of(one("F32", "2", "0,8"), 8)) == "");
    CHECK(complaint(file_of(one("F32", "2", "0,8"), 7)) == "byte 13: 'w' has bytes 0 to 8, the file has 7");
    CHECK(complaint(file_of(one("F32", "2", "0,8"), 9)) == "byte 70: 1 bytes follow the last tensor");
    CHECK(complaint(file_of(one("F32", "2", "4,12"), 12)) == "byte 13: 'w' has bytes 4 to 12, which leave a gap");
    CHECK(complaint(file_of(one("F32", "3", "0,8"), 8)) ==
          "byte 13: 'w' has shape (3) of F32, which does not take 8 bytes");
    CHECK(complaint(file_of(one("F32", "2", "8,0"), 8)) == "byte 13: 'w' ends before it begins");
    CHECK(complaint(file_of(one("F32", "2", "0"), 8)) == "byte 13: 'w' wants two data_offsets");
    CHECK(complaint(file_of(one("I64", "1", "0,8"), 8)) == "byte 13: 'w' has type I64, wanted F64, F32, F16 or BF16");
    CHECK(complaint(file_of(one("F31", "1", "0,4"), 4)) == "byte 13: 'w' has type 'F31', which is unknown here");
    CHECK(complaint(file_of(one("F32", "2305843009213693952,8", "0,8"), 8)) ==
          "byte 13: 'w' has an impossible shape: Shape: 2305843009213693952 times 8 elements do not fit in memory");
    CHECK(complaint(file_of(one("F32", "4611686018427387904", "0,0"), 0)) ==
          "byte 13: 'w' has shape (4611686018427387904) of F32, which does not take 0 bytes");
    CHECK(complaint(file_of(one("F32", "1,1,1,1,1,1,1,1,1", "0,4"), 4)) ==
          "byte 13: 'w' has an impossible shape: Shape: wanted at most 8 axes, got 9");
    CHECK(
        complaint(file_of(
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
            4)) == "byte 66: 'b' has bytes 0 to 4, which overlap those of another tensor");
    CHECK(
        complaint(file_of(
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
            8)) == "byte 65: 'a' is declared twice");
}

TEST_CASE("parameters: a header that is no such JSON is refused", "[io]") {
    CHECK(complaint(file_of("", 0)) == "byte 8: wanted '{'");
    CHECK(complaint(file_of("[]", 0)) == "byte 8: wanted '{'");
    CHECK(complaint(file_of("{", 0)) == "byte 9: wanted '\"'");
    CHECK(complaint(file_of("{}x", 0)) == "byte 10: wanted the end of the header");
    CHECK(complaint(file_of("{} \n", 0)) == "");
    CHECK(complaint(file_of(R"({"w":)" + std::string(100000, '['), 0)) == "byte 13: wanted '{'");
    CHECK(complaint(file_of(R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4)) ==
          "byte 37: wanted a whole number from 0 on");
    CHECK(complaint(file_of(R"({"w":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4)) ==
          "byte 38: wanted a whole number from 0 on");
    CHECK(complaint(file_of(R"({"w":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,4]}})", 4)) ==
          "byte 55: this number is too large");
    CHECK(complaint(file_of(R"({"w":{"dtype":"F32","shape":[01],"data_offsets":[0,4]}})", 4)) ==
          "byte 39: wanted a whole number from 0 on");
    CHECK(complaint(file_of(R"({"w":{"dtype":"F32","shape":[1]}})", 4)) ==
          "byte 40: 'w' wants dtype, shape and data_offsets");
    CHECK(complaint(file_of(R"({"w":{"dtype":"F32","extra":[1]}})", 4)) ==
          "byte 36: 'w' has an unknown member 'extra'");
    CHECK(complaint(file_of("{\"a\nb\":{}}", 0)) == "byte 12: a string holds control characters");
    CHECK(complaint(file_of("{\"\xC0\x80\":{}}", 0)) == "byte 13: a string is not UTF-8");
    CHECK(complaint(file_of("{}\0"s, 0)) == "byte 10: wanted the end of the header");
    CHECK(complaint(file_of(" {}", 0)) == "byte 8: wanted '{'");
    CHECK(complaint(file_of("{\"w\":{\"shape\":[\0"
                            "1]}}"s,
                            0)) == "byte 23: wanted a whole number from 0 on");
    CHECK(complaint(file_of(R"({"\ud800":{}})", 0)) == "byte 16: half of a surrogate pair");
    CHECK(complaint(file_of(R"({"\x":{}})", 0)) == "byte 12: unknown escape in a string");
    CHECK(complaint(file_of(R"({"w)", 0)) == "byte 11: a string does not end");
    CHECK(complaint(file_of(R"({"__metadata__":{"k":1}})", 0)) == "byte 29: wanted '\"'");

    const Scratch file;
    io::write_file(file.path, file_of(R"({"__metadata__":{"k":"\u00e9\ud83d\ude00\/\n\u001b"}})", 0));
    CHECK(io::read_parameters(file.path).notes.at("k") == "é😀/\n\x1b");
}

TEST_CASE("parameters: every shortened or changed file is refused or read, never worse", "[io]") {
    const Scratch file;
    Generator random(2);
    io::save_parameters(file.path, nn::state(nn::Linear(3, 2, random)));
    const std::string good = contents(file.path);
    for (std::size_t n = 0; n < good.size(); ++n) CHECK_FALSE(complaint(good.substr(0, n)).empty());
    for (std::size_t i = 0; i < good.size() - 32; ++i) {
        std::string bad = good;
        bad[i] = char(bad[i] ^ (1 << random.next_integer(0, 8)));
        complaint(bad);  // no crash, with any message
    }
}

TEST_CASE("parameters: names that cannot be written", "[io]") {
    const Scratch file;
    const Tensor x = ones({1});
    CHECK_THROWS_WITH(io::save_parameters(file.path, {{"a", x}, {"a", x}}),
                      "save_parameters: wanted every name once, got 'a' again");
    CHECK_THROWS_WITH(io::save_parameters(file.path, {{"__metadata__", x}}),
                      "save_parameters: wanted every name once, got '__metadata__' again");
    CHECK_THROWS_WITH(io::save_parameters(file.path, {{"a\xff\x1b", x}}),
                      "save_parameters: wanted names in UTF-8 of at most 1024 bytes, got 'a\\xff\\u001b'");
    CHECK_THROWS_AS(io::save_parameters(file.path, {{std::string(1025, 'a'), x}}), Error);
    CHECK_THROWS_AS(io::save_parameters("/nowhere/file", {{"a", x}}), Error);
    const NamedTensors odd{{"line\nfeed \x1b[31m \t\"\\", x}};
    io::save_parameters(file.path, odd, {{"k", "\x01\n"}});
    const io::ParameterFile got = io::read_parameters(file.path);
    CHECK(got.tensors[0].name == odd[0].name);
    CHECK(got.notes.at("k") == "\x01\n");
}
