#pragma once
/// @file
/// Two texts that a Debian system brings along, in the public domain: enough English to count in.
#include <string>

#include <recto/base/check.hpp>

namespace RECTO::data {

/// The Constitution of the United States with its amendments, as the package miscfiles has it, 45,345 bytes of ASCII.
/// @param folder  where `us-constitution.gz` is. @throws Error when it is missing: how to get it
std::string constitution(const std::string& folder = "/usr/share/state");

/// The Declaration of Independence, 9,330 bytes. @throws Error as constitution() does
std::string declaration(const std::string& folder = "/usr/share/state");

}  // namespace RECTO::data
