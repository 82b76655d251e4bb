#pragma once
/// @file
/// Pair: one number for the height and one for the width of an image, such as a stride.
#include <recto/base/check.hpp>

namespace RECTO {

/// Height and width, or one number for both: `.stride = 2` and `.stride = {2, 1}`.
struct Pair {
    Index height;  ///< along the second last axis
    Index width;   ///< along the last axis

    constexpr Pair(Index both) : height(both), width(both) {}                    ///< The same number for both.
    constexpr Pair(Index height, Index width) : height(height), width(width) {}  ///< One number for each.

    friend constexpr bool operator==(const Pair&, const Pair&) = default;  ///< Whether both numbers are equal.
};

/// The one number of an option of a one-dimensional operation. @throws Error for a pair of different numbers
/// @param op      the operation, for the message
/// @param option  the option's name, for the message
inline Index one_number(const char* op, const char* option, Pair pair) {
    check(pair.height == pair.width, "{}: wanted one {} for a series, got ({}, {})", op, option, pair.height,
          pair.width);
    return pair.width;
}

}  // namespace RECTO

/// Prints a Pair as `(2, 3)`.
template <>
struct fmt::formatter<recto::Pair> {
    /// No options.
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    /// Writes both numbers.
    template <class Context>
    auto format(const recto::Pair& pair, Context& context) const {
        return fmt::format_to(context.out(), "({}, {})", pair.height, pair.width);
    }
};
