// # Ask for a distribution
//
// ```{rows} sys-predict-distribution-parameters fig-003-regression-distributions eq-bernoulli eq-binary-cross-entropy eq-categorical-softmax eq-inference-argmax sys-inference-sampling
// ```
//
// [The last page](likelihood.cpp) found the squared error inside a bell. The network said where the middle of
// the bell is, and everything else was fixed before. Now the network may say more, and the bell may be something
// else. That turns one loss into a recipe for all losses:
//
// 1. *What can a target be?* A number, yes or no, a class, a count, an angle. Take a distribution over just that.
// 2. *What does it need to know?* Its parameters. Let the network return them, $\theta = f(x; w)$, one distribution
//    for every $x$.
// 3. *Are they legal?* A network returns any real numbers; a probability may not be two, a deviation not negative. A
//    fixed function, the *link*, makes them so.
// 4. Minimise the {term}`negative log-likelihood`. Nothing is left to choose.
//
// This page follows the recipe six times, and then asks what to do with the answer.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/likelihood.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::even_grid, figure::Figure;
using std::numbers::pi;
//-

// Three numbers can be changed:
const book::Option<Index> samples("samples", 2000, "samples of each kind to learn from",
                                  {.quick = 300, .least = 10, .most = 100'000});
const book::Option<Index> steps_made("steps", 300, "training steps of each network",
                                     {.quick = 60, .least = 1, .most = 10'000});
const book::Option<int> seeds("seeds", 5, "how often everything is repeated",
                              {.quick = 1, .least = 1, .most = 100});

// ## Yes or no
//
// The smallest distribution has one number. A coin shows $y = 1$ with probability $\lambda$ and $y = 0$
// otherwise. With a trick of exponents both cases are one formula, the *Bernoulli distribution*:
//
// ```{equation} eq-bernoulli
// :function: recto::nn::Bernoulli
// :test: likelihood: a Bernoulli's two probabilities
// \Pr(y \mid \lambda) = (1 - \lambda)^{1-y} \, \lambda^y, \qquad y \in \{0, 1\}
// ```
double bernoulli(int y, double lambda) {
    return std::pow(1 - lambda, 1 - y) * std::pow(lambda, y);
}

// Before any network: somebody threw a coin and wrote down ones and zeros. Which $\lambda$ makes that likeliest?
// Where the likelihood is highest its slope is zero, and on the way there the slope changes its sign only once.
// So halve the interval until it cannot be halved:
double likeliest_lambda(const std::vector<int>& thrown) {
    double low = 0, high = 1;
    for (int halved = 0; halved < 60; ++halved) {
        const double lambda = (low + high) / 2;
        double slope = 0;  // of the log-likelihood
        for (const int y : thrown) slope += y ? 1 / lambda : -1 / (1 - lambda);
        (slope > 0 ? low : high) = lambda;
    }
    return (low + high) / 2;
}

void coin(Generator& random) {
    std::vector<int> thrown;
    double ones = 0;
    for (int n = 0; n < 50; ++n) {
        thrown.push_back(random.next_uniform() < 0.3);
        ones += thrown.back();
    }
    // The library's Bernoulli distribution takes the log-odds $f = \log\frac{\lambda}{1-\lambda}$ of a coin. It agrees
    // with the formula, and its two probabilities sum to one, up to the rounding of single precision:
    double worst = 0;
    for (const double lambda : even_grid(99, 0.01, 0.99)) {
        const Tensor odds = full({1, 1}, Real(std::log(lambda / (1 - lambda))));
        double sum = 0;
        for (const int y : {0, 1}) {
            const Tensor log_p = nn::Bernoulli{}.log_prob(odds, full({1}, Real(y)));
            const double p = std::exp(double(log_p.item()));
            worst = std::max(worst, std::abs(p - bernoulli(y, lambda)));
            sum += p;
        }
        worst = std::max(worst, std::abs(sum - 1));
    }
    say("{} ones in {} throws, likeliest lambda {:.6f}", ones, thrown.size(),
        likeliest_lambda(thrown));
    claim("eq-bernoulli/a",
          "largest distance of a probability from the formula, or of the sum of both "
          "from one",
          worst, "<=", 1e-6);
    claim("eq-bernoulli/b",
          "the distance of the likeliest lambda from the share of ones",
          std::abs(likeliest_lambda(thrown) - ones / 50), "<=", 1e-9);
}

// It is the share of ones, as everybody would have said. That is reassuring: the recipe invents nothing.
//
// Now $\lambda$ shall depend on $x$. The network returns any number $f$, and the {term}`sigmoid`
// $\sigma(f) = 1/(1+e^{-f})$ brings it between 0 and 1. The negative logarithm of {eq}`eq-bernoulli` is then the
// *binary cross-entropy*:
//
// ```{equation} eq-binary-cross-entropy
// :function: recto::binary_cross_entropy
// :test: equations: binary cross-entropy; binary_cross_entropy: edges
// \ell = \sum_{n=1}^N -(1-y_n) \log\big[1-\sigma(f(x_n; w))\big] - y_n \log \sigma(f(x_n; w))
// ```
//
// Its slope with respect to $f$ is $\sigma(f) - y$, what was predicted less what was seen. And one must not
// compute it as it stands. At $f = 1000$ the sigmoid is 1, the bracket is 0 and its logarithm infinite, though
// the true loss is only 1000. The library's function takes $f$, not $\sigma(f)$, and uses $-\log(1-\sigma(f)) =
// \log(1+e^f)$, which for large $f$ is $f$.
//
// ## One of several
//
// With $K$ classes there are $K$ probabilities, the *categorical distribution*, and the link is the
// {term}`softmax`:
//
// ```{equation} eq-categorical-softmax
// :function: recto::softmax; recto::nn::Categorical
// :test: likelihood: probabilities of classes
// \Pr(y = k) = \lambda_k, \quad \lambda = \operatorname{softmax}(z), \quad
// \operatorname{softmax}_k(z) = \frac{e^{z_k}}{\sum_{k'} e^{z_{k'}}}
// ```
//
// All $\lambda_k$ lie between 0 and 1, and they sum to one. One function, two names: the little book calls it
// *softargmax* {cite:p}`fleuret2023`, and it has a point. What becomes soft is not the largest score but its
// *place*. Make the scores larger and larger, and a single 1 is left where the largest is:
void two_names() {
    const Tensor scores({3}, {1, 3, 2});
    std::vector<std::vector<book::Cell>> rows;
    for (const double times : {0.0, 1.0, 5.0, 50.0}) {
        const std::vector<Real> p = softmax(scores * times).values();
        const auto cell = [&](std::size_t k) { return fmt::format("{:.4f}", p[k]); };
        rows.push_back({times, cell(0), cell(1), cell(2)});
    }
    book::table("tab-softargmax",
                "The softmax, or softargmax, of the scores 1, 3 and 2 times a factor.",
                {"factor", "first", "second", "third"}, rows);
    book::shows("eq-categorical-softmax/b", "tab-softargmax");
}

// The last row is a hint at a limit of numbers. No $\lambda_k$ is ever exactly 1, but a double cannot tell 1
// from $1 - 10^{-17}$: with a lead of 37 nats the winner *is* 1 to the machine. So here too the loss is computed
// from the scores.
//
// ## Six kinds of target
//
// Here is the recipe as the library has it. Each row is a struct with the same three functions: `log_prob`, and
// two that the end of this page is about.
//
// | a target is | distribution | outputs | link |
// |---|---|---|---|
// | any number | {cpp:struct}`~recto::nn::Normal` | mean | none |
// | any number, noise changes | {cpp:struct}`~recto::nn::SpreadNormal` | mean, log-deviation | none, $e^s$ |
// | 0 or 1 | {cpp:struct}`~recto::nn::Bernoulli` | log-odds | sigmoid |
// | a class | {cpp:struct}`~recto::nn::Categorical` | $K$ scores | softmax |
// | a count 0, 1, 2, … | {cpp:struct}`~recto::nn::Poisson` | log of the mean | $e^s$ |
// | an angle | {cpp:struct}`~recto::nn::VonMises` | an arrow | none |
//
// The *Poisson distribution* counts what happens independently at a known rate: calls in an hour, seeds in a
// square. The *von Mises distribution* is the bell of the circle. Its outputs are an arrow: it points where the
// angle should be, and the longer it is, the surer.
//
// To see whether the recipe works we make worlds that we know. A world is a likelihood, and the outputs that a
// perfect network would return at $x$; targets are drawn from it.
using Row = std::vector<double>;

template <nn::Likelihood L>
struct World {
    L likelihood;
    std::function<Row(double x)> truth;

    struct Seen {
        Tensor x;  // (count, 1)
        typename L::Target y;
    };
    Seen look(Index count, Generator& random) const {
        const Tensor x = random.uniform({count, 1}, -1, 1);
        return {x, likelihood.sample(perfect(x), random)};
    }
    Tensor perfect(const Tensor& x) const {
        std::vector<Real> outputs;
        for (const Real at : x.values())
            for (const double output : truth(at)) outputs.push_back(Real(output));
        return Tensor({x.size(0), Index(truth(0).size())}, outputs);
    }
};

// Six of them, each a few waves and slopes:
Row wave(double x) { return {0.8 * std::sin(3 * x)}; }
Row wave_and_width(double x) {
    return {0.6 * std::sin(3 * x), std::log(0.3 + 0.2 * x)};
}
Row odds(double x) { return {3 * std::sin(3 * x)}; }
Row three_scores(double x) { return {-4 * x, 1.5 - 4 * x * x, 3 * x}; }
Row log_count(double x) { return {1.2 + std::sin(3 * x)}; }
Row arrow(double x) {
    const double to = 3 + 2.5 * x, length = 6 + 4 * x;
    return {length * std::cos(to), length * std::sin(to)};
}

// One training routine serves all. The network has two hidden layers of 16 and as many outputs as the likelihood
// wants; nothing else differs.
template <class L>
Tensor loss_of(const L& likelihood, const nn::Mlp& model, const Tensor& x,
               const typename L::Target& y) {
    return negative(mean(likelihood.log_prob(model(x), y)));
}
template <class L>
nn::Mlp train(const L& likelihood, Index width, const Tensor& x,
              const typename L::Target& y, Generator& random) {
    const nn::Mlp model({1, 16, 16, width}, tanh, random);
    optim::Adam adam(nn::parameters(model));
    const auto shorter = [](Index step) {
        return 0.03 * (1 - double(step) / double(steps_made()));
    };
    optim::fit(adam, [&] { return loss_of(likelihood, model, x, y); },
               {.steps = steps_made(), .lr = shorter});
    return model;
}

// In every world there is a rival, a head that one might take without thinking. Mostly it is a bell. Where the answers are
// whole numbers, a bell has to be *rounded*. Otherwise it would win by cheating: its density at 0 and at 1 becomes as large as
// one likes if it is narrow enough, and a density is no probability. A rounded bell gives $y$ the probability that lies
// between $y - \frac12$ and $y + \frac12$. (Ours is the logistic bell: nearly normal, and its integral is a sigmoid.)
struct Rounded {
    using Target = Tensor;
    double width = 0.2;  // for a deviation of 0.36

    Tensor log_prob(const Tensor& outputs, const Tensor& y) const {
        const Tensor off =
            negative(abs(y - select(outputs, 1, 0)));  // either side is the same
        return log(sigmoid((off + 0.5) / width) - sigmoid((off - 0.5) / width));
    }
};

// The rival is trained on the same samples, and both are judged by new ones.
template <nn::Likelihood L>
struct Learned {
    World<L> world;
    typename World<L>::Seen seen;  // by the first network
    std::vector<nn::Mlp> models;   // one for each seed
};
std::vector<std::vector<book::Cell>> results;

template <nn::Likelihood L, class Rival>
Learned<L> contest(const char* name, const World<L>& world, const char* against,
                   const Rival& rival, Index rival_width, const auto& target) {
    Learned<L> made{world, {}, {}};
    std::vector<double> ours, theirs, lead;
    for (int s = 0; s < seeds(); ++s) {
        Generator random(book::seed() + std::uint64_t(s));
        const auto seen = world.look(samples(), random),
                   fresh = world.look(2000, random);
        if (s == 0) made.seen = seen;
        const Index width = Index(world.truth(0).size());
        made.models.push_back(train(world.likelihood, width, seen.x, seen.y, random));
        const nn::Mlp other = train(rival, rival_width, seen.x, target(seen.y), random);
        const NoGrad only_asking;
        ours.push_back(double(
            loss_of(world.likelihood, made.models.back(), fresh.x, fresh.y).item()));
        theirs.push_back(
            double(loss_of(rival, other, fresh.x, target(fresh.y)).item()));
        lead.push_back(ours.back() - theirs.back());
    }
    claim("sys-predict-distribution-parameters/b",
          fmt::format("{}: the loss on new samples, less that of: {}", name, against),
          over_seeds(lead), "<", 0);
    const auto cell = [](const auto& all) {
        return fmt::format("{:.3f}", book::median(all));
    };
    results.push_back({name, against, cell(ours), cell(theirs)});
    return made;
}

// Because we know the worlds, there is a harder test as well: how far are the *parameters* from those that made
// the data? Nobody ever showed the network a $\lambda$, only targets.
template <nn::Likelihood L>
void largest_gaps(std::vector<double>& gaps, const Learned<L>& learned,
                  const auto& link) {
    const NoGrad only_asking;
    const Tensor x = linalg::column_of(even_grid(201, -1, 1));
    gaps.resize(learned.models.size());
    for (std::size_t s = 0; s < gaps.size(); ++s) {
        const Tensor off = link(learned.models[s](x)) - link(learned.world.perfect(x));
        gaps[s] = std::max(gaps[s], std::sqrt(double(mean(square(off)).item())));
    }
}

//- what the figures show of the samples
const Tensor grid = linalg::column_of(even_grid(121, -1, 1));
const figure::Style network{
    .color = figure::blue, .dash = figure::solid, .width = 2.5, .points = false};
const figure::Style truth{
    .color = figure::ink, .dash = figure::dashed, .width = 1.5, .points = false};
const figure::Style cloud{.color = figure::grey,
                          .shape = figure::Shape::circle,
                          .width = 1.5,
                          .opacity = 0.6};
const figure::Style share{.color = figure::grey, .shape = figure::Shape::circle};
const figure::Style pale{.color = figure::blue, .opacity = 0.25};

std::vector<Real> some(const Tensor& all) {
    return slice(all, 0, 0, std::min<Index>(500, all.size(0))).values();
}
std::vector<Real> output(const Tensor& outputs, Index place) {
    return select(outputs, 1, place).values();
}
/// In 16 stretches of x, the share of samples for which `is` holds.
void shares(Figure& figure, const auto& seen, const auto& is) {
    const std::vector<Real> x = seen.x.values();
    const auto y = seen.y.values();
    std::vector<double> at, found;
    for (int bin = 0; bin < 16; ++bin) {
        double all = 0, yes = 0;
        for (std::size_t n = 0; n < x.size(); ++n)
            if (int((double(x[n]) + 1) * 8) == bin) all += 1, yes += is(y[n]);
        at.push_back((bin + 0.5) / 8 - 1), found.push_back(yes / all);
    }
    figure.dots("seen", at, found, share);
}
//-
void three(const Learned<nn::Normal>& number, const Learned<nn::Bernoulli>& yes_no,
           const Learned<nn::Categorical>& which) {
    // {numref}`fig-003` shows three of the worlds. For a number the network says a middle, and we draw two
    // deviations around it; for yes or no, one probability.
    const NoGrad only_asking;
    Figure figure("fig-003");
    figure.columns(3).height(240);
    const std::vector<Real> x = grid.values();
    const Tensor middle = number.models[0](grid);
    figure.panel("a number")
        .dots("seen", some(number.seen.x), some(number.seen.y), cloud)
        .band("", x, (middle - 0.5).values(), (middle + 0.5).values(), pale)
        .line("network", x, middle.values(), network)
        .line("truth", x, number.world.perfect(grid).values(), truth)
        .x("x")
        .y("y");
    figure.panel("yes or no")
        .line("network", x, sigmoid(yes_no.models[0](grid)).values(), network)
        .line("truth", x, sigmoid(yes_no.world.perfect(grid)).values(), truth);
    shares(figure, yes_no.seen, [](Real y) { return y == 1; });
    figure.ylim(0, 1).x("x").y("probability of yes");

    // For three classes it says three probabilities. Stacked, they always fill the panel.
    const Tensor said = softmax(which.models[0](grid)),
                 right = softmax(which.world.perfect(grid));
    Tensor below = zeros({grid.size(0)}), truth_below = below;
    const figure::Color colors[] = {figure::blue, figure::ochre, figure::green};
    figure.panel("one of three");
    for (Index k = 0; k < 3; ++k) {
        const Tensor above = below + select(said, 1, k);
        figure.band(fmt::format("class {}", k), x, below.values(), above.values(),
                    {.color = colors[k], .opacity = 0.45});
        below = above, truth_below = truth_below + select(right, 1, k);
        if (k < 2) figure.line("truth", x, truth_below.values(), truth);
        if (k < 2) shares(figure, which.seen, [&](Index y) { return y <= k; });
    }
    figure.ylim(0, 1)
        .x("x")
        .y("probabilities, stacked")
        .describe(
            "Three panels over x. A number: dots around a wave, a line through their "
            "middle and a band around it. Yes or no: shares of yes in stretches of x "
            "as dots, and the network's probability as a curve through them. One of "
            "three: three bands of colour on top of each other that always add up to "
            "one, with dots for the shares seen. The dashed true curves lie on the "
            "network's.")
        .save(
            "What was seen (grey) and what the network says of it (colours); dashed, "
            "what made the data. The grey dots of the right two panels are shares in "
            "stretches of $x$, for the eye; the network saw single answers.");
    book::shows("fig-003-regression-distributions/b", "fig-003");
    book::shows("sys-predict-distribution-parameters/c", "fig-003");
}

// The other three are in {numref}`fig-domains`. Look at the right one. The true angle passes $\pi$ and goes on
// at $-\pi$, and the network follows without noticing, for its arrow does not jump. It is the circle of [the
// bars](../foundations/regression.cpp), and now we know which distribution it belongs to.
std::vector<Real> directions(const Tensor& outputs) {
    std::vector<Real> made = nn::VonMises{}.mode(outputs).values();
    for (std::size_t i = made.size() - 1; i > 0; --i)  // no line across the panel
        if (std::abs(made[i] - made[i - 1]) > 3) made[i] = Real(NAN);
    return made;
}
//- how the figure is drawn
void three_more(const Learned<nn::SpreadNormal>& spread,
                const Learned<nn::Poisson>& count, const Learned<nn::VonMises>& angle) {
    const NoGrad only_asking;
    Figure figure("fig-domains");
    figure.columns(3).height(240);
    const std::vector<Real> x = grid.values();
    const Tensor bell = spread.models[0](grid), middle = slice(bell, 1, 0, 1),
                 wide = 2 * exp(slice(bell, 1, 1, 2));
    const auto panel = [&](const char* title, const char* what, const auto& learned,
                           const auto& curve) {
        figure.panel(title)
            .dots("seen", some(learned.seen.x), some(learned.seen.y), cloud)
            .line("network", x, curve(learned.models[0](grid)), network)
            .line("truth", x, curve(learned.world.perfect(grid)), truth)
            .x("x")
            .y(what);
    };
    panel("noise that changes", "y", spread,
          [](const Tensor& o) { return output(o, 0); });
    figure.band("", x, (middle - wide).values(), (middle + wide).values(), pale);
    panel("counts", "count, and its mean", count,
          [](const Tensor& o) { return exp(o).values(); });
    panel("angles", "angle in radians", angle, directions);
    figure.ylim(-pi, pi)
        .describe(
            "Three panels of grey dots over x with the network's curve and, dashed, "
            "the true one, nearly on it. Left: a wave whose dots spread more and more, "
            "in a band that widens. Middle: counts, on horizontal rows, with the mean "
            "as a curve. Right: angles that rise, leave the panel at the top and come "
            "in again at the bottom; the curve does the same.")
        .save(
            "Left, a bell whose width is predicted too (band of two deviations). In "
            "the middle counts, with their mean. Right angles: the top and the bottom "
            "edge are the same angle.");
    book::shows("sys-predict-distribution-parameters/c", "fig-domains");
}

//-

Learned<nn::Poisson> six_worlds() {
    // All together. Where a rival expects numbers, the classes are numbered.
    const auto as_it_is = [](const Tensor& y) { return y; };
    const auto as_number = [](const Integers& labels) {
        return sum(one_hot(labels, 3) * Tensor({3}, {0, 1, 2}), {1});
    };
    using namespace nn;
    const auto number = contest<Normal>("a number", {{0.25}, wave}, "von Mises",
                                        VonMises{}, 2, as_it_is);
    const auto spread =
        contest<SpreadNormal>("changing noise", {{}, wave_and_width},
                              "a bell of one deviation", Normal{0.32}, 1, as_it_is);
    const auto yes_no = contest<Bernoulli>("yes or no", {{}, odds}, "a rounded bell",
                                           Rounded{}, 1, as_it_is);
    const auto which = contest<Categorical>("a class", {{}, three_scores},
                                            "a rounded bell", Rounded{}, 1, as_number);
    const auto count =
        contest<Poisson>("a count", {{}, log_count}, "a bell with a deviation",
                         SpreadNormal{}, 2, as_it_is);
    const auto angle =
        contest<VonMises>("an angle", {{}, arrow}, "a bell with a deviation",
                          SpreadNormal{}, 2, as_it_is);
    book::table("tab-contest",
                "The mean negative log-likelihood of new samples, in nats; medians "
                "over the seeds.",
                {"world", "rival", "right head", "rival head"}, results);

    // Not every rival is far off. The first takes the numbers for angles: it has its own middle and its own width at every
    // $x$, and its bell is nearly normal. The second is the best bell of one width. The rounded bells are good as well, and
    // their defeats differ. For yes or no a narrower bell would do better: what is above $\frac12$ counts as yes, so a
    // narrow bell whose middle is near $\frac12$ can say any probability, and is the right head under another name. For classes it would
    // do worse. The numbers 0, 1 and 2 have an order, and a bell between 0 and 2 always finds 1 probable.
    three(number, yes_no, which);
    std::vector<double> gaps;
    largest_gaps(gaps, number, as_it_is);
    largest_gaps(gaps, yes_no, [](const Tensor& o) { return sigmoid(o); });
    largest_gaps(gaps, which, [](const Tensor& o) { return softmax(o); });
    claim("fig-003-regression-distributions/a",
          "root mean squared gap between the parameters said and the true ones, the "
          "worst of the three",
          over_seeds(gaps), "<", 0.05);
    three_more(spread, count, angle);
    return count;
}

// ## Predicting: the most probable
//
// Training is over, a new $x$ comes, and somebody wants an answer, not a distribution. The natural one is the
// most probable, the *mode*. The weights stay as they are; the maximum is over answers $y$:
//
// ```{equation} eq-inference-argmax
// :function: recto::nn::Categorical; recto::nn::Poisson; recto::nn::VonMises
// :test: likelihood: modes are those that brute force finds
// \hat y = \operatorname*{argmax}_y \; \Pr\big(y \mid f(x; w)\big)
// ```
//
// For both bells that is the mean, for classes the class with the largest score, for an angle where the arrow
// points. For a count it is the mean rounded down, which is no error of rounding but where the probabilities
// stop rising.
//
// ```{erratum} Prediction is a maximum over answers
// :source: slide “Inference” of {cite:t}`transformers-slides`
// :row: eq-inference-argmax
// :printed: \hat y = \operatorname*{argmax}_\omega \; \Pr\big(y \mid f_\omega(x)\big)
// :correct: \hat y = \operatorname*{argmax}_y \; \Pr\big(y \mid f_\omega(x)\big)
//
// The maximum over weights is training. At inference $\omega$ is fixed, and what is looked for is $y$. The program below
// does both.
// ```
//
// Take a model of one weight, $\lambda = \sigma(w x)$, for yes or no. What does each of the two maxima return?
void two_maxima(Generator& random) {
    const auto log_p = [](int y, double w, double x) {
        return std::log(bernoulli(y, 1 / (1 + std::exp(-w * x))));
    };
    std::vector<std::pair<double, int>> seen;
    for (int n = 0; n < 60; ++n) {
        const double x = 2 * random.next_uniform() - 1;
        seen.emplace_back(x, random.next_uniform() < 1 / (1 + std::exp(-2 * x)));
    }
    const std::vector<double> ws = even_grid(201, -10, 10);
    const auto best = [&](const auto& score) {
        return *std::ranges::max_element(ws, {}, score);
    };
    const double trained = best([&](double w) {
        double sum = 0;
        for (const auto& [x, y] : seen) sum += log_p(y, w, x);
        return sum;
    });
    const int answer = log_p(1, trained, -0.8) > log_p(0, trained, -0.8);
    const double for_yes = best([&](double w) { return log_p(1, w, -0.8); }),
                 for_no = best([&](double w) { return log_p(0, w, -0.8); });
    book::table(
        "tab-argmax",
        "Weights from -10 to 10 were tried, and for new samples x = -0.8 is asked.",
        {"maximum over", "what is given", "what it returns"},
        {{"weights", "60 samples", fmt::format("w = {:.1f}: training", trained)},
         {"answers", "that w, and x", fmt::format("y = {}: prediction", answer)},
         {"weights", "x, and y = 1", fmt::format("w = {:.1f}", for_yes)},
         {"weights", "x, and y = 0", fmt::format("w = {:.1f}", for_no)}});
    book::shows("eq-inference-argmax/b", "tab-argmax");
    claim_true(
        "", "the maximum over weights needs the answer and returns the end of the grid",
        for_yes == -10 && for_no == 10);
}

// The last two rows are the formula as printed. It wants to be told $y$, and then returns the weight that would
// have said so loudest, which is no prediction.
//
// ## Predicting: a draw
//
// The most probable answer is not always a good one. It forgets everything else that the distribution said.
void rain(Generator& random) {
    const Index days = 1000;
    const Tensor scores = full({days, 1}, Real(std::log(0.3 / 0.7)));  // 30 % every day
    const double modes = double(sum(nn::Bernoulli{}.mode(scores)).item()),
                 draws = double(sum(nn::Bernoulli{}.sample(scores, random)).item());
    ask("A model of the weather, well trained, says 30 % rain for every single day. "
        "For a thousand days we write down its most probable answer. How many days of "
        "rain?",
        {{"About 300.", std::abs(modes - 300) < 60,
          "Every single answer is no. Nothing in the mode remembers the 30 %."},
         {"None.", modes == 0,
          "On each day no is more probable than yes. A thousand best answers make a "
          "drought such as the model itself would call impossible."},
         {"About 500, as the model is not sure.", std::abs(modes - 500) < 60,
          "The mode of a coin is always its likelier side, however small the lead."}});

    // And if for each day one threw a coin, of 30 %, instead?
    say("drawn: {} days of rain", draws);
}

// To *draw* from the distribution is the other way to predict. One draw is a worse guess than the mode, but many
// draws look like the world. Whoever simulates, or composes, or writes text, wants draws. Every likelihood of
// the library has a `sample`, and a test holds mean and variance of a hundred thousand draws against the exact
// ones. {numref}`fig-draws` has the counts again, beside counts that the network made up.
void made_up(const Learned<nn::Poisson>& count, Generator& random) {
    const NoGrad only_asking;
    const Tensor x = random.uniform({500, 1}, -1, 1),
                 y = nn::Poisson{}.sample(count.models[0](x), random);
    Figure figure("fig-draws");
    figure.height(230)
        .panel("seen")
        .dots("seen", some(count.seen.x), some(count.seen.y), cloud)
        .ylim(0, 20)
        .x("x")
        .y("count")
        .panel("drawn")
        .dots("drawn", x.values(), y.values(),
              {.color = figure::red,
               .shape = figure::Shape::circle,
               .width = 1.5,
               .opacity = 0.6})
        .line("most probable", grid.values(),
              nn::Poisson{}.mode(count.models[0](grid)).values(), network)
        .ylim(0, 20)
        .x("x")
        .y("count")
        .describe(
            "Two panels of dots on horizontal rows over x: counts as they were seen, "
            "and counts drawn from the network. They look alike. In the right one the "
            "most probable count is a line of steps through the middle.")
        .save(
            "Left what was seen, right draws from what the network learned of it, at "
            "other $x$, and the most probable count as a line. It is the better guess, "
            "and looks like nothing that was seen.");
}

// That is all, and the page is a list:
void page() {
    Generator random(book::seed());
    coin(random);
    two_names();
    const Learned<nn::Poisson> count = six_worlds();
    two_maxima(random);
    rain(random);
    made_up(count, random);
}

// ## What is missing
//
// The recipe says *make what was seen probable*. It sounds modest. What one would really like is that the
// model's distribution is near the true one, everywhere, not only at the samples. [The next
// page](divergence.cpp) measures how far one distribution is from another, and finds that we were minimising
// that all along.
//
// ```{try}
// - Learn from few samples: `--samples 50`. Which of the six suffers most, and do the right heads still win?
// - Stop early: `--steps 30`. What do the networks know by then?
// - Give `Rounded` a width of 0.1, or 0.4. For which of its two worlds does the right head win by more then, for which by less?
// - Repeat it more often: `--seeds 20`. How far apart are the luckiest and the unluckiest?
// ```
