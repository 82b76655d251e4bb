// Attention of all heads of all samples at once: a few batched products, and one kernel for all rows.
#include <algorithm>

#include <recto/device/launch.hpp>
#include <recto/kernels/attending.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO {
namespace {

using namespace attending;

/// The rows of all heads of all samples, one head after another.
struct ProbabilitiesOfAll {
    Probabilities first;  // the arguments for the first head
    Index heads, queries;
    Index batch_step, head_step;  // strides of the mask
    const Index* lengths;         // or null
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index head = row / queries, n = head / heads;
        Probabilities mine = first;
        mine.s += head * queries * mine.cols;
        if (mine.mask) mine.mask += n * batch_step + head % heads * head_step;
        if (lengths) {  // check_range reports asynchronously
            const Index length = lengths[n] < 0 ? 0 : lengths[n];
            mine.most = length < mine.cols ? length : mine.cols;
        }
        mine(team, row - head * queries);
    }
};

/// Runs SeenValues for the rows of all heads.
struct SeenValuesOfAll {
    SeenValues first;  // the arguments for the first head
    Index heads, queries;
    From v;
    To y;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index head = row / queries, n = head / heads, h = head % heads;
        SeenValues mine = first;
        mine.p += head * queries * mine.cols;
        mine.v = v.data + n * v.batch + h * v.head;
        mine.y = y.data + n * y.batch + h * y.head;
        mine(team, row - head * queries);
    }
};

/// Copies rows of keys or values, with zeros beyond the lengths: probability 0 times NaN is still NaN.
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

/// One product for each head of each sample: its matrix `a` times its matrix `b`.
template <class A, class B>
void product(const Problem& p, Index m, Index n, Index k, const Heads<A>& a, bool turn_a, const Heads<B>& b,
             bool turn_b, const To& c) {
    detail::multiply(p.device, {{p.batch, p.heads}, {a.batch, a.head}, {b.batch, b.head}, {c.batch, c.head}}, m, n, k,
                     {a.data, a.row, turn_a}, {b.data, b.row, turn_b}, c.data, c.row);
}

/// Scores of all heads of all samples.
To scores_of(const Problem& p, Tensor& s) {
    return {s.write(), p.heads * p.queries * p.keys, p.queries * p.keys, std::max<Index>(p.keys, 1)};
}

/// Keys or values with zeros beyond the lengths.
From within_lengths(const Problem& p, From x, Index width, Tensor& room) {
    if (!p.lengths_there.defined()) return x;
    room = empty({p.batch, p.heads, p.keys, width}, p.device);
    rows(p.device, p.batch * p.heads * p.keys, width,
         WithinLengths{x.data, room.write(), p.lengths_there.data(), p.heads, p.keys, width, x.batch, x.head, x.row});
    return {room.data(), p.heads * p.keys * width, p.keys * width, std::max<Index>(width, 1)};
}

/// All probabilities in few large kernels. Head after head, as on the CPU, would take many small products.
void all_probabilities(const Problem& p, From q, From k, const To& s) {
    product(p, p.queries, p.keys, p.width, q, false, k, true, s);
    const PerAxis& at = p.mask_steps;
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

}  // namespace

void attending::forward_at_once(const Problem& p, From q, From k, From v, To y) {
    Tensor scratch = empty(p.scores(), p.device), room_k, room_v;
    const To s = scores_of(p, scratch);
    all_probabilities(p, q, within_lengths(p, k, p.width, room_k), s);
    v = within_lengths(p, v, p.value_width, room_v);
    product(p, p.queries, p.value_width, p.keys, s, false, v, false, y);
    if (!p.causal || p.first + 1 >= p.keys) return;  // the first query sees all keys
    const SeenValues first{s.data, p.keys, p.first + 1, v.data, v.row, y.data, y.row, p.value_width};
    rows(p.device, p.batch * p.heads * p.queries, p.value_width, SeenValuesOfAll{first, p.heads, p.queries, v, y});
}

void attending::backward_at_once(const Problem& p, From q, From k, From v, From dy, To dq, To dk, To dv, Real* dmask) {
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

}  // namespace RECTO
