#pragma once
/// @file
/// A position in a page's source: file and line.
#include <recto/base/config.hpp>

namespace RECTO::book {

/// A line of a file. Not std::source_location, which clang lacks before version 15.
struct Place {
    const char* file;  ///< The file, as the compiler names it.
    int line;          ///< Its line, from 1.

    /// As a default argument: the position of the call.
    static constexpr Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};

}  // namespace RECTO::book
