#include <recto/ops/indexing/index.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/kernels/gemm.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("index: one-hot rows times a matrix are its rows",
          "[ops][index][devices][row:sys-one-hot/a][row:sys-one-hot/c][row:eq-embedding/a][row:eq-embedding/d]") {
    const Device device = GENERATE(from_range(devices()));
    const auto [classes, cols] = GENERATE(table<Index, Index>({{1, 1}, {27, 127}, {128, 5}, {129, 128}}));
    CAPTURE(device, classes, cols);
    Generator random(1);
    const Integers labels = random.integers({40}, 0, classes, device);
    const Tensor w = random.normal({classes, cols}, 0, 1, device), hot = one_hot(labels, classes);
    Tensor product = empty({40, cols}, device);
    gemm(device, 40, cols, classes, {hot.data(), classes}, {w.data(), cols}, product.write(), cols);
    CHECK(same_bits(product, index_rows(w, labels)));
}

TEST_CASE("index: one_hot", "[ops][index][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor y = one_hot(Integers({2, 2}, {0, 2, 1, 1}, device), 3);
    CHECK(y.shape() == Shape{2, 2, 3});
    CHECK(y.values() == std::vector<Real>{1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0});
    CHECK(one_hot(Integers({}, {1}, device), 2).values() == std::vector<Real>{0, 1});
    CHECK(one_hot(Integers({0}, device), 5).shape() == Shape{0, 5});
    CHECK(one_hot(Integers({0}, device), 0).shape() == Shape{0, 0});
}

TEST_CASE("index: rows are gathered", "[ops][index][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({3, 2}, {1, 2, 3, 4, 5, 6}, device);
    const Tensor y = index_rows(x, Integers({2, 2}, {2, 0, 0, 1}, device));
    CHECK(y.shape() == Shape{2, 2, 2});
    CHECK(y.values() == std::vector<Real>{5, 6, 1, 2, 1, 2, 3, 4});
    CHECK(index_rows(Tensor({3}, {7, 8, 9}, device), Integers({}, {2}, device)).item() == 9);
    CHECK(index_rows(x, Integers({0}, device)).shape() == Shape{0, 2});
    CHECK(index_rows(empty({3, 0}, device), Integers({1}, {0}, device)).shape() == Shape{1, 0});
}

TEST_CASE("index: a row's gradient is the sum over its uses", "[ops][index][devices][row:eq-embedding/b]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = ones({3, 1}, device).requires_grad_();
    record("weigh", Tensor({}, {0}, device), {index_rows(x, Integers({4}, {2, 0, 2, 2}, device))},
           [device](const Tensor&) {
               return Grads{Tensor({4, 1}, {1, 10, 100, 1000}, device)};
           })
        .backward();
    CHECK(x.grad().values() == std::vector<Real>{10, 0, 1101});
}

TEST_CASE("index: uses are added in their order, however many", "[ops][index][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(1, 63, 64, 65, 128, 129, 192, 1000, 20'000);  // the sort merges runs of 64
    CAPTURE(device, n);
    Generator random(1);
    const Index rows = n / 3 + 1;
    const Integers places = random.integers({n}, 0, rows, device);
    const Tensor x = zeros({rows, 2}, device).requires_grad_(), slope = random.normal({n, 2}, 0, 1, device);
    record("weigh", Tensor({}, {0}, device), {index_rows(x, places)}, [&](const Tensor&) {
        return Grads{clone(slope)};
    }).backward();
    std::vector<Real> want(std::size_t(2 * rows));
    const std::vector<Index> at = places.values();
    const std::vector<Real> terms = slope.values();
    for (std::size_t i = 0; i < terms.size(); ++i) want[std::size_t(2 * at[i / 2]) + i % 2] += terms[i];
    CHECK(x.grad().values() == want);  // the same bits
}

TEST_CASE("index: agrees with PyTorch", "[ops][index][golden][devices]") {
    check_golden("index_rows", [](const Golden& g) {
        if (g.word("op") == "one_hot") return one_hot(g.integers("places"), g.number("classes"));
        return index_rows(g["x"], g.integers("places"));
    });
}

GRADIENT_TEST("index_rows") {
    check_gradient(
        [](const Inputs& x) {
            Generator random{std::uint64_t(x[0].numel())};
            return index_rows(x[0], random.integers({3, 2}, 0, x[0].size(0), x[0].device()));
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random))}; });
}

TEST_CASE("index: messages", "[ops][index][row:sys-one-hot/b][row:eq-embedding/c]") {
    CHECK_THROWS_WITH(one_hot(Integers({2}, {0, 3}), 3), "one_hot: wanted labels from 0 to 2, got 3 at position 1");
    CHECK_THROWS_WITH(one_hot(Integers({1}, {-1}), 3), "one_hot: wanted labels from 0 to 2, got -1 at position 0");
    CHECK_THROWS_WITH(one_hot(Integers(Shape{0}), -1), "one_hot: wanted at least 0 classes, got -1");
    CHECK_THROWS_WITH(one_hot(Integers({1}, {0}), 0),
                      "one_hot: wanted at least one class to choose from, got none for label 0");
    CHECK_THROWS_WITH(one_hot(Integers(Shape{1, 1, 1, 1, 1, 1, 1, 0}), 3),
                      "one_hot: wanted labels of at most 7 axes, got shape (1, 1, 1, 1, 1, 1, 1, 0)");
    CHECK_THROWS_WITH(index_rows(ones({3, 2}), Integers({2}, {0, -1})),
                      "index_rows: wanted labels from 0 to 2, got -1 at position 1");
    CHECK_THROWS_WITH(index_rows(ones({0, 2}), Integers({1}, {0})),
                      "index_rows: wanted at least one class to choose from, got none for label 0");
    CHECK_THROWS_WITH(index_rows(ones({3, 2}), Integers({1}, {3})),
                      "index_rows: wanted labels from 0 to 2, got 3 at position 0");
    CHECK_THROWS_WITH(index_rows(ones({}), Integers({1}, {0})), "index_rows: wanted at least one axis, got shape ()");
    CHECK_THROWS_WITH(index_rows(ones({3}), Integers({1}, {0}, Device::sim)),
                      "index_rows: wanted both on one device, got cpu and sim");
}
