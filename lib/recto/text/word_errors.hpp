#pragma once
/// @file
/// The word error rate, by which speech recognition and other transcripts are judged.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::text {

/// The words of a text, which are separated by white space.
std::vector<std::string> words_of(std::string_view text);

/// The least number of words that must be replaced, inserted or deleted to turn one sequence into the other
/// (Levenshtein, 1966). Takes time proportional to the product of their lengths.
Index edit_distance(std::span<const std::string> said, std::span<const std::string> wanted);

/// The edit distances of all pairs of texts, divided by the number of words wanted. It exceeds 1 when much is inserted.
/// @throws Error unless there are as many texts said as wanted, and at least one word is wanted
double word_error_rate(std::span<const std::string> said, std::span<const std::string> wanted);

}  // namespace RECTO::text
