#pragma once
/// @file
/// Sums of many terms, in an order fixed by the count alone: the last step of every mean and loss.
#include <recto/core/tensor.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {

/// Sums block `row` of the terms. @tparam Term  a kernel-like struct: `Real operator()(Index i) const`
template <class Term>
struct SumTerms {
    Term term;    ///< the terms
    Real* out;    ///< one number per block
    Index count;  ///< number of terms
    Index block;  ///< number of terms in a block
    Real scale;   ///< the factor of every sum
    /// Writes scale times the sum of terms [row block, (row + 1) block).
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index begin = row * block, n = count - begin < block ? count - begin : block;
        const Term read = term;
        const Real total = team.sum(n, [&](Index i) { return read(begin + i); });
        team.each(1, [&](Index) { out[row] = scale * total; });
    }
};

/// An array as terms.
struct NumberTerm {
    const Real* x;                                            ///< the numbers
    RECTO_HD Real operator()(Index i) const { return x[i]; }  ///< x[i]
};

/// scale (term(0) + ... + term(n - 1)) as a tensor without axes: sums blocks of 1024 terms, then blocks of their sums,
/// and so on, so that the rounding error hardly grows with n.
template <class Term>
Tensor scaled_sum(Device device, Index n, const Term& term, Real scale) {
    constexpr Index block = 1024;
    Index count = n > block ? (n + block - 1) / block : 1;
    Tensor sums = empty({count}, device);
    rows(device, count, block, SumTerms<Term>{term, sums.write(), n, block, count == 1 ? scale : 1});
    while (count > 1) {
        const Tensor terms = sums;
        n = count;
        count = (n + block - 1) / block;
        sums = empty({count}, device);
        rows(device, count, block,
             SumTerms<NumberTerm>{{terms.data()}, sums.write(), n, block, count == 1 ? scale : 1});
    }
    return sums.view(Shape{}, {}, 0);
}

}  // namespace RECTO
