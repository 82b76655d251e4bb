#pragma once
/// @file
/// Parts of the register that require a figure, a table or a plain number instead of a comparison.
#include <string_view>

#include <recto/book/measured.hpp>
#include <recto/book/place.hpp>

namespace RECTO::book {

/// Declares that the figure or table `name`, saved earlier on this page, is what `part` of the register requires.
/// @throws Error when there is no such figure or table
void shows(std::string_view part, std::string_view name, Place where = Place::here());

/// Prints and records a number that the register requires without a bound: `sentence: number`.
/// A number that is not finite breaks the page.
void report(std::string_view part, std::string_view sentence, Measured measured, Place where = Place::here());

}  // namespace RECTO::book
