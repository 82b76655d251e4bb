#include <recto/ops/sequences/recurrent.hpp>

#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
using Values = std::vector<Real>;

/// rnn(), lstm() and gru() under one signature.
struct Kind {
    const char* name;
    Index gates;
    Recurrent (*run)(const Tensor& x, const RecurrentWeights& w, const Tensor& h0, const Tensor& c0);
};
const Kind kinds[] = {
    {"rnn", 1, [](const Tensor& x, const RecurrentWeights& w, const Tensor& h, const Tensor&) { return rnn(x, w, h); }},
    {"lstm", 4,
     [](const Tensor& x, const RecurrentWeights& w, const Tensor& h, const Tensor& c) { return lstm(x, w, h, c); }},
    {"gru", 3,
     [](const Tensor& x, const RecurrentWeights& w, const Tensor& h, const Tensor&) { return gru(x, w, h); }}};

RecurrentWeights draw(Generator& random, Index gates, Index in, Index hidden, Device device = Device::cpu) {
    const Real spread = Real(0.5);
    return {random.normal({gates * hidden, in}, 0, spread, device),
            random.normal({gates * hidden, hidden}, 0, spread, device),
            random.normal({gates * hidden}, 0, spread, device), random.normal({gates * hidden}, 0, spread, device)};
}

/// The definition in double: all outputs, then the last h, and c for an LSTM.
std::vector<double> oracle(const Kind& kind, const Tensor& x, const RecurrentWeights& w, const Tensor& h0,
                           const Tensor& c0) {
    const std::size_t batch = std::size_t(x.size(0)), time = std::size_t(x.size(1)), in = std::size_t(x.size(2)),
                      H = std::size_t(h0.size(1)), G = std::size_t(kind.gates);
    const std::vector<double> a = doubles(x), wi = doubles(w.weight_ih), wh = doubles(w.weight_hh),
                              bi = doubles(w.bias_ih), bh = doubles(w.bias_hh), start = doubles(h0), cell = doubles(c0);
    const auto s = [](double v) { return 1 / (1 + std::exp(-v)); };
    std::vector<double> y;
    for (std::size_t n = 0; n < batch; ++n) {
        std::vector<double> h(start.begin() + long(n * H), start.begin() + long((n + 1) * H)),
            c(cell.begin() + long(n * H), cell.begin() + long((n + 1) * H));
        for (std::size_t t = 0; t < time; ++t) {
            std::vector<double> p = bi, q = bh;
            for (std::size_t i = 0; i < G * H; ++i) {
                for (std::size_t j = 0; j < in; ++j) p[i] += wi[i * in + j] * a[(n * time + t) * in + j];
                for (std::size_t j = 0; j < H; ++j) q[i] += wh[i * H + j] * h[j];
            }
            for (std::size_t j = 0; j < H; ++j) {
                if (G == 1) h[j] = std::tanh(p[j] + q[j]);
                if (G == 3) {
                    const double r = s(p[j] + q[j]), z = s(p[H + j] + q[H + j]);
                    h[j] = (1 - z) * std::tanh(p[2 * H + j] + r * q[2 * H + j]) + z * h[j];
                }
                if (G == 4) {
                    c[j] = s(p[H + j] + q[H + j]) * c[j] + s(p[j] + q[j]) * std::tanh(p[2 * H + j] + q[2 * H + j]);
                    h[j] = s(p[3 * H + j] + q[3 * H + j]) * std::tanh(c[j]);
                }
            }
            y.insert(y.end(), h.begin(), h.end());
        }
        y.insert(y.end(), h.begin(), h.end());
        if (G == 4) y.insert(y.end(), c.begin(), c.end());
    }
    return y;
}

/// The outputs of all steps, then each last state as one more step.
Tensor everything(const Recurrent& r) {
    const auto step = [](const Tensor& state) { return reshape(state, {state.size(0), 1, state.size(1)}); };
    std::vector<Tensor> parts{r.y, step(r.h)};
    if (r.c.defined()) parts.push_back(step(r.c));
    return concat(parts, 1);
}

Tensor optional(const Golden& g, const char* name) { return g.has(name) ? g[name] : Tensor(); }
}  // namespace

TEST_CASE("recurrent: definition", "[ops][recurrent][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Kind kind = GENERATE(from_range(std::begin(kinds), std::end(kinds)));
    struct Case {
        Index batch, time, in, hidden;
    };
    const auto [batch, time, in, hidden] =
        GENERATE(Case{1, 1, 1, 1}, Case{2, 5, 3, 4}, Case{3, 4, 2, 129}, Case{129, 2, 1, 3}, Case{2, 40, 128, 2});
    CAPTURE(device, kind.name, batch, time, in, hidden);
    Generator random(1);
    const RecurrentWeights w = draw(random, kind.gates, in, hidden, device);
    const Tensor x = random.normal({batch, time, in}, 0, 1, device), h = random.normal({batch, hidden}, 0, 1, device),
                 c = random.normal({batch, hidden}, 0, 1, device);
    const double loose = (sizeof(Real) == 8 ? 10 : 30) * usual;
    CHECK(close(everything(kind.run(x, w, h, c)), oracle(kind, x, w, h, c), loose));
    const Tensor none = zeros({batch, hidden}, device);
    CHECK(close(everything(kind.run(x, w, Tensor(), Tensor())), oracle(kind, x, w, none, none), loose));
    // Views: time as the first axis in memory, and transposed weights.
    RecurrentWeights turned = w;
    turned.weight_hh = transpose(contiguous(transpose(w.weight_hh)));
    CHECK(close(everything(kind.run(transpose(contiguous(transpose(x, 0, 1)), 0, 1), turned, h, c)),
                oracle(kind, x, w, h, c), loose));
}

TEST_CASE("recurrent: agrees with PyTorch",
          "[ops][recurrent][golden][devices][row:sys-rnn/c][row:sys-lstm/e][row:sys-gru/d]") {
    for (const Kind& kind : kinds)
        check_golden(kind.name, [&](const Golden& g) {
            const RecurrentWeights w{g["weight_ih"], g["weight_hh"], optional(g, "bias_ih"), optional(g, "bias_hh")};
            return everything(kind.run(g["x"], w, optional(g, "h0"), optional(g, "c0")));
        });
}

TEST_CASE("recurrent: step by step is all at once", "[ops][recurrent][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Kind kind = GENERATE(from_range(std::begin(kinds), std::end(kinds)));
    CAPTURE(device, kind.name);
    Generator random(2);
    const RecurrentWeights w = draw(random, kind.gates, 3, 5, device);
    const Tensor x = random.normal({2, 4, 3}, 0, 1, device);
    const Recurrent whole = kind.run(x, w, Tensor(), Tensor());
    Tensor h, c;
    for (Index t = 0; t < 4; ++t) {
        const Recurrent step = kind.run(select(x, 1, t), w, h, c);
        h = step.h, c = step.c;
        CHECK(step.y.values() == h.values());
        CHECK(close(h, doubles(select(whole.y, 1, t))));
    }
    CHECK(close(h, doubles(whole.h)));
    if (c.defined()) CHECK(close(c, doubles(whole.c)));
}

TEST_CASE("recurrent: saturated gates keep the state", "[ops][recurrent][devices][row:sys-lstm/b][row:sys-gru/b]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(15);
    const Tensor x = random.normal({2, 6, 3}, 0, 1, device), h = random.normal({2, 4}, 0, 1, device),
                 c = random.normal({2, 4}, 0, 1, device);
    const auto weights = [&](Index gates, std::initializer_list<Real> biases) {
        std::vector<Tensor> parts;
        for (const Real b : biases) parts.push_back(full({4}, b, device));
        return RecurrentWeights{random.normal({gates * 4, 3}, 0, 1, device),
                                random.normal({gates * 4, 4}, 0, 1, device), concat(parts), Tensor()};
    };
    CHECK(same_bits(lstm(x, weights(4, {-1000, 1000, 0, 0}), h, c).c, c));
    CHECK(same_bits(gru(x, weights(3, {0, 1000, 0}), h).h, h));
}

TEST_CASE("recurrent: edges", "[ops][recurrent][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Kind kind = GENERATE(from_range(std::begin(kinds), std::end(kinds)));
    CAPTURE(device, kind.name);
    Generator random(3);
    const RecurrentWeights w = draw(random, kind.gates, 3, 2, device);
    const Tensor h = random.normal({2, 2}, 0, 1, device), none = empty({2, 0, 3}, device);
    const Recurrent still = kind.run(none, w, h, h);  // a sequence without steps changes nothing
    CHECK(still.y.shape() == Shape{2, 0, 2});
    CHECK(still.h.values() == h.values());
    CHECK(kind.run(empty({0, 4, 3}, device), w, Tensor(), Tensor()).h.shape() == Shape{0, 2});
    const RecurrentWeights thin{empty({0, 3}, device), empty({0, 0}, device), Tensor(), Tensor()};
    CHECK(kind.run(ones({2, 4, 3}, device), thin, Tensor(), Tensor()).y.shape() == Shape{2, 4, 0});
    Tensor odd = ones({1, 2, 3}, device);
    odd.set({0, 1, 0}, not_a_number);
    const Tensor y = kind.run(odd, w, Tensor(), Tensor()).y;
    CHECK_FALSE(std::isnan(y.at({0, 0, 1})));
    CHECK(std::isnan(y.at({0, 1, 1})));
}

TEST_CASE("lstm: with forget gate 1 and input gate 0 the cell is copied", "[ops][recurrent][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(4);
    RecurrentWeights w = draw(random, 4, 3, 2, device);
    w.bias_hh = Tensor({8}, {-1000, -1000, 1000, 1000, 0, 0, 0, 0}, device);
    const Tensor c = random.normal({3, 2}, 0, 1, device);
    CHECK(same_bits(lstm(random.normal({3, 50, 3}, 0, 1, device), w, Tensor(), c).c, c));
    w = draw(random, 3, 3, 2, device);  // also: a GRU's update gate of 1 keeps its state
    w.bias_hh = Tensor({6}, {0, 0, 1000, 1000, 0, 0}, device);
    CHECK(same_bits(gru(random.normal({3, 50, 3}, 0, 1, device), w, c).h, c));
}

TEST_CASE("recurrent: the same bits for any number of threads", "[ops][recurrent]") {
    const Kind kind = GENERATE(from_range(std::begin(kinds), std::end(kinds)));
    Generator random(5);
    const RecurrentWeights w = draw(random, kind.gates, 8, 100);
    const Tensor x = random.normal({90, 3, 8}), dy = random.normal({90, 3, 100});
    const int before = threads();
    std::vector<std::vector<Values>> found;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        RecurrentWeights v = w;
        v.weight_hh = clone(w.weight_hh).requires_grad_();
        const Tensor in = clone(x).requires_grad_(), y = kind.run(in, v, Tensor(), Tensor()).y;
        sum(y * dy).backward();
        found.push_back({y.values(), in.grad().values(), v.weight_hh.grad().values()});
    }
    set_threads(before);
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
}

namespace {
/// The gradients of all inputs, from all outputs.
[[maybe_unused]] void check_layer(const Kind& kind) {
    check_gradient(
        [&](const Inputs& x) {
            const bool bias = x.size() > 5;
            const RecurrentWeights w{x[1], x[2], bias ? x[5] : Tensor(), bias ? x[6] : Tensor()};
            return everything(kind.run(x[0], w, x[3], kind.gates == 4 ? x[4] : Tensor()));
        },
        [&](Generator& random) {
            const Index batch = random.next_integer(1, 3), time = random.next_integer(2, 4),
                        in = random.next_integer(1, 3), H = random.next_integer(2, 4);
            const RecurrentWeights w = draw(random, kind.gates, in, H);
            Inputs x{random.normal({batch, time, in}), w.weight_ih, w.weight_hh, random.normal({batch, H})};
            if (kind.gates == 4) x.push_back(random.normal({batch, H}));
            if (kind.gates == 4) x.push_back(w.bias_ih), x.push_back(w.bias_hh);
            return x;
        },
        16);
}
}  // namespace

GRADIENT_TEST("rnn", "[row:eq-rnn/b][row:sys-rnn/a]") { check_layer(kinds[0]); }
GRADIENT_TEST("lstm", "[row:eq-lstm/b][row:sys-lstm/a]") { check_layer(kinds[1]); }
GRADIENT_TEST("gru", "[row:sys-gru/a]") { check_layer(kinds[2]); }
GRADIENT_TEST("gru without its reset gate", "[row:eq-gated-rnn/c]") {
    check_gradient(
        [](const Inputs& x) {
            const Tensor open = full({3}, 1000, x[0].device()), biases = concat({open, x[4]});
            return everything(gru(x[0], {x[1], x[2], biases, Tensor()}, x[3]));
        },
        [](Generator& random) {
            const RecurrentWeights w = draw(random, 3, 2, 3);
            return Inputs{random.normal({2, 4, 2}), w.weight_ih, w.weight_hh, random.normal({2, 3}),
                          random.normal({6})};
        },
        16);
}

TEST_CASE("recurrent: messages", "[ops][recurrent]") {
    Generator random(6);
    const RecurrentWeights w = draw(random, 1, 3, 2);
    const Tensor x = ones({4, 5, 3});
    CHECK_THROWS_WITH(rnn(ones({3}), w), "rnn: wanted (batch, time, in) or (batch, in), got shape (3)");
    CHECK_THROWS_WITH(lstm(x, w), "lstm: wanted weights (4 hidden, hidden), got shape (2, 2)");
    CHECK_THROWS_WITH(rnn(ones({4, 5, 2}), w), "rnn: wanted input weights of shape (2, 2), got (2, 3)");
    CHECK_THROWS_WITH(rnn(x, {w.weight_ih, w.weight_hh, Tensor(), ones({3})}),
                      "rnn: wanted a bias of shape (2), got (3)");
    CHECK_THROWS_WITH(rnn(x, w, ones({5, 2})), "rnn: wanted a first state of shape (4, 2), got (5, 2)");
    CHECK_THROWS_WITH(rnn(x, w, ones({4, 2}, Device::sim)),
                      "rnn: wanted all on one device, got cpu and a first state on sim");
    CHECK_THROWS_WITH(rnn(x, {w.weight_ih, w.weight_hh, Tensor(), ones({2}, Device::sim)}),
                      "rnn: wanted all on one device, got cpu and weights on sim");
}
