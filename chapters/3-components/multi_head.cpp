// # Multi-head attention: several questions at once
//
// ```{rows} fig-4.13 sys-multi-head-attention claim-attention-quadratic claim-attention-permutation
// ```
//
// [Attention](attention.cpp) answers each query with one average. Suppose that a place needs two things: what stood one place before it, and what
// stood two places before. It can give both half of the weight, and receives their mean, in which nobody can tell any more which was
// which. The remedy is simple: ask twice. **Multi-head attention** runs several attentions side by side, each with its own queries, keys and
// values, and joins their results. {numref}`fig-heads` shows what two heads have learned from exactly this task.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
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
std::pair<Reader, double> train(Index heads, Generator& random) {
    Reader net{nn::MultiHeadAttention(wide, heads, random),
               nn::Linear(wide, 2 * symbols, random)};
    optim::Adam adam(nn::parameters(net), {.lr = 0.01});
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
        one.push_back(train(1, random).second);
        two.push_back(train(2, random).second);
    }
    Generator again(book::seed() + 1);
    const Reader net = train(2, again).first;
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
        "one place and two places before it. Nobody told the heads who does what.");
    say("share of right answers: one head {}, two heads {}",
        book::brief(over_seeds(one)), book::brief(over_seeds(two)));
    claim("", "two heads: the share of right answers", over_seeds(two), ">", 0.99);
    claim("", "one head of twice the size", over_seeds(one), "<", 0.9);
}
//-

// Both networks have the same number of weights: a single head of 16 numbers, or two heads of 8.
//
// ## Projections
//
// Where do queries, keys and values come from? From the input, by three matrices for each head. In a layer of width $D$ with $H$ heads, head
// $h$ has $W^Q_h$ and $W^K_h$, of $D$ by $D^{QK}$ numbers, and $W^V_h$, of $D$ by $D^V$. The results of all heads stand side by side, and a last
// matrix $W^O$ of $HD^V$ by $D$ joins them:
//
// $$Y_h = \operatorname{att}(X W^Q_h,\; X W^K_h,\; X W^V_h), \qquad Y = (Y_1 \mid \dots \mid Y_H)\, W^O$$
//
// Usually $D^{QK} = D^V = D/H$. More heads then cost nothing, and each sees less. With $D = 16$ and $H = 2$ the three matrices of a head have
// 128 numbers each, and $W^O$ has 256, together 1,024 for any number of heads. If keys and values come from a second
// sequence instead of $X$, this is **cross-attention**, and the layer connects two sequences; else it is **self-attention**.
//
// {cpp:class}`~recto::nn::MultiHeadAttention` keeps the matrices of all heads in one. To see that nothing else is going on, we take a head out
// of it by hand:
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
// Every query meets every key. A sequence of $N$ places has $N^2$ pairs, and each needs $D^{QK}$ multiplications for the match and $D^V$ for
// the average. The projections grow with $N$ alone. {numref}`fig-attention-cost` counts and measures both.
//- a count, a clock, and how the figure is drawn
// One attention by plain loops; counts its multiplications.
Index multiplications(Index n, Index d) {
    Index count = 0;
    std::vector<double> x(std::size_t(n * d), 0.5), y(std::size_t(n * d), 0.0);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
            double match = 0;
            for (Index c = 0; c < d; ++c, ++count)
                match += x[std::size_t(i * d + c)] * x[std::size_t(j * d + c)];
            for (Index c = 0; c < d; ++c, ++count)
                y[std::size_t(i * d + c)] += match * x[std::size_t(j * d + c)];
        }
    return count;
}

void cost() {
    Generator random(book::seed());
    const Index d = 32;
    std::vector<double> places, counted, seconds, log_n, log_s;
    double least = HUGE_VAL, most = 0;
    for (Index n = 64; n <= longest(); n *= 2) {
        places.push_back(double(n));
        counted.push_back(double(multiplications(n, d)) / 1e9);
        const double each = counted.back() / double(n * n);
        least = std::min(least, each), most = std::max(most, each);
        const Tensor x = random.normal({1, 1, n, d});
        double best = HUGE_VAL;
        for (int time = 0; time < 3; ++time) {
            const auto start = std::chrono::steady_clock::now();
            attention(x, x, x);
            const std::chrono::duration<double> took =
                std::chrono::steady_clock::now() - start;
            best = std::min(best, took.count());
        }
        seconds.push_back(best);
        if (n >= 1024)
            log_n.push_back(std::log(double(n))), log_s.push_back(std::log(best));
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
            "four "
            "times the multiplications (left), and for long sequences four times the "
            "time "
            "(right).");
    book::shows("claim-attention-quadratic/a", "fig-attention-cost");
    claim("claim-attention-quadratic/b",
          "multiplications for each pair of places, the most minus the fewest",
          most - least, "==", 0);
    if (log_n.size() < 2) return;
    const double slope =
        (log_s.back() - log_s.front()) / (log_n.back() - log_n.front());
    timing_claim("claim-attention-quadratic/c",
                 "slope of log time against log length, from 1,024 places on", slope,
                 ">=", 1.7);
    timing_claim("claim-attention-quadratic/c", "the same", slope, "<=", 2.2);
}
//-

// At a width of 512 the projections cost $4D^2$ multiplications for each place, and attention $2ND$. They are equal at $N = 2D = 1024$: below
// that the projections dominate, and above it the pairs.
//
// ## It does not know the order
//
// Shuffle the places of a sequence, and ask each place again. Its query is the same, and the keys and values are the same, only in
// another order; and an average does not depend on the order. So the outputs are the old ones, shuffled in the same way:
// self-attention **commutes with permutations**. For language this is fatal, since "dog bites man" is not "man bites dog". The remedy is to
// add a vector to each input that depends on its place, the {term}`positional encoding` of a later page:
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
         {"About half.", false, "Why should a place be an exception?"}});
    say("largest difference to the shuffled output: {:.1e}", plain);
    claim("claim-attention-permutation/b",
          "with positions added, the largest difference to the shuffled output", placed,
          ">", 1e-3);
}
//-

// ## Limits and history
//
// {cite:t}`vaswani2017` introduced several heads in the Transformer, and argued as this page does: one head averages away. What trained heads do
// is less tidy than {numref}`fig-heads`. Many can be removed after training with little loss {cite:p}`michel2019`. And each
// head of width $D/H$ can express matches of rank $D/H$ only, so that the number of heads cannot be raised at will.
//
// ## Summary
//
// Multi-head attention projects its input to queries, keys and values for each head, lets each head attend, and joins the results with
// a matrix. The cost of all pairs grows with the square of the length. The order of the places does not matter to it unless positions are
// added.
//
// ## What is missing
//
// Places entered this page as vectors with a single one. [The next page](positions.cpp) gives them
// vectors that know distances.
//
// ```{try}
// - One more head: in the program, train with four heads. Does a third head find anything to do?
// ```
void page() {
    two_things();
    by_hand();
    cost();
    shuffled();
}
