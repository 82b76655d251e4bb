#pragma once
/// @file
/// Tables of numbers as text: lines of notes, a line of names, then a line of numbers for each row.
///
///     # date 2026-11-22
///     width,error
///     8,0.25
#include <string>
#include <string_view>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::io {

/// A table of numbers, every one with all its digits.
struct Csv {
    std::vector<std::string> notes;         ///< lines about the table, without the mark before them
    std::vector<std::string> columns;       ///< what the numbers are
    std::vector<std::vector<double>> rows;  ///< as many numbers each as there are columns

    /// The numbers of one column. @throws Error when no column has this name
    std::vector<double> column(std::string_view name) const;
    /// The text after `word` in the note that begins with it; empty without such a note.
    std::string note(std::string_view word) const;
    /// The table as text. @throws Error for a row of another length, or a name or note that would be read otherwise
    std::string text() const;
};

/// Reads a table of at most 64 MiB. Numbers may be nan, inf and -inf.
/// @throws Error `path: line N: reason` for anything else than a table
Csv read_csv(const std::string& path);

}  // namespace RECTO::io
