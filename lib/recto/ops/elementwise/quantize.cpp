#include <recto/ops/elementwise/quantize.hpp>

#include <algorithm>
#include <memory>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

struct Encode {
    const Real* x;
    std::uint8_t* blocks;
    BlockFormat format;
    RECTO_HD void operator()(Index i) const { encode_block(x + i * block_size, blocks + i * format.bytes(), format); }
};

struct Decode {
    const std::uint8_t* blocks;
    Real* y;
    BlockFormat format;
    RECTO_HD void operator()(Index i) const { decode_block(blocks + i * format.bytes(), y + i * block_size, format); }
};

/// A row is a group.
struct ToLevels {
    const Real* x;
    Real* y;
    Index n, group;
    Real steps;  // levels less one
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index begin = row * group, some = begin + group < n ? group : n - begin;
        const Real* in = x + begin;
        Real* out = y + begin;
        const Real high = team.max(some, [&](Index j) { return in[j]; }),
                   low = -team.max(some, [&](Index j) { return -in[j]; }), d = (high - low) / steps;
        team.each(some, [&](Index j) {
            const Real up = (in[j] - low) / d + Real(0.5), q = up < steps ? Real(int(up)) : steps;
            out[j] = d == 0 ? in[j] : low + d * q;
        });
    }
};

}  // namespace

QuantizedTensor quantize(const Tensor& x, BlockFormat format) {
    check_defined("quantize", x);
    const auto storage =
        std::make_shared<Storage>(std::size_t(quantized_bytes(x.shape(), format, "quantize")), x.device());
    const QuantizedTensor q(x.shape(), format, storage);
    storage->changed(0, storage->bytes());
    const Tensor in = dense(x);
    each(x.device(), q.blocks(), Encode{in.data(), static_cast<std::uint8_t*>(storage->data()), format});
    return q;
}

Tensor dequantize(const QuantizedTensor& q) {
    check(q.defined(), "dequantize: wanted a quantized tensor, got an undefined one");
    Tensor y = empty(q.shape(), q.device());
    each(q.device(), q.blocks(), Decode{q.data(), y.write(), q.format()});
    return y;
}

Tensor fake_quantize(const Tensor& x, Index levels, Index group) {
    check_defined("fake_quantize", x);
    check(2 <= levels && levels <= 65536, "fake_quantize: wanted from 2 to 65536 levels, got {}", levels);
    check(group >= 1, "fake_quantize: wanted at least one number in a group, got {}", group);
    const Tensor in = dense(x);
    Tensor y = empty_like(in);
    const Index n = in.numel(), width = std::min(group, n);
    rows(in.device(), n ? (n + group - 1) / group : 0, width,
         ToLevels{in.data(), y.write(), n, group, Real(levels - 1)});
    return record("fake_quantize", y, {x}, [](const Tensor& dy) { return Grads{dy}; });
}

}  // namespace RECTO
