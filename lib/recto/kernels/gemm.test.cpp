#include <recto/kernels/gemm.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

#include <recto/device/threads.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// Whole numbers from -4 to 4: products and sums of them are exact, in any order.
Tensor whole_numbers(Generator& random, Index rows, Index cols, Device device) {
    std::vector<Real> values;
    for (const Index v : random.integers({rows * cols}, -4, 5).values()) values.push_back(Real(v));
    return Tensor({rows, cols}, values, device);
}

/// Element (i, j) of a matrix, possibly transposed.
double read(const std::vector<Real>& m, Index cols, bool transposed, Index i, Index j) {
    return double(m[std::size_t(transposed ? j * cols + i : i * cols + j)]);
}

}  // namespace

TEST_CASE("gemm: equals the definition in every transposition", "[core][exact][gemm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const auto [m, n, k] = GENERATE(table<Index, Index, Index>({{1, 1, 1},
                                                                {3, 4, 5},
                                                                {1, 129, 7},
                                                                {127, 1, 128},
                                                                {128, 129, 127},
                                                                {70, 65, 64},
                                                                {260, 130, 20},
                                                                {5, 600, 100},
                                                                {10, 13, 2100},
                                                                {300, 260, 600},
                                                                {4, 300, 513},
                                                                {67, 3, 700}}));
    Generator random(std::uint64_t(m * 1000 + n));
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            CAPTURE(device, m, n, k, ta, tb);
            const Index a_cols = ta ? m : k, b_cols = tb ? k : n, c_cols = n + 3;
            const Tensor a = whole_numbers(random, ta ? k : m, a_cols, device),
                         b = whole_numbers(random, tb ? n : k, b_cols, device);
            Tensor c = full({m, c_cols}, not_a_number, device);  // NaN reveals any read of c
            gemm(device, m, n, k, {a.data(), a_cols, ta}, {b.data(), b_cols, tb}, c.write(), c_cols);
            const auto va = a.values(), vb = b.values(), vc = c.values();
            Index wrong = 0;
            for (Index i = 0; i < m; ++i)
                for (Index j = 0; j < c_cols; ++j) {
                    double want = 0;
                    for (Index p = 0; p < k && j < n; ++p)
                        want += read(va, a_cols, ta, i, p) * read(vb, b_cols, tb, p, j);
                    const double got = double(vc[std::size_t(i * c_cols + j)]);
                    wrong += j < n ? !(got == want) : got == got;  // columns beyond n must still be NaN
                }
            CHECK(wrong == 0);
        }
}

TEST_CASE("gemm: adds a matrix, a row for all, or what stands in c", "[core][gemm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const auto [m, n, k] = GENERATE(table<Index, Index, Index>(
        {{1, 70, 80}, {4, 70, 80}, {3, 5, 0}, {3, 4, 5}, {70, 65, 300}, {260, 130, 20}, {20, 13, 2100}}));
    Generator random(std::uint64_t(m * 1000 + n));
    const Tensor a = whole_numbers(random, m, k, device), b = whole_numbers(random, n, k, device),
                 added = whole_numbers(random, m, n, device);
    Tensor apart = full({m, n + 3}, not_a_number, device);
    apart.view({m, n}, {n + 3, 1}, 0).copy_(added);
    for (const std::string what : {"matrix", "rows apart", "row", "c"}) {
        CAPTURE(device, m, n, k, what);
        Tensor c = what == "c" ? clone(added) : full({m, n}, not_a_number, device);
        Real* to = c.write();
        const Addend plus = what == "c"            ? Addend{to, n}
                            : what == "rows apart" ? Addend{apart.data(), n + 3}
                                                   : Addend{added.data(), what == "row" ? 0 : n};
        gemm(device, m, n, k, {a.data(), std::max<Index>(k, 1)}, {b.data(), std::max<Index>(k, 1), true}, to, n, plus);
        const auto va = a.values(), vb = b.values(), vadded = added.values(), vc = c.values();
        Index wrong = 0;
        for (Index i = 0; i < m; ++i)
            for (Index j = 0; j < n; ++j) {
                double want = double(vadded[std::size_t(what == "row" ? j : i * n + j)]);
                for (Index p = 0; p < k; ++p) want += read(va, k, false, i, p) * read(vb, k, true, p, j);
                wrong += !(double(vc[std::size_t(i * n + j)]) == want);
            }
        CHECK(wrong == 0);
    }
}

TEST_CASE("gemm: a product of nothing is 0", "[core][gemm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor c = empty({2, 3}, device);
    const Tensor none = empty({0}, device);
    gemm(device, 2, 3, 0, {none.data(), 1}, {none.data(), 3}, c.write(), 3);
    CHECK(c.values() == std::vector<Real>(6, 0));
    gemm(device, 0, 3, 2, {none.data(), 2}, {none.data(), 3}, c.write(), 3);
    gemm(device, 2, 0, 2, {none.data(), 2}, {none.data(), 1}, c.write(), 3);
    CHECK(c.values() == std::vector<Real>(6, 0));
}

TEST_CASE("gemm: the same bits for any number of threads", "[core][gemm][threads]") {
    const Tensor a = Generator(1).normal({300, 200}), b = Generator(2).normal({200, 700});
    const int before = threads();
    std::vector<std::vector<Real>> results;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        Tensor c = empty({300, 700});
        gemm(Device::cpu, 300, 700, 200, {a.data(), 200}, {b.data(), 700}, c.write(), 700);
        results.push_back(c.values());
    }
    set_threads(before);
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
}

TEST_CASE("gemm: NaN and infinity pass", "[core][gemm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor a({1, 2}, {0, 1}, device), b({2, 1}, {not_a_number, 1}, device);
    Tensor c = empty({1, 1}, device);
    gemm(device, 1, 1, 2, {a.data(), 2}, {b.data(), 1}, c.write(), 1);
    CHECK(is_nan(c.item()));
}

TEST_CASE("gemm: two threads at once get what one gets alone", "[core][gemm]") {
    Generator random(5);
    const Tensor a = random.normal({100, 784}), b = random.normal({784, 64});
    const auto product = [&] {
        Tensor c = empty({100, 64});
        gemm(Device::cpu, 100, 64, 784, {a.data(), 784}, {b.data(), 64}, c.write(), 64);
        return c;
    };
    const Tensor alone = product();
    std::atomic<int> wrong = 0;
    const auto many = [&] {
        for (int i = 0; i < 1000; ++i) wrong += !same_bits(product(), alone);
    };
    std::thread other(many);
    many();
    other.join();
    CHECK(wrong == 0);
}

TEST_CASE("gemm: a batch is its products", "[core][gemm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index m = 5, n = 3, k = GENERATE(0, 4);
    Generator random(8);
    // Batch and head, with rows between them.
    const Tensor a = random.normal({2, m, 3, std::max<Index>(k, 1)}, 0, 1, device),
                 b = random.normal({3, 2, n, std::max<Index>(k, 1)}, 0, 1, device);
    Tensor c = full({2, 3, m, n}, not_a_number, device);
    const ProductBatch batch{
        {2, 3}, {m * a.strides()[1], a.strides()[2]}, {b.strides()[1], b.strides()[0]}, c.strides()};
    gemm(device, batch, m, n, k, {a.data(), a.strides()[1]}, {b.data(), b.strides()[2], true}, c.write(), n);
    for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 3; ++j) {
            CAPTURE(device, i, j, k);
            Tensor one = empty({m, n}, device);
            gemm(device, m, n, k, {a.data() + i * batch.a[0] + j * batch.a[1], a.strides()[1]},
                 {b.data() + i * batch.b[0] + j * batch.b[1], b.strides()[2], true}, one.write(), n);
            CHECK(close(c.view({m, n}, {n, 1}, (i * 3 + j) * m * n), doubles(one)));
        }
    gemm(device, ProductBatch{{0, 3}}, m, n, k, {a.data(), 1}, {b.data(), 1}, c.write(), n);
}

TEST_CASE("gemm: a product with the identity changes nothing", "[core][gemm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(9).normal({64, 64}, 0, 1, device);
    std::vector<Real> ones(64 * 64, 0);
    for (std::size_t i = 0; i < 64; ++i) ones[i * 65] = 1;
    const Tensor identity({64, 64}, ones, device);
    Tensor y = empty_like(x);
    gemm(device, 64, 64, 64, {x.data(), 64}, {identity.data(), 64}, y.write(), 64);
    CHECK(same_bits(x, y));
}

TEST_CASE("gemm: only a GPU rounds factors", "[core][gemm]") {
    CHECK(product_precision() == ProductPrecision::ieee);
    for (const auto precision : {ProductPrecision::ieee, ProductPrecision::tf32, ProductPrecision::bf16})
        CHECK(product_precision_named(name(precision)) == precision);
    CHECK_THROWS_WITH(product_precision_named("fp8"), "matmul: wanted ieee, tf32 or bf16, got 'fp8'");
    set_product_precision(Device::sim, ProductPrecision::ieee);
    CHECK_THROWS_WITH(set_product_precision(Device::cpu, ProductPrecision::tf32),
                      "matmul: wanted products in ieee on cpu, got tf32, which only cuda has");
    if (sizeof(Real) == 8)
        CHECK_THROWS_WITH(set_product_precision(Device::cuda, ProductPrecision::bf16),
                          "matmul: wanted products of doubles in ieee, got bf16");
    CHECK(product_precision() == ProductPrecision::ieee);
}

TEST_CASE("gemm: messages", "[core][gemm]") {
    const Real x = 0;
    Real y = 0;
    CHECK_THROWS_WITH(gemm(Device::cpu, Index(1) << 31, 1, 1, {&x, 1}, {&x, 1}, &y, 1),
                      "gemm: wanted extents below 2^31, got 2147483648 x 1 x 1");
}
