#include <recto/linalg/products.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include <recto/device/threads.hpp>
#include <recto/linalg/blas.hpp>
#include <recto/testing/testing.hpp>

extern "C" int openblas_get_num_threads();

using namespace recto;
using namespace recto::linalg;

namespace {

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
    Generator random(seed);
    Matrix a(rows, cols);
    for (double& v : a.values) v = random.next_normal();
    return a;
}

/// The definition of the product.
Matrix oracle(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.cols);
    for (Index i = 0; i < a.rows; ++i)
        for (Index j = 0; j < b.cols; ++j)
            for (Index k = 0; k < a.cols; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}

double distance(const Matrix& a, const Matrix& b) {
    if (a.rows != b.rows || a.cols != b.cols) return 1e300;
    Vector d = a.values;
    add_scaled(d, -1, b.values);
    return largest(d);
}

double seconds(const std::function<void()>& work) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

}  // namespace

TEST_CASE("linalg products: definition", "[linalg]") {
    const auto [m, n, k] =
        GENERATE(std::array<Index, 3>{1, 1, 1}, std::array<Index, 3>{3, 5, 7}, std::array<Index, 3>{127, 128, 129},
                 std::array<Index, 3>{300, 2, 40}, std::array<Index, 3>{257, 513, 3});
    const Matrix a = random_matrix(m, k, 1), b = random_matrix(k, n, 2), want = oracle(a, b);
    CHECK(distance(matmul(a, b), want) <= 1e-11);
    CHECK(distance(transpose_matmul(transpose(a), b), want) <= 1e-11);
    const Vector x(b.values.begin(), b.values.begin() + k);
    CHECK(distance(Matrix(m, 1, matvec(a, x)), oracle(a, Matrix(k, 1, x))) <= 1e-11);
    CHECK(distance(Matrix(m, 1, transpose_matvec(transpose(a), x)), oracle(a, Matrix(k, 1, x))) <= 1e-11);
}

TEST_CASE("linalg products: operands that start at one address", "[linalg]") {
    // xt::linalg::dot has a special case here that returns a 2 x 2 matrix: the reason why the library never uses it.
    const Matrix a = random_matrix(4, 3, 3), want = oracle(rows_of(a, std::vector<Index>{0, 1}), transpose(a));
    Matrix c(2, 4);
    product(2, 4, 3, {a.values.data(), 3}, {a.values.data(), 3, true}, c.values.data());
    CHECK(distance(c, want) <= 1e-14);
    const Matrix g = gram(random_matrix(600, 300, 4));
    CHECK(g.values == transpose(g).values);
}

TEST_CASE("linalg products: edges", "[linalg]") {
    CHECK(matmul(Matrix(2, 0), Matrix(0, 3)).values == Vector(6, 0.0));
    CHECK(matmul(Matrix(0, 2), Matrix(2, 3)).values.empty());
    CHECK(matvec(Matrix(2, 0), Vector{}) == Vector{0, 0});
    const double nan = std::nan("");
    CHECK(std::isnan(matmul(Matrix(1, 2, Vector{nan, 1}), Matrix(2, 1, Vector{0, 1})).values[0]));
    CHECK(std::isnan(largest(Vector{1, nan, 2})));
    CHECK(largest(Vector{1, -3, 2}) == 3);
    CHECK(norm(Vector{3, 4}) == 5);
}

TEST_CASE("linalg products: the same bits for any number of threads", "[linalg]") {
    const Matrix a = random_matrix(530, 300, 5), b = random_matrix(300, 520, 6);
    const int before = threads();
    set_threads(1);
    const Matrix one = matmul(a, b);
    set_threads(4);
    CHECK(matmul(a, b).values == one.values);
    set_threads(before);
}

TEST_CASE("linalg products: messages", "[linalg]") {
    CHECK_THROWS_WITH(matmul(Matrix(2, 3), Matrix(2, 3)),
                      "matmul: wanted inner extents that agree, got 2 x 3 and 2 x 3");
    CHECK_THROWS_WITH(transpose_matmul(Matrix(2, 3), Matrix(3, 3)),
                      "transpose_matmul: wanted as many rows in both, got 2 and 3");
    CHECK_THROWS_WITH(matvec(Matrix(2, 3), Vector{1}), "matvec: a matrix of 3 columns wants 3 numbers, got 1");
    CHECK_THROWS_WITH(Matrix(2, 3, Vector{1}), "Matrix: 2 x 3 wants 6 numbers, got 1");
    CHECK_THROWS_WITH(rows_of(Matrix(2, 3), std::vector<Index>{2}), "rows_of: wanted rows from 0 to 1, got 2");
    CHECK_THROWS_WITH(matrix_of(zeros({3})), "matrix_of: wanted a tensor of shape (rows, cols), got shape (3)");
}

TEST_CASE("linalg: matrices and tensors", "[linalg][devices]") {
    const Device device = GENERATE(from_range(testing::devices()));
    const Tensor x = Generator(1).normal({3, 5}, 0, 1, device);
    CHECK(testing::same_bits(tensor_of(matrix_of(x), device), x));
    CHECK(column_of(Vector{1, 2, 3}, device).shape() == Shape{3, 1});
    CHECK(first_columns(matrix_of(x), 2)(2, 1) == double(x.at({2, 1})));
}

TEST_CASE("linalg: products of whole numbers are exact, whatever the BLAS kernel", "[linalg][exact]") {
    const char* core = std::getenv("OPENBLAS_CORETYPE");
    CAPTURE(blas_description());
    CHECK((!core || !*core || std::strstr(blas_description(), core)));
    const auto whole = [](Index rows, Index cols, std::uint64_t seed) {
        Generator random(seed);
        Matrix a(rows, cols);
        for (double& v : a.values) v = double(random.next_integer(-4, 5));
        return a;
    };
    const int before = threads();
    for (const auto& [m, n, k] : {std::array{1, 1, 1}, {7, 9, 17}, {128, 127, 129}, {300, 260, 520}}) {
        const Matrix a = whole(m, k, 1), b = whole(k, n, 2), want = oracle(a, b);
        for (const int count : {1, 2, 4}) {
            set_threads(count);
            CHECK(matmul(a, b).values == want.values);
        }
    }
    set_threads(before);
}

TEST_CASE("linalg: the right BLAS is linked, and it is fast", "[linalg][speed]") {
    std::ifstream maps("/proc/self/maps");
    std::set<std::string> loaded;
    for (std::string line; std::getline(maps, line);)
        if (line.find("blas") != std::string::npos) loaded.insert(line.substr(line.find('/')));
    CAPTURE(loaded);
    REQUIRE(loaded.size() == 1);  // two variants of OpenBLAS in one process would conflict
    CHECK(loaded.begin()->find("/openblas-pthread/") != std::string::npos);

    const Matrix a = random_matrix(384, 384, 7), b = random_matrix(384, 384, 8);
    Matrix c(384, 384);
    const double naive = seconds([&] {
        std::ranges::fill(c.values, 0.0);
        for (Index i = 0; i < 384; ++i)
            for (Index k = 0; k < 384; ++k)
                for (Index j = 0; j < 384; ++j) c(i, j) += a(i, k) * b(k, j);
    });
    const double blas = seconds([&] { c = matmul(a, b); });
    CHECK(openblas_get_num_threads() == 1);  // the library cuts the work itself
    CAPTURE(naive, blas);
    CHECK(naive >= 3 * blas);
}
