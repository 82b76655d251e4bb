// # Predicting distributions: one recipe for all losses
//
// ```{rows} sys-predict-distribution-parameters fig-003-regression-distributions eq-bernoulli eq-binary-cross-entropy eq-categorical-softmax
// ```
//
// [The last page](likelihood.cpp) derived the squared error from a normal distribution of which the network predicted
// the mean. Why only the mean, and why only a normal distribution? Let the network predict all parameters of any
// distribution, and the same derivation gives a loss for every kind of target.
//
// How can a network predict a whole distribution for every input? Move the slider to see networks that have learned from other
// samples:
//
// ```{opening} fig-003
// ```
//
// The recipe has four steps:
//
// 1. *What values can a target take?* A number, yes or no, a class, a count, an angle. Choose a distribution over these
//    values.
// 2. *What are its parameters?* The network returns them, $\theta = f(x; w)$, one distribution for every $x$.
// 3. *Which values may they take?* A network returns any real number; a probability lies between 0 and 1. A fixed
//    function, the **link**, maps one to the other.
// 4. Minimise the {term}`negative log-likelihood`.
//- includes, names and options
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

const book::Option<Index> samples("samples", 2000, "training samples of each kind",
                                  {.quick = 300, .least = 10, .most = 100'000});
const book::Option<Index> steps_made("steps", 300, "training steps of each network",
                                     {.quick = 60, .least = 1, .most = 10'000});
const book::Option<int> seeds("seeds", 5, "number of repetitions of every experiment",
                              {.quick = 1, .least = 1, .most = 100});
//-

// ## Yes or no: the Bernoulli distribution
//
// The simplest distribution has one parameter. A coin shows $y = 1$ with probability $\lambda$ and $y = 0$ otherwise.
// Exponents of 0 and 1 put both cases into one formula, the **Bernoulli distribution**:
//
// ```{equation} eq-bernoulli
// :function: recto::nn::Bernoulli
// :test: likelihood: a Bernoulli's two probabilities
// \Pr(y \mid \lambda) = (1 - \lambda)^{1-y} \, \lambda^y, \qquad y \in \{0, 1\}
// ```
double bernoulli(int y, double lambda) {
    return std::pow(1 - lambda, 1 - y) * std::pow(lambda, y);
}

// First without a network. You throw the coin fifty times and record ones and zeros. Which $\lambda$ makes this record
// most probable? With two ones in three throws the likelihood is $\lambda^2 (1 - \lambda)$; its derivative,
// $2\lambda - 3\lambda^2$, is zero at $\lambda = 2/3$, the share of ones. A search finds the same. The derivative of the
// log-likelihood is positive below the optimum and negative above it, so halve the interval sixty times:
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

//- fifty throws
void coin(Generator& random) {
    std::vector<int> thrown;
    double ones = 0;
    for (int n = 0; n < 50; ++n) {
        thrown.push_back(random.next_uniform() < 0.3);
        ones += thrown.back();
    }
    //-
    // The search returns the share of ones, as it should: the recipe agrees with common sense.
    //
    // The library's Bernoulli distribution is parameterised by the **log-odds** $f = \log\frac{\lambda}{1-\lambda}$. Its
    // two probabilities agree with the formula and sum to 1, up to the rounding of single precision:
    //- how both probabilities are checked
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
    say("{} ones in {} throws, most probable lambda {:.6f}", ones, thrown.size(),
        likeliest_lambda(thrown));
    claim("eq-bernoulli/a",
          "largest distance of a probability from the formula, or of the sum of both "
          "from one",
          worst, "<=", 1e-6);
    claim("eq-bernoulli/b",
          "the distance of the likeliest lambda from the share of ones",
          std::abs(likeliest_lambda(thrown) - ones / 50), "<=", 1e-9);
}
//-

// Now let $\lambda$ depend on $x$. The network returns any real number $f$, and the link is the {term}`sigmoid`
// $\sigma(f) = 1/(1+e^{-f})$, which maps $f$ into the interval from 0 to 1. The negative logarithm of {eq}`eq-bernoulli`
// is then the **binary cross-entropy**:
//
// ```{equation} eq-binary-cross-entropy
// :function: recto::binary_cross_entropy
// :test: equations: binary cross-entropy; binary_cross_entropy: edges
// \Loss = \sum_{n=1}^N -(1-y_n) \log\big[1-\sigma(f(x_n; w))\big] - y_n \log \sigma(f(x_n; w))
// ```
//
// As on [the last page](likelihood.cpp), this is a sum over the samples; the library returns the mean, the sum divided by $N$, which is
// smallest at the same weights. The derivative of one sample's loss with respect to $f$ is $\sigma(f) - y$: the
// predicted probability minus the observed answer. Do not compute the formula as it is written. At $f = 1000$ the
// sigmoid rounds to 1, the bracket is 0 and its logarithm infinite, while for $y = 0$ the true loss is 1000. The
// library's function takes $f$ instead of $\sigma(f)$ and uses $-\log(1-\sigma(f)) = \log(1+e^f)$, which is nearly $f$
// for large $f$.
//
// ## One of several: the categorical distribution
//
// With $K$ classes there are $K$ probabilities, the **categorical distribution**, and the link is the {term}`softmax`:
//
// ```{equation} eq-categorical-softmax
// :function: recto::softmax; recto::nn::Categorical
// :test: likelihood: probabilities of classes
// \Pr(y = k) = \lambda_k, \quad \lambda = \operatorname{softmax}(z), \quad
// \operatorname{softmax}_k(z) = \frac{e^{z_k}}{\sum_{k'} e^{z_{k'}}}
// ```
//
// All $\lambda_k$ lie between 0 and 1, and they sum to 1. {cite:t}`fleuret2023` prefers the name *softargmax*, because
// the function is a smooth version of the *position* of the largest score. Multiply all scores by a growing factor, and
// the output approaches a single 1 at the largest score:
//- how the table is computed
void two_names() {
    const Tensor scores({3}, {1, 3, 2});
    std::vector<std::vector<book::Cell>> rows;
    for (const double times : {0.0, 1.0, 5.0, 50.0}) {
        const std::vector<Real> p = softmax(scores * times).values();
        const auto cell = [&](std::size_t k) { return fmt::format("{:.4f}", p[k]); };
        rows.push_back({times, cell(0), cell(1), cell(2)});
    }
    book::table("tab-softargmax",
                "The softmax of the scores 1, 3 and 2, multiplied by a factor. At 0 "
                "all three are equal; with a larger factor the second, which has the "
                "largest score, takes all.",
                {"factor", "first", "second", "third"}, rows);
    book::shows("eq-categorical-softmax/b", "tab-softargmax");
}

//-
// The last row shows a limit of floating-point numbers. Mathematically no $\lambda_k$ is ever 1, but in single precision
// the probability of a score that leads by more than 17 rounds to 1. With a lead above 104 the other probabilities
// underflow to 0, whose logarithm is infinite. So this loss, too, is computed from the scores.
//
// ## Six kinds of target
//
// The library implements the recipe as six structs. Each has the same three functions: `log_prob`, used for training,
// and two for prediction, `mode` and `sample`, which are the subject of [the next page](mode_or_sample.cpp).
//
// | a target is | distribution | outputs | link |
// |---|---|---|---|
// | any number | {cpp:struct}`~recto::nn::Normal` | mean | none |
// | any number, with a noise that depends on $x$ | {cpp:struct}`~recto::nn::SpreadNormal` | mean, log of the deviation | none, $e^z$ |
// | 0 or 1 | {cpp:struct}`~recto::nn::Bernoulli` | log-odds | sigmoid |
// | a class | {cpp:struct}`~recto::nn::Categorical` | $K$ scores | softmax |
// | a count 0, 1, 2, … | {cpp:struct}`~recto::nn::Poisson` | log of the mean | $e^z$ |
// | an angle | {cpp:struct}`~recto::nn::VonMises` | a vector in the plane | none |
//
// The second row is **heteroscedastic** regression (Greek for *of different spread*): the network predicts the width of
// the noise as well as the mean. The **Poisson distribution** counts events that happen independently at a known rate,
// such as calls in an hour. The **von Mises distribution** is the normal distribution of the circle. Its output is a
// vector: the direction is the expected angle, and the longer the vector, the narrower the distribution around it.
//
// To see whether the recipe works we need data whose true distribution is known. A `World` holds a likelihood and the
// outputs that a perfect network would return at $x$; it draws targets from this distribution.
//- a world, and samples from it
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
//-

// The six worlds need six functions of $x$, made of sines and straight lines:
//- the true parameters at every x
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
//-

// One training routine serves all six. The network has two hidden layers of 16 units and one output for each parameter;
// only the likelihood differs. The optimiser is Adam, which gives every weight a step size of its own and has
// [a page of its own](optimisers.cpp).
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

// In every world a rival competes, in most cases a normal distribution. Where the targets are only 0 and 1, or 0, 1 and
// 2, this rival must be *rounded*. Otherwise a narrow bell, whose density is arbitrarily large at 0 and at 1, would win
// unfairly. A rounded bell assigns to $y$ the probability between $y - \frac12$ and $y + \frac12$. Ours is the logistic
// distribution: it resembles the normal one, and its integral is a sigmoid. The counts need no rounding: they spread
// over several whole numbers, most of which a narrow bell would miss.
//- the rounded bell
struct Rounded {
    using Target = Tensor;
    double width = 0.2;  // for a deviation of 0.36

    Tensor log_prob(const Tensor& outputs, const Tensor& y) const {
        const Tensor off =
            negative(abs(y - select(outputs, 1, 0)));  // either side is the same
        return log(sigmoid((off + 0.5) / width) - sigmoid((off - 0.5) / width));
    }
};
//-

// The rival is trained on the same samples, and new samples judge both.
//- how a head and its rival are trained and compared
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
          fmt::format("{}: loss on new samples, minus that of {}", name, against),
          over_seeds(lead), "<", 0);
    const auto cell = [](const auto& all) {
        return fmt::format("{:.3f}", book::median(all));
    };
    results.push_back({name, against, cell(ours), cell(theirs)});
    return made;
}
//-

// A harder test: how far are the predicted *parameters* from the true ones, which no network saw?
//- the largest gap between predicted and true parameters
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
//-

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
void three(const Learned<nn::Normal>& number, const Learned<nn::Bernoulli>& yes_no,
           const Learned<nn::Categorical>& which) {
    //-
    // {numref}`fig-003` shows three of the worlds. For a number, the network predicts a mean, drawn with a band of two
    // deviations; for yes or no, one probability.
    //- how the first two panels are drawn
    const NoGrad only_asking;
    Figure figure("fig-003");
    std::vector<double> draws;
    for (int draw = 1; draw <= seeds(); ++draw) draws.push_back(draw);
    const auto of = [](const auto& learned, double draw) {
        return learned.models[std::size_t(draw) - 1](grid);
    };
    figure.columns(3).height(240).slider("draw", draws, "network", 1);
    const std::vector<Real> x = grid.values();
    figure.panel("a number")
        .dots("seen", some(number.seen.x), some(number.seen.y), cloud);
    for (const double draw : draws) {
        const Tensor middle = of(number, draw);
        figure.at(draw)
            .band("", x, (middle - 0.5).values(), (middle + 0.5).values(), pale)
            .line("network", x, middle.values(), network);
    }
    figure.always()
        .line("truth", x, number.world.perfect(grid).values(), truth)
        .x("x")
        .y("y")
        .panel("yes or no");
    for (const double draw : draws)
        figure.at(draw).line("network", x, sigmoid(of(yes_no, draw)).values(), network);
    figure.always().line("truth", x, sigmoid(yes_no.world.perfect(grid)).values(),
                         truth);
    shares(figure, yes_no.seen, [](Real y) { return y == 1; });
    figure.ylim(0, 1).x("x").y("probability of yes");
    //-

    // For three classes it predicts three probabilities. Stacked, they fill the panel.
    //- how the third panel is drawn
    const figure::Color colors[] = {figure::blue, figure::ochre, figure::green};
    figure.panel("one of three");
    for (const double draw : draws) {
        const Tensor said = softmax(of(which, draw));
        Tensor below = zeros({grid.size(0)});
        figure.at(draw);
        for (Index k = 0; k < 3; ++k) {
            const Tensor above = below + select(said, 1, k);
            figure.band(fmt::format("class {}", k), x, below.values(), above.values(),
                        {.color = colors[k], .opacity = 0.45});
            below = above;
        }
    }
    figure.always();
    const Tensor right = softmax(which.world.perfect(grid));
    Tensor truth_below = zeros({grid.size(0)});
    for (Index k = 0; k < 2; ++k) {
        truth_below = truth_below + select(right, 1, k);
        figure.line("truth", x, truth_below.values(), truth);
        shares(figure, which.seen, [&](Index y) { return y <= k; });
    }
    figure.ylim(0, 1)
        .x("x")
        .y("probabilities, stacked")
        .describe(
            "Three panels over x. A number: dots around a wave, a line through their "
            "middle and a band around it. Yes or no: shares of yes in intervals of x "
            "as dots, and the network's probability as a curve through them. One of "
            "three: three coloured bands, stacked, that always add up to one, with "
            "dots for the observed shares. The dashed true curves lie on the "
            "network's. A slider shows one network after the other.")
        .save(
            "Observed data (grey) and the network's prediction (colours); dashed, the "
            "true parameters, which the network finds without ever seeing them. Move "
            "the slider: each network has learned from samples of its own; the grey "
            "dots are those of the first. In the last two panels they are shares "
            "within intervals of $x$, drawn for you; the network saw single answers.");
    book::shows("fig-003-regression-distributions/b", "fig-003");
    book::shows("sys-predict-distribution-parameters/c", "fig-003");
}
//-

// {numref}`fig-domains` shows the other three. Look at the panel *angles*. The true angle passes $\pi$ and continues at
// $-\pi$. The network can follow, because its output vector turns smoothly where the angle jumps. This is the output on
// the circle of [an earlier page](../foundations/regression.cpp), and now it has a distribution.
//- the predicted angle, without a line across the panel
std::vector<Real> directions(const Tensor& outputs) {
    std::vector<Real> made = nn::VonMises{}.mode(outputs).values();
    for (std::size_t i = made.size() - 1; i > 0; --i)  // no line across the panel
        if (std::abs(made[i] - made[i - 1]) > 3) made[i] = Real(NAN);
    return made;
}
//-
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
            "the true one, nearly on it. First panel: a wave whose dots spread more "
            "and more, in a band that widens. Second panel: counts, on horizontal "
            "rows, with the mean as a curve. Third panel: angles that rise, leave the "
            "panel at the top and enter again at the bottom; the curve does the same.")
        .save(
            "First panel: a normal distribution whose width is predicted too (band of "
            "two deviations). Second panel: counts and their predicted mean. Third "
            "panel: angles; the top and the bottom edge are the same angle. The "
            "network's curve covers the true one in all three.");
    book::shows("sys-predict-distribution-parameters/c", "fig-domains");
}

//-

// In one contest the rival expects numbers where the targets are classes. So the classes are numbered 0, 1 and 2.
//- the centre that suits both ends best
void numbered_classes() {
    const NoGrad only_asking;
    const auto log_p = [](int y, double centre) {
        const Tensor at({1, 1}, {Real(centre)}), target({1}, {Real(y)});
        return double(Rounded{}.log_prob(at, target).item());
    };
    const std::vector<double> centres = even_grid(401, -1, 3);
    const double best = *std::ranges::max_element(
        centres, {}, [&](double c) { return log_p(0, c) + log_p(2, c); });
    const double p[] = {std::exp(log_p(0, best)), std::exp(log_p(1, best)),
                        std::exp(log_p(2, best))};
    const bool middle = p[1] > p[0] && p[1] > p[2];
    //-
    ask("At some $x$ the classes 0 and 2 occur equally often, and class 1 never. Which "
        "class does the best rounded bell make the most probable?",
        {{"0 or 2: the bell moves to one of them.", !middle && p[0] != p[2],
          "The other class would be nearly impossible then, and it occurs in half of "
          "the samples."},
         {"1, the class that never occurs.", middle,
          "The centre that suits both ends lies between them, and a bell is highest at "
          "its centre. The numbers put 1 between 0 and 2, and classes have no such "
          "order."},
         {"All three alike.", !middle && p[0] == p[2],
          "A bell of this width is far from level over three numbers."}});
    //- what is printed
    say("the best bell is centred at {:.2f}; its probabilities of 0, 1 and 2 are "
        "{:.3f}, {:.3f} and {:.3f}",
        best, p[0], p[1], p[2]);
}
//-

// Here are the results of all six contests.
//- the six contests
void six_worlds() {
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
    book::table(
        "tab-contest",
        "Mean negative log-likelihood of new samples, in nats; medians over the seeds. "
        "The head that matches the target has the smaller loss in every row. (The "
        "checks above take the median of the differences, which is not the difference "
        "of the medians.)",
        {"world", "rival", "right head", "rival head"}, results);
    //-

    // Some rivals are close, for good reasons. The first takes the numbers for angles: it predicts its own mean and
    // width at every $x$, and a narrow von Mises distribution is nearly normal. The second is the best normal
    // distribution of a fixed width. The rounded bells lose for different reasons. With yes or no, the bell is too wide
    // to be certain: centred at 0, it gives 0 a probability of only 0.85. A narrower bell would do better there, since
    // near $\frac12$ it can give yes any probability. With classes it would do worse: the narrower a bell around 1, the
    // less remains for 0 and 2.
    three(number, yes_no, which);
    std::vector<double> gaps;
    largest_gaps(gaps, number, as_it_is);
    largest_gaps(gaps, yes_no, [](const Tensor& o) { return sigmoid(o); });
    largest_gaps(gaps, which, [](const Tensor& o) { return softmax(o); });
    claim("fig-003-regression-distributions/a",
          "root mean squared gap between predicted and true parameters, the worst of "
          "the three worlds",
          over_seeds(gaps), "<", 0.05);
    three_more(spread, count, angle);
}

void page() {
    Generator random(book::seed());
    coin(random);
    two_names();
    numbered_classes();
    six_worlds();
}

// ## Summary
//
// Choose a distribution over the possible targets, let a network predict its parameters through a link, and minimise the
// negative log-likelihood: this recipe gave the losses for numbers, yes or no, classes, counts and angles. In every world
// the matching head beat its rival on new data, and the networks recovered parameters that they never saw.
//
// ## What is missing
//
// Each network returns a distribution, and you need an answer. [The next page](mode_or_sample.cpp) shows two ways to
// get one.
//
// ```{exercises}
// - [Losses that are likelihoods](/exercises/losses/likelihood.md)
// ```
//
// ```{try}
// - Few samples: `--samples 50`. Which of the six worlds suffers most, and do the matching heads still win?
// - Stop early: `--steps 30`. What have the networks learned by then?
// - Give `Rounded` a width of 0.1, or 0.4. In which of its two worlds does the right head win by more, in which by less?
// - More repetitions: `--seeds 20`. How far apart are the best and the worst seed?
// ```
