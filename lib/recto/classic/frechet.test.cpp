#include <recto/classic/frechet.hpp>

#include <cmath>

#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <recto/linalg/products.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using Catch::Matchers::WithinAbs;
using classic::frechet_distance;
using linalg::Matrix;

namespace {

Matrix normal(Index rows, Index cols, Generator& random) {
    Matrix made(rows, cols);
    for (double& value : made.values) value = random.next_normal();
    return made;
}

}  // namespace

TEST_CASE("frechet: one number, by hand", "[classic][frechet]") {
    // Means 1 and 5, deviations 1 and 3: the distance is the hypotenuse of 4 and 2.
    const Matrix a(2, 1, {0, 2}), b(2, 1, {2, 8});
    CHECK_THAT(frechet_distance(a, b), WithinAbs(std::sqrt(20.), 1e-12));
    CHECK_THAT(frechet_distance(b, a), WithinAbs(std::sqrt(20.), 1e-12));
}

TEST_CASE("frechet: a set with itself, shifted, scaled and turned", "[classic][frechet]") {
    Generator random(1);
    const Matrix a = normal(200, 3, random);
    CHECK_THAT(frechet_distance(a, a), WithinAbs(0, 1e-6));
    Matrix shifted = a, scaled = a;
    for (Index i = 0; i < a.rows; ++i) shifted(i, 0) += 3, shifted(i, 2) -= 4;
    CHECK_THAT(frechet_distance(a, shifted), WithinAbs(5, 1e-6));
    for (double& value : scaled.values) value *= 2;
    double square = 0;  // by the factor 2 every mean and every deviation differs by itself
    for (const double value : a.values) square += value * value / double(a.rows);
    CHECK_THAT(frechet_distance(a, scaled), WithinAbs(std::sqrt(square), 1e-6));
    const double c = std::cos(0.7), s = std::sin(0.7);
    const Matrix turn(3, 3, {c, -s, 0, s, c, 0, 0, 0, 1});
    const Matrix b = normal(100, 3, random);
    CHECK_THAT(frechet_distance(linalg::matmul(a, turn), linalg::matmul(b, turn)),
               WithinAbs(frechet_distance(a, b), 1e-6));
}

TEST_CASE("frechet: fewer points than numbers", "[classic][frechet]") {
    Generator random(2);
    const Matrix a = normal(2, 5, random), b = normal(3, 5, random);
    CHECK(frechet_distance(a, b) > 0);
}

TEST_CASE("frechet: messages", "[classic][frechet]") {
    CHECK_THROWS_WITH(frechet_distance(Matrix(2, 3), Matrix(2, 4)),
                      "frechet_distance: wanted two sets of at least two points with as many numbers, got 2 x 3 and "
                      "2 x 4");
    CHECK_THROWS_WITH(frechet_distance(Matrix(1, 3), Matrix(2, 3)),
                      "frechet_distance: wanted two sets of at least two points with as many numbers, got 1 x 3 and "
                      "2 x 3");
}
