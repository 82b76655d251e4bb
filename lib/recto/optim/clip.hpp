#pragma once
/// @file
/// Gradients kept from being too long.
#include <utility>

#include <recto/core/integers.hpp>
#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// A length that may still be on its way from a device: whoever reads it as a number waits.
class Length {
public:
    Length(double length) : here_(length) {}                       ///< Known already.
    explicit Length(Integers there) : there_(std::move(there)) {}  ///< The bits of a double, on a device.
    operator double() const;                                       ///< The number.

private:
    double here_ = 0;
    Integers there_;
};

/// Shortens the gradients of all parameters, seen as one vector, to a length of at most `most`
/// (Pascanu et al., 2013): \f$ g \leftarrow g \min(1, m / \lVert g \rVert) \f$. To be called between backward() and
/// step().
/// @return  the length before, which only cpu knows at once; parameters without a gradient count as 0. When it is not
///          finite nothing is changed.
/// @throws Error when `most` is negative or NaN
Length clip_norm(const NamedTensors& parameters, double most);

/// Cuts every number of the gradients to [-most, most]; NaN stays. @throws Error when `most` is negative or NaN
void clip_value(const NamedTensors& parameters, double most);

}  // namespace RECTO::optim
