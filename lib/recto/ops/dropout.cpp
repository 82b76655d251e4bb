#include <recto/ops/dropout.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/core/launch.hpp>

namespace RECTO {
namespace {

/// What is kept: the same for the same key, on every device. Four decisions are drawn at a time.
struct Mask {
    std::uint64_t key, dropped;  // of all 2^32 words, the first `dropped` mean 0
    Real scale;
    RECTO_HD std::array<std::uint32_t, 4> four(Index block) const {
        const auto b = std::uint64_t(block);
        return philox({std::uint32_t(b), std::uint32_t(b >> 32), 0, 0}, {std::uint32_t(key), std::uint32_t(key >> 32)});
    }
    RECTO_HD Real factor(std::uint32_t word) const { return word < dropped ? 0 : scale; }
};

struct Drop {
    Mask mask;
    const Real* x;
    Real* y;
    Index n;
    RECTO_HD void operator()(Index block) const {
        const auto words = mask.four(block);
        const Index begin = 4 * block, left = n - begin;
        for (Index i = 0; i < 4 && i < left; ++i) {
            const Real factor = mask.factor(words[std::size_t(i)]);
            y[begin + i] = factor != 0 ? factor * x[begin + i] : 0;  // infinity times 0 is no number
        }
    }
};

/// A decision for every row.
struct DropRows {
    Mask mask;
    const Real* x;
    Real* y;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real factor = mask.factor(mask.four(row / 4)[std::size_t(row % 4)]);
        const Real* in = x + row * cols;
        Real* out = y + row * cols;
        team.each(cols, [&](Index j) { out[j] = factor != 0 ? factor * in[j] : 0; });
    }
};

/// `x` with each run of `together` numbers kept or not.
Tensor masked(const Mask& mask, const Tensor& x, Index together) {
    const Tensor in = dense(x);
    Tensor y = empty_like(x);
    if (together == 1)
        each(x.device(), (x.size() + 3) / 4, Drop{mask, in.data(), y.write(), x.size()});
    else
        rows(x.device(), together ? x.size() / together : 0, together, DropRows{mask, in.data(), y.write(), together});
    return y;
}

Tensor drop(const char* name, const Tensor& x, double probability, Generator& random, bool training, Index together) {
    check(probability >= 0 && probability <= 1, "{}: wanted a probability from 0 to 1, got {}", name, probability);
    if (!training || probability == 0) return x;
    const Mask mask{random.split().seed(), std::uint64_t(probability * 0x1p32),
                    probability < 1 ? Real(1 / (1 - probability)) : Real(0)};
    return record(name, masked(mask, x, together), {x},
                  [mask, together](const Tensor& dy) { return Grads{masked(mask, dy, together)}; });
}

}  // namespace

Tensor dropout(const Tensor& x, double probability, Generator& random, bool training) {
    return drop("dropout", x, probability, random, training, 1);
}

Tensor spatial_dropout(const Tensor& x, double probability, Generator& random, bool training) {
    check(x.rank() >= 2, "spatial_dropout: wanted (batch, channels, ...), got shape {}", x.shape());
    return drop("spatial_dropout", x, probability, random, training, x.shape().without(0).without(0).count());
}

}  // namespace RECTO
