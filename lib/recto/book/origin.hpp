#pragma once
/// @file
/// Where the results of a full run are from.
#include <string>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::book {

/// Lines that say where, when and by which command this program runs: `commit`, `machine`, `date`, `command`. The
/// command that started the program adds what it knows (RECTO_ORIGIN).
std::vector<std::string> origin();

/// The SHA-256 digest of this program, 64 hexadecimal digits; computed at the first call.
const std::string& build_digest();

}  // namespace RECTO::book
