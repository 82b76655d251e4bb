#pragma once
/// @file
/// Shape: how many numbers along each axis. At most eight axes, so that it never allocates and
/// travels into kernels by value.
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <recto/base/check.hpp>

namespace RECTO {

inline constexpr int max_rank = 8;  ///< The most axes a tensor may have.

/// One number per axis: strides, or places to read from.
using PerAxis = std::array<Index, max_rank>;

/// The extent of a tensor along each axis; the last axis varies fastest.
class Shape {
public:
    /// The shape of a single number: no axes, one element.
    Shape() = default;

    /// One extent per axis. @throws Error when an extent is negative, there are more than eight, or
    /// their product does not fit in an Index
    Shape(std::initializer_list<Index> extents) : Shape(std::span(extents.begin(), extents.size())) {}

    /// The same from any run of extents, such as those a file declared.
    explicit Shape(std::span<const Index> extents);

    RECTO_HD int dim() const { return dim_; }  ///< Number of axes.
    Index numel() const { return numel_; }     ///< Number of elements; 1 for no axes, 0 if any extent is 0.

    /// Extent along `axis`; negative axes count from the end. @throws Error when there is no such axis
    Index size(int axis) const { return extents_[std::size_t(this->axis(axis, "size"))]; }

    /// `axis` as a number from 0 to dim() - 1. @param op  who asks, for the message. @throws Error when there is no such axis
    int axis(int axis, std::string_view op = "axis") const;

    RECTO_HD Index operator[](int axis) const { return extents_[std::size_t(axis)]; }  ///< Unchecked extent.
    const Index* begin() const { return extents_.data(); }                             ///< First extent.
    const Index* end() const { return extents_.data() + dim_; }                        ///< Past the last extent.

    Shape with(int axis, Index extent) const;  ///< The same shape with another extent along `axis`.
    Shape without(int axis) const;             ///< The same shape with `axis` removed.
    PerAxis strides() const;                   ///< Distance between neighbours along each axis, row-major.

    /// The same extents along as many axes.
    friend bool operator==(const Shape& a, const Shape& b) { return a.dim_ == b.dim_ && a.extents_ == b.extents_; }

private:
    PerAxis extents_{};  // beyond dim_ always zero, so that equality may compare everything
    Index numel_ = 1;
    int dim_ = 0;
};

/// `(2, 3)`; `()` for a single number.
std::string to_string(const Shape& shape);

/// a * b, refused when it does not fit; every size that comes from a file goes through here.
/// @param what  who asks, for the message
Index checked_product(Index a, Index b, std::string_view what);

/// The shape that both stretch to: aligned at the last axis, extents equal or 1.
/// @param op  who asks, for the message. @throws Error when the shapes do not fit together
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
