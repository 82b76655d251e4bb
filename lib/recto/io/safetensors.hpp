#pragma once
/// @file
/// Untrusted files in the format safetensors: eight bytes of header length, a header in JSON, the numbers.
///
/// https://github.com/huggingface/safetensors, little-endian, dense, no gaps. Stricter than the reference reader: no
/// repeated names, at most eight axes, at most 16 MiB of header and 100,000 names of at most 1024 bytes, so that memory
/// stays proportional to the file's length.
#include <array>
#include <map>
#include <vector>

#include <recto/base/shape.hpp>
#include <recto/io/input_file.hpp>
#include <recto/io/scanner.hpp>

namespace RECTO::io {

/// A type of numbers in a file.
struct StoredType {
    std::string_view name;  ///< its name in the format
    Index bytes;            ///< bytes of one number
};

/// All types that can be read.
inline constexpr std::array<StoredType, 15> stored_types = {{{"F64", 8},
                                                             {"F32", 4},
                                                             {"F16", 2},
                                                             {"BF16", 2},
                                                             {"F8_E4M3", 1},
                                                             {"F8_E5M2", 1},
                                                             {"I64", 8},
                                                             {"I32", 4},
                                                             {"I16", 2},
                                                             {"I8", 1},
                                                             {"U64", 8},
                                                             {"U32", 4},
                                                             {"U16", 2},
                                                             {"U8", 1},
                                                             {"BOOL", 1}}};

/// A tensor as declared in the header.
struct Declared {
    std::string name;       ///< its name; any UTF-8, so messages show it escaped()
    std::string_view type;  ///< name of one of stored_types
    Shape shape;            ///< its shape
    Index begin = 0;        ///< first byte of its numbers, relative to the end of the header ...
    Index end = 0;          ///< ... and the byte after its last
    Index place = 0;        ///< position of the declaration in the header, for messages
};

/// All declarations of a header.
struct SafetensorsHeader {
    std::vector<Declared> tensors;             ///< sorted by the position of their bytes
    std::map<std::string, std::string> notes;  ///< its `__metadata__`
};

/// Reads a header: unique names; types, extents and bytes that agree; bytes that follow one another without gaps, from
/// 0 to exactly `data_bytes`.
/// @throws BadFile
SafetensorsHeader parse_safetensors(std::string_view text, Index data_bytes);

/// The header text for these declarations, padded with spaces to a multiple of eight bytes.
/// @throws Error when it would be too large to be read back
std::string write_safetensors(const SafetensorsHeader& header);

/// An open file whose header has been read and agrees with its length. The numbers are read on request.
class SafetensorsFile {
public:
    /// @throws Error `path: byte N: reason`
    explicit SafetensorsFile(const std::string& path);

    SafetensorsHeader header;  ///< The declarations.

    const InputFile& file() const { return file_; }  ///< The file.
    Index data() const { return data_; }             ///< Offset of the first number.
    /// Throws an Error about the declaration of a tensor.
    [[noreturn]] void fail(const Declared& tensor, std::string_view reason) const;

private:
    InputFile file_;
    Index data_ = 0;
};

}  // namespace RECTO::io
