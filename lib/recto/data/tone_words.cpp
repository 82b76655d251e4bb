#include <recto/data/tone_words.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <recto/base/check.hpp>

namespace RECTO::data {

using std::numbers::pi;

namespace {

constexpr std::array<ToneLetter, 13> letters = {{{'a', 400, 400},
                                                 {'e', 600, 600},
                                                 {'i', 900, 900},
                                                 {'o', 1350, 1350},
                                                 {'u', 2025, 2025},
                                                 {'b', 600, 300},
                                                 {'p', 300, 600},
                                                 {'d', 1200, 600},
                                                 {'t', 600, 1200},
                                                 {'g', 2400, 1200},
                                                 {'k', 1200, 2400},
                                                 {'z', 3400, 1700},
                                                 {'s', 1700, 3400}}};
constexpr double letter_seconds = 0.045;

// Amplitude of a letter at a place from 0 to 1.
double envelope(double place) {
    const double edge = std::min({place, 1 - place, 0.2}) / 0.2;
    const double s = std::sin(pi / 2 * edge);
    return s * s;
}

}  // namespace

std::span<const ToneLetter> tone_letters() { return letters; }

ToneVoice draw_voice(Generator& random) {
    ToneVoice voice;
    voice.pitch = std::exp2(0.3 * random.next_uniform() - 0.15);
    voice.speed = 0.8 + 0.45 * random.next_uniform();
    voice.loudness = std::exp2(2 * random.next_uniform() - 1);
    return voice;
}

std::vector<double> tone_speech(std::string_view text, const ToneVoice& voice) {
    check(voice.pitch > 0 && voice.speed > 0, "tone_speech: wanted a pitch and a speed above 0, got {} and {}",
          voice.pitch, voice.speed);
    const Index length = Index(std::lround(letter_seconds * tone_rate / voice.speed));
    std::vector<double> sound;
    double phase = 0;
    for (const char letter : text) {
        if (letter == ' ') {
            sound.insert(sound.end(), std::size_t(length), 0.0);
            continue;
        }
        const auto found = std::ranges::find(letters, letter, &ToneLetter::letter);
        check(found != letters.end(), "tone_speech: wanted a space or one of abdegikopstuz, got the byte {}",
              int(static_cast<unsigned char>(letter)));
        // The frequency is from * (to / from)^place: it grows by the same factor with every sample.
        const double factor = std::pow(found->to / found->from, 1 / double(length));
        double step = 2 * pi * voice.pitch * found->from / tone_rate * std::sqrt(factor);
        for (Index n = 0; n < length; ++n) {
            phase = std::fmod(phase + step, 2 * pi);
            step *= factor;
            sound.push_back(voice.loudness * envelope((double(n) + 0.5) / double(length)) * std::sin(phase));
        }
    }
    return sound;
}

Tensor with_noise(const std::vector<std::vector<double>>& sounds, Index length, const std::vector<double>& decibels,
                  Generator& random, Index latest) {
    check(sounds.size() == decibels.size(), "with_noise: wanted a ratio for each of {} sounds, got {}", sounds.size(),
          decibels.size());
    std::vector<Real> all;
    all.reserve(sounds.size() * std::size_t(length));
    for (std::size_t i = 0; i < sounds.size(); ++i) {
        const std::vector<double>& sound = sounds[i];
        const Index spare = length - Index(sound.size());
        check(spare >= 0, "with_noise: wanted sounds of at most {} samples, got {}", length, sound.size());
        const Index begin = random.next_integer(0, std::min(spare, latest) + 1);
        double power = 0.5;
        if (!sound.empty()) {
            power = 0;
            for (const double x : sound) power += x * x / double(sound.size());
        }
        const double deviation = std::sqrt(power * std::pow(10, -decibels[i] / 10));
        const std::vector<Real> noise = random.normal({length}).values();
        for (Index n = 0; n < length; ++n) {
            const bool inside = n >= begin && n < begin + Index(sound.size());
            all.push_back(
                Real((inside ? sound[std::size_t(n - begin)] : 0.0) + deviation * double(noise[std::size_t(n)])));
        }
    }
    return Tensor({Index(sounds.size()), length}, all);
}

}  // namespace RECTO::data
