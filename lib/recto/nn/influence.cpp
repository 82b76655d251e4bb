#include <recto/nn/influence.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <recto/autograd/tape.hpp>

namespace RECTO::nn {
namespace {

double change(Real a, Real b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : INFINITY;
    return a == b ? 0 : std::abs(double(a) - double(b));
}

/// The largest changes seen so far.
class Changes {
public:
    explicit Changes(Index time) : time_(time) {}

    void see(const Tensor& before, const Tensor& after, Index place) {
        check(before.dim() >= 2 && before.size(0) == 1 && before.size(1) > 0 && before.shape() == after.shape(),
              "influence: wanted outputs of one shape (1, outputs, ...), got {} and {}", before.shape(), after.shape());
        const Index outputs = before.size(1), width = before.numel() / outputs;
        if (largest_.empty()) largest_.resize(std::size_t(outputs * time_));
        check(Index(largest_.size()) == outputs * time_, "influence: wanted outputs of one shape, got {} after others",
              before.shape());
        const std::vector<Real> a = before.values(), b = after.values();
        for (Index t = 0; t < outputs; ++t)
            for (Index i = t * width; i < (t + 1) * width; ++i) {
                Real& most = largest_[std::size_t(t * time_ + place)];
                // A change too small for Real still counts.
                const double seen = change(a[std::size_t(i)], b[std::size_t(i)]);
                most = std::max(most, seen > 0 ? std::max(Real(seen), std::numeric_limits<Real>::denorm_min()) : 0);
            }
    }
    Tensor matrix() const { return Tensor({Index(largest_.size()) / time_, time_}, largest_); }

private:
    Index time_;
    std::vector<Real> largest_;
};

void check_sizes(Index time, Index trials) {
    check(time >= 1 && trials >= 1, "influence: wanted at least one place and one trial, got {} and {}", time, trials);
}

}  // namespace

Tensor influence(const SymbolModel& model, Index time, Index symbols, Generator& random, Index trials) {
    check_sizes(time, trials);
    check(symbols >= 2, "influence: wanted at least 2 symbols, got {}", symbols);
    const NoGrad only_asking;
    Changes changes(time);
    for (Index trial = 0; trial < trials; ++trial) {
        std::vector<Index> tokens = random.integers({time}, 0, symbols).values();
        const auto ask = [&] { return model(Integers({1, time}, tokens)); };
        const Tensor before = ask();
        for (Index place = 0; place < time; ++place) {
            const Index original = tokens[std::size_t(place)];
            for (Index other = 1; other < symbols; ++other) {
                tokens[std::size_t(place)] = (original + other) % symbols;
                changes.see(before, ask(), place);
            }
            tokens[std::size_t(place)] = original;
        }
    }
    return changes.matrix();
}

Tensor vector_influence(const VectorModel& model, Index time, Index width, Generator& random, Index trials) {
    check_sizes(time, trials);
    check(width >= 1, "influence: wanted vectors of at least one number, got {}", width);
    const NoGrad only_asking;
    Changes changes(time);
    for (Index trial = 0; trial < trials; ++trial) {
        const std::vector<Real> x = random.normal({time, width}).values();
        const Tensor before = model(Tensor({1, time, width}, x));
        for (Index place = 0; place < time; ++place) {
            std::vector<Real> other = x;
            std::ranges::copy(random.normal({width}).values(), other.begin() + place * width);
            changes.see(before, model(Tensor({1, time, width}, other)), place);
        }
    }
    return changes.matrix();
}

bool is_causal(const Tensor& influence, Index delay) {
    check(influence.dim() == 2, "is_causal: wanted (outputs, time), got shape {}", influence.shape());
    const std::vector<Real> entries = influence.values();
    for (Index t = 0; t < influence.size(0); ++t)
        for (Index s = std::max<Index>(0, t - delay + 1); s < influence.size(1); ++s)
            if (entries[std::size_t(t * influence.size(1) + s)] != 0) return false;
    return true;
}

}  // namespace RECTO::nn
