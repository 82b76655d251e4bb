#pragma once
/// @file
/// Tables of numbers as text: lines of notes, a line of names, then one line of numbers for each row.
///
///     # date 2026-11-22
///     width,error
///     8,0.25
#include <string>
#include <string_view>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::io {

/// A table of numbers, stored with all digits.
struct Csv {
    std::vector<std::string> notes;         ///< lines about the table, without the leading `#`
    std::vector<std::string> columns;       ///< names of the columns
    std::vector<std::vector<double>> rows;  ///< one number per column

    /// The numbers of one column. @throws Error when no column has this name
    std::vector<double> column(std::string_view name) const;
    /// The text after `word` in the note that begins with it; empty without such a note.
    std::string note(std::string_view word) const;
    /// The table as text. @throws Error for a row of another length, or a name or note that could not be read back
    std::string text() const;
};

/// Reads a table of at most 64 MiB. Numbers may be nan, inf and -inf.
/// @throws Error `path: line N: reason` for anything but a table
Csv read_csv(const std::string& path);

}  // namespace RECTO::io
