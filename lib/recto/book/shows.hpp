#pragma once
/// @file
/// Parts of the register that ask for a figure, a table or a plain number rather than a comparison.
#include <source_location>
#include <string_view>

#include <recto/book/measured.hpp>

namespace RECTO::book {

/// Says that the figure or table `name`, kept before on this page, is what `part` of the register asks for.
/// @throws Error when there is no such figure or table
void shows(std::string_view part, std::string_view name, std::source_location where = std::source_location::current());

/// Prints and records a number that the register wants reported without a bound: `sentence: number`.
/// A number that is not finite breaks the page.
void report(std::string_view part, std::string_view sentence, Measured measured,
            std::source_location where = std::source_location::current());

}  // namespace RECTO::book
