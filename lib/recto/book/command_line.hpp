#pragma once
/// @file
/// Runs a page program from its command line to its exit status.
#include <recto/base/config.hpp>

namespace RECTO::book {

/// Runs a page program: reads its command line, runs the page, writes the trace.
///
/// @param figures  the directory of the frozen runs of studies
/// @return 0 done, 1 failed (an error, or a broken claim at standard settings), 2 wrong usage; failures print one line
///         on standard error. An interrupt ends the program with 130 and leaves no file behind.
int run_page(int argc, const char* const* argv, void (*page)(), const char* figures = "figures");

}  // namespace RECTO::book
