#include <recto/ops/products/quantized_linear.hpp>

#include <algorithm>

#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/gemm.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/products/linear.hpp>

namespace RECTO {
namespace {

/// One number of the result: a row of x times a row of blocks.
template <int bits, bool minimum>
struct RowTimesBlocks {
    static constexpr BlockFormat format{"", bits, minimum};
    const Real* x;
    const std::uint8_t* blocks;
    const Real* bias;
    Real* y;
    Index in, out;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index place) const {
        const Index per_row = in / block_size, j = place % out;
        const Real* from = x + place / out * in;
        const std::uint8_t* row = blocks + j * per_row * format.bytes();
        const Real total = team.sum(per_row, [&](Index b) {
            const std::uint8_t* block = row + b * format.bytes();
            const Real* with = from + b * block_size;
            const BlockHead head = block_head(block, format);
            Real part = 0;
            for (int i = 0; i < block_size; ++i)
                part += with[i] * Real(block_weight(head, block_code(block, i, format), format));
            return part;
        });
        team.each(1, [&](Index) { y[place] = bias ? total + bias[j] : total; });
    }
};

template <int bits, bool minimum>
void multiply(Device device, Index n, const Tensor& x, const QuantizedTensor& w, const Real* bias, Real* y) {
    const Index out = w.size(0), in = w.size(1);
    rows(device, n * out, in, RowTimesBlocks<bits, minimum>{x.data(), w.data(), bias, y, in, out});
}

}  // namespace

Tensor quantized_linear(const Tensor& x, const QuantizedTensor& weight, const Tensor& bias) {
    check_defined("quantized_linear", x);
    check(weight.defined(), "quantized_linear: wanted weights (out, in), got an undefined tensor");
    check(weight.dim() == 2, "quantized_linear: wanted weights (out, in), got shape {}", weight.shape());
    check(x.dim() >= 1, "quantized_linear: wanted an input with at least one axis, got shape {}", x.shape());
    const Index out = weight.size(0), in = weight.size(1), n = x.shape().without(-1).numel();
    check(x.size(-1) == in, "quantized_linear: weights of shape {} want inputs of {} columns, got shape {}",
          weight.shape(), in, x.shape());
    check(!bias.defined() || bias.shape() == Shape{out},
          "quantized_linear: weights of shape {} want a bias of shape ({}), got {}", weight.shape(), out, bias.shape());
    check(x.device() == weight.device() && (!bias.defined() || bias.device() == x.device()),
          "quantized_linear: wanted input, weights and bias on one device, got {}, {} and {}", x.device(),
          weight.device(), bias.defined() ? bias.device() : weight.device());
    if (n > 8) return linear(x, dequantize(weight), bias);

    const Tensor a = dense(x), b = bias.defined() ? dense(bias) : Tensor();
    Tensor y = empty(x.shape().with(-1, out), x.device());
    const auto run = weight.format() == q4_0   ? multiply<4, false>
                     : weight.format() == q4_1 ? multiply<4, true>
                     : weight.format() == q5_0 ? multiply<5, false>
                     : weight.format() == q5_1 ? multiply<5, true>
                                               : multiply<8, false>;
    run(x.device(), n, a, weight, b.defined() ? b.data() : nullptr, y.write());
    detail::count_multiply_adds(n * out * in);
    return record("quantized_linear", y, {x, bias},
                  [weight, n, in, out, need_dx = x.requires_grad(), need_db = bias.requires_grad(),
                   flat = b.defined() ? b.shape() : Shape{}](const Tensor& dy) {
                      const Tensor g = dense(dy);
                      Tensor dx, db;
                      if (need_dx) {
                          const Tensor w = dequantize(weight);
                          dx = empty(dy.shape().with(-1, in), g.device());
                          gemm(g.device(), n, in, out, {g.data(), std::max<Index>(out, 1)},
                               {w.data(), std::max<Index>(in, 1)}, dx.write(), in);
                      }
                      if (need_db) {  // ones times dy
                          const Tensor row = ones({1, n}, g.device());
                          db = empty(flat, g.device());
                          gemm(g.device(), 1, out, n, {row.data(), std::max<Index>(n, 1)},
                               {g.data(), std::max<Index>(out, 1)}, db.write(), std::max<Index>(out, 1));
                      }
                      return Grads{dx, db};
                  });
}

}  // namespace RECTO
