#pragma once
/// @file
/// Integers: an array of labels, tokens or positions. It has a shape and a device like a Tensor, and no gradient.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <recto/base/shape.hpp>
#include <recto/device/storage.hpp>

namespace RECTO {

/// An array of Index, row-major and dense; copying one copies a handle.
class Integers {
public:
    Integers() = default;  ///< Undefined.
    /// An uninitialised array.
    explicit Integers(Shape shape, Device device = Device::cpu);
    /// An array of these values, row-major. @throws Error when their count does not fit the shape
    Integers(Shape shape, std::span<const Index> values, Device device = Device::cpu);
    /// An array from a list in braces.
    Integers(Shape shape, std::initializer_list<Index> values, Device device = Device::cpu)
        : Integers(shape, std::span(values.begin(), values.size()), device) {}

    bool defined() const { return storage_ != nullptr; }      ///< Whether it holds an array.
    const Shape& shape() const { return shape_; }             ///< Extent along each axis.
    int dim() const { return shape_.dim(); }                  ///< Number of axes.
    Index size(int axis) const { return shape_.size(axis); }  ///< Extent along one axis; -1 is the last.
    Index numel() const { return shape_.numel(); }            ///< Number of elements.
    Device device() const;                                    ///< The device that holds the numbers.
    const Index* data() const;                                ///< Address of the first element, on its device.
    Index* write();                                           ///< Address for writing; counts as a change.
    std::uint64_t version() const;                            ///< How often its storage was changed; 0 if undefined.
    bool changed_since(std::uint64_t version) const;          ///< Whether an element changed after this version.
    std::vector<Index> values() const;                        ///< A copy on the host, from any device.
    void copy_(const Integers& from);              ///< Overwrites the numbers. @throws Error unless shapes are equal
    Integers to(Device device) const;              ///< The same numbers on another device.
    Integers reshape(Shape shape) const;           ///< The same numbers in another shape.
    Integers slice(Index begin, Index end) const;  ///< A copy of elements [begin, end) of the first axis.

private:
    friend std::shared_ptr<Storage> storage_of(const Integers& x);

    std::shared_ptr<Storage> storage_;
    Shape shape_;
};

/// Rejects values outside [0, classes) and reports the first one and its position: at once on cpu and sim. On cuda, and
/// in a captured step, a kernel checks asynchronously, and the Error is thrown when the host next waits for the device,
/// for example to copy a number back or in synchronize(). Kernels that run before must therefore not read out of bounds
/// for such values.
/// @param op       the operation's name, for the message; a literal
/// @param ignored  a value outside the range that is accepted
void check_labels(const Integers& labels, Index classes, const char* op, std::optional<Index> ignored = {});

/// Rejects values outside [0, end) with a message of your own; asynchronous where check_labels() is.
/// @param text  the message, a literal in fmt syntax: {0} is `op`, {1} `end` - 1, {2} the value, {3} its position
void check_range(const Integers& values, Index end, const char* op, const char* text,
                 std::optional<Index> ignored = {});

}  // namespace RECTO
