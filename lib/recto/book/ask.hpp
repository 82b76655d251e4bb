#pragma once
/// @file
/// Questions to answer before reading on; the program computes and asserts the key.
#include <string>
#include <string_view>
#include <vector>

#include <recto/book/claim.hpp>
#include <recto/book/place.hpp>

namespace RECTO::book {

/// One answer to choose from.
struct Choice {
    std::string text;  ///< The answer.
    bool right;        ///< Whether it is the right one: something the program computed.
    std::string why;   ///< Why it is right, or which misconception leads to it.
};

/// Asks a question with answers to choose from. Exactly one answer must be right, or the page is broken.
/// @throws Error with fewer than two answers, or an answer without an explanation
void ask(std::string_view question, const std::vector<Choice>& choices, Place where = Place::here());

/// Asks for a number; a reader's answer counts within `tolerance` of the computed one.
/// @throws Error when the tolerance is not a finite number >= 0, or the answer has no explanation
void ask_number(std::string_view question, Bound answer, double tolerance, std::string_view why,
                Place where = Place::here());

}  // namespace RECTO::book
