// Attention of one head of one sample, some queries at a time; threads work on different heads.
#include <algorithm>

#include <recto/device/launch.hpp>
#include <recto/kernels/attending.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO {
namespace {

using namespace attending;

/// Sets rows to 0.
struct Clear {
    Real* to;
    Index cols, stride;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        team.each(cols, [&](Index j) { to[row * stride + j] = 0; });
    }
};

/// Queries in one block: enough for an efficient product, few enough that a causal row computes few masked scores and
/// that the probabilities stay in the cache.
constexpr Index block = 64;

/// The probabilities of queries [begin, end) for the first `cols` keys.
void probabilities(const Problem& p, Index n, Index h, Index begin, Index end, Index cols, From q, From k, Real* s) {
    detail::multiply(p.device, end - begin, cols, p.width, {q.at(n, h, begin), q.row}, {k.at(n, h), k.row, true}, s,
                     cols);
    const Real* mask = nullptr;
    Index down = 0, right = 0;
    if (p.mask.defined()) {
        const PerAxis& at = p.mask_steps;
        mask = p.mask.data() + n * at[0] + h * at[1] + begin * at[2];
        down = at[2], right = at[3];
    }
    const Index seen = p.causal ? p.first + begin + 1 : cols;
    rows(p.device, end - begin, cols, Probabilities{s, cols, cols, seen, p.causal ? 1 : 0, mask, down, right, p.scale});
}

/// Calls `one(n, h)` for every head of every sample, each on one thread.
template <class One>
void for_heads(const Problem& p, const One& one) {
    parallel(p.batch * p.heads, 1, [&](Index from, Index to) {
        for (Index i = from; i < to; ++i) one(i / p.heads, i % p.heads);
    });
}

/// Computes to_j, the sum over some queries i of s_ij row_i, for the first `cols` keys j; 0 for the other keys. All but
/// the `first` queries add to the sums in `to`.
void collect(const Problem& p, bool first, Index queries, Index cols, const Real* s, const Real* row, Index stride,
             Index width, Real* to, Index to_stride) {
    detail::multiply(p.device, cols, width, queries, {s, std::max<Index>(cols, 1), true}, {row, stride}, to, to_stride,
                     first ? Addend{} : Addend{to, to_stride});
    if (first) rows(p.device, p.keys - cols, width, Clear{to + cols * to_stride, width, to_stride});
}

}  // namespace

void attending::forward_by_blocks(const Problem& p, From q, From k, From v, To y) {
    for_heads(p, [&](Index n, Index h) {
        Tensor scratch = empty({std::min(block, p.queries), p.keys}, p.device);
        for (Index begin = 0; begin < p.queries; begin += block) {
            const Index end = std::min(begin + block, p.queries), cols = p.seen(n, end);
            Real* s = scratch.write();
            probabilities(p, n, h, begin, end, cols, q, k, s);
            detail::multiply(p.device, end - begin, p.value_width, cols, {s, std::max<Index>(cols, 1)},
                             {v.at(n, h), v.row}, y.at(n, h, begin), y.row);
            if (p.causal && p.queries > 1)
                rows(p.device, end - begin, p.value_width,
                     SeenValues{s, cols, p.first + begin + 1, v.at(n, h), v.row, y.at(n, h, begin), y.row,
                                p.value_width});
        }
    });
}

void attending::backward_by_blocks(const Problem& p, From q, From k, From v, From dy, To dq, To dk, To dv,
                                   Real* dmask) {
    for_heads(p, [&](Index n, Index h) {
        const Shape shape{std::min(block, p.queries), p.keys};
        Tensor for_p = empty(shape, p.device), for_ds = empty(shape, p.device);
        Real *prob = for_p.write(), *ds = for_ds.write();
        for (Index begin = 0; begin < p.queries; begin += block) {
            const Index end = std::min(begin + block, p.queries), count = end - begin, cols = p.seen(n, end);
            probabilities(p, n, h, begin, end, cols, q, k, prob);
            const Real* slope = dy.at(n, h, begin);
            if (dv.data) collect(p, begin == 0, count, cols, prob, slope, dy.row, p.value_width, dv.at(n, h), dv.row);
            if (!dq.data && !dk.data && !dmask) continue;
            detail::multiply(p.device, count, cols, p.value_width, {slope, dy.row}, {v.at(n, h), v.row, true}, ds,
                             cols);
            Real* kept = dmask ? dmask + ((n * p.heads + h) * p.queries + begin) * p.keys : nullptr;
            rows(p.device, count, cols, ScoresGrad{prob, ds, cols, p.scale, kept, p.keys});
            if (dq.data)
                detail::multiply(p.device, count, p.width, cols, {ds, std::max<Index>(cols, 1)}, {k.at(n, h), k.row},
                                 dq.at(n, h, begin), dq.row);
            if (dk.data)
                collect(p, begin == 0, count, cols, ds, q.at(n, h, begin), q.row, p.width, dk.at(n, h), dk.row);
        }
    });
}

}  // namespace RECTO
