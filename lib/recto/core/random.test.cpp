#include <recto/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Words = std::array<std::uint32_t, 4>;

/// The probability of a chi-squared sum of at least `sum` with `freedom` degrees: 1 - P(freedom / 2, sum / 2).
double p_value(double sum, double freedom) {
    const double a = freedom / 2, x = sum / 2;
    double term = 1 / a, series = term;
    for (int n = 1; n < 2000; ++n) series += term *= x / (a + n);
    return 1 - series * std::exp(a * std::log(x) - x - std::lgamma(a));
}

/// Chi-squared against probabilities, over the classes with positive probability.
double p_value(const std::vector<Index>& drawn, const std::vector<Real>& probabilities) {
    double total = 0, sum = 0, freedom = -1;
    for (const Real p : probabilities) total += double(p);
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const double want = double(probabilities[i]) / total * double(drawn.size());
        const auto got = double(std::ranges::count(drawn, Index(i)));
        if (want == 0) continue;
        sum += (got - want) * (got - want) / want;
        freedom += 1;
    }
    return p_value(sum, freedom);
}

/// Ten distributions of 2 to 20 classes, every third class impossible in half of them.
std::vector<std::vector<Real>> distributions() {
    Generator random(5);
    std::vector<std::vector<Real>> all;
    for (int n = 0; n < 10; ++n) {
        all.push_back(random.uniform({random.next_integer(2, 21)}, Real(0.05), 1).values());
        for (std::size_t i = 0; n % 2 && i < all.back().size(); i += 3) all.back()[i] = 0;
    }
    return all;
}

}  // namespace

TEST_CASE("random: uniform numbers stay below the end of their range", "[core][random][devices]") {
    const Device device = GENERATE(from_range(devices()));
    // In float, the last of the 2^24 steps from 1 to 2 rounds to 2, and a range of one unit in the last place always
    // rounds to its end.
    const Real high = std::nextafter(Real(1), Real(2));
    const Tensor y = Generator(1).uniform({4096}, 1, high, device);
    for (const Real v : y.values()) REQUIRE(v == 1);
    const Tensor same = Generator(1).uniform({8}, 3, 3, device);
    CHECK(same.values() == std::vector<Real>(8, 3));
}

TEST_CASE("random: uniform wants a range of finite numbers", "[core][random]") {
    Generator random(1);
    CHECK_THROWS_WITH(random.uniform({2}, 1, 0), "uniform: wanted finite numbers with low at most high, got 1 and 0");
    CHECK_THROWS_WITH(random.uniform({2}, not_a_number, 1),
                      "uniform: wanted finite numbers with low at most high, got nan and 1");
    CHECK_THROWS_WITH(random.uniform({2}, 0, infinity),
                      "uniform: wanted finite numbers with low at most high, got 0 and inf");
    CHECK(random.calls() == 0);
}

TEST_CASE("random: the published vectors of Philox4x32-10", "[core][random]") {
    CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
          Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("random: the p-value is right", "[core][random]") {  // against tables
    CHECK(std::abs(p_value(3.841459, 1) - 0.05) < 1e-6);
    CHECK(std::abs(p_value(18.307038, 10) - 0.05) < 1e-6);
    CHECK(std::abs(p_value(29.588298, 10) - 0.001) < 1e-6);
}

TEST_CASE("random: both samplers draw what they should", "[core][random][row:sys-multinomial/a]") {
    for (const auto& probabilities : distributions()) {
        CAPTURE(probabilities);
        Generator random(17);
        CHECK(p_value(random.multinomial(probabilities, 100'000), probabilities) > 1e-3);
        CHECK(p_value(AliasTable(probabilities).draw(random, 100'000), probabilities) > 1e-3);
        std::vector<Real> wrong = probabilities;  // the test detects a probability that is 8 % too large
        *std::ranges::max_element(wrong) *= Real(1.08);
        CHECK(p_value(random.multinomial(wrong, 100'000), probabilities) < 1e-3);
    }
}

TEST_CASE("random: the impossible is never drawn", "[core][random][row:sys-multinomial/b]") {
    std::vector<std::vector<Real>> all = distributions();
    all.insert(all.end(), {{0, 1, 0}, {0, 0, Real(1e-30)}, {Real(1e-30), 0, 1, 0}, {1, Real(0.1), Real(0.1), 0}});
    for (const auto& probabilities : all) {
        Generator random(23);
        const AliasTable table(probabilities);
        for (const auto& drawn : {random.multinomial(probabilities, 100'000), table.draw(random, 100'000)})
            CHECK(std::ranges::none_of(drawn, [&](Index i) { return probabilities[std::size_t(i)] == 0; }));
    }
}

TEST_CASE("random: every device draws the same", "[core][random][devices][row:sys-multinomial/c]") {
    const Device device = GENERATE(from_range(devices()));
    for (const Index n : {Index(0), Index(1), Index(127), Index(128), Index(129), Index(50'003)}) {
        CAPTURE(device, n);
        Generator here(3), there(3);
        CHECK(same_bits(here.uniform({n}, -1, 3), there.uniform({n}, -1, 3, device)));
        CHECK(same_bits(here.normal({n}, 1, 2), there.normal({n}, 1, 2, device)));
        CHECK(here.integers({n}, -5, 1'000'000'007).values() ==
              there.integers({n}, -5, 1'000'000'007, device).values());
    }
}

TEST_CASE("random: the CPU and the GPU draw the same sequences", "[core][random][cuda][row:sys-multinomial/c]") {
    if (!missing(Device::cuda).empty()) SKIP(missing(Device::cuda));
    for (const auto& probabilities : distributions()) {
        const Tensor p({Index(probabilities.size())}, probabilities);
        Generator here(3), there(3);
        CHECK(here.multinomial(p, {100'000}).values() == there.multinomial(p.to(Device::cuda), {100'000}).values());
    }
}

TEST_CASE("random: draws on a device are those of the host", "[core][random][devices]") {
    const Device device = GENERATE(from_range(devices()));
    for (const auto& probabilities : distributions()) {
        Generator here(3), there(3);
        const Integers drawn =
            there.multinomial(Tensor({Index(probabilities.size())}, probabilities, device), {100, 10});
        CHECK(drawn.device() == device);
        CHECK(drawn.shape() == Shape{100, 10});
        CHECK(drawn.values() == here.multinomial(probabilities, 1000));
    }
}

TEST_CASE("random: uniform numbers", "[core][random]") {
    const std::vector<double> u = doubles(Generator(1).uniform({100'000}));
    CHECK(std::ranges::all_of(u, [](double v) { return v >= 0 && v < 1; }));
    std::vector<Index> bins;
    for (const double v : u) bins.push_back(Index(v * 50));
    CHECK(p_value(bins, std::vector<Real>(50, 1)) > 1e-3);
    const std::vector<Index> dice = Generator(2).integers({100'000}, -3, 4).values();
    CHECK((std::ranges::min(dice) == -3 && std::ranges::max(dice) == 3));
    bins.clear();
    for (const Index v : dice) bins.push_back(v + 3);
    CHECK(p_value(bins, std::vector<Real>(7, 1)) > 1e-3);
}

TEST_CASE("random: normal numbers", "[core][random]") {
    std::vector<Index> bins;  // sixteen equally likely bins by the normal distribution function
    for (const double v : doubles(Generator(3).normal({100'000}, 5, 2)))
        bins.push_back(Index(16 * 0.5 * std::erfc(-(v - 5) / 2 / std::sqrt(2.0))));
    CHECK(p_value(bins, std::vector<Real>(16, 1)) > 1e-3);
    double sum = 0;
    Generator random(4);
    for (int i = 0; i < 10'000; ++i) {
        const double v = random.next_normal();
        sum += v * v;
    }
    CHECK(std::abs(sum / 10'000 - 1) < 0.06);
}

TEST_CASE("random: the same numbers on every machine, in both precisions", "[core][random]") {
    Generator random(2024);
    const std::vector<Real> u = random.uniform({5}).values(), z = random.normal({5}).values();
    CAPTURE(doubles(Tensor({5}, u)), doubles(Tensor({5}, z)));
    CHECK(std::ranges::equal(
        u, std::initializer_list<float>{0.603689849f, 0.268563271f, 0.984598696f, 0.0835959911f, 0.346284151f}));
    CHECK(std::ranges::equal(
        z, std::initializer_list<float>{-1.05520105f, -1.14492154f, 0.530787289f, 1.14905977f, 1.55538023f}));
    CHECK(random.integers({3}, 0, 1000).values() == std::vector<Index>{370, 580, 826});
    CHECK(random.permutation(6) == std::vector<Index>{4, 1, 2, 5, 3, 0});
}

TEST_CASE("random: permutations", "[core][random]") {
    Generator random(6);
    std::vector<Index> ranks;
    std::set<std::vector<Index>> seen;
    for (int n = 0; n < 24'000; ++n) {
        const std::vector<Index> order = random.permutation(4);
        const auto place = seen.insert(order).first;  // insert before calling begin(): the new element may be the first
        ranks.push_back(Index(std::distance(seen.begin(), place)));
        if (n < 500) ranks.clear();  // ranks change until all 24 orders have been seen
    }
    CHECK(seen.size() == 24);
    CHECK(p_value(ranks, std::vector<Real>(24, 1)) > 1e-3);
    CHECK(random.permutation(0).empty());
    CHECK(random.permutation(1) == std::vector<Index>{0});
}

TEST_CASE("random: seed and number of calls are all there is to a generator", "[core][random]") {
    Generator a(9);
    a.normal({100});
    a.next_uniform();
    Generator b(a.seed(), a.calls());
    CHECK(same_bits(a.normal({10}), b.normal({10})));
    CHECK_FALSE(same_bits(a.normal({10}), a.normal({10})));
    Generator c = a.split(), d = a.split();
    CHECK_FALSE(same_bits(c.normal({10}), d.normal({10})));
}

TEST_CASE("random: messages", "[core][random]") {
    Generator random(1);
    const std::vector<Real> none{}, zero{0, 0}, negative{1, -1}, bad{1, not_a_number}, endless{1, infinity};
    CHECK_THROWS_WITH(random.integers({2}, 3, 3), "integers: wanted low below high, got 3 and 3");
    CHECK_THROWS_WITH(random.next_integer(4, 3), "integers: wanted low below high, got 4 and 3");
    CHECK_THROWS_WITH(random.permutation(-1), "permutation: wanted a length of at least 0, got -1");
    CHECK_THROWS_WITH(random.multinomial(negative, 1), "multinomial: wanted probabilities of at least 0, got -1");
    CHECK_THROWS_WITH(random.multinomial(bad, 1), "multinomial: wanted probabilities of at least 0, got nan");
    CHECK_THROWS_WITH(random.multinomial(endless, 1), "multinomial: wanted probabilities of at least 0, got inf");
    CHECK_THROWS_WITH(random.multinomial(zero, 1), "multinomial: wanted a probability above 0, got none among 2");
    CHECK_THROWS_WITH(random.multinomial(none, 1), "multinomial: wanted a probability above 0, got none among 0");
    CHECK_THROWS_WITH(random.multinomial(ones({2, 2}), {1}),
                      "multinomial: wanted one axis of probabilities, got shape (2, 2)");
    CHECK_THROWS_WITH(AliasTable(zero), "AliasTable: wanted a probability above 0, got none among 2");
    CHECK_THROWS_WITH(AliasTable(negative), "AliasTable: wanted probabilities of at least 0, got -1");
}
