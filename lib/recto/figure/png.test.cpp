#include <recto/figure/png.hpp>

#include <png.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include <recto/base/check.hpp>
#include <recto/figure/ramp.hpp>

using namespace recto;

TEST_CASE("png: libpng reads the same pixels back", "[figure][png]") {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 5 * 3 * 4; ++i) pixels.push_back(static_cast<std::uint8_t>(i * 37));
    const std::string bytes = figure::png(5, 3, 4, pixels);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0);
    CHECK(image.width == 5);
    CHECK(image.height == 3);
    image.format = PNG_FORMAT_RGBA;
    std::vector<std::uint8_t> back(pixels.size());
    REQUIRE(png_image_finish_read(&image, nullptr, back.data(), 0, nullptr) != 0);
    CHECK(back == pixels);
}

TEST_CASE("png: sizes that do not fit are refused", "[figure][png]") {
    const std::vector<std::uint8_t> pixels(6);
    CHECK_THROWS_AS(figure::png(2, 2, 1, pixels), Error);
    CHECK_THROWS_AS(figure::png(0, 2, 1, pixels), Error);
    CHECK_THROWS_AS(figure::png(1 << 15, 1 << 15, 4, pixels), Error);
    CHECK_THROWS_AS(figure::png(2, 3, 5, pixels), Error);
}

TEST_CASE("base64: the examples of RFC 4648", "[figure][png]") {
    using figure::base64;
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foob") == "Zm9vYg==");
    CHECK(base64("fooba") == "Zm9vYmE=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64("\xff\xfe\x00") == "//4=");  // the literal ends at its zero byte
}

TEST_CASE("ramp: ends of viridis, and grey where there is no number", "[figure][ramp]") {
    CHECK(figure::viridis(0) == figure::Rgb{68, 1, 84});
    CHECK(figure::viridis(2) == figure::Rgb{253, 231, 37});
    CHECK(figure::viridis(-HUGE_VAL) == figure::viridis(0));
    CHECK(figure::viridis(std::nan("")) == figure::Rgb{128, 128, 128});
    const double numbers[] = {5, std::nan(""), 7};
    const auto bytes = figure::ramp(numbers);
    REQUIRE(bytes.size() == 9);
    CHECK(bytes[0] == 68);
    CHECK(bytes[3] == 128);
    CHECK(bytes[6] == 253);
    const double same[] = {5, 5};
    CHECK(figure::ramp(same)[3] == 68);
}
