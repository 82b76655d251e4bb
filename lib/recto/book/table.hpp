#pragma once
/// @file
/// Tables that a page prints and the book shows.
#include <string>
#include <vector>

#include <recto/book/measured.hpp>
#include <recto/book/place.hpp>

namespace RECTO::book {

/// A cell: words, or a number with all its digits.
struct Cell {
    std::string words;     ///< The words, if it is not a number.
    double number = 0;     ///< The number, if it is one.
    bool numeric = false;  ///< Whether it is a number.

    Cell(const char* words) : words(words) {}             ///< Words.
    Cell(std::string words) : words(std::move(words)) {}  ///< Words.
    /// A number.
    template <Number T>
    Cell(T value) : number(static_cast<double>(value)), numeric(true) {}
};

/// Prints a table and records it. Numbers are right-aligned, words left-aligned.
///
/// @param name     its name in the book, such as `counts`
/// @param caption  a sentence in MyST
/// @param columns  the headings
/// @param rows     one cell per column. @throws Error otherwise
void table(const std::string& name, const std::string& caption, const std::vector<std::string>& columns,
           const std::vector<std::vector<Cell>>& rows, Place where = Place::here());

}  // namespace RECTO::book
