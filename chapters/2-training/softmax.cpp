// # Softmax and temperature: scores become probabilities
//
// ```{rows} eq-softargmax
// ```
//
// A classifier does not return probabilities. It returns *scores* (**logits**): any numbers, positive or negative, one
// for each class. [An earlier page](../foundations/classification.cpp) turned them into probabilities with a formula
// taken on trust, the **softmax**. Why this formula? How does a **temperature** make its answers more or less certain?
// And why does a program fail that follows the formula word for word? Move the slider of {numref}`fig-temperature`: the
// four scores stay the same, and the probabilities change.
//
// ```{opening} fig-temperature
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using data::even_grid;
using figure::Figure;

const book::Option<double> shift("shift", 1000, "what is added to the scores 3, 2, 1",
                                 {.least = -10'000, .most = 10'000});
const book::Option<double> lead("lead", 1000,
                                "how far one score leads another before the logarithm",
                                {.least = 0, .most = 10'000});
//-

//- how the figure is drawn
std::vector<double> probabilities(const std::vector<double>& scores);  // see below

void draw_temperatures() {
    const std::vector<double> four = {2, 1, 0.5, -1};
    const figure::Names names = {"2", "1", "0.5", "−1"};
    const figure::Color colors[] = {figure::blue, figure::red, figure::green,
                                    figure::ochre};
    const std::vector<double> temperatures = even_grid(32, 0.25, 8);
    std::vector<std::vector<double>> share(4);
    Figure drawn("fig-temperature");
    drawn
        .describe(
            "First panel: four bars, the probabilities for scores 2, 1, 0.5 and −1, at "
            "a temperature that can be chosen. Second panel: the same four "
            "probabilities as lines against the temperature. At 0.25 the first is "
            "nearly 1; at 8 all lie between 0.2 and 0.3.")
        .slider("T", temperatures, "temperature", 1)
        .panel("at this temperature");
    for (const double T : temperatures) {
        std::vector<double> divided;
        for (const double s : four) divided.push_back(s / T);
        const std::vector<double> p = probabilities(divided);
        for (std::size_t k = 0; k < 4; ++k) share[k].push_back(p[k]);
        drawn.at(T);
        for (std::size_t k = 0; k < 4; ++k)
            drawn.bars("", {names[k]}, {p[k]}, {.color = colors[k]});
    }
    drawn.always().x("score").y("probability").ylim(0, 1).panel("at all temperatures");
    for (std::size_t k = 0; k < 4; ++k)
        drawn.line("score " + names[k], temperatures, share[k],
                   {.color = colors[k], .points = false});
    for (std::size_t i = 0; i < temperatures.size(); ++i)
        drawn.at(temperatures[i]).rule_x(temperatures[i]);
    drawn.always()
        .ylim(0, 1)
        .x("temperature T")
        .y("probability")
        .save(
            "Choose a temperature. A low one picks the largest score, a high one "
            "shares the probability evenly. $T=1$ is the plain softmax.");
    book::shows("eq-softargmax/d", "fig-temperature");
}
//-

// ## From scores to probabilities
//
// Probabilities must be positive and sum to one. The exponential makes any number positive, and larger for a larger
// score. Dividing by the sum does the rest. Take three classes with the scores 3, 2 and 1. Their exponentials are
// 20.09, 7.39 and 2.72, and the sum of these is 30.19. Divided by the sum, they become the probabilities 0.665, 0.245
// and 0.090. In general, let $f(x; w)_y$ be the score of class $y$ for the input $x$:
//
// ```{equation} eq-softargmax
// :function: recto::softmax
// :test: equations: softmax
// p(y \mid x) = \frac{\exp f(x; w)_y}{\sum_k \exp f(x; w)_k}
// ```
//
// The left side is a *posterior probability*: how likely the class is *after* the input was seen. The function is
// the **softmax**. A better name is *softargmax*, since it is a soft version of the arg max, the vector that has 1
// at the largest score and 0 elsewhere; but the shorter name has won. As a program, and as the library has it:
std::vector<double> word_for_word(const std::vector<double>& scores) {
    std::vector<double> p;
    for (const double s : scores) p.push_back(std::exp(s));
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& each : p) each = std::abs(each / total);  // a NaN prints without sign
    return p;
}
std::vector<double> probabilities(const std::vector<double>& scores) {
    return softmax(Tensor({Index(scores.size())}, scores)).values();
}

// ## Only differences count
//
// Other positive functions could replace the exponential. Its advantage is that only *differences* count: it turns a
// difference of scores into a ratio of probabilities,
//
// $$ \frac{p(y \mid x)}{p(k \mid x)} = \exp\big(f(x; w)_y - f(x; w)_k\big) , $$
//
// so one more point for a class multiplies the ratio of its probability to that of any other class by $e = 2.718$,
// whatever the scores are. In the example each score leads the next by one point, and 0.665 is, up to rounding, 2.718
// times 0.245. The scores 1003, 1002 and 1001 have the same differences, so their probabilities must be the same. Are
// they?
//- the program and the library, on two rows of scores
void scores_to_probabilities() {
    const auto say_both = [](const std::vector<double>& scores) {
        say("scores {:g}, {:g}, {:g}", scores[0], scores[1], scores[2]);
        const auto ours = word_for_word(scores), library = probabilities(scores);
        say("   word for word: {:.4f}  {:.4f}  {:.4f}", ours[0], ours[1], ours[2]);
        say("   library:       {:.4f}  {:.4f}  {:.4f}", library[0], library[1],
            library[2]);
    };
    say_both({3, 2, 1});
    say_both({3 + shift(), 2 + shift(), 1 + shift()});
    //-

    // The largest number of double precision is about $e^{709.8}$. So $e^{1003}$ overflows to infinity, and infinity
    // divided by infinity is not a number (NaN). The cure is that only differences count: subtract the largest score
    // from all scores. The probabilities stay the same, no exponent is above zero, and the largest term of the sum is
    // exactly one. {cpp:func}`~recto::softmax` does this. We check the function on a thousand rows of ten random scores,
    // and on three scores that are far apart:
    //- a thousand rows of scores
    Generator random(book::seed());
    double off = 0, moved = 0;
    for (int draw = 0; draw < 1000; ++draw) {
        const Tensor scores = random.normal({10}) * std::numbers::pi,
                     p = softmax(scores);
        const double constant = 200 * random.next_uniform() - 100;
        off = std::max(off, double(std::abs(sum(p).item() - 1)));
        moved =
            std::max(moved, double(max(abs(softmax(scores + constant) - p)).item()));
    }
    claim("eq-softargmax/a",
          "of 1000 rows of scores, the sum of probabilities farthest from 1 is off by",
          off, "<=", 1e-6);
    claim("eq-softargmax/b",
          "adding a constant to all ten scores moves a probability by at most", moved,
          "<=", 1e-12);
    const std::vector<double> far = probabilities({10'000, -10'000, 0});
    claim_true("eq-softargmax/c", "at scores of ±10 000 all probabilities are finite",
               std::ranges::all_of(far, [](double p) { return std::isfinite(p); }));

    //-
    // ## Temperature
    //
    // So the softmax ignores a shift of all scores. Does it also ignore a common factor?
    const std::vector<double> once = probabilities({3, 2, 1}),
                              twice = probabilities({6, 4, 2});
    ask("The scores 3, 2, 1 give the probabilities above. All scores are doubled. What "
        "happens?",
        {{"Nothing: the scores are still in the same proportion.",
          std::abs(once[0] - twice[0]) < 0.01,
          "The softmax depends on differences of scores, and they have doubled."},
         {"The first class gains, the two others lose.",
          twice[0] > once[0] && twice[1] < once[1] && twice[2] < once[2],
          "Differences have doubled, so every ratio of probabilities is squared. The "
          "order stays, the confidence grows."},
         {"All three grow.", twice[1] > once[1] && twice[2] > once[2],
          "They cannot: they still sum to one."}});

    // Doubling all scores changes no answer, because the largest stays the largest. It changes the *confidence*. To set
    // the confidence by hand, divide the scores by a **temperature** $T$ before the softmax:
    //
    // $$ p_y = \frac{\exp(z_y / T)}{\sum_k \exp(z_k / T)} . $$
    //
    // Here and below, $z_k$ is short for the score $f(x; w)_k$. The temperature $T = \frac12$ doubles the scores 3, 2
    // and 1, and $T = 2$ halves them:
    //- three temperatures
    for (const double T : {0.5, 1.0, 2.0}) {
        const std::vector<double> p = probabilities({3 / T, 2 / T, 1 / T});
        say("T = {:.1f}: {:.4f}  {:.4f}  {:.4f}", T, p[0], p[1], p[2]);
    }
}
//-

// Every ratio of two probabilities is raised to the power $1/T$: 2.718 becomes $2.718^2 = 7.39$ at $T = \frac12$. Look
// at {numref}`fig-temperature` again. At a low temperature nearly all probability goes to the largest score; as the
// temperature grows, all classes become alike. In between, the probability of the score 1 first rises and then falls:
// it gains from the largest score before it loses to the smaller ones. Training needs no temperature, because it sets the
// size of the scores, and with it the confidence. You choose a temperature later, when [a trained model
// writes](sequences.cpp): it decides how often the model takes a less probable symbol.
//
// ## Logarithms: log-sum-exp
//
// A loss needs the *logarithm* of a probability. If the wrong one of two classes leads by 1000, the right one has the
// probability $e^{-1000}$. The program rounds it to zero, with the logarithm minus infinity in place of $-1000$. But the
// logarithm of the quotient is a difference, which needs no small number at all:
//
// $$ \log p_y = z_y - \log \sum_k e^{z_k} . $$
//
// The second term is called **log-sum-exp**. It overflows like the softmax, and has the same cure: take the largest
// score out of the sum, $\log \sum_k e^{z_k} = \max_i z_i + \log \sum_k e^{z_k - \max_i z_i}$. For the scores 3, 2 and 1
// it is $3 + \log(1 + e^{-1} + e^{-2}) = 3 + 0.408$, and so $\log p_1 = -0.408$, which is the logarithm of 0.665.
// {cpp:func}`~recto::logsumexp` computes the term, and {cpp:func}`~recto::log_softmax` the difference:
void two_logarithms() {
    const Tensor scores({2}, {0, lead()});
    say("softmax, then log: {:g}", log(softmax(scores)).at({0}));
    say("log_softmax:       {:g}", log_softmax(scores).at({0}));
}

// With $K$ classes the new sum has $K$ terms between 0 and 1, and one of them is 1. So its logarithm lies between 0 and
// $\log K$, and log-sum-exp is never below the largest score and never more than $\log K$ above it. It is a *smooth
// maximum*. Its derivative with respect to $z_j$ is $e^{z_j} / \sum_k e^{z_k}$, the softmax: the soft maximum has the soft
// arg max as its derivative. {numref}`fig-log-sum-exp` shows both at a temperature $T$: the scores are divided by $T$, and
// log-sum-exp is multiplied by $T$. The next page uses this derivative.
//- how the figure is drawn, and the derivative compared
void draw_log_sum_exp() {
    const std::vector<double> z = even_grid(81, -4, 4);
    Tensor pair = zeros({81, 2});
    std::vector<double> larger, which;
    for (Index i = 0; i < 81; ++i) {
        const double each = z[std::size_t(i)];
        pair.set({i, 0}, each);
        larger.push_back(std::max(each, 0.0)), which.push_back(each > 0);
    }
    const std::vector<double> temperatures = even_grid(16, 0.25, 4);
    Figure drawn("fig-log-sum-exp");
    drawn
        .describe(
            "First panel: the larger of z and 0, a line with a kink at 0, and above it "
            "a smooth curve that approaches it on both sides. Second panel: the step "
            "of the arg max from 0 to 1, and the S-shaped curve of the softmax. A "
            "slider sets the temperature: the lower, the closer both curves are to "
            "kink and step.")
        .slider("T", temperatures, "temperature", 1)
        .panel("maximum");
    std::vector<std::vector<double>> slopes;
    double apart = 0;
    for (const double T : temperatures) {
        const Tensor scores = clone(pair).requires_grad_(),
                     soft = logsumexp(scores / T, {1}) * T;
        sum(soft).backward();
        apart =
            std::max(apart, double(max(abs(scores.grad() - softmax(pair / T))).item()));
        slopes.push_back(select(scores.grad(), 1, 0).values());
        drawn.at(T).line("soft", z, soft.values(), {.points = false});
    }
    drawn.always()
        .line("hard", z, larger,
              {.color = figure::ink, .dash = figure::solid, .points = false})
        .ylim(0, 5.5)
        .x("score z, the other score is 0")
        .y("T log-sum-exp(z/T, 0), max(z, 0)")
        .panel("derivative");
    for (std::size_t i = 0; i < temperatures.size(); ++i)
        drawn.at(temperatures[i]).line("soft", z, slopes[i], {.points = false});
    drawn.always()
        .line("hard", z, which,
              {.color = figure::ink, .dash = figure::solid, .points = false})
        .ylim(0, 1)
        .x("score z, the other score is 0")
        .y("softmax, arg max")
        .save(
            "Two scores, $z$ and 0. First panel: log-sum-exp at the temperature $T$ "
            "(blue) lies above the larger score (black), by at most $T \\log 2$. "
            "Second panel: its derivative is the softmax. With a falling temperature "
            "both approach the maximum and the arg max.");
    say("the derivative of log-sum-exp differs from the softmax, at {} temperatures, "
        "by "
        "at most {:.1g}",
        temperatures.size(), apart);
}
//-

void page() {
    draw_temperatures();
    scores_to_probabilities();
    two_logarithms();
    draw_log_sum_exp();
}

// ## Summary
//
// The softmax makes scores positive by the exponential and divides them by their sum; only differences of scores count.
// A temperature divides all scores: a low one favours the largest score, a high one makes all classes about equally probable.
// Programs subtract the largest score first, and compute the logarithm of a probability as a score minus log-sum-exp.
//
// ## What is missing
//
// Nothing so far says which scores are *good*. For that, the probabilities meet the labels: [the next
// page](cross_entropy.cpp) makes a loss of them, and shows what its gradient does to the scores.
//
// ```{exercises}
// - [A softmax that does not overflow](/exercises/foundations/softmax.md)
// ```
//
// ```{try}
// - From which shift on does the program overflow? Try `--shift 700` and `--shift 710`. And what goes wrong at
//   `--shift -1000`?
// - How far must a score lead until the logarithm of the softmax is lost? Try `--lead 740` and `--lead 750`.
// ```
