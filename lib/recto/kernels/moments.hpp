#pragma once
/// @file
/// Sums and moments of many numbers inside a kernel, block by block: a block of 1024 stays in the first-level cache
/// while it is read twice, and rounding errors hardly grow with the count.
#include <type_traits>

#include <recto/device/team.hpp>

namespace RECTO {

inline constexpr Index moment_block = 1024;  ///< Numbers in a block.

/// The count of some numbers, their mean, and the sum of their squared distances from it.
struct Moments {
    Real count = 0;    ///< number of numbers
    Real mean = 0;     ///< 0 when `count` is 0
    Real squares = 0;  ///< the variance, times the count

    /// Merges the moments of other numbers (Chan, Golub and LeVeque, 1979).
    RECTO_HD void merge(const Moments& other) {
        if (other.count == 0) return;
        const Real whole = count + other.count, share = other.count / whole, apart = other.mean - mean;
        squares += other.squares + apart * apart * count * share;
        mean += apart * share;
        count = whole;
    }
};

/// f(0) + ... + f(n - 1), by blocks.
template <class Team, class F>
RECTO_HD Real sum_by_blocks(const Team& team, Index n, const F& f) {
    Real total = 0;
    for (Index begin = 0; begin < n; begin += moment_block) {
        const Index count = n - begin < moment_block ? n - begin : moment_block;
        total += team.sum(count, [&](Index j) { return f(begin + j); });
    }
    return total;
}

/// Two sums of one pass.
struct TwoSums {
    Real first = 0;   ///< the first sum
    Real second = 0;  ///< the second sum
};

/// Both sums of f(0), ..., f(n - 1), which are TwoSums, by blocks. On the CPU one pass reads what both need; the
/// additions are those of two calls of sum_by_blocks().
template <class Team, class F>
RECTO_HD TwoSums two_sums_by_blocks(const Team& team, Index n, const F& f) {
    if constexpr (!std::is_same_v<Team, LoopTeam>) {
        return {sum_by_blocks(team, n, [&](Index j) { return f(j).first; }),
                sum_by_blocks(team, n, [&](Index j) { return f(j).second; })};
    } else {
        TwoSums total;
        for (Index begin = 0; begin < n; begin += moment_block) {
            const Index end = n - begin < moment_block ? n : begin + moment_block;
            Real first = 0;   ///< the first sum
            Real second = 0;  ///< the second sum
#pragma omp simd reduction(+ : first, second)
            for (Index j = begin; j < end; ++j) {
                const TwoSums both = f(j);
                first += both.first;
                second += both.second;
            }
            total.first += first, total.second += second;
        }
        return total;
    }
}

/// The moments of f(0), ..., f(n - 1), by blocks.
template <class Team, class F>
RECTO_HD Moments moments(const Team& team, Index n, const F& f) {
    Moments total;
    for (Index begin = 0; begin < n; begin += moment_block) {
        const Index count = n - begin < moment_block ? n - begin : moment_block;
        const Real mean = team.sum(count, [&](Index j) { return f(begin + j); }) / Real(count);
        const Real squares = team.sum(count, [&](Index j) { return (f(begin + j) - mean) * (f(begin + j) - mean); });
        total.merge({Real(count), mean, squares});
    }
    return total;
}

}  // namespace RECTO
