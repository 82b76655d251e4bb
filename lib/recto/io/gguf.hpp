#pragma once
/// @file
/// Untrusted files in the format GGUF, in which llama.cpp keeps language models: notes, declared tensors, the numbers.
///
/// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little-endian. Stricter than the
/// reference reader: names are unique, UTF-8 and of at most 1024 bytes, tensors do not overlap, lists are not nested.
/// Memory stays proportional to the file's length.
#include <array>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <recto/core/quantized_tensor.hpp>
#include <recto/core/tensor.hpp>
#include <recto/io/input_file.hpp>

namespace RECTO::io {

/// A type of numbers in a GGUF file.
struct GgufType {
    std::string_view name;  ///< its name, such as `Q4_0`
    std::uint32_t code;     ///< its number in a file
    Index block;            ///< numbers in a block: 1 for plain numbers
    Index bytes;            ///< bytes of a block
};

/// All types that can be declared. read_gguf() reads F32, F16, BF16 and the block_formats.
inline constexpr std::array<GgufType, 19> gguf_types = {{{"F32", 0, 1, 4},
                                                         {"F16", 1, 1, 2},
                                                         {"Q4_0", 2, 32, 18},
                                                         {"Q4_1", 3, 32, 20},
                                                         {"Q5_0", 6, 32, 22},
                                                         {"Q5_1", 7, 32, 24},
                                                         {"Q8_0", 8, 32, 34},
                                                         {"Q2_K", 10, 256, 84},
                                                         {"Q3_K", 11, 256, 110},
                                                         {"Q4_K", 12, 256, 144},
                                                         {"Q5_K", 13, 256, 176},
                                                         {"Q6_K", 14, 256, 210},
                                                         {"Q8_K", 15, 256, 292},
                                                         {"I8", 24, 1, 1},
                                                         {"I16", 25, 1, 2},
                                                         {"I32", 26, 1, 4},
                                                         {"I64", 27, 1, 8},
                                                         {"F64", 28, 1, 8},
                                                         {"BF16", 30, 1, 2}}};

/// The value of a note. Whole numbers of every width are an Index; a list of truth values is a list of 0 and 1.
using GgufValue =
    std::variant<bool, Index, double, std::string, std::vector<Index>, std::vector<double>, std::vector<std::string>>;
/// The notes of a file, by key.
using GgufNotes = std::map<std::string, GgufValue>;

/// A tensor as declared in a file.
struct GgufTensor {
    std::string name;  ///< its name; any UTF-8, so messages show it escaped()
    GgufType type;     ///< type of its numbers
    Shape shape;       ///< its shape, the last axis contiguous; the file lists the axes the other way round
    Index begin = 0;   ///< first byte of its numbers in the file ...
    Index end = 0;     ///< ... and the byte after its last
    Index place = 0;   ///< position of the declaration in the file, for messages
};

/// An open file whose notes and declarations have been read and agree with its length. The numbers are read on request.
class GgufFile {
public:
    /// Reads notes and declarations. @throws Error `path: byte N: reason`
    explicit GgufFile(const std::string& path);

    GgufNotes notes;                  ///< the notes
    std::vector<GgufTensor> tensors;  ///< the declarations, in their order in the file

    const InputFile& file() const { return file_; }  ///< The file.
    /// The tensor of this name. @throws Error when it is missing
    const GgufTensor& tensor(std::string_view name) const;
    /// Whether there is a tensor of this name.
    bool has(std::string_view name) const;
    /// The note of this key and type. @throws Error when it is missing or has another type
    template <class Value>
    const Value& note(const std::string& key) const {
        const auto found = notes.find(key);
        if (found == notes.end()) file_.fail(0, fmt::format("wants the note '{}'", key));
        const Value* value = std::get_if<Value>(&found->second);
        if (!value) file_.fail(0, fmt::format("the note '{}' has another type than wanted", key));
        return *value;
    }
    /// The note of this key, or `otherwise` if it is missing. @throws Error when it has another type
    template <class Value>
    Value note_or(const std::string& key, Value otherwise) const {
        return notes.contains(key) ? note<Value>(key) : otherwise;
    }
    /// Throws an Error about the declaration of a tensor.
    [[noreturn]] void fail(const GgufTensor& tensor, std::string_view reason) const;

private:
    InputFile file_;
    std::map<std::string, std::size_t, std::less<>> places_;  // of each name in `tensors`
};

/// Reads a tensor; blocks are restored. @throws Error `path: byte N: reason`, also for a type that is not read here
Tensor read_gguf(const GgufFile& source, const GgufTensor& tensor, Device device = Device::cpu);

/// Reads a tensor in one of the block_formats as it is stored. @throws Error `path: byte N: reason`
QuantizedTensor read_gguf_blocks(const GgufFile& source, const GgufTensor& tensor, Device device = Device::cpu);

/// Whether a tensor is stored in one of the block_formats.
bool is_blocks(const GgufTensor& tensor);

/// A tensor to be written: plain numbers as F32, or blocks.
struct GgufWritten {
    std::string name;                               ///< its name
    std::variant<Tensor, QuantizedTensor> numbers;  ///< its numbers
};

/// Writes a file of version 3, safe against crashes.
/// @throws Error when a name is repeated or not UTF-8, a tensor has more than four axes, or the file cannot be written
void write_gguf(const std::string& path, const GgufNotes& notes, std::span<const GgufWritten> tensors);

}  // namespace RECTO::io
