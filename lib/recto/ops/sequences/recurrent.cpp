#include <recto/ops/sequences/recurrent.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/gemm.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO {
namespace {

/// The rows of one step, one for each sample.
template <class Number>
struct RowsAt {
    Number* data;
    Index stride;
    RECTO_HD Number* operator()(Index n) const { return data + n * stride; }
};
using In = RowsAt<const Real>;
using Out = RowsAt<Real>;

/// The inputs and outputs of one step forward. A state is h, followed by c for an LSTM.
struct Forth {
    In from_x, from_h;  // the two products, gate after gate
    const Real* bias;   // of the product with h
    In before;          // the state before the step
    Out after;          // the state after the step
    Out gates;          // values kept for the backward pass
    Index hidden;
};

/// The inputs and outputs of one step backward.
struct Back {
    In dy;              // gradient of the state from outside
    const Real* later;  // gradient of h from the next step, through its product, (batch, hidden)
    // Gradient around the product, of h for a GRU, of c for an LSTM; in: from the next step, out: for the previous.
    Real* direct;
    In before, after, gates;
    Out dx, dh;  // gradients of the two products
    Index hidden;
};

struct RnnCell {
    static constexpr Index gates = 1, kept = 0, states = 1;
    template <class Team>
    RECTO_HD static void forth(const Team& team, const Forth& s, Index n) {
        const Real *x = s.from_x(n), *h = s.from_h(n), *b = s.bias;
        Real* out = s.after(n);
        team.each(s.hidden, [&](Index j) { out[j] = tanh(x[j] + (h[j] + b[j])); });
    }
    template <class Team>
    RECTO_HD static void back(const Team& team, const Back& s, Index n) {
        const Real *dy = s.dy(n), *later = s.later + n * s.hidden, *h = s.after(n);
        Real* dx = s.dx(n);
        team.each(s.hidden, [&](Index j) { dx[j] = (dy[j] + later[j]) * (1 - h[j] * h[j]); });
    }
};

struct LstmCell {
    static constexpr Index gates = 4, kept = 4, states = 2;
    template <class Team>
    RECTO_HD static void forth(const Team& team, const Forth& s, Index n) {
        const Index H = s.hidden;
        const Real *x = s.from_x(n), *h = s.from_h(n), *b = s.bias, *cell = s.before(n) + H;
        Real *out = s.after(n), *kept = s.gates(n);
        team.each(H, [&](Index j) {
            const Real i = sigmoid(x[j] + (h[j] + b[j])), f = sigmoid(x[H + j] + (h[H + j] + b[H + j]));
            const Real g = tanh(x[2 * H + j] + (h[2 * H + j] + b[2 * H + j]));
            const Real o = sigmoid(x[3 * H + j] + (h[3 * H + j] + b[3 * H + j]));
            const Real c = f * cell[j] + i * g;
            kept[j] = i, kept[H + j] = f, kept[2 * H + j] = g, kept[3 * H + j] = o;
            out[j] = o * tanh(c), out[H + j] = c;
        });
    }
    template <class Team>
    RECTO_HD static void back(const Team& team, const Back& s, Index n) {
        const Index H = s.hidden;
        const Real *dy = s.dy(n), *later = s.later + n * H, *kept = s.gates(n);
        const Real *cell = s.before(n) + H, *after = s.after(n) + H;
        Real *direct = s.direct + n * H, *dx = s.dx(n);
        team.each(H, [&](Index j) {
            const Real i = kept[j], f = kept[H + j], g = kept[2 * H + j], o = kept[3 * H + j];
            const Real dh = dy[j] + later[j], t = tanh(after[j]);
            const Real dc = dy[H + j] + direct[j] + dh * o * (1 - t * t);
            dx[j] = dc * g * i * (1 - i), dx[H + j] = dc * cell[j] * f * (1 - f);
            dx[2 * H + j] = dc * i * (1 - g * g), dx[3 * H + j] = dh * t * o * (1 - o);
            direct[j] = dc * f;
        });
    }
};

struct GruCell {
    static constexpr Index gates = 3, kept = 4, states = 1;
    template <class Team>
    RECTO_HD static void forth(const Team& team, const Forth& s, Index n) {
        const Index H = s.hidden;
        const Real *x = s.from_x(n), *h = s.from_h(n), *b = s.bias, *before = s.before(n);
        Real *out = s.after(n), *kept = s.gates(n);
        team.each(H, [&](Index j) {
            const Real r = sigmoid(x[j] + (h[j] + b[j])), z = sigmoid(x[H + j] + (h[H + j] + b[H + j]));
            const Real old = h[2 * H + j] + b[2 * H + j], fresh = tanh(x[2 * H + j] + r * old);
            kept[j] = r, kept[H + j] = z, kept[2 * H + j] = fresh, kept[3 * H + j] = old;
            out[j] = (1 - z) * fresh + z * before[j];
        });
    }
    template <class Team>
    RECTO_HD static void back(const Team& team, const Back& s, Index n) {
        const Index H = s.hidden;
        const Real *dy = s.dy(n), *later = s.later + n * H, *kept = s.gates(n), *before = s.before(n);
        Real *direct = s.direct + n * H, *dx = s.dx(n), *dh = s.dh(n);
        team.each(H, [&](Index j) {
            const Real r = kept[j], z = kept[H + j], fresh = kept[2 * H + j], old = kept[3 * H + j];
            const Real d = dy[j] + later[j] + direct[j], dn = d * (1 - z) * (1 - fresh * fresh);
            dx[j] = dh[j] = dn * old * r * (1 - r);
            dx[H + j] = dh[H + j] = d * (before[j] - fresh) * z * (1 - z);
            dx[2 * H + j] = dn, dh[2 * H + j] = dn * r;
            direct[j] = d * z;
        });
    }
};

template <class Cell>
struct StepForth {
    Forth step;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index n) const {
        Cell::forth(team, step, n);
    }
};
template <class Cell>
struct StepBack {
    Back step;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index n) const {
        Cell::back(team, step, n);
    }
};

/// A sequence in one layer, after the product with the input.
struct Sequence {
    Index batch, time, hidden;
    Tensor from_x, start, weight, bias;  // start: (batch, states hidden)
    Tensor states, gates;                // (batch, time, states hidden) and (batch, time, kept hidden)

    /// The rows of step t of a (batch, time, width) tensor, or of a tensor with only the last step.
    static In at(const Tensor& x, Index t) { return {x.data() + t % x.size(1) * x.size(2), x.size(1) * x.size(2)}; }
    static Out at(Tensor& x, Index t) { return {x.write() + t % x.size(1) * x.size(2), x.size(1) * x.size(2)}; }
    In before(Index t) const { return t > 0 ? at(states, t - 1) : In{start.data(), start.size(1)}; }
};

template <class Cell>
void forward(Sequence& s) {
    const Index wide = Cell::gates * s.hidden;
    Tensor product = empty({s.batch, wide}, s.weight.device());
    for (Index t = 0; t < s.time; ++t) {
        const In h = s.before(t);
        gemm(product.device(), s.batch, wide, s.hidden, {h.data, std::max<Index>(h.stride, 1)},
             {s.weight.data(), s.hidden, true}, product.write(), wide);
        rows(product.device(), s.batch, wide,
             StepForth<Cell>{{s.at(std::as_const(s.from_x), t),
                              {product.data(), wide},
                              s.bias.data(),
                              h,
                              s.at(s.states, t),
                              s.at(s.gates, t),
                              s.hidden}});
    }
}

/// Gradients of from_x, start, weight and bias.
template <class Cell>
Grads backward(const Sequence& s, const Tensor& dy) {
    const Device device = dy.device();
    const Index H = s.hidden, wide = Cell::gates * H;
    Tensor dx = empty(s.from_x.shape(), device), dh = Cell::gates == 3 ? empty_like(dx) : dx;
    Tensor later = zeros({s.batch, H}, device), direct = zeros({s.batch, H}, device);
    for (Index t = s.time - 1; t >= 0; --t) {
        rows(device, s.batch, wide,
             StepBack<Cell>{{s.at(dy, t), later.data(), direct.write(), s.before(t), s.at(s.states, t),
                             s.at(s.gates, t), s.at(dx, t), s.at(dh, t), H}});
        const In slope = s.at(std::as_const(dh), t);
        gemm(device, s.batch, H, wide, {slope.data, std::max<Index>(slope.stride, 1)}, {s.weight.data(), H},
             later.write(), H);
    }
    if (Cell::gates == 3) later = add(later, direct);
    const Tensor dstart = Cell::states == 2 ? concat({later, direct}, 1) : later;

    // The states before all steps, one below the other, so that dW is a single product.
    Tensor before = empty({s.batch, s.time, H}, device);
    if (s.time > 0) {
        slice(before, 1, 0, 1).copy_(reshape(slice(s.start, 1, 0, H), {s.batch, 1, H}));
        slice(before, 1, 1, s.time).copy_(slice(slice(s.states, 1, 0, s.time - 1), 2, 0, H));
    }
    Tensor dw = empty(s.weight.shape(), device);
    gemm(device, wide, H, s.batch * s.time, {dh.data(), std::max<Index>(wide, 1), true},
         {before.data(), std::max<Index>(H, 1)}, dw.write(), H);
    return {dx, dstart, dw, sum(dh, {0, 1})};
}

/// Checks the arguments, multiplies the input and runs all steps; returns all states.
template <class Cell>
Tensor run(const char* name, const Tensor& x, const RecurrentWeights& w, Tensor start) {
    const Index hidden = w.weight_hh.size(1), wide = Cell::gates * hidden;
    const Tensor from_x = linear(x, w.weight_ih, w.bias_ih);
    Sequence s{x.size(0),          x.size(1), hidden,   dense(from_x), dense(start),
               dense(w.weight_hh), Tensor(),  Tensor(), Tensor()};
    s.bias = w.bias_hh.defined() ? dense(w.bias_hh) : zeros({wide}, x.device());
    s.states = empty({s.batch, s.time, Cell::states * hidden}, x.device());
    const bool backwards =
        from_x.requires_grad() || start.requires_grad() || w.weight_hh.requires_grad() || w.bias_hh.requires_grad();
    s.gates = empty({s.batch, backwards ? s.time : 1, Cell::kept * hidden}, x.device());
    forward<Cell>(s);
    return record(name, s.states, {from_x, start, w.weight_hh, w.bias_hh},
                  [s, saved = std::array{Saved(s.states), Saved(s.start), Saved(s.weight)},
                   bias = w.bias_hh.defined()](const Tensor& dy) {
                      for (const Saved<Tensor>& x : saved) x.check();  // `s` refers to them too
                      Grads grads = backward<Cell>(s, dense(dy));
                      if (!bias) grads[3] = Tensor();
                      return grads;
                  });
}

/// `state`, or zeros.
Tensor first_state(const char* name, const Tensor& state, const Tensor& x, Index hidden) {
    if (!state.defined()) return zeros({x.size(0), hidden}, x.device());
    check(state.shape() == Shape{x.size(0), hidden}, "{}: wanted a first state of shape ({}, {}), got {}", name,
          x.size(0), hidden, state.shape());
    check(state.device() == x.device(), "{}: wanted all on one device, got {} and a first state on {}", name,
          x.device(), state.device());
    return state;
}

void check_weights(const char* name, const Tensor& x, const RecurrentWeights& w, Index gates) {
    check(x.dim() == 3 || x.dim() == 2, "{}: wanted (batch, time, in) or (batch, in), got shape {}", name, x.shape());
    const Tensor& hh = w.weight_hh;
    check(hh.dim() == 2 && hh.size(0) == gates * hh.size(1), "{}: wanted weights ({} hidden, hidden), got shape {}",
          name, gates, hh.shape());
    check(w.weight_ih.shape() == Shape{hh.size(0), x.size(-1)}, "{}: wanted input weights of shape ({}, {}), got {}",
          name, hh.size(0), x.size(-1), w.weight_ih.shape());
    for (const Tensor& b : {w.bias_ih, w.bias_hh})
        check(!b.defined() || b.shape() == Shape{hh.size(0)}, "{}: wanted a bias of shape ({}), got {}", name,
              hh.size(0), b.shape());
    for (const Tensor& t : {w.weight_ih, hh, w.bias_ih, w.bias_hh})
        check(!t.defined() || t.device() == x.device(), "{}: wanted all on one device, got {} and weights on {}", name,
              x.device(), t.defined() ? t.device() : x.device());
}

/// Splits all states into y, h and c.
template <class Cell>
Recurrent recurrent(const char* name, const Tensor& x, const RecurrentWeights& w, const Tensor& h0, const Tensor& c0) {
    check_weights(name, x, w, Cell::gates);
    const Index hidden = w.weight_hh.size(1);
    const Tensor h = first_state(name, h0, x, hidden);
    const Tensor c = Cell::states == 2 ? first_state(name, c0, x, hidden) : Tensor();
    const Tensor in = x.dim() == 3 ? x : reshape(x, {x.size(0), 1, x.size(1)});
    const Tensor all = run<Cell>(name, in, w, Cell::states == 2 ? concat({h, c}, 1) : h);
    const Tensor y = Cell::states == 2 ? slice(all, 2, 0, hidden) : all;
    if (in.size(1) == 0) return {y, h, c};
    const Tensor last = select(all, 1, in.size(1) - 1), state = select(y, 1, in.size(1) - 1);
    return {x.dim() == 3 ? y : state, state, Cell::states == 2 ? slice(last, 1, hidden, 2 * hidden) : Tensor()};
}

}  // namespace

Recurrent rnn(const Tensor& x, const RecurrentWeights& weights, const Tensor& h0) {
    return recurrent<RnnCell>("rnn", x, weights, h0, Tensor());
}
Recurrent lstm(const Tensor& x, const RecurrentWeights& weights, const Tensor& h0, const Tensor& c0) {
    return recurrent<LstmCell>("lstm", x, weights, h0, c0);
}
Recurrent gru(const Tensor& x, const RecurrentWeights& weights, const Tensor& h0) {
    return recurrent<GruCell>("gru", x, weights, h0, Tensor());
}

}  // namespace RECTO
