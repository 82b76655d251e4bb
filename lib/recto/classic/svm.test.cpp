#include <recto/classic/svm.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <recto/data/clouds.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::classic;

namespace {

struct Plane {
    Matrix x;
    std::vector<Index> sides;
};

Plane separable(Index count, double gap, std::uint64_t seed) {
    Generator random(seed);
    const data::Examples set = data::separable_clouds(count, gap, random);
    Plane p{linalg::matrix_of(set.x), {}};
    for (const Index label : set.labels.values()) p.sides.push_back(2 * label - 1);
    return p;
}

/// The largest margin over 200 000 directions: half the distance between the two clouds in each direction.
double best_margin(const Plane& p) {
    double best = -1e300;
    for (int i = 0; i < 200000; ++i) {
        const double angle = 2 * std::numbers::pi * i / 200000, dx = std::cos(angle), dy = std::sin(angle);
        double lowest = 1e300, highest = -1e300;
        for (Index n = 0; n < p.x.rows; ++n) {
            const double along = dx * p.x(n, 0) + dy * p.x(n, 1);
            if (p.sides[std::size_t(n)] > 0)
                lowest = std::min(lowest, along);
            else
                highest = std::max(highest, along);
        }
        best = std::max(best, (lowest - highest) / 2);
    }
    return best;
}

}  // namespace

TEST_CASE("svm: the margin is the best there is", "[classic][row:sys-bias-max-margin/a][row:sys-bias-max-margin/b]") {
    const std::uint64_t seed = GENERATE(1u, 2u, 3u);
    const Plane p = separable(40, 0.3, seed);
    Generator random(seed);
    const Svm svm = linear_svm(p.x, p.sides, 1e4, random);
    CAPTURE(svm.sweeps);
    CHECK(std::abs(svm.margin() - best_margin(p)) <= 1e-3);
    CHECK(kkt_violation(svm, p.x, p.sides, 1e4) < 1e-4);
    for (Index n = 0; n < 40; ++n) CHECK(double(p.sides[std::size_t(n)]) * svm.score({p.x.row(n), 2}) >= 1 - 1e-4);
}

TEST_CASE("svm: three points by hand", "[classic]") {
    // (0, 1) against (1, -1) and (-1, -1): the x axis is the best separator, at distance 1 from all.
    const Matrix x(3, 2, Vector{0, 1, 1, -1, -1, -1});
    const std::vector<Index> sides = {1, -1, -1};
    Generator random(1);
    const Svm svm = linear_svm(x, sides, 100, random, 1e-10);
    CHECK(std::abs(svm.w[0]) <= 1e-8);
    CHECK(std::abs(svm.w[1] - 1) <= 1e-8);
    CHECK(std::abs(svm.bias) <= 1e-8);
    CHECK(std::abs(svm.alpha[0] - 0.5) <= 1e-8);
}

TEST_CASE("svm: a soft margin lets samples in, at a price", "[classic]") {
    Plane p = separable(60, 0, 4);
    p.sides[10] = -p.sides[10];  // no line separates them any more
    Generator random(4);
    const Svm svm = linear_svm(p.x, p.sides, 1, random, 1e-6);
    CHECK(kkt_violation(svm, p.x, p.sides, 1) < 1e-5);
    const auto loss = [&](const Svm& s) {
        double total = (s.w[0] * s.w[0] + s.w[1] * s.w[1]) / 2;
        for (Index n = 0; n < 60; ++n)
            total += std::max(0.0, 1 - double(p.sides[std::size_t(n)]) * s.score({p.x.row(n), 2}));
        return total;
    };
    for (int i = 0; i < 200; ++i) {
        Svm other = svm;
        for (double* v : {&other.w[0], &other.w[1], &other.bias}) *v += 0.1 * random.next_normal();
        REQUIRE(loss(svm) <= loss(other) + 1e-6);
    }
}

TEST_CASE("svm: one against the rest", "[classic][row:sys-bias-max-margin/c]") {
    Generator random(5);
    Matrix x(90, 2);
    std::vector<Index> labels;
    for (Index n = 0; n < 90; ++n) {
        labels.push_back(n % 3);
        const double angle = 2 * std::numbers::pi * double(n % 3) / 3;
        x(n, 0) = 3 * std::cos(angle) + 0.5 * random.next_normal();
        x(n, 1) = 3 * std::sin(angle) + 0.5 * random.next_normal();
    }
    CHECK(one_vs_rest(x, labels, 3, 10, random).predict(x) == labels);
}

TEST_CASE("svm: messages", "[classic]") {
    Generator random(1);
    const Matrix x(2, 1, Vector{0, 1});
    CHECK_THROWS_WITH(linear_svm(x, std::vector<Index>{1}, 1, random),
                      "linear_svm: 2 samples want as many sides, got 1");
    CHECK_THROWS_WITH(linear_svm(x, std::vector<Index>{1, 0}, 1, random),
                      "linear_svm: wanted sides of 1 and -1, got 0");
    CHECK_THROWS_WITH(linear_svm(x, std::vector<Index>{1, 1}, 1, random),
                      "linear_svm: wanted samples on both sides, got none on side -1");
    CHECK_THROWS_WITH(linear_svm(x, std::vector<Index>{1, -1}, 0, random), "linear_svm: wanted c above 0, got 0");
}
