#pragma once
/// @file
/// Claims: statements that can be false, measured, compared, printed and recorded.
///
/// A claim names the part of the register that it proves (`fig-1.1/a`), or "" for none. At a page's standard settings,
/// a claim that does not hold makes the program exit with status 1 after the page is done.
#include <concepts>
#include <string_view>

#include <recto/book/measured.hpp>
#include <recto/book/place.hpp>

namespace RECTO::book {

/// One of `<  <=  >  >=  ==`, checked at compile time. NaN never satisfies any of them.
struct Relation {
    std::string_view word;  ///< As it is written in the source.

    /// Converts a string literal; other texts do not compile.
    consteval Relation(const char* text) : word(text) {
        if (word != "<" && word != "<=" && word != ">" && word != ">=" && word != "==") throw "wanted < <= > >= or ==";
    }
};

/// The bound of a claim.
struct Bound {
    double value;  ///< The number.

    /// Converts any number.
    template <Number T>
    Bound(T number) : value(static_cast<double>(number)) {}
};

/// Claims that `measured` stands in `relation` to `bound`.
///
/// @param part      `row/part` of the register, or ""
/// @param sentence  the claim in words, without a full stop
/// @param measured  a number, or over_seeds(numbers): from five seeds on the median is compared, of fewer every seed
void claim(std::string_view part, std::string_view sentence, Measured measured, Relation relation, Bound bound,
           Place where = Place::here());

/// Claims that low <= measured <= high.
void claim_in(std::string_view part, std::string_view sentence, Measured measured, Bound low, Bound high,
              Place where = Place::here());

/// Records a yes-or-no claim; use claim_true().
void claim_yes(std::string_view part, std::string_view sentence, bool holds, Place where);

/// Claims an exact statement that is true or false, such as the equality of bits. Recorded as 1 == 1 or 0 == 1.
template <std::same_as<bool> Truth>
void claim_true(std::string_view part, std::string_view sentence, Truth holds, Place where = Place::here()) {
    claim_yes(part, sentence, holds, where);
}

/// Claims something about time. The page shows the time on this machine; a timing claim that does not hold never breaks
/// the page.
void timing_claim(std::string_view part, std::string_view sentence, Measured measured, Relation relation, Bound bound,
                  Place where = Place::here());

/// Reports that a claim of the literature does not hold here; the page is broken if it does hold.
///
/// @param measured  over at least five seeds at standard settings
/// @param tried     what was tried to make it hold, for the reader
/// @throws Error with fewer seeds, without a part or without `tried`
void not_reproduced(std::string_view part, std::string_view sentence, Measured measured, Relation relation, Bound bound,
                    std::string_view tried, Place where = Place::here());

}  // namespace RECTO::book
