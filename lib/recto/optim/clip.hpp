#pragma once
/// @file
/// Gradient clipping.
#include <utility>

#include <recto/core/integers.hpp>
#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// A length that a device may still be computing: conversion to a number waits for the device.
class Length {
public:
    Length(double length) : here_(length) {}                       ///< A known length.
    explicit Length(Integers there) : there_(std::move(there)) {}  ///< The bits of a double, on a device.
    operator double() const;                                       ///< Waits for the device if necessary.

private:
    double here_ = 0;
    Integers there_;
};

/// Scales the gradients of all parameters, as one vector, to a length of at most `most` (Pascanu et al., 2013): \f$ g
/// \leftarrow g \min(1, m / \lVert g \rVert) \f$. Call it between backward() and step().
/// @return  the length before clipping, available at once only on cpu; parameters without a gradient count as 0. If
///          it is not finite, no gradient changes
/// @throws Error when `most` is negative or NaN
Length clip_norm(const NamedTensors& parameters, double most);

/// Clips every element of the gradients to [-most, most]; NaN stays NaN. @throws Error when `most` is negative or NaN
void clip_value(const NamedTensors& parameters, double most);

}  // namespace RECTO::optim
