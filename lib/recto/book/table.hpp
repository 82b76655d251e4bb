#pragma once
/// @file
/// Tables that a page prints and the book shows.
#include <string>
#include <vector>

#include <recto/book/measured.hpp>
#include <recto/book/place.hpp>

namespace RECTO::book {

/// A cell: words, or a number that is kept with all its digits.
struct Cell {
    std::string words;     ///< The words, if it is no number.
    double number = 0;     ///< The number, if it is one.
    bool numeric = false;  ///< Which of the two.

    Cell(const char* words) : words(words) {}             ///< Words.
    Cell(std::string words) : words(std::move(words)) {}  ///< Words.
    /// A number.
    template <Number T>
    Cell(T value) : number(static_cast<double>(value)), numeric(true) {}
};

/// Prints a table and records it. Numbers stand right, words left.
///
/// @param name     its name in the book, such as `counts`
/// @param caption  one sentence of MyST
/// @param columns  the headings
/// @param rows     as many cells each as there are columns. @throws Error otherwise
void table(const std::string& name, const std::string& caption, const std::vector<std::string>& columns,
           const std::vector<std::vector<Cell>>& rows, Place where = Place::here());

}  // namespace RECTO::book
