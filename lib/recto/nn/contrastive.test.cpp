#include <recto/nn/contrastive.hpp>

#include <cmath>
#include <limits>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// The cosines by a loop over the pairs, in double.
std::vector<double> looped_cosines(const Tensor& a, const Tensor& b) {
    const std::vector<double> x = doubles(a), y = doubles(b);
    const auto n = std::size_t(a.size(0)), m = std::size_t(b.size(0)), width = std::size_t(a.size(1));
    std::vector<double> found;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
            double xy = 0, xx = 0, yy = 0;
            for (std::size_t k = 0; k < width; ++k) {
                const double u = x[i * width + k], v = y[j * width + k];
                xy += u * v, xx += u * u, yy += v * v;
            }
            found.push_back(xy / std::sqrt(xx * yy));
        }
    return found;
}

/// The symmetric loss by loops, in double.
double looped_loss(const std::vector<double>& l, std::size_t n) {
    double rows = 0, columns = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double row = 0, column = 0;
        for (std::size_t j = 0; j < n; ++j) row += std::exp(l[i * n + j]), column += std::exp(l[j * n + i]);
        rows += std::log(row) - l[i * n + i], columns += std::log(column) - l[i * n + i];
    }
    return (rows + columns) / double(2 * n);
}

}  // namespace

TEST_CASE("cosine_similarities: equal a loop over the pairs, times the factor",
          "[nn][contrastive][devices][row:eq-clip-similarity/c]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    for (int run = 0; run < 20; ++run) {
        const Index n = random.next_integer(1, 9), m = random.next_integer(1, 9), width = random.next_integer(1, 40);
        const Tensor a = random.normal({n, width}, 0, Real(1.5), device),
                     b = random.normal({m, width}, 0, Real(0.3), device);
        CHECK(close(nn::cosine_similarities(a, b), looped_cosines(a, b)));
        std::vector<double> scores = looped_cosines(a, b);
        for (double& s : scores) s *= 8;
        CHECK(close(nn::ContrastiveHead(8, 100, device).scores(a, b), scores, 4 * usual));
    }
}

TEST_CASE("cosine_similarities: parallel, orthogonal and opposite rows",
          "[nn][contrastive][row:eq-clip-similarity/a]") {
    const Tensor a({2, 2}, {3, 4, -8, 6}), b({3, 2}, {6, 8, -3, -4, 4, -3});
    CHECK(close(nn::cosine_similarities(a, b), {1, -1, 0, 0, 0, -1}));
    Generator random(2);
    const Tensor many = nn::cosine_similarities(random.normal({200, 3}), random.normal({200, 3}));
    CHECK(double(max(abs(many)).item()) <= 1 + usual);
    CHECK(double(max(many).item()) > 0.99);  // so that a missing normalisation would show
    CHECK(std::isnan(nn::unit_rows(zeros({1, 3})).values()[0]));
    CHECK(close(nn::unit_rows(Tensor({2}, {3, 4})), {0.6, 0.8}));
    const Tensor row = random.normal({1, 5});
    CHECK(close(nn::cosine_similarities(100 * row, 0.01 * row), {1}));  // lengths do not matter
}

TEST_CASE("ContrastiveHead: the factor is trained, positive and bounded",
          "[nn][contrastive][devices][row:eq-clip-similarity/b]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(3);
    const Tensor a = random.normal({4, 3}, 0, 1, device), b = random.normal({5, 3}, 0, 1, device);
    nn::ContrastiveHead head(5, 100, device);
    const NamedTensors trained = nn::parameters(head);
    REQUIRE(trained.size() == 1);
    CHECK(trained[0].name == "log_factor");
    CHECK(nn::count(head) == 1);
    CHECK(close(head.factor(), {5}));
    const std::vector<double> cosines = doubles(nn::cosine_similarities(a, b));
    for (const double factor : {0.5, 2.0, 20.0}) {
        head.log_factor = full({}, Real(std::log(factor)), device);
        std::vector<double> want = cosines;
        for (double& c : want) c *= factor;
        CHECK(close(head.scores(a, b), want, 20 * usual));
    }
    head.log_factor = full({}, 50, device);
    CHECK(close(head.factor(), {100}));
}

TEST_CASE("symmetric_cross_entropy: equals loops over rows and over columns",
          "[nn][contrastive][devices][row:eq-clip-loss/a]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(4);
    for (int run = 0; run < 20; ++run) {
        const Index n = random.next_integer(1, 12);
        const Tensor scores = random.normal({n, n}, 0, 3, device);
        CHECK(close(nn::symmetric_cross_entropy(scores), {looped_loss(doubles(scores), std::size_t(n))}));
        CHECK(close(nn::symmetric_cross_entropy(transpose(scores)), {looped_loss(doubles(scores), std::size_t(n))}));
    }
    CHECK(close(nn::symmetric_cross_entropy(Tensor({1, 1}, {-7}, device)), {0}));
}

TEST_CASE("symmetric_cross_entropy: equal scores leave log N", "[nn][contrastive][row:eq-clip-loss/c]") {
    for (const Index n : {1, 2, 32, 100})
        for (const double score : {0.0, -3.0, 1000.0})
            CHECK(close(nn::symmetric_cross_entropy(full({n, n}, Real(score))), {std::log(double(n))}));
    const Tensor same = ones({6, 4});  // embeddings that are all alike have equal scores
    CHECK(close(nn::ContrastiveHead().loss(same, same), {std::log(6.0)}));
}

TEST_CASE("symmetric_cross_entropy: large scores neither overflow nor lose the diagonal", "[nn][contrastive]") {
    const Tensor scores({2, 2}, {10000, 0, 0, 10000});
    CHECK(nn::symmetric_cross_entropy(scores).item() == 0);
    CHECK(close(nn::symmetric_cross_entropy(-scores), {10000}));
}

TEST_CASE("Contrastive scores and loss: every device agrees with the CPU",
          "[nn][contrastive][devices][row:eq-clip-similarity/d][row:eq-clip-loss/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(5);
        const nn::ContrastiveHead head(5, 100, where);
        const Tensor a = random.normal({33, 17}, 0, 1, where).requires_grad_(),
                     b = random.normal({33, 17}, 0, 1, where).requires_grad_();
        const Tensor scores = head.scores(a, b), loss = head.loss(a, b);
        loss.backward();
        return std::vector<Tensor>{scores, loss, a.grad(), b.grad(), head.log_factor.grad()};
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 10 * usual));
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("Contrastive: gradients", "[nn][contrastive][gradient][row:eq-clip-loss/b]") {
    check_gradient([](const Inputs& x) { return nn::symmetric_cross_entropy(x[0]); },
                   [](Generator& random) {
                       return Inputs{random.normal({4, 4})};
                   },
                   8);
    const auto far_from_zero = [](Generator& random, const Shape& shape) { return random.normal(shape) + 4; };
    check_gradient([](const Inputs& x) { return nn::unit_rows(x[0]); },
                   [&](Generator& random) {
                       return Inputs{far_from_zero(random, {3, 4})};
                   },
                   8);
    const auto loss = [](const Inputs& x) {
        nn::ContrastiveHead head(5, 100, x[0].device());
        head.log_factor = x[2];
        return head.loss(x[0], x[1]);
    };
    const auto make = [&](Generator& random) {
        return Inputs{random.uniform({4, 3}, Real(0.5), 2), random.uniform({4, 3}, Real(0.5), 2),
                      random.uniform({}, Real(0.5), 2)};
    };
    check_gradient(loss, make, 8);
}
#endif

TEST_CASE("Contrastive: messages", "[nn][contrastive]") {
    CHECK_THROWS_WITH(nn::unit_rows(zeros({})), "unit_rows: wanted at least one axis, got shape ()");
    CHECK_THROWS_WITH(nn::cosine_similarities(ones({2, 3}), ones({2, 4})),
                      "cosine_similarities: wanted two matrices of the same width, got shapes (2, 3) and (2, 4)");
    CHECK_THROWS_WITH(nn::symmetric_cross_entropy(ones({2, 3})),
                      "symmetric_cross_entropy: wanted a square matrix with at least one row, got shape (2, 3)");
    CHECK_THROWS_WITH(nn::symmetric_cross_entropy(ones({0, 0})),
                      "symmetric_cross_entropy: wanted a square matrix with at least one row, got shape (0, 0)");
    CHECK_THROWS_WITH(nn::ContrastiveHead(0), "ContrastiveHead: wanted a factor above 0 and at most 100, got 0");
    CHECK_THROWS_WITH(nn::ContrastiveHead(101), "ContrastiveHead: wanted a factor above 0 and at most 100, got 101");
    CHECK_THROWS_WITH(nn::ContrastiveHead(std::numeric_limits<double>::quiet_NaN()),
                      "ContrastiveHead: wanted a factor above 0 and at most 100, got nan");
    CHECK_THROWS_WITH(nn::ContrastiveHead().loss(ones({2, 3}), ones({3, 3})),
                      "ContrastiveHead: wanted as many rows of both kinds, got shapes (2, 3) and (3, 3)");
}
