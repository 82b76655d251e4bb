#pragma once
/// @file
/// The bridge to xtensor, an array library: `view(t)` is a tensor as an xtensor expression, `from(e)` turns an
/// expression into a tensor.
///
/// Including this file costs seconds of compile time, so the core and the pages never include it by default. Rules
/// learned from bugs: name the type of every result (`xt::xarray<double> y = ...`, never `auto y = ...`, which keeps
/// references to temporaries); no `immediate` reducers, `stddev` or `variance` (0.24); matrix products through
/// linalg/products.hpp, never xt::linalg::dot.
#if __has_include(<xtensor/containers/xarray.hpp>)  // 0.26 and later
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xarray.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/core/xnoalias.hpp>
#include <xtensor/views/xview.hpp>
#else  // 0.24 and 0.25
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xview.hpp>
#endif

#include <vector>

#include <recto/core/tensor.hpp>

/// Conversions between Recto's tensors and xtensor.
namespace RECTO::door {

/// The extents in xtensor's type.
inline std::vector<std::size_t> extents(const Shape& shape) { return {shape.begin(), shape.end()}; }

/// The tensor's numbers as a read-only xtensor expression, without a copy. `t` must exist as long as the expression.
/// @throws Error unless `t` is dense and on cpu
inline auto view(const Tensor& t) {
    return xt::adapt(t.host(), std::size_t(t.numel()), xt::no_ownership(), extents(t.shape()));
}

/// A writable view; counts as a change of the tensor. Assign an expression of the same shape through xt::noalias: any
/// other assignment would resize, which borrowed memory does not allow. @throws Error unless `t` is dense and on cpu
inline auto writable(Tensor& t) {
    t.host();  // throws if the host cannot access the numbers
    return xt::adapt(t.write(), std::size_t(t.numel()), xt::no_ownership(), extents(t.shape()));
}

/// Evaluates an xtensor expression once, into a new tensor on cpu, rounding to Real.
/// @throws Error when it has more than eight axes or too many elements
template <class Expression>
Tensor from(const xt::xexpression<Expression>& expression) {
    const auto& e = expression.derived_cast();
    std::vector<Index> lengths;
    for (const auto n : e.shape()) lengths.push_back(Index(n));
    Tensor t = empty(Shape(std::span<const Index>(lengths)));
    if (t.numel() == 0) return t;
    auto out = writable(t);
    xt::noalias(out) = e;
    return t;
}

}  // namespace RECTO::door
