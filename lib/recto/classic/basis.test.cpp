#include <recto/classic/basis.hpp>

#include <cmath>
#include <numbers>

#include <recto/data/curves.hpp>
#include <recto/linalg/products.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::classic;

namespace {
Basis any_basis(int which) {
    return which == 0   ? gaussian_bumps(10, 0, 1)
           : which == 1 ? fourier(9, 0.7)
           : which == 2 ? legendre(12, -1, 2)
                        : cosines(40, 0, 1);
}
Vector random_vector(Index n, Generator& random) {
    Vector v;
    for (Index i = 0; i < n; ++i) v.push_back(random.next_normal());
    return v;
}
}  // namespace

TEST_CASE("basis: the model is linear in its weights", "[classic][row:eq-basis-model/a]") {
    const Basis basis = any_basis(GENERATE(0, 1, 2, 3));
    Generator random(1);
    for (int draw = 0; draw < 100; ++draw) {
        const Vector u = random_vector(Index(basis.size()), random), v = random_vector(Index(basis.size()), random);
        const double a = random.next_normal(), b = random.next_normal(), x = random.next_uniform();
        Vector w(u.size(), 0.0);
        linalg::add_scaled(w, a, u);
        linalg::add_scaled(w, b, v);
        REQUIRE(std::abs(mix(basis, w, x) - (a * mix(basis, u, x) + b * mix(basis, v, x))) <= 1e-12);
    }
}

TEST_CASE("basis: the design matrix gives what a loop gives", "[classic][row:eq-basis-model/b]") {
    const Basis basis = any_basis(GENERATE(0, 1, 2, 3));
    Generator random(2);
    const Vector w = random_vector(Index(basis.size()), random), x = data::even_grid(101, -0.5, 1.5);
    const Vector y = mix(basis, w, x);
    for (std::size_t n = 0; n < x.size(); ++n) {
        double want = 0;
        for (std::size_t k = 0; k < basis.size(); ++k) want += w[k] * basis[k](x[n]);
        REQUIRE(std::abs(y[n] - want) <= 1e-12);
        REQUIRE(std::abs(mix(basis, w, x[n]) - want) <= 1e-12);
    }
}

TEST_CASE("basis: what the functions are", "[classic]") {
    const Basis bumps = gaussian_bumps(3, 0, 1, 0.2);
    for (int k = 0; k < 3; ++k) {
        CHECK(bumps[std::size_t(k)](0.5 * k) == 1);
        CHECK(std::abs(bumps[std::size_t(k)](0.5 * k + 0.2) - std::exp(-0.5)) <= 1e-15);
    }
    // The width equals the distance between centres.
    CHECK(std::abs(gaussian_bumps(3, 0, 1)[0](0.5) - std::exp(-0.5)) <= 1e-15);
    CHECK(gaussian_bumps(1, 0, 1)[0](0.5) == 1);

    const Basis waves = fourier(5, 2);
    const double x = 0.3, turn = std::numbers::pi * x;
    const double want[] = {1, std::cos(turn), std::sin(turn), std::cos(2 * turn), std::sin(2 * turn)};
    for (std::size_t k = 0; k < 5; ++k) {
        CHECK(std::abs(waves[k](x) - want[k]) <= 1e-15);
        CHECK(std::abs(waves[k](x + 6) - want[k]) <= 1e-14);  // three periods later
    }

    CHECK(std::abs(cosines(4, 1, 3)[3](1.5) - std::cos(0.75 * std::numbers::pi)) <= 1e-15);

    const Basis powers = legendre(4, -1, 1);
    CHECK(std::abs(powers[2](x) - (3 * x * x - 1) / 2) <= 1e-15);
    CHECK(std::abs(powers[3](x) - (5 * x * x * x - 3 * x) / 2) <= 1e-15);
    for (const auto& p : legendre(30, 3, 7)) CHECK(std::abs(p(7) - 1) <= 1e-13);
}

TEST_CASE("basis: ramps bend at their joints and nowhere else", "[classic][row:fig-udl-8.4/a]") {
    // Joints, positions and weights are multiples of powers of two: every sum is exact.
    const Basis basis = ramps(8, -1, 1);
    REQUIRE(basis.size() == 9);
    Generator random(1);
    Vector w;
    for (std::size_t k = 0; k < basis.size(); ++k) w.push_back(double(random.next_integer(-1000, 1000)) / 64);
    const double step = 1. / 16;
    for (int i = -15; i < 16; ++i) {
        const double x = step * i;
        const double bend = mix(basis, w, x + step) - 2 * mix(basis, w, x) + mix(basis, w, x - step);
        CAPTURE(x);
        if ((i + 16) % 4 == 0)
            CHECK(bend == w[std::size_t(1 + (i + 16) / 4)] * step);
        else
            CHECK(bend == 0);
    }
    CHECK(mix(basis, w, -1) == w[0]);
    CHECK_THROWS_WITH(ramps(0, 0, 1), "ramps: wanted at least one ramp, got 0");
    CHECK_THROWS_WITH(ramps(3, 1, 1), "ramps: wanted low below high, got 1 and 1");
}

TEST_CASE("basis: messages", "[classic]") {
    CHECK_THROWS_WITH(gaussian_bumps(0, 0, 1), "gaussian_bumps: wanted at least one bump, got 0");
    CHECK_THROWS_WITH(legendre(3, 1, 1), "legendre: wanted low below high, got 1 and 1");
    CHECK_THROWS_WITH(mix(fourier(3, 1), Vector{1}, 0.5), "mix: 3 functions want as many weights, got 1");
    CHECK_THROWS_WITH(fourier(3, 0), "fourier: wanted a period above 0, got 0");
}
