#include <recto/classic/regions.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <recto/linalg/products.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::classic;

namespace {

/// Which units are active at a point: the pattern that identifies the piece.
std::vector<bool> pattern(const ReluNetwork& network, Vector x) {
    std::vector<bool> on;
    for (const ReluLayer& layer : network) {
        Vector y = linalg::matvec(layer.weight, x);
        linalg::add_scaled(y, 1, layer.bias);
        for (double& v : y) {
            on.push_back(v > 0);
            v = std::max(v, 0.0);
        }
        x = y;
    }
    return on;
}

Vector point(const Vector& start, const Vector& u, double s, const Vector& v = {}, double t = 0) {
    Vector x = start;
    linalg::add_scaled(x, s, u);
    if (!v.empty()) linalg::add_scaled(x, t, v);
    return x;
}

Vector random_vector(Index n, Generator& random) {
    Vector v;
    for (Index i = 0; i < n; ++i) v.push_back(random.next_normal());
    return v;
}

}  // namespace

TEST_CASE("regions: one layer on a line bends once per unit", "[classic]") {
    const ReluNetwork hats = {{Matrix(3, 1, Vector{1, 1, -1}), {0, -1, 0.5}}};  // kinks at 0, at 1 and at 0.5
    CHECK(bends_on_line(hats, Vector{0}, Vector{1}, -2, 2) == std::vector<double>{0, 0.5, 1});
    CHECK(bends_on_line(hats, Vector{0}, Vector{1}, 0.2, 0.7) == std::vector<double>{0.5});
    CHECK(bends_on_line({}, Vector{0}, Vector{1}, -2, 2).empty());
}

TEST_CASE("regions: tents fold the line", "[classic][row:claim-more-regions-than-samples/a]") {
    // max(0, 2x) - max(0, 4x - 2) is a tent on [0, 1]; each further tent doubles the pieces (Telgarsky, 2016).
    ReluNetwork tents = {{Matrix(2, 1, Vector{2, 4}), {0, -2}}};
    for (Index depth = 1; depth <= 6; ++depth) {
        CHECK(Index(bends_on_line(tents, Vector{0}, Vector{1}, 0, 1).size()) + 1 == Index(1) << depth);
        tents.push_back({Matrix(2, 2, Vector{2, -2, 4, -4}), {0, -2}});
    }
}

TEST_CASE("regions: the pattern changes at every bend and nowhere else",
          "[classic][row:claim-more-regions-than-samples/a]") {
    const Index depth = GENERATE(1, 2, 4);
    Generator random(std::uint64_t(depth) + 10);
    const ReluNetwork network = random_relu_network(5, 20, depth, random);
    const Vector start = random_vector(5, random), along = random_vector(5, random);
    std::vector<double> ends = bends_on_line(network, start, along, -3, 3);
    CHECK(std::ranges::is_sorted(ends));
    ends.insert(ends.begin(), -3.0), ends.push_back(3.0);
    std::vector<bool> before;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        const double width = ends[k + 1] - ends[k];
        const auto here = pattern(network, point(start, along, ends[k] + width / 2));
        CHECK(here != before);
        for (const double share : {1e-3, 0.3, 0.999})
            CHECK(pattern(network, point(start, along, ends[k] + share * width)) == here);
        before = here;
    }
}

TEST_CASE("regions: networks before training are as wide as they should be",
          "[classic][row:claim-more-regions-than-samples/a]") {
    Generator random(2);
    const ReluNetwork network = random_relu_network(3, 1000, 2, random);
    const auto mean_square = [](const Vector& v) { return linalg::dot(v, v) / double(v.size()); };
    CHECK(std::abs(mean_square(network[0].weight.values) * 3 / 2 - 1) <= 0.15);  // variance 2 / inputs
    CHECK(std::abs(mean_square(network[1].weight.values) * 1000 / 2 - 1) <= 0.15);
    CHECK(std::abs(mean_square(network[0].bias) - 1) <= 0.2);
    CHECK(std::abs(mean_square(network[1].bias) / 0.01 - 1) <= 0.2);
}

TEST_CASE("regions: at width 50 the pieces grow with the depth", "[classic][row:claim-more-regions-than-samples/a]") {
    std::vector<double> mean;
    for (const Index depth : {1, 2, 3, 5}) {
        double total = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            Generator random(seed);
            total += double(
                bends_on_line(random_relu_network(1, 50, depth, random), Vector{0}, Vector{1}, -3, 3).size() + 1);
        }
        mean.push_back(total / 10);
    }
    CAPTURE(mean);
    CHECK(std::ranges::is_sorted(mean));
    CHECK(mean[3] >= 2 * mean[0]);
}

TEST_CASE("regions: lines cut the plane", "[classic]") {
    // n lines in general position whose crossings are all inside the square form 1 + n + (crossings) pieces.
    const Vector origin{0, 0}, u{1, 0}, v{0, 1};
    const ReluNetwork cross = {{Matrix(2, 2, Vector{1, 0, 0, 1}), {0, 0}}};
    CHECK(pieces_on_plane(cross, origin, u, v, -1, 1).size() == 4);
    const ReluNetwork three = {{Matrix(3, 2, Vector{1, 0, 0, 1, 1, 1}), {0, 0, 0.5}}};
    CHECK(pieces_on_plane(three, origin, u, v, -1, 1).size() == 7);
}

TEST_CASE("regions: pieces tile the square and each has a pattern of its own",
          "[classic][row:claim-more-regions-than-samples/b]") {
    const Index depth = GENERATE(1, 2, 3);
    Generator random(std::uint64_t(depth) + 20);
    const ReluNetwork network = random_relu_network(3, 12, depth, random);
    const Vector start = random_vector(3, random), u = random_vector(3, random), v = random_vector(3, random);
    const std::vector<Polygon> pieces = pieces_on_plane(network, start, u, v, -2, 2);
    double total = 0;
    std::set<std::vector<bool>> patterns;
    for (const Polygon& piece : pieces) {
        total += area(piece);
        double s = 0, t = 0;
        for (const auto& c : piece) s += c[0] / double(piece.size()), t += c[1] / double(piece.size());
        const auto inside = pattern(network, point(start, u, s, v, t));
        patterns.insert(inside);
        for (const auto& c : piece)  // just inside every corner
            CHECK(pattern(network, point(start, u, c[0] + 1e-3 * (s - c[0]), v, c[1] + 1e-3 * (t - c[1]))) == inside);
    }
    CHECK(std::abs(total - 16) <= 1e-9);
    CHECK(patterns.size() == pieces.size());
    // The line t = 0 crosses at most as many pieces as there are.
    const auto bends = bends_on_line(network, start, u, -2, 2);
    CHECK(bends.size() + 1 <= pieces.size());
}

TEST_CASE("regions: messages", "[classic]") {
    Generator random(1);
    const ReluNetwork network = random_relu_network(2, 3, 1, random);
    CHECK_THROWS_WITH(bends_on_line(network, Vector{0}, Vector{1}, 0, 1),
                      "bends_on_line: a layer of 2 inputs cannot read 1 numbers");
    CHECK_THROWS_WITH(bends_on_line(network, Vector{0, 0}, Vector{1}, 0, 1),
                      "bends_on_line: wanted points and directions of 2 numbers, got 1");
    CHECK_THROWS_WITH(bends_on_line(network, Vector{0, 0}, Vector{1, 0}, 1, 1),
                      "bends_on_line: wanted low below high, got 1 and 1");
    CHECK_THROWS_WITH(random_relu_network(0, 1, 1, random),
                      "random_relu_network: wanted sizes of at least 1, got 0, 1 and 1");
}
