#pragma once
/// @file
/// Numbers for a figure, converted from any container.
#include <concepts>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include <recto/book/json.hpp>

namespace RECTO::figure {

/// A contiguous range of numbers: a vector, span or array of any arithmetic type.
template <class Run>
concept Numbers = requires(const Run& run) {
    { run.size() } -> std::convertible_to<std::size_t>;
    { *run.data() } -> std::convertible_to<double>;
    requires book::Number<std::remove_cvref_t<decltype(*run.data())>>;
};

/// A copy of some numbers, in double. Infinities and NaN are kept, and drawn as gaps.
struct Values {
    std::vector<double> numbers;  ///< The numbers.

    Values(std::initializer_list<double> list) : numbers(list) {}     ///< `{1, 2, 3}`
    Values(std::vector<double> moved) : numbers(std::move(moved)) {}  ///< Takes over a vector.

    /// Copies a range of numbers.
    template <Numbers Run>
    Values(const Run& run) {
        numbers.reserve(run.size());
        for (std::size_t i = 0; i < run.size(); ++i) numbers.push_back(static_cast<double>(run.data()[i]));
    }
};

/// Names of bars, rows or columns.
using Names = std::vector<std::string>;

}  // namespace RECTO::figure
