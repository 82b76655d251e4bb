#include <recto/data/clouds.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace RECTO::data {

double Mixture::log_density(double x, double y) const {
    check(!bells.empty(), "log_density: wanted at least one bell, got none");
    std::vector<double> logs;
    for (const Bell& b : bells) {
        const double u = (std::cos(b.angle) * (x - b.x) + std::sin(b.angle) * (y - b.y)) / b.along;
        const double v = (std::cos(b.angle) * (y - b.y) - std::sin(b.angle) * (x - b.x)) / b.across;
        logs.push_back(std::log(b.weight / (2 * std::numbers::pi * b.along * b.across)) - (u * u + v * v) / 2);
    }
    const double most = *std::ranges::max_element(logs);
    double total = 0;
    for (const double l : logs) total += std::exp(l - most);
    return most + std::log(total);
}

Examples Mixture::draw(Index count, Generator& random) const {
    std::vector<Real> weights, points;
    for (const Bell& b : bells) weights.push_back(Real(b.weight));
    for (const Index which : random.multinomial(weights, count)) {
        const Bell& b = bells[std::size_t(which)];
        const double u = b.along * random.next_normal(), v = b.across * random.next_normal();
        points.push_back(Real(b.x + std::cos(b.angle) * u - std::sin(b.angle) * v));
        points.push_back(Real(b.y + std::sin(b.angle) * u + std::cos(b.angle) * v));
    }
    return {
        Tensor(Shape{count, 2}, points),
        {},
        {},
        fmt::format("synthetic: {} points from a mixture of {} bells, seed {}", count, bells.size(), random.seed())};
}

Mixture three_bells() {
    return {{{0.5, -1.2, -0.8, 0.9, 0.4, 0.6}, {0.3, 1.5, 1.0, 0.5, 0.5, 0}, {0.2, 1.0, -1.5, 0.7, 0.25, -0.5}}};
}

Examples separable_clouds(Index count, double gap, Generator& random) {
    check(gap >= 0 && gap <= 1, "separable_clouds: wanted a gap from 0 to 1, got {}", gap);
    constexpr double slope_x = 0.6, slope_y = 0.8, offset = 0.1;  // the line 0.6 x + 0.8 y = 0.1, of unit normal
    std::vector<Real> points;
    std::vector<Index> labels;
    while (Index(labels.size()) < count) {
        const double x = 2 * random.next_uniform() - 1, y = 2 * random.next_uniform() - 1;
        const double distance = slope_x * x + slope_y * y - offset;
        const Index label = distance > 0;
        const bool wanted = labels.size() >= 2 || label == Index(labels.size());  // one of each class to begin with
        if (!wanted || std::abs(distance) < gap / 2) continue;
        points.push_back(Real(x)), points.push_back(Real(y));
        labels.push_back(label);
    }
    return {Tensor(Shape{count, 2}, points),
            Integers(Shape{count}, labels),
            {},
            fmt::format("synthetic: {} points on two sides of a line with a gap of {}, seed {}", count, gap,
                        random.seed())};
}

SparseTable sparse_table(Index rows, Index inputs, Index relevant, double signal_to_noise, Generator& random) {
    check(relevant > 0 && relevant <= inputs, "sparse_table: wanted 1 to {} relevant inputs, got {}", inputs, relevant);
    check(signal_to_noise > 0, "sparse_table: wanted a signal-to-noise ratio above 0, got {}", signal_to_noise);
    SparseTable table;
    table.x = linalg::Matrix(rows, inputs);
    for (double& v : table.x.values) v = random.next_normal();
    const std::vector<Index> order = random.permutation(inputs);
    table.support.assign(order.begin(), order.begin() + relevant);
    std::vector<double> signs;
    for (Index k = 0; k < relevant; ++k) signs.push_back(random.next_uniform() < 0.5 ? -1 : 1);
    const double noise = std::sqrt(double(relevant) / signal_to_noise);  // the signal's variance is `relevant`
    for (Index i = 0; i < rows; ++i) {
        double y = noise * random.next_normal();
        for (std::size_t k = 0; k < signs.size(); ++k) y += signs[k] * table.x(i, table.support[k]);
        table.y.push_back(y);
    }
    std::ranges::sort(table.support);
    table.source = fmt::format("synthetic: {} rows, {} of {} inputs relevant, signal-to-noise ratio {}, seed {}", rows,
                               relevant, inputs, signal_to_noise, random.seed());
    return table;
}

}  // namespace RECTO::data
