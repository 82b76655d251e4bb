#pragma once
/// @file
/// Untrusted files in the format safetensors: eight bytes of header length, a header in JSON, the numbers.
///
/// https://github.com/huggingface/safetensors, little-endian, dense, no gaps. Stricter than the reference reader: no
/// name twice, at most eight axes, at most 16 MiB of header and 100,000 names of at most 1024 bytes, so that what a
/// file makes us hold stays in proportion to its length.
#include <array>
#include <map>
#include <vector>

#include <recto/base/shape.hpp>
#include <recto/io/input_file.hpp>
#include <recto/io/scanner.hpp>

namespace RECTO::io {

/// A type that numbers in a file may have.
struct StoredType {
    std::string_view name;  ///< as the format writes it
    Index bytes;            ///< of one number
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

/// One tensor as the header declares it.
struct Declared {
    std::string name;       ///< what it is called; any UTF-8, so that it is shown escaped()
    std::string_view type;  ///< name of one of stored_types
    Shape shape;            ///< its extents
    Index begin = 0;        ///< where its bytes begin, counted from the end of the header ...
    Index end = 0;          ///< ... and where they end
    Index place = 0;        ///< where in the header it is declared, for messages
};

/// Everything that a header declares.
struct SafetensorsHeader {
    std::vector<Declared> tensors;             ///< sorted by where their bytes lie
    std::map<std::string, std::string> notes;  ///< its `__metadata__`
};

/// Reads a header: names, each once; types, extents and bytes that agree; the bytes one after another without gaps,
/// from 0 to exactly `data_bytes`.
/// @throws BadFile
SafetensorsHeader parse_safetensors(std::string_view text, Index data_bytes);

/// The header text for these declarations, padded with spaces to a multiple of eight bytes.
/// @throws Error when it would be too large to be read again
std::string write_safetensors(const SafetensorsHeader& header);

/// An open file whose header has been read and found to agree with its length. The numbers are read when asked for.
class SafetensorsFile {
public:
    /// @throws Error `path: byte N: reason`
    explicit SafetensorsFile(const std::string& path);

    SafetensorsHeader header;  ///< What it declares.

    const InputFile& file() const { return file_; }  ///< Its bytes.
    Index data() const { return data_; }             ///< Where the numbers begin.
    /// Throws an Error about the declaration of a tensor.
    [[noreturn]] void fail(const Declared& tensor, std::string_view reason) const;

private:
    InputFile file_;
    Index data_ = 0;
};

}  // namespace RECTO::io
