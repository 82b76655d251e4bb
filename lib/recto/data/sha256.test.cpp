#include <recto/data/sha256.hpp>

#include <string_view>

#include <recto/testing/testing.hpp>

using namespace recto;

namespace {
std::string fingerprint(std::string_view text, std::size_t piece = 1000) {
    data::Sha256 sum;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        const std::string_view part = text.substr(at, piece);
        sum.add({reinterpret_cast<const std::uint8_t*>(part.data()), part.size()});
    }
    return sum.hex();
}
}  // namespace

TEST_CASE("sha256: the published examples", "[data]") {  // FIPS 180-2, appendix B, and the empty message
    CHECK(fingerprint("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(fingerprint("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(fingerprint("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(fingerprint(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: the pieces do not matter", "[data]") {
    for (const std::size_t length : {55u, 56u, 63u, 64u, 65u, 119u, 120u, 128u, 200u})
        for (const std::size_t piece : {1u, 7u, 63u, 64u, 65u})
            CHECK(fingerprint(std::string(length, 'x'), piece) == fingerprint(std::string(length, 'x')));
}
