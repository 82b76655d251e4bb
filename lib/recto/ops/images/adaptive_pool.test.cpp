#include <recto/ops/images/adaptive_pool.hpp>

#include <cmath>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

/// Numbers with gaps between them: a small step makes no other number the largest.
[[maybe_unused]] Tensor apart(Generator& random, const Shape& shape) {
    Values values;
    for (const Index place : random.permutation(shape.numel())) values.push_back(Real(place) * Real(0.01));
    return Tensor(shape, values);
}

}  // namespace

TEST_CASE("adaptive_pool: definition, forward and back", "[ops][adaptive_pool][devices]") {
    const Device device = GENERATE(from_range(devices()));
    struct Case {
        Shape shape;
        Pair size;
    };
    const auto [shape, size] =
        GENERATE(Case{{1, 1}, 1}, Case{{2, 3, 6, 6}, {2, 3}}, Case{{2, 7, 5}, {3, 4}}, Case{{3, 4, 9}, {7, 2}},
                 Case{{1, 2, 3}, {5, 8}}, Case{{129, 3}, {2, 3}}, Case{{2, 10, 128}, {10, 127}});
    CAPTURE(device, shape, size.height, size.width);
    Generator random(1);
    Values values;
    for (Index i = 0; i < shape.numel(); ++i) values.push_back(Real(random.next_integer(-3, 4)));  // with equal numbers
    Tensor x = Tensor(shape, values, device).requires_grad_();
    const Shape want = shape.with(-2, size.height).with(-1, size.width);
    const Tensor dy = random.normal(want, 0, 1, device);
    const std::vector<double> up = doubles(dy);
    const Index h = shape.size(-2), w = shape.size(-1);
    std::vector<double> means, most, back_mean(values.size()), back_max(values.size());
    for (Index at = 0; at < want.numel(); ++at) {
        const double r = double(at / size.width % size.height), c = double(at % size.width);
        const double down = double(h) / double(size.height), right = double(w) / double(size.width);
        std::vector<std::size_t> window;
        const double tiny = 1e-9;  // a window whose exact end is an integer ends there in spite of rounding
        for (Index i = Index(std::floor(r * down + tiny)); i < Index(std::ceil((r + 1) * down - tiny)); ++i)
            for (Index j = Index(std::floor(c * right + tiny)); j < Index(std::ceil((c + 1) * right - tiny)); ++j)
                window.push_back(std::size_t((at / (size.width * size.height) * h + i) * w + j));
        double total = 0;
        std::size_t best = window[0];
        for (const std::size_t pixel : window) {
            total += double(values[pixel]);
            if (values[pixel] > values[best]) best = pixel;
        }
        means.push_back(total / double(window.size()));
        most.push_back(double(values[best]));
        back_max[best] += up[std::size_t(at)];
        for (const std::size_t pixel : window) back_mean[pixel] += up[std::size_t(at)] / double(window.size());
    }
    const Tensor mean = adaptive_avg_pool2d(x, size);
    CHECK(mean.shape() == want);
    CHECK(close(mean, means));
    sum(mean * dy).backward();
    CHECK(close(x.grad(), back_mean));
    x.zero_grad();
    const Tensor largest = adaptive_max_pool2d(x, size);
    CHECK(largest.shape() == want);
    CHECK(close(largest, most, 0));
    sum(largest * dy).backward();
    CHECK(close(x.grad(), back_max));
}

TEST_CASE("adaptive_pool: edges", "[ops][adaptive_pool][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Tensor x = Generator(2).normal({2, 3, 6, 8}, 0, 1, device);
    CHECK(close(adaptive_avg_pool2d(x, 1), doubles(mean(x, {2, 3}))));  // global average pooling
    CHECK(same_bits(adaptive_max_pool2d(x, {3, 4}), max_pool2d(x, 2)));
    CHECK(same_bits(adaptive_avg_pool2d(x, {6, 8}), x));
    CHECK(adaptive_avg_pool1d(Tensor({5}, {1, 2, 3, 4, 5}, device), 2).values() == Values{2, 4});
    CHECK(adaptive_max_pool1d(Tensor({5}, {1, 2, 9, 4, 5}, device), 2).values() == Values{9, 9});
    CHECK(adaptive_avg_pool2d(empty({0, 3, 4, 4}, device), 2).shape() == Shape{0, 3, 2, 2});
    const Tensor nan = Tensor({4}, {1, not_a_number, not_a_number, 2}, device).requires_grad_();
    const Tensor worst = adaptive_max_pool1d(nan, 1);
    CHECK(is_nan(worst.values()[0]));
    sum(worst).backward();
    CHECK(nan.grad().values() == Values{0, 1, 0, 0});
}

TEST_CASE("adaptive_pool: agrees with PyTorch", "[ops][adaptive_pool][golden][devices]") {
    check_golden("adaptive_pool", [](const Golden& g) {
        const std::string& op = g.word("op");
        const Index columns = g.number("columns");
        if (op == "adaptive_avg_pool1d") return adaptive_avg_pool1d(g["x"], columns);
        if (op == "adaptive_max_pool1d") return adaptive_max_pool1d(g["x"], columns);
        const Pair size{g.number("rows"), columns};
        return op == "adaptive_avg_pool2d" ? adaptive_avg_pool2d(g["x"], size) : adaptive_max_pool2d(g["x"], size);
    });
}

GRADIENT_TEST("adaptive_avg_pool2d") {
    check_gradient(
        [](const Inputs& x) {
            return adaptive_avg_pool2d(x[0], {3, 2});
        },
        [](Generator& random) {
            return Inputs{random.normal({2, random.next_integer(1, 8), 5})};
        });
}
GRADIENT_TEST("adaptive_avg_pool1d") {
    check_gradient([](const Inputs& x) { return adaptive_avg_pool1d(x[0], 5); },
                   [](Generator& random) {
                       return Inputs{random.normal({2, random.next_integer(1, 130)})};
                   },
                   16);
}
GRADIENT_TEST("adaptive_max_pool2d") {
    check_gradient(
        [](const Inputs& x) {
            return adaptive_max_pool2d(x[0], {3, 2});
        },
        [](Generator& random) {
            return Inputs{apart(random, {2, random.next_integer(1, 8), 5})};
        });
}
GRADIENT_TEST("adaptive_max_pool1d") {
    check_gradient([](const Inputs& x) { return adaptive_max_pool1d(x[0], 5); },
                   [](Generator& random) {
                       return Inputs{apart(random, {2, random.next_integer(1, 130)})};
                   },
                   16);
}

TEST_CASE("adaptive_pool: messages", "[ops][adaptive_pool]") {
    CHECK_THROWS_WITH(adaptive_avg_pool2d(empty({5}), 2), "adaptive_avg_pool2d: wanted at least 2 axes, got shape (5)");
    CHECK_THROWS_WITH(adaptive_max_pool2d(empty({4, 5}), {2, 0}),
                      "adaptive_max_pool2d: wanted a size from 1 to 2^30, got 0 for shape (4, 5)");
    CHECK_THROWS_WITH(adaptive_max_pool1d(empty({3, 0}), 2),
                      "adaptive_max_pool1d: wanted from 1 to 2^30 pixels along each axis, got shape (3, 0)");
    CHECK_THROWS_WITH(adaptive_avg_pool1d(Tensor(), 2), "adaptive_avg_pool1d: wanted a tensor, got an undefined one");
}
