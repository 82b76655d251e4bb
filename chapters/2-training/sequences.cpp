// # Autoregressive models: one symbol at a time
//
// ```{rows} eq-chain-rule-probability eq-autoregressive-logits eq-causal-model fig-3.1 claim-causal-one-pass eq-perplexity sys-autoregressive-sampling
// ```
//
// So far every target had a fixed size. Text and music have none. How can a network assign a probability to a whole
// sequence, and how can it write one? An **autoregressive model** predicts one symbol from those before it. The **chain
// rule of probability** turns its predictions into the probability of a sequence, and the loss is one that you know, the
// cross-entropy. The page adds two things: the **causal model**, which makes all predictions in one pass, and **sampling
// text** from a model ({numref}`fig-warmer`).
//
// What does a model have to know before it can draw one symbol? Move the slider:
//
// ```{opening} fig-3.1
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/classic/chi_squared.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/influence.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/text/generate.hpp>
#include <recto/text/perplexity.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> width("width", 16, "width of the model: numbers per position",
                                {.least = 2, .most = 128});
const book::Option<Index> steps_made("steps", 300, "number of training steps",
                                     {.quick = 20, .least = 1, .most = 10'000});
const book::Option<Index> samples("samples", 200'000, "number of sequences sampled",
                                  {.quick = 2000, .least = 100, .most = 5'000'000});
//-

// ## The chain rule of probability
//
// A sequence has symbols $x_1, \dots, x_T$, each one of $K$. There are $K^T$ sequences: with 27 symbols and ten
// positions, $2 \times 10^{14}$, far too many for a table. But every probability in this table follows from answers to a
// small question: *which symbol comes next?* Suppose that a word begins with *a* with probability 0.6, that *b* follows
// this *a* with probability 0.6, and that the word ends after *ab* with probability 0.2. Then the word *ab* has the
// probability $0.6 \cdot 0.6 \cdot 0.2 = 0.072$. This is the {term}`chain rule of probability`:
//
// ```{equation} eq-chain-rule-probability
// :function: chain
// p(x_1, \dots, x_T) = \prod_{t=1}^{T} p(x_t \mid x_1, \dots, x_{t-1})
// ```
//
// The rule is exact. To check it, take random probabilities for all sequences of four symbols out of three, compute the
// probability of every next symbol after every beginning, and multiply these conditional probabilities:
//- a random table of probabilities
void chain() {
    Generator random(book::seed());
    std::vector<double> joint;
    for (int i = 0; i < 81; ++i) joint.push_back(random.next_uniform());
    const double total = std::accumulate(joint.begin(), joint.end(), 0.0);
    for (double& p : joint) p /= total;
    //-

    // A sequence is a number with four digits in base 3, so all sequences with the same beginning are adjacent. `begins`
    // adds up their probabilities, and `next` holds the conditional probabilities:
    const auto begins = [&](Index digits, Index length) {
        const Index many = Index(std::pow(3, 4 - length));
        return std::accumulate(joint.begin() + digits * many,
                               joint.begin() + (digits + 1) * many, 0.0);
    };
    std::vector<std::vector<double>> next(4);  // for each length, all beginnings
    for (Index t = 0; t < 4; ++t)
        for (Index i = 0; i < Index(std::pow(3, t + 1)); ++i)
            next[std::size_t(t)].push_back(begins(i, t + 1) / begins(i / 3, t));
    //- the products against the table

    double worst = 0;
    for (Index i = 0; i < 81; ++i) {
        const double product = next[0][std::size_t(i / 27)] *
                               next[1][std::size_t(i / 9)] *
                               next[2][std::size_t(i / 3)] * next[3][std::size_t(i)];
        worst = std::max(worst, std::abs(product - joint[std::size_t(i)]));
    }
    claim("eq-chain-rule-probability/a",
          "largest difference between an entry and the product of its conditionals",
          worst, "<=", 1e-12);
}
//-

// Each factor is a classification: given these symbols, which of $K$ classes comes next? The logarithm turns the product
// into a sum. So the negative log-likelihood of a sequence is a sum of {term}`cross-entropies <cross-entropy>`, one for
// each symbol.
//
// ## A model of the next symbol
//
// The input of this classifier is a beginning, and beginnings have different lengths. One solution is to fill the
// remaining positions with a symbol 0 that means *not known yet* {cite:p}`fleuret2023`. The model takes $T$ symbols from
// $0, \dots, K$ and returns $K$ scores, its {term}`logits <logit>`, for the symbol at the position of the first 0:
//
// ```{equation} eq-autoregressive-logits
// :function: f
// f : \{0, 1, \dots, K\}^T \to \mathbb{R}^K
// ```
//
// Our network is a small GPT, {cpp:struct}`~recto::nn::Gpt` {cite:p}`radford2019`. It represents every position by a
// vector, a *row* of numbers. In each of its *layers*, [attention](../components/attention.cpp), which the next chapter
// builds, changes every row by a weighted mean of all rows. The weights of this mean are a softmax of scores, computed
// from the rows by learned matrices. A **mask** can set chosen weights to zero, so that a row cannot see certain other
// rows. The symbol 0 has a second use: it stands before the first symbol, so that there is a row even when nothing is
// known.
//- the model's size
constexpr Index K = 4, T = 8;

nn::Gpt new_model(Index layers, Index time, Generator& random) {
    return nn::Gpt({.tokens = K + 1,
                    .time = time + 1,
                    .layers = layers,
                    .width = width(),
                    .heads = 2},
                   random);
}
Tensor symbols_only(const Tensor& scores) { return slice(scores, 2, 1, K + 1); }
//-

// The function `f` finds the number of known symbols, masks everything behind them, and returns the scores at the last
// known position:
Tensor f(const nn::Gpt& model, std::vector<Index> x, bool masked = false) {
    const Index known = std::ranges::find(x, 0) - x.begin();
    x.insert(x.begin(), 0);
    const Integers rows({1, Index(x.size())}, x), seen({1}, {known + 1});
    return select(symbols_only(model(rows, {.causal = masked, .lengths = seen})), 1,
                  known);
}

// In `f` every row sees every known symbol. What stands after the first 0 must not change the scores:
//- whether it does
std::vector<Index> random_symbols(Index count, Generator& random) {
    return random.integers({count}, 1, K + 1).values();
}
void after_the_mark() {
    const NoGrad only_asking;
    Generator random(book::seed());
    const nn::Gpt model = new_model(1, T, random);
    int changed = 0;
    for (Index known = 0; known < T; ++known) {
        std::vector<Index> x = random_symbols(T, random);
        x[std::size_t(known)] = 0;
        const std::vector<Real> scores = f(model, x).values();
        std::ranges::copy(random_symbols(T - known - 1, random), x.begin() + known + 1);
        changed += f(model, x).values() != scores;
    }
    claim("eq-autoregressive-logits/a",
          "outputs changed, in any bit, by what stands after the first 0", changed,
          "==", 0);
}
//-

// This works, but it is wasteful: a sequence of $T$ symbols needs $T$ runs of the whole model.
//
// ## Causal models
//
// The $T$ questions overlap, because each beginning is part of the next. So let the model answer all of them in one run.
// It takes the sequence and returns a row of logits for every position:
//
// ```{equation} eq-causal-model
// :function: recto::nn::influence
// :test: influence: finds who looks at whom
// f : \{1, \dots, K\}^T \to \mathbb{R}^{T \times K}, \qquad l_t \text{ depends on } x_1, \dots, x_{t-1} \text{ alone.}
// ```
//
// A model with this property is {term}`causal <causal model>`. It is essential: the answer $x_t$ is part of the input,
// and a model that sees it learns to copy. A GPT becomes causal by two measures. Its input is shifted by one position,
// so that row $t$ has read $x_{t-1}$ last. And a **causal mask** hides all later rows from every row.
Tensor causal(const nn::Gpt& model, std::vector<Index> x) {
    x.insert(x.begin(), 0), x.pop_back();
    return symbols_only(model(Integers({1, Index(x.size())}, x), {.causal = true}));
}

// The same weights define both functions, `f` and `causal`. Do the two functions agree?
//- the largest difference of the two functions
double farthest(const Tensor& a, const Tensor& b) { return max(abs(a - b)).item(); }

double largest_difference(Index layers, bool masked, Generator& random) {
    const NoGrad only_asking;
    const nn::Gpt model = new_model(layers, T, random);
    double most = 0;
    for (int trial = 0; trial < 20; ++trial) {
        const std::vector<Index> x = random_symbols(T, random);
        const Tensor rows = causal(model, x);
        for (Index t = 0; t < T; ++t) {
            std::vector<Index> beginning = x;
            std::fill(beginning.begin() + t, beginning.end(), 0);
            most = std::max(most,
                            farthest(f(model, beginning, masked), select(rows, 1, t)));
        }
    }
    return most;
}

void two_ways() {
    std::vector<double> one_layer, two_layers, masked;
    for (std::uint64_t draw = 0; draw < 5; ++draw) {
        Generator random(book::seed() + draw);
        one_layer.push_back(largest_difference(1, false, random));
        two_layers.push_back(largest_difference(2, false, random));
        masked.push_back(largest_difference(2, true, random));
    }
    claim("eq-autoregressive-logits/b",
          "with one layer: largest difference of f from the causal model's row",
          over_seeds(one_layer), "<=", 1e-12);
    claim("eq-autoregressive-logits/c", "the same with two layers",
          over_seeds(two_layers), ">", 1e-3);
    claim("eq-autoregressive-logits/d",
          "with two layers, and the causal mask in f as well", over_seeds(masked),
          "<=", 1e-12);
}
//-

// With one layer they agree, with two they differ. In `f` the row of $x_1$ may look at $x_2$, since both are known, and
// the second layer reads rows that have looked ahead. In the causal model the row of $x_1$ never sees a later symbol.
// With the causal mask in `f` as well, both agree at any depth. So a deep causal model is a more restricted function
// than `f`, and the restriction lets all positions share their work.
//
// ## Measuring what a model sees
//
// A mask is easily forgotten or off by one, and then the training loss looks splendid. So measure.
// {cpp:func}`~recto::nn::influence` replaces every symbol at every position and records which rows of the output change,
// by as little as one bit. It works for any model of sequences:
Tensor measured(const AttentionOptions& attending) {
    Generator random(book::seed());
    const nn::Gpt model = new_model(2, T, random);
    const auto rows = [&](const Integers& tokens) {
        std::vector<Index> x = tokens.values();
        for (Index& symbol : x) symbol += 1;
        x.insert(x.begin(), 0), x.pop_back();
        return symbols_only(model(Integers({1, T}, x), attending));
    };
    return nn::influence(rows, T, K, random);
}
//- what is checked
Tensor who_sees_whom() {
    const Tensor seen = measured({.causal = true});
    double ahead = 0;
    int missing = 0;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < T; ++s) {
            if (s >= t) ahead = std::max(ahead, seen.at({t, s}));
            if (s < t) missing += seen.at({t, s}) == 0;
        }
    claim_true("eq-causal-model/a", "a symbol changes logits at later places only",
               nn::is_causal(seen));
    claim("eq-causal-model/b", "the largest change at its own place or before", ahead,
          "==", 0);
    claim_true("fig-3.1/a", "the measured matrix is strictly lower-triangular",
               nn::is_causal(seen));
    claim("fig-3.1/b", "entries missing below the diagonal", missing, "==", 0);
    claim_true("", "the same model without its mask is caught",
               !nn::is_causal(measured({.causal = false})));
    return seen;
}
//-

//- arrows, in units of pixels
struct Arrows {
    std::vector<double> x, y;
    void add(double x0, double y0, double x1, double y1) {
        const double length = std::hypot(x1 - x0, y1 - y0), dx = (x1 - x0) / length,
                     dy = (y1 - y0) / length;
        x0 += 15 * dx, y0 += 15 * dy, x1 -= 15 * dx, y1 -= 15 * dy;
        for (const double side : {-3.5, 3.5})
            for (const auto& [px, py] :
                 {std::pair(x0, y0), std::pair(x1, y1),
                  std::pair(x1 - 8 * dx + side * dy, y1 - 8 * dy - side * dx),
                  std::pair(double(NAN), double(NAN))})
                x.push_back(px), y.push_back(py);
    }
    void draw(Figure& figure, figure::Color color, double opacity, double thick) const {
        figure.line("", x, y,
                    {.color = color,
                     .dash = figure::solid,
                     .width = thick,
                     .opacity = opacity,
                     .points = false});
    }
};
//-

// {numref}`fig-3.1` draws this matrix: a blue arrow for each symbol that changes a row of logits. In *training* all $x$
// are known, and the model computes all blue arrows at once. In *writing*, each symbol is drawn from logits (red
// arrows), and only then can the next logits be computed.
//- how the figure is drawn
void draw_graph(const Tensor& seen) {
    const auto across = [](Index t) { return 45.0 + 78 * double(t); };
    const double top = 190, bottom = 30;
    Figure graph("fig-3.1");
    graph
        .describe(
            "Two rows of eight nodes, logits l1 to l8 above and symbols x1 to x8 "
            "below. Blue arrows lead from each symbol up to all later logits, none "
            "straight up or back. Red arrows lead from each logit down to its symbol. "
            "A slider makes the arrows of one step bold.")
        .height(220)
        .slider("t", {1, 2, 3, 4, 5, 6, 7, 8}, "symbol being drawn", 5);
    Arrows influence, sampling;
    for (Index t = 0; t < T; ++t) {
        const double here = across(t);
        Arrows now, drawn;
        for (Arrows* arrows : {&drawn, &sampling}) arrows->add(here, top, here, bottom);
        for (Index s = 0; s < T; ++s)
            if (seen.at({t, s}) != 0)
                for (Arrows* arrows : {&now, &influence})
                    arrows->add(across(s), bottom, here, top);
        graph.at(double(t + 1));
        if (!now.x.empty()) now.draw(graph, figure::blue, 1, 2);
        drawn.draw(graph, figure::red, 1, 2.5);
        graph.always().words("", {here, here}, {top, bottom},
                             {fmt::format("l{}", t + 1), fmt::format("x{}", t + 1)},
                             {.color = figure::ink, .width = 15});
    }
    influence.draw(graph, figure::blue, 0.3, 1);
    sampling.draw(graph, figure::red, 0.4, 1);
    graph.xlim(0, 640).ylim(0, 220).bare().save(
        "What depends on what in a causal model, as measured. Blue: a symbol changes "
        "these logits. Red: a symbol is drawn from its logits. Bold: everything that "
        "the drawing of one symbol needs. Move the slider: each symbol needs all those "
        "before it, so writing cannot be parallel. After Figure 3.1 of "
        "{cite:t}`fleuret2023`.");
    book::shows("fig-3.1/c", "fig-3.1");
}
//-

// ## What one pass saves
//
// One pass must give the same loss as the sum over all beginnings. Here is the loss of one pass; `loss_one_by_one`, in
// the fold, gives the model one beginning after the other:
double loss_at_once(const nn::Gpt& model, const std::vector<Index>& x) {
    std::vector<Index> labels = x;
    for (Index& label : labels) label -= 1;
    const Index time = Index(x.size());
    return double(time) *
           double(cross_entropy(causal(model, x), Integers({1, time}, labels)).item());
}
//- the loss as a sum over beginnings
double loss_one_by_one(const nn::Gpt& model, const std::vector<Index>& x) {
    double sum = 0;
    for (std::size_t t = 0; t < x.size(); ++t) {
        const std::vector<Index> beginning(x.begin(),
                                           x.begin() + std::ptrdiff_t(t) + 1);
        const Tensor last = select(causal(model, beginning), 1, Index(t));
        sum += double(cross_entropy(last, Integers({1}, {x[t] - 1})).item());
    }
    return sum;
}
//-

// How much longer do separate passes take? There are $T$ of them, of half the length on average. If time is
// proportional to length, together they take about $T/2$ times as long as one pass; if every pass takes the same time,
// $T$ times. Other programs on the machine can push a measured ratio beyond both. We measure a somewhat larger model on
// sequences of growing length ({numref}`fig-passes`):
//- how the times are measured and drawn
void one_pass() {
    const NoGrad only_asking;
    Generator random(book::seed());
    const nn::Gpt model(
        {.tokens = K + 1, .time = 65, .layers = 2, .width = 64, .heads = 4}, random);
    const std::vector<Index> whole = random_symbols(64, random);
    claim("claim-causal-one-pass/a",
          "difference between the loss of one pass and the sum over beginnings",
          std::abs(loss_at_once(model, whole) - loss_one_by_one(model, whole)),
          "<=", 1e-5);
    std::vector<double> lengths, once, each;
    double ratio = 0;
    for (const Index time : {1, 2, 4, 8, 16, 32, 64}) {
        const std::vector<Index> x(whole.begin(), whole.begin() + time);
        const book::Comparison took = book::compare_seconds(
            [&] { loss_one_by_one(model, x); }, [&] { loss_at_once(model, x); });
        lengths.push_back(double(time));
        once.push_back(1000 * took.second), each.push_back(1000 * took.first);
        ratio = took.ratio;
    }
    book::timing_claim(
        "claim-causal-one-pass/b",
        "with 64 symbols, time of the separate passes as a multiple of one pass", ratio,
        ">=", 5);
    Figure("fig-passes")
        .describe(
            "Milliseconds against the length of the sequence, both axes logarithmic. "
            "The line of one pass rises slowly; the line of separate passes starts at "
            "the same time and rises much more steeply.")
        .line("one pass", lengths, once)
        .line("a pass for each beginning", lengths, each)
        .log_axes()
        .x("length T")
        .y("milliseconds")
        .save(
            "Time for the loss of one sequence on this machine. The line of one pass "
            "rises slowly, because a short sequence costs little more than the calls "
            "of "
            "the operations; separate passes need one run for every symbol.");
    book::shows("claim-causal-one-pass/c", "fig-passes");
}
//-

// ## Perplexity
//
// Is a loss of 1.2 nats per symbol good? A number of choices is easier to judge. A model that is undecided between $k$
// equally likely symbols has the loss $\log k$. Invert this formula for any model:
//
// ```{equation} eq-perplexity
// :function: recto::text::perplexity
// :test: perplexity: of K equal choices it is K; perplexity: exp of the mean negative log-likelihood
// \exp\Big( -\frac{1}{N} \sum_{n=1}^{N} \log p(x_n) \Big)
// ```
//
// This is the {term}`perplexity` {cite:p}`jelinek1977`: the number of equally likely choices that would be as
// surprising. A loss of 1.2 nats is a perplexity of $e^{1.2} = 3.3$.
//- a uniform model
void perplexities() {
    double worst = 0;
    for (const Index symbols : {2, 27, 50'000}) {
        const Tensor same = zeros({10, symbols});
        const double found =
            text::perplexity(same, Integers({10}, std::vector<Index>(10, 1)));
        worst = std::max(worst, std::abs(found - double(symbols)));
    }
    claim("eq-perplexity/a", "a uniform model over K symbols: distance from K", worst,
          "<=", 1e-6);
    //-

    //- perplexity and cross-entropy
    Generator random(book::seed());
    const Tensor scores = random.normal({100, 27}), logs = log_softmax(scores);
    const Integers came = random.integers({100}, 0, 27);
    std::vector<double> log_probabilities;
    for (Index n = 0; n < 100; ++n)
        log_probabilities.push_back(logs.at({n, came.values()[std::size_t(n)]}));
    const double by_hand = text::perplexity(log_probabilities),
                 by_loss = std::exp(cross_entropy(scores, came).item());
    claim("eq-perplexity/b", "perplexity, and exp of the cross-entropy: they differ by",
          std::abs(by_hand - by_loss) / by_hand, "<=", 1e-12);
    //-

    //- the perplexity of two symbols
    const double answer = text::perplexity(std::vector{std::log(0.5), std::log(0.125)});
    const auto is = [&](double guess) { return std::abs(answer - guess) < 1e-9; };
    //-
    ask("A model gave the first of two symbols the probability 1/2, and the second "
        "1/8. What is its perplexity?",
        {{"3.2: the mean probability is 5/16, and its inverse is 3.2.", is(3.2),
          "The probabilities of successive symbols multiply, so their arithmetic mean "
          "has no meaning here."},
         {"4: the product is 1/16, so 1/4 for each symbol.", is(4),
          "Two choices among four are as likely as one among two and one among eight: "
          "the mean is a geometric one."},
         {"5: the mean of 2 and 8 choices.", is(5),
          "5 is the arithmetic mean. The mean of logarithms gives the geometric mean "
          "of 2 and 8, which is 4."}});
}

// ## Sampling text
//
// We now put everything together, on a language so small that it is known completely. It has three letters, a full stop
// that ends a word, and a table of the probabilities of the next symbol:
const std::vector<std::vector<double>> language = {
    {0.6, 0.3, 0.1, 0.0},   // of a, b, c and the full stop, at the beginning
    {0.1, 0.6, 0.1, 0.2},   // after a
    {0.2, 0.1, 0.5, 0.2},   // after b
    {0.5, 0.2, 0.0, 0.3}};  // after c
constexpr Index stop = 3;

std::vector<Real> next_letter(std::span<const Index> before) {
    std::vector<Real> scores;
    for (const double p : language[before.empty() ? 0 : std::size_t(before.back()) + 1])
        scores.push_back(std::log(p));  // what cannot follow has the score -inf
    return scores;
}

// To write, draw a symbol from the scores, append it, ask again, and stop at the full stop.
// {cpp:func}`~recto::text::generate` does this for anything that returns scores, a table or a network. Does it draw
// words with the right probabilities? We list all words with their probabilities, cut off after the fourth symbol, and
// draw two hundred thousand. {cpp:func}`~recto::classic::chi_squared_p_value` computes the *p-value*, the probability of
// so large a deviation by chance; a wrong sampler would make it nearly zero.
//- how the words are counted
void write() {
    std::map<std::vector<Index>, Index> number;  // of every word
    std::vector<Real> probabilities;
    for (Index i = 0; i < K * K * K * K; ++i) {
        std::vector<Index> word;
        double p = 1;
        for (Index rest = i; word.size() < 4 && (word.empty() || word.back() != stop);
             rest /= K) {
            p *= std::exp(next_letter(word)[std::size_t(rest % K)]);
            word.push_back(rest % K);
        }
        if (number.emplace(word, Index(number.size())).second)
            probabilities.push_back(p);
    }
    Generator random(book::seed());
    std::vector<Index> drawn;
    for (Index i = 0; i < samples(); ++i)
        drawn.push_back(number.at(
            text::generate(next_letter, {}, random, {.stop = stop, .most = 4})));
    say("{} words of up to four symbols, {} of them possible", number.size(),
        std::ranges::count_if(probabilities, [](double p) { return p > 0; }));
    claim("sys-autoregressive-sampling/a",
          "p-value of the chi-squared test of the words drawn",
          classic::chi_squared_p_value(drawn, probabilities), ">", 1e-3);
}
//-

// Now the network. Every training step draws a new [mini-batch](../foundations/classification.cpp) of words of at most
// eight symbols, filled up with 0, which the loss ignores. One pass answers all questions about all words of the
// mini-batch, and the loss is a single line:
//- words to learn from
struct Batch {
    Integers before, next;  // (words, 8)
};
Batch draw_words(Index count, Generator& random) {
    std::vector<Index> before, next;
    for (Index n = 0; n < count; ++n) {
        const auto word =
            text::generate(next_letter, {}, random, {.stop = stop, .most = T});
        for (Index t = 0; t < T; ++t) {
            before.push_back(t == 0 ? 0 : next.back());
            next.push_back(t < Index(word.size()) ? word[std::size_t(t)] + 1 : 0);
        }
    }
    return {Integers({count, T}, before), Integers({count, T}, next)};
}
//-
Tensor loss(const nn::Gpt& model, const Batch& batch) {
    return cross_entropy(model(batch.before), batch.next, {.ignored = 0});
}

// We train with Adam, an [optimiser](optimisers.cpp) explained later in this chapter. No model can have a lower
// perplexity than the language itself, except by luck on a finite sample. Both are measured on new words:
//- both perplexities, and the training
double language_perplexity(const Batch& batch) {
    const std::vector<Index> before = batch.before.values(), next = batch.next.values();
    std::vector<double> logs;
    for (std::size_t i = 0; i < next.size(); ++i)
        if (next[i] > 0)
            logs.push_back(
                std::log(language[std::size_t(before[i])][std::size_t(next[i] - 1)]));
    return text::perplexity(logs);
}
nn::Gpt learn() {
    Generator random(book::seed());
    const nn::Gpt model = new_model(2, T, random);
    const Batch fresh = draw_words(5000, random);
    const auto perplexity = [&] {
        const NoGrad only_asking;
        return std::exp(double(loss(model, fresh).item()));
    };
    const double before = perplexity(), best = language_perplexity(fresh);
    optim::Adam adam(nn::parameters(model), {.lr = 0.01});
    optim::fit(adam, [&] { return loss(model, draw_words(64, random)); },
               {.steps = steps_made()});
    say("perplexity at first {:.3f}, then {:.3f}; of the language {:.3f}", before,
        perplexity(), best);
    claim("", "perplexity of the model, as a multiple of that of the language",
          perplexity() / best, "<=", 1.05);
    return model;
}
//-

// ## Temperature and top-k sampling
//
// To control what a trained model writes, divide the scores by a {term}`temperature` before the softmax, as on [an
// earlier page](softmax.cpp). Below 1, probable symbols become more probable, and at 0 only the most probable is ever
// taken; above 1, all symbols become more alike. {term}`Top-k sampling <top-k sampling>` keeps the $k$ highest scores
// and excludes the others {cite:p}`fan2018`: a single very improbable symbol can spoil all that follows it.
//- how the words are written
void steer(const nn::Gpt& model) {
    const auto next = [&](std::span<const Index> word) {
        const NoGrad only_asking;
        std::vector<Index> x{0};
        for (const Index letter : word) x.push_back(letter + 1);
        const Index last = Index(x.size()) - 1;
        const Tensor rows = symbols_only(model(Integers({1, last + 1}, x)));
        return select(rows, 1, last).values();
    };
    const auto words = [&](const text::Sampling& sampling) {
        Generator random(book::seed());
        std::string line;
        for (int i = 0; i < 8; ++i) {
            for (const Index letter : text::generate(next, {}, random, sampling))
                line += "abc."[letter];
            line += ' ';
        }
        return line;
    };
    //-
    for (const double temperature : {0.0, 0.5, 1.0, 3.0})
        say("temperature {:.1f}: {}", temperature,
            words({.temperature = temperature, .stop = stop, .most = T}));
    say("the best two:    {}", words({.top_k = 2, .stop = stop, .most = T}));

    // At temperature 0 the model repeats one word and never reaches a full stop: after *a* the most probable symbol is
    // *b*, then *c*, then *a* again. {numref}`fig-warmer` shows the probabilities of one choice, the symbol after *ab*.
    //- how the figure is drawn
    const std::vector<Real> scores = next(std::vector<Index>{0, 1});
    std::vector<double> settings;
    for (int i = 0; i <= 12; ++i) settings.push_back(0.25 * i);
    Figure warm("fig-warmer");
    warm.describe(
            "Four bars, the probabilities of a, b, c and the full stop after ab. At "
            "temperature 0 all probability is on c; at 1, c has half and the others "
            "share the rest; at 3 the bars are more alike.")
        .slider("temperature", settings, "temperature", 1)
        .height(220);
    for (const double setting : settings) {
        const std::vector<Real> p = text::chances(scores, {.temperature = setting});
        warm.at(setting).bars("", Names{"a", "b", "c", "."}, p,
                              {.color = figure::blue});
    }
    warm.ylim(0, 1)
        .x("next symbol")
        .y("probability")
        .save(
            "Probabilities of the symbol after *ab* in the trained model. Move the "
            "temperature: at 1 they are what the model learned, roughly the 0.2, 0.1, "
            "0.5, 0.2 of the table; lower temperatures sharpen them, higher ones level "
            "them.");
}
//-

void page() {
    chain();
    after_the_mark();
    two_ways();
    draw_graph(who_sees_whom());
    one_pass();
    perplexities();
    write();
    steer(learn());
}

// Writing remains slow: every symbol needs a run of the model. But the rows of the beginning never change, so they can
// be kept ({cpp:struct}`~recto::nn::KeyValueCache`), and each run computes one new row in every layer.
//
// ## Summary
//
// The chain rule writes the probability of a sequence as a product of next-symbol probabilities, so the loss of a
// sequence is a sum of cross-entropies. A causal model computes all of them in one pass, because no position sees its own
// symbol or a later one; measure this instead of trusting it. To write, sample one symbol after the other, with a
// temperature if you like.
//
// ## What is missing
//
// Our symbols came from a table that we wrote ourselves. [The next page](bigrams.cpp) learns such a
// table from real words, in two ways: by counting, and by gradient descent. The page after it looks further back.
//
// ```{try}
// - A smaller model, or a longer training: `--width 2`, `--steps 2000`. How close to the language's perplexity does it
//   come?
// - Fewer words in the test: `--samples 1000`, with several seeds. How much does the p-value vary?
// ```
