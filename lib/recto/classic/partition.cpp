#include <recto/classic/partition.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <recto/linalg/products.hpp>

namespace RECTO::classic {
namespace {

double imbalance(std::span<const Index> numbers, std::span<const double> w) {
    check(numbers.size() == w.size(), "partition_loss: {} numbers want as many weights, got {}", numbers.size(),
          w.size());
    double sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i) sum += double(numbers[i]) * w[i];
    return sum;
}

}  // namespace

double partition_loss(std::span<const Index> numbers, std::span<const double> w) {
    const double sum = imbalance(numbers, w);
    double loss = sum * sum;
    for (const double v : w) loss += (v * v - 1) * (v * v - 1);
    return loss;
}

Vector partition_loss_gradient(std::span<const Index> numbers, std::span<const double> w) {
    const double sum = imbalance(numbers, w);
    Vector g;
    for (std::size_t i = 0; i < w.size(); ++i) g.push_back(4 * w[i] * (w[i] * w[i] - 1) + 2 * double(numbers[i]) * sum);
    return g;
}

PartitionSearch search_partitions(std::span<const Index> numbers) {
    check(!numbers.empty() && numbers.size() <= 30, "search_partitions: wanted 1 to 30 numbers, got {}",
          numbers.size());
    Index sum = 0;
    for (const Index a : numbers) {
        check(a >= 1 && a <= 1000000000000, "search_partitions: wanted numbers from 1 to 10^12, got {}", a);
        sum += a;
    }
    const auto n = std::uint64_t(1) << numbers.size();
    Vector signs(numbers.size(), 1.0);
    PartitionSearch found{false, sum, 1, signs};
    for (std::uint64_t step = 1; step < n; ++step, ++found.candidates) {
        const auto i = std::size_t(std::countr_zero(step));  // Gray code: one sign changes at a time
        sum -= Index(2 * signs[i]) * numbers[i];
        signs[i] = -signs[i];
        if (std::abs(sum) < found.smallest_difference) found.smallest_difference = std::abs(sum), found.signs = signs;
    }
    found.exists = found.smallest_difference == 0;
    return found;
}

PartitionDescent descend_partition(std::span<const Index> numbers, Vector start, Index steps) {
    PartitionDescent at{std::move(start), 0};
    at.loss = partition_loss(numbers, at.w);
    double rate = 1;
    for (Index step = 0; step < steps; ++step) {
        const Vector g = partition_loss_gradient(numbers, at.w);
        const double square = linalg::dot(g, g);
        if (!(square > 1e-18)) break;
        for (rate *= 2; rate > 1e-300; rate /= 2) {
            Vector w = at.w;
            linalg::add_scaled(w, -rate, g);
            const double loss = partition_loss(numbers, w);
            if (!(loss <= at.loss - rate * square / 4)) continue;
            at = {std::move(w), loss};
            break;
        }
        if (rate <= 1e-300) break;  // rounding: no step lowers the loss any more
    }
    return at;
}

}  // namespace RECTO::classic
