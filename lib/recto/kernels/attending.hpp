#pragma once
/// @file
/// The two passes of scaled dot-product attention, which op attention() and self_attention() share.
///
/// The CPU computes one head after another, and within a head some queries at a time (attention_blocks.cpp): their
/// scores stay in the cache, and scores that a causal mask hides are not computed. A GPU prefers few large kernels, so
/// `sim` and CUDA compute the scores of all heads at once (attention_at_once.cpp). Both use the kernels below to turn
/// scores into probabilities, and gradients of probabilities into gradients of scores.
#include <algorithm>
#include <vector>

#include <recto/base/math.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

/// The kernels of scaled dot-product attention.
namespace RECTO::attending {

/// One matrix for each head of each sample, with a distance between rows; columns are adjacent.
template <class Number>
struct Heads {
    Number* data = nullptr;  ///< the first matrix
    Index batch = 0;         ///< distance between samples ...
    Index head = 0;          ///< ... between heads ...
    Index row = 1;           ///< ... and between rows
    /// Row i of head h of sample n.
    Number* at(Index n, Index h, Index i = 0) const { return data + n * batch + h * head + i * row; }
};
using From = Heads<const Real>;  ///< An input.
using To = Heads<Real>;          ///< A result; not computed if it has no data.

/// The arguments of one call.
struct Problem {
    Index batch;                 ///< number of samples
    Index heads;                 ///< heads of each sample
    Index queries;               ///< queries of each head ...
    Index keys;                  ///< ... and its keys and values
    Index width;                 ///< width of a query and a key ...
    Index value_width;           ///< ... and of a value
    bool causal;                 ///< whether a query sees only the keys up to its own position
    Index first;                 ///< the position of query 0
    Real scale;                  ///< the factor of the products
    std::vector<Index> lengths;  ///< of the keys of each sample, on the host; empty without padding
    Integers lengths_there;      ///< the lengths on another device; undefined without padding
    Tensor mask;                 ///< undefined without a mask
    PerAxis mask_steps;          ///< its strides, broadcast to the scores
    Device device;               ///< of all tensors

    /// The extents of all scores.
    Shape scores() const { return {batch, heads, queries, keys}; }
    /// How many keys the queries before `end` see at most; scores beyond are never computed.
    Index seen(Index n, Index end) const {
        const Index most = lengths.empty() ? keys : lengths[std::size_t(n)];
        return causal ? std::min(most, first + end) : most;
    }
};

/// Turns a row of products q k into probabilities, in place.
struct Probabilities {
    Real* s;           ///< row 0
    Index cols;        ///< keys in a row ...
    Index most;        ///< ... of which it sees at most this many
    Index seen;        ///< keys that row 0 sees ...
    Index more;        ///< ... and how many more each row sees than the row before
    const Real* mask;  ///< of row 0, or null
    Index down;        ///< distance between rows of the mask
    Index right;       ///< distance between keys in the mask
    Real scale;        ///< the factor of the products
    /// Computes row `row`.
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
        if (largest == -infinity) return team.each(cols, [&](Index j) { p[j] = 0; });  // sees no key
        const Real share = 1 / team.sum(n, [&](Index j) { return p[j] = exp(p[j] - largest); });
        team.each(n, [&](Index j) { p[j] *= share; });
        team.each(cols - n, [&](Index j) { p[n + j] = 0; });
    }
};

/// Recomputes the sums that are NaN from only the values that a causal query sees: a value that it does not see has
/// probability 0, but 0 times NaN or infinity is NaN.
struct SeenValues {
    const Real* p;  ///< probabilities of row 0
    Index cols;     ///< keys in a row
    Index seen;     ///< how many keys row 0 sees; each row sees one more than the row before it
    const Real* v;  ///< the first value
    Index v_row;    ///< distance between values
    Real* y;        ///< row 0 of the result
    Index y_row;    ///< distance between rows of the result
    Index width;    ///< width of a value
    /// Computes row `row`.
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

/// Turns a row of dp into the gradient of its scores, p (dp - <p, dp>), which is also stored in `kept` unless that is
/// null; then, in place, into the gradient of its products.
struct ScoresGrad {
    const Real* p;  ///< probabilities
    Real* dp;       ///< their gradients, then the gradients of the products
    Index cols;     ///< numbers in a row
    Real scale;     ///< the factor of the products
    Real* kept;     ///< gradients of the scores, or null
    Index down;     ///< distance between rows of `kept`
    /// Computes row `row`.
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real* prob = p + row * cols;
        Real* d = dp + row * cols;
        const Real dot = team.sum(cols, [&](Index j) { return prob[j] * d[j]; });
        if (kept) team.each(cols, [&](Index j) { kept[row * down + j] = prob[j] * (d[j] - dot); });
        team.each(cols, [&](Index j) { d[j] = scale * prob[j] * (d[j] - dot); });
    }
};

/// Computes y of all queries. The caller chooses the strides of `y`.
void forward_by_blocks(const Problem& p, From q, From k, From v, To y);
void forward_at_once(const Problem& p, From q, From k, From v, To y);  ///< forward() on sim and CUDA.

/// Computes dq, dk and dv, unless there are no queries; results without data are skipped. `dmask` is (batch, heads,
/// queries, keys), 0 for keys that are not seen, or null.
void backward_by_blocks(const Problem& p, From q, From k, From v, From dy, To dq, To dk, To dv, Real* dmask);
/// backward() on sim and CUDA.
void backward_at_once(const Problem& p, From q, From k, From v, From dy, To dq, To dk, To dv, Real* dmask);

}  // namespace RECTO::attending
