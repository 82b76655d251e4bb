#include <recto/classic/cross_validation.hpp>

#include <algorithm>
#include <cmath>

#include <recto/classic/basis.hpp>
#include <recto/classic/least_squares.hpp>
#include <recto/data/curves.hpp>
#include <recto/linalg/products.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::classic;

TEST_CASE("cross-validation: leaving one out of ridge regression has a closed form",
          "[classic][row:sys-bias-min-cv/a]") {
    const double penalty = GENERATE(1e-4, 1e-2, 1.0);
    Generator random(1);
    const data::Samples s = data::noisy_samples(data::smooth_curve, 30, 0, 1, 0.1, random);
    const Matrix phi = design_matrix(gaussian_bumps(10, 0, 1), s.x);
    const auto fit = [&](const Matrix& x, const Vector& y, const Matrix& other) {
        return linalg::matvec(other, ridge(x, y, penalty));
    };
    const double by_refitting = cross_validate(folds(30, 30, random), phi, s.y, fit);
    CHECK(std::abs(ridge_leave_one_out(phi, s.y, penalty) - by_refitting) <= 1e-8);
}

TEST_CASE("cross-validation: every row is held out once", "[classic][row:sys-bias-min-cv/b]") {
    const Index parts = GENERATE(2, 3, 10, 23);
    Generator random(2);
    std::vector<Index> held;
    for (const Fold& fold : folds(23, parts, random)) {
        CHECK((Index(fold.held.size()) == 23 / parts || Index(fold.held.size()) == 23 / parts + 1));
        CHECK(fold.train.size() + fold.held.size() == 23);
        for (const Index row : fold.held) CHECK(std::ranges::find(fold.train, row) == fold.train.end());
        held.insert(held.end(), fold.held.begin(), fold.held.end());
    }
    std::ranges::sort(held);
    REQUIRE(held.size() == 23);
    for (Index i = 0; i < 23; ++i) CHECK(held[std::size_t(i)] == i);
}

TEST_CASE("cross-validation: what it measures", "[classic]") {
    Generator random(3);
    const Matrix x(4, 1, Vector{0, 1, 2, 3});
    const auto zero = [](const Matrix&, const Vector&, const Matrix& other) {
        return Vector(std::size_t(other.rows), 0.0);
    };
    CHECK(cross_validate(folds(4, 3, random), x, Vector{1, 2, 3, 4}, zero) == 30.0 / 4);
    const auto none = [](const Matrix&, const Vector&, const Matrix&) { return Vector{}; };
    CHECK_THROWS_WITH(cross_validate(folds(4, 4, random), x, Vector{1, 2, 3, 4}, none),
                      "cross_validate: wanted 1 predictions, got 0");
    CHECK_THROWS_WITH(folds(4, 5, random), "folds: wanted 2 to 4 parts, got 5");
    CHECK_THROWS_WITH(folds(4, 1, random), "folds: wanted 2 to 4 parts, got 1");
    CHECK_THROWS_WITH(ridge_leave_one_out(x, Vector{1, 2, 3, 4}, 0),
                      "ridge_leave_one_out: wanted a penalty above 0, got 0");
}
