#pragma once
/// @file
/// Integers: labels, tokens and positions. They have shape and device like a Tensor, and no gradient.
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
    /// Numbers not yet written.
    explicit Integers(Shape shape, Device device = Device::cpu);
    /// These numbers, row after row. @throws Error when their count does not fit the shape
    Integers(Shape shape, std::span<const Index> values, Device device = Device::cpu);
    /// The same from a list in braces.
    Integers(Shape shape, std::initializer_list<Index> values, Device device = Device::cpu)
        : Integers(shape, std::span(values.begin(), values.size()), device) {}

    bool defined() const { return storage_ != nullptr; }      ///< Does it hold anything?
    const Shape& shape() const { return shape_; }             ///< Extent along each axis.
    int dim() const { return shape_.dim(); }                  ///< Number of axes.
    Index size(int axis) const { return shape_.size(axis); }  ///< Extent along one axis; -1 is the last.
    Index numel() const { return shape_.numel(); }            ///< Number of elements.
    Device device() const;                                    ///< Where the numbers are.
    const Index* data() const;                                ///< For kernels on its device.
    Index* write();                                           ///< The same for writing; counts as a change.
    std::uint64_t version() const;                            ///< How often its storage was changed; 0 if undefined.
    bool changed_since(std::uint64_t version) const;          ///< Was any of its numbers changed after that?
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

/// Refuses values outside [0, classes), naming the first and where it is: at once on cpu and sim. On cuda, and in a
/// captured step, a kernel looks, and the Error comes when the host next waits for the device, as it does to copy a
/// number back or in synchronize(); kernels that use such values must not read outside.
/// @param op       who asks, for the message; a literal
/// @param ignored  a value that is let through
void check_labels(const Integers& labels, Index classes, const char* op, std::optional<Index> ignored = {});

/// The same for values of another kind.
/// @param text  the message, a literal in fmt syntax: {0} is `op`, {1} `end` - 1, {2} the value, {3} its position
void check_range(const Integers& values, Index end, const char* op, const char* text,
                 std::optional<Index> ignored = {});

}  // namespace RECTO
