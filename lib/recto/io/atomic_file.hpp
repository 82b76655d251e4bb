#pragma once
/// @file
/// Files that are either the old ones or the new ones, never half of each, whatever happens meanwhile.
#include <string>
#include <string_view>

#include <recto/base/check.hpp>

namespace RECTO::io {

/// A file being written: bytes go to a temporary file in the same directory and take the name at
/// `commit()`. Without a commit the destructor removes them and the old file is as it was. A writer that is killed
/// leaves its temporary file behind, hidden; the next commit of the same file removes it.
class AtomicFile {
public:
    /// Opens a temporary file beside `path`; an existing `path` must be a regular file (a link is
    /// followed, so that it stays a link). @throws Error with the path and the system's reason
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Appends bytes. @throws Error when they cannot be written, such as on a full disk
    void write(std::string_view bytes);

    /// Makes the bytes durable and gives them the name: flush to disk, checked close, rename, flush of
    /// the directory. Keeps the permissions of the file it replaces. @throws Error
    void commit();

private:
    [[noreturn]] void fail(const char* step);

    std::string path_, temporary_;
    int file_ = -1;
};

/// Writes a whole file crash-safely. @throws Error
void write_file(const std::string& path, std::string_view bytes);

/// Makes a directory and those above it; an existing one is fine. @throws Error
void make_directories(const std::string& path);

}  // namespace RECTO::io
