#include <recto/kernels/product.hpp>

#include <algorithm>

#include <recto/base/turn.hpp>
#include <recto/device/launch.hpp>

// A tile of c stays in registers while k runs: one step loads two vectors of b, broadcasts eight numbers of a and
// multiplies all pairs, so that 10 loads feed 16 multiply-adds (Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication", 2008). For this, b is copied into strips as wide as a tile; a is read in place, or, if it is
// transposed with long columns, from panels as high as a tile.
namespace RECTO::cpu {
namespace {

/// One product, and the shape of its tiles.
struct Job {
    MatrixView a, b;
    Real* c;
    Addend plus;
    Index m, n, k, stride;
    bool alone;                                    // whether it runs on one thread
    Index rows_together = 0, strips_together = 0;  // of c in one task
    const Real* a_at(Index i, Index p) const { return a.data + (a.transposed ? p * a.stride + i : i * a.stride + p); }
    const Real* b_at(Index p, Index j) const { return b.data + (b.transposed ? j * b.stride + p : p * b.stride + j); }
};

/// c (rows, n) = plus + a b over `depth` terms, with n at most `cols`.
template <int rows, int cols, bool fused>
[[gnu::always_inline]] inline void tile(const Real* a, Index a_row, Index a_step, const Real* b, Index b_step,
                                        Index depth, Real* c, Index stride, Index n, Addend plus) {
    for (int i = 0; i < rows; ++i)  // loads c into the cache while the sums are computed
        for (int j = 0; j < cols; j += int(64 / sizeof(Real))) __builtin_prefetch(c + i * stride + j, 1);
    Real sum[rows][cols] = {};
    for (Index p = 0; p < depth; ++p) {
        const Real* from = b + p * b_step;
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            const Real x = a[i * a_row + p * a_step];
#pragma omp simd
            for (int j = 0; j < cols; ++j) sum[i][j] = fused ? fma(x, from[j], sum[i][j]) : x * from[j] + sum[i][j];
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
        const Real* old = plus.data + i * plus.stride;
        Real* to = c + i * stride;
        if (n < cols) {
            for (Index j = 0; j < n; ++j) to[j] = plus.data ? old[j] + sum[i][j] : sum[i][j];
        } else if (plus.data) {
            for (int j = 0; j < cols; ++j) to[j] = old[j] + sum[i][j];
        } else {
            for (int j = 0; j < cols; ++j) to[j] = sum[i][j];
        }
    }
}

/// A part of a in the order in which tiles read it, in panels as high as a tile.
struct Panels {
    const Real* data;
    Index panel, row, step;  // distances: between panels per row, between rows within a panel, between terms
};

/// Task `task`: some rows times some strips, over all terms.
template <int rows, int cols, bool fused>
struct Compute {
    Job job;
    void operator()(Index task) const {
        const Index strips = (job.n + cols - 1) / cols;
        const Index across = (strips + job.strips_together - 1) / job.strips_together;
        const Index i0 = task / across * job.rows_together, m = std::min(job.rows_together, job.m - i0);
        const Index s0 = task % across * job.strips_together, s1 = std::min(s0 + job.strips_together, strips);
        alignas(64) Real packed[product_piece * cols];
        const bool gather = job.a.transposed && job.k >= product_piece;  // shorter columns stay in the cache
        Tensor panels = empty({gather ? (m + rows) * product_piece : 0});
        for (Index p = 0; p < job.k; p += product_piece) {
            const Index depth = std::min(product_piece, job.k - p);
            const Panels a = panels_of_a(i0, m, p, depth, gather ? panels.write() : nullptr);
            for (Index s = s0; s < s1; ++s) strip(a, i0, m, s * cols, p, depth, packed);
        }
    }
    /// The rows of a from i0 on. Distant columns are copied into panels.
    Panels panels_of_a(Index i0, Index m, Index p, Index depth, Real* panels) const {
        const Real* a = job.a_at(i0, p);
        if (!job.a.transposed) return {a, job.a.stride, job.a.stride, 1};
        if (!panels) return {a, 1, 1, job.a.stride};
        // Terms of a panel in one go, so that its cache lines are filled while they are in the cache.
        constexpr Index some = 16;
        for (Index q0 = 0; q0 < depth; q0 += some)
            for (Index i = 0; i < m; i += rows)
                for (Index q = q0; q < std::min(q0 + some, depth); ++q) {
                    const Real* from = a + q * job.a.stride + i;
                    __builtin_prefetch(from + 64);  // the processor does not prefetch rows so far apart
                    Real* to = panels + i * depth + q * rows;
                    if (m - i < rows)
                        std::copy_n(from, m - i, to);
                    else  // the fixed length avoids a function call
                        for (int r = 0; r < rows; ++r) to[r] = from[r];
                }
        return {panels, depth, 1, rows};
    }
    /// Computes the strip from column j on, for the terms from p on.
    [[gnu::always_inline]] void strip(const Panels& a, Index i0, Index m, Index j, Index p, Index depth,
                                      Real* packed) const {
        const Index n = std::min<Index>(cols, job.n - j), width = n > cols / 2 ? cols : cols / 2;
        const Real* b = job.b_at(p, j);
        Index b_step = job.b.stride;
        if (job.b.transposed || n < width || m > 16) {  // otherwise copying costs more than it saves
            if (n < width) std::fill(packed, packed + depth * width, Real(0));
            if (job.b.transposed)
                turn(b, job.b.stride, packed, width, n, depth);
            else
                for (Index q = 0; q < depth; ++q)
                    if (n < cols)
                        std::copy_n(b + q * job.b.stride, n, packed + q * width);
                    else
                        for (int r = 0; r < cols; ++r) packed[q * cols + r] = b[q * job.b.stride + r];
            b = packed, b_step = width;
        }
        Index i = 0;
        while (i < m) {
            Real* c = job.c + (i0 + i) * job.stride + j;
            Addend plus{c, job.stride};
            if (p == 0)
                plus = {job.plus.data ? job.plus.data + (i0 + i) * job.plus.stride + j : nullptr, job.plus.stride};
            const auto run = [&]<int height>() __attribute__((always_inline)) {
                const Real* from = a.data + i / rows * rows * a.panel + i % rows * a.row;
                i += height;
                if (width == cols)
                    tile<height, cols, fused>(from, a.row, a.step, b, b_step, depth, c, job.stride, n, plus);
                else
                    tile<height, cols / 2, fused>(from, a.row, a.step, b, b_step, depth, c, job.stride, n, plus);
            };
            if (m - i >= rows)
                run.template operator()<rows>();
            else if (rows > 4 && m - i >= 4)
                run.template operator()<4>();
            else if (m - i >= 2)
                run.template operator()<2>();
            else
                run.template operator()<1>();
        }
    }
};

/// Divides the job into tasks by its shape alone, and runs them.
template <int rows, int cols, bool fused, class Run>
void compute(Job job, const Run& run) {
    const Index strips = (job.n + cols - 1) / cols;
    const auto tasks = [&] {
        return (job.m + job.rows_together - 1) / job.rows_together *
               ((strips + job.strips_together - 1) / job.strips_together);
    };
    // Each task packs its own rows of a and strips of b, so it should have many of both, and more of the costlier ones;
    // but every thread should have work.
    job.rows_together = 256, job.strips_together = 8;
    const auto halve = [&](Index& together, Index least) {
        while (!job.alone && tasks() < 8 && together > least) together /= 2;
    };
    if (job.a.transposed) halve(job.rows_together, 128);
    halve(job.strips_together, 1);
    halve(job.rows_together, 64);
    const Index count = tasks();
    parallel(count, job.alone ? count : 1,
             [&](Index begin, Index end) { run(begin, end, Compute<rows, cols, fused>{job}); });
}

void tiled(const Job& job) {
    constexpr int wide = 128 / sizeof(Real);  // two vectors of AVX-512
#if defined(__x86_64__) && defined(__GNUC__)
    if (cpu_class() == CpuClass::avx512)
        compute<8, wide, true>(job, [](Index i, Index end, const auto& body) { loops::each_avx512(i, end, body); });
    else if (cpu_class() == CpuClass::avx2)
        compute<6, wide / 2, true>(job, [](Index i, Index end, const auto& body) { loops::each_avx2(i, end, body); });
    else
        compute<4, wide / 4, false>(job, [](Index i, Index end, const auto& body) { loops::each_plain(i, end, body); });
#else
    compute<8, wide / 4, true>(job, [](Index i, Index end, const auto& body) { loops::each_plain(i, end, body); });
#endif
}

/// Few rows times the rows of b: every number is a dot product of two rows, which are read once, in place.
struct RowTimesRow {
    Job job;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index j) const {
        const Real* y = job.b.data + j * job.b.stride;
        for (Index i = 0; i < job.m; ++i) {
            const Real* x = job.a.data + i * job.a.stride;
            const Real total = team.sum(job.k, [&](Index p) { return x[p] * y[p]; });
            job.c[i * job.stride + j] = job.plus.data ? job.plus.data[i * job.plus.stride + j] + total : total;
        }
    }
};

/// Adds the partial sums of groups of k, in their order.
struct SumGroups {
    const Real* parts;
    Real* c;
    Addend plus;
    Index m, n, stride, groups;
    RECTO_HD void operator()(Index at) const {
        const Index i = at / n, j = at % n;
        Real total = parts[at];
        for (Index g = 1; g < groups; ++g) total += parts[g * m * n + at];
        c[i * stride + j] = plus.data ? plus.data[i * plus.stride + j] + total : total;
    }
};

}  // namespace

void product(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride, Addend plus) {
    const Job job{a, b, c, plus, m, n, k, stride, m * n * k < 64 * 64 * 64};
    if (m <= 4 && b.transposed && !a.transposed && k >= 64) return rows(Device::cpu, n, k, RowTimesRow{job});

    // Few sums of many terms, such as the gradient of weights over a whole data set: dividing c into tiles would read
    // the long operands in narrow columns repeatedly. Each group of terms reads its part once.
    constexpr Index groups = 8;
    if (k < 2048 || k < 2 * (m + n) || m * n > 1 << 17) return tiled(job);
    const Index depth = (k + groups - 1) / groups;
    Tensor parts = empty({groups, m, n});
    Real* to = parts.write();
    parallel(groups, 1, [&](Index begin, Index end) {
        for (Index g = begin; g < end; ++g) {
            const MatrixView from_a{job.a_at(0, g * depth), a.stride, a.transposed};
            const MatrixView from_b{job.b_at(g * depth, 0), b.stride, b.transposed};
            tiled({from_a, from_b, to + g * m * n, {}, m, n, std::min(depth, k - g * depth), n, true});
        }
    });
    each(Device::cpu, m * n, SumGroups{to, c, plus, m, n, stride, groups});
}

}  // namespace RECTO::cpu
