#pragma once
/// @file
/// Synthetic speech: every letter is a tone or a chirp, spoken with a pitch, a speed and noise that are drawn.
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <recto/core/random.hpp>

namespace RECTO::data {

inline constexpr double tone_rate = 8000;  ///< Samples of a second.

/// The sound of a letter: its frequency moves evenly, in octaves, from one value to the other. A vowel's stays.
struct ToneLetter {
    char letter;  ///< as it is written
    double from;  ///< frequency at its beginning, in hertz
    double to;    ///< frequency at its end, in hertz
};

/// The 13 letters: five vowels, half an octave and more apart, and four pairs of consonants that rise or fall by an octave.
std::span<const ToneLetter> tone_letters();

/// The law of a voice. A letter of a voice with pitch p and speed s lasts 0.045 / s seconds and has p times the letter's
/// frequencies.
struct ToneVoice {
    double pitch = 1;     ///< factor of all frequencies
    double speed = 1;     ///< factor of the speed
    double loudness = 1;  ///< amplitude in the middle of a letter
};

/// A voice: the pitch is \f$ 2^u \f$ with u uniform in [-0.15, 0.15], the speed uniform in [0.8, 1.25], and the loudness
/// \f$ 2^v \f$ with v uniform in [-1, 1].
ToneVoice draw_voice(Generator& random);

/// A spoken text without noise. A letter's amplitude is \f$ \sin^2 \f$ in its first and its last fifth, and constant
/// between; a space is silence as long as a letter. The phase goes on from letter to letter.
/// @throws Error for another letter, or when pitch or speed is not above 0
std::vector<double> tone_speech(std::string_view text, const ToneVoice& voice = {});

/// Sounds of `length` samples as a tensor (batch, length): each begins at a random place, with silence before and after,
/// and white noise is added everywhere.
/// @param decibels  the ratio of the mean power of the speech itself to that of the noise, one for each sound; for an empty
/// sound the noise has this ratio to a power of 1/2
/// @param latest    the last sample at which a sound may begin; by default as late as it fits
/// @throws Error when a sound does not fit, or the numbers of ratios and sounds differ
Tensor with_noise(const std::vector<std::vector<double>>& sounds, Index length, const std::vector<double>& decibels,
                  Generator& random, Index latest = std::numeric_limits<Index>::max());

}  // namespace RECTO::data
