#pragma once
/// @file
/// The two passes of scaled dot-product attention, which op attention() and self_attention() share.
///
/// The CPU takes one head after another, and of that some queries at a time (attention_blocks.cpp): their scores stay
/// in the cache, and what a causal query does not see is not computed. A GPU prefers few large kernels, so `sim` and
/// CUDA compute the scores of all heads at once (attention_at_once.cpp). Both turn scores into probabilities, and
/// gradients of probabilities into those of scores, by the kernels that stand here.
#include <algorithm>
#include <vector>

#include <recto/base/math.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

/// Scaled dot-product attention, as kernels/ knows it.
namespace RECTO::attending {

/// One matrix for each head of each sample, somewhere in memory; the columns lie side by side.
template <class Number>
struct Heads {
    Number* data = nullptr;  ///< the first one's
    Index batch = 0;         ///< from sample to sample ...
    Index head = 0;          ///< ... from head to head ...
    Index row = 1;           ///< ... and from row to row
    /// Row i of head h of sample n.
    Number* at(Index n, Index h, Index i = 0) const { return data + n * batch + h * head + i * row; }
};
using From = Heads<const Real>;  ///< What is read.
using To = Heads<Real>;          ///< What is written; no data: not computed.

/// What one call computes.
struct Problem {
    Index batch;                 ///< samples
    Index heads;                 ///< of each
    Index queries;               ///< of each head ...
    Index keys;                  ///< ... and their keys and values
    Index width;                 ///< of a query and a key ...
    Index value_width;           ///< ... and of a value
    bool causal;                 ///< whether a query sees only the keys up to its own position
    Index first;                 ///< the place of query 0
    Real scale;                  ///< of the products
    std::vector<Index> lengths;  ///< of the keys, on the host of cpu; empty for no padding
    Integers lengths_there;      ///< the same on another device; undefined for no padding
    Tensor mask;                 ///< undefined for none
    PerAxis mask_steps;          ///< its strides, stretched to the scores
    Device device;               ///< of all

    /// The extents of all scores.
    Shape scores() const { return {batch, heads, queries, keys}; }
    /// How many keys the queries before `end` may see at most: what lies beyond is never computed.
    Index seen(Index n, Index end) const {
        const Index most = lengths.empty() ? keys : lengths[std::size_t(n)];
        return causal ? std::min(most, first + end) : most;
    }
};

/// A row of products q k to probabilities, in place.
struct Probabilities {
    Real* s;           ///< row 0
    Index cols;        ///< keys of a row ...
    Index most;        ///< ... ... of which it sees at most this many
    Index seen;        ///< keys that row 0 sees, ...
    Index more;        ///< ... and how many more each row sees than the one before
    const Real* mask;  ///< of row 0, or null
    Index down;        ///< from row to row of the mask
    Index right;       ///< from key to key of the mask
    Real scale;        ///< of the products
    /// As rows() asks.
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        Real* p = s + row * cols;
        const Index limit = seen + row * more, n = limit < most ? limit : most;
        const Real factor = scale;
        if (mask) {
            const Real* m = mask + row * down;
            const Index step = right;
            team.each(n, [&](Index j) { p[j] = factor * p[j] + m[j * step]; });
        } else {
            team.each(n, [&](Index j) { p[j] *= factor; });
        }
        const Real largest = team.max(n, [&](Index j) { return p[j]; });
        if (largest == -infinity) return team.each(cols, [&](Index j) { p[j] = 0; });  // sees nothing
        const Real share = 1 / team.sum(n, [&](Index j) { return p[j] = exp(p[j] - largest); });
        team.each(n, [&](Index j) { p[j] *= share; });
        team.each(cols - n, [&](Index j) { p[n + j] = 0; });
    }
};

/// Sums the values that a causal query sees, where the product with all values gave NaN: a value that the query does not
/// see has the probability 0, but 0 times NaN or infinity is NaN.
struct SeenValues {
    const Real* p;  ///< probabilities of row 0
    Index cols;     ///< keys of a row
    Index seen;     ///< how many keys row 0 sees; each row sees one more than the row before it
    const Real* v;  ///< the first value
    Index v_row;    ///< from value to value
    Real* y;        ///< row 0 of the result
    Index y_row;    ///< from row to row of it
    Index width;    ///< of a value
    /// As rows() asks.
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real *prob = p + row * cols, *from = v;
        Real* out = y + row * y_row;
        const Index limit = seen + row < cols ? seen + row : cols, step = v_row;
        team.each(width, [&](Index j) {
            if (!is_nan(out[j])) return;
            Real sum = 0;
            for (Index t = 0; t < limit; ++t) sum += prob[t] * from[t * step + j];
            out[j] = sum;
        });
    }
};

/// dp of a row becomes the gradient of its scores, p (dp - <p, dp>), which `kept` gets too unless it is null;
/// then, in place, that of its products.
struct ScoresGrad {
    const Real* p;  ///< probabilities
    Real* dp;       ///< their gradients, then those of the products
    Index cols;     ///< of both
    Real scale;     ///< of the products
    Real* kept;     ///< the scores' gradients, or null
    Index down;     ///< from row to row of `kept`
    /// As rows() asks.
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real* prob = p + row * cols;
        Real* d = dp + row * cols;
        const Real dot = team.sum(cols, [&](Index j) { return prob[j] * d[j]; });
        if (kept) team.each(cols, [&](Index j) { kept[row * down + j] = prob[j] * (d[j] - dot); });
        team.each(cols, [&](Index j) { d[j] = scale * prob[j] * (d[j] - dot); });
    }
};

/// y of all queries. `y` has its heads' rows where attention() or self_attention() wants them.
void forward_by_blocks(const Problem& p, From q, From k, From v, To y);
void forward_at_once(const Problem& p, From q, From k, From v, To y);  ///< The same on sim and CUDA.

/// Writes dq, dk and dv, unless there are no queries; what has no data is not wanted. `dmask` is (batch, heads,
/// queries, keys) and 0 where nothing is seen, or null.
void backward_by_blocks(const Problem& p, From q, From k, From v, From dy, To dq, To dk, To dv, Real* dmask);
/// The same on sim and CUDA.
void backward_at_once(const Problem& p, From q, From k, From v, From dy, To dq, To dk, To dv, Real* dmask);

}  // namespace RECTO::attending
