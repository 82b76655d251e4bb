#include <recto/ops/elementwise/unary.hpp>

#include <algorithm>
#include <cmath>

#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

Tensor leaky(const Tensor& x) { return leaky_relu(x, 0.1); }
Tensor half_elu(const Tensor& x) { return elu(x, 0.5); }
Tensor clamp_to(const Tensor& x) { return clamp(x, -1, 2); }

struct Case {
    const char* name;
    Tensor (*op)(const Tensor&);
    double (*definition)(double);
};
const Case cases[] = {
    {"exp", exp, [](double x) { return std::exp(x); }},
    {"log", log, [](double x) { return std::log(x); }},
    {"sqrt", sqrt, [](double x) { return std::sqrt(x); }},
    {"square", square, [](double x) { return x * x; }},
    {"abs", abs, [](double x) { return std::abs(x); }},
    {"negative", negative, [](double x) { return -x; }},
    {"tanh", tanh, [](double x) { return std::tanh(x); }},
    {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"relu", relu, [](double x) { return x > 0 ? x : 0; }},
    {"softplus", softplus, [](double x) { return std::log1p(std::exp(x)); }},
    {"leaky_relu", leaky, [](double x) { return x > 0 ? x : Real(0.1) * x; }},
    {"elu", half_elu, [](double x) { return x > 0 ? x : std::expm1(x) / 2; }},
    {"selu", selu, [](double x) { return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x)); }},
    {"gelu", gelu, [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }},
    {"gelu_tanh", gelu_tanh,
     [](double x) { return x / 2 * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))); }},
    {"silu", silu, [](double x) { return x / (1 + std::exp(-x)); }},
    {"clamp", clamp_to, [](double x) { return std::min(std::max(x, -1.0), 2.0); }},
};

/// Inputs away from 0, on both sides or only above it.
Inputs away_from_zero(Generator& random, bool positive) {
    std::vector<Real> values = random.normal(random_shape(random)).values();
    const Shape shape{Index(values.size())};
    for (Real& v : values) v = positive ? Real(0.3) + v * v : v + (v < 0 ? Real(-0.1) : Real(0.1));
    return {Tensor(shape, values)};
}

[[maybe_unused]] void check_smooth(Tensor (*op)(const Tensor&)) {
    check_gradient([op](const Tensor& x) { return op(x); });
}
[[maybe_unused]] void check_gradient_away(Tensor (*op)(const Tensor&), bool positive) {
    check_gradient([op](const Inputs& x) { return op(x[0]); },
                   [positive](Generator& random) { return away_from_zero(random, positive); });
}

Values at(Tensor (*op)(const Tensor&), std::initializer_list<Real> x, Device device) {
    return op(Tensor({Index(x.size())}, x, device)).values();
}

}  // namespace

TEST_CASE("unary: definition",
          "[ops][unary][devices][row:eq-elu/c][row:eq-gelu/f][row:eq-selu/c][row:eq-silu-swish/c]") {
    const Device device = GENERATE(from_range(devices()));
    for (const Case& c : cases)
        for (const Shape& shape :
             {Shape{}, Shape{0}, Shape{1}, Shape{3, 0, 2}, Shape{127}, Shape{128}, Shape{129}, Shape{20, 1000}}) {
            CAPTURE(device, c.name, shape);
            const bool positive = std::isnan(c.definition(-1));
            const Tensor x = Generator(1).uniform(shape, positive ? 0 : -8, 8, device);
            std::vector<double> want = doubles(x);
            for (double& v : want) v = c.definition(v);
            const Tensor y = c.op(x);
            CHECK(y.shape() == shape);
            CHECK(y.device() == device);
            CHECK(close(y, want));
        }
}

TEST_CASE("unary: edges", "[ops][unary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    for (const Case& c : cases) {
        CAPTURE(c.name);
        CHECK(std::isnan(at(c.op, {not_a_number}, device)[0]));
    }
    CHECK(at(exp, {0, -infinity, infinity, -1000, 1000}, device) == Values{1, 0, infinity, 0, infinity});
    CHECK(at(log, {1, 0, infinity}, device) == Values{0, -infinity, infinity});
    CHECK(std::isnan(at(log, {-1}, device)[0]));
    CHECK(std::isnan(at(sqrt, {-1}, device)[0]));
    CHECK(at(abs, {-2, 0, -infinity}, device) == Values{2, 0, infinity});
    CHECK(at(tanh, {-1000, 0, infinity}, device) == Values{-1, 0, 1});
    CHECK(at(sigmoid, {-1000, 0, 1000}, device) == Values{0, 0.5, 1});
    CHECK(at(relu, {-1, 0, 2, infinity}, device) == Values{0, 0, 2, infinity});
    CHECK(at(softplus, {-1000, 1000}, device) == Values{0, 1000});
    for (const Real far : {Real(-5), Real(-17), Real(-30), Real(-60)})  // the tail keeps full precision
        CHECK(std::abs(double(at(softplus, {far}, device)[0]) / std::log1p(std::exp(double(far))) - 1) <= usual);
    for (auto* op : {static_cast<Tensor (*)(const Tensor&)>(gelu), gelu_tanh, silu}) {
        const Tensor x = Tensor({5}, {-infinity, -1000, 0, 1000, infinity}, device).requires_grad_();
        const Tensor y = op(x);
        CHECK(y.values() == Values{0, 0, 0, 1000, infinity});
        sum(y).backward();
        CHECK(x.grad().values() == Values{0, 0, 0.5, 1, 1});
    }
    CHECK(at(half_elu, {-infinity, -1000, 0, 4, infinity}, device) == Values{-0.5, -0.5, 0, 4, infinity});
    for (const Real near : {Real(-1e-3), Real(-1e-6), Real(-1e-9)})  // e^x - 1 keeps full precision
        CHECK(std::abs(double(at(half_elu, {near}, device)[0]) / (std::expm1(double(near)) / 2) - 1) <= usual);
    CHECK(at(leaky, {-infinity, 0, 4}, device) == Values{-infinity, 0, 4});
    CHECK(at(clamp_to, {-infinity, -1, 0, 2, infinity}, device) == Values{-1, -1, 0, 2, 2});
}

TEST_CASE("unary: agrees with PyTorch", "[ops][unary][golden][devices]") {
    check_golden("unary", [](const Golden& g) {
        if (g.word("op") == "leaky_relu") return leaky_relu(g["x"], g.real("slope"));
        if (g.word("op") == "elu") return elu(g["x"], g.real("alpha"));
        if (g.word("op") == "clamp") return clamp(g["x"], g.real("low"), g.real("high"));
        for (const Case& c : cases)
            if (c.name == g.word("op")) return c.op(g["x"]);
        return Tensor();
    });
}

TEST_CASE("unary: the slope at a kink", "[ops][unary][devices][row:eq-relu/b]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Tensor({4}, {-1, 0, 2, 3}, device).requires_grad_();
    sum(clamp_to(x)).backward();
    CHECK(x.grad().values() == Values{1, 1, 1, 0});
    x.zero_grad();
    sum(leaky_relu(x, 0.25)).backward();
    CHECK(x.grad().values() == Values{0.25, 0.25, 1, 1});
    x.zero_grad();
    sum(elu(x, 0.25)).backward();
    CHECK(close(x.grad(), {0.25 * std::exp(-1.0), 0.25, 1, 1}));
    for (auto* op : {static_cast<Tensor (*)(const Tensor&)>(abs), relu}) {
        const Tensor x = Tensor({}, {0}, device).requires_grad_();
        op(x).backward();
        CHECK(x.grad().item() == 0);
    }
}

GRADIENT_TEST("exp") { check_smooth(exp); }
GRADIENT_TEST("log") { check_gradient_away(log, true); }
GRADIENT_TEST("sqrt") { check_gradient_away(sqrt, true); }
GRADIENT_TEST("square") { check_smooth(square); }
GRADIENT_TEST("abs") { check_gradient_away(abs, false); }
GRADIENT_TEST("negative") {
    check_gradient([](const Tensor& x) { return -x; });
}
GRADIENT_TEST("tanh") { check_smooth(tanh); }
GRADIENT_TEST("sigmoid") { check_smooth(sigmoid); }
GRADIENT_TEST("relu") { check_gradient_away(relu, false); }
GRADIENT_TEST("softplus") { check_smooth(softplus); }
GRADIENT_TEST("leaky_relu") { check_gradient_away(leaky, false); }
GRADIENT_TEST("elu") { check_gradient_away(half_elu, false); }
GRADIENT_TEST("selu") { check_gradient_away(selu, false); }
GRADIENT_TEST("gelu") { check_smooth(gelu); }
GRADIENT_TEST("gelu_tanh") { check_smooth(gelu_tanh); }
GRADIENT_TEST("silu") { check_smooth(silu); }
GRADIENT_TEST("clamp") {
    check_gradient([](const Inputs& x) { return clamp(x[0], -0.05, infinity); },  // no x is within 0.1 of 0
                   [](Generator& random) { return away_from_zero(random, false); });
}

TEST_CASE("unary: messages", "[ops][unary]") {
    for (const Case& c : cases)
        CHECK_THROWS_WITH(c.op(Tensor()), fmt::format("{}: wanted a tensor, got an undefined one", c.name));
    CHECK_THROWS_WITH(clamp(ones({1}), 2, 1), "clamp: wanted low at most high, got 2 and 1");
    CHECK_THROWS_WITH(clamp(ones({1}), double(not_a_number), 1), "clamp: wanted low at most high, got nan and 1");
}
