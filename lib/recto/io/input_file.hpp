#pragma once
/// @file
/// Files from strangers: regular ones only, read by place, and called by their name when they are something else.
#include <string>
#include <string_view>

#include <recto/base/check.hpp>

namespace RECTO::io {

/// An open file of which nothing is believed. Every complaint is an Error `path: byte N: reason` on one line,
/// whatever the path holds.
class InputFile {
public:
    /// Opens a regular file. Directories, pipes and devices are refused without waiting for them. @throws Error
    explicit InputFile(std::string path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    Index size() const { return size_; }  ///< Its length in bytes when it was opened.

    /// Reads these bytes. Files are read, never mapped: one that shrinks meanwhile is an error, not a signal.
    /// @throws Error at the byte where the file ends or cannot be read
    void read(void* to, Index place, Index bytes) const;

    /// Refuses a file whose length is no longer that of the beginning. @throws Error
    void expect_unchanged() const;

    /// Refuses to hold more than this machine has. @param place  where that much is declared. @throws Error
    void expect_memory(Index bytes, Index place) const;

    /// Complains about a byte. @throws Error
    [[noreturn]] void fail(Index place, std::string_view reason) const;

private:
    std::string path_;
    int file_ = -1;
    Index size_ = 0;
};

/// What a file is that begins like this, if it is one of those that are mistaken for data: gzip, an HTML page, a
/// Git LFS pointer, a pickle, a zip archive of torch.save. Empty when it is none of them.
/// @param start  its first bytes; 256 suffice
std::string_view known_kind(std::string_view start);

}  // namespace RECTO::io
