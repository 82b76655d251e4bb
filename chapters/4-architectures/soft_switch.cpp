// # Attention weights: a switch that learns
//
// ```{rows} eq-attention-switch eq-attention-weights-sum claim-attention-sqrt-d fig-001-set-attention claim-multihead-assembles
// ```
//
// A transistor lets one signal decide whether another one passes. Most layers of a network have no such part: the same
// weights multiply whatever arrives. **Attention** is a switch. Its weights are computed from the data, so the data
// decide which of several inputs is passed on. An earlier page described attention as a
// [lookup](../components/attention.cpp). This page builds it once more from below: a switch between two inputs, then
// between many, and then several switches side by side. {numref}`fig-switch` shows the smallest one. Move the slider:
// where does a soft switch become a hard one?
//
// ```{opening} fig-switch
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Figure, figure::Names;

const book::Option<double> score("score", 2, "score of the switch",
                                 {.least = -8.0, .most = 8.0});
const book::Option<Index> queries("queries", 600, "random queries for each size",
                                  {.quick = 50, .least = 10, .most = 100'000});
const book::Option<Index> passes(
    "steps", 500, "training steps of the networks with one and two heads",
    {.quick = 20, .least = 10, .most = 100'000});
const book::Option<int> seeds("seeds", 5, "random draws of every experiment",
                              {.quick = 2, .least = 1, .most = 50});

Generator generator(int draw) { return Generator(book::seed() + std::uint64_t(draw)); }
std::vector<double> numbers(const Tensor& x) {
    const std::vector<Real> all = x.values();
    return {all.begin(), all.end()};
}
double sigma(double z) { return 1 / (1 + std::exp(-z)); }
//-

//- how the figure is drawn
void one_switch() {
    std::vector<double> scores, curve, time, a, b;
    for (double z = -8; z <= 8; z += 0.25)
        scores.push_back(z), curve.push_back(sigma(z));
    for (int t = 0; t <= 120; ++t) {
        time.push_back(t / 120.0);
        a.push_back(std::sin(12 * time.back()));
        b.push_back(t / 15 % 2 == 0 ? 0.8 : -0.8);
    }
    std::vector<double> stops;
    for (int z = -8; z <= 8; z += 2) stops.push_back(z);
    stops = figure::settings(score, stops);
    Figure figure("fig-switch");
    figure
        .describe(
            "Two panels. Left: the S-shaped curve of the sigmoid, with a dot at the "
            "score that the slider sets. Right: a wave, a square signal, and their "
            "mixture, which follows the wave at a large score and the square signal "
            "at a very negative one.")
        .slider(score, stops, "score of the switch")
        .panel("the switch")
        .xlim(-8, 8)
        .ylim(-0.05, 1.05)
        .line("", scores, curve, {.color = figure::grey})
        .x("score")
        .y("switch α");
    for (const double z : stops)
        figure.at(z).dots("", std::vector<double>{z}, std::vector<double>{sigma(z)},
                          {.color = figure::red});
    figure.always()
        .panel("two inputs and the output")
        .ylim(-1.2, 1.2)
        .line("a", time, a, {.color = figure::blue, .opacity = 0.5})
        .line("b", time, b, {.color = figure::ochre, .opacity = 0.5})
        .x("time")
        .y("signal");
    for (const double z : stops) {
        std::vector<double> mixed;
        for (std::size_t i = 0; i < a.size(); ++i)
            mixed.push_back(sigma(z) * a[i] + (1 - sigma(z)) * b[i]);
        figure.at(z).line("output", time, mixed,
                          {.color = figure::red, .dash = figure::solid});
    }
    figure.always().save(
        "A switch between two signals. The score is turned into a number $\\alpha$ "
        "between 0 and 1, and the output is a mixture of both signals. From a score of "
        "6 on, hardly anything of the other signal is left.");
}
//-

// ## A switch between two inputs
//
// Let two inputs be $a = 10$ and $b = 20$, and let $\alpha = 0.75$. The output is $0.75 \cdot 10 + 0.25 \cdot 20 =
// 12.5$. With $\alpha = 1$ the output is $a$, with $\alpha = 0$ it is $b$. In general,
//
// ```{equation} eq-attention-switch
// :function: Switch
// g = \alpha\, a + (1 - \alpha)\, b, \qquad w_a + w_b = 1
// ```
//
// with the weights $w_a = \alpha$ and $w_b = 1 - \alpha$. Nothing is new so far: this is a weighted mean. But $\alpha$
// is not a parameter. It is computed from a **context** $c$, which comes from the data as well: a linear layer gives a
// score, and the sigmoid turns it into a number between 0 and 1:
struct Switch {
    nn::Linear score;
    Tensor alpha(const Tensor& c) const { return sigmoid(score(c)); }
    Tensor operator()(const Tensor& c, const Tensor& a, const Tensor& b) const {
        const Tensor open = alpha(c);
        return open * a + (1 - open) * b;
    }
    void visit(auto&& part) { part("score", score); }
};

// Multiplication makes it a switch. In a sum of $a$ and $c$ the context could only shift the output. Here it changes
// how strongly $a$ counts. And everything is differentiable, so the switch can learn when to open. We let it see a
// context of four random signs and two random streams of numbers. The wanted output is $a$ where the first sign is
// positive, and else $b$. The other three signs do not matter, and nothing tells the network which sign does.
//- the training, and what is checked
struct Streams {
    Tensor c, a, b, wanted;  // a row for each moment
};
Streams draw(Index count, Generator& random) {
    Streams s{zeros({count, 4}), random.normal({count, 1}), random.normal({count, 1}),
              zeros({count, 1})};
    for (Index n = 0; n < count; ++n) {
        for (Index i = 0; i < 4; ++i)
            s.c.set({n, i}, random.next_uniform() < 0.5 ? -1 : 1);
        s.wanted.set({n, 0}, (s.c.at({n, 0}) > 0 ? s.a : s.b).at({n, 0}));
    }
    return s;
}

// The largest relative difference of a gradient from central differences.
double gradient_error(const Switch& net, const Streams& s) {
    const auto loss = [&] { return mse_loss(net(s.c, s.a, s.b), s.wanted); };
    loss().backward();
    double worst = 0;
    for (const NamedTensor& p : nn::parameters(net)) {
        const std::vector<Real> before = p.tensor.values(),
                                slopes = p.tensor.grad().values();
        const auto loss_at = [&](std::size_t i, Real step) {
            std::vector<Real> moved = before;
            moved[i] += step;
            p.tensor.detach().copy_(Tensor(p.tensor.shape(), moved));
            return double(loss().item());
        };
        for (std::size_t i = 0; i < before.size(); ++i) {
            const double h = 1e-5, exact = double(slopes[i]),
                         numeric =
                             (loss_at(i, Real(h)) - loss_at(i, Real(-h))) / (2 * h);
            worst = std::max(worst, std::abs(exact - numeric) /
                                        std::max(std::abs(exact), std::abs(numeric)));
        }
        p.tensor.detach().copy_(Tensor(p.tensor.shape(), before));
    }
    return worst;
}

void learned_switch() {
    Generator random(book::seed());
    const Switch net{nn::Linear(4, 1, random)};
    claim("eq-attention-switch/c",
          "the gradient of the switch against central differences, relative error",
          gradient_error(net, draw(64, random)), "<=", 1e-6);
    optim::Adam adam(nn::parameters(net), {.lr = 0.1, .betas = {0.9, 0.99}});
    for (int step = 0; step < 4000; ++step) {
        const Streams s = draw(64, random);
        optim::train_step(adam, [&] { return mse_loss(net(s.c, s.a, s.b), s.wanted); });
    }
    const NoGrad only_asking;
    const Streams s = draw(1000, random);
    const std::vector<double> open = numbers(net.alpha(s.c)),
                              w = numbers(net.score.weight);
    const auto [low, high] = std::ranges::minmax(open);
    book::claim_in("eq-attention-switch/a", "the switch, lowest of 1,000 contexts", low,
                   0, 1);
    book::claim_in("eq-attention-switch/a", "the switch, highest of 1,000 contexts",
                   high, 0, 1);
    claim("eq-attention-switch/b",
          "output minus the input that should pass, largest of 1,000 moments",
          max(abs(net(s.c, s.a, s.b) - s.wanted)).item(), "<=", 1e-3);
    say("weights of the four signs after training: {:.1f}, {:.1f}, {:.1f}, {:.1f}",
        w[0], w[1], w[2], w[3]);
}
//-

// The switch has found the sign that matters. Its weight has grown until $\alpha$ is nearly 0 or 1, and the other
// weights are near zero. A switch that starts half open has a gradient everywhere. A hard switch would have none.
//
// ## A switch between many inputs
//
// Now let there be many inputs, the **values** $v_1, \dots, v_n$. Each has a **key** $K_i$, and the context is the
// **query** $Q$. The score of an input is the dot product $Q \cdot K_i$, and the softmax turns all scores into weights.
// Take the scores 2, 0 and 0. Their exponentials are 7.39, 1 and 1, so the weights are 0.787, 0.107 and 0.107. The
// output is
//
// ```{equation} eq-attention-weights-sum
// :function: recto::attention
// :test: attention: definition
// g = \sum_i w_i\, v_i, \qquad w_i \ge 0, \quad \sum_i w_i = 1, \qquad
// w = \operatorname{softmax}(Q \cdot K_i)
// ```
//
// In code, with a key and a value in each row:
Tensor weights_of(const Tensor& query, const Tensor& keys) {
    return softmax(
        reshape(matmul(keys, reshape(query, {keys.size(1), 1})), {keys.size(0)}));
}
Tensor passed(const Tensor& query, const Tensor& keys, const Tensor& values) {
    return matmul(reshape(weights_of(query, keys), {1, keys.size(0)}), values);
}

// With two inputs this is the switch from above. The softmax of two scores depends on their difference alone, and
// $w_1 = \sigma(Q \cdot K_1 - Q \cdot K_2)$.
//- what is checked
void many_inputs() {
    Generator random(book::seed());
    const Index n = 12, d = 5;
    double sums = 0, lowest = 1, apart = 0, two = 0;
    Index elsewhere = 0;
    for (int trial = 0; trial < 200; ++trial) {
        Tensor keys = random.normal({n, d});
        keys = keys / sqrt(sum(square(keys), {1}, Keep::yes));
        const Tensor query = random.normal({d}) * 3, values = random.normal({n, 3}),
                     w = weights_of(query, keys);
        sums = std::max(sums, std::abs(double(sum(w).item()) - 1));
        const std::vector<double> each = numbers(w),
                                  far = numbers(sum(square(keys - query), {1}));
        lowest = std::min(lowest, std::ranges::min(each));
        elsewhere += std::ranges::max_element(each) - each.begin() !=
                     std::ranges::min_element(far) - far.begin();
        const Tensor whole =
            attention(reshape(query, {1, 1, 1, d}), reshape(keys, {1, 1, n, d}),
                      reshape(values, {1, 1, n, 3}), {.scale = 1});
        apart = std::max(
            apart,
            double(
                max(abs(reshape(whole, {1, 3}) - passed(query, keys, values))).item()));
        const std::vector<double> pair =
                                      numbers(weights_of(query, slice(keys, 0, 0, 2))),
                                  s = numbers(matmul(keys, reshape(query, {d, 1})));
        two = std::max(two, std::abs(pair[0] - sigma(s[0] - s[1])));
    }
    claim("eq-attention-weights-sum/a", "the smallest weight for any of 200 queries",
          lowest, ">=", 0);
    claim("eq-attention-weights-sum/a",
          "the sum of the weights, largest deviation from 1", sums, "<=", 1e-6);
    claim("eq-attention-weights-sum/b",
          "queries whose largest weight is not at the nearest of 12 keys of length 1",
          elsewhere, "==", 0);
    claim("eq-attention-weights-sum/c",
          "the sum against the attention operator, largest difference", apart,
          "<=", 1e-6);
    claim("", "two keys: the first weight against the sigmoid, largest difference", two,
          "<=", 1e-12);
}
//-

// ## How hard the switch is
//
// The scores decide how hard a switch is, and their size grows with the size $d$ of the vectors. A dot product of two
// random vectors is a sum of $d$ products. If they are independent and each has a variance of 1, the sum has a variance
// of $d$. The same argument stands behind [initialisation](../components/initialisation.cpp), and the remedy is the
// same: divide the scores by $\sqrt d$. How hard is a switch without it? The **entropy** of the weights, $-\sum_i w_i
// \log w_i$, is $\log n$ for $n$ equal weights and zero for a single weight of 1. {numref}`fig-root` shows it for 128
// random keys.
//- random queries and keys, and how the figure is drawn
// What 128 keys do to a softmax: with the scores divided by the root (0), and as they are (1).
struct Hardness {
    double variance = 0;                    // of a score, as it is
    double entropy[2] = {}, norm[2] = {};   // means over the queries
    double middle[2] = {}, single[2] = {};  // medians over the queries
    std::vector<double> scores;             // some of them, as they are
};
Hardness hardness(Index d, Generator& random) {
    const Index n = 128,
                trials = std::max<Index>(10, std::min(queries(), 256 * queries() / d));
    Hardness found;
    std::vector<double> norms[2], singles[2];
    double total = 0, squares = 0;
    for (Index trial = 0; trial < trials; ++trial) {
        const Tensor q = random.normal({d}), keys = random.normal({n, d}),
                     scores = reshape(matmul(keys, reshape(q, {d, 1})), {n});
        for (const double s : numbers(scores)) total += s, squares += s * s;
        if (trial < 100)
            for (const double s : numbers(scores)) found.scores.push_back(s);
        for (const int without : {0, 1}) {
            const std::vector<double> w =
                numbers(without ? weights_of(q, keys)
                                : weights_of(q / std::sqrt(double(d)), keys));
            double two = 0, three = 0;
            for (const double p : w) {
                if (p > 0) found.entropy[without] -= p * std::log(p) / double(trials);
                two += p * p, three += p * p * p;
            }
            // the root of the sum of the squares of w_i (δ_ij − w_j)
            norms[without].push_back(
                std::sqrt(std::max(0.0, two - 2 * three + two * two)));
            found.norm[without] += norms[without].back() / double(trials);
            singles[without].push_back(w[0] * (1 - w[0]));
        }
    }
    const double mean = total / double(trials * n);
    found.variance = squares / double(trials * n) - mean * mean;
    for (const int without : {0, 1}) {
        found.middle[without] = book::median(norms[without]);
        found.single[without] = book::median(singles[without]);
    }
    return found;
}

std::vector<double> histogram(const std::vector<double>& x,
                              const std::vector<double>& centres) {
    std::vector<double> share(centres.size());
    const double width = centres[1] - centres[0];
    for (const double v : x) {
        const double bin = std::floor((v - centres[0]) / width + 0.5);
        if (bin >= 0 && bin < double(centres.size()))
            share[std::size_t(bin)] += 100 / double(x.size());
    }
    return share;
}

void the_root() {
    const std::vector<double> sizes = {4, 16, 64, 256, 1024};
    std::vector<std::vector<Hardness>>
        all;  // a row for each size, a column for each draw
    for (const double d : sizes) {
        all.emplace_back();
        for (int draw = 0; draw < seeds(); ++draw) {
            Generator random = generator(1000 * int(d) + draw);
            all.back().push_back(hardness(Index(d), random));
        }
    }
    const auto of = [&](std::size_t size, const auto& what) {
        std::vector<double> found;
        for (const Hardness& one : all[size]) found.push_back(what(one));
        return found;
    };
    const std::vector<double> ratio =
        of(3, [](const Hardness& h) { return h.norm[0] / h.norm[1]; });
    const double usual = book::median(ratio);
    ask("At d = 256 without the root, a single weight takes nearly everything. How "
        "large "
        "is the gradient that passes through the softmax, averaged over random "
        "queries, "
        "compared with scores divided by the root?",
        {{"Less than a fifth: the softmax is saturated.", usual > 5,
          "It is saturated for most queries. But for some queries two keys nearly tie, "
          "and their gradients are large. The mean counts them."},
         {"About the same.", usual <= 5 && usual > 0.67,
          "Most queries pass hardly anything. The few whose best two keys nearly tie "
          "pass much more, and make up for it in the mean."},
         {"Larger: the scores are larger.", usual <= 0.67,
          "At d = 16 it is larger. At d = 256 the saturated queries outweigh that."}});

    std::vector<double> centres;
    for (double x = -48; x <= 48; x += 1.5) centres.push_back(x);
    Figure figure("fig-root");
    figure
        .describe(
            "Left: histograms of scores, wider and lower for d = 16, 64 and 256. "
            "Right: "
            "the mean entropy of the weights against d. With the root it stays at 4.4, "
            "just below the largest possible 4.85. Without the root it falls from 3.4 "
            "to nearly zero.")
        .panel("scores without the root")
        .xlim(-48, 48)
        .x("score")
        .y("share of the scores, %");
    const figure::Color colors[] = {figure::ochre, figure::plum, figure::red};
    for (const std::size_t size : {1, 2, 3})
        figure.line(fmt::format("d = {}", sizes[size]), centres,
                    histogram(all[size][0].scores, centres),
                    {.color = colors[size - 1]});
    figure.panel("entropy of the weights")
        .log_x()
        .ylim(0, 5)
        .x("d")
        .y("mean entropy, nats");
    for (const int without : {0, 1}) {
        std::vector<double> middle, low, high;
        for (std::size_t size = 0; size < sizes.size(); ++size) {
            const std::vector<double> one =
                of(size, [&](const Hardness& h) { return h.entropy[without]; });
            middle.push_back(book::median(one));
            low.push_back(std::ranges::min(one)), high.push_back(std::ranges::max(one));
        }
        const figure::Color color = without ? figure::red : figure::blue;
        figure.band("", sizes, low, high, {.color = color});
        figure.line(without ? "without the root" : "with the root", sizes, middle,
                    {.color = color, .points = true});
    }
    figure.rule_y(std::log(128.0), "128 equal weights", {.color = figure::grey})
        .save(
            "Scores of random queries and keys, and the entropy of the weights over "
            "128 "
            "keys. Without the root, larger vectors make a harder switch. With the "
            "root "
            "the entropy does not depend on the size.");
    book::shows("claim-attention-sqrt-d/a", "fig-root");

    std::vector<double> variance(all[0].size()), raw = variance, scaled = variance;
    const double expected[] = {1.62, 0.66, 0.31};
    for (const std::size_t size : {1, 2, 3})
        for (std::size_t draw = 0; draw < all[size].size(); ++draw) {
            const Hardness& h = all[size][draw];
            const auto raise = [&](double& most, double by) {
                most = std::max(most, std::abs(by));
            };
            raise(variance[draw], h.variance / sizes[size] - 1);
            raise(raw[draw], h.entropy[1] - expected[size - 1]);
            raise(scaled[draw], h.entropy[0] - 4.36);
        }
    claim(
        "claim-attention-sqrt-d/b",
        "the variance of a score over d, largest deviation from 1 for d = 16, 64, 256",
        over_seeds(variance), "<=", 0.03);
    claim("claim-attention-sqrt-d/c",
          "entropy without the root, largest deviation from 1.62, 0.66 and 0.31 nats",
          over_seeds(raw), "<=", 0.1);
    claim("claim-attention-sqrt-d/d",
          "entropy with the root, largest deviation from 4.36 nats", over_seeds(scaled),
          "<=", 0.1);
    const auto mean_of = [&](std::size_t size) {
        return book::median(
            of(size, [](const Hardness& h) { return h.norm[0] / h.norm[1]; }));
    };
    const auto median_of = [&](std::size_t size) {
        return book::median(
            of(size, [](const Hardness& h) { return h.middle[0] / h.middle[1]; }));
    };
    for (const std::size_t size : {1, 3, 4})
        say("d = {}: norm with the root over that without: mean {:.2f}, median {:.3g}; "
            "derivative of one weight by its score, median: {:.1e} with the root, "
            "{:.1e} without",
            sizes[size], mean_of(size), median_of(size),
            book::median(of(size, [](const Hardness& h) { return h.single[0]; })),
            book::median(of(size, [](const Hardness& h) { return h.single[1]; })));
    book::not_reproduced(
        "claim-attention-sqrt-d/e",
        "the mean norm of the gradient through the softmax at d = 256, with the root "
        "over "
        "that without",
        over_seeds(ratio), ">=", 5,
        fmt::format(
            "the median over queries in place of the mean, which gives {:.1f}; d = "
            "1,024, where the mean gives {:.1f} and the median {:.0f}; d = 16, where "
            "the mean gives {:.2f} and the median {:.2f}",
            median_of(3), mean_of(4), median_of(4), mean_of(1), median_of(1)));
}
//-

// The numbers at $d = 256$ are printed above. {cite:t}`vaswani2017` suspected that large scores saturate the softmax
// and make its gradient small. We measured the norm of the softmax's Jacobian, whose entries are $w_i (\delta_{ij} -
// w_j)$, and expected a fifth or less. The verdict depends on the average. With the median over the queries the factor
// is 4.6, close to the five that we expected; with the mean it is 1. And the derivative of a single typical weight
// falls to nothing. So the gradient does not vanish, it concentrates: a few queries and a few keys receive nearly all
// of it. With the root all keys receive some, and can learn.
//
// ## A set of tokens
//
// In **self-attention** each member of a set sends a query to all members. A member is called a **token**. Three tokens
// give a matrix of $3 \times 3$ weights. Each of its rows is one switch, and averages the three values. Several
// switches may work side by side, each with its own queries, keys and values. They are called
// [heads](../components/multi_head.cpp). {numref}`fig-001-set-attention` shows three tokens and two heads.
//- how the figure is drawn: the page cuts the layer's matrices into heads, and compares the result with the layer
void set_of_tokens() {
    Generator random(book::seed());
    const Index n = 3, width = 4, inner = 2;
    nn::MultiHeadAttention layer(width, 2, random);
    const NoGrad only_asking;
    const Tensor x = random.normal({1, n, width}) * 2,
                 all = linear(x, layer.in_proj_weight, layer.in_proj_bias);
    const auto part = [&](Index which, Index head) {  // 0 queries, 1 keys, 2 values
        const Index at = which * width + head * inner;
        return reshape(slice(all, 2, at, at + inner), {1, 1, n, inner});
    };
    Tensor identity = zeros({1, 1, n, n});
    for (Index i = 0; i < n; ++i) identity.set({0, 0, i, i}, 1);
    const Names tokens = {"1", "2", "3"}, parts = {"1", "2"};
    Figure figure("fig-001-set-attention");
    figure.describe(
        "Four matrices. Above, three by three weights of the first and the second "
        "head; "
        "each row sums to one. Below, the two numbers that each of the three tokens "
        "receives from the first and from the second head.");
    std::vector<Tensor> results;
    double sums = 0;
    for (const Index head : {0, 1}) {
        const Tensor weights = attention(part(0, head), part(1, head), identity);
        results.push_back(reshape(
            attention(part(0, head), part(1, head), part(2, head)), {1, n, inner}));
        sums = std::max(sums, double(max(abs(sum(weights, {3}) - 1)).item()));
        figure.panel(fmt::format("weights of head {}", head + 1))
            .heatmap("", tokens, tokens, weights.values(), 0, 1)
            .x("key")
            .y("query");
    }
    for (const std::size_t head : {0, 1})
        figure.panel(fmt::format("updated values of head {}", head + 1))
            .tall(180)
            .heatmap("", parts, tokens, results[head].values(), -2, 2)
            .x("component")
            .y("token");
    figure.save(
        "A set of three tokens under two heads, from a layer that ran. Above, the "
        "similarity of each query with each key, after the softmax. Below, the "
        "averages "
        "of the values with these weights. The layer puts both heads side by side, so "
        "each token receives four numbers.");
    book::shows("fig-001-set-attention/a", "fig-001-set-attention");
    claim("fig-001-set-attention/b", "the sum of a row, largest deviation from 1", sums,
          "<=", 1e-6);
    const Tensor exchanged =
        index_rows(reshape(x, {n, width}), Integers({n}, {1, 0, 2}));
    claim("",
          "tokens 1 and 2 exchanged: the largest difference from the exchanged results",
          max(abs(layer(reshape(exchanged, {1, n, width})) -
                  reshape(index_rows(reshape(layer(x), {n, width}),
                                     Integers({n}, {1, 0, 2})),
                          {1, n, width})))
              .item(),
          "<=", 1e-12);
    Tensor unchanged = zeros({width, width});
    for (Index i = 0; i < width; ++i) unchanged.set({i, i}, 1);
    layer.out_proj.weight =
        unchanged;  // so that the layer returns what its last matrix reads
    claim_true(
        "fig-001-set-attention/c",
        "both heads side by side are what the layer's last matrix reads, bit for bit",
        concat(results, 2).values() == layer(x).values());
}
//-

// A set has no order. If you exchange two tokens, their results are exchanged, and all numbers stay the same.
//
// ## Two switches put parts together
//
// Why several heads? A switch passes a mean, and some answers are not a mean. Let a table hold six pairs of a key and a
// value, and let a question name *two* keys. The answer consists of the two values, in the order of the question. One
// head can look at both places, and returns a mixture of two values. Two heads can look at one place each, and the
// values stand side by side. The network is one layer of attention and a linear layer, an `Mlp` without hidden units:
constexpr Index symbols = 8, pairs = 6, wide = 2 * symbols;
struct Reader {
    nn::MultiHeadAttention attention;
    nn::Mlp answer;  // scores of both values
    Tensor operator()(const Tensor& question, const Tensor& table) const {
        const Tensor read = answer(attention(question, table));
        return reshape(read, {2 * question.size(0), symbols});
    }
    void visit(auto&& part) { part("attention", attention), part("answer", answer); }
};

// Both networks have the same number of weights: one head with vectors of 16 numbers, or two heads with vectors of 8.
// Both are trained with three learning rates, five times each. A third network has one head, and 64 hidden units with a
// ReLU behind it.
//- the task, a training, and how the figure is drawn
struct Task {
    Tensor question, table;  // (batch, 1, wide) and (batch, pairs, wide)
    Integers answers;        // two for each question
};
Task draw_task(Index batch, Generator& random) {
    Tensor question = zeros({batch, 1, wide}), table = zeros({batch, pairs, wide});
    std::vector<Index> answers;
    for (Index b = 0; b < batch; ++b) {
        const std::vector<Index> keys = random.permutation(symbols),
                                 asked = random.permutation(pairs);
        std::vector<Index> values;
        for (Index i = 0; i < pairs; ++i) {
            values.push_back(random.next_integer(0, symbols));
            table.set({b, i, keys[std::size_t(i)]}, 1);
            table.set({b, i, symbols + values.back()}, 1);
        }
        for (const Index which : {0, 1}) {
            const std::size_t place = std::size_t(asked[std::size_t(which)]);
            question.set({b, 0, which * symbols + keys[place]}, 1);
            answers.push_back(values[place]);
        }
    }
    return {question, table, Integers({2 * batch}, answers)};
}

struct Share {
    double single = 0, both = 0;  // of right values, and of questions with both right
};
Share share_right(const Reader& net, const Task& task) {
    const NoGrad only_asking;
    const auto said = argmax(net(task.question, task.table)).values(),
               right = task.answers.values();
    Share found;
    for (std::size_t i = 0; i < said.size(); i += 2) {
        const double first = said[i] == right[i], second = said[i + 1] == right[i + 1];
        found.single += first + second;
        found.both += 2 * first * second;
    }
    return {found.single / double(said.size()), found.both / double(said.size())};
}

struct Trained {
    std::vector<double> curve;  // share of questions with both values right, on the way
    Share chosen_by, judged;
};
Trained train(Index heads, const std::vector<Index>& sizes, double rate, int draw) {
    Generator random = generator(100 + draw);
    const Reader net{nn::MultiHeadAttention(wide, heads, random),
                     nn::Mlp(sizes, relu, random)};
    const Task on_the_way = draw_task(500, random);
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    Trained found;
    for (Index step = 0; step < passes(); ++step) {
        if (step % 10 == 0) found.curve.push_back(share_right(net, on_the_way).both);
        const Task task = draw_task(64, random);
        optim::train_step(adam, [&] {
            return cross_entropy(net(task.question, task.table), task.answers);
        });
    }
    found.curve.push_back(share_right(net, on_the_way).both);
    found.chosen_by = share_right(net, draw_task(1000, random));
    found.judged = share_right(net, draw_task(1000, random));
    return found;
}

void two_keys() {
    Figure figure("fig-two-keys");
    figure.describe(
        "Three bundles of five lines, the share of right answers against the step. "
        "The lines of two heads rise to one. Those of one head stay at about 0.25. "
        "Those of one head with ReLUs rise first, to nearly one.");
    std::vector<double> steps;
    for (Index step = 0; step < passes(); step += 10) steps.push_back(double(step));
    steps.push_back(double(passes()));
    struct Kind {
        const char* name;
        Index heads;
        std::vector<Index> sizes;  // of the layers behind the attention
        figure::Color color;
    };
    const std::vector<Kind> kinds = {
        {"two heads", 2, {wide, wide}, figure::blue},
        {"one head", 1, {wide, wide}, figure::red},
        {"one head, ReLUs", 1, {wide, 64, wide}, figure::ochre}};
    for (const Kind& kind : kinds) {
        std::vector<Trained> best;
        double highest = -1, best_rate = 0;
        for (const double rate : {0.003, 0.01, 0.03}) {
            std::vector<Trained> runs;
            double total = 0;
            for (int draw = 0; draw < seeds(); ++draw) {
                runs.push_back(train(kind.heads, kind.sizes, rate, draw));
                total += runs.back().chosen_by.both;
            }
            if (total > highest) highest = total, best = runs, best_rate = rate;
        }
        std::vector<std::vector<double>> curves;
        std::vector<double> both, single;
        for (const Trained& run : best) {
            curves.push_back(run.curve);
            both.push_back(run.judged.both), single.push_back(run.judged.single);
        }
        figure.lines(kind.name, steps, curves, {.color = kind.color});
        say("{}: rate {}, right values {}, both right {}", kind.name, best_rate,
            book::brief(over_seeds(single)), book::brief(over_seeds(both)));
        if (kind.heads == 2)
            claim("claim-multihead-assembles/a",
                  "two heads: the share of questions with both values right",
                  over_seeds(both), ">=", 0.98);
        else if (kind.sizes.size() == 2)
            claim("claim-multihead-assembles/b",
                  "one head of the same total width: the share of right values",
                  over_seeds(single), "<=", 0.8);
    }
    figure.ylim(0, 1)
        .x("step")
        .y("both values right")
        .save(
            "Five trainings of each network, each at the best of three learning rates. "
            "A question counts if both values are right. The curves of one head with a "
            "linear layer end flat, at about 0.25: more steps would not help it.");
}
//-

void page() {
    one_switch();
    learned_switch();
    many_inputs();
    the_root();
    set_of_tokens();
    two_keys();
}

// A single head with a linear layer fails: 0.60 of its values are right. A mean with the weights 0.7 and 0.3 says which
// value came first. But a linear layer cannot read the second value from it. If the score of a value rises with its
// share, the larger share wins. If the score falls, all absent values win. A layer of ReLUs can read it, and with such
// a layer one head learns the task, too, at a larger rate and in fewer steps. So several heads are not the only way to
// put parts together. They need no second layer: the parameters are as many as with one head, but two questions are
// asked at once, as on [Multi-head attention](../components/multi_head.cpp).
//
// ## Limits and origins
//
// Our keys are random, and those of a trained network are not. The measurements about the root describe a network
// before training, like those about [initialisation](../components/initialisation.cpp). Training can also make the
// weights as hard as it needs, by longer queries and keys. {cite:t}`bahdanau2015` introduced attention to align the
// words of a translation. {cite:t}`vaswani2017` divided by the root and put several heads side by side.
//
// ## Summary
//
// Attention is a switch whose position is computed from the data. Its weights are positive and sum to 1, and the root
// of the size keeps them soft for vectors of any size. Several heads are several switches, which can put an answer
// together from several places. A single head needs a nonlinear layer behind it for this.
//
// ## What is missing
//
// A layer of attention moves data, but it hardly computes with them. [The next page](transformer_blocks.cpp) adds a
// second part and makes a block that can be stacked.
//
// ```{try}
// - A harder switch: `--score 6`. How much of the other signal is left?
// - More queries: `--queries 4000`. Does the mean ratio of the gradients settle?
// ```
