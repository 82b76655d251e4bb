#include <recto/ops/products/matmul.hpp>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 2e-5;

/// The definition in double: `count` products of (m, k) and (k, n).
std::vector<double> oracle(const Tensor& a, const Tensor& b) {
    const std::vector<double> x = doubles(a), y = doubles(b);
    const std::size_t m = std::size_t(a.size(-2)), k = std::size_t(a.size(-1)), n = std::size_t(b.size(-1));
    const std::size_t count = m * k > 0 ? x.size() / (m * k) : 0;
    std::vector<double> out(count * m * n);
    for (std::size_t c = 0; c < count; ++c)
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t p = 0; p < k; ++p)
                    out[(c * m + i) * n + j] += x[(c * m + i) * k + p] * y[(c * k + p) * n + j];
    return out;
}

/// The same numbers with the last two axes swapped in memory, viewed in the original order.
Tensor as_transposed_view(const Tensor& x) {
    const Index m = x.size(0), n = x.size(1);
    Tensor turned = empty({n, m}, x.device());
    turned.view({m, n}, {1, m}, 0).copy_(x);
    return turned.view({m, n}, {1, m}, 0);
}

/// The same numbers as columns 2 to 2 + n of a wider matrix.
Tensor as_column_slice(const Tensor& x) {
    const Index m = x.size(0), n = x.size(1);
    Tensor wide = full({m, n + 5}, not_a_number, x.device());
    wide.view({m, n}, {n + 5, 1}, 2).copy_(x);
    return wide.view({m, n}, {n + 5, 1}, 2);
}

/// The same numbers as every other column of a wider matrix, which BLAS cannot read.
Tensor as_stepped_view(const Tensor& x) {
    const Index m = x.size(0), n = x.size(1);
    Tensor wide = full({m, 2 * n}, not_a_number, x.device());
    wide.view({m, n}, {2 * n, 2}, 0).copy_(x);
    return wide.view({m, n}, {2 * n, 2}, 0);
}
}  // namespace

TEST_CASE("matmul: definition", "[ops][matmul][devices][row:eq-hanin-second-moment/c]") {
    const Device device = GENERATE(from_range(devices()));
    struct Case {
        Index m, k, n;
    };
    const auto [m, k, n] = GENERATE(Case{1, 1, 1}, Case{2, 3, 4}, Case{1, 129, 5}, Case{127, 4, 1}, Case{128, 5, 129},
                                    Case{65, 70, 130}, Case{300, 31, 7});
    CAPTURE(device, m, k, n);
    Generator random(1);
    const Tensor a = random.normal({m, k}, 0, 1, device), b = random.normal({k, n}, 0, 1, device);
    CHECK(close(matmul(a, b), oracle(a, b), tolerance));
    const Tensor c = random.normal({2, 3, m, k}, 0, 1, device), d = random.normal({2, 3, k, n}, 0, 1, device);
    if (m * k * n < 100000) CHECK(close(matmul(c, d), oracle(c, d), tolerance));
}

TEST_CASE("matmul: views are read where they lie", "[ops][matmul][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{5, 7}, Shape{1, 6}, Shape{6, 1}, Shape{70, 90});
    CAPTURE(device, shape);
    Generator random(2);
    const Tensor a = random.normal(shape, 0, 1, device), b = random.normal({shape[1], 11}, 0, 1, device);
    const std::vector<double> want = oracle(a, b);
    for (const auto& turn : {as_transposed_view, as_column_slice, as_stepped_view}) {
        CHECK(close(matmul(turn(a), b), want, tolerance));
        CHECK(close(matmul(a, turn(b)), want, tolerance));
        CHECK(close(matmul(turn(a), turn(b)), want, tolerance));
    }
    const Tensor turned = as_transposed_view(a), row = random.normal({1, shape[0]}, 0, 1, device);
    reset_memory_peak();
    const std::size_t before = memory_use().now;
    const Tensor y = matmul(row, turned);
    CHECK(memory_use().peak - before < std::size_t(y.numel()) * sizeof(Real) + 65);  // the result and nothing else
    // Rows with gaps or overlaps, and columns with gaps, are also read in place.
    const Tensor wide = random.normal({40, 60}, 0, 1, device);
    const auto memory_of = [&](const Tensor& left, const Tensor& right) {
        CHECK(close(matmul(left, right), oracle(left, right), tolerance));
        reset_memory_peak();
        const std::size_t held = memory_use().now;
        const Tensor product = matmul(left, right);
        return memory_use().peak - held - std::size_t(product.numel()) * sizeof(Real);
    };
    const Tensor dense_rows = wide.view({40, 60}, {60, 1}, 0), some_columns = wide.view({40, 30}, {60, 1}, 7);
    CHECK(memory_of(dense_rows, random.normal({60, 4}, 0, 1, device)) < 65);
    CHECK(memory_of(some_columns, random.normal({30, 4}, 0, 1, device)) < 65);
    CHECK(memory_of(random.normal({4, 60}, 0, 1, device), transpose(dense_rows)) < 65);
    CHECK(memory_of(random.normal({4, 30}, 0, 1, device), transpose(some_columns)) < 65);
    const Tensor sliding = wide.view({40, 20}, {3, 1}, 0);  // gemm requires rows that do not overlap
    CHECK(memory_of(sliding, random.normal({20, 4}, 0, 1, device)) >= 40 * 20 * sizeof(Real));
    CHECK(memory_of(random.normal({4, 20}, 0, 1, device), transpose(sliding)) >= 40 * 20 * sizeof(Real));
    // A broadcast row has stride 0, which BLAS rejects.
    const Tensor stretched = row.view({3, shape[0]}, {0, 1}, 0);
    CHECK(close(matmul(stretched, a), oracle(stretched, a), tolerance));
}

TEST_CASE("matmul: batches in every transposition, exact on integers", "[ops][exact][matmul][devices]") {
    const Device device = GENERATE(from_range(devices()));
    struct Case {
        Index m, k, n;
    };
    const auto [m, k, n] = GENERATE(Case{1, 1, 1}, Case{3, 5, 2}, Case{1, 129, 7}, Case{64, 33, 65}, Case{127, 2, 128});
    CAPTURE(device, m, k, n);
    Generator random(7);
    const auto whole = [&](const Shape& shape) {
        std::vector<Real> values;
        for (const Index v : random.integers(shape, -9, 10).values()) values.push_back(Real(v));
        return Tensor(shape, values, device);
    };
    const Tensor a = whole({2, 3, m, k}), b = whole({2, 3, k, n});
    const std::vector<double> want = oracle(a, b);
    const Tensor at = contiguous(transpose(a)), bt = contiguous(transpose(b));
    for (const Tensor& left : {a, transpose(at)})
        for (const Tensor& right : {b, transpose(bt)}) CHECK(close(matmul(left, right), want, 0));
    // The heads of attention: leading axes within the rows, and one matrix for the whole batch.
    const Tensor heads = transpose(contiguous(transpose(a, 1, 2)), 1, 2);
    CHECK(close(matmul(heads, b), want, 0));
    const Tensor one = expand(select(b, 0, 0), b.shape());
    CHECK(close(matmul(a, one), oracle(a, one), 0));
}

TEST_CASE("matmul: leading axes stretch to one another", "[ops][exact][matmul][devices]") {
    const Device device = GENERATE(from_range(devices()));
    struct Case {
        Shape a, b, batch;
    };
    const auto [of_a, of_b, batch] =
        GENERATE(Case{{3, 5}, {4, 5, 2}, {4}}, Case{{4, 3, 5}, {5, 2}, {4}}, Case{{4, 1, 3, 5}, {6, 5, 2}, {4, 6}},
                 Case{{1, 3, 5}, {4, 5, 2}, {4}}, Case{{2, 1, 4, 3, 5}, {2, 6, 1, 5, 2}, {2, 6, 4}},
                 Case{{1, 1, 3, 5}, {5, 2}, {1, 1}}, Case{{1, 3, 5}, {0, 5, 2}, {0}}, Case{{4, 3, 0}, {0, 2}, {4}});
    CAPTURE(device, of_a, of_b);
    Generator random(5);
    const auto whole = [&](const Shape& shape) {
        std::vector<Real> values;
        for (const Index v : random.integers(shape, -9, 10).values()) values.push_back(Real(v));
        return Tensor(shape, values, device);
    };
    const auto with_matrix = [&, batch = batch](const Shape& matrix) {  // the same matrix for all leading axes
        std::vector<Index> extents(batch.begin(), batch.end());
        for (int axis : {-2, -1}) extents.push_back(matrix.size(axis));
        return Shape(std::span<const Index>(extents));
    };
    const Tensor a = whole(of_a).requires_grad_(), b = whole(of_b).requires_grad_();
    const Tensor left = clone(expand(a.detach(), with_matrix(of_a))).requires_grad_();
    const Tensor right = clone(expand(b.detach(), with_matrix(of_b))).requires_grad_();
    const Tensor y = matmul(a, b), want = matmul(left, right), dy = whole(want.shape());
    CHECK(y.shape() == want.shape());
    CHECK(y.values() == want.values());
    sum(y * dy).backward();
    sum(want * dy).backward();
    CHECK(a.grad().values() == sum_to(left.grad(), of_a).values());
    CHECK(b.grad().values() == sum_to(right.grad(), of_b).values());
    const Tensor turned = transpose(contiguous(transpose(a.detach())));
    CHECK(matmul(turned, b.detach()).values() == want.values());
}

TEST_CASE("matmul: a stretched matrix is not copied", "[ops][matmul][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(6);
    const Tensor many = random.normal({30, 8, 40}, 0, 1, device), one = random.normal({40, 50}, 0, 1, device);
    const auto extra = [&](const Tensor& left, const Tensor& right) {
        reset_memory_peak();
        const std::size_t before = memory_use().now;
        const Tensor y = matmul(left, right);
        return memory_use().peak - before - std::size_t(y.numel()) * sizeof(Real);
    };
    const std::size_t small = std::size_t(one.numel()) * sizeof(Real);
    CHECK(extra(many, one) < small);
    CHECK(extra(transpose(contiguous(transpose(many))), one) < small);
    CHECK(extra(transpose(one), transpose(many)) < small);
    Tensor weight = clone(one).requires_grad_();
    const Tensor y = matmul(many, weight);
    reset_memory_peak();
    const std::size_t before = memory_use().now;
    sum(y).backward();  // one gradient of the weight instead of thirty
    CHECK(memory_use().peak - before <
          2 * std::size_t(y.numel()) * sizeof(Real) + std::size_t(one.numel()) * sizeof(Real));
}

TEST_CASE("matmul: the same bits for any number of threads", "[ops][matmul]") {
    struct Case {
        Index m, k, n;
    };
    // One tile, several, a narrow side, and long sums, which are divided into groups.
    const auto [m, k, n] = GENERATE(Case{20, 20, 20}, Case{130, 90, 300}, Case{500, 70, 10}, Case{10, 5001, 100});
    CAPTURE(m, k, n);
    Generator random(4);
    const Tensor a = random.normal({m, k}), b = random.normal({k, n});
    const int before = threads();
    set_threads(1);
    const Tensor one = matmul(a, b);
    for (const int count : {2, 4}) {
        set_threads(count);
        CHECK(same_bits(matmul(a, b), one));
    }
    set_threads(1);
    const Tensor c = random.normal({4, m, k}), d = random.normal({4, k, n}), batch = matmul(c, d);
    set_threads(2);
    CHECK(same_bits(matmul(c, d), batch));
    set_threads(before);
}

TEST_CASE("matmul: one operand twice", "[ops][matmul][devices]") {
    // Some libraries treat operands with the same address as a symmetric product, whatever their shape.
    const Device device = GENERATE(from_range(devices()));
    const Tensor a = Generator(3).normal({4, 3}, 0, 1, device);
    const Tensor top = a.view({2, 3}, {3, 1}, 0), turned = a.view({3, 4}, {1, 3}, 0);
    CHECK(matmul(top, turned).shape() == Shape{2, 4});
    CHECK(close(matmul(top, turned), oracle(top, turned), tolerance));
}

TEST_CASE("matmul: edges", "[ops][matmul][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(matmul(empty({0, 3}, device), empty({3, 2}, device)).shape() == Shape{0, 2});
    CHECK(matmul(empty({2, 3}, device), empty({3, 0}, device)).shape() == Shape{2, 0});
    CHECK(matmul(empty({2, 0}, device), empty({0, 2}, device)).values() == std::vector<Real>(4, 0));
    CHECK(matmul(empty({0, 2, 3}, device), empty({0, 3, 4}, device)).shape() == Shape{0, 2, 4});
    const Tensor nan = matmul(Tensor({2, 2}, {1, not_a_number, 1, 1}, device), Tensor({2, 1}, {0, 0}, device));
    CHECK(is_nan(nan.at({0, 0})));  // NaN times zero is NaN
    CHECK(nan.at({1, 0}) == 0);
}

TEST_CASE("matmul: agrees with PyTorch", "[ops][matmul][golden][devices]") {
    check_golden("matmul", [](const Golden& g) { return matmul(g["a"], g["b"]); });
}

GRADIENT_TEST("matmul") {
    check_gradient([](const Inputs& x) { return matmul(x[0], x[1]); },
                   [](Generator& random) {
                       Index m = random.next_integer(1, 5), k = random.next_integer(1, 5),
                             n = random.next_integer(1, 5);
                       const Index kind = random.next_integer(0, 12);
                       (kind == 0   ? m
                        : kind == 1 ? n
                        : kind == 2 ? k
                                    : m) = random.next_integer(kind < 3 ? 127 : 1, kind < 3 ? 130 : 4);
                       const Index batch = kind < 3 ? 1 : random.next_integer(1, 4);
                       if (random.next_uniform() < 0.5) return Inputs{random.normal({m, k}), random.normal({k, n})};
                       return Inputs{random.normal({batch, m, k}), random.normal({batch, k, n})};
                   });
    check_gradient([](const Inputs& x) { return matmul(x[0], x[1]); },
                   [](Generator& random) {
                       const Index m = random.next_integer(1, 4), k = random.next_integer(1, 4);
                       const Index p = random.next_integer(1, 4), q = random.next_integer(1, 4);
                       if (random.next_uniform() < 0.5) return Inputs{random.normal({p, m, k}), random.normal({k, 2})};
                       return Inputs{random.normal({p, 1, m, k}), random.normal({q, k, 2})};
                   });
}

TEST_CASE("matmul: messages", "[ops][matmul]") {
    CHECK_THROWS_WITH(matmul(empty({3}), empty({3})), "matmul: wanted shapes with at least 2 axes, got (3) and (3)");
    CHECK_THROWS_WITH(matmul(empty({2, 2, 3}), empty({4, 3, 2})),
                      "matmul: leading axes: shapes (2) and (4) do not stretch to one another");
    CHECK_THROWS_WITH(matmul(empty({2, 3}), empty({2, 3})),
                      "matmul: wanted as many columns on the left as rows on the right, got shapes (2, 3) and (2, 3)");
    CHECK_THROWS_WITH(matmul(empty({2, 3}), empty({3, 2}, Device::sim)),
                      "matmul: wanted both on one device, got cpu and sim");
}
