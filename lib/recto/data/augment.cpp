#include <recto/data/augment.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace RECTO::data {
namespace {

/// The numbers of a set as a writable array, in row-major order.
std::vector<Real> numbers_of(const Tensor& x, const char* who, int least_rank) {
    check(x.defined() && x.dim() >= least_rank, "{}: wanted at least {} axes, examples first, got {}", who, least_rank,
          x.defined() ? x.dim() : 0);
    check(x.device() == Device::cpu, "{}: wanted examples on cpu, got them on {}", who, x.device());
    return x.values();
}

}  // namespace

Tensor shifted(const Tensor& x, Index most, Generator& random, double fill) {
    const std::vector<Real> from = numbers_of(x, "shifted", 2);
    const bool pictures = x.dim() > 2;
    const Index width = x.size(-1), height = pictures ? x.size(-2) : 1;
    const Index shortest = pictures ? std::min(width, height) : width;
    check(most >= 0 && most < shortest, "shifted: wanted at most {} places, from 0, got {}", shortest - 1, most);
    const Index examples = x.size(0), plane = width * height;
    const Index planes = examples > 0 ? x.numel() / examples / plane : 0;
    std::vector<Real> made(from.size(), Real(fill));
    for (Index n = 0; n < examples; ++n) {
        const Index down = pictures ? random.next_integer(-most, most + 1) : 0,
                    right = random.next_integer(-most, most + 1);
        const Index first = std::max(Index(0), right), end = width + std::min(Index(0), right);
        for (Index p = n * planes; p < (n + 1) * planes; ++p)
            for (Index row = std::max(Index(0), down); row < height + std::min(Index(0), down); ++row) {
                const auto source = from.begin() + p * plane + (row - down) * width + (first - right);
                std::copy(source, source + (end - first), made.begin() + p * plane + row * width + first);
            }
    }
    return Tensor(x.shape(), made);
}

Tensor flipped(const Tensor& x, Generator& random, double probability) {
    check(probability >= 0 && probability <= 1, "flipped: wanted a probability from 0 to 1, got {}", probability);
    std::vector<Real> numbers = numbers_of(x, "flipped", 2);
    const Index width = x.size(-1), examples = x.size(0);
    const Index each = examples > 0 ? x.numel() / examples : 0;
    for (Index n = 0; n < examples; ++n)
        if (random.next_uniform() < probability)
            for (Index at = n * each; at < (n + 1) * each; at += width)
                std::reverse(numbers.begin() + at, numbers.begin() + at + width);
    return Tensor(x.shape(), numbers);
}

Tensor noisy(const Tensor& x, double deviation, Generator& random, Range range) {
    check(deviation >= 0 && std::isfinite(deviation), "noisy: wanted a finite deviation of at least 0, got {}",
          deviation);
    check(range.low <= range.high, "noisy: wanted a range with low <= high, got {} to {}", range.low, range.high);
    std::vector<Real> numbers = numbers_of(x, "noisy", 0);
    const std::vector<Real> noise = random.normal(x.shape(), 0, Real(deviation)).values();
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = std::clamp(numbers[i] + noise[i], Real(range.low), Real(range.high));
    return Tensor(x.shape(), numbers);
}

}  // namespace RECTO::data
