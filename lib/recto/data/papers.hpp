#pragma once
/// @file
/// Two texts in the public domain from Debian packages: enough English for counting letters and words.
#include <string>

#include <recto/base/check.hpp>

namespace RECTO::data {

/// The Constitution of the United States with its amendments, from the package miscfiles, 45,345 bytes of ASCII.
/// @param folder  where `us-constitution.gz` is. @throws Error when it is missing: how to get it
std::string constitution(const std::string& folder = "/usr/share/state");

/// The Declaration of Independence, 9,330 bytes. @throws Error as constitution() does
std::string declaration(const std::string& folder = "/usr/share/state");

}  // namespace RECTO::data
