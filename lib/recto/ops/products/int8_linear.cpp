#include <recto/ops/products/int8_linear.hpp>

#include <cmath>
#include <memory>

#include <recto/base/flops.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

constexpr int not_a_code = -128;  // the code of NaN

/// The code of an input.
struct ToCodes {
    const Real* x;
    std::int8_t* codes;
    Real times;
    RECTO_HD void operator()(Index i) const {
        const Real v = x[i] * times, size = v < 0 ? -v : v;
        const int down = size < 127 ? int(size) : 127, whole = down + (size < 127 && size - Real(down) >= Real(0.5));
        codes[i] = std::int8_t(is_nan(v) ? not_a_code : v < 0 ? -whole : whole);
    }
};

/// One number of the result: a row of codes times a row of blocks.
struct CodesTimesBlocks {
    const std::int8_t* codes;
    const std::uint8_t* blocks;
    const Real* bias;
    Real* y;
    Index in, out;
    Real scale;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index place) const {
        const Index per_row = in / block_size, j = place % out;
        const std::int8_t* from = codes + place / out * in;
        const std::uint8_t* row = blocks + j * per_row * q8_0.bytes();
        const Real total = team.sum(per_row, [&](Index b) {
            const std::uint8_t* block = row + b * q8_0.bytes();
            const std::int8_t* with = from + b * block_size;
            int sum = 0, bad = 0;
            for (int i = 0; i < block_size; ++i) {
                sum += int(with[i]) * int(std::int8_t(block[q8_0.head() + i]));
                bad |= with[i] == not_a_code;
            }
            return bad ? not_a_number : Real(sum) * Real(block_head(block, q8_0).scale);
        });
        team.each(1, [&](Index) { y[place] = total * scale + (bias ? bias[j] : Real(0)); });
    }
};

}  // namespace

Tensor int8_linear(const Tensor& x, const QuantizedTensor& weight, double range, const Tensor& bias) {
    check_defined("int8_linear", x);
    check(weight.defined(), "int8_linear: wanted weights (out, in), got an undefined tensor");
    check(weight.dim() == 2, "int8_linear: wanted weights (out, in), got shape {}", weight.shape());
    check(weight.format() == q8_0, "int8_linear: wanted weights in Q8_0, got {}", weight.format().name);
    check(x.dim() >= 1, "int8_linear: wanted an input with at least one axis, got shape {}", x.shape());
    const Index out = weight.size(0), in = weight.size(1), n = x.shape().without(-1).numel();
    check(x.size(-1) == in, "int8_linear: weights of shape {} want inputs of {} columns, got shape {}", weight.shape(),
          in, x.shape());
    check(!bias.defined() || bias.shape() == Shape{out},
          "int8_linear: weights of shape {} want a bias of shape ({}), got {}", weight.shape(), out, bias.shape());
    check(range > 0 && std::isfinite(range), "int8_linear: wanted a positive range, got {}", range);
    check(x.device() == weight.device() && (!bias.defined() || bias.device() == x.device()),
          "int8_linear: wanted input, weights and bias on one device, got {}, {} and {}", x.device(), weight.device(),
          bias.defined() ? bias.device() : weight.device());

    const Tensor a = dense(x), b = bias.defined() ? dense(bias) : Tensor();
    const auto codes = std::make_shared<Storage>(std::size_t(a.numel()), x.device());
    codes->changed(0, codes->bytes());
    const auto at = static_cast<std::int8_t*>(codes->data());
    each(x.device(), a.numel(), ToCodes{a.data(), at, Real(127 / range)});
    Tensor y = empty(x.shape().with(-1, out), x.device());
    rows(x.device(), n * out, in,
         CodesTimesBlocks{at, weight.data(), b.defined() ? b.data() : nullptr, y.write(), in, out, Real(range / 127)});
    detail::count_multiply_adds(n * out * in);
    return y;
}

}  // namespace RECTO
