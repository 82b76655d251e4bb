#include <recto/autograd/value.hpp>

#include <cmath>
#include <limits>
#include <thread>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
bool near(double got, double want, double tolerance = 1e-12) {
    return std::abs(got - want) <= tolerance * (1 + std::abs(want));
}
}  // namespace

TEST_CASE("Value: micrograd's example", "[autograd][value]") {
    const Value a = -4, b = 2;
    Value c = a + b, d = a * b + pow(b, 3);
    c += c + 1;
    c += 1 + c + (-a);
    d += d * 2 + relu(b + a);
    d += 3 * d + relu(b - a);
    const Value e = c - d, f = pow(e, 2);
    Value g = f / 2.0;
    g += 10.0 / f;
    CHECK(near(g.data(), 24.70408163265306));
    g.backward();
    CHECK(near(a.grad(), 138.83381924198250));
    CHECK(near(b.grad(), 645.57725947521866));
}

TEST_CASE("Value: every operation against differences", "[autograd][value][gradient]") {
    using Function = Value (*)(const Value&, const Value&);
    const Function functions[] = {
        [](const Value& a, const Value& b) { return a + b; },
        [](const Value& a, const Value& b) { return a - b; },
        [](const Value& a, const Value& b) { return a * b; },
        [](const Value& a, const Value& b) { return a / b; },
        [](const Value& a, const Value& b) { return -a * b; },
        [](const Value& a, const Value& b) { return pow(a, 2.5) * pow(b, -3); },
        [](const Value& a, const Value& b) { return exp(a) + exp(b); },
        [](const Value& a, const Value& b) { return log(a) * log(b); },
        [](const Value& a, const Value& b) { return tanh(a) * tanh(b); },
        [](const Value& a, const Value& b) { return relu(a) - relu(-b) + relu(a - b); },
    };
    Generator random(1);
    for (const Function f : functions)
        for (int n = 0; n < 64; ++n) {
            const double x = 0.2 + 2 * random.next_uniform(), y = 3 + 2 * random.next_uniform(), h = 1e-3;
            const Value a = x, b = y;
            f(a, b).backward();
            const auto slope = [&](auto at) { return (at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h); };
            CHECK(near(slope([&](double by) { return f(x + by, y).data(); }), a.grad(), 1e-8));
            CHECK(near(slope([&](double by) { return f(x, y + by).data(); }), b.grad(), 1e-8));
        }
}

TEST_CASE("Value: the same numbers as the tape of tensors", "[autograd][value]") {
    // MLP(3, [4, 4, 1]) with tanh on micrograd's four examples: loss and all 41 gradients.
    Generator random(2);
    const Tensor x({4, 3}, {2, 3, -1, 3, -1, 0.5, 0.5, 1, 1, 1, 1, -1}), want({4, 1}, {1, -1, -1, 1});
    const Index sizes[] = {3, 4, 4, 1};
    std::vector<Tensor> weights, biases;
    Tensor out = x;
    std::vector<std::vector<Value>> rows(4);
    for (std::size_t i = 0; i < 4; ++i)
        for (const double v : doubles(select(x, 0, Index(i)))) rows[i].push_back(v);
    std::vector<std::vector<Value>> scalar_weights, scalar_biases;
    for (std::size_t layer = 0; layer < 3; ++layer) {
        weights.push_back(random.uniform({sizes[layer + 1], sizes[layer]}, -1, 1).requires_grad_());
        biases.push_back(random.uniform({sizes[layer + 1]}, -1, 1).requires_grad_());
        out = tanh(linear(out, weights.back(), biases.back()));
        const std::vector<double> w = doubles(weights.back()), b = doubles(biases.back());
        scalar_weights.emplace_back(w.begin(), w.end()), scalar_biases.emplace_back(b.begin(), b.end());
        for (std::vector<Value>& row : rows) {
            std::vector<Value> next;
            for (std::size_t j = 0; j < b.size(); ++j) {
                Value total = scalar_biases.back()[j];
                for (std::size_t p = 0; p < row.size(); ++p)
                    total += scalar_weights.back()[j * row.size() + p] * row[p];
                next.push_back(tanh(total));
            }
            row = std::move(next);
        }
    }
    const Tensor loss = mse_loss(out, want);
    loss.backward();
    Value scalar_loss;
    for (std::size_t i = 0; i < 4; ++i) scalar_loss += pow(rows[i][0] - want.at({Index(i), 0}), 2) / 4;
    scalar_loss.backward();
    CHECK(near(double(loss.item()), scalar_loss.data(), usual));
    int compared = 0;
    for (std::size_t layer = 0; layer < 3; ++layer)
        for (const auto& [tensor, scalars] :
             {std::pair(weights[layer], scalar_weights[layer]), std::pair(biases[layer], scalar_biases[layer])}) {
            std::vector<double> grads;
            for (const Value& v : scalars) grads.push_back(v.grad());
            CHECK(close(tensor.grad(), grads));
            compared += int(grads.size());
        }
    CHECK(compared == 41);
}

TEST_CASE("Value: a chain of a million runs backward and is destroyed", "[autograd][value]") {
    const Value x = 3;
    Value y = x;
    for (int i = 0; i < 1'000'000; ++i) y = -y;
    y.backward();
    CHECK(x.grad() == 1);
    y = x;
    for (int i = 0; i < 1'000'000; ++i) y += 1e-6;  // a new constant in every step
    CHECK(near(y.data(), 4, 1e-9));
}

TEST_CASE("Value: a diamond a hundred deep takes a hundred steps, not 2^100",
          "[autograd][value][row:sys-micrograd-value/b]") {
    const Value x = 1;
    Value y = x;
    for (int i = 0; i < 100; ++i) y = (y + y) * 0.5;
    y.backward();
    CHECK(x.grad() == 1);
}

TEST_CASE("Value: gradients of leaves add up, others begin anew", "[autograd][value]") {
    Value x = 3;
    const Value y = x * x, z = y * 2 + y;
    z.backward();
    CHECK(x.grad() == 18);
    CHECK(y.grad() == 3);
    CHECK(z.grad() == 1);
    z.backward();
    CHECK(x.grad() == 36);
    CHECK(y.grad() == 3);
    y.backward();  // starts from a part of the computation
    CHECK(x.grad() == 42);
    x.zero_grad();
    x.backward();
    CHECK(x.grad() == 1);
    x.set(5);
    CHECK((x * x).data() == 25);
    CHECK(y.data() == 9);
    CHECK_THROWS_WITH(Value(y).set(1), "Value: wanted a leaf to set, got the result of an operation");
}

TEST_CASE("Value: steps tell how a number came about", "[autograd][value]") {
    const Value a = 2, b = -3;
    const Value c = a * b, d = c + a, e = d * d;
    e.backward();
    const std::vector<ValueStep> found = steps(e);
    REQUIRE(found.size() == 5);  // d and a once each, though both are used twice
    const Value* want[] = {&a, &b, &c, &d, &e};
    const char* names[] = {"leaf", "leaf", "*", "+", "*"};
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(found[i].name == std::string(names[i]));
        CHECK(found[i].id == want[i]->id());
        CHECK(found[i].data == want[i]->data());
        CHECK(found[i].grad == want[i]->grad());
        for (const ValueStep::Input& input : found[i].inputs) CHECK(input.step < i);
    }
    REQUIRE(found[2].inputs.size() == 2);
    CHECK(found[2].inputs[0].step == 0);
    CHECK(found[2].inputs[0].slope == -3);
    CHECK(found[2].inputs[1].step == 1);
    CHECK(found[2].inputs[1].slope == 2);
    CHECK(found[4].inputs[1].step == 3);
    CHECK(steps(a).size() == 1);
    Value y = a;
    for (int i = 0; i < 100; ++i) y = y + y;  // 2^100 paths, 101 nodes
    CHECK(steps(y).size() == 101);
    y = a;
    for (int i = 0; i < 100'000; ++i) y = -y;
    CHECK(steps(y).size() == 100'001);
    const Value all = pow(a, 2) - exp(a) / log(a) + relu(tanh(-a));
    std::vector<std::string> words;
    for (const ValueStep& step : steps(all)) words.emplace_back(step.name);
    CHECK(words == std::vector<std::string>{"leaf", "pow", "exp", "log", "/", "-", "negative", "tanh", "relu", "+"});
}

TEST_CASE("Value: edges", "[autograd][value]") {
    const Value nan = not_a_number, zero = 0, below = -1;
    const auto slope = [](const Value& x, const Value& y) {
        x.zero_grad();
        y.backward();
        return x.grad();
    };
    CHECK(std::isnan(relu(nan).data()));
    CHECK(std::isnan(slope(nan, relu(nan))));
    CHECK(slope(zero, relu(zero)) == 0);
    CHECK(slope(zero, pow(zero, 0)) == 0);
    CHECK(slope(zero, pow(zero, 1)) == 1);
    CHECK(log(zero).data() == -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(log(below).data()));
    Value one = 2, moved = std::move(one);
    const Value& itself = moved;
    moved = itself;
    CHECK(moved.data() == 2);
    std::thread([] { CHECK((Value(1) + 2).data() == 3); }).join();  // every thread has nodes and frees them
}
