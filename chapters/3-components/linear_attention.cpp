// # Linear attention: the order of two products
//
// ```{rows} eq-linear-attention sys-linear-attention
// ```
//
// [Attention](multi_head.cpp) costs $N^2$: each query meets each key. Without the softmax this would be easy to avoid.
// The product $(Q K^\top) V$ has a large matrix in the middle, and $Q (K^\top V)$, which is the same, has a small one.
// Only the exponential stands between the two. What if the weights came from something that factorises? Attention with
// such weights is called **linear attention**. {numref}`fig-linear-weights` compares such weights with those of a
// softmax. Move the slider: the query gets longer, and you see what the saving costs.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/classic/power_law.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/summary.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <string>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say;
using figure::Figure;

const book::Option<Index> longest("longest", 8192, "the longest sequence",
                                  {.quick = 512, .least = 128, .most = 65'536});
const book::Option<int> draws("draws", 5, "draws of the random features",
                              {.quick = 2, .least = 1, .most = 100});

// Defined further down:
Tensor weights(const Tensor& q, const Tensor& k);
//-

//- how the figure is drawn
Tensor circle(const std::vector<double>& degrees, double radius) {
    std::vector<Real> at;
    for (const double angle : degrees) {
        const double turn = angle * std::numbers::pi / 180;
        at.push_back(Real(radius * std::cos(turn)));
        at.push_back(Real(radius * std::sin(turn)));
    }
    return Tensor({Index(degrees.size()), 2}, at);
}

double sharpest(const Tensor& row) { return double(max(row).item()); }

void two_weights() {
    const std::vector<double> angles = {0, 60, 120, 180, 240, 300},
                              lengths = {0.5, 1, 2, 4, 8};
    const std::vector<std::string> name = {"1", "2", "3", "4", "5", "6"};
    const Tensor keys = circle(angles, 1);
    const auto numbers = [](const Tensor& x) {
        const std::vector<Real> all = x.values();
        return std::vector<double>(all.begin(), all.end());
    };
    const auto soft = [&](double length) {
        return softmax(matmul(circle({20}, length), transpose(keys)));
    };
    const auto linear = [&](double length) {
        return weights(circle({20}, length), keys);
    };
    //-
    ask("With a query of length 8 the softmax puts 0.8 of the weight on one key. How "
        "large "
        "is the largest weight of linear attention?",
        {{"About as large.", sharpest(linear(8)) > 0.6,
          "This needs the exponential. The features of a long query grow in proportion "
          "to the query, and the denominator with them."},
         {"About a quarter, as with a short query.",
          sharpest(linear(8)) > 0.2 && sharpest(linear(8)) < 0.5,
          "The features of a long query grow in proportion, and the denominator with "
          "them, "
          "so that the ratio tends to a limit."},
         {"About a sixth: all keys alike.", sharpest(linear(8)) <= 0.2,
          "Even a query of length 0 weighs the keys differently: its features are all "
          "1, "
          "so each key counts with the sum of its own features."}});
    //- how the figure is drawn, and what is checked
    Figure figure("fig-linear-weights");
    figure
        .describe(
            "Bars for six keys on a circle: the weights of softmax attention, which "
            "gather "
            "on the first key as the query gets longer, and those of linear attention, "
            "which stay spread over several keys.")
        .slider("length", lengths, "length of the query", 4);
    figure.panel("softmax").ylim(0, 1).x("key").y("weight");
    for (const double length : lengths)
        figure.at(length).bars("weight", name, numbers(soft(length)));
    figure.always().panel("linear attention").ylim(0, 1).x("key").y("weight");
    for (const double length : lengths)
        figure.at(length).bars("weight", name, numbers(linear(length)));
    figure.always().save(
        "The weights of six keys, which stand on a circle as in {numref}`fig-4.11`, "
        "for a "
        "query of growing length in the direction of 20 degrees.");
    say("largest weight at length 1: softmax {:.2f}, linear {:.2f}; at length 8: "
        "softmax "
        "{:.2f}, linear {:.2f}",
        sharpest(soft(1)), sharpest(linear(1)), sharpest(soft(8)), sharpest(linear(8)));
}
//-

// ## A product of features
//
// Give each query and each key a vector of positive **features**, $\phi(Q_q)$ and $\phi(K_k)$, and let their dot
// product take the place of the exponential:
//
// ```{equation} eq-linear-attention
// :function: recto::matmul
// :test: equations: linear attention
// Y_q = \frac{\phi(Q_q) \sum_k \phi(K_k)^\top V_k}{\phi(Q_q) \sum_k \phi(K_k)^\top}
// ```
//
// The sums over $k$ do not contain $q$. So they are computed once, for all queries. Take one feature, which is 1 for
// the first key and 3 for the second, and the values 10 and 20. The sums are $1 \cdot 10 + 3 \cdot 20 = 70$ and
// $1 + 3 = 4$. A query with the feature 2 gets $2 \cdot 70 / (2 \cdot 4) = 17.5$, the mean of the values with the
// weights $\frac14$ and $\frac34$. The features must be positive, or weights could be negative and the denominator
// zero. {cite:t}`katharopoulos2020` take ELU plus 1: $x + 1$ for positive numbers, and $e^x$ for negative ones.
Tensor phi(const Tensor& x) { return elu(x) + 1; }

Tensor linear_order(const Tensor& q, const Tensor& k, const Tensor& v) {
    const Tensor sums = matmul(transpose(phi(k)), v);  // features x width of the values
    const Tensor total = sum(phi(k), {0});             // features
    return matmul(phi(q), sums) / matmul(phi(q), reshape(total, {total.numel(), 1}));
}

// The same in the old order, with a weight for each pair:
Tensor weights(const Tensor& q, const Tensor& k) {
    const Tensor match = matmul(phi(q), transpose(phi(k)));
    return match / sum(match, {1}, Keep::yes);
}
//- counted and compared
// A head of 8 components in a given order, as a model whose products are counted.
struct Head {
    Tensor (*order)(const Tensor& q, const Tensor& k, const Tensor& v);
    void visit(auto&&) {}
    Tensor operator()(const Tensor& x) const { return order(x, x, x); }
};
Tensor square_order(const Tensor& q, const Tensor& k, const Tensor& v) {
    return matmul(weights(q, k), v);
}
void counted() {
    Generator random(book::seed());
    const Index d = 8;
    const auto for_each = [&](const Head& head, Index n) {
        const Tensor x = random.normal({n, d}).requires_grad_();
        return double(nn::summary(head, x).total.macs) / double(n);
    };
    double least = HUGE_VAL, most = 0;
    for (const Index n : {32, 64, 128, 256}) {
        const double one = for_each({linear_order}, n);
        say("{} places: multiplications for each place {}, in the old order {}", n, one,
            for_each({square_order}, n));
        least = std::min(least, one), most = std::max(most, one);
    }
    claim("sys-linear-attention/c",
          "lengths from 32 to 256: multiplications for each place, the most minus the "
          "fewest",
          most - least, "==", 0);
}
void orders() {
    Generator random(book::seed());
    const Index n = 300, d = 16;
    const Tensor q = random.normal({n, d}), k = random.normal({n, d}),
                 v = random.normal({n, d}), a = weights(q, k);
    const Tensor quadratic = matmul(a, v);
    claim(
        "sys-linear-attention/b",
        "linear against quadratic order: largest difference relative to the largest "
        "result",
        max(abs(linear_order(q, k, v) - quadratic)).item() / max(abs(quadratic)).item(),
        "<=", 1e-4);
    // Key number k has a single one as its value, at place k: then the results are the weights.
    std::vector<Real> ones(std::size_t(n * n), 0);
    for (Index i = 0; i < n; ++i) ones[std::size_t(i * n + i)] = 1;
    const Tensor weight = linear_order(q, k, Tensor({n, n}, ones));
    claim("eq-linear-attention/a",
          "the sum of the weights of a query, largest distance from 1",
          max(abs(sum(weight, {1}) - 1)).item(), "<=", 1e-6);
    claim("eq-linear-attention/a", "the smallest weight", min(weight).item(), ">", 0);
    counted();
}
//-

// For vectors of 8 components the new order needs 136 multiplications for each place, however long the sequence. The old
// order needs 16 for each *pair* of places.

// ## A network with a memory
//
// If no place may look ahead, the sums run up to the query's own place. Then they can be carried along, from place to
// place: a matrix and a vector, to which each place adds its own share. Attention has become a recurrent network, whose
// memory does not grow:
//- the memory
struct Memory {
    std::vector<double> sums, total;  // features x width, and features
};
//-
std::vector<double> step(Memory& memory, const std::vector<Real>& q,
                         const std::vector<Real>& k, const std::vector<Real>& v) {
    std::vector<double> y(v.size(), 0.0);
    double below = 0;
    for (std::size_t f = 0; f < k.size(); ++f) {
        memory.total[f] += double(k[f]);
        below += double(q[f]) * memory.total[f];
        for (std::size_t c = 0; c < v.size(); ++c) {
            memory.sums[f * v.size() + c] += double(k[f]) * double(v[c]);
            y[c] += double(q[f]) * memory.sums[f * v.size() + c];
        }
    }
    for (double& one : y) one /= below;
    return y;
}
//- compared with the masked matrix
void recurrent() {
    Generator random(book::seed());
    const Index d = 8;
    double apart = 0;
    for (const Index n : {32, 64, 128, 256}) {
        const Tensor q = random.normal({n, d}), k = random.normal({n, d}),
                     v = random.normal({n, d});
        Tensor match = clone(matmul(phi(q), transpose(phi(k))));
        for (Index i = 0; i < n; ++i)
            for (Index j = i + 1; j < n; ++j) match.set({i, j}, 0);
        const Tensor y = matmul(match / sum(match, {1}, Keep::yes), v);
        Memory memory{std::vector<double>(std::size_t(d * d), 0.0),
                      std::vector<double>(std::size_t(d), 0.0)};
        for (Index t = 0; t < n; ++t) {
            const auto row = [&](const Tensor& x) { return select(x, 0, t).values(); };
            const std::vector<double> one =
                step(memory, row(phi(q)), row(phi(k)), row(v));
            for (Index c = 0; c < d; ++c)
                apart = std::max(apart,
                                 std::abs(one[std::size_t(c)] - double(y.at({t, c}))));
        }
    }
    claim("sys-linear-attention/d",
          "one place after the other against the masked matrix, largest difference",
          apart, "<=", 1e-4);
}
//-

// A language model with softmax attention keeps the keys and values of all places before. This one keeps $D (D + 1)$
// numbers, after a hundred places and after a million. {numref}`fig-linear-time` shows the time of a whole sequence.
//- how the figure is drawn
void timed() {
    Generator random(book::seed());
    const Index d = 32;
    std::vector<double> places, soft, linear;
    const auto seconds = [](const auto& compute) {
        double best = HUGE_VAL;
        for (int time = 0; time < 3; ++time) {
            const auto start = std::chrono::steady_clock::now();
            compute();
            const std::chrono::duration<double> took =
                std::chrono::steady_clock::now() - start;
            best = std::min(best, took.count());
        }
        return best;
    };
    for (Index n = 64; n <= longest(); n *= 2) {
        const Tensor x = random.normal({n, d}), head = reshape(x, {1, 1, n, d});
        places.push_back(double(n));
        soft.push_back(seconds([&] { attention(head, head, head); }));
        linear.push_back(seconds([&] { linear_order(x, x, x); }));
    }
    Figure("fig-linear-time")
        .describe(
            "Seconds against the length of the sequence, both logarithmic. The line of "
            "softmax attention rises twice as steeply as that of linear attention, and "
            "they part at about a hundred places.")
        .line("softmax attention", places, soft, {.color = figure::red})
        .line("linear attention", places, linear, {.color = figure::blue})
        .log_axes()
        .x("length of the sequence")
        .y("seconds")
        .save("The time of one head with 32 components on this machine.");
    book::shows("sys-linear-attention/a", "fig-linear-time");
}
//-

// ## Back to the softmax
//
// Can the features imitate the exponential itself? Yes, on average. Draw a random direction $w$ from the normal
// distribution, and take the feature $\exp(w \cdot x - \tfrac12 |x|^2)$. The mean of the product for a query and a key,
// over all $w$, is exactly $\exp(q \cdot k)$. So average over $m$ directions, and linear attention estimates softmax
// attention {cite:p}`choromanski2021`. The error falls as $1/\sqrt m$, as for every mean of random numbers:
Tensor exponential(const Tensor& x, const Tensor& directions) {
    const Tensor size = sum(square(x), {1}, Keep::yes) / 2;
    return exp(matmul(x, transpose(directions)) - size);
}
//- how the figure is drawn, and what is checked
// The errors for each number of features, their slope on logarithmic axes, and the error of equal weights.
struct Errors {
    std::vector<double> at;
    double slope = 0, equal = 0;
};
Errors errors(const std::vector<double>& counts, double size, Generator& random) {
    const Index n = 64, d = 8;
    const Tensor q = random.normal({n, d}) * size, k = random.normal({n, d}) * size,
                 v = random.normal({n, d});
    const Tensor soft = matmul(softmax(matmul(q, transpose(k))), v);
    const auto root_mean_square = [&](const Tensor& y) {
        return std::sqrt(double(mean(square(y - soft)).item()));
    };
    Errors found;
    found.equal = root_mean_square(mean(v, {0}, Keep::yes));
    for (const double m : counts) {
        double squares = 0;
        for (int time = 0; time < 8; ++time) {
            const Tensor w = random.normal({Index(m), d});
            const Tensor match =
                matmul(exponential(q, w), transpose(exponential(k, w)));
            const Tensor y = matmul(match / sum(match, {1}, Keep::yes), v);
            squares += std::pow(root_mean_square(y), 2) / 8;
        }
        found.at.push_back(std::sqrt(squares));
    }
    found.slope =
        -classic::fit_power_law(counts, found.at, random, {.draws = 0}).exponent;
    return found;
}

void random_features() {
    std::vector<double> counts, slopes, longer, equal[2];
    std::vector<std::vector<double>> short_ones, long_ones;
    for (Index m = 32; m <= 8192; m *= 4) counts.push_back(double(m));
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(book::seed() + std::uint64_t(draw));
        const Errors one = errors(counts, 0.25, random),
                     other = errors(counts, std::pow(8, -0.25), random);
        slopes.push_back(one.slope), longer.push_back(other.slope);
        equal[0].push_back(one.equal), equal[1].push_back(other.equal);
        short_ones.push_back(one.at), long_ones.push_back(other.at);
    }
    Figure("fig-random-features")
        .describe(
            "The error against the number of random features, both logarithmic. For "
            "short "
            "queries and keys five lines fall together, by a factor of ten for a "
            "hundred "
            "times as many features. For vectors of the usual length they start higher "
            "and "
            "hardly fall.")
        .lines("short queries and keys", counts, short_ones, {.color = figure::blue})
        .lines("of the usual length", counts, long_ones,
               {.color = figure::red, .dash = figure::dashed})
        .log_axes()
        .x("number of random features")
        .y("error of the output")
        .save(
            "The root mean square difference between the output with random features "
            "and "
            "that of softmax attention, for 64 queries and keys of 8 components with "
            "standard deviation ¼ (blue) or 0.59 (red); five draws each.");
    claim_in("eq-linear-attention/b",
             "slope of the log of the error against the log of the number of features",
             over_seeds(slopes), -0.6, -0.4);
    say("the slope for vectors of the usual length: {}",
        book::brief(over_seeds(longer)));
    say("the error of equal weights: short {}, usual {}",
        book::brief(over_seeds(equal[0])), book::brief(over_seeds(equal[1])));
}
//-

// ## Limits and history
//
// The memory is the limit. A table of $D$ by $D$ numbers cannot keep a million values apart, and
// {numref}`fig-linear-weights` shows how blunt the weights of its features are: however long the query, its largest
// weight stays near a quarter. Recurrent models of this kind therefore learn to forget, so that the memory serves what
// still matters.
//
// Random features follow the law of $1/\sqrt m$ only if there are many of them. The estimate from one feature has the
// relative variance $e^{|q + k|^2} - 1$. The mean of $|q + k|^2$ is 1 for the blue vectors, which gives 1.7. The red
// vectors have the usual length: standard normal vectors of 8 components, with their products divided by $\sqrt 8$. For
// them the mean is 5.7, which gives nearly 300. So blue is an easy case. Equal weights for all keys have an error of only
// 0.021 there; 32 features are no better, and 8,192 have a twelfth of it. For the red vectors equal weights have an
// error of 0.165, and 8,192 features still have 0.07 to 0.13: the slope is $-0.13$ instead of $-0.5$.
//
// ## Summary
//
// Linear attention replaces the exponential by a dot product of positive features. The sums over keys no longer depend
// on the query, and the cost grows with the length instead of its square; one place after the other, it is a recurrent
// network with a memory of fixed size. Its weights are blunter than those of a softmax.
//
// ## What is missing
//
// All versions of attention read a sequence of vectors. [The next page](embeddings.cpp) asks where these vectors come
// from.
//
// ```{try}
// - Longer: `--longest 65536`. How long does softmax attention take, and how long linear attention?
// ```
void page() {
    two_weights();
    orders();
    recurrent();
    timed();
    random_features();
}
