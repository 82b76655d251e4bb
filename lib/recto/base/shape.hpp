#pragma once
/// @file
/// Shape: the extent of a tensor along each axis. At most eight axes, so that a Shape never allocates and is passed to
/// kernels by value.
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <recto/base/check.hpp>

namespace RECTO {

inline constexpr int max_rank = 8;  ///< The most axes a tensor may have.

/// One number per axis, such as strides or offsets.
using PerAxis = std::array<Index, max_rank>;

/// The extent of a tensor along each axis; the last axis varies fastest.
class Shape {
public:
    /// The shape of a single number: no axes, one element.
    Shape() = default;

    /// One extent per axis. @throws Error when an extent is negative, there are more than eight, or
    /// their product does not fit in an Index
    Shape(std::initializer_list<Index> extents) : Shape(std::span(extents.begin(), extents.size())) {}

    /// One extent per axis, from any contiguous range. @throws Error as with a list
    explicit Shape(std::span<const Index> extents);

    RECTO_HD int dim() const { return dim_; }  ///< Number of axes.
    Index numel() const { return numel_; }     ///< Number of elements; 1 for no axes, 0 if any extent is 0.

    /// Extent along `axis`; negative axes count from the end. @throws Error when there is no such axis
    Index size(int axis) const { return extents_[std::size_t(this->axis(axis, "size"))]; }

    /// `axis` as a number from 0 to dim() - 1. @param op  the operation's name, for the message. @throws Error when
    /// there is no such axis
    int axis(int axis, std::string_view op = "axis") const;

    RECTO_HD Index operator[](int axis) const { return extents_[std::size_t(axis)]; }  ///< Unchecked extent.
    const Index* begin() const { return extents_.data(); }                             ///< First extent.
    const Index* end() const { return extents_.data() + dim_; }                        ///< Past the last extent.

    Shape with(int axis, Index extent) const;  ///< A copy with another extent along `axis`.
    Shape without(int axis) const;             ///< A copy without `axis`.
    PerAxis strides() const;                   ///< Distance between neighbours along each axis, row-major.

    /// Whether both have the same number of axes and the same extents.
    friend bool operator==(const Shape& a, const Shape& b) { return a.dim_ == b.dim_ && a.extents_ == b.extents_; }

private:
    PerAxis extents_{};  // beyond dim_ always zero, so that equality may compare everything
    Index numel_ = 1;
    int dim_ = 0;
};

/// The shape as text: `(2, 3)`; `()` for a single number.
std::string to_string(const Shape& shape);

/// a * b, checked for overflow. Every size that comes from a file uses this. @throws Error when the product does not
/// fit
/// @param what  what is computed, for the message
Index checked_product(Index a, Index b, std::string_view what);

/// The shape that both broadcast to: aligned at the last axis, extents equal or 1.
/// @param op  the operation's name, for the message. @throws Error when the shapes do not fit together
Shape broadcast(const Shape& a, const Shape& b, std::string_view op);

}  // namespace RECTO

/// Prints a Shape as `(2, 3)`.
template <>
struct fmt::formatter<recto::Shape> {
    /// No options.
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    /// Writes the extents.
    template <class Context>
    auto format(const recto::Shape& shape, Context& context) const {
        return fmt::format_to(context.out(), "{}", recto::to_string(shape));
    }
};
