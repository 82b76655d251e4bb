#include <recto/ops/sequences/attention.hpp>

#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
using Values = std::vector<Real>;

/// The mask of a setting, as in the file: numbers to add, or 1 where a query sees a key.
Tensor mask_of(const Golden& g) { return g.word("kind") == "added" ? g["mask"] : attention_mask(g.integers("mask")); }
AttentionOptions options_of(const Golden& g) {
    AttentionOptions options;
    options.causal = g.word("kind") == "causal" || g.word("kind") == "first";
    if (g.options.contains("first")) options.first = g.number("first");
    if (g.options.contains("scale")) options.scale = g.real("scale");
    if (g.has("lengths")) options.lengths = g.integers("lengths");
    if (g.has("mask")) options.mask = mask_of(g);
    return options;
}

/// The definition in double.
std::vector<double> oracle(const Tensor& q, const Tensor& k, const Tensor& v, bool causal,
                           const std::vector<Index>& lengths) {
    const std::size_t batch = std::size_t(q.size(0)), heads = std::size_t(q.size(1)), queries = std::size_t(q.size(2)),
                      keys = std::size_t(k.size(2)), d = std::size_t(q.size(3)), wide = std::size_t(v.size(3));
    const std::vector<double> a = doubles(q), b = doubles(k), c = doubles(v);
    std::vector<double> y;
    for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t i = 0; i < queries; ++i) {
                const std::size_t head = n * heads + h;
                std::vector<double> p, out(wide);
                double total = 0;
                for (std::size_t j = 0; j < keys; ++j) {
                    double dot = 0;
                    for (std::size_t e = 0; e < d; ++e)
                        dot += a[(head * queries + i) * d + e] * b[(head * keys + j) * d + e];
                    const bool seen = (!causal || j <= i) && (lengths.empty() || Index(j) < lengths[n]);
                    total += seen ? std::exp(dot / std::sqrt(double(d))) : 0;
                    p.push_back(seen ? std::exp(dot / std::sqrt(double(d))) : 0);
                }
                for (std::size_t j = 0; j < keys && total > 0; ++j)
                    for (std::size_t e = 0; e < wide; ++e) out[e] += p[j] / total * c[(head * keys + j) * wide + e];
                y.insert(y.end(), out.begin(), out.end());
            }
    return y;
}

/// The same numbers as heads within rows: (batch, time, heads, width) in memory.
Tensor inside_rows(const Tensor& x) { return transpose(contiguous(transpose(x, 1, 2)), 1, 2); }
/// The same numbers as every other column, which a product cannot read.
Tensor stepped(const Tensor& x) {
    const Tensor wide = full({x.size(0), x.size(1), x.size(2), 2 * x.size(3)}, not_a_number, x.device());
    const Tensor view = slice(wide, 3, 0, 2 * x.size(3), 2);
    Tensor(view).copy_(x);
    return view;
}
}  // namespace

TEST_CASE("attention: definition",
          "[ops][attention][devices][row:eq-4.1/c][row:eq-4.2/c][row:eq-attention-operator/d]"
          "[row:sys-attention-operator/c][row:sys-causal-mask/c]") {
    const Device device = GENERATE(from_range(devices()));
    struct Case {
        Index batch, heads, queries, keys, d, wide;
    };
    // One query, several blocks of queries, remainders; numbers of keys near the size of a team.
    const auto [batch, heads, queries, keys, d, wide] =
        GENERATE(Case{1, 1, 1, 1, 1, 1}, Case{2, 3, 5, 7, 4, 3}, Case{1, 2, 64, 64, 8, 8}, Case{2, 1, 65, 127, 3, 5},
                 Case{1, 1, 130, 128, 2, 2}, Case{1, 1, 2, 129, 16, 1});
    const bool causal = GENERATE(false, true), padded = GENERATE(false, true);
    CAPTURE(device, batch, heads, queries, keys, causal, padded);
    Generator random(1);
    const Tensor q = random.normal({batch, heads, queries, d}, 0, 1, device),
                 k = random.normal({batch, heads, keys, d}, 0, 1, device),
                 v = random.normal({batch, heads, keys, wide}, 0, 1, device);
    AttentionOptions options{.causal = causal};
    std::vector<Index> lengths;
    if (padded) {
        for (Index n = 0; n < batch; ++n) lengths.push_back(n == 0 ? keys / 2 : keys);
        options.lengths = Integers({batch}, lengths, device);
    }
    CHECK(close(attention(q, k, v, options), oracle(q, k, v, causal, lengths), 8 * usual));
    for (const auto& turn : {inside_rows, stepped})
        CHECK(close(attention(turn(q), turn(k), turn(v), options), oracle(q, k, v, causal, lengths), 8 * usual));
}

TEST_CASE("attention: agrees with PyTorch", "[ops][attention][golden][devices]") {
    check_golden("attention", [](const Golden& g) { return attention(g["q"], g["k"], g["v"], options_of(g)); });
}

TEST_CASE("self_attention: the same heads side by side", "[ops][attention][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool causal = GENERATE(false, true);
    const Index heads = GENERATE(1, 3), time = GENERATE(1, 6, 70);
    CAPTURE(device, causal, heads, time);
    const Index width = heads * 4;
    const Tensor qkv = Generator(2).normal({2, time, 3 * width}, 0, 1, device),
                 dy = Generator(3).normal({2, time, width}, 0, 1, device);
    const Tensor x = clone(qkv).requires_grad_(), z = clone(qkv).requires_grad_();
    const auto heads_of = [&](Index which) {
        return transpose(reshape(slice(z, 2, which * width, (which + 1) * width), {2, time, heads, 4}), 1, 2);
    };
    const Tensor got = self_attention(x, heads, {.causal = causal});
    const Tensor want = reshape(transpose(attention(heads_of(0), heads_of(1), heads_of(2), {.causal = causal}), 1, 2),
                                {2, time, width});
    CHECK(close(got, doubles(want), usual));
    sum(got * dy).backward();
    sum(want * dy).backward();
    CHECK(close(x.grad(), doubles(z.grad()), 4 * usual));
}

TEST_CASE("attention: who sees nothing gives 0, and so does the gradient", "[ops][attention][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(4);
    const Tensor q = random.normal({1, 1, 2, 3}, 0, 1, device).requires_grad_(),
                 k = random.normal({1, 1, 2, 3}, 0, 1, device).requires_grad_(),
                 v = random.normal({1, 1, 2, 3}, 0, 1, device).requires_grad_();
    const auto run = [&](const AttentionOptions& options) {
        for (const Tensor& t : {q, k, v}) t.zero_grad();
        const Tensor y = attention(q, k, v, options);
        sum(y * random.normal(y.shape(), 0, 1, device)).backward();
        return y.values();
    };
    // By a mask: query 1 sees no key, query 0 sees only key 0.
    Values y = run({.mask = attention_mask(Integers({2, 2}, {1, 0, 0, 0}, device))});
    const Values values = v.values();
    CHECK(y == Values{values[0], values[1], values[2], 0, 0, 0});
    CHECK(q.grad().values() == Values(6, 0));  // a single key has probability 1 for every query
    CHECK(k.grad().values() == Values(6, 0));
    CHECK(slice(v.grad(), 2, 1, 2).values() == Values(3, 0));
    // By a length of 0.
    y = run({.lengths = Integers({1}, {0}, device)});
    CHECK(y == Values(6, 0));
    for (const Tensor& t : {q, k, v}) CHECK(t.grad().values() == Values(6, 0));
    // Large scores neither overflow nor change the result; padding may contain anything.
    const Tensor big = full({1, 1, 1, 1}, 1000, device);
    const Tensor two = Tensor({1, 1, 2, 1}, {1000, 1000}, device);
    CHECK(attention(big, two, Tensor({1, 1, 2, 1}, {1, 3}, device)).item() == 2);
    const Tensor odd = Tensor({1, 1, 2, 1}, {1000, not_a_number}, device);
    CHECK(attention(big, odd, odd, {.lengths = Integers({1}, {1}, device)}).item() == 1000);
    CHECK(std::isnan(attention(big, odd, two).item()));
}

TEST_CASE("attention: empty tensors", "[ops][attention][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [&](const Shape& a, const Shape& b, const Shape& c) {
        const Tensor q = ones(a, device).requires_grad_(), k = ones(b, device).requires_grad_(),
                     v = ones(c, device).requires_grad_();
        const Tensor y = attention(q, k, v, {.causal = true});
        sum(y).backward();
        CHECK(q.grad().values() == Values(std::size_t(a.numel()), 0));
        CHECK(k.grad().values() == Values(std::size_t(b.numel()), 0));
        return y;
    };
    CHECK(run({0, 2, 3, 4}, {0, 2, 3, 4}, {0, 2, 3, 4}).shape() == Shape{0, 2, 3, 4});
    CHECK(run({1, 2, 0, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}).shape() == Shape{1, 2, 0, 4});
    CHECK(run({1, 1, 2, 1}, {1, 1, 0, 1}, {1, 1, 0, 2}).values() == Values(4, 0));
    CHECK(run({1, 1, 2, 0}, {1, 1, 2, 0}, {1, 1, 2, 1}).values() == Values(2, 1));  // all keys match equally
    CHECK(self_attention(ones({2, 0, 6}, device), 2).shape() == Shape{2, 0, 2});
}

TEST_CASE("attention: the same bits for any number of threads", "[ops][attention]") {
    Generator random(5);
    const Tensor q = random.normal({2, 3, 150, 16}), k = random.normal({2, 3, 150, 16}),
                 v = random.normal({2, 3, 150, 8});
    const Tensor dy = random.normal({2, 3, 150, 8});
    const int before = threads();
    std::vector<std::vector<Values>> found;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        const Tensor a = clone(q).requires_grad_(), b = clone(k).requires_grad_(), c = clone(v).requires_grad_();
        const Tensor y = attention(a, b, c, {.causal = true});
        sum(y * dy).backward();
        found.push_back({y.values(), a.grad().values(), b.grad().values(), c.grad().values()});
    }
    set_threads(before);
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
}

TEST_CASE("attention: only the gradients that are wanted", "[ops][attention][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(6);
    const auto draw = [&] { return random.normal({1, 2, 70, 3}, 0, 1, device); };
    const Tensor q = draw(), k = draw(), v = draw(), dy = draw();
    std::vector<Values> all;
    for (const int which : {7, 1, 2, 4}) {
        Tensor a = clone(q), b = clone(k), c = clone(v);
        if (which & 1) a.requires_grad_();
        if (which & 2) b.requires_grad_();
        if (which & 4) c.requires_grad_();
        sum(attention(a, b, c) * dy).backward();
        if (which == 7)
            all = {a.grad().values(), b.grad().values(), c.grad().values()};
        else
            CHECK((which == 1 ? a : which == 2 ? b : c).grad().values() == all[which == 1 ? 0 : which == 2 ? 1 : 2]);
    }
}

GRADIENT_TEST("attention", "[row:eq-attention-operator/b]") {
    const auto make = [](Generator& random) {
        const Index batch = random.next_integer(1, 3), heads = random.next_integer(1, 3);
        const Index queries = random.next_integer(2, 5), d = random.next_integer(1, 4);
        const Index keys = random.next_uniform() < 0.1 ? random.next_integer(127, 130) : random.next_integer(2, 6);
        const Index small = keys > 100 ? 1 : d;
        return Inputs{random.normal({keys > 100 ? 1 : batch, keys > 100 ? 1 : heads, queries, small}),
                      random.normal({keys > 100 ? 1 : batch, keys > 100 ? 1 : heads, keys, small}),
                      random.normal({keys > 100 ? 1 : batch, keys > 100 ? 1 : heads, keys, keys > 100 ? 1 : 2})};
    };
    check_gradient([](const Inputs& x) { return attention(x[0], x[1], x[2]); }, make, 24);
    check_gradient([](const Inputs& x) { return attention(x[0], x[1], x[2], {.causal = true, .first = 1}); }, make, 24);
    check_gradient(
        [](const Inputs& x) {
            const Index batch = x[0].size(0), keys = x[1].size(2);
            const Device device = x[0].device();
            std::vector<Index> lengths(std::size_t(batch), keys - 1);
            return attention(x[0], x[1], x[2],
                             {.lengths = Integers({batch}, lengths, device),
                              .mask = Generator(9).normal({x[0].size(2), keys}, 0, 1, device),
                              .scale = 0.7});
        },
        make, 24);
    // A learned bias: for every position, and for every head and key.
    check_gradient([](const Inputs& x) { return attention(x[0], x[1], x[2], {.causal = true, .mask = x[3]}); },
                   [](Generator& random) {
                       const Index queries = random.next_integer(2, 5), keys = random.next_integer(2, 6);
                       const Shape bias = random.next_uniform() < 0.5 ? Shape{queries, keys} : Shape{2, 1, keys};
                       return Inputs{random.normal({2, 2, queries, 3}), random.normal({2, 2, keys, 3}),
                                     random.normal({2, 2, keys, 2}), random.normal(bias)};
                   },
                   24);
}

GRADIENT_TEST("self_attention") {
    check_gradient([](const Inputs& x) { return self_attention(x[0], 2, {.causal = x[0].size(1) % 2 == 0}); },
                   [](Generator& random) {
                       return Inputs{random.normal({random.next_integer(1, 3), random.next_integer(2, 6), 12})};
                   });
    check_gradient([](const Inputs& x) { return self_attention(x[0], 1, {.mask = x[1]}); },
                   [](Generator& random) {
                       const Index time = random.next_integer(2, 5);
                       return Inputs{random.normal({2, time, 6}), random.normal({time, time})};
                   },
                   16);
}

TEST_CASE("attention: messages", "[ops][attention][row:sys-attention-operator/b]") {
    const Tensor x = ones({2, 1, 3, 4});
    CHECK_THROWS_WITH(attention(x, x, ones({3, 4})),
                      "attention: wanted queries, keys and values (batch, heads, time, width), got shapes "
                      "(2, 1, 3, 4), (2, 1, 3, 4) and (3, 4)");
    CHECK_THROWS_WITH(attention(x, ones({2, 1, 3, 5}), x),
                      "attention: wanted keys of the width of queries and a value for every key, got shapes "
                      "(2, 1, 3, 4), (2, 1, 3, 5) and (2, 1, 3, 4)");
    CHECK_THROWS_WITH(attention(x, x, ones({2, 1, 3, 4}, Device::sim)),
                      "attention: wanted all on one device, got cpu, cpu and sim");
    CHECK_THROWS_WITH(attention(x, x, x, {.causal = true, .first = -1}),
                      "attention: wanted a first query at 0 or later, got -1");
    CHECK_THROWS_WITH(attention(x, x, x, {.scale = not_a_number}), "attention: wanted a finite scale, got nan");
    CHECK_THROWS_WITH(attention(x, x, x, {.scale = double(infinity)}), "attention: wanted a finite scale, got inf");
    CHECK_THROWS_WITH(attention(x, x, x, {.lengths = Integers({2}, {3, -1})}),
                      "attention: wanted lengths from 0 to 3 keys, got -1");
    CHECK_THROWS_WITH(attention(x, x, x, {.mask = ones({3, 4})}),
                      "attention: shapes (3, 4) and (2, 1, 3, 3) do not stretch to one another");
    CHECK_THROWS_WITH(attention(x, x, x, {.mask = ones({1, 2, 1, 3, 3})}),
                      "attention: wanted a mask that stretches to (2, 1, 3, 3), got shape (1, 2, 1, 3, 3)");
    CHECK_THROWS_WITH(attention(x, x, x, {.mask = ones({3, 3}, Device::sim)}),
                      "attention: wanted all on one device, got cpu and a mask on sim");
    CHECK_THROWS_WITH(attention(x, x, x, {.lengths = Integers({1}, {3})}),
                      "attention: wanted lengths of shape (2), got (1)");
    CHECK_THROWS_WITH(attention(x, x, x, {.lengths = Integers({2}, {3, 4})}),
                      "attention: wanted lengths from 0 to 3 keys, got 4");
    CHECK_THROWS_WITH(self_attention(ones({2, 3}), 1),
                      "self_attention: wanted (batch, time, 3 width), got shape (2, 3)");
    CHECK_THROWS_WITH(self_attention(ones({2, 3, 12}), 3),
                      "self_attention: wanted rows of queries, keys and values for 3 heads, got shape (2, 3, 12)");
    CHECK_THROWS_WITH(self_attention(ones({2, 3, 12}), 0),
                      "self_attention: wanted rows of queries, keys and values for 0 heads, got shape (2, 3, 12)");
}

TEST_CASE("attention: a key or a value that a causal query does not see makes no difference to it",
          "[ops][attention][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Real bad = GENERATE(not_a_number, infinity);
    Generator random(1);
    const Index time = GENERATE(5, 70);
    Tensor q = random.normal({2, 2, time, 3}, 0, 1, device), k = random.normal({2, 2, time, 3}, 0, 1, device),
           v = random.normal({2, 2, time, 3}, 0, 1, device);
    const Tensor right = attention(q, k, v, {.causal = true});
    for (const Index sample : {0, 1})
        for (const Index j : {0, 1, 2}) v.set({sample, 1, time - 1, j}, bad), k.set({sample, 1, time - 1, j}, bad);
    const Tensor y = attention(q, k, v, {.causal = true});
    CHECK(close(slice(y, 2, 0, time - 1), doubles(slice(right, 2, 0, time - 1))));
    CHECK(is_nan(y.at({0, 1, time - 1, 0})));
    CHECK(same_bits(select(y, 1, 0), select(right, 1, 0)));
}

TEST_CASE("attention: keys after a single query, which sees those before it", "[ops][attention][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const Tensor q = random.normal({1, 2, 1, 3}, 0, 1, device), k = random.normal({1, 2, 5, 3}, 0, 1, device);
    Tensor v = random.normal({1, 2, 5, 3}, 0, 1, device);
    const Tensor right = attention(q, k, v, {.causal = true, .first = 2});
    for (const Index j : {0, 1, 2}) v.set({0, 1, 4, j}, not_a_number);
    CHECK(close(attention(q, k, v, {.causal = true, .first = 2}), doubles(right)));
}
