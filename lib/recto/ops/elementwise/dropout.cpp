#include <recto/ops/elementwise/dropout.hpp>

#include <algorithm>
#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// Which numbers are kept: the same for the same key on every device. Four words are drawn at a time.
struct Mask {
    std::uint64_t key;
    std::uint32_t last;  // words up to this one mean dropped
    Real scale;
    RECTO_HD std::array<std::uint32_t, 4> four(Index block) const {
        const auto b = std::uint64_t(block);
        return philox({std::uint32_t(b), std::uint32_t(b >> 32), 0, 0}, {std::uint32_t(key), std::uint32_t(key >> 32)});
    }
    RECTO_HD Real operator()(std::uint32_t word, Real x) const {
        const Real kept = scale * x;
        return word > last ? kept : 0;  // selected, not multiplied: infinity times 0 is NaN
    }
};

/// One team per 512 numbers. The four words of lane j go to j, 128 + j, ...: neighbours in memory are neighbours in the
/// loop, so that the compiler can vectorise it.
struct Drop {
    static constexpr Index quarter = 128;
    Mask late;
    const Real* x;
    Real* y;
    Index n;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index begin = row * 4 * quarter, left = n - begin;
        const Real* in = x + begin;
        Real* out = y + begin;
        const Mask m = late;
        if (left >= 4 * quarter)
            team.each(quarter, [&](Index j) {
                const auto word = m.four(row * quarter + j);
                out[j] = m(word[0], in[j]), out[quarter + j] = m(word[1], in[quarter + j]);
                out[2 * quarter + j] = m(word[2], in[2 * quarter + j]);
                out[3 * quarter + j] = m(word[3], in[3 * quarter + j]);
            });
        else
            team.each(quarter, [&](Index j) {
                const auto word = m.four(row * quarter + j);
                for (Index k = 0, i = j; k < 4 && i < left; ++k, i += quarter) out[i] = m(word[std::size_t(k)], in[i]);
            });
    }
};

/// Draws one decision for every row.
struct DropRows {
    Mask late;
    const Real* x;
    Real* y;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const std::uint32_t word = late.four(row / 4)[std::size_t(row % 4)];
        const Real* in = x + row * cols;
        Real* out = y + row * cols;
        team.each(cols, [&](Index j) { out[j] = late(word, in[j]); });
    }
};

/// `x` with each run of `together` numbers kept or dropped as a whole.
Tensor masked(const Later<Mask>& mask, const Tensor& x, Index together) {
    const Tensor in = dense(x);
    Tensor y = empty_like(x);
    if (together == 1)
        rows(x.device(), (x.numel() + 511) / 512, 512, Drop{{}, in.data(), y.write(), x.numel()}, mask);
    else
        rows(x.device(), together ? x.numel() / together : 0, together, DropRows{{}, in.data(), y.write(), together},
             mask);
    return y;
}

Tensor drop(const char* name, const Tensor& x, double probability, Generator& random, bool training, Index together) {
    check_defined(name, x);
    check(probability >= 0 && probability <= 1, "{}: wanted a probability from 0 to 1, got {}", name, probability);
    if (!training || probability == 0) return x;
    const double words = std::max(1.0, std::floor(probability * 0x1p32));
    const auto last = std::uint32_t(words - 1);
    const Real scale = probability < 1 ? Real(1 / (1 - probability)) : Real(0);
    const Later<Mask> mask = later([&random, last, scale] { return Mask{random.split().seed(), last, scale}; });
    return record(name, masked(mask, x, together), {x},
                  [mask, together](const Tensor& dy) { return Grads{masked(mask, dy, together)}; });
}

}  // namespace

Tensor dropout(const Tensor& x, double probability, Generator& random, bool training) {
    return drop("dropout", x, probability, random, training, 1);
}

Tensor spatial_dropout(const Tensor& x, double probability, Generator& random, bool training) {
    check(x.dim() >= 2, "spatial_dropout: wanted (batch, channels, ...), got shape {}", x.shape());
    return drop("spatial_dropout", x, probability, random, training, x.shape().without(0).without(0).numel());
}

}  // namespace RECTO
