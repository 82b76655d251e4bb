#pragma once
/// @file
/// What all fuzz targets do: lay the bytes down as a file, and stop on anything but an answer or an orderly complaint.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include <fmt/core.h>

#include <recto/base/check.hpp>

namespace RECTO::fuzz {

/// Stops the fuzzer, which then keeps the input.
[[noreturn]] inline void broken(const std::string& why) {
    fmt::print(stderr, "broken promise: {}\n", why);
    std::abort();
}

/// A file in memory, the same for all inputs.
inline const std::string& file_of(const std::uint8_t* bytes, std::size_t count) {
    static const int file = ::memfd_create("fuzz", 0);
    static const std::string path = fmt::format("/proc/self/fd/{}", file);
    if (::ftruncate(file, 0) != 0 || ::pwrite(file, bytes, count, 0) != ssize_t(count)) broken("no file in memory");
    return path;
}

/// Calls `read(path)` on a file of these bytes. It may throw an Error `path: byte N: reason` on one line, nothing else.
template <class Read>
void judge(const std::uint8_t* bytes, std::size_t count, const Read& read) {
    const std::string& path = file_of(bytes, count);
    try {
        read(path);
    } catch (const Error& error) {
        const std::string text = error.what(), start = path + ": byte ";
        const std::size_t digits = text.find_first_not_of("0123456789", start.size());
        if (!text.starts_with(start) || digits == start.size() || text.compare(digits, 2, ": ") != 0) broken(text);
        for (const char c : text)
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) broken("a control character in: " + text);
    }
}

}  // namespace RECTO::fuzz
