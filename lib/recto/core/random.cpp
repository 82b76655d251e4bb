#include <recto/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

using Words = std::array<std::uint32_t, 4>;

/// The random words of block `block` of one call.
struct Source {
    std::uint64_t seed, call;
    RECTO_HD Words operator()(Index block) const {
        const auto b = std::uint64_t(block);
        return philox({std::uint32_t(b), std::uint32_t(b >> 32), std::uint32_t(call), std::uint32_t(call >> 32)},
                      {std::uint32_t(seed), std::uint32_t(seed >> 32)});
    }
};

/// Four uniform numbers per block.
struct Uniform {
    Source late;
    Real* y;
    Index n;
    Real low, range, most;  // the largest number below the end of the range, which rounding would reach
    RECTO_HD void operator()(Index block) const {
        const Words w = late(block);
        const Index left = n - 4 * block;
        for (Index i = 0; i < 4 && i < left; ++i)
            y[4 * block + i] = min(fma(Real(w[std::size_t(i)] >> 8) * Real(0x1p-24), range, low), most);
    }
};

/// Converts two uniform words to two independent normal numbers; always in float, so that both precisions and every
/// device draw the same numbers.
RECTO_HD TurnPoint normal_pair(std::uint32_t a, std::uint32_t b) {
    const float radius = sqrt(-2.f * log((float(a >> 8) + 1.f) * 0x1p-24f));
    const TurnPoint p = turn_point(float(b >> 8) * 0x1p-24f);
    return {radius * p.cos, radius * p.sin};
}

struct Normal {
    Source late;
    Real* y;
    Index n;
    Real mean, deviation;
    RECTO_HD void operator()(Index block) const {
        const Words w = late(block);
        const TurnPoint p = normal_pair(w[0], w[1]), q = normal_pair(w[2], w[3]);
        const float four[4] = {p.cos, p.sin, q.cos, q.sin};
        const Index left = n - 4 * block;
        for (Index i = 0; i < 4 && i < left; ++i) y[4 * block + i] = fma(Real(four[i]), deviation, mean);
    }
};

/// A 64-bit word scaled to [0, range): the high half of the 128-bit product.
RECTO_HD Index scaled(std::uint64_t word, std::uint64_t range) {
    return Index((static_cast<unsigned __int128>(word) * range) >> 64);
}
RECTO_HD std::uint64_t join(std::uint32_t low, std::uint32_t high) { return std::uint64_t(high) << 32 | low; }

struct UniformInteger {
    Source late;
    Index* y;
    Index n, low;
    std::uint64_t range;
    RECTO_HD void operator()(Index block) const {
        const Words w = late(block);
        y[2 * block] = low + scaled(join(w[0], w[1]), range);
        if (2 * block + 1 < n) y[2 * block + 1] = low + scaled(join(w[2], w[3]), range);
    }
};

/// The first class whose threshold exceeds a random number of 53 bits. Integer arithmetic only, so that every device
/// draws the same class.
struct Multinomial {
    Source late;
    const Index* thresholds;
    Index* y;
    Index classes;
    RECTO_HD void operator()(Index i) const {
        const Words w = late(i);
        const auto u = Index(join(w[0], w[1]) >> 11);
        Index low = 0, high = classes - 1;
        while (low < high) {
            const Index middle = (low + high) / 2;
            if (thresholds[middle] > u)
                high = middle;
            else
                low = middle + 1;
        }
        y[i] = low;
    }
};

Source source_of(const detail::DrawKey& key) { return {key.seed, key.call}; }

double total_of(std::span<const Real> probabilities, const char* who) {
    double total = 0;
    for (const Real p : probabilities) {
        check(p >= 0 && p < infinity, "{}: wanted probabilities of at least 0, got {}", who, p);
        total += p;
    }
    check(total > 0, "{}: wanted a probability above 0, got none among {}", who, probabilities.size());
    return total;
}

/// The cumulative sums in units of 2^-53 of their total. The last is exactly 2^53, since it and the total add the same
/// numbers.
std::vector<Index> thresholds_of(std::span<const Real> probabilities) {
    const double total = total_of(probabilities, "multinomial");
    std::vector<Index> thresholds;
    double sum = 0;
    for (const Real p : probabilities) thresholds.push_back(Index((sum += double(p)) / total * 0x1p53));
    return thresholds;
}

}  // namespace

Tensor Generator::uniform(const Shape& shape, Real low, Real high, Device device) {
    check(low <= high && high - low < infinity, "uniform: wanted finite numbers with low at most high, got {} and {}",
          low, high);
    Tensor y = empty(shape, device);
    each(device, (y.numel() + 3) / 4, Uniform{{}, y.write(), y.numel(), low, high - low, std::nextafter(high, low)},
         later([this] { return source_of(next()); }));
    return y;
}
Tensor Generator::normal(const Shape& shape, Real mean, Real deviation, Device device) {
    Tensor y = empty(shape, device);
    each(device, (y.numel() + 3) / 4, Normal{{}, y.write(), y.numel(), mean, deviation},
         later([this] { return source_of(next()); }));
    return y;
}
Integers Generator::integers(const Shape& shape, Index low, Index high, Device device) {
    check(low < high, "integers: wanted low below high, got {} and {}", low, high);
    Integers y(shape, device);
    each(device, (y.numel() + 1) / 2,
         UniformInteger{{}, y.write(), y.numel(), low, std::uint64_t(high) - std::uint64_t(low)},
         later([this] { return source_of(next()); }));
    return y;
}

std::vector<Index> Generator::permutation(Index n) {
    check(n >= 0, "permutation: wanted a length of at least 0, got {}", n);
    detail::refuse_in_capture("permutation");
    std::vector<Index> order(std::size_t(n), 0);
    std::iota(order.begin(), order.end(), Index(0));
    const Source source = source_of(next());
    for (Index i = n - 1; i > 0; --i) {  // Fisher and Yates
        const Words w = source(i);
        std::swap(order[std::size_t(i)], order[std::size_t(scaled(join(w[0], w[1]), std::uint64_t(i) + 1))]);
    }
    return order;
}

std::vector<Index> Generator::multinomial(std::span<const Real> probabilities, Index count) {
    return multinomial(Tensor({Index(probabilities.size())}, probabilities), {count}).values();
}
Integers Generator::multinomial(const Tensor& probabilities, const Shape& shape) {
    check(probabilities.dim() == 1, "multinomial: wanted one axis of probabilities, got shape {}",
          probabilities.shape());
    const std::vector<Index> sums = thresholds_of(probabilities.values());
    const Device device = probabilities.device();
    const Integers thresholds({Index(sums.size())}, sums, device);
    Integers y(shape, device);
    each(device, y.numel(), Multinomial{{}, thresholds.data(), y.write(), Index(sums.size())},
         later([this] { return source_of(next()); }));
    return y;
}

detail::DrawKey Generator::next() {
    const auto& draws = detail::present_draws();
    return draws ? draws->next(seed_, calls_) : detail::DrawKey{seed_, calls_++};
}

std::uint64_t Generator::next_word() {
    detail::refuse_in_capture("a draw on the host");
    const Words w = source_of(next())(0);
    return join(w[0], w[1]);
}
double Generator::next_uniform() { return double(next_word() >> 11) * 0x1p-53; }
double Generator::next_normal() {
    detail::refuse_in_capture("next_normal");
    const Words w = source_of(next())(0);
    return normal_pair(w[0], w[1]).cos;
}
Index Generator::next_integer(Index low, Index high) {
    check(low < high, "integers: wanted low below high, got {} and {}", low, high);
    return low + scaled(next_word(), std::uint64_t(high) - std::uint64_t(low));
}

AliasTable::AliasTable(std::span<const Real> probabilities)
    : keep_(probabilities.size()), other_(probabilities.size()) {
    const double total = total_of(probabilities, "AliasTable");
    std::vector<std::size_t> poor, rich;
    for (std::size_t i = 0; i < keep_.size(); ++i) {
        keep_[i] = double(probabilities[i]) / total * double(keep_.size());
        other_[i] = Index(i);
        (keep_[i] < 1 ? poor : rich).push_back(i);
    }
    while (!poor.empty() && !rich.empty()) {  // a rich column fills up each poor one
        const std::size_t from = rich.back(), to = poor.back();
        poor.pop_back();
        other_[to] = Index(from);
        keep_[from] -= 1 - keep_[to];
        if (keep_[from] < 1) rich.pop_back(), poor.push_back(from);
    }
    for (const std::size_t i : rich) keep_[i] = 1;
    // A column that rounding left over keeps its own index with probability 1, unless that index must never be drawn.
    for (const std::size_t i : poor)
        if (probabilities[i] > 0)
            keep_[i] = 1;
        else
            other_[i] = Index(std::ranges::max_element(probabilities) - probabilities.begin());
}
Index AliasTable::draw(Generator& random) const {
    const double u = random.next_uniform() * double(keep_.size());
    const auto column = std::min(std::size_t(u), keep_.size() - 1);
    return u - double(column) < keep_[column] ? Index(column) : other_[column];
}
std::vector<Index> AliasTable::draw(Generator& random, Index count) const {
    std::vector<Index> drawn;
    for (Index i = 0; i < count; ++i) drawn.push_back(draw(random));
    return drawn;
}

}  // namespace RECTO
