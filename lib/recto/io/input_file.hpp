#pragma once
/// @file
/// Untrusted input files: regular files only, read by offset; error messages name other common formats.
#include <string>
#include <string_view>

#include <recto/base/check.hpp>

namespace RECTO::io {

/// An open, untrusted file. Every error is an Error `path: byte N: reason` on one line, for any characters in the path.
class InputFile {
public:
    /// Opens a regular file. Directories, pipes and devices are rejected without waiting for them. @throws Error
    explicit InputFile(std::string path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    Index size() const { return size_; }  ///< Its length in bytes when it was opened.

    /// Reads these bytes. Files are read, never mapped, so that a file that shrinks causes an error, not a signal.
    /// @throws Error at the byte where the file ends or cannot be read
    void read(void* to, Index place, Index bytes) const;

    /// Rejects a file whose length has changed since it was opened. @throws Error
    void expect_unchanged() const;

    /// Checks that this machine has `bytes` bytes of memory. @param place  where the file declares them   @throws Error
    void expect_memory(Index bytes, Index place) const;

    /// Throws an Error about the byte at `place`.
    [[noreturn]] void fail(Index place, std::string_view reason) const;

private:
    std::string path_;
    int file_ = -1;
    Index size_ = 0;
};

/// The format of a file that begins with these bytes, if it is often mistaken for data: gzip, an HTML page, a Git LFS
/// pointer, a pickle, a zip archive of torch.save. Empty for other formats.
/// @param start  its first bytes; 256 suffice
std::string_view known_kind(std::string_view start);

}  // namespace RECTO::io
