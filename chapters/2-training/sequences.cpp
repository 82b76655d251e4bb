// # One symbol at a time
//
// ```{rows} eq-chain-rule-probability eq-autoregressive-logits eq-causal-model fig-3.1 claim-causal-one-pass eq-perplexity sys-autoregressive-sampling
// ```
//
// So far every question had an answer of a fixed size: a number, a class, a point. Text has no fixed size.
// Neither has music, a move in chess after all the moves before it, or a program. This page finds a loss for
// sequences, and it turns out that we have it already. What is new is how a network must be built so that this
// loss is cheap, and how one gets sequences out of it.
//- includes and names
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
//-

// Three numbers can be changed:
const book::Option<Index> width("width", 16,
                                "how many numbers the model has at a place",
                                {.least = 2, .most = 128});
const book::Option<Index> steps_made("steps", 300, "how many steps it learns for",
                                     {.quick = 20, .least = 1, .most = 10'000});
const book::Option<Index> samples("samples", 200'000, "how many sequences are drawn",
                                  {.quick = 2000, .least = 100, .most = 5'000'000});

// ## A chain of choices
//
// A sequence has symbols $x_1, \dots, x_T$, each one of $K$. There are $K^T$ sequences, and nobody can keep a
// table of their probabilities. But any such table can be had from small questions, *what comes next?*, by the
// {term}`chain rule of probability`:
//
// ```{equation} eq-chain-rule-probability
// :function: chain
// P(X_1 = x_1, \dots, X_T = x_T) = \prod_{t=1}^{T} P(X_t = x_t \mid X_1 = x_1, \dots, X_{t-1} = x_{t-1})
// ```
//
// Nothing is assumed here and nothing is lost. To see it, take a table without any structure at all, random
// numbers for all sequences of four symbols out of three. From it we compute what comes next after every
// beginning, then throw it away and multiply:
void chain() {
    Generator random(book::seed());
    std::vector<double> joint;
    for (int i = 0; i < 81; ++i) joint.push_back(random.next_uniform());
    const double total = std::accumulate(joint.begin(), joint.end(), 0.0);
    for (double& p : joint) p /= total;

    // A sequence is a number with four digits to the base 3. So all that begin in the same way stand side by side:
    const auto begins = [&](Index digits, Index length) {
        const Index many = Index(std::pow(3, 4 - length));
        return std::accumulate(joint.begin() + digits * many,
                               joint.begin() + (digits + 1) * many, 0.0);
    };
    std::vector<std::vector<double>> next(4);  // for each length, all beginnings
    for (Index t = 0; t < 4; ++t)
        for (Index i = 0; i < Index(std::pow(3, t + 1)); ++i)
            next[std::size_t(t)].push_back(begins(i, t + 1) / begins(i / 3, t));

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

// Each factor is a classification: given these symbols, which of $K$ classes is next? And the logarithm turns the
// product into a sum. So the negative log-likelihood of a sequence is a sum of {term}`cross-entropies
// <cross-entropy>`, one for each symbol, and we know how to make that small.
//
// ## A function of a beginning
//
// What is the input of this classifier? Beginnings have all lengths, and a function wants one. The direct way is
// to fill up with a symbol 0 that means *not known yet* {cite:p}`fleuret2023`. The model takes $T$ symbols from
// $0, \dots, K$, and gives $K$ scores, its {term}`logits <logit>`, for the symbol that belongs where the first 0
// is:
//
// ```{equation} eq-autoregressive-logits
// :function: f
// f : \{0, 1, \dots, K\}^T \to \mathbb{R}^K
// ```
//
// Our network is a small GPT, {cpp:struct}`~recto::nn::Gpt` {cite:p}`radford2019`; its chapter is still to come.
// Here it is enough to know that it gives every symbol a row of numbers, and that in each of its *layers* a row
// is changed by what it finds in others: it *attends* to them. We may say to which. Symbol 0 has a second use: it
// stands before the first symbol, so that there is a row even when nothing is known.
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

Tensor f(const nn::Gpt& model, std::vector<Index> x, bool masked = false) {
    const Index known = std::ranges::find(x, 0) - x.begin();
    x.insert(x.begin(), 0);
    const Integers rows({1, Index(x.size())}, x), seen({1}, {known + 1});
    return select(symbols_only(model(rows, {.causal = masked, .lengths = seen})), 1,
                  known);
}

// In `f` every row sees every known symbol. What stands after the first 0 must not matter, for it is not known:
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
          "outputs changed, in any bit, by what stands after the mark", changed,
          "==", 0);
}

// This works, and it is wasteful. A sequence of $T$ symbols asks $T$ questions, and each is a run of the whole
// model.
//
// ## All questions at once
//
// Look at what the questions have in common: the beginning of one is part of the beginning of the next. So let
// the model answer all of them in one run. It takes the sequence and gives a row of logits for every place,
//
// ```{equation} eq-causal-model
// :function: recto::nn::influence
// :test: influence: finds who looks at whom
// f : \{1, \dots, K\}^T \to \mathbb{R}^{T \times K}, \qquad l_t \text{ depends on } x_1, \dots, x_{t-1} \text{ alone.}
// ```
//
// A model that keeps this promise is {term}`causal <causal model>`. Without it training would be a farce: the
// answer $x_t$ stands in the input, and a model that may look there learns to copy. A GPT keeps it by two
// devices. Its input moves on by one place, so that row $t$ has read $x_{t-1}$ last. And attention gets a *mask*:
// no row sees later rows.
Tensor causal(const nn::Gpt& model, std::vector<Index> x) {
    x.insert(x.begin(), 0), x.pop_back();
    return symbols_only(model(Integers({1, Index(x.size())}, x), {.causal = true}));
}

// The same weights serve both functions. Are they then the same function?
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
    claim("eq-autoregressive-logits/c", "with two layers", over_seeds(two_layers), ">",
          1e-3);
    claim("eq-autoregressive-logits/d", "with two layers, f with the causal mask",
          over_seeds(masked), "<=", 1e-12);
}

// With one layer the two are the same function. With two they are not: in `f` the row of $x_1$ may look
// at $x_2$, for both are known. The next layer reads rows that have looked. In the causal model $x_1$ never sees
// what comes after it, not even when that is known. With the mask in `f` as well, both agree at any depth. So a deep causal
// model is not `f` made fast; it is a poorer function that shares its work.
//
// ## Asking the model what it sees
//
// A mask is easily forgotten, or off by one, and then the loss looks splendid. So we do not trust the
// construction, we measure. {cpp:func}`~recto::nn::influence` puts every other symbol in every place, and notes
// which rows of the output change, by as little as one bit. It works for any model of sequences, whatever is
// inside.
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

// {numref}`fig-3.1` is drawn from this matrix: a blue arrow where a symbol changes a row of logits. When we
// *train*, all $x$ are known, and all blue arrows are computed at once. When we *write*, the red arrows come in
// as well: logits are computed, a symbol is drawn from them, and only then can the next logits be computed.
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
        "Who depends on whom in a causal model, as measured. Blue: a symbol "
        "changes these logits. Red: a symbol is drawn from its logits. Bold: what "
        "the drawing of one symbol takes. Move the slider: each step needs the one "
        "before it. After Figure 3.1 of {cite:t}`fleuret2023`.");
    book::shows("fig-3.1/c", "fig-3.1");
}
//-

// ## What one pass is worth
//
// That one pass gives the loss of all beginnings can be checked to the last digits. We compute it at one go, and
// as a sum over beginnings that are given to the model one by one:
double loss_at_once(const nn::Gpt& model, const std::vector<Index>& x) {
    std::vector<Index> labels = x;
    for (Index& label : labels) label -= 1;
    const Index time = Index(x.size());
    return double(time) *
           double(cross_entropy(causal(model, x), Integers({1, time}, labels)).item());
}
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

// How much longer does the second way take? The beginnings are half as long as the whole on average, and each is
// a pass. We give it a somewhat larger model and sequences of growing length; {numref}`fig-passes` shows the
// times.
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
    book::timing_claim("claim-causal-one-pass/b",
                       "with 64 symbols the separate passes take longer by a factor",
                       ratio, ">=", 5);
    Figure("fig-passes")
        .describe(
            "Milliseconds against the length of the sequence, both axes logarithmic. "
            "One pass rises slowly; separate passes start at the same time and rise "
            "much more steeply.")
        .line("one pass", lengths, once)
        .line("a pass for each beginning", lengths, each)
        .log_axes()
        .x("length T")
        .y("milliseconds")
        .save(
            "Time for the loss of one sequence on this machine. A short sequence "
            "hardly fills a pass, so the first line is nearly flat at its beginning.");
    book::shows("claim-causal-one-pass/c", "fig-passes");
}

// ## How good is it?
//
// A loss of 1.2 nats for each symbol: is that much? One would rather count choices. If a model hesitates between
// $k$ symbols, all alike to it, its loss is $\log k$. Turn this around, for any model:
//
// ```{equation} eq-perplexity
// :function: recto::text::perplexity
// :test: perplexity: of K equal choices it is K; perplexity: exp of the mean negative log-likelihood
// \exp\Big( -\frac{1}{N} \sum_{n=1}^{N} \log \hat P(X_n = x_n) \Big)
// ```
//
// This is the {term}`perplexity` {cite:p}`jelinek1977`: among how many equally likely symbols one would have to
// choose to be as much at a loss.
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

    // It is no new loss. A mean over symbols, as the cross-entropy computes it, and one exponential:
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

    // The mean is taken of logarithms, so it is not a mean of choices.
    const double answer = text::perplexity(std::vector{std::log(0.5), std::log(0.125)});
    const auto is = [&](double guess) { return std::abs(answer - guess) < 1e-9; };
    ask("Of two symbols a model gave one the probability 1/2 and the other 1/8. What "
        "is its perplexity?",
        {{"3.2: it gave 5/16 on average, and one over that is 3.2.", is(3.2),
          "Probabilities of symbols multiply, so averaging them means little."},
         {"4: together 1/16, so 1/4 for each.", is(4),
          "Two choices among four are as likely as one among two and one among eight: "
          "the mean is a geometric one."},
         {"5: it hesitated between 2, then between 8.", is(5),
          "The mean of 2 and 8 is 5, but being lost once between 8 weighs less in the "
          "logarithm."}});
}

// ## A language to learn
//
// Now all of it together, on a language small enough to be known completely. It has three letters, a full stop
// that ends a word, and a table that says what follows what:
const std::vector<std::vector<double>> language = {
    // a    b    c    .
    {0.6, 0.3, 0.1, 0.0},   // at the beginning
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

// To write is to draw a symbol from the scores, append it, ask again, and stop at the full stop.
// {cpp:func}`~recto::text::generate` does this for anything that gives scores, a table or a network. Does it draw
// words as often as it should? There are not many of up to four symbols. We list them with their probabilities,
// draw very many, and let a test of Pearson's, {cpp:func}`~recto::classic::chi_squared_p_value`, say how
// surprising the counts are:
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

// And the network? It gets a new batch of words in every step, of eight symbols at most, filled up with 0, which
// the loss ignores. One pass answers all questions about all words of the batch.
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
Tensor loss(const nn::Gpt& model, const Batch& batch) {
    return cross_entropy(model(batch.before), batch.next, {.ignored = 0});
}

// Perplexity can fall no lower than that of the language itself, so we know when to be content. Both are measured
// on new words:
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
    claim("", "perplexity of the model, as a multiple of the language's",
          perplexity() / best, "<=", 1.05);
    return model;
}

// ## Warmer, colder
//
// What a trained model writes can be steered without training it again. Scores are divided by a
// {term}`temperature` before they become probabilities. Below 1 likely symbols become likelier, and at 0 only the
// likeliest is ever taken; above 1 all become more alike. {term}`Top-k sampling <top-k sampling>` keeps the $k$
// highest scores and forbids the others {cite:p}`fan2018`: one absurd symbol, drawn by bad luck, spoils all that
// follows it.
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
    for (const double temperature : {0.0, 0.5, 1.0, 3.0})
        say("temperature {:.1f}: {}", temperature,
            words({.temperature = temperature, .stop = stop, .most = T}));
    say("the best two:    {}", words({.top_k = 2, .stop = stop, .most = T}));

    // At 0 the model says one thing only, and never gets to a full stop. {numref}`fig-warmer` shows what
    // happens to one choice, the letter after *ab*.
    const std::vector<Real> scores = next(std::vector<Index>{0, 1});
    std::vector<double> settings;
    for (int i = 0; i <= 12; ++i) settings.push_back(0.25 * i);
    Figure warm("fig-warmer");
    warm.describe(
            "Four bars, the probabilities of a, b, c and the full stop after ab. At "
            "temperature 0 all of it is c's; at 1 c has half and the others share the "
            "rest; at 3 the bars are more alike.")
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
            "Chances of the symbol after *ab*, by the trained model. At 1 they are "
            "what it learned, close to the row of the table.");
}

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

// Writing remains slow: one run of the model for every symbol, for each needs the one before. All that a causal
// model spares is what the runs have in common. Its rows for the beginning do not change any more, so they can be
// kept ({cpp:struct}`~recto::nn::KeyValueCache`), and each run then costs as much as a single place.
//
// ## What is missing
//
// Our symbols came as numbers, from a table that we wrote ourselves. [The next page](bigrams.cpp) finds such a
// table in real words, twice: by counting, and by gradient descent. The page after asks how far a model should
// look back.
//
// ```{try}
// - A smaller model, or more patience: `--width 2`, `--steps 2000`. How near to the language does it come?
// - Fewer words to judge by: `--samples 1000`, with several seeds. How much does the p-value jump about?
// ```
