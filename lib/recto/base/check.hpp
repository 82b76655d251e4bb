#pragma once
/// @file
/// Argument checks with readable messages: `check(condition, "op: what was wanted, got {}", value)`.
#ifdef __CUDACC__  // nvcc's front end stumbles over fmt's consteval; g++ has checked the same text already
#define FMT_CONSTEVAL
#define FMT_USE_CONSTEXPR 1
#endif
#include <fmt/core.h>

#include <stdexcept>

#include <recto/base/config.hpp>

namespace RECTO {

/// The exception that operations throw for invalid arguments, and readers for invalid files.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws an Error with the formatted message; a separate function, so that checks stay cheap.
[[noreturn]] void refuse(fmt::string_view text, fmt::format_args values);

/// Throws an Error unless `condition` holds. The message is formatted only then.
///
/// @param condition  what must be true
/// @param text       `op: what was wanted, got {}` in fmt syntax, checked at compile time
/// @param values     values for the braces
template <class... Values>
void check(bool condition, fmt::format_string<Values...> text, Values&&... values) {
    if (!condition) [[unlikely]]
        refuse(text, fmt::make_format_args(values...));
}

}  // namespace RECTO
