#pragma once
/// @file
/// Reads a file that may be compressed with gzip, in sequence, for readers that check everything.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <recto/io/input_file.hpp>

namespace RECTO::io {

/// An open file. Every error is thrown as an Error `path: byte N: reason`.
class ByteSource {
public:
    /// Opens a regular file and detects compression. @throws Error when it is not a regular file
    explicit ByteSource(const std::string& path);
    ~ByteSource();

    /// Reads exactly `count` bytes. @throws Error when the file ends before, or is damaged
    void read(std::uint8_t* to, std::size_t count);

    /// Reads up to `count` bytes; fewer only at the end. @throws Error when the file is damaged
    std::size_t read_some(std::uint8_t* to, std::size_t count);

    /// Rejects a file whose length shows that its content is not exactly `size` bytes: a plain file must have this
    /// length, and a compressed byte expands to at most 1032 bytes. Also rejects a file that would expand more than a
    /// hundredfold to over 64 MiB: it is not a data set but a decompression bomb.
    void expect_size(std::size_t size) const;

    /// Rejects further bytes after those read, and a file whose length has changed. @throws Error
    void expect_end();

    bool compressed() const { return inflater_ != nullptr; }  ///< Whether it is compressed with gzip.
    std::size_t offset() const { return offset_; }            ///< Bytes of content read so far.
    const InputFile& file() const { return file_; }           ///< The file itself.

    /// Throws an Error about the content at `offset`.
    [[noreturn]] void fail(std::size_t offset, std::string_view reason) const;

private:
    struct Inflater;
    bool fill();  // reads more compressed bytes; false at the end of the file
    std::size_t inflate_into(std::uint8_t* to, std::size_t count);

    InputFile file_;
    std::size_t length_ = 0, place_ = 0, offset_ = 0;  // of the file, in the file, in the content
    std::unique_ptr<Inflater> inflater_;               // null for a plain file
};

/// The text of a file, plain or compressed with gzip. @throws Error `path: byte N: reason`
/// @param most  a text with more bytes is rejected
std::string read_text(const std::string& path, Index most = 64 * 1048576);

/// Every file that this program has opened for reading as data, in order, each once. A page records them in its trace,
/// so that it runs again when one of them changes.
const std::vector<std::string>& files_read();

/// Adds a file to files_read() that a child process has read.
void note_read(const std::string& path);

}  // namespace RECTO::io
