#pragma once
/// @file
/// Files of named tensors, in the format safetensors: eight bytes of header length, a header in JSON, the numbers.
///
/// https://github.com/huggingface/safetensors, little-endian, dense, no gaps.
#include <map>

#include <recto/core/named_tensors.hpp>

namespace RECTO::io {

using Notes = std::map<std::string, std::string>;  ///< Metadata of a file, by key.

/// What a file holds.
struct ParameterFile {
    NamedTensors tensors;  ///< in the order in which their numbers lie in the file
    Notes notes;           ///< its `__metadata__`
};

/// Writes named tensors crash-safely: float as F32, in the double build as F64.
/// @param notes  what else to write down
/// @throws Error when a name comes twice, is reserved or is not UTF-8, or the file cannot be written
void save_parameters(const std::string& path, const NamedTensors& tensors, const Notes& notes = {});

/// Reads a file of named tensors, bit for bit. Everything the file declares is checked before memory is asked for:
/// lengths, products of extents, types, that the numbers lie one after another and fill the file.
///
/// F32, F16 and BF16 are read by both builds, F64 by the double build only, since nothing is rounded silently. Beside
/// the tensors themselves less than 64 MiB are held, whatever the file says.
/// @throws Error: `path: byte N: reason`
ParameterFile read_parameters(const std::string& path, Device device = Device::cpu);

/// Only the tensors. @throws Error as read_parameters()
NamedTensors load_parameters(const std::string& path, Device device = Device::cpu);

}  // namespace RECTO::io
