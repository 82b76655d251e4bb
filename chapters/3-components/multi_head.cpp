// # Multi-head attention: several questions at once
//
// ```{rows} fig-4.13 sys-multi-head-attention claim-attention-quadratic claim-attention-permutation
// ```
//
// [Attention](attention.cpp) answers each query with one average. Suppose that a place needs two things: the symbol one
// place before it, and the symbol two places before it. One average mixes them. The remedy is simple: ask twice.
// **Multi-head attention** runs several attentions side by side, each with its own queries, keys and values, and joins
// their results. {numref}`fig-heads` shows what two heads have learned from exactly this task. Move the slider: the
// weights follow the place that asks.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/classic/power_law.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/sequences/positions.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::timing_claim;
using figure::Figure;

const book::Option<Index> passes("steps", 400, "steps of a training",
                                 {.quick = 20, .least = 1, .most = 100'000});
const book::Option<int> draws("draws", 5, "trainings with each number of heads",
                              {.quick = 1, .least = 1, .most = 50});
const book::Option<Index> longest("longest", 4096, "the longest sequence",
                                  {.quick = 256, .least = 128, .most = 32'768});

const Index symbols = 8, length = 8, wide = 16;

// Defined further down:
Tensor one_head(const nn::MultiHeadAttention& layer, const Tensor& x, Index h);
//-

//- the task, a training, and how the figure is drawn
// A symbol and its place become a vector: a one for the symbol, a one for the place.
struct Task {
    Tensor x;          // (batch, length, wide)
    Integers answers;  // the symbols one and two places before, for places from 2 on
};
Task draw(Index batch, Generator& random) {
    Tensor x = zeros({batch, length, wide});
    std::vector<Index> said, answers;
    for (Index b = 0; b < batch; ++b)
        for (Index t = 0; t < length; ++t) {
            said.push_back(random.next_integer(0, symbols));
            x.set({b, t, said.back()}, 1), x.set({b, t, symbols + t}, 1);
            if (t < 2) continue;
            answers.push_back(said[said.size() - 2]);
            answers.push_back(said[said.size() - 3]);
        }
    return {x, Integers({Index(answers.size())}, answers)};
}

struct Reader {
    nn::MultiHeadAttention attention;
    nn::Linear answer;  // scores for both symbols
    Tensor operator()(const Tensor& x) const {
        const Tensor read = answer(slice(attention(x), 1, 2, length));
        return reshape(read, {2 * x.size(0) * (length - 2), symbols});
    }
    void visit(auto&& part) { part("attention", attention), part("answer", answer); }
};

// The trained network, and its share of right answers in new sequences.
std::pair<Reader, double> train(Index heads, double rate, Generator& random) {
    Reader net{nn::MultiHeadAttention(wide, heads, random),
               nn::Linear(wide, 2 * symbols, random)};
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    for (Index step = 0; step < passes(); ++step) {
        const Task task = draw(64, random);
        optim::train_step(adam,
                          [&] { return cross_entropy(net(task.x), task.answers); });
    }
    const NoGrad only_asking;
    const Task fresh = draw(200, random);
    const auto said = argmax(net(fresh.x)).values(), right = fresh.answers.values();
    double hits = 0;
    for (std::size_t i = 0; i < said.size(); ++i) hits += said[i] == right[i];
    return {net, hits / double(said.size())};
}

// The weights of one head for one sequence: a row for each query.
Tensor weights_of(const nn::MultiHeadAttention& layer, const Tensor& x, Index h) {
    const Index inner = wide / layer.heads;
    const auto projected = [&](Index which) {
        const Index at = which * wide + h * inner;
        const Tensor w = slice(layer.in_proj_weight, 0, at, at + inner),
                     b = slice(layer.in_proj_bias, 0, at, at + inner);
        return reshape(linear(x, w, b), {1, 1, length, inner});
    };
    Tensor identity = zeros({1, 1, length, length});
    for (Index i = 0; i < length; ++i) identity.set({0, 0, i, i}, 1);
    return reshape(attention(projected(0), projected(1), identity), {length, length});
}

void two_things() {
    std::vector<double> one, two;
    Generator random(book::seed());
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "draws");
        double best = 0;  // a single head may choose among three learning rates
        for (const double rate : {0.003, 0.01, 0.03})
            best = std::max(best, train(1, rate, random).second);
        one.push_back(best);
        two.push_back(train(2, 0.01, random).second);
    }
    Generator again(book::seed() + 1);
    const Reader net = train(2, 0.01, again).first;
    const NoGrad only_asking;
    const Task shown = draw(1, again);
    std::vector<std::string> place;
    for (Index t = 1; t <= length; ++t) place.push_back(std::to_string(t));
    std::vector<double> asks;
    for (Index t = 3; t <= length; ++t) asks.push_back(double(t));
    Figure figure("fig-heads");
    figure
        .describe(
            "Two panels of eight bars, the weights of two heads for the query whose "
            "place "
            "the slider sets. One head puts nearly all its weight on the place before, "
            "the "
            "other on the place before that.")
        .slider("place", asks, "place of the query", 6);
    for (Index h = 0; h < 2; ++h) {
        const Tensor weights = weights_of(net.attention, shown.x, h);
        figure.always()
            .panel(h == 0 ? "first head" : "second head")
            .ylim(0, 1)
            .x("place of the key")
            .y("weight");
        for (const double ask : asks) {
            std::vector<double> row;
            for (Index t = 0; t < length; ++t)
                row.push_back(double(weights.at({Index(ask) - 1, t})));
            figure.at(ask).bars("weight", place, row);
        }
    }
    figure.always();
    figure.save(
        "The weights of two trained heads for one query. The task is to name the "
        "symbols "
        "one place and two places before it. Training has shared out the "
        "work between the heads.");
    say("share of right answers: one head {}, two heads {}",
        book::brief(over_seeds(one)), book::brief(over_seeds(two)));
    claim("", "two heads: the share of right answers", over_seeds(two), ">", 0.99);
    claim("", "one head of twice the size, at the best of three learning rates",
          over_seeds(one), "<", 0.9);
}
//-

// Both networks have the same number of weights: a single head of 16 numbers, or two heads of 8. The single head was
// trained at three learning rates, of which the best counts, and names about two thirds of the symbols.
//
// Why does it fail? Let the two symbols be *a* and then *b*. A head that gives half of its weight to each returns
// $(a + b)/2$, and for *b* and then *a* it returns the same vector: the order is gone. Weights of 0.7 and 0.3 would
// keep the order, since $0.7a + 0.3b$ differs from $0.3a + 0.7b$. A linear layer can then read the stronger symbol.
// To let the weaker one win, the layer must count the presence of a symbol against that symbol, and then all symbols
// that do not occur win over both. Two heads return *a* and *b* side by side, and the linear layer reads each where
// it stands.
//
// ## Projections
//
// Where do queries, keys and values come from? From the input, by three matrices for each head. In a layer of width
// $D$ with $H$ heads, head $h$ has $W^Q_h$ and $W^K_h$, of $D$ by $D^{QK}$ numbers, and $W^V_h$, of $D$ by $D^V$. The
// first two decide where the head looks: only the product $W^Q_h (W^K_h)^\top$ enters the scores, so it says which
// features of one place match which features of another. The third decides what the head reports from there. The
// results of all heads stand side by side, and a last matrix $W^O$ of $HD^V$ by $D$ joins them:
//
// $$Y_h = \operatorname{att}(X W^Q_h,\; X W^K_h,\; X W^V_h), \qquad Y = (Y_1 \mid \dots \mid Y_H)\, W^O$$
//
// Usually $D^{QK} = D^V = D/H$. More heads then cost no parameters, and each works with shorter vectors. With
// $D = 16$ and $H = 2$ the three matrices of a head have 128 numbers each, and $W^O$ has 256:
// $2 \cdot 3 \cdot 128 + 256 = 1024$. With $H = 4$ they have 64 each, and $4 \cdot 3 \cdot 64 + 256$ is 1,024 again.
//
// What does $W^O$ do? Cut it into $H$ blocks of $D^V$ rows, one below the other, $W^O_1$ to $W^O_H$. Then
// $Y = \sum_h Y_h W^O_h$: the output is a sum, to which each head contributes independently of the others. So heads
// are parallel in the full sense, and a head whose block is zero is switched off. In {numref}`fig-4.13` you can
// follow both heads from the input to the sum. If keys and values come from a second sequence instead of $X$, this is
// **cross-attention**, and the layer connects two sequences; else it is **self-attention**.
//
// {cpp:class}`~recto::nn::MultiHeadAttention` keeps the matrices of all heads in one, so that a single product computes
// the queries, keys and values of all heads. We take a head out of it by hand and check that the formula is all it
// computes:
Tensor one_head(const nn::MultiHeadAttention& layer, const Tensor& x, Index h) {
    const Index width = x.size(2), inner = width / layer.heads;
    const auto projected = [&](Index which) {  // 0 queries, 1 keys, 2 values
        const Index at = which * width + h * inner;
        const Tensor w = slice(layer.in_proj_weight, 0, at, at + inner);
        return reshape(linear(x, w), {x.size(0), 1, x.size(1), inner});
    };
    const Tensor y = attention(projected(0), projected(1), projected(2));
    return reshape(y, {x.size(0), x.size(1), inner});
}
//- compared with the layer, and the diagram
void draw_layer(const nn::MultiHeadAttention& layer) {
    using figure::Box;
    const Index width = layer.out_proj.weight.size(0), inner = width / layer.heads;
    const auto shape = [](const Tensor& w) {
        return fmt::format("{} × {}", w.size(0), w.size(1));
    };
    figure::Diagram diagram("fig-4.13");
    diagram.describe(
        "A diagram from the input to the output. The input leads to three projections "
        "for "
        "each of two heads, these to an attention operator for each head, both to a "
        "concatenation, and this to the output matrix. Each box names the shape of its "
        "matrix.");
    diagram.node("X", fmt::format("input, {} wide", width), Box::plain);
    Index wrong = 0;
    for (Index h = 0; h < layer.heads; ++h) {
        const std::string head = fmt::format("attention {}", h + 1);
        for (Index which = 0; which < 3; ++which) {
            const Index at = which * width + h * inner;
            const Tensor w = transpose(slice(layer.in_proj_weight, 0, at, at + inner));
            const std::string name = fmt::format("{} {}", "QKV"[which], h + 1);
            wrong += w.shape() != Shape{width, inner};
            diagram.node(name, fmt::format("{}\n{}", name, shape(w))).edge("X", name);
        }
        diagram.node(head, head, Box::round, figure::blue);
        for (const char letter : {'Q', 'K', 'V'})
            diagram.edge(fmt::format("{} {}", letter, h + 1), head);
    }
    const Tensor output = transpose(layer.out_proj.weight);
    wrong += output.shape() != Shape{layer.heads * inner, width};
    diagram.node("joined", "side by side")
        .node("O", fmt::format("O\n{}", shape(output)))
        .node("Y", fmt::format("output, {} wide", width), Box::plain);
    for (Index h = 0; h < layer.heads; ++h)
        diagram.edge(fmt::format("attention {}", h + 1), "joined");
    diagram.edge("joined", "O")
        .edge("O", "Y")
        .save(
            "A layer of multi-head attention with two heads, drawn from the object. "
            "Each box "
            "with a matrix names its shape.");
    book::shows("fig-4.13/a", "fig-4.13");
    claim("fig-4.13/b", "drawn shapes that are not those of the text", wrong, "==", 0);
}

void by_hand() {
    Generator random(book::seed());
    const Index heads = 4, width = 12;
    const nn::MultiHeadAttention layer(width, heads, random, {.bias = false});
    const Tensor x = random.normal({2, 6, width});
    std::vector<Tensor> results;
    for (Index h = 0; h < heads; ++h) results.push_back(one_head(layer, x, h));
    const Tensor joined = linear(concat(results, 2), layer.out_proj.weight);
    claim("", "heads taken out by hand against the layer, largest difference",
          max(abs(joined - layer(x))).item(), "<=", 1e-12);

    draw_layer(nn::MultiHeadAttention(width, 2, random, {.bias = false}));
}
//-

// ## What it costs
//
// Every query meets every key. A sequence of $N$ places has $N^2$ pairs, and each pair needs $D^{QK}$ multiplications
// for the match and $D^V$ for the average. At 8 places and vectors of 32 numbers these are $64 \cdot 64 = 4096$; at
// 16 places they are four times as many. The projections grow in proportion to $N$. The library counts its
// multiplications, and {numref}`fig-attention-cost` shows the count beside the time.
//- a count, a clock, and how the figure is drawn
// What one attention of the library multiplies, by its own count.
Index multiplications(const Tensor& x) {
    const FlopCount count;
    attention(x, x, x);
    return count.multiply_adds();
}

void cost() {
    Generator random(book::seed());
    const Index d = 32;
    std::vector<double> places, counted, seconds, far, far_seconds;
    double least = HUGE_VAL, most = 0;
    for (Index n = 64; n <= longest(); n *= 2) {
        places.push_back(double(n));
        const Tensor x = random.normal({1, 1, n, d});
        const double all = double(multiplications(x)), each = all / double(n * n);
        counted.push_back(all / 1e9);
        least = std::min(least, each), most = std::max(most, each);
        double best = HUGE_VAL;
        for (int time = 0; time < 5; ++time) {
            const auto start = std::chrono::steady_clock::now();
            attention(x, x, x);
            const std::chrono::duration<double> took =
                std::chrono::steady_clock::now() - start;
            best = std::min(best, took.count());
        }
        seconds.push_back(best);
        if (n >= 1024) far.push_back(double(n)), far_seconds.push_back(best);
    }
    Figure("fig-attention-cost")
        .describe(
            "Two lines against the length of the sequence, all axes logarithmic: "
            "billions "
            "of multiplications, a straight line of slope two, and seconds, which "
            "bends "
            "towards the same slope.")
        .panel("counted")
        .line("multiplications", places, counted, {.color = figure::blue})
        .log_axes()
        .x("length of the sequence")
        .y("billions of multiplications")
        .panel("measured")
        .line("time", places, seconds, {.color = figure::red})
        .log_axes()
        .x("length of the sequence")
        .y("seconds")
        .save(
            "Attention of one head with vectors of 32 numbers. Twice the length takes "
            "four times the multiplications, and for long sequences four times the "
            "time.");
    book::shows("claim-attention-quadratic/a", "fig-attention-cost");
    claim("claim-attention-quadratic/b",
          "multiplications for each pair of places, the most minus the fewest",
          most - least, "==", 0);
    if (far.size() < 3) return;
    const double slope =
        -classic::fit_power_law(far, far_seconds, random, {.draws = 0}).exponent;
    timing_claim("claim-attention-quadratic/c",
                 "slope of log time against log length, from 1,024 places on", slope,
                 ">=", 1.7);
    timing_claim("claim-attention-quadratic/c", "the same slope, from above", slope,
                 "<=", 2.2);
}
//-

// When does the square hurt? For each place the projections cost $4D^2$ multiplications, and all heads together cost
// $2ND$, for any $H$. The two are equal at $N = 2D$. At a width of 512 the projections dominate up to 1,024 places,
// and the pairs beyond. A model that reads 100,000 places spends nearly all multiplications of these layers on pairs.
//
// ## Shuffled places
//
// Attention compares what places say. Does it notice the order in which they stand? We shuffle the places of a sequence
// and compare the outputs before and after:
//- a shuffled sequence, with and without positions
void shuffled() {
    Generator random(book::seed());
    const nn::MultiHeadAttention layer(wide, 4, random);
    const Tensor x = random.normal({1, length, wide});
    std::vector<Index> order = {3, 7, 0, 5, 1, 6, 2, 4};
    const auto shuffle = [&](const Tensor& rows) {
        std::vector<Tensor> parts;
        for (const Index t : order) parts.push_back(slice(rows, 1, t, t + 1));
        return concat(parts, 1);
    };
    const auto gap = [&](const auto& f) {
        return double(max(abs(f(shuffle(x)) - shuffle(f(x)))).item());
    };
    const double plain = gap([&](const Tensor& rows) { return layer(rows); });
    const double placed = gap([&](const Tensor& rows) {
        return layer(rows + sinusoidal_positions(length, wide));
    });
    //-
    ask("You shuffle the eight places of a sequence. How many of the eight output "
        "vectors, "
        "as a set, are new?",
        {{"All: each place sees another order.", plain > 1e-6,
          "An average does not depend on the order of what is averaged."},
         {"None: the same eight vectors, in the new order.", plain <= 1e-6,
          "Each query meets the same keys and values, and an average does not depend "
          "on "
          "their order."},
         {"About half: those that changed their neighbours.", false,
          "Attention has no neighbours: it compares all pairs in the same way."}});
    //- what is checked
    say("largest difference to the shuffled output: {:.1e}", plain);
    claim("claim-attention-permutation/b",
          "with positions added, the largest difference to the shuffled output", placed,
          ">", 1e-3);
}
//-

// The query of a place is the same as before, and so are all keys and values. Only their order has changed, and a sum
// does not depend on the order of its terms. So the outputs are the old ones, shuffled in the same way: self-attention
// **commutes with permutations**. Sets need exactly this: the atoms of a molecule have no order, and a
// network that reads them should not invent one. For language it is fatal, since "dog bites man" is not "man bites
// dog". The remedy is to add to each input a vector that depends on its place, a {term}`positional encoding`.
//
// ## Limits and history
//
// {cite:t}`vaswani2017` introduced several heads in the Transformer, and argued as this page does: with a single
// head, the average inhibits attention to several places. What trained heads do is less tidy than
// {numref}`fig-heads`. Many heads can be removed after training with little loss {cite:p}`michel2019`. The number of
// heads cannot be raised at will, either: the product $W^Q_h (W^K_h)^\top$ has rank $D/H$ at most, so that many heads
// are many coarse matches {cite:p}`bhojanapalli2020`.
//
// ## Summary
//
// Multi-head attention projects its input to queries, keys and values for each head, lets each head attend, and joins
// the results with a matrix. The cost of all pairs grows with the square of the length. The layer does not see the
// order of the places unless positions are added.
//
// ## What is missing
//
// Two things remain. This page told the network each place by a vector with a single one in it, which says nothing
// about distances and ends at place 8; [a later page](positions.cpp) builds better ones. And the pairs are expensive:
// [the next page](linear_attention.cpp) avoids them.
//
// ```{exercises}
// - [Attention heads on the tape](/exercises/architectures/attention_heads.md)
// ```
//
// ```{try}
// - Fewer steps: `--steps 100`. Which of the two networks suffers more?
// - More heads: in the program, train with four. Do the last two find anything to do?
// ```
void page() {
    two_things();
    by_hand();
    cost();
    shuffled();
}
