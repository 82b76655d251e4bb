#pragma once
/// @file
/// The bytes of a file that may be compressed with gzip, one after the other, for readers that trust nobody.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <recto/core/check.hpp>

namespace RECTO::data {

/// An open file. Every complaint is an Error `FILE, byte offset N: reason`.
class ByteSource {
public:
    /// Opens a regular file and looks whether it is compressed. @throws Error
    explicit ByteSource(std::string path);
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// Reads exactly `count` bytes. @throws Error when the file ends before, or is damaged
    void read(std::uint8_t* to, std::size_t count);

    /// Refuses a file whose content is not exactly `size` bytes long as far as can be told without reading it: a
    /// plain one by its length, a compressed one because no compressed byte yields more than 1032.
    void expect_size(std::size_t size) const;

    /// Refuses anything that follows what was read. @throws Error
    void expect_end();

    std::size_t offset() const { return offset_; }  ///< How many bytes of content were read.

    /// Complains about the content at `offset`.
    [[noreturn]] void fail(std::size_t offset, std::string_view reason) const;

private:
    struct Inflater;
    bool fill();  // reads more compressed bytes; false at the end of the file
    std::size_t inflate_into(std::uint8_t* to, std::size_t count);
    [[noreturn]] void complain(std::size_t offset, std::string_view reason) const;

    std::string path_;
    std::FILE* file_ = nullptr;
    std::size_t length_ = 0, offset_ = 0;
    std::unique_ptr<Inflater> inflater_;  // none for a plain file
};

/// Every file that this program has opened for reading as data, in order, each once. A page notes them in its
/// trace, so that it runs again when one changes.
const std::vector<std::string>& files_read();

}  // namespace RECTO::data
