#pragma once
/// @file
/// A program that holds many pages, of which each run shows one.
#include <cstddef>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::web {

/// A page of this program. Options and studies make themselves known when they are made, those of a page one after another;
/// a Page made before them notes where they begin.
struct Page {
    /// Makes itself known to all_pages().
    Page(const char* name, void (*run)());

    const char* name;                       ///< the page's program, `fit_curve`
    void (*run)();                          ///< the page
    std::size_t first_option, first_study;  ///< where its own begin among all_options() and all_studies()
};

/// All pages of this program, in the order in which they were made.
const std::vector<const Page*>& all_pages();

}  // namespace RECTO::web

// Pages compare an Index, of 64 bits, with std::ssize(), which has 32 here and 64 elsewhere.
namespace std {
constexpr long long min(long long a, long b) { return a < b ? a : b; }
constexpr long long min(long a, long long b) { return a < b ? a : b; }
constexpr long long max(long long a, long b) { return a > b ? a : b; }
constexpr long long max(long a, long long b) { return a > b ? a : b; }
}  // namespace std
