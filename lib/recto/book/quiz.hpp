#pragma once
/// @file
/// Quizzes: multiple-choice questions whose right answer is the one that the page's program computed.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <recto/book/claim.hpp>
#include <recto/book/place.hpp>

namespace RECTO::book {

/// Marks the right choice of a question; the number or text that the program computed must agree.
inline constexpr bool is_right = true;

/// What the program computed, for a question whose answer is a number.
struct Computed {
    double value;      ///< The number.
    int digits;        ///< Digits after the point, in the choices and for the comparison with them.
    std::string unit;  ///< What follows the number in a choice, such as " bytes".

    /// Converts any number.
    template <Number T>
    Computed(T value, int digits = 0, std::string unit = "")
        : value(static_cast<double>(value)), digits(digits), unit(std::move(unit)) {}
};

/// A number to choose.
struct NumberChoice {
    double number;        ///< The number, with at most as many digits as Computed says.
    std::string why;      ///< Why it is right, or which mistake leads to it.
    bool marked = false;  ///< Whether it is marked as right, by is_right.
};

/// A text to choose.
struct TextChoice {
    std::string text;     ///< The answer.
    std::string why;      ///< Why it is right, or which misconception leads to it.
    bool marked = false;  ///< Whether it is marked as right, by is_right.
};

/// What a page says of its questions, for its claims.
struct Quiz {
    Index asked = 0;  ///< Questions that the trace holds, from which the book shows and `./recto quiz` grades them.
    Index mismatched = 0;  ///< Questions for a number whose marked choice is not the number that the program computed.
    Index unclear = 0;     ///< Questions without exactly one right choice.
};

/// Asks for a number, with four to choose from. The right choice reads like the computed number, digit by digit. The page
/// is broken unless it is the only choice that is marked.
/// @throws Error unless there are four different finite numbers, each explained, and 0 to 12 digits
void ask(Quiz& quiz, std::string_view question, const Computed& key, const std::vector<NumberChoice>& choices,
         Place where = Place::here());

/// Asks a question with four texts to choose from. The right choice is equal to `key`, which the program made of what it
/// computed. The page is broken unless it is the only choice that is marked.
/// @throws Error unless there are four different texts, each explained
void ask(Quiz& quiz, std::string_view question, std::string_view key, const std::vector<TextChoice>& choices,
         Place where = Place::here());

}  // namespace RECTO::book
