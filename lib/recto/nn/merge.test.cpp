#include <recto/nn/merge.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <recto/nn/module.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

NamedTensors list(const std::vector<Real>& first, const std::vector<Real>& second, Device device = Device::cpu) {
    return {{"first", Tensor({Index(first.size())}, first).to(device)},
            {"second", Tensor({Index(second.size())}, second).to(device)}};
}

std::vector<double> all(const NamedTensors& of) {
    std::vector<double> found;
    for (const NamedTensor& t : of)
        for (const Real v : t.tensor.values()) found.push_back(double(v));
    return found;
}

}  // namespace

TEST_CASE("merge: sums and differences, by name", "[nn][merge][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const NamedTensors a = list({1, 2, 3}, {4, 5}, device), b = list({10, 20, 30}, {40, 50}, device),
                       turned = {b[1], b[0]};
    CHECK(all(nn::difference(b, a)) == std::vector<double>{9, 18, 27, 36, 45});
    CHECK(all(nn::plus(a, turned, 0.5)) == std::vector<double>{6, 12, 18, 24, 30});
    CHECK(nn::plus(a, b)[0].name == "first");
    CHECK(nn::plus(a, b)[0].tensor.device() == device);
    CHECK(nn::difference({}, {}).empty());
    Generator random(1);
    const nn::Mlp net({3, 4, 2}, relu, random, {.device = device});
    const NamedTensors sum = nn::plus(nn::state(net), nn::state(net));
    for (const NamedTensor& t : sum) CHECK(!t.tensor.requires_grad());
}

TEST_CASE("merge: one residual restores the fine-tuned model", "[nn][merge][row:eq-task-vectors/a]") {
    Generator random(2);
    const Tensor base = random.normal({3000}), tuned = base + random.normal({3000}, 0, Real(0.1));
    const NamedTensors theta = {{"w", base}}, theta_1 = {{"w", tuned}};
    const std::vector<double> got = all(nn::plus(theta, nn::difference(theta_1, theta))), want = all(theta_1),
                              from = all(theta);
    for (std::size_t i = 0; i < want.size(); ++i) {
        const Real larger = Real(std::max(std::abs(want[i]), std::abs(from[i])));
        const double ulp = double(std::nextafter(larger, std::numeric_limits<Real>::infinity()) - larger);
        CHECK(std::abs(got[i] - want[i]) <= ulp);
    }
}

TEST_CASE("merge: what does not fit is rejected", "[nn][merge][row:eq-task-vectors/c]") {
    const NamedTensors a = list({1, 2, 3}, {4, 5}), shape = list({1, 2, 3}, {4, 5, 6}),
                       name = {a[0], {"third", a[1].tensor}}, fewer = {a[0]}, twice = {a[0], a[0]};
    CHECK_THROWS_WITH(nn::plus(a, shape), "plus: wanted one shape for 'second', got (2) and (3)");
    CHECK_THROWS_WITH(nn::difference(a, name), "difference: wanted a tensor 'second' in both lists, got it in one");
    CHECK_THROWS_WITH(nn::difference(a, fewer),
                      "difference: wanted two lists of the same names, got 2 tensors and 1 with 1 names");
    CHECK_THROWS_WITH(nn::plus(a, twice), "plus: wanted two lists of the same names, got 2 tensors and 2 with 1 names");
    CHECK_THROWS_WITH(nn::ties({a, shape}), "ties: wanted one shape for 'second', got (2) and (3)");
    Generator random(3);
    CHECK_THROWS_WITH(nn::ties({}), "ties: wanted at least one residual, got none");
    CHECK_THROWS_WITH(nn::trimmed(a, 1.5), "trimmed: wanted a share from 0 to 1, got 1.5");
    CHECK_THROWS_WITH(nn::trimmed(list({NAN}, {1}), 0.5), "trimmed: wanted numbers, got a NaN in 'first'");
    CHECK_THROWS_WITH(nn::dare(a, 1, random), "dare: wanted a probability from 0 to less than 1, got 1");
}

TEST_CASE("merge: trimming keeps the largest of the whole list", "[nn][merge]") {
    const NamedTensors a = list({3, -1, 0.5}, {-7, 2});
    CHECK(all(nn::trimmed(a, 0.4)) == std::vector<double>{3, 0, 0, -7, 0});
    CHECK(all(nn::trimmed(a, 0)) == std::vector<double>{0, 0, 0, 0, 0});
    CHECK(all(nn::trimmed(a, 1)) == all(a));
    CHECK(all(nn::trimmed(list({1, 1, -1}, {1}), 0.5)) == std::vector<double>{1, 1, 0, 0});  // ties: the first ones
    CHECK(nn::trimmed({}, 0.5).empty());
}

TEST_CASE("merge: trim, elect sign, merge, by hand", "[nn][merge][devices][row:sys-interference-reduction/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    // Of five numbers the three largest survive: 4 -3 2 . . / -2 -5 . . 6 / . -1 . 3 -3
    const NamedTensors a = list({4, -3, 2}, {1, 0.5}, device), b = list({-2, -5, 1}, {0.5, 6}, device),
                       c = list({0.5, -1, 0.25}, {3, -3}, device);
    // Sums: 2, -9, 2, 3, 3. Means of those that agree: 4, (-3 - 5 - 1) / 3, 2, 3, 6.
    CHECK(all(nn::ties({a, b, c}, 0.6)) == std::vector<double>{4, -3, 2, 3, 6});
    CHECK(nn::ties({a, b, c}, 0.6)[1].tensor.device() == device);
    CHECK(all(nn::ties({a, {b[1], b[0]}, c}, 0.6)) == std::vector<double>{4, -3, 2, 3, 6});
    CHECK(all(nn::ties({list({1}, {2}), list({-1}, {2})}, 1)) == std::vector<double>{0, 2});  // no sign wins
}

TEST_CASE("merge: dropping and rescaling keeps the mean", "[nn][merge][devices][row:sys-interference-reduction/a]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(4);
    const NamedTensors a = list({1, -2}, {0.5}, device);
    const int draws = 4000;
    std::vector<double> sums(3), squares(3);
    for (int i = 0; i < draws; ++i) {
        const std::vector<double> one = all(nn::dare(a, 0.7, random));
        for (std::size_t k = 0; k < 3; ++k) sums[k] += one[k], squares[k] += one[k] * one[k];
    }
    const std::vector<double> want = all(a);
    for (std::size_t k = 0; k < 3; ++k) {
        const double mean = sums[k] / draws, error = std::sqrt((squares[k] / draws - mean * mean) / draws);
        CHECK(std::abs(mean - want[k]) <= 4 * error);
        CHECK(error > 0);
    }
    CHECK(all(nn::dare(a, 0, random)) == want);
    CHECK(nn::dare(a, 0.5, random)[0].tensor.device() == device);
}
