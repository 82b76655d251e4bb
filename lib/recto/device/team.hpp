#pragma once
/// @file
/// A team is the group of lanes that share one row: a kernel uses `team.each`, `team.sum`, `team.max` and does not
/// depend on their number.
#include <recto/base/config.hpp>
#include <recto/base/math.hpp>

namespace RECTO {

inline constexpr int team_size = 128;  ///< Lanes in a GPU team. A power of two.

/// The CPU's team: a loop that the compiler turns into vector instructions.
struct LoopTeam {
    /// Runs f(j) for every j in [0, n).
    template <class F>
    RECTO_HD void each(Index n, const F& f) const {
        RECTO_INDEPENDENT
        for (Index j = 0; j < n; ++j) f(j);
    }
    /// f(0) + ... + f(n - 1); only this loop may reorder its additions.
    template <class F>
    RECTO_HD Real sum(Index n, const F& f) const {
        Real total = 0;
#pragma omp simd reduction(+ : total)
        for (Index j = 0; j < n; ++j) total += f(j);
        return total;
    }
    /// The largest f(j), NaN if any is, -inf when n is 0.
    template <class F>
    RECTO_HD Real max(Index n, const F& f) const {
        Real most = -infinity;
        int bad = 0;
#pragma omp simd reduction(max : most) reduction(| : bad)
        for (Index j = 0; j < n; ++j) {
            const Real v = f(j);
            most = v > most ? v : most;
            bad |= v != v;
        }
        if (bad) return not_a_number;
        // OpenMP allows a maximum to start at the lowest finite number; clang's does, so the result could not
        // be -inf.
        constexpr Real lowest = std::numeric_limits<Real>::lowest();
        if (most == lowest) {
            most = -infinity;
            for (Index j = 0; j < n; ++j) most = f(j) == lowest ? lowest : most;
        }
        return most;
    }
};

/// The team of device `sim`: takes the same strides and adds in the same order as a GPU's thread block,
/// so that partitions, tails and the order of additions are tested on machines without a GPU.
struct SimTeam {
    /// Runs f(j) for every j in [0, n), lane by lane.
    template <class F>
    RECTO_HD void each(Index n, const F& f) const {
        for (int lane = 0; lane < team_size; ++lane)
            for (Index j = lane; j < n; j += team_size) f(j);
    }
    /// f(0) + ... + f(n - 1), a partial sum per lane, then a tree.
    template <class F>
    RECTO_HD Real sum(Index n, const F& f) const {
        return fold(n, Real(0), f, [](Real a, Real b) { return a + b; });
    }
    /// The largest f(j), NaN if any is, -inf when n is 0.
    template <class F>
    RECTO_HD Real max(Index n, const F& f) const {
        return fold(n, -infinity, f, [](Real a, Real b) { return recto::max(a, b); });
    }

private:
    template <class F, class Combine>
    RECTO_HD static Real fold(Index n, Real start, const F& f, const Combine& combine) {
        Real part[team_size];
        for (int lane = 0; lane < team_size; ++lane) {
            part[lane] = start;
            for (Index j = lane; j < n; j += team_size) part[lane] = combine(part[lane], f(j));
        }
        for (int half = team_size / 2; half > 0; half /= 2)
            for (int lane = 0; lane < half; ++lane) part[lane] = combine(part[lane], part[lane + half]);
        return part[0];
    }
};

#if defined(__CUDACC__) || defined(RECTO_EMULATOR)  // or the emulator of emulator/cuda_on_cpu.hpp
/// A GPU's team: one thread block.
struct BlockTeam {
    Real* scratch;  ///< team_size numbers of shared memory

    template <class F>
    __device__ void each(Index n, const F& f) const {
        for (Index j = threadIdx.x; j < n; j += team_size) f(j);
        __syncthreads();
    }
    template <class F>
    __device__ Real sum(Index n, const F& f) const {
        return fold(n, Real(0), f, [](Real a, Real b) { return a + b; });
    }
    template <class F>
    __device__ Real max(Index n, const F& f) const {
        return fold(n, -infinity, f, [](Real a, Real b) { return recto::max(a, b); });
    }

private:
    template <class F, class Combine>
    __device__ Real fold(Index n, Real start, const F& f, const Combine& combine) const {
        Real mine = start;
        for (Index j = threadIdx.x; j < n; j += team_size) mine = combine(mine, f(j));
        scratch[threadIdx.x] = mine;
        __syncthreads();
        for (int half = team_size / 2; half > 0; half /= 2) {
            if (int(threadIdx.x) < half)
                scratch[threadIdx.x] = combine(scratch[threadIdx.x], scratch[threadIdx.x + half]);
            __syncthreads();
        }
        const Real result = scratch[0];
        __syncthreads();  // no lane reuses scratch before all have read it
        return result;
    }
};
#endif

}  // namespace RECTO
