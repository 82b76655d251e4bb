#include <recto/classic/least_squares.hpp>

#include <algorithm>
#include <cmath>

#include <recto/classic/basis.hpp>
#include <recto/data/curves.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::classic;

namespace {

double distance(const Vector& a, const Vector& b) {
    Vector d = a;
    linalg::add_scaled(d, -1, b);
    return linalg::largest(d);
}

Vector random_vector(Index n, Generator& random) {
    Vector v;
    for (Index i = 0; i < n; ++i) v.push_back(random.next_normal());
    return v;
}

/// 30 noisy samples under 10 bumps, as in the first figure.
struct FirstFigure {
    Generator random{1};
    data::Samples samples = data::noisy_samples(data::smooth_curve, 30, 0, 1, 0.1, random);
    Matrix phi = design_matrix(gaussian_bumps(10, 0, 1), samples.x);
};

}  // namespace

TEST_CASE("least squares: the mean squared error by hand", "[classic][row:eq-1.1/a]") {
    // Three samples: predictions 1, 2, 6 for targets 2, 2, 4, so the squares are 1, 0, 4 and their mean 5/3.
    const Matrix phi(3, 2, Vector{1, 0, 0, 2, 4, 2});
    CHECK(std::abs(squared_error(phi, Vector{2, 2, 4}, Vector{1, 1}) - 5.0 / 3) <= 1e-6);
    CHECK(distance(squared_error_gradient(phi, Vector{2, 2, 4}, Vector{1, 1}), {2.0 / 3 * 7, 2.0 / 3 * 4}) <= 1e-12);
}

TEST_CASE("least squares: the gradient agrees with central differences", "[classic][row:eq-1.1/b]") {
    FirstFigure f;
    const Vector w = random_vector(10, f.random), g = squared_error_gradient(f.phi, f.samples.y, w);
    for (std::size_t k = 0; k < w.size(); ++k) {
        Vector up = w, down = w;
        up[k] += 1e-4, down[k] -= 1e-4;
        const double slope = (squared_error(f.phi, f.samples.y, up) - squared_error(f.phi, f.samples.y, down)) / 2e-4;
        CHECK(std::abs(slope - g[k]) <= 1e-6 * std::abs(g[k]));
    }
}

TEST_CASE("least squares: the gradient vanishes at the closed form", "[classic][row:fig-1.1/a]") {
    FirstFigure f;
    for (const Vector& w : {normal_equations(f.phi, f.samples.y), least_norm(f.phi, f.samples.y)})
        CHECK(linalg::norm(squared_error_gradient(f.phi, f.samples.y, w)) < 1e-8);
}

TEST_CASE("least squares: no perturbation of the closed form is better", "[classic][row:fig-1.1/b]") {
    FirstFigure f;
    const Vector w = normal_equations(f.phi, f.samples.y);
    const double least = squared_error(f.phi, f.samples.y, w);
    int not_better = 0;
    for (int i = 0; i < 100; ++i) {
        Vector other = w;
        linalg::add_scaled(other, std::pow(10, -4 * f.random.next_uniform()), random_vector(10, f.random));
        not_better += least <= squared_error(f.phi, f.samples.y, other);
    }
    CHECK(not_better == 100);
}

TEST_CASE("least squares: conjugate gradients reach the same curve", "[classic][row:fig-1.1/c]") {
    FirstFigure f;
    const Vector direct = linalg::matvec(f.phi, normal_equations(f.phi, f.samples.y));
    const Descent found = conjugate_gradients(f.phi, f.samples.y);
    CHECK(distance(linalg::matvec(f.phi, found.w), direct) <= 1e-5);
    CHECK(found.steps <= 200);
}

TEST_CASE("least squares: Cholesky, QR and SVD agree", "[classic][row:eq-normal-equations/a]") {
    Generator random(3);
    const data::Samples s = data::spread_samples(data::smooth_curve, 60, 0, 1, 0.1, random);
    const Matrix phi = design_matrix(legendre(12, 0, 1), s.x);
    REQUIRE(linalg::condition_number(phi) < 20);
    const Vector w = normal_equations(phi, s.y);
    CHECK(distance(w, linalg::qr_least_squares(phi, s.y)) <= 1e-6);
    CHECK(distance(w, least_norm(phi, s.y)) <= 1e-6);
    CHECK(distance(w, gradient_descent(phi, s.y, 5000).w) <= 1e-6);
    CHECK(distance(w, conjugate_gradients(phi, s.y).w) <= 1e-6);
}

TEST_CASE("least squares: more functions than samples",
          "[classic][row:eq-normal-equations/b][row:eq-normal-equations/c]") {
    Generator random(4);
    const data::Samples s = data::noisy_samples(data::smooth_curve, 6, 0, 1, 0.1, random);
    const Matrix phi = design_matrix(legendre(20, 0, 1), s.x);
    const Vector w = least_norm(phi, s.y);
    CHECK(distance(linalg::matvec(phi, w), s.y) <= 1e-12);
    CHECK(squared_error(phi, s.y, w) <= 1e-24);

    int shorter = 0;
    for (int i = 0; i < 1000; ++i) {  // every interpolant is w plus a vector that phi maps to 0
        Vector other = w, step = random_vector(20, random);
        linalg::add_scaled(step, -1, least_norm(phi, linalg::matvec(phi, step)));
        linalg::add_scaled(other, std::pow(10, -6 * random.next_uniform()), step);
        REQUIRE(distance(linalg::matvec(phi, other), s.y) <= 1e-11);
        shorter += !(linalg::norm(w) <= linalg::norm(other));
    }
    CHECK(shorter == 0);
}

TEST_CASE("least squares: a few samples under many bumps", "[classic][row:fig-1.2/a][row:fig-1.2/b]") {
    const Vector grid = data::even_grid(400, 0, 1);
    Vector truth, training, ratio;
    for (const double x : grid) truth.push_back(data::smooth_curve(x));
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Generator random(seed);
        const data::Samples many = data::noisy_samples(data::smooth_curve, 30, 0, 1, 0.1, random);
        const data::Samples few = data::noisy_samples(data::smooth_curve, 6, 0, 1, 0.1, random);
        const Basis ten = gaussian_bumps(10, 0, 1), twenty = gaussian_bumps(20, 0, 1);
        const Vector good = least_norm(design_matrix(ten, many.x), many.y);
        const Matrix phi = design_matrix(twenty, few.x);
        const Vector bad = least_norm(phi, few.y);
        training.push_back(squared_error(phi, few.y, bad));
        ratio.push_back(data::mean_squared_difference(mix(twenty, bad, grid), truth) /
                        data::mean_squared_difference(mix(ten, good, grid), truth));
    }
    CAPTURE(training, ratio);
    std::ranges::sort(training);
    std::ranges::sort(ratio);
    CHECK(training[2] < 1e-6);
    CHECK(ratio[2] >= 10);
}

TEST_CASE("least squares: nested bases never fit worse", "[classic][row:claim-underfit-overfit/a]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Generator random(seed);
        const data::Samples s = data::spread_samples(data::smooth_curve, 30, 0, 1, 0.1, random);
        const Matrix phi = design_matrix(cosines(40, 0, 1), s.x);
        double before = 1e300;
        for (Index k = 1; k <= 40; ++k) {
            const Matrix some = linalg::first_columns(phi, k);
            const double now = squared_error(some, s.y, least_norm(some, s.y));
            REQUIRE(now <= before + 1e-12);  // rounding, once the fit is perfect
            before = now;
        }
    }
}

TEST_CASE("least squares: ridge shrinks towards zero", "[classic]") {
    FirstFigure f;
    double before = 1e300;
    for (const double penalty : {1e-9, 1e-3, 1.0, 1e3}) {
        const Vector w = ridge(f.phi, f.samples.y, penalty);
        Vector g = squared_error_gradient(f.phi, f.samples.y, w);
        linalg::add_scaled(g, 2 * penalty / 30, w);
        CHECK(linalg::largest(g) <= 1e-10);
        CHECK(linalg::norm(w) < before);
        before = linalg::norm(w);
    }
}

TEST_CASE("least squares: ridge is the maximum of a posterior", "[classic][row:eq-map-prior/a]") {
    // A normal prior of the weights equals one more sample for each weight: a target of 0 with the prior's noise. Every
    // row is divided by its standard deviation, and ordinary least squares solve the system.
    FirstFigure f;
    const double noise = 0.3, prior = 1.7, lambda = 1 / (2 * prior * prior);
    Matrix rows(f.phi.rows + f.phi.cols, f.phi.cols);
    Vector seen(std::size_t(rows.rows), 0.0);
    for (Index n = 0; n < f.phi.rows; ++n) {
        for (Index k = 0; k < f.phi.cols; ++k) rows(n, k) = f.phi(n, k) / noise;
        seen[std::size_t(n)] = f.samples.y[std::size_t(n)] / noise;
    }
    for (Index k = 0; k < f.phi.cols; ++k) rows(f.phi.rows + k, k) = 1 / prior;
    const Vector most_likely = linalg::qr_least_squares(rows, seen);
    // ridge() has no noise parameter, so everything is multiplied by twice the variance.
    CHECK(distance(ridge(f.phi, f.samples.y, 2 * noise * noise * lambda), most_likely) <= 1e-8);
}

TEST_CASE("least squares: messages", "[classic]") {
    const Matrix phi(3, 2, 1);
    CHECK_THROWS_WITH(squared_error(phi, Vector{1, 2}, Vector{1, 2}),
                      "squared_error: 3 samples want as many targets, got 2");
    CHECK_THROWS_WITH(squared_error(phi, Vector{1, 2, 3}, Vector{1}),
                      "squared_error: 2 columns want as many weights, got 1");
    CHECK_THROWS_WITH(normal_equations(Matrix(2, 3), Vector{1, 2}),
                      "normal_equations: wanted at least as many samples as weights, got 2 and 3");
    CHECK_THROWS_WITH(ridge(phi, Vector{1, 2, 3}, 0), "ridge: wanted a penalty above 0, got 0");
    CHECK_THROWS_WITH(least_norm(Matrix(0, 2), Vector{}), "least_norm: wanted at least one sample, got none");
}
