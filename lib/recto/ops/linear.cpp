#include <recto/ops/linear.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/core/gemm.hpp>
#include <recto/core/launch.hpp>

namespace RECTO {
namespace {

/// The sum of the rows of one group, column by column.
struct SumRows {
    const Real* x;
    Real* y;
    Index count, cols, together;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index group) const {
        const Index begin = group * together, end = begin + together < count ? begin + together : count;
        Real* out = y + group * cols;
        team.each(cols, [&](Index j) { out[j] = 0; });
        for (Index i = begin; i < end; ++i) {
            const Real* in = x + i * cols;
            team.each(cols, [&](Index j) { out[j] += in[j]; });
        }
    }
};

/// The sum of all rows: groups of a size that depends on the shape alone, then the groups' sums likewise.
Tensor sum_of_rows(Tensor x, Index cols) {
    for (;;) {
        const Index n = cols ? x.size() / cols : 0,
                    together = std::clamp<Index>(32768 / std::max<Index>(cols, 1), 32, 1024);
        const Index groups = std::max<Index>(1, (n + together - 1) / together);
        Tensor y = empty({groups, cols}, x.device());
        rows(x.device(), groups, together * cols, SumRows{x.data(), y.write(), n, cols, together});
        if (groups == 1) return y.view({cols}, Shape{cols}.strides(), 0);
        x = y;
    }
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    check(x.rank() >= 1, "linear: wanted an input with at least one axis, got shape {}", x.shape());
    check(weight.rank() == 2, "linear: wanted weights (out, in), got shape {}", weight.shape());
    const Index out = weight.dim(0), in = weight.dim(1);
    check(x.dim(-1) == in, "linear: weights of shape {} want inputs of {} columns, got shape {}", weight.shape(), in,
          x.shape());
    check(!bias.defined() || bias.shape() == Shape{out},
          "linear: weights of shape {} want a bias of shape ({}), got {}", weight.shape(), out, bias.shape());
    check(x.device() == weight.device() && (!bias.defined() || bias.device() == x.device()),
          "linear: wanted input, weights and bias on one device, got {}, {} and {}", x.device(), weight.device(),
          bias.defined() ? bias.device() : weight.device());

    const Shape outer = x.shape().without(-1);
    const Index n = outer.count();
    const Tensor a = dense(x), w = dense(weight), b = bias.defined() ? dense(bias) : Tensor();
    const Addend plus{b.defined() ? b.data() : nullptr, 0};
    Tensor y = empty(x.shape().with(-1, out), x.device());
    gemm(x.device(), n, out, in, {a.data(), std::max<Index>(in, 1)}, {w.data(), std::max<Index>(in, 1), true},
         y.write(), out, plus);

    const bool need_dx = x.wants_grad(), need_dw = weight.wants_grad(), need_db = bias.wants_grad();
    return record("linear", y, {x, weight, bias}, [a, w, n, in, out, need_dx, need_dw, need_db](const Tensor& dy) {
        const Tensor g = dense(dy);
        const Index wide = std::max<Index>(out, 1);
        Grads grads(3);
        if (need_dx) {
            grads[0] = empty_like(a);
            gemm(g.device(), n, in, out, {g.data(), wide}, {w.data(), std::max<Index>(in, 1)}, grads[0].write(), in);
        }
        if (need_dw) {
            grads[1] = empty_like(w);
            gemm(g.device(), out, in, n, {g.data(), wide, true}, {a.data(), std::max<Index>(in, 1)}, grads[1].write(),
                 in);
        }
        if (need_db) grads[2] = sum_of_rows(g, out);
        return grads;
    });
}

}  // namespace RECTO
