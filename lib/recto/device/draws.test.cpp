#include <recto/device/draws.hpp>

#include <thread>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using detail::Drawing, detail::Draws;

TEST_CASE("draws: a computation draws the same again, and its generators do not notice", "[core][random]") {
    const auto all = [](Generator& random) {
        std::vector<double> drawn{random.next_uniform(), random.next_normal(), double(random.next_integer(0, 1000))};
        for (const double v : doubles(random.normal({5}))) drawn.push_back(v);
        for (const Index i : random.permutation(4)) drawn.push_back(double(i));
        Generator other = random.split();
        drawn.push_back(other.next_uniform());
        return drawn;
    };
    Generator random(3), plain(3);
    const auto draws = std::make_shared<Draws>(nullptr);
    std::vector<double> first;
    {
        const Drawing kept(draws);
        draws->begin();
        first = all(random);
    }
    CHECK(first == all(plain));
    CHECK(random.calls() == plain.calls());
    const std::uint64_t calls = random.calls();
    for (int i = 0; i < 2; ++i) {
        Generator elsewhere(99, 7);  // any generator gets the recorded draws
        const Drawing repeated(draws);
        draws->again();
        CHECK(all(elsewhere) == first);
        draws->finish();
        CHECK(elsewhere.calls() == 7);
    }
    CHECK(random.calls() == calls);
    CHECK(all(random) == all(plain));
}

TEST_CASE("draws: a part of a larger computation, and other threads", "[core][random]") {
    const auto outer = std::make_shared<Draws>(nullptr), inner = std::make_shared<Draws>(outer);
    Generator random(1);
    double first = 0, second = 0;
    {
        const Drawing kept(outer);
        outer->begin();
        first = random.next_uniform();
        const Drawing part(inner);
        inner->begin();
        second = random.next_uniform();
        bool seen = true;
        std::thread([&] { seen = detail::present_draws() != nullptr; }).join();
        CHECK_FALSE(seen);
    }
    CHECK_FALSE(detail::present_draws());
    {
        const Drawing alone(inner);
        inner->again();
        CHECK(random.next_uniform() == second);
    }
    const Drawing both(outer);
    outer->again();
    CHECK(random.next_uniform() == first);
    CHECK(random.next_uniform() == second);
    outer->finish();
}

TEST_CASE("draws: messages", "[core][random]") {
    const auto draws = std::make_shared<Draws>(nullptr);
    Generator random(1);
    const Drawing kept(draws);
    draws->begin();
    random.next_uniform();
    draws->again();
    CHECK_THROWS_WITH(draws->finish(), "draws: a computation that was done again drew 0 times, and 1 times at first");
    random.next_uniform();
    CHECK_THROWS_WITH(random.next_uniform(),
                      "draws: a computation that was done again drew more than the 1 times of the first run");
}
