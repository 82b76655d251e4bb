#include <recto/ops/sequences/attention.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/attending.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO {
namespace {

using namespace attending;

void forward(const Problem& p, From q, From k, From v, To y) {
    detail::count_multiply_adds(p.scores().numel() * (p.width + p.value_width));
    return p.device == Device::cpu ? forward_by_blocks(p, q, k, v, y) : forward_at_once(p, q, k, v, y);
}
void backward(const Problem& p, From q, From k, From v, From dy, To dq, To dk, To dv, Real* dmask) {
    const bool scores = dq.data || dk.data || dmask;
    const Index widths = p.width * (1 + bool(dq.data) + bool(dk.data)) + p.value_width * (bool(dv.data) + scores);
    detail::count_multiply_adds(p.scores().numel() * widths);
    return p.device == Device::cpu ? backward_by_blocks(p, q, k, v, dy, dq, dk, dv, dmask)
                                   : backward_at_once(p, q, k, v, dy, dq, dk, dv, dmask);
}

/// `x` without a tape, copied only if a product cannot read its rows.
Tensor readable(const Tensor& x) {
    const Index n = x.size(2), width = x.size(3), down = x.strides()[2], right = x.strides()[3];
    return (width == 1 || right == 1) && (n == 1 || down >= width) ? x.detach() : dense(x);
}
From heads_of(const Tensor& x) {
    const PerAxis& at = x.strides();
    return {x.data(), at[0], at[1], x.size(2) == 1 ? std::max<Index>(x.size(3), 1) : std::max<Index>(at[2], 1)};
}
To heads_to(Tensor& x) {
    const From like = heads_of(x);
    return {x.write(), like.batch, like.head, like.row};
}

/// Part 0, 1 or 2 of adjacent columns, by head.
template <class Number>
Heads<Number> part(Number* x, const Problem& p, Index parts, Index which) {
    const Index all = p.heads * p.width;
    return {x + which * all, p.queries * parts * all, p.width, std::max<Index>(parts * all, 1)};
}

/// The checks that attention() and self_attention() share.
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
    const PerAxis steps = mask.defined() ? stretched_strides(bias, scores) : PerAxis{};
    return {q[0], q[1], q[2], keys, q[3], value_width, causal, first, by, ends, ends_there, bias, steps, device};
}

struct Allow {
    const Index* allowed;
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = allowed[i] ? 0 : -infinity; }
};

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
    check(q.dim() == 4 && k.dim() == 4 && v.dim() == 4,
          "attention: wanted queries, keys and values (batch, heads, time, width), got shapes {}, {} and {}", q.shape(),
          k.shape(), v.shape());
    check(k.shape() == q.shape().with(2, k.size(2)) && v.shape() == k.shape().with(3, v.size(3)),
          "attention: wanted keys of the width of queries and a value for every key, got shapes {}, {} and {}",
          q.shape(), k.shape(), v.shape());
    check(q.device() == k.device() && k.device() == v.device(),
          "attention: wanted all on one device, got {}, {} and {}", q.device(), k.device(), v.device());
    const Problem p = problem("attention", q.shape(), k.size(2), v.size(3), options, q.device());
    const Tensor a = readable(q), b = readable(k), c = readable(v);
    Tensor y = empty(q.shape().with(3, v.size(3)), q.device());
    forward(p, heads_of(a), heads_of(b), heads_of(c), heads_to(y));
    const std::array need{q.requires_grad(), k.requires_grad(), v.requires_grad(), options.mask.requires_grad()};
    return record("attention", y, {q, k, v, options.mask},
                  [p, a = Saved(a), b = Saved(b), c = Saved(c), mask = Saved(p.mask), lengths = Saved(p.lengths_there),
                   need](const Tensor& dy) {
                      mask.check(), lengths.check();  // `p` refers to them too
                      const Tensor g = readable(dy);
                      Grads grads(4);
                      const auto wanted = [&](std::size_t i, const Tensor& x) {
                          if (need[i])
                              grads[i] = p.queries > 0 ? empty(x.shape(), x.device()) : zeros(x.shape(), x.device());
                          return need[i] ? heads_to(grads[i]) : To();
                      };
                      const To dq = wanted(0, *a), dk = wanted(1, *b), dv = wanted(2, *c);
                      Tensor scores = need[3] ? zeros(p.scores(), p.device) : Tensor();
                      backward(p, heads_of(*a), heads_of(*b), heads_of(*c), heads_of(g), dq, dk, dv,
                               need[3] ? scores.write() : nullptr);
                      if (need[3]) grads[3] = sum_to(scores, p.mask.shape());
                      return grads;
                  });
}

Tensor self_attention(const Tensor& qkv, Index heads, const AttentionOptions& options) {
    check_defined("self_attention", qkv);
    check(qkv.dim() == 3, "self_attention: wanted (batch, time, 3 width), got shape {}", qkv.shape());
    check(heads >= 1 && qkv.size(2) % 3 == 0 && qkv.size(2) / 3 % heads == 0,
          "self_attention: wanted rows of queries, keys and values for {} heads, got shape {}", heads, qkv.shape());
    const Index width = qkv.size(2) / 3;
    const Shape q{qkv.size(0), heads, qkv.size(1), width / heads};
    const Problem p = problem("self_attention", q, q[2], q[3], options, qkv.device());
    const Tensor x = dense(qkv);
    Tensor y = empty(qkv.shape().with(2, width), qkv.device());
    const auto from = [p, x](Index which) { return part(x.data(), p, 3, which); };
    forward(p, from(0), from(1), from(2), part(y.write(), p, 1, 0));
    return record("self_attention", y, {qkv, options.mask},
                  [p, from, x = Saved(x), mask = Saved(p.mask), lengths = Saved(p.lengths_there),
                   need = options.mask.requires_grad()](const Tensor& dy) {
                      x.check(), mask.check(), lengths.check();  // `from` and `p` refer to them too
                      const Tensor g = dense(dy);
                      Tensor dx = empty_like(*x), scores = need ? zeros(p.scores(), p.device) : Tensor();
                      Real* to = dx.write();
                      backward(p, from(0), from(1), from(2), part(g.data(), p, 1, 0), part(to, p, 3, 0),
                               part(to, p, 3, 1), part(to, p, 3, 2), need ? scores.write() : nullptr);
                      return Grads{dx, need ? sum_to(scores, p.mask.shape()) : Tensor()};
                  });
}

Tensor attention_mask(const Integers& allowed) {
    Tensor y = empty(allowed.shape(), allowed.device());
    each(allowed.device(), allowed.numel(), Allow{allowed.data(), y.write()});
    return y;
}

}  // namespace RECTO
