#include <recto/base/block_formats.hpp>

#include <cmath>
#include <vector>

#include <recto/testing/golden.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
BlockFormat named(const std::string& name) {
    for (const BlockFormat f : block_formats)
        if (name == f.name) return f;
    throw Error("no format " + name);
}

/// One block and what it restores.
std::vector<float> there_and_back(const std::vector<float>& weights, BlockFormat f) {
    std::vector<std::uint8_t> block(std::size_t(f.bytes()));
    std::vector<float> back(block_size);
    encode_block(weights.data(), block.data(), f);
    decode_block(block.data(), back.data(), f);
    return back;
}
}  // namespace

TEST_CASE("block formats: the bytes of the gguf package",
          "[base][block_formats][golden][row:sys-llama-cpp-formats/d]") {
    const std::vector<Golden> settings = golden("block_formats");
    REQUIRE(settings.size() == 20);
    for (const Golden& g : settings) {
        CAPTURE(g.name);
        const BlockFormat f = named(g.word("format"));
        const std::vector<Real> x = g["x"].values(), bytes = g["bytes"].values(), y = g["y"].values();
        const std::size_t blocks = x.size() / block_size, size = std::size_t(f.bytes());
        REQUIRE(bytes.size() == blocks * size);
        std::vector<std::uint8_t> got(bytes.size());
        std::vector<Real> back(x.size());
        for (std::size_t b = 0; b < blocks; ++b) {
            encode_block(&x[b * block_size], &got[b * size], f);
            decode_block(&got[b * size], &back[b * block_size], f);
        }
        CHECK(std::vector<Real>(got.begin(), got.end()) == bytes);
        CHECK(back == y);
    }
}

TEST_CASE("block formats: sizes and codes", "[base][block_formats]") {
    const int bytes[] = {18, 20, 22, 24, 34}, lowest[] = {-8, 0, -16, 0, -127}, highest[] = {7, 15, 15, 31, 127};
    for (std::size_t i = 0; i < block_formats.size(); ++i) {
        const BlockFormat f = block_formats[i];
        CAPTURE(f.name);
        CHECK(f.bytes() == bytes[i]);
        CHECK(f.lowest() == lowest[i]);
        CHECK(f.highest() == highest[i]);
        // Every code at every place, put together by hand.
        for (int place = 0; place < block_size; ++place)
            for (int code = f.lowest(); code <= f.highest(); ++code) {
                std::vector<std::uint8_t> block(std::size_t(f.bytes()));
                const unsigned raw = unsigned(f.bits == 8 ? code & 255 : code - f.lowest());
                const std::size_t first = std::size_t(f.head() + f.fifth_bits());
                if (f.bits == 8)
                    block[first + std::size_t(place)] = std::uint8_t(raw);
                else
                    block[first + std::size_t(place % 16)] = std::uint8_t((raw & 15) << (place < 16 ? 0 : 4));
                if (f.bits == 5) block[std::size_t(f.head() + place / 8)] = std::uint8_t((raw >> 4) << (place % 8));
                REQUIRE(block_code(block.data(), place, f) == code);
            }
    }
}

TEST_CASE("block formats: a restored block stays as it is", "[base][block_formats]") {
    Generator random(1);
    for (const BlockFormat f : block_formats) {
        CAPTURE(f.name);
        const std::vector<Real> drawn = random.normal({block_size}).values();
        const std::vector<float> once = there_and_back({drawn.begin(), drawn.end()}, f);
        CHECK(there_and_back(once, f) == once);
        const double width = f.minimum ? f.highest() : f.bits == 8 ? 254 : 15;
        for (std::size_t i = 0; i < once.size(); ++i) CHECK(std::abs(once[i] - float(drawn[i])) < 6 / width);
    }
}

TEST_CASE("block formats: what is not finite stays so", "[base][block_formats]") {
    for (const BlockFormat f : block_formats)
        for (const float bad : {NAN, INFINITY, -INFINITY, 3e38f, 1e7f}) {
            CAPTURE(f.name, bad);
            std::vector<float> weights(block_size, 0.5f);
            weights[3] = bad;
            bool finite = true;
            for (const float w : there_and_back(weights, f)) finite = finite && std::isfinite(w);
            CHECK_FALSE(finite);
        }
}
