#include <recto/ops/products/linear.hpp>

#include <algorithm>
#include <type_traits>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/activations.hpp>
#include <recto/kernels/fold_rows.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO {
namespace {

/// y = f(z), elementwise.
template <class F>
struct Activate {
    const Real* z;
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = F::of(z[i]); }
};

/// y = f(z), and z becomes f': the two share most of their arithmetic, and the rule only multiplies.
template <class F>
struct ActivateAndDerive {
    Real *z, *y;
    RECTO_HD void operator()(Index i) const {
        const Real x = z[i];
        y[i] = F::of(x);
        z[i] = F::slope(x);
    }
};

/// Some columns of the rows of one group: dz = dy f', which is written unless f is the identity, and its sum over the rows.
template <class F>
struct SumRows {
    const Real *dy, *at;  // y if f' is computed from it, otherwise f' itself
    Real *dz, *sum;
    Index count, cols, together, strip, strips;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index part) const {
        const Index group = part / strips, from = (part - group * strips) * strip;
        const Index begin = group * together, end = begin + together < count ? begin + together : count;
        const Index width = cols - from < strip ? cols - from : strip, start = begin * cols + from;
        const auto add = [](Real a, Real b) { return a + b; };
        const auto slope = [&](Index i, Index j) {
            const Index place = start + i * cols + j;
            if constexpr (std::is_same_v<F, activations::Identity>)
                return dy[place];
            else if constexpr (F::slope_from_result)
                return dz[place] = dy[place] * F::slope(at[place]);
            else
                return dz[place] = dy[place] * at[place];
        };
        fold_rows(team, end - begin, width, 0, sum + group * cols + from, slope, add);
    }
};

/// The sum of all rows: sums groups of a size that depends on the shape alone, then sums the groups' sums in the same
/// way.
template <class F>
Tensor sum_of_rows(const Tensor& dy, const Tensor& at, Real* dz, Index cols) {
    const Index n = cols ? dy.numel() / cols : 0,
                together = std::clamp<Index>(32768 / std::max<Index>(cols, 1), 32, 1024);
    const Index groups = std::max<Index>(1, (n + together - 1) / together);
    const Index strip = columns_of_team(dy.device()), strips = (cols + strip - 1) / strip;
    Tensor sum = empty({groups, cols}, dy.device());
    rows(dy.device(), groups * strips, together * std::min(cols, strip),
         SumRows<F>{dy.data(), at.defined() ? at.data() : nullptr, dz, sum.write(), n, cols, together, strip, strips});
    if (groups == 1) return sum.view({cols}, Shape{cols}.strides(), 0);
    return sum_of_rows<activations::Identity>(sum, Tensor(), nullptr, cols);
}

template <class F>
Tensor layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    constexpr bool plain = std::is_same_v<F, activations::Identity>;
    const Index out = weight.size(0), in = weight.size(1), n = x.shape().without(-1).numel();
    const Tensor a = dense(x), w = dense(weight), b = bias.defined() ? dense(bias) : Tensor();
    const Addend plus{b.defined() ? b.data() : nullptr, 0};
    const MatrixView right{w.data(), std::max<Index>(in, 1), true};
    const bool need_dx = x.requires_grad(), need_dw = weight.requires_grad(), need_db = bias.requires_grad();

    // f' may be computed from z itself and take its place; without gradients, y takes it.
    Tensor y = empty(x.shape().with(-1, out), x.device());
    const bool derive = !plain && !F::slope_from_result && (need_dx || need_dw || need_db);
    Tensor z = derive ? empty_like(y) : y;
    Real *to_y = y.write(), *to_z = z.write();
    // Blocks of rows small enough to stay in the cache until the activation function reads them; few rows fit anyway.
    const Index block = !plain && x.device() == Device::cpu && n >= 2048 ? 256 : std::max<Index>(n, 1);
    parallel((n + block - 1) / block, 1, [&](Index begin, Index end) {
        for (Index i = begin * block; i < std::min(end * block, n); i += block) {
            const Index some = std::min(block, n - i);
            gemm(x.device(), some, out, in, {a.data() + i * in, std::max<Index>(in, 1)}, right, to_z + i * out, out,
                 plus);
            if constexpr (!plain && !F::slope_from_result)
                if (derive) {
                    each(x.device(), some * out, ActivateAndDerive<F>{to_z + i * out, to_y + i * out});
                    continue;
                }
            if constexpr (!plain) each(x.device(), some * out, Activate<F>{to_z + i * out, to_y + i * out});
        }
    });

    const Tensor at = plain ? Tensor() : F::slope_from_result ? y : z;
    return record(
        "linear", y, {x, weight, bias},
        [a = Saved(a), w = Saved(w), at = Saved(at), n, in, out, need_dx, need_dw, need_db](const Tensor& dy) {
            const Tensor g = dense(dy);
            Tensor dz = plain ? g : empty_like(g), db;
            if (!plain || need_db) db = sum_of_rows<F>(g, *at, plain ? nullptr : dz.write(), out);
            const Index wide = std::max<Index>(out, 1), narrow = std::max<Index>(in, 1);
            Tensor dx, dw;
            if (need_dx) {
                dx = empty(dy.shape().with(-1, in), g.device());
                gemm(g.device(), n, in, out, {dz.data(), wide}, {w->data(), narrow}, dx.write(), in);
            }
            if (need_dw) {
                dw = empty({out, in}, g.device());
                gemm(g.device(), out, in, n, {dz.data(), wide, true}, {a->data(), narrow}, dw.write(), in);
            }
            return Grads{dx, dw, need_db ? db : Tensor()};
        });
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation f) {
    check(x.dim() >= 1, "linear: wanted an input with at least one axis, got shape {}", x.shape());
    check(weight.dim() == 2, "linear: wanted weights (out, in), got shape {}", weight.shape());
    const Index out = weight.size(0), in = weight.size(1);
    check(x.size(-1) == in, "linear: weights of shape {} want inputs of {} columns, got shape {}", weight.shape(), in,
          x.shape());
    check(!bias.defined() || bias.shape() == Shape{out},
          "linear: weights of shape {} want a bias of shape ({}), got {}", weight.shape(), out, bias.shape());
    check(x.device() == weight.device() && (!bias.defined() || bias.device() == x.device()),
          "linear: wanted input, weights and bias on one device, got {}, {} and {}", x.device(), weight.device(),
          bias.defined() ? bias.device() : weight.device());

    struct Known {
        Activation f;
        Tensor (*with)(const Tensor&, const Tensor&, const Tensor&);
    };
    constexpr Known all[] = {{nullptr, layer<activations::Identity>}, {relu, layer<activations::Relu>},
                             {gelu, layer<activations::Gelu>},        {tanh, layer<activations::Tanh>},
                             {sigmoid, layer<activations::Sigmoid>},  {silu, layer<activations::Silu>}};
    for (const Known& known : all)
        if (f == known.f) return known.with(x, weight, bias);
    return f(layer<activations::Identity>(x, weight, bias));
}

}  // namespace RECTO
