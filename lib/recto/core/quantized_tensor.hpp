#pragma once
/// @file
/// QuantizedTensor: numbers stored in blocks of 32 with few bits each, on any device.
#include <memory>
#include <span>
#include <vector>

#include <recto/base/block_formats.hpp>
#include <recto/base/shape.hpp>
#include <recto/device/storage.hpp>

namespace RECTO {

/// An array in one of the block_formats: a shape, a format and bytes. Every row of its last axis is a whole number of
/// blocks, and the blocks follow one another row by row, as in a GGUF file. Copying one copies a handle; its numbers
/// never change. quantize() makes one from a Tensor.
class QuantizedTensor {
public:
    QuantizedTensor() = default;  ///< Undefined.
    /// An array of these bytes. @throws Error when the last axis is not whole blocks or the bytes do not fit the shape
    QuantizedTensor(Shape shape, BlockFormat format, std::span<const std::uint8_t> bytes, Device device = Device::cpu);
    /// An array whose bytes a kernel writes to data() of this storage. @throws Error when it does not fit
    QuantizedTensor(Shape shape, BlockFormat format, std::shared_ptr<Storage> storage);

    bool defined() const { return storage_ != nullptr; }         ///< Whether it holds an array.
    const Shape& shape() const { return shape_; }                ///< Extent along each axis, in numbers.
    int dim() const { return shape_.dim(); }                     ///< Number of axes.
    Index size(int axis) const { return shape_.size(axis); }     ///< Extent along one axis; -1 is the last.
    Index numel() const { return shape_.numel(); }               ///< Number of numbers.
    Index blocks() const { return numel() / block_size; }        ///< Number of blocks.
    Index nbytes() const { return blocks() * format_.bytes(); }  ///< Number of bytes.
    BlockFormat format() const { return format_; }               ///< How a block is stored.
    Device device() const;                                       ///< The device that holds the bytes.
    const std::uint8_t* data() const;                            ///< Address of the first byte, on its device.
    std::vector<std::uint8_t> bytes() const;                     ///< A copy on the host, from any device.
    QuantizedTensor to(Device device) const;                     ///< The same numbers on another device.

private:
    std::shared_ptr<Storage> storage_;
    Shape shape_;
    BlockFormat format_ = q8_0;
};

/// The bytes that an array of this shape takes. @throws Error unless its last axis is a whole number of blocks
/// @param op  the operation's name, for the message
Index quantized_bytes(const Shape& shape, BlockFormat format, std::string_view op);

}  // namespace RECTO
