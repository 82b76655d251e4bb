#pragma once
/// @file
/// Sentences that can be false: measured, compared, printed and recorded.
///
/// A claim names the part of the register it proves (`fig-1.1/a`), or "" for none. At a page's standard
/// settings a claim that does not hold ends the program with exit status 1, after the page is done.
#include <concepts>
#include <source_location>
#include <string_view>

#include <recto/book/measured.hpp>

namespace RECTO::book {

/// One of `<  <=  >  >=  ==`, checked at compile time. NaN never satisfies any of them.
struct Relation {
    std::string_view word;  ///< As it is written.

    /// Made from a string literal wherever a Relation is asked for.
    consteval Relation(const char* text) : word(text) {
        if (word != "<" && word != "<=" && word != ">" && word != ">=" && word != "==") throw "wanted < <= > >= or ==";
    }
};

/// What a measured number is compared with.
struct Bound {
    double value;  ///< The number.

    /// Any number is a bound.
    template <Number T>
    Bound(T number) : value(static_cast<double>(number)) {}
};

/// Claims that `measured` stands in `relation` to `bound`.
///
/// @param part      `row/part` of the register, or ""
/// @param sentence  what is claimed, in words, without a full stop
/// @param measured  a number, or over_seeds(numbers), whose median is compared
void claim(std::string_view part, std::string_view sentence, Measured measured, Relation relation, Bound bound,
           std::source_location where = std::source_location::current());

/// Claims that low <= measured <= high.
void claim_in(std::string_view part, std::string_view sentence, Measured measured, Bound low, Bound high,
              std::source_location where = std::source_location::current());

/// Records a yes-or-no claim; use claim_true().
void claim_yes(std::string_view part, std::string_view sentence, bool holds, std::source_location where);

/// Claims something exact that is true or not, such as the equality of bits. Recorded as 1 == 1 or 0 == 1.
template <std::same_as<bool> Truth>
void claim_true(std::string_view part, std::string_view sentence, Truth holds,
                std::source_location where = std::source_location::current()) {
    claim_yes(part, sentence, holds, where);
}

/// Claims something about time. It shows what this machine measured and never breaks anything.
void timing_claim(std::string_view part, std::string_view sentence, Measured measured, Relation relation, Bound bound,
                  std::source_location where = std::source_location::current());

/// Publishes that a claim of the literature does not hold here; it is broken if it does hold.
///
/// @param measured  over at least five seeds at standard settings
/// @param tried     what was tried to make it hold, for the reader
/// @throws Error with fewer seeds, without a part or without what was tried
void not_reproduced(std::string_view part, std::string_view sentence, Measured measured, Relation relation, Bound bound,
                    std::string_view tried, std::source_location where = std::source_location::current());

}  // namespace RECTO::book
