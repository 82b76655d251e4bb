#pragma once
/// @file
/// Reads IDX files, the format of MNIST and similar sets, plain or compressed with gzip.
///
/// An IDX file consists of two zero bytes, a type code, the number of axes, one big-endian 32-bit extent per axis, then
/// the numbers, big-endian, the last axis fastest (LeCun, Cortes and Burges, "The MNIST database", file formats).
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>
#include <recto/io/byte_source.hpp>

namespace RECTO::data {

/// The types of numbers in IDX files, with the codes of the format.
enum class IdxType : std::uint8_t { u8 = 0x08, i8 = 0x09, i16 = 0x0B, i32 = 0x0C, f32 = 0x0D, f64 = 0x0E };

/// Bytes per number; 0 for a code that the format does not know.
std::size_t bytes_of(IdxType type);
/// The number that these big-endian bytes encode.
double number_of(IdxType type, const std::uint8_t* bytes);

/// The header of an IDX file.
struct IdxHeader {
    IdxType type{};         ///< type of the numbers
    Shape shape;            ///< extent along each axis
    std::size_t place = 0;  ///< offset of the first number

    std::size_t bytes() const { return std::size_t(shape.numel()) * bytes_of(type); }  ///< Bytes of all numbers.
};

/// Reads type and extents, and rejects a file whose size contradicts them, if the size is known before the numbers are
/// read.
/// @throws Error `path: byte N: reason`
IdxHeader read_idx_header(io::ByteSource& source);

/// The content of an IDX file, unconverted.
struct Idx {
    IdxType type{};                             ///< type of the numbers
    Shape shape;                                ///< extent along each axis
    std::shared_ptr<const std::uint8_t[]> raw;  ///< the numbers, big-endian

    std::span<const std::uint8_t> bytes() const;  ///< The bytes of all numbers.
    double number(Index i) const;                 ///< Number i; unchecked.
};

/// Reads a whole file. Type, axes, product of the extents and length are checked before memory is allocated, never more
/// than the file declares and can contain. A file that is truncated, damaged, too long or not a regular file is
/// rejected. Memory beside the numbers stays below 64 MiB.
/// @throws Error `path: byte N: reason`
Idx read_idx(const std::string& path);

/// The numbers times `scale`, in Real.
Tensor tensor_of(const Idx& content, Real scale = 1);
/// The numbers as integers. @throws Error when the file contains fractions (f32, f64)
Integers integers_of(const Idx& content);

}  // namespace RECTO::data
