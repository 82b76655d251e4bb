#pragma once
/// @file
/// Elementwise operations on two tensors, with broadcasting; and the selection between two by a mask.
///
/// Shapes are aligned at the last axis; an axis of extent 1, or a missing axis, is broadcast. The gradient of a
/// broadcast input is the sum over the copies. Views are read in place, without a copy. All throw an Error when the
/// shapes cannot be broadcast together or the devices differ. A number in place of a tensor is a constant of shape ().
#include <recto/core/tensor.hpp>

namespace RECTO {

Tensor add(const Tensor& a, const Tensor& b);  ///< a + b, with broadcasting.
Tensor sub(const Tensor& a, const Tensor& b);  ///< a - b, with broadcasting.
Tensor mul(const Tensor& a, const Tensor& b);  ///< a b, elementwise, with broadcasting.
Tensor div(const Tensor& a, const Tensor& b);  ///< a / b, elementwise, with broadcasting.

/// The larger of two numbers; NaN if either is NaN. If both are equal, each gets half of the gradient.
Tensor maximum(const Tensor& a, const Tensor& b);
/// The smaller of two numbers; NaN if either is NaN. If both are equal, each gets half of the gradient.
Tensor minimum(const Tensor& a, const Tensor& b);

/// `a` where the mask is not 0, otherwise `b`; all three are broadcast. Elements that were not selected get gradient 0,
/// never NaN.
Tensor where(const Tensor& mask, const Tensor& a, const Tensor& b);

Tensor add(const Tensor& a, double b);      ///< a + b.
Tensor sub(const Tensor& a, double b);      ///< a - b.
Tensor sub(double a, const Tensor& b);      ///< a - b.
Tensor mul(const Tensor& a, double b);      ///< a b.
Tensor div(const Tensor& a, double b);      ///< a / b.
Tensor div(double a, const Tensor& b);      ///< a / b.
Tensor maximum(const Tensor& a, double b);  ///< The larger; NaN if either is NaN.
Tensor minimum(const Tensor& a, double b);  ///< The smaller; NaN if either is NaN.

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }  ///< add()
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }  ///< sub()
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }  ///< mul(), elementwise
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }  ///< div()
inline Tensor operator+(const Tensor& a, double b) { return add(a, b); }         ///< add()
inline Tensor operator-(const Tensor& a, double b) { return sub(a, b); }         ///< sub()
inline Tensor operator*(const Tensor& a, double b) { return mul(a, b); }         ///< mul()
inline Tensor operator/(const Tensor& a, double b) { return div(a, b); }         ///< div()
inline Tensor operator+(double a, const Tensor& b) { return add(b, a); }         ///< add()
inline Tensor operator-(double a, const Tensor& b) { return sub(a, b); }         ///< sub()
inline Tensor operator*(double a, const Tensor& b) { return mul(b, a); }         ///< mul()
inline Tensor operator/(double a, const Tensor& b) { return div(a, b); }         ///< div()

}  // namespace RECTO
