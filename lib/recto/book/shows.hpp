#pragma once
/// @file
/// Parts of the register that ask for a figure, a table or a plain number rather than a comparison.
#include <string_view>

#include <recto/book/measured.hpp>
#include <recto/book/place.hpp>

namespace RECTO::book {

/// Says that the figure or table `name`, kept before on this page, is what `part` of the register asks for.
/// @throws Error when there is no such figure or table
void shows(std::string_view part, std::string_view name, Place where = Place::here());

/// Prints and records a number that the register wants reported without a bound: `sentence: number`.
/// A number that is not finite breaks the page.
void report(std::string_view part, std::string_view sentence, Measured measured, Place where = Place::here());

}  // namespace RECTO::book
