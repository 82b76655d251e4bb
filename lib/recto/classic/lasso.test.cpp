#include <recto/classic/lasso.hpp>

#include <cmath>

#include <recto/classic/best_subset.hpp>
#include <recto/classic/least_squares.hpp>
#include <recto/data/clouds.hpp>
#include <recto/linalg/products.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::classic;

TEST_CASE("few inputs: both searches find the true ones",
          "[classic][row:sys-bias-min-features/a][row:sys-bias-min-features/b]") {
    int by_enumeration = 0, by_lasso = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {  // 3 of 12 inputs are relevant, signal-to-noise ratio 10
        Generator random(seed);
        const data::SparseTable t = data::sparse_table(100, 12, 3, 10, random);
        by_enumeration += best_subset(t.x, t.y).support == t.support;
        by_lasso += support(lasso(t.x, t.y, lasso_penalty(t.x, t.y))) == t.support;
    }
    CAPTURE(by_enumeration, by_lasso);
    CHECK(by_enumeration >= 95);
    CHECK(by_lasso >= 95);
}

TEST_CASE("lasso: the conditions for a minimum hold", "[classic]") {
    Generator random(1);
    const data::SparseTable t = data::sparse_table(60, 9, 4, 2, random);
    for (const double penalty : {0.0, 0.05, 0.3, 1.0}) {
        const Vector w = lasso(t.x, t.y, penalty);
        const Vector slope = squared_error_gradient(t.x, t.y, w);  // twice that of the halved loss
        for (std::size_t j = 0; j < w.size(); ++j) {
            if (w[j] == 0)
                CHECK(std::abs(slope[j]) / 2 <= penalty + 1e-8);
            else
                CHECK(std::abs(slope[j] / 2 + std::copysign(penalty, w[j])) <= 1e-8);
        }
    }
    const double enough = linalg::largest(squared_error_gradient(t.x, t.y, Vector(9, 0.0))) / 2;
    CHECK(support(lasso(t.x, t.y, enough * 1.0001)).empty());
    CHECK(support(lasso(t.x, t.y, enough * 0.999)).size() == 1);
}

TEST_CASE("best subset: equals least squares on what it chose, and tries everything", "[classic]") {
    Generator random(2);
    const data::SparseTable t = data::sparse_table(80, 7, 2, 5, random);
    const Subset best = best_subset(t.x, t.y);
    CHECK(best.tried == 128);
    Matrix some(80, Index(best.support.size()));
    for (Index i = 0; i < 80; ++i)
        for (std::size_t k = 0; k < best.support.size(); ++k) some(i, Index(k)) = t.x(i, best.support[k]);
    const Vector w = normal_equations(some, t.y);
    for (std::size_t k = 0; k < w.size(); ++k) CHECK(std::abs(best.w[std::size_t(best.support[k])] - w[k]) <= 1e-10);
    CHECK(support(best.w) == best.support);
    CHECK(std::abs(noise_variance(t.x, t.y) - 2.0 / 5) <= 0.2);
    CHECK(best_subset(t.x, Vector(80, 0.0)).support.empty());  // nothing to explain
}

TEST_CASE("few inputs: messages", "[classic]") {
    CHECK_THROWS_WITH(best_subset(Matrix(30, 21), Vector(30, 0.0)), "best_subset: wanted 1 to 20 columns, got 21");
    CHECK_THROWS_WITH(best_subset(Matrix(3, 3, 1), Vector(3, 0.0)),
                      "noise_variance: wanted more rows than columns, got 3 and 3");
    CHECK_THROWS_WITH(lasso(Matrix(3, 3), Vector(2, 0.0), 1), "lasso: 3 rows want as many targets, got 2");
    CHECK_THROWS_WITH(lasso(Matrix(3, 3), Vector(3, 0.0), -1), "lasso: wanted a penalty of at least 0, got -1");
}
