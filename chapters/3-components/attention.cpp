// # Attention: looking things up
//
// ```{rows} eq-4.1 eq-4.2 eq-attention-operator fig-4.11 fig-4.12 sys-attention-operator sys-causal-mask
// ```
//
// In a convolution each place sees its neighbours, with weights that depend on the distance alone. But what matters
// need not be near. In "the key that she had lost was under the mat", *was* belongs to *key*, and the next sentence
// puts them somewhere else. Could a place choose by content what it wants to see? **Attention** does: a place asks a
// question, its **query**. Every place offers an answer, its **value**, with a label, its **key**. The values are
// averaged according to how well their keys match the query. {numref}`fig-4.11` shows one question. Turn it with the
// slider.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/device/storage.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure;

const book::Option<double> direction("angle", 45, "direction of the query, in degrees",
                                     {.least = 0.0, .most = 359.0});
const book::Option<Index> longest("longest", 4096, "the longest sequence",
                                  {.quick = 512, .least = 256, .most = 32'768});

// Defined further down:
Tensor matrix_of(const Tensor& q, const Tensor& k);
//-

//- how the figure is drawn
// The library's operator for a single head: rows are queries, keys and values.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v,
              const AttentionOptions& options = {}) {
    const auto head = [](const Tensor& x) {
        return reshape(x, {1, 1, x.size(0), x.size(1)});
    };
    return reshape(attention(head(q), head(k), head(v), options),
                   {q.size(0), v.size(1)});
}

Tensor identity(Index n) {
    Tensor ones_on_diagonal = zeros({n, n});
    for (Index i = 0; i < n; ++i) ones_on_diagonal.set({i, i}, 1);
    return ones_on_diagonal;
}

// Places on a circle, in degrees from the right, against the clock.
Tensor circle(const std::vector<double>& degrees, double radius) {
    std::vector<Real> at;
    for (const double angle : degrees) {
        const double turn = angle * std::numbers::pi / 180;
        at.push_back(Real(radius * std::cos(turn)));
        at.push_back(Real(radius * std::sin(turn)));
    }
    return Tensor({Index(degrees.size()), 2}, at);
}

void one_query() {
    const std::vector<double> angles = {0, 60, 120, 180, 240, 300};
    std::vector<double> turns;
    for (int degrees = 0; degrees < 360; degrees += 15) turns.push_back(degrees);
    turns = figure::settings(direction, turns);
    const std::vector<std::string> name = {"1", "2", "3", "4", "5", "6"};
    const Tensor keys = circle(angles, 1), values({6, 1}, {10, 20, 30, 40, 50, 60});
    const auto column = [](const Tensor& x, int which) {
        std::vector<double> numbers;
        for (Index i = 0; i < x.size(0); ++i)
            numbers.push_back(double(x.at({i, Index(which)})));
        return numbers;
    };
    const auto numbers = [](const Tensor& x) {
        const std::vector<Real> all = x.values();
        return std::vector<double>(all.begin(), all.end());
    };
    Figure figure("fig-4.11");
    figure
        .describe(
            "Three panels. Left: six keys on a circle and a dot, the query, that "
            "turns around them with the slider. Middle: six bars, the weights, largest "
            "for the "
            "keys "
            "near the query. Right: the six values as bars, and a line at their "
            "weighted "
            "mean.")
        .slider(direction, turns, "direction of the query, in degrees");
    const auto query = [](double turn) { return circle({turn}, 4); };
    std::vector<double> weights_drawn, means_drawn;
    figure.columns(3);
    figure.panel("match")
        .xlim(-1.6, 1.6)
        .ylim(-1.6, 1.6)
        .x("first component")
        .y("second component");
    for (const double turn : turns)
        figure.at(turn).dots("query", column(query(turn) * 0.35, 0),
                             column(query(turn) * 0.35, 1), {.color = figure::red});
    figure.always().words("key", column(keys, 0), column(keys, 1), name,
                          {.color = figure::blue});
    figure.panel("weights").ylim(0, 1).x("key").y("weight");
    for (const double turn : turns) {
        const std::vector<double> weights =
            numbers(attend(query(turn), keys, identity(6)));
        weights_drawn.insert(weights_drawn.end(), weights.begin(), weights.end());
        figure.at(turn).bars("weight", name, weights);
    }
    figure.always().panel("average").ylim(0, 70).x("key").y("value");
    figure.bars("value", name, numbers(values),
                {.color = figure::grey, .opacity = 0.35});
    for (const double turn : turns) {
        means_drawn.push_back(double(attend(query(turn), keys, values).item()));
        figure.at(turn).rule_y(means_drawn.back(), "result", {.color = figure::red});
    }
    figure.always();
    figure.save(
        "One query is matched with six keys (*match*; the query is four times as long "
        "as a key and drawn nearer). The matches become *weights*, and the six values, "
        "10 to 60, are averaged with them: the line is the result.");
    book::shows("fig-4.11/a", "fig-4.11");
    const Tensor all = circle(turns, 4);
    claim_true(
        "fig-4.11/b",
        "the numbers drawn are those of one call for all queries at once, bit for "
        "bit",
        weights_drawn == numbers(attend(all, keys, identity(6))) &&
            means_drawn == numbers(attend(all, keys, values)));
}
//-

// ## From matches to weights
//
// A **query** and a **key** are vectors of the same size, and their match is a dot product. Take the query $(2, 0)$
// and the three keys $(1, 0)$, $(0, 1)$ and $(-1, 0)$. The products are 2, 0 and $-2$. Divide by $\sqrt2$, the root
// of the size; a section below says why: 1.41, 0 and $-1.41$. A [softmax](../training/softmax.cpp) turns these scores
// into weights: 0.768, 0.187 and 0.045. With the **values** 10, 20 and 30 the result is
// $0.768 \cdot 10 + 0.187 \cdot 20 + 0.045 \cdot 30 = 12.8$. In general, let $D^{QK}$ be the number of components of a
// query $Q_q$ and of a key $K_k$. The weight of key $k$ for query $q$ is
//
// ```{equation} eq-4.1
// :function: recto::attention
// :test: attention: definition
// A_{q,k} = \frac{\exp\!\big(\tfrac{1}{\sqrt{D^{QK}}}\, Q_q \cdot K_k\big)}
// {\sum_l \exp\!\big(\tfrac{1}{\sqrt{D^{QK}}}\, Q_q \cdot K_l\big)}
// ```
//
// ```{equation} eq-4.2
// :function: recto::attention
// :test: attention: definition
// Y_q = \sum_k A_{q,k} V_k
// ```
//
// Together, with matrices that hold a query, a key or a value in each row:
//
// ```{equation} eq-attention-operator
// :function: recto::attention
// :test: attention: definition
// \operatorname{att}(Q, K, V) = \operatorname{softmax}\!\big(Q K^\top / \sqrt{D^{QK}}\big)\, V
// ```
//
// The operator has no weights of its own. There may be more keys than queries, and values of any size. In code:
Tensor matrix_of(const Tensor& q, const Tensor& k) {
    return softmax(matmul(q, transpose(k)) / std::sqrt(double(q.size(1))));
}
//- compared with loops, and what is checked
void by_loops() {
    Generator random(book::seed());
    const Index queries = 5, keys = 7, d = 4, width = 3;
    const Tensor q = random.normal({queries, d}), k = random.normal({keys, d}),
                 v = random.normal({keys, width}), a = matrix_of(q, k),
                 y = attend(q, k, v), weights = attend(q, k, identity(keys));
    double rows = 0, of_matrix = 0, of_output = 0;
    for (Index i = 0; i < queries; ++i) {
        std::vector<double> e;
        double total = 0, sum = 0;
        for (Index j = 0; j < keys; ++j) {
            double dot = 0;
            for (Index c = 0; c < d; ++c)
                dot += double(q.at({i, c})) * double(k.at({j, c}));
            e.push_back(std::exp(dot / std::sqrt(double(d))));
            total += e.back(), sum += double(a.at({i, j}));
        }
        rows = std::max(rows, std::abs(sum - 1));
        for (Index j = 0; j < keys; ++j)
            for (const Tensor& one : {a, weights})
                of_matrix = std::max(of_matrix, std::abs(double(one.at({i, j})) -
                                                         e[std::size_t(j)] / total));
        for (Index c = 0; c < width; ++c) {
            double mean = 0;
            for (Index j = 0; j < keys; ++j)
                mean += e[std::size_t(j)] / total * double(v.at({j, c}));
            of_output = std::max(of_output, std::abs(double(y.at({i, c})) - mean));
        }
    }
    claim("eq-4.1/a",
          "the sum of a row of the attention matrix, largest distance from 1", rows,
          "<=", 1e-6);
    claim("eq-4.1/b", "the attention matrix against two loops, largest difference",
          of_matrix, "<=", 1e-6);
    claim("eq-4.2/b", "the output against a loop, largest difference", of_output,
          "<=", 1e-6);
    const Tensor small =
        matrix_of(Tensor({1, 2}, {2, 0}), Tensor({3, 2}, {1, 0, 0, 1, -1, 0}));
    say("the example: weights {:.3f}, {:.3f}, {:.3f}, result {:.1f}", small.at({0, 0}),
        small.at({0, 1}), small.at({0, 2}),
        matmul(small, Tensor({3, 1}, {10, 20, 30})).item());
}
//-

// A dictionary in a program returns the value whose key is equal to the query. Attention does the same softly, so
// that it has a derivative with respect to queries, keys and values, and all three can be learned. The size of the
// scores decides how soft it is. The scores carry a factor, $1/\sqrt{D^{QK}}$ so far. We replace it by
// $1/\tau$, look up 16 keys, and let the **temperature** $\tau$ go to zero:
//- a dictionary, and what is checked
void dictionary() {
    Generator random(book::seed());
    const Index entries = 16;
    const Tensor keys = identity(entries), values = random.normal({entries, 1});
    double last = 0;
    for (const double temperature : {1.0, 0.3, 0.1, 0.03}) {
        const Tensor found = attend(keys, keys, values, {.scale = 1 / temperature});
        last = double(max(abs(found - values)).item());
        say("temperature {:<4}  largest distance from the value asked for: {:.1e}",
            temperature, last);
    }
    claim("sys-attention-operator/a",
          "at the lowest temperature, the largest distance from the value of the "
          "matching "
          "key",
          last, "<=", 1e-6);
}
//-

// ## Why the root
//
// Take two vectors of $D$ independent random numbers with mean 0 and variance 1. Their dot product is a sum of $D$
// terms with variance 1, so its standard deviation is $\sqrt D$. For $D = 64$ the scores would scatter by 8. Does
// that matter?
//- sixty-four keys, with and without the root
void root() {
    Generator random(book::seed());
    double with = 0, without = 0;
    const Tensor q = random.normal({500, 64}), k = random.normal({64, 64});
    with = double(mean(max(attend(q, k, identity(64)), {1})).item());
    without = double(mean(max(attend(q, k, identity(64), {.scale = 1}), {1})).item());
    //-
    ask("A random query of 64 numbers meets 64 random keys. Without the division by "
        "√64, how large is the largest of the 64 weights, on average?",
        {{"About 1/64.", without < 0.05,
          "Scores that scatter by 8 differ by factors of thousands after the "
          "exponential."},
         {"About a tenth.", without >= 0.05 && without < 0.3,
          "With the division it would be: the scores then scatter by 1."},
         {"More than two thirds.", without > 2.0 / 3,
          "The largest score leads the second by several units, and each unit is a "
          "factor "
          "of 2.7."}});
    //- what is printed
    say("the largest weight, on average: {:.2f} with the root, {:.2f} without", with,
        without);
}
//-

// Scores that scatter by 8 make the softmax nearly a maximum. If one weight is nearly 1 and the others nearly 0, the
// softmax is saturated: the derivative of each weight with respect to its score is $A_{q,k}(1 - A_{q,k})$, which is
// nearly 0 in both cases. So training would begin at a point that gradient descent can hardly leave. The root keeps
// the scores at standard deviation 1 for any size.
//
// ## A mask hides the future
//
// A [language model](../training/bigrams.cpp) predicts the next symbol from those before it. If each place attends to
// all places, the network can read the answer. A **causal mask** prevents this. It is a matrix with a 1 where a query
// may look, on the diagonal and below. The other scores are replaced by $-\infty$ *before* the softmax, so that the
// weights of each row still sum to 1. {numref}`fig-4.12` and {numref}`fig-masked` show the steps.
//- how both figures are drawn, and what is checked
void masked() {
    Generator random(book::seed());
    const Index n = 13;
    const Tensor q = random.normal({n, 8}), k = random.normal({n, 8});
    const Tensor scores = matmul(q, transpose(k)) / std::sqrt(8.0);
    const Tensor weights = attend(q, k, identity(n), {.causal = true});
    using figure::Box;
    figure::Diagram diagram("fig-4.12");
    diagram
        .describe(
            "A diagram from left to right. Queries and keys enter a product, which "
            "leads "
            "to the mask, the softmax, dropout, and a product with the values, which "
            "gives "
            "the output.")
        .node("Q", "queries", Box::plain)
        .node("K", "keys", Box::plain)
        .node("V", "values", Box::plain)
        .node("product", "product / √D")
        .node("mask", "mask")
        .node("softmax", "softmax")
        .node("dropout", "dropout")
        .node("average", "product")
        .node("Y", "output", Box::plain)
        .edge("Q", "product")
        .edge("K", "product")
        .edge("product", "mask", "scores")
        .edge("mask", "softmax", "masked")
        .edge("softmax", "dropout", "weights")
        .edge("dropout", "average")
        .edge("V", "average")
        .edge("average", "Y")
        .save(
            "The attention operator. The mask is constant: its ones lie on the "
            "diagonal "
            "and below it, so that a place sees itself and what came before. Dropout "
            "on "
            "the weights is used in training only.");
    std::vector<double> raw, hidden, normalised;
    double above = 0, first = 0;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
            raw.push_back(double(scores.at({i, j})));
            hidden.push_back(j <= i ? raw.back()
                                    : std::numeric_limits<double>::quiet_NaN());
            normalised.push_back(double(weights.at({i, j})));
            if (j > i) above = std::max(above, std::abs(normalised.back()));
            if (i == 0) first += normalised.back();
        }
    std::vector<std::string> name;
    for (Index i = 1; i <= n; ++i) name.push_back(std::to_string(i));
    std::vector<double> queries;
    for (Index i = 1; i <= n; ++i) queries.push_back(double(i));
    Figure figure("fig-masked");
    figure
        .describe(
            "Three matrices of 13 by 13 cells: scores of both signs; the same with "
            "the "
            "cells above the diagonal left empty; weights between 0 and 1, zero above "
            "the "
            "diagonal, with a single 1 in the first row. A red frame marks the row of "
            "one query, which a slider sets; bars show its weights.")
        .slider("query", queries, "query", 6);
    const auto matrix = [&](const char* title, const char* what,
                            const std::vector<double>& cells, double low, double high) {
        figure.panel(title).heatmap(what, name, name, cells, low, high);
        for (const double query : queries)
            figure.at(query).frame(
                name, figure::Names(name.size(), name[std::size_t(query) - 1]));
        figure.always().x("key").y("query");
    };
    matrix("scores", "score", raw, -3, 3);
    matrix("masked", "score", hidden, -3, 3);
    matrix("weights", "weight", normalised, 0, 1);
    figure.panel("weights of the framed query").ylim(0, 1).x("key").y("weight");
    for (const double query : queries) {
        const auto row = normalised.begin() + (std::ptrdiff_t(query) - 1) * n;
        figure.at(query).bars("weight", name, std::vector<double>(row, row + n));
    }
    figure.always().save(
        "The scores of 13 places, the same with a causal mask, and the weights. A row "
        "for each query from the top, a column for each key from the left. Each row of "
        "weights sums to 1. The first place sees only itself.");
    book::shows("fig-4.12/a", "fig-4.12");
    book::shows("fig-4.12/d", "fig-4.12");
    claim("fig-4.12/b", "the largest weight above the diagonal", above, "==", 0);
    claim("fig-4.12/c", "the first row of weights: its sum", first, "==", 1);
    claim("sys-causal-mask/b", "the largest weight that the mask forbids", above,
          "==", 0);
}
//-

// Why not set the forbidden weights to zero *after* the softmax? The others would then sum to less than 1, by an amount
// that depends on the scores of the future: the mask would leak.
//
// ## Without the matrix
//
// The matrix $A$ has a row for each query and a column for each key. At 4,096 places these are 17 million numbers, for
// each sample. Yet the result needs only one average for each query. Can it be computed without keeping the weights?
// The sum in the denominator is known only at the end, and so is the largest score, which a stable softmax subtracts.
// But both can be corrected on the way: whenever a larger score arrives, everything so far is multiplied by the same
// factor. This is the **online softmax** {cite:p}`milakov2018`.
//
// An example: the scores 1 and 3 come first, with values 10 and 20, and then the score 4 with value 30. After the
// first block the largest score is 3, the denominator is $e^{-2} + 1 = 1.135$, and the weighted sum is
// $10 e^{-2} + 20 = 21.35$. The score 4 is larger, so both are multiplied by $e^{3-4} = 0.368$, which gives 0.418 and
// 7.86. Its own weight is 1: the denominator becomes 1.418, the sum 37.86, and the result $37.86 / 1.418 = 26.7$. In
// code, for one query:
struct Online {
    double top = -HUGE_VAL, total = 0;  // the largest score, and the denominator
    std::vector<double> sum;            // of weighted values
    void add(const std::vector<double>& scores, const Tensor& v) {  // a block
        const double higher = std::max(top, *std::ranges::max_element(scores));
        const double keep = std::exp(top - higher);
        total *= keep;
        for (double& s : sum) s *= keep;
        for (std::size_t j = 0; j < scores.size(); ++j) {
            const double weight = std::exp(scores[j] - higher);
            total += weight;
            for (std::size_t c = 0; c < sum.size(); ++c)
                sum[c] += weight * double(v.at({Index(j), Index(c)}));
        }
        top = higher;
    }
};
//- all queries, the memory of the library, and the figure
// The same with tensors, whose memory the library counts: 64 queries at a time meet 64 keys at a time.
Tensor by_blocks_of_both(const Tensor& q, const Tensor& k, const Tensor& v) {
    const Index block = 64;
    const Tensor y = zeros({q.size(0), v.size(1)});
    for (Index row = 0; row < q.size(0); row += block) {
        const Index below = std::min(row + block, q.size(0));
        const Tensor queries = slice(q, 0, row, below) / std::sqrt(double(q.size(1)));
        Tensor top = full({below - row, 1}, -HUGE_VAL), total = zeros(top.shape()),
               of_values = zeros({below - row, v.size(1)});
        for (Index from = 0; from < k.size(0); from += block) {
            const Index to = std::min(from + block, k.size(0));
            const Tensor scores = matmul(queries, transpose(slice(k, 0, from, to)));
            const Tensor higher = maximum(top, max(scores, {1}, Keep::yes));
            const Tensor keep = exp(top - higher), weight = exp(scores - higher);
            total = total * keep + sum(weight, {1}, Keep::yes);
            of_values = of_values * keep + matmul(weight, slice(v, 0, from, to));
            top = higher;
        }
        slice(y, 0, row, below).copy_(of_values / total);
    }
    return y;
}
void blocks() {
    Generator random(book::seed());
    const Index n = 200, d = 8, block = 32;
    const Tensor q = random.normal({n, d}) * 3, k = random.normal({n, d}),
                 v = random.normal({n, d});
    const Tensor naive = matmul(matrix_of(q, k), v);
    Online example;
    example.sum = {0};
    example.add({1, 3}, Tensor({2, 1}, {10, 20}));
    say("the example: after the first block {:.3f} and {:.2f}", example.total,
        example.sum[0]);
    example.add({4}, Tensor({1, 1}, {30}));
    say("after the second {:.3f} and {:.2f}, result {:.1f}", example.total,
        example.sum[0], example.sum[0] / example.total);
    double apart = 0;
    for (Index i = 0; i < n; ++i) {
        Online one;
        one.sum.assign(std::size_t(d), 0.0);
        for (Index from = 0; from < n; from += block) {
            const Index to = std::min(n, from + block);
            const Tensor part = slice(k, 0, from, to);
            std::vector<double> scores;
            for (const Real s : matmul(slice(q, 0, i, i + 1), transpose(part)).values())
                scores.push_back(double(s) / std::sqrt(double(d)));
            one.add(scores, slice(v, 0, from, to));
        }
        for (Index c = 0; c < d; ++c)
            apart = std::max(apart, std::abs(one.sum[std::size_t(c)] / one.total -
                                             double(naive.at({i, c}))));
    }
    claim("eq-attention-operator/a",
          "blocks of 32 keys against the whole matrix, largest difference relative to "
          "the "
          "largest result",
          apart / double(max(abs(naive)).item()), "<=", 1e-5);
    claim(
        "",
        "blocks of 64 queries and 64 keys against the whole matrix, the same "
        "difference",
        double((max(abs(by_blocks_of_both(q, k, v) - naive)) / max(abs(naive))).item()),
        "<=", 1e-5);
    std::vector<double> places, whole, by_blocks, by_both;
    const auto peak = [](const auto& compute) {
        const std::size_t before = memory_use().now;
        reset_memory_peak();
        compute();
        return double(memory_use().peak - before) / sizeof(Real);
    };
    for (Index length = 128; length <= longest(); length *= 2) {
        const Tensor x = random.normal({length, d});
        places.push_back(double(length));
        whole.push_back(peak([&] { matmul(matrix_of(x, x), x); }));
        by_blocks.push_back(peak([&] { attend(x, x, x); }));
        by_both.push_back(peak([&] { by_blocks_of_both(x, x, x); }));
    }
    Figure("fig-attention-memory")
        .describe(
            "Numbers held against the length of the sequence, both logarithmic. The "
            "line of the whole matrix rises twice as steeply as that of blocks of "
            "queries. The line of blocks of queries and keys is nearly level at first "
            "and ends lowest.")
        .line("the whole matrix", places, whole, {.color = figure::red})
        .line("blocks of queries", places, by_blocks, {.color = figure::blue})
        .line("blocks of both", places, by_both, {.color = figure::green})
        .log_axes()
        .x("length of the sequence")
        .y("numbers held at the peak")
        .save(
            "The memory of a forward pass at its peak, in numbers, as the library "
            "counts them, for one head whose queries, keys and values have 8 "
            "components.");
    double least = HUGE_VAL, most = 0;
    for (std::size_t i = 0; i < places.size() && places[i] <= 1024; ++i) {
        least = std::min(least, by_blocks[i] / places[i]);
        most = std::max(most, by_blocks[i] / places[i]);
    }
    claim("eq-attention-operator/c",
          "from 128 to 1,024 places: numbers held by blocks for each place, the most "
          "minus "
          "the fewest",
          most - least, "==", 0);
    for (std::size_t i = 0; i < places.size(); ++i)
        say("{:>5} places: {:>12.0f} numbers with the whole matrix, {:>8.0f} by blocks "
            "of queries, {:>8.0f} by blocks of both",
            places[i], whole[i], by_blocks[i], by_both[i]);
}
//-

// The library cuts the matrix the other way: it computes 64 rows at a time, whole, and forgets them. It needs no
// correction then, but its memory still grows with the number of keys. {numref}`fig-attention-memory` counts what it
// holds: 72 numbers for each place, 64 for the rows and 8 for the output (beyond 1,024 places it asks the system for
// whole pages of memory, and holds a little more). With blocks of 64 keys as well, the online softmax keeps a fixed number
// of scores at any length, and only the output grows. Time is not saved: each query still meets each key.
//
// ## Limits and history
//
// Without a mask, attention is an operation on sets: it does not know where a key stands, only what it says. And it
// mixes *values*, which earlier layers have made of the input. Large weights are no proof that a place was important
// for the answer {cite:p}`jain2019`. {cite:t}`bahdanau2015` introduced attention in translation, where each word of
// the output finds its words in the input; a small network computed their matches. {cite:t}`vaswani2017` took the dot
// product divided by the root, and built a whole network from it. {cite:t}`dao2022` made the online softmax the
// standard on GPUs, where it saves memory and most of the traffic between the memory and the processor.
//
// ## Summary
//
// Attention averages values with weights that a softmax makes of matches between a query and all keys. The matches
// are divided by the root of the size, so that the softmax stays soft, and masked before it, so that no place sees
// the future. The matrix of weights need never exist as a whole.
//
// ## What is missing
//
// One operator asks one question for each place. [The next page](multi_head.cpp) asks several at once, and counts
// what it costs.
//
// ```{exercises}
// - [Causal attention](/exercises/components/causal_attention.md)
// - [Attention without the matrix](/exercises/cuda/online_attention.md)
// ```
//
// ```{try}
// - Longer: `--longest 16384`. When does the whole matrix no longer fit into your memory?
// ```
void page() {
    one_query();
    by_loops();
    dictionary();
    root();
    masked();
    blocks();
}
