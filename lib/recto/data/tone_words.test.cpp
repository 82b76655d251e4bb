#include <recto/data/tone_words.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;

namespace {

// The mean frequency between two places: a steady sine crosses zero twice in each period.
double frequency(const std::vector<double>& sound, std::size_t begin, std::size_t end) {
    int crossings = 0;
    std::size_t first = 0, last = 0;
    for (std::size_t n = begin + 1; n < end; ++n)
        if (sound[n - 1] < 0 && sound[n] >= 0) {
            if (crossings++ == 0) first = n;
            last = n;
        }
    return tone_rate * double(crossings - 1) / double(last - first);
}

double power(const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += v * v;
    return sum / double(x.size());
}

}  // namespace

TEST_CASE("tone_speech: letters have their frequencies and lengths", "[data][tone_words]") {
    std::set<char> seen;
    for (const ToneLetter& letter : tone_letters()) {
        CHECK(seen.insert(letter.letter).second);
        const std::string text(1, letter.letter);
        const std::vector<double> slow = tone_speech(text, {.speed = 0.1});
        REQUIRE(slow.size() == 3600);
        CHECK(std::abs(frequency(slow, 10, 110) / letter.from - 1) <= 0.05);
        CHECK(std::abs(frequency(slow, 3490, 3590) / letter.to - 1) <= 0.05);
        const std::vector<double> high = tone_speech(text, {.pitch = 1.1, .speed = 0.1, .loudness = 2});
        CHECK(std::abs(frequency(high, 10, 110) / letter.from - 1.1) <= 0.06);
        CHECK(std::abs(*std::ranges::max_element(high) - 2) <= 0.01);
        CHECK(std::abs(slow.front()) <= 1e-3);
        CHECK(std::abs(slow.back()) <= 1e-3);
    }
    CHECK(tone_speech("ba du").size() == 5 * 360);
    CHECK(tone_speech("ba du", {.speed = 1.25}).size() == 5 * 288);
    const std::vector<double> sound = tone_speech("a a");
    CHECK(std::all_of(sound.begin() + 360, sound.begin() + 720, [](double x) { return x == 0; }));
}

TEST_CASE("tone_speech: voices are drawn within their bounds", "[data][tone_words]") {
    Generator random(1);
    double low = 9, high = 0, slow = 9, fast = 0;
    for (int n = 0; n < 1000; ++n) {
        const ToneVoice voice = draw_voice(random);
        low = std::min(low, voice.pitch), high = std::max(high, voice.pitch);
        slow = std::min(slow, voice.speed), fast = std::max(fast, voice.speed);
    }
    CHECK((low >= std::exp2(-0.15) && low <= 0.91));
    CHECK((high <= std::exp2(0.15) && high >= 1.1));
    CHECK((slow >= 0.8 && slow <= 0.81));
    CHECK((fast <= 1.25 && fast >= 1.24));
}

TEST_CASE("with_noise: the noise has the power that was asked for", "[data][tone_words]") {
    Generator random(2);
    const std::vector<double> speech = tone_speech("badu");
    for (const double decibels : {0.0, 10.0, 30.0}) {
        const Tensor made = with_noise({speech, {}}, 20'000, {decibels, decibels}, random);
        REQUIRE(made.shape() == Shape{2, 20'000});
        const std::vector<double> all = testing::doubles(made);
        const std::vector<double> first(all.begin(), all.begin() + 20'000), second(all.begin() + 20'000, all.end());
        const double share = std::pow(10, -decibels / 10);
        const double speech_part = power(speech) * double(speech.size()) / 20'000;
        CHECK(std::abs(power(first) / (speech_part + power(speech) * share) - 1) <= 0.06);
        CHECK(std::abs(power(second) / (0.5 * share) - 1) <= 0.06);
    }
    // Without noise the sound itself is found, somewhere.
    const std::vector<double> all = testing::doubles(with_noise({speech}, 2000, {400}, random));
    const auto begin = std::ranges::find_if(all, [](double x) { return std::abs(x) > 1e-12; }) - all.begin();
    CHECK((begin >= 0 && begin <= 2000 - 1440 + 1));
    double most = 0;
    for (std::size_t n = 0; n < speech.size() - 1; ++n)
        most = std::max(most, std::abs(all[std::size_t(begin) + n] - speech[n]));
    CHECK(most <= 1e-6);
    for (int trial = 0; trial < 20; ++trial) {  // within the first samples, if asked
        const std::vector<double> early = testing::doubles(with_noise({{1}}, 100, {400}, random, 2));
        CHECK(std::abs(early[0] + early[1] + early[2] - 1) <= 1e-6);
    }
}

TEST_CASE("tone words: messages", "[data][tone_words]") {
    Generator random(1);
    CHECK_THROWS_WITH(tone_speech("x"), "tone_speech: wanted a space or one of abdegikopstuz, got the byte 120");
    CHECK_THROWS_WITH(tone_speech("a", {.speed = 0}), "tone_speech: wanted a pitch and a speed above 0, got 1 and 0");
    CHECK_THROWS_WITH(with_noise({{0, 0, 0}}, 2, {10}, random),
                      "with_noise: wanted sounds of at most 2 samples, got 3");
    CHECK_THROWS_WITH(with_noise({{}}, 2, {}, random), "with_noise: wanted a ratio for each of 1 sounds, got 0");
}
