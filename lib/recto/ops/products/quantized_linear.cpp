#include <recto/ops/products/quantized_linear.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/device/launch.hpp>
#include <recto/device/threads.hpp>
#include <recto/kernels/gemm.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/products/linear.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace RECTO {
namespace {

/// One number of the result: a row of x times a row of blocks, by a team.
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

#if defined(__x86_64__) && defined(__GNUC__)  // as launch.hpp compiles loops for AVX2
// The compiler takes vectors apart in a function that is not itself compiled for processors that have them.
#define RECTO_HERE __attribute__((target("avx2,fma,f16c")))
using Four [[gnu::vector_size(16)]] = std::uint32_t;          // four words of 32 bits
using Words [[gnu::vector_size(32)]] = std::uint32_t;         // eight words of 32 bits
using Whole [[gnu::vector_size(32)]] = std::int32_t;          // eight signed numbers
using Numbers [[gnu::vector_size(8 * sizeof(Real))]] = Real;  // eight numbers

/// The FP16 number that stands here. Processors with AVX2 have an instruction for it.
__attribute__((always_inline)) RECTO_HERE inline Real half(const std::uint8_t* at) {
    return Real(_cvtsh_ss(std::uint16_t(at[0] | at[1] << 8)));
}

/// The codes 4 l + k of a block, for l from 0 to 7, counted from 0 unless they have 8 bits. Eight words hold all bytes of a block, four codes in each or, in both
/// halves, the same four words with two codes in each byte: one shift brings eight codes into place.
template <int bits, bool minimum>
__attribute__((always_inline)) RECTO_HERE inline Whole codes_of(const std::uint8_t* block, int k) {
    constexpr BlockFormat format{"", bits, minimum};
    const std::uint8_t* from = block + format.head() + format.fifth_bits();
    if constexpr (bits == 8) {
        Words words;
        std::memcpy(&words, from, sizeof words);
        return Whole(words << unsigned(24 - 8 * k)) >> 24;
    }
    Four half_of_them;
    std::memcpy(&half_of_them, from, sizeof half_of_them);
    const Words words = __builtin_shufflevector(half_of_them, half_of_them, 0, 1, 2, 3, 0, 1, 2, 3);
    const unsigned low = unsigned(8 * k), high = low + 4;
    Whole code = Whole(words >> Words{low, low, low, low, high, high, high, high} & 15u);
    if constexpr (bits == 5) {
        std::uint32_t fifth;
        std::memcpy(&fifth, block + format.head(), sizeof fifth);
        const Words all = Words{} + fifth, place = Words{0, 4, 8, 12, 16, 20, 24, 28} + unsigned(k);
        code |= Whole((all >> place & 1u) << 4);
    }
    return code;
}

/// Rows of blocks times `count` rows of x on the CPU, one number of each row of the result at a time. The scale of a block
/// multiplies the sum of its 32 products, so that a weight costs little more than a shift, a conversion and a multiply-add.
template <int bits, bool minimum, int count>
struct BlocksTimesRows {
    static constexpr BlockFormat format{"", bits, minimum};
    static constexpr int lanes = 8, turns = block_size / lanes;
    const Real* x;     // each block of 32 numbers in the order of codes_of(): turned()
    const Real* sums;  // of x, for each block: what its smallest number multiplies
    const std::uint8_t* blocks;
    const Real* bias;
    Real* y;
    Index in, out;

    RECTO_HERE void operator()(Index j) const {
        const Index per_row = in / block_size;
        const std::uint8_t* block = blocks + j * per_row * format.bytes();
        Real sum[count][lanes] = {}, rest[count] = {};
        for (Index b = 0; b < per_row; ++b, block += format.bytes()) {
            const Real scale = half(block);
            Real part[count][lanes] = {};
#pragma GCC unroll 4
            for (int k = 0; k < turns; ++k) {
                const Numbers code = __builtin_convertvector(codes_of<bits, minimum>(block, k), Numbers);
#pragma GCC unroll 4
                for (int r = 0; r < count; ++r) {
                    const Real* with = x + r * in + b * block_size + k * lanes;
#pragma omp simd
                    for (int l = 0; l < lanes; ++l) part[r][l] = fma(code[l], with[l], part[r][l]);
                }
            }
#pragma GCC unroll 4
            for (int r = 0; r < count; ++r) {
#pragma omp simd
                for (int l = 0; l < lanes; ++l) sum[r][l] = fma(scale, part[r][l], sum[r][l]);
                if constexpr (bits < 8)  // code 0 stands for the minimum, or for the lowest code times the scale
                    rest[r] = fma(minimum ? half(block + 2) : scale * format.lowest(), sums[r * per_row + b], rest[r]);
            }
        }
        for (int r = 0; r < count; ++r) {
            Real total = rest[r];
            for (int l = 0; l < lanes; ++l) total += sum[r][l];
            y[r * out + j] = bias ? total + bias[j] : total;
        }
    }
};

/// Every block of 32 numbers of x in the order in which codes_of() returns codes.
Tensor turned(const Tensor& x) {
    Tensor made = empty_like(x);
    const Real* from = x.host();
    Real* to = made.write();
    for (Index block = 0; block < x.numel(); block += block_size)
        for (int k = 0; k < 4; ++k)
            for (int l = 0; l < 8; ++l) *to++ = from[block + 4 * l + k];
    return made;
}

template <int bits, bool minimum>
void multiply_with_avx2(Index n, const Tensor& x, const QuantizedTensor& w, const Real* bias, Real* y) {
    const Index out = w.size(0), in = w.size(1), per_row = in / block_size;
    const Tensor in_order = turned(x);
    std::vector<Real> sums;
    if (bits < 8)
        for (Index b = 0; b < n * per_row; ++b)
            sums.push_back(std::accumulate(x.host() + b * block_size, x.host() + (b + 1) * block_size, Real(0)));
    const auto run = [&]<int count>(Index first) {
        const BlocksTimesRows<bits, minimum, count> kernel{in_order.host() + first * in,
                                                           sums.data() + (bits < 8 ? first * per_row : 0),
                                                           w.data(),
                                                           bias,
                                                           y + first * out,
                                                           in,
                                                           out};
        parallel(out, std::max<Index>(1, grain / std::max<Index>(in, 1)), [&](Index begin, Index end) {
            for (Index j = begin; j < end; ++j) kernel(j);
        });
    };
    for (Index first = 0; first < n;) {
        const bool four = n - first >= 4;
        four ? run.template operator()<4>(first) : run.template operator()<1>(first);
        first += four ? 4 : 1;
    }
}
#endif

template <int bits, bool minimum>
void multiply(Device device, Index n, const Tensor& x, const QuantizedTensor& w, const Real* bias, Real* y) {
#if defined(__x86_64__) && defined(__GNUC__)  // as launch.hpp compiles loops for AVX2
    if (device == Device::cpu && cpu_class() != CpuClass::plain)
        return multiply_with_avx2<bits, minimum>(n, x, w, bias, y);
#endif
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
