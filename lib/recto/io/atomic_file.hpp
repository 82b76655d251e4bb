#pragma once
/// @file
/// Files that contain either the old or the new content, never a part of each, even after a crash.
#include <string>
#include <string_view>

#include <recto/base/check.hpp>

namespace RECTO::io {

/// A file being written: bytes go to a temporary file in the same directory, which gets the file's name at `commit()`.
/// Without a commit, the destructor removes it and the old file is unchanged. A writer that is killed leaves its
/// temporary file behind, hidden; the next commit of the same file removes it.
class AtomicFile {
public:
    /// Opens a temporary file beside `path`; an existing `path` must be a regular file (links are followed and remain).
    /// @throws Error with the path and the system's reason
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Appends bytes. @throws Error when they cannot be written, such as on a full disk
    void write(std::string_view bytes);

    /// Makes the bytes durable and renames the file: flush to disk, checked close, rename, flush of the directory.
    /// Keeps the permissions of the replaced file. @throws Error with the path and the system's reason
    void commit();

private:
    [[noreturn]] void fail(const char* step);

    std::string path_, temporary_;
    int file_ = -1;
};

/// Writes a whole file, safe against crashes. @throws Error with the path and the system's reason
void write_file(const std::string& path, std::string_view bytes);

/// Makes a directory and its parents; existing ones are fine. @throws Error with the path and the system's reason
void make_directories(const std::string& path);

}  // namespace RECTO::io
