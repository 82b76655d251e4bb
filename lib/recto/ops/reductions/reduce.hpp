#pragma once
/// @file
/// Reductions along any axes: sum, mean, max, min, argmax, logsumexp.
///
/// Axes are listed in braces, sum(x, {0, 2}), or passed as a computed span or vector, sum(x, axes). Negative ones count
/// from the end. Reduced axes disappear, or stay with extent 1 under Keep::yes, so that the result can be broadcast
/// with `x`. Additions run in blocks, in an order that depends on the shape alone: a long sum does not depend on the
/// number of threads, and small terms are not lost. All functions throw an Error for an axis that does not exist or is
/// named twice.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Whether reduced axes stay, with extent 1.
enum class Keep {
    no,   ///< They disappear.
    yes,  ///< They stay with extent 1.
};

Tensor sum(const Tensor& x);                                                         ///< Over all elements, shape ().
Tensor sum(const Tensor& x, std::initializer_list<int> axes, Keep keep = Keep::no);  ///< 0 along an empty axis.
/// sum() along computed axes.
Tensor sum(const Tensor& x, std::span<const int> axes, Keep keep = Keep::no);
Tensor mean(const Tensor& x);                                                         ///< Over all elements, shape ().
Tensor mean(const Tensor& x, std::initializer_list<int> axes, Keep keep = Keep::no);  ///< NaN along an empty axis.
/// mean() along computed axes.
Tensor mean(const Tensor& x, std::span<const int> axes, Keep keep = Keep::no);

/// The largest of all elements; NaN if any is NaN. The gradient goes to the first largest. @throws Error when `x` is
/// empty
Tensor max(const Tensor& x);
/// The largest along some axes; NaN if any is NaN. The gradient goes to the first largest in row-major order.
/// @throws Error when an axis is empty
Tensor max(const Tensor& x, std::initializer_list<int> axes, Keep keep = Keep::no);
/// max() along computed axes.
Tensor max(const Tensor& x, std::span<const int> axes, Keep keep = Keep::no);

/// The smallest of all elements; as max().
Tensor min(const Tensor& x);
/// The smallest along some axes; as max().
Tensor min(const Tensor& x, std::initializer_list<int> axes, Keep keep = Keep::no);
/// min() along computed axes.
Tensor min(const Tensor& x, std::span<const int> axes, Keep keep = Keep::no);

/// The index of the first largest element along one axis, which disappears; of the first NaN if there is one.
/// @throws Error when the axis is empty
Integers argmax(const Tensor& x, int axis = -1);
/// The index of the first smallest element along one axis; as argmax().
Integers argmin(const Tensor& x, int axis = -1);

/// \f$ \log \sum e^x \f$ over all elements without overflow, shape ().
Tensor logsumexp(const Tensor& x);
/// \f$ \log \sum_k e^{x_k} = m + \log \sum_k e^{x_k - m} \f$ with \f$ m = \max_k x_k \f$ along some axes;
/// -inf along an empty axis and where all are -inf. Backward: \f$ dx_k = e^{x_k - y}\, dy \f$, NaN where all are -inf.
Tensor logsumexp(const Tensor& x, std::initializer_list<int> axes, Keep keep = Keep::no);
/// logsumexp() along computed axes.
Tensor logsumexp(const Tensor& x, std::span<const int> axes, Keep keep = Keep::no);

/// Sums over the axes along which `shape` would be broadcast to the shape of `x`: the backward pass of broadcasting.
/// @throws Error when `shape` cannot be broadcast to that of `x`
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace RECTO
