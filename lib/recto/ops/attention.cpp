#include <recto/ops/attention.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/core/gemm.hpp>
#include <recto/core/launch.hpp>
#include <recto/ops/reduce.hpp>
#include <recto/ops/views.hpp>

namespace RECTO {
namespace {

/// One matrix for each head of each sample, somewhere in memory; the columns lie side by side.
template <class Number>
struct Heads {
    Number* data = nullptr;
    Index batch = 0, head = 0, row = 1;  // distances
    Number* at(Index n, Index h, Index i = 0) const { return data + n * batch + h * head + i * row; }
};
using From = Heads<const Real>;
using To = Heads<Real>;

/// What one call computes.
struct Problem {
    Index batch, heads, queries, keys, width, value_width;
    bool causal;
    Index first;
    Real scale;
    std::vector<Index> lengths;  // of the keys, on the host of cpu; empty for no padding
    Integers lengths_there;      // the same on another device; undefined for no padding
    Tensor mask;                 // undefined for none
    Device device;

    Shape scores() const { return {batch, heads, queries, keys}; }
    /// How many keys the queries before `end` may see at most: what lies beyond is never computed.
    Index seen(Index n, Index end) const {
        const Index most = lengths.empty() ? keys : lengths[std::size_t(n)];
        return causal ? std::min(most, first + end) : most;
    }
};

/// A row of products q k to probabilities, in place.
struct Probabilities {
    Real* s;
    Index cols;         // keys of a row ...
    Index most;         // ... of which it sees at most so many
    Index seen;         // keys that row 0 sees, ...
    Index more;         // and how many more each row sees than the one before
    const Real* mask;   // of row 0, or null
    Index down, right;  // its strides
    Real scale;
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

/// The rows of all heads of all samples, one head after another.
struct ProbabilitiesOfAll {
    Probabilities first;  // what the rows of the first head ask
    Index heads, queries;
    Index batch_step, head_step;  // of the mask
    const Index* lengths;         // or null
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index head = row / queries, n = head / heads;
        Probabilities mine = first;
        mine.s += head * queries * mine.cols;
        if (mine.mask) mine.mask += n * batch_step + head % heads * head_step;
        if (lengths) {  // check_range may not have spoken yet
            const Index length = lengths[n] < 0 ? 0 : lengths[n];
            mine.most = length < mine.cols ? length : mine.cols;
        }
        mine(team, row - head * queries);
    }
};

/// Rows of keys or values, with zeros beyond the lengths: a probability of 0 does not take away a NaN.
struct WithinLengths {
    const Real* x;
    Real* y;
    const Index* lengths;
    Index heads, time, width, batch_step, head_step, row_step;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index t = row % time, head = row / time, n = head / heads;
        const Real* in = x + n * batch_step + head % heads * head_step + t * row_step;
        Real* out = y + row * width;
        const bool seen = t < lengths[n];
        team.each(width, [&](Index j) { out[j] = seen ? in[j] : Real(0); });
    }
};

/// dp of a row becomes the gradient of its scores, p (dp - <p, dp>), which `kept` gets too unless it is null;
/// then, in place, that of its products.
struct ScoresGrad {
    const Real* p;
    Real* dp;
    Index cols;
    Real scale;
    Real* kept;
    Index down;  // from row to row of `kept`
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real* prob = p + row * cols;
        Real* d = dp + row * cols;
        const Real dot = team.sum(cols, [&](Index j) { return prob[j] * d[j]; });
        if (kept) team.each(cols, [&](Index j) { kept[row * down + j] = prob[j] * (d[j] - dot); });
        team.each(cols, [&](Index j) { d[j] = scale * prob[j] * (d[j] - dot); });
    }
};

/// Makes rows 0.
struct Clear {
    Real* to;
    Index cols, stride;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        team.each(cols, [&](Index j) { to[row * stride + j] = 0; });
    }
};

/// Queries handled together: enough for a good product, few enough that a causal row computes little in vain and
/// that the probabilities stay in the cache.
constexpr Index block = 64;

/// The probabilities of queries [begin, end) for the first `cols` keys.
void probabilities(const Problem& p, Index n, Index h, Index begin, Index end, Index cols, From q, From k, Real* s) {
    gemm(p.device, end - begin, cols, p.width, {q.at(n, h, begin), q.row}, {k.at(n, h), k.row, true}, s, cols);
    const Real* mask = nullptr;
    Index down = 0, right = 0;
    if (p.mask.defined()) {
        const PerAxis at = stretched_strides(p.mask, p.scores());
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

/// One product of every head of every sample: the matrix `a` of each times its `b`.
template <class A, class B>
void product(const Problem& p, Index m, Index n, Index k, const Heads<A>& a, bool turn_a, const Heads<B>& b,
             bool turn_b, const To& c) {
    gemm(p.device, {{p.batch, p.heads}, {a.batch, a.head}, {b.batch, b.head}, {c.batch, c.head}}, m, n, k,
         {a.data, a.row, turn_a}, {b.data, b.row, turn_b}, c.data, c.row);
}

/// Scores of all heads of all samples.
To scores_of(const Problem& p, Tensor& s) {
    return {s.write(), p.heads * p.queries * p.keys, p.queries * p.keys, std::max<Index>(p.keys, 1)};
}

/// Keys or values without what lies beyond the lengths.
From within_lengths(const Problem& p, From x, Index width, Tensor& room) {
    if (!p.lengths_there.defined()) return x;
    room = empty({p.batch, p.heads, p.keys, width}, p.device);
    rows(p.device, p.batch * p.heads * p.keys, width,
         WithinLengths{x.data, room.write(), p.lengths_there.data(), p.heads, p.keys, width, x.batch, x.head, x.row});
    return {room.data(), p.heads * p.keys * width, p.keys * width, std::max<Index>(width, 1)};
}

/// All probabilities where a GPU would rather be asked seldom: the way of the host, head after head, would ask it for
/// many small products.
void all_probabilities(const Problem& p, From q, From k, const To& s) {
    product(p, p.queries, p.keys, p.width, q, false, k, true, s);
    const PerAxis at = p.mask.defined() ? stretched_strides(p.mask, p.scores()) : PerAxis{};
    const Probabilities first{s.data,
                              p.keys,
                              p.keys,
                              p.causal ? p.first + 1 : p.keys,
                              p.causal ? 1 : 0,
                              p.mask.defined() ? p.mask.data() : nullptr,
                              at[2],
                              at[3],
                              p.scale};
    rows(p.device, p.batch * p.heads * p.queries, p.keys,
         ProbabilitiesOfAll{first, p.heads, p.queries, at[0], at[1],
                            p.lengths_there.defined() ? p.lengths_there.data() : nullptr});
}

void forward_at_once(const Problem& p, From q, From k, From v, To y) {
    Tensor scratch = empty(p.scores(), p.device), room_k, room_v;
    const To s = scores_of(p, scratch);
    all_probabilities(p, q, within_lengths(p, k, p.width, room_k), s);
    product(p, p.queries, p.value_width, p.keys, s, false, within_lengths(p, v, p.value_width, room_v), false, y);
}

/// As backward() below.
void backward_at_once(const Problem& p, From q, From k, From v, From dy, To dq, To dk, To dv, Real* dmask) {
    if (p.queries == 0) return;
    Tensor for_p = empty(p.scores(), p.device), for_ds, room_k, room_v;
    const To prob = scores_of(p, for_p);
    k = within_lengths(p, k, p.width, room_k), v = within_lengths(p, v, p.value_width, room_v);
    all_probabilities(p, q, k, prob);
    if (dv.data) product(p, p.keys, p.value_width, p.queries, prob, true, dy, false, dv);
    if (!dq.data && !dk.data && !dmask) return;
    for_ds = empty(p.scores(), p.device);
    const To ds = scores_of(p, for_ds);
    product(p, p.queries, p.keys, p.value_width, dy, false, v, true, ds);
    rows(p.device, p.batch * p.heads * p.queries, p.keys,
         ScoresGrad{prob.data, ds.data, p.keys, p.scale, dmask, p.keys});
    if (dq.data) product(p, p.queries, p.width, p.keys, ds, false, k, false, dq);
    if (dk.data) product(p, p.keys, p.width, p.queries, ds, true, q, false, dk);
}

void forward(const Problem& p, From q, From k, From v, To y) {
    if (p.device != Device::cpu) return forward_at_once(p, q, k, v, y);
    for_heads(p, [&](Index n, Index h) {
        Tensor scratch = empty({std::min(block, p.queries), p.keys}, p.device);
        for (Index begin = 0; begin < p.queries; begin += block) {
            const Index end = std::min(begin + block, p.queries), cols = p.seen(n, end);
            Real* s = scratch.write();
            probabilities(p, n, h, begin, end, cols, q, k, s);
            gemm(p.device, end - begin, p.value_width, cols, {s, std::max<Index>(cols, 1)}, {v.at(n, h), v.row},
                 y.at(n, h, begin), y.row);
        }
    });
}

/// to_j = the sum over some queries of s_ij row_i for the first `cols` of the keys j; 0 for the others. Queries after
/// the `first` add to what stands there.
void collect(const Problem& p, bool first, Index queries, Index cols, const Real* s, const Real* row, Index stride,
             Index width, Real* to, Index to_stride) {
    gemm(p.device, cols, width, queries, {s, std::max<Index>(cols, 1), true}, {row, stride}, to, to_stride,
         first ? Addend{} : Addend{to, to_stride});
    if (first) rows(p.device, p.keys - cols, width, Clear{to + cols * to_stride, width, to_stride});
}

/// Writes dq, dk and dv, unless there are no queries; what has no data is not wanted. `dmask` is (batch, heads,
/// queries, keys) and 0 where nothing is seen, or null.
void backward(const Problem& p, From q, From k, From v, From dy, To dq, To dk, To dv, Real* dmask) {
    if (p.device != Device::cpu) return backward_at_once(p, q, k, v, dy, dq, dk, dv, dmask);
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
            gemm(p.device, count, cols, p.value_width, {slope, dy.row}, {v.at(n, h), v.row, true}, ds, cols);
            Real* kept = dmask ? dmask + ((n * p.heads + h) * p.queries + begin) * p.keys : nullptr;
            rows(p.device, count, cols, ScoresGrad{prob, ds, cols, p.scale, kept, p.keys});
            if (dq.data)
                gemm(p.device, count, p.width, cols, {ds, std::max<Index>(cols, 1)}, {k.at(n, h), k.row},
                     dq.at(n, h, begin), dq.row);
            if (dk.data)
                collect(p, begin == 0, count, cols, ds, q.at(n, h, begin), q.row, p.width, dk.at(n, h), dk.row);
        }
    });
}

/// `x` without tape, copied only when its rows are not what a product can read.
Tensor readable(const Tensor& x) {
    const Index n = x.dim(2), width = x.dim(3), down = x.strides()[2], right = x.strides()[3];
    return (width == 1 || right == 1) && (n == 1 || down >= width) ? x.detach() : dense(x);
}
From heads_of(const Tensor& x) {
    const PerAxis& at = x.strides();
    return {x.data(), at[0], at[1], x.dim(2) == 1 ? std::max<Index>(x.dim(3), 1) : std::max<Index>(at[2], 1)};
}
To heads_to(Tensor& x) {
    const From like = heads_of(x);
    return {x.write(), like.batch, like.head, like.row};
}

/// Part 0, 1 or 2 of columns side by side, head by head.
template <class Number>
Heads<Number> part(Number* x, const Problem& p, Index parts, Index which) {
    const Index all = p.heads * p.width;
    return {x + which * all, p.queries * parts * all, p.width, std::max<Index>(parts * all, 1)};
}

/// Checks what attention() and self_attention() share.
Problem problem(const char* op, const Shape& q, Index keys, Index value_width, const AttentionOptions& options,
                Device device) {
    const Shape scores{q[0], q[1], q[2], keys};
    const auto& [causal, first, lengths, mask, scale] = options;
    check(first >= 0, "{}: wanted a first query at 0 or later, got {}", op, first);
    check(std::isfinite(scale), "{}: wanted a finite scale, got {}", op, scale);
    if (mask.defined()) {
        check(broadcast(mask.shape(), scores, op) == scores, "{}: wanted a mask that stretches to {}, got shape {}", op,
              scores, mask.shape());
        check(mask.device() == device, "{}: wanted all on one device, got {} and a mask on {}", op, device,
              mask.device());
    }
    std::vector<Index> ends;
    Integers ends_there;
    if (lengths.defined()) {
        check(lengths.shape() == Shape{q[0]}, "{}: wanted lengths of shape ({}), got {}", op, q[0], lengths.shape());
        check(device == Device::cpu || lengths.device() == device,
              "{}: wanted all on one device, got {} and lengths on {}", op, device, lengths.device());
        check_range(lengths, keys + 1, op, "{0}: wanted lengths from 0 to {1} keys, got {2}");
        if (device == Device::cpu)
            ends = lengths.values();
        else
            ends_there = lengths;
    }
    const double usual = 1 / std::sqrt(double(std::max<Index>(q[3], 1)));
    const Real by = Real(scale == 0 ? usual : scale);
    const Tensor bias = mask.defined() ? mask.detach() : mask;
    return {q[0], q[1], q[2], keys, q[3], value_width, causal, first, by, ends, ends_there, bias, device};
}

struct Allow {
    const Index* allowed;
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = allowed[i] ? 0 : -infinity; }
};

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4,
          "attention: wanted queries, keys and values (batch, heads, time, width), got shapes {}, {} and {}", q.shape(),
          k.shape(), v.shape());
    check(k.shape() == q.shape().with(2, k.dim(2)) && v.shape() == k.shape().with(3, v.dim(3)),
          "attention: wanted keys of the width of queries and a value for every key, got shapes {}, {} and {}",
          q.shape(), k.shape(), v.shape());
    check(q.device() == k.device() && k.device() == v.device(),
          "attention: wanted all on one device, got {}, {} and {}", q.device(), k.device(), v.device());
    const Problem p = problem("attention", q.shape(), k.dim(2), v.dim(3), options, q.device());
    const Tensor a = readable(q), b = readable(k), c = readable(v);
    Tensor y = empty(q.shape().with(3, v.dim(3)), q.device());
    forward(p, heads_of(a), heads_of(b), heads_of(c), heads_to(y));
    const std::array need{q.wants_grad(), k.wants_grad(), v.wants_grad(), options.mask.wants_grad()};
    return record("attention", y, {q, k, v, options.mask}, [p, a, b, c, need](const Tensor& dy) {
        const Tensor g = readable(dy);
        Grads grads(4);
        const auto wanted = [&](std::size_t i, const Tensor& x) {
            if (need[i]) grads[i] = p.queries > 0 ? empty(x.shape(), x.device()) : zeros(x.shape(), x.device());
            return need[i] ? heads_to(grads[i]) : To();
        };
        const To dq = wanted(0, a), dk = wanted(1, b), dv = wanted(2, c);
        Tensor scores = need[3] ? zeros(p.scores(), p.device) : Tensor();
        backward(p, heads_of(a), heads_of(b), heads_of(c), heads_of(g), dq, dk, dv, need[3] ? scores.write() : nullptr);
        if (need[3]) grads[3] = sum_to(scores, p.mask.shape());
        return grads;
    });
}

Tensor self_attention(const Tensor& qkv, Index heads, const AttentionOptions& options) {
    check(qkv.rank() == 3, "self_attention: wanted (batch, time, 3 width), got shape {}", qkv.shape());
    check(heads >= 1 && qkv.dim(2) % 3 == 0 && qkv.dim(2) / 3 % heads == 0,
          "self_attention: wanted rows of queries, keys and values for {} heads, got shape {}", heads, qkv.shape());
    const Index width = qkv.dim(2) / 3;
    const Shape q{qkv.dim(0), heads, qkv.dim(1), width / heads};
    const Problem p = problem("self_attention", q, q[2], q[3], options, qkv.device());
    const Tensor x = dense(qkv);
    Tensor y = empty(qkv.shape().with(2, width), qkv.device());
    const auto from = [p, x](Index which) { return part(x.data(), p, 3, which); };
    forward(p, from(0), from(1), from(2), part(y.write(), p, 1, 0));
    return record("self_attention", y, {qkv, options.mask},
                  [p, x, from, need = options.mask.wants_grad()](const Tensor& dy) {
                      const Tensor g = dense(dy);
                      Tensor dx = empty_like(x), scores = need ? zeros(p.scores(), p.device) : Tensor();
                      Real* to = dx.write();
                      backward(p, from(0), from(1), from(2), part(g.data(), p, 1, 0), part(to, p, 3, 0),
                               part(to, p, 3, 1), part(to, p, 3, 2), need ? scores.write() : nullptr);
                      return Grads{dx, need ? sum_to(scores, p.mask.shape()) : Tensor()};
                  });
}

Tensor attention_mask(const Integers& allowed) {
    Tensor y = empty(allowed.shape(), allowed.device());
    each(allowed.device(), allowed.size(), Allow{allowed.data(), y.write()});
    return y;
}

}  // namespace RECTO
