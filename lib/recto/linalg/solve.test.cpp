#include <recto/linalg/solve.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include <recto/linalg/products.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::linalg;

namespace {

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
    Generator random(seed);
    Matrix a(rows, cols);
    for (double& v : a.values) v = random.next_normal();
    return a;
}
Vector random_vector(Index n, std::uint64_t seed) { return random_matrix(n, 1, seed).values; }

double distance(const Vector& a, const Vector& b) {
    Vector d = a;
    add_scaled(d, -1, b);
    return largest(d);
}

}  // namespace

TEST_CASE("linalg: Cholesky solves what is positive definite", "[linalg]") {
    const Index n = GENERATE(1, 2, 17, 128);
    Matrix a = gram(random_matrix(2 * n, n, 1));
    for (Index i = 0; i < n; ++i) a(i, i) += 1;
    const Matrix want = random_matrix(n, 3, 2);
    CHECK(distance(cholesky_solve(a, matmul(a, want)).values, want.values) <= 1e-9);
    CHECK(cholesky_solve(Matrix(0, 0), Matrix(0, 2)).values.empty());
}

TEST_CASE("linalg: three routes to least squares agree", "[linalg]") {
    const auto [rows, cols] =
        GENERATE(std::array<Index, 2>{1, 1}, std::array<Index, 2>{9, 4}, std::array<Index, 2>{200, 50});
    const Matrix a = random_matrix(rows, cols, 3);
    const Vector b = random_vector(rows, 4);
    const Vector by_qr = qr_least_squares(a, b);
    CHECK(distance(by_qr, svd_least_squares(a, b)) <= 1e-11);
    CHECK(distance(by_qr, cholesky_solve(gram(a), transpose_matvec(a, b))) <= 1e-9);
    Vector r = matvec(a, by_qr);  // the residual is orthogonal to every column
    add_scaled(r, -1, b);
    CHECK(largest(transpose_matvec(a, r)) <= 1e-11);
}

TEST_CASE("linalg: the singular value decomposition", "[linalg]") {
    const auto [rows, cols] = GENERATE(std::array<Index, 2>{1, 1}, std::array<Index, 2>{6, 4},
                                       std::array<Index, 2>{4, 6}, std::array<Index, 2>{40, 129});
    const Matrix a = random_matrix(rows, cols, 5);
    const Svd d = svd(a);
    Matrix us = d.u;
    for (Index i = 0; i < us.rows; ++i)
        for (Index j = 0; j < us.cols; ++j) us(i, j) *= d.values[std::size_t(j)];
    CHECK(distance(matmul(us, d.vt).values, a.values) <= 1e-12);
    CHECK(std::ranges::is_sorted(d.values, std::greater<>()));
    CHECK(distance(singular_values(a), d.values) <= 1e-12);
    const Matrix eye = gram(d.u);
    for (Index i = 0; i < eye.rows; ++i)
        for (Index j = 0; j < eye.cols; ++j) CHECK(std::abs(eye(i, j) - (i == j)) <= 1e-12);
}

TEST_CASE("linalg: singular values leave out what the data say nothing about", "[linalg]") {
    Matrix a = random_matrix(20, 5, 6);
    for (Index i = 0; i < 20; ++i) a(i, 4) = a(i, 0) + a(i, 1);  // the last column is the sum of two others
    const Vector b = random_vector(20, 7), w = svd_least_squares(a, b);
    Vector r = matvec(a, w);
    add_scaled(r, -1, b);
    CHECK(largest(transpose_matvec(a, r)) <= 1e-11);
    CHECK(std::abs(w[0] + w[1] - w[4]) <= 10);
    // No component along the direction that does not change a x.
    CHECK(std::abs(dot(w, Vector{1, 1, 0, 0, -1})) <= 1e-11);
    CHECK(condition_number(a) > 1e14);
    CHECK(condition_number(Matrix(2, 2, Vector{3, 0, 0, 1})) == 3);
    CHECK(svd_least_squares(Matrix(2, 2), Vector{1, 2}) == Vector{0, 0});
}

TEST_CASE("linalg solve: messages", "[linalg]") {
    const double nan = std::nan("");
    CHECK_THROWS_WITH(cholesky_solve(Matrix(2, 3), Vector{1, 2}), "cholesky_solve: wanted a square matrix, got 2 x 3");
    CHECK_THROWS_WITH(cholesky_solve(Matrix(2, 2, Vector{1, 2, 2, 1}), Vector{1, 2}),
                      "cholesky_solve: wanted a positive definite matrix, got one whose leading 2 x 2 block is not");
    CHECK_THROWS_WITH(cholesky_solve(Matrix(1, 1, Vector{nan}), Vector{1}),
                      "cholesky_solve: wanted finite numbers, got nan in row 0, column 0");
    CHECK_THROWS_WITH(qr_least_squares(Matrix(1, 2), Vector{1}),
                      "qr_least_squares: wanted at least as many rows as columns, got 1 x 2");
    CHECK_THROWS_WITH(qr_least_squares(Matrix(2, 2, Vector{1, 1, 1, 1}), Vector{1, 2}),
                      "qr_least_squares: wanted independent columns, got column 1 among the others");
    CHECK_THROWS_WITH(svd_least_squares(Matrix(2, 2), Vector{1}),
                      "svd_least_squares: 2 rows want 2 right-hand numbers, got 1");
    CHECK_THROWS_WITH(svd(Matrix(1, 2, Vector{1, nan})), "svd: wanted finite numbers, got nan in row 0, column 1");
    CHECK_THROWS_WITH(condition_number(Matrix(0, 2)),
                      "condition_number: wanted at least one row and column, got 0 x 2");
}
