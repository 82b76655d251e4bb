#pragma once
/// @file
/// Files of named tensors in the format safetensors: eight bytes of header length, a header in JSON, the numbers.
///
/// https://github.com/huggingface/safetensors, little-endian, dense, no gaps.
#include <map>

#include <recto/core/named_tensors.hpp>

namespace RECTO::io {

using Notes = std::map<std::string, std::string>;  ///< Metadata of a file, by key.

/// The content of a file.
struct ParameterFile {
    NamedTensors tensors;  ///< in the order of their numbers in the file
    Notes notes;           ///< its `__metadata__`
};

/// Writes named tensors, safe against crashes: float as F32, in the double build as F64.
/// @param notes  metadata
/// @throws Error when a name is repeated, reserved or not UTF-8, or the file cannot be written
void save_parameters(const std::string& path, const NamedTensors& tensors, const Notes& notes = {});

/// Reads a file of named tensors, bit for bit. Everything that the file declares is checked before memory is allocated:
/// lengths, products of extents, types, and that the numbers follow one another and fill the file.
///
/// Both builds read F32, F16 and BF16; only the double build reads F64, since nothing is rounded silently. Beside the
/// tensors themselves, reading takes less than 64 MiB for any file.
/// @throws Error: `path: byte N: reason`
ParameterFile read_parameters(const std::string& path, Device device = Device::cpu);

/// Reads only the tensors. @throws Error as read_parameters()
NamedTensors load_parameters(const std::string& path, Device device = Device::cpu);

}  // namespace RECTO::io
