// # A price on weights
//
// ```{rows} fig-udl-8.4 fig-udl-9.2 sys-l2-regularisation eq-map-prior claim-map-sign
// ```
//
// [The last page](protocol.cpp) saw a network learn its training set by heart, and could only stop it in time.
// This page changes what the network is asked for. To the loss we add a price: every weight costs something, so
// a weight must earn its size on the data. Whatever makes a model prefer some solutions to others beyond what
// the training set says is called *regularisation*, and a price in the loss is its *explicit* form.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/classic/basis.hpp>
#include <recto/classic/least_squares.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace recto;
using namespace recto::classic;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Samples, figure::Figure;
//-

// Five numbers can be changed:
const book::Option<int> points("points", 15, "how many samples",
                               {.least = 5, .most = 1000});
const book::Option<int> units("units", 14, "hidden units of the large network",
                              {.least = 4, .most = 100});
const book::Option<double> noise("noise", 0.2, "standard deviation of the noise",
                                 {.least = 0.001});
const book::Option<double> width(
    "width", 3, "standard deviation that the weights are believed to have",
    {.least = 0.01, .most = 100});
const book::Option<int> draws("draws", 21, "how often the samples are drawn",
                              {.quick = 3, .least = 1, .most = 1000});

// ## A network that is a straight sum
//
// To see what a price does we want to compute every optimum exactly. So we take a network of one input and one
// hidden layer, and freeze the first layer. Unit $k$ gives $\max(0, x - c_k)$: nothing up to its *joint* $c_k$,
// then a ramp. The joints lie evenly, the first of them at the left end. Only the last layer learns:
//
// $$ f(x; w) = w_0 + \sum_{k=1}^{K} w_k \max(0,\, x - c_k) . $$
//
// As a program it is a network like any other. The joints want no gradient, and that is all it takes.
struct Network {
    Tensor joints;   // (units), fixed
    nn::Linear out;  // learns

    explicit Network(Index count, Generator& random)
        : joints(empty({count})), out(count, 1, random, {.weights = nn::zeros_init}) {
        for (Index k = 0; k < count; ++k) joints.set({k}, double(k) / double(count));
    }
    Tensor operator()(const Tensor& x) const { return out(relu(x - joints)); }
    void visit(auto&& part) { part("joints", joints), part("out", out); }
};

// But it is also a sum of fixed functions with one weight each, {cpp:func}`~recto::classic::ramps`, and so the
// [first page of the book](../foundations/fit_curve.cpp) knows its best weights in closed form. In what
// follows both are at work: the network on the tape, and linear algebra to check it.
std::vector<double> weights_of(const Network& network) {
    std::vector<double> w = {double(network.out.bias.item())};
    for (const Real v : network.out.weight.values()) w.push_back(double(v));
    return w;
}
double largest_difference(const Vector& a, const Vector& b) {
    Vector d = a;
    linalg::add_scaled(d, -1, b);
    return linalg::largest(d);
}

// The loss will be the sum of the squared errors, whose curvature is $2\Phi^\top\Phi$ with the design matrix $\Phi$.
// Descent with a rate of one over the largest curvature never overshoots:
double safe_rate(const Matrix& phi) {
    return 0.5 / std::pow(linalg::singular_values(phi).front(), 2);
}

// The samples come from a wave with noise. In the figures the wave is thin, a fit is red, and a sample a dot.
Samples draw_samples(Index count, Generator& random) {
    return data::spread_samples(data::smooth_curve, count, 0, 1, noise(), random);
}
const figure::Style thin{.color = figure::ink, .dash = figure::solid, .width = 1},
    bold{.color = figure::red, .dash = figure::solid},
    dot{.color = figure::ink, .shape = figure::Shape::circle};
std::vector<double> wave_on(const std::vector<double>& grid) {
    std::vector<double> y;
    for (const double x : grid) y.push_back(data::smooth_curve(x));
    return y;
}

// A *sum* of squares, not a mean; we shall need the difference.
Tensor sum_of_squares(const Network& network, const Samples& s) {
    return sum(square(network(linalg::column_of(s.x)) - linalg::column_of(s.y)));
}

void a_straight_sum(const Samples& samples, Generator& random) {
    // {numref}`fig-joints` fits fifteen samples with three units and with twelve. Where the curve bends is
    // decided beforehand; how much it bends there is the weight.
    const std::vector<double> grid = data::even_grid(241, 0, 1);
    Figure figure("fig-joints");
    double elsewhere = 0;
    for (const Index count : {3, 12}) {
        const Basis basis = ramps(count, 0, 1);
        const Vector w = least_norm(design_matrix(basis, samples.x), samples.y);
        const std::vector<double> y = mix(basis, w, grid);
        std::vector<double> at, bends;
        for (Index k = 0; k < count; ++k)
            at.push_back(double(k) / double(count)),
                bends.push_back(mix(basis, w, at.back()));
        figure.panel(fmt::format("{} units", count))
            .line("true curve", grid, wave_on(grid), thin)
            .line("fit", grid, y, bold)
            .dots("sample", samples.x, samples.y, dot)
            .dots("joint", at, bends,
                  {.color = figure::red, .shape = figure::Shape::diamond})
            .ylim(-1.6, 1.6)
            .x("x")
            .y("y");

        // A line has no second difference. So wherever three neighbours of a fine grid have one, there is a
        // bend, and 240 steps can be cut in three and in twelve:
        for (std::size_t i = 1; i + 1 < grid.size(); ++i)
            if (i % std::size_t(240 / count) != 0)
                elsewhere =
                    std::max(elsewhere, std::abs(y[i + 1] - 2 * y[i] + y[i - 1]));
    }
    figure
        .describe(
            "Two panels with the same fifteen samples of a wave. With three units the "
            "fit is three straight pieces that miss the wave. With twelve it follows "
            "the samples closely and zigzags.")
        .save(
            "Joints are fixed (diamonds), and between them the fit is straight. Three "
            "units cannot follow; twelve can follow the noise. After Figure 8.4 of "
            "{cite:t}`prince2023`.");
    book::shows("fig-udl-8.4/c", "fig-joints");
    claim("fig-udl-8.4/a", "the largest second difference away from the joints",
          elsewhere, "<=", 1e-13);

    // The network on the tape walks to the same fit. We give three units gradient descent with momentum, until no
    // number of the gradient is above a small tolerance:
    const Network small(3, random);
    const Matrix phi = design_matrix(ramps(3, 0, 1), samples.x);
    optim::Sgd sgd(nn::parameters(small), {.lr = safe_rate(phi), .momentum = 0.95});
    const auto fitted = optim::fit(sgd, [&] { return sum_of_squares(small, samples); },
                                   {.steps = 20'000, .tolerance = 1e-11});
    say("{} steps of gradient descent", fitted.steps);
    claim("fig-udl-8.4/b",
          "the largest difference between its weights and the closed form",
          largest_difference(weights_of(small), least_norm(phi, samples.y)),
          "<=", 1e-9);
}

// ## The price
//
// With as many weights as samples the fit can pass through all of them, noise included. To do so its weights
// must be large: a zigzag is a large bend up beside a large bend down, which cancel everywhere but in between.
// So let weights cost. The *penalty* is the sum of their squares, and the price $\lambda$ says how much it counts:
//
// $$ \sum_{n=1}^N \big(y_n - f(x_n; w)\big)^2 + \lambda \sum_j w_j^2 . $$
//
// This is *L2 regularisation*; for a model that is linear in its weights it is called *ridge regression*. The
// minimum is still a linear system, $(\Phi^\top \Phi + \lambda I)\, w = \Phi^\top y$, which {cpp:func}`~recto::classic::ridge` solves. Six prices, each ten times the last:
void six_prices(Generator& random) {
    const std::vector<double> exponents = {-6, -5, -4, -3, -2, -1};
    const std::vector<double> grid = data::even_grid(201, 0, 1), truth = wave_on(grid);
    const Basis basis = ramps(units(), 0, 1);
    std::vector<double> better_end;
    int training_fell = 0, weights_grew = 0, best_inside = 0;
    Samples shown;
    std::vector<Vector> fits;
    std::vector<double> training, wrong;
    for (int draw = 0; draw < draws(); ++draw) {
        const Samples s = draw_samples(points(), random);
        const Matrix phi = design_matrix(basis, s.x);
        std::vector<double> on_samples, on_curve, lengths;
        for (const double exponent : exponents) {
            const Vector w = ridge(phi, s.y, std::pow(10, exponent));
            on_samples.push_back(squared_error(phi, s.y, w));
            on_curve.push_back(
                data::mean_squared_difference(mix(basis, w, grid), truth));
            lengths.push_back(linalg::norm(w));
            if (draw == 0) fits.push_back(w);
        }
        training_fell += !std::ranges::is_sorted(on_samples);
        weights_grew += !std::ranges::is_sorted(lengths, std::greater());
        const auto best = std::ranges::min_element(on_curve);
        best_inside += best != on_curve.begin() && best != on_curve.end() - 1;
        better_end.push_back(std::min(on_curve.front(), on_curve.back()) / *best);
        if (draw == 0) shown = s, training = on_samples, wrong = on_curve;
    }

    // Before you look: the true error is the distance to the curve that made the samples.
    const auto at = std::size_t(std::ranges::min_element(wrong) - wrong.begin());
    ask("The price rises from nearly nothing to a lot, and the training error with it. "
        "What does the true error do?",
        {{"It rises too: a penalty can only take away from the fit.", at == 0,
          "It takes away from the fit to the samples. But a part of that fit was "
          "noise."},
         {"It falls, and then it rises.", at > 0 && at + 1 < wrong.size(),
          "First the price is too much for the noise, which wants large bends for "
          "small gains; later it is too much for the wave as well."},
         {"It falls all the way: a smoother curve is nearer to a smooth truth.",
          at + 1 == wrong.size(),
          "In the end the smoothest curve is a constant, and the wave is none."}});

    // {numref}`fig-price` shows the first draw at all prices.
    std::vector<double> floor;
    for (const double t : training) floor.push_back(std::max(t, 1e-4));
    //- how the figure is drawn
    Figure figure("fig-price");
    figure
        .describe(
            "Left: fifteen samples, the true curve, and the fit; a slider sets the "
            "price. At the lowest price the fit passes through the samples and "
            "zigzags, in the middle it follows the wave, at the highest it is a flat "
            "arch. Right: the training error rises with the price; the true error "
            "falls and then rises.")
        .slider("price", exponents, "price: ten to the power of", -6)
        .panel("the fit")
        .line("true curve", grid, truth, thin)
        .dots("sample", shown.x, shown.y, dot)
        .ylim(-1.8, 1.8)
        .x("x")
        .y("y");
    for (std::size_t i = 0; i < fits.size(); ++i)
        figure.at(exponents[i]).line("fit", grid, mix(basis, fits[i], grid), bold);
    figure.always()
        .panel("its error")
        .line("training error", exponents, floor,
              {.color = figure::blue, .points = false})
        .line("true error", exponents, wrong, {.color = figure::ochre, .points = false})
        .log_y()
        .x("price, ten to the power of")
        .y("mean squared error");
    for (std::size_t i = 0; i < fits.size(); ++i)
        figure.at(exponents[i])
            .dots("", {exponents[i], exponents[i]}, {floor[i], wrong[i]}, dot);
    figure.save(
        "Move the slider. Nearly for nothing the fit threads all samples; at a "
        "moderate price it is smoother *and* better; at a high one it hardly bends. "
        "Training errors below $10^{-4}$ are drawn there. After Figure 9.2 of "
        "{cite:t}`prince2023`.");
    book::shows("fig-udl-9.2/d", "fig-price");
    //-
    claim("fig-udl-9.2/a",
          "draws in which the training error fell from one price to the next",
          training_fell, "==", 0);
    claim("fig-udl-9.2/b", "draws in which the length of the weights grew",
          weights_grew, "==", 0);
    claim("fig-udl-9.2/c",
          "the true error at the better end, as a multiple of the smallest",
          over_seeds(better_end), ">=", 1.5);
    say("draws whose best price is neither the lowest nor the highest: {} of {}",
        best_inside, draws());
}

// The first two must be so. If a higher price gave a *better* fit to the samples with *shorter* weights, the lower
// price would have taken it. The third is what we wanted: a range of prices at which the network follows the wave
// and not the noise. Which price that is the training set cannot say; $\lambda$ is a hyper-parameter, and the
// validation set of the last page chooses it.
//
// ## Paying as you go
//
// A deep network has no closed form, but it has gradients, and the gradient of the penalty is simple: $2 \lambda w$.
// One step of descent on loss and penalty together is
//
// $$ w \leftarrow w - \eta \, \big(\nabla \Loss(w) + 2 \lambda w\big)
//      = (1 - 2 \eta \lambda)\, w - \eta \, \nabla \Loss(w) : $$
//
// before each step all weights shrink by the same factor. That is called *weight decay*, and optimisers offer it
// as an option, so that nobody needs to write the penalty down. Mind the factor: the option is the slope of
// *half* the squares, so the price $\lambda$ is a weight decay of $2\lambda$.
void paying_as_you_go(const Samples& samples, Generator& random) {
    const double price = 0.01;
    const Matrix phi = design_matrix(ramps(units(), 0, 1), samples.x);
    const double rate = safe_rate(phi);
    const Network start(units(), random);
    const auto penalised = [&](const Network& n) {
        return sum_of_squares(n, samples) +
               (sum(square(n.out.weight)) + sum(square(n.out.bias))) * price;
    };

    // Two copies of the network go side by side, one with the penalty in its loss, one with decay. We compare all
    // their weights after every step. First with plain gradient descent, then with Adam:
    const auto side_by_side = [&](auto make) {
        const Network paid = nn::clone(start), decayed = nn::clone(start);
        auto in_loss = make(nn::parameters(paid), 0),
             in_step = make(nn::parameters(decayed), 2 * price);
        double apart = 0;
        for (int step = 0; step < 1000; ++step) {
            optim::train_step(in_loss, [&] { return penalised(paid); });
            optim::train_step(in_step,
                              [&] { return sum_of_squares(decayed, samples); });
            apart = std::max(apart,
                             largest_difference(weights_of(paid), weights_of(decayed)));
        }
        return apart;
    };
    const double with_sgd = side_by_side([&](const NamedTensors& w, double decay) {
        return optim::Sgd(w, {.lr = rate, .weight_decay = decay});
    });
    const double with_adam = side_by_side([](const NamedTensors& w, double decay) {
        return optim::AdamW(w, {.lr = 0.01, .weight_decay = decay});
    });
    claim("sys-l2-regularisation/a",
          "gradient descent, penalty or decay: the largest difference of a weight in "
          "1000 steps",
          with_sgd, "<=", 1e-6);
    claim("sys-l2-regularisation/b", "Adam, penalty or decay: the same", with_adam, ">",
          0.01);

    // Why does Adam differ? It divides the gradient of every weight by that weight's usual gradient. With the penalty
    // in the loss, the pull towards zero is divided too, and weights with large gradients hardly pay. Decay stands
    // beside the step and is not divided: everybody pays the same share. Adam with decay is called AdamW
    // {cite:p}`loshchilov2019`, and it minimises something else than loss and penalty.
    //
    // Descent with the penalty does go where it should. With some momentum, until the gradient vanishes:
    const Network network = nn::clone(start);
    optim::Sgd sgd(nn::parameters(network), {.lr = rate, .momentum = 0.95});
    const auto fitted = optim::fit(sgd, [&] { return penalised(network); },
                                   {.steps = 20'000, .tolerance = 1e-11});
    claim("sys-l2-regularisation/c",
          "the largest difference between its weights and the closed form",
          largest_difference(weights_of(network), ridge(phi, samples.y, price)),
          "<=", 1e-8);

    // The price had a second effect, on how long that takes. Each direction's curvature
    // has grown by $2\lambda$; the flattest had next to none. How much steeper the steepest
    // direction is than the flattest decides how slow descent is:
    const Vector sizes = linalg::singular_values(phi);
    const double steep = sizes.front() * sizes.front(),
                 flat = sizes.back() * sizes.back();
    say("steps with the penalty: {}", fitted.steps);
    say("steepest over flattest: {:.0f} without the penalty, {:.0f} with it",
        steep / flat, (steep + price) / (flat + price));
}

// ## What the price believes
//
// Why squares, and what does a price of 0.01 mean? Suppose you have a belief about the weights before you see any
// data: a distribution $p(w)$, the *prior*. The samples have a probability given the weights. Bayes' rule multiplies
// the two, and the product is, up to a constant, the probability of the weights after the data, the *posterior*.
// Take the weights at its top, the *maximum a posteriori* (MAP). A logarithm turns the product into a sum, and
// a minus turns the maximum into a minimum:
//
// ```{equation} eq-map-prior
// :function: recto::classic::ridge
// :test: least squares: ridge is the maximum of a posterior
// \operatorname*{argmax}_w \; p(w) \prod_{n=1}^N p(y_n \mid x_n, w)
//   = \operatorname*{argmin}_w \; \underbrace{-\sum_{n=1}^N \log p(y_n \mid x_n, w)}_{\text{loss}}
//     \; \underbrace{{} - \log p(w)}_{\text{penalty}}
// ```
//
// So a penalty *is* a belief. Believe that each weight is normal around zero with standard deviation $\sigma_p$:
// then $-\log p(w) = \frac{1}{2\sigma_p^2} \sum_j w_j^2$ and a constant. That is the L2 penalty, and its price is
// $\lambda = 1 / 2\sigma_p^2$. We write {eq}`eq-map-prior` as it stands, with normal densities, and minimise it on
// the tape:
Tensor log_normal(const Tensor& x, const Tensor& mean, double deviation) {
    return square((x - mean) / deviation) * -0.5 -
           std::log(deviation * std::sqrt(2 * std::numbers::pi));
}
Tensor negative_log_posterior(const Network& network, const Samples& s) {
    const Tensor likelihood =
        log_normal(linalg::column_of(s.y), network(linalg::column_of(s.x)), noise());
    const Tensor zero = zeros({1});
    return -(sum(likelihood) + sum(log_normal(network.out.weight, zero, width())) +
             sum(log_normal(network.out.bias, zero, width())));
}

void what_the_price_believes(const Samples& samples, Generator& random) {
    const Matrix phi = design_matrix(ramps(units(), 0, 1), samples.x);
    const Network network(units(), random);
    const double rate = 2 * noise() * noise() * safe_rate(phi);
    optim::Sgd sgd(nn::parameters(network), {.lr = rate, .momentum = 0.97});
    optim::fit(sgd, [&] { return negative_log_posterior(network, samples); },
               {.steps = 20'000, .tolerance = 1e-10});

    // To compare with ridge regression the loss must be in the same unit. The negative log-likelihood of normal noise
    // is the sum of squares over $2\sigma^2$; multiply all by that, and the price becomes
    // $2\sigma^2 \lambda = \sigma^2 / \sigma_p^2$, the noise against the belief:
    const double lambda = 1 / (2 * width() * width());
    const double price = 2 * noise() * noise() * lambda;
    say("a belief of {} and noise of {} make a price of {:.5f}", width(), noise(),
        price);
    claim("eq-map-prior/a",
          "the largest difference between the maximum of the posterior and the ridge "
          "solution",
          largest_difference(weights_of(network), ridge(phi, samples.y, price)),
          "<=", 1e-8);

    // Two readings help to remember this. Noise makes the price *higher*: samples that are worth less should be
    // followed less. And a belief of zero with deviation $\sigma_p$ weighs as much as one more sample for each weight,
    // which saw the weight itself, with noise $\sigma_p$, and reported 0.
    //
    // Now a question that trips many up, because losses are often means and not sums.
    // So we try it: networks with weights drawn from the belief, samples drawn from them, and five prices around
    // the one above. The best is the one that finds the weights again with the smallest error.
    const Basis basis = ramps(units(), 0, 1);
    const auto best_factor = [&](Index count) {
        std::vector<double> factors = {0.01, 0.1, 1, 10, 100}, errors(5, 0.0);
        for (int draw = 0; draw < 20 * draws(); ++draw) {
            Vector w(basis.size());
            for (double& v : w) v = width() * random.next_normal();
            const auto curve = [&](double x) { return mix(basis, w, x); };
            const Samples s = data::spread_samples(curve, count, 0, 1, noise(), random);
            const Matrix seen = design_matrix(basis, s.x);
            for (std::size_t i = 0; i < 5; ++i) {
                const Vector found = ridge(seen, s.y, price * factors[i]);
                errors[i] += data::mean_squared_difference(found, w);
            }
        }
        return factors[std::size_t(std::ranges::min_element(errors) - errors.begin())];
    };
    const double few = best_factor(points()), many = best_factor(10 * points());
    ask("Ten times as many samples, and the loss is a sum. The belief and the noise "
        "are what they were. Which price is best now?",
        {{"A tenth: with more data there is less need of it.", many < few,
          "There is less need of it, and it has less weight already: the sum of "
          "squares has become ten times as large, the penalty has not."},
         {"The same.", many == few,
          "The price is noise against belief; the number of samples is not in it. But "
          "if your loss is a *mean*, you have divided the sum by ten times as much, "
          "and must divide the price as well."},
         {"Ten times as much: the penalty has to keep up with the sum.", many > few,
          "That would keep their proportion, and so treat 150 samples as if they were "
          "15."}});
    say("best price for {} samples: {} times the one above; for {} samples: {} times",
        points(), few, 10 * points(), many);
}

// ## Mind the sign
//
// A logarithm, a minus and two sums: here it is easy to slip, and in a source of this book somebody did.
//
// ```{erratum} The sign of the prior
// :source: {footcite:t}`transformers-slides`, explicit regularisation
// :row: claim-map-sign
// :printed: $+\log\Pr(\omega)$ inside the argmin, and then $-\sum_i \ell_i[\omega] + \lambda\, g[\omega]$
// :correct: \operatorname*{argmin}_\omega \Big[\sum_i \ell_i[\omega] - \log\Pr(\omega)\Big] = \operatorname*{argmin}_\omega \Big[\sum_i \ell_i[\omega] + \lambda\, g[\omega]\Big]
// The loss is a negative log-likelihood already and enters with a plus; a penalty is a negative log-prior and
// enters with a plus, so the logarithm of the prior has a minus.
// ```
//
// Would one notice? We run all of them. Along a ray, weights $t\,v$ with a fixed direction $v$, each is a parabola
// in $t$. For the printed sum with the plus before the log-prior we take the direction of which the samples say
// least, for the one with the minus before the losses that of which they say most.
void mind_the_sign(const Samples& samples) {
    const Basis basis = ramps(units(), 0, 1);
    const Matrix phi = design_matrix(basis, samples.x);
    const double price = 0.01;
    const auto losses = [&](const Vector& w) {
        return double(samples.size()) * squared_error(phi, samples.y, w);
    };
    const auto penalty = [&](const Vector& w) { return price * linalg::dot(w, w); };

    const linalg::Svd parts = linalg::svd(phi);
    const auto ray = [&](Index which, double t) {
        Vector w(parts.vt.row(which), parts.vt.row(which) + parts.vt.cols);
        for (double& v : w) v *= t;
        return w;
    };
    int rises = 0;
    double before = 0, before_too = 0;
    for (double t = 1e2; t < 2e5; t *= 10) {
        const Vector quiet = ray(parts.vt.rows - 1, t), loud = ray(0, t);
        const double plus_prior = losses(quiet) - penalty(quiet),
                     minus_loss = penalty(loud) - losses(loud);
        say("t = {:>6}: printed {:10.3g} and {:10.3g}, corrected {:8.3g} and {:8.3g}",
            t, plus_prior, minus_loss, losses(quiet) + penalty(quiet),
            losses(loud) + penalty(loud));
        rises += !(plus_prior < 9 * before && minus_loss < 9 * before_too);
        before = plus_prior, before_too = minus_loss;
    }
    claim("claim-map-sign/a",
          "steps outwards at which a printed sum does not fall to nine times itself or "
          "more",
          rises, "==", 0);

    // The printed sums have no minimum: following them leads away from the data, or away from small weights, for ever. With
    // the right signs the gradient is zero at the ridge solution. From there we walk one unit along every eigenvector of the
    // curvature $\Phi^\top\Phi + \lambda I$, forwards and backwards, and each step leads up:
    const Vector w = ridge(phi, samples.y, price);
    Vector slope = squared_error_gradient(phi, samples.y, w);
    for (double& s : slope) s *= double(samples.size());
    linalg::add_scaled(slope, 2 * price, w);
    claim("claim-map-sign/b",
          "the largest slope of the right sum at the ridge solution, in any weight",
          linalg::largest(slope), "<=", 1e-10);
    const auto total = [&](const Vector& at) { return losses(at) + penalty(at); };
    double least_rise = 1e300;
    for (Index which = 0; which < parts.vt.rows; ++which)
        for (const double step : {-1.0, 1.0}) {
            Vector there = w;
            linalg::add_scaled(there, 1, ray(which, step));
            least_rise = std::min(least_rise, total(there) - total(w));
        }
    claim("claim-map-sign/b", "the least by which it rises from there within one unit",
          least_rise, ">", 0);
}

void page() {
    Generator random(book::seed());
    const Samples samples = draw_samples(points(), random);
    a_straight_sum(samples, random);
    six_prices(random);
    paying_as_you_go(samples, random);
    what_the_price_believes(samples, random);
    mind_the_sign(samples);
}

// ## What is missing
//
// Squares are one belief of many. Absolute values are another: they believe in weights that are exactly zero, as
// the [lasso](../foundations/preferences.cpp) did. And a price on weights is a blunt tool for a deep network,
// where nobody has beliefs about weights; what we believe is that a shifted shoe is still a shoe. More such tools
// follow [later](augmentation.cpp). Before that, something odd: networks that are trained without any price
// behave as if there was one. [The step itself](implicit.cpp) sets it.
//
// ```{try}
// - Fewer units: `--units 6`. Is there still anything for the price to do?
// - Less noise: `--noise 0.05`. Where does the best price go, and does the formula agree?
// - Another belief: `--width 30`. Do twenty thousand steps of gradient descent still suffice?
// - More samples: `--points 100`. How much of the difference between the prices is left?
// ```
