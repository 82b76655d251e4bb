// # Weight decay and L2 regularisation: a price on weights
//
// ```{rows} fig-udl-8.4 fig-udl-9.2 sys-l2-regularisation eq-map-prior claim-map-sign
// ```
//
// [Two pages ago](protocol.cpp) a network memorised its training set, and all we could do was to stop it in time. This page changes
// the goal of the training: a penalty on large weights is added to the loss, so that a weight must earn its size on the data.
// **Regularisation** is everything that makes a model prefer some solutions to others beyond what the training set says, and a penalty
// in the loss is its *explicit* form. How large should the penalty be? When is it the same as **weight decay**, the option of every
// optimiser? And what does the penalty assume about the weights?
//
// What do three units make of fifteen noisy samples of a wave, and what do twelve? Move the slider:
//
// ```{opening} fig-joints
// ```
//- includes, names and options
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

const book::Option<int> points("points", 15, "how many samples",
                               {.least = 5, .most = 1000});
const book::Option<int> units("units", 14, "hidden units of the large network",
                              {.least = 4, .most = 100});
const book::Option<double> noise("noise", 0.2, "standard deviation of the noise",
                                 {.least = 0.001});
const book::Option<double> width("width", 3,
                                 "standard deviation that the prior gives the weights",
                                 {.least = 0.01, .most = 100});
const book::Option<int> draws("draws", 21, "how often the samples are drawn",
                              {.quick = 3, .least = 1, .most = 1000});
//-

// ## A network whose optimum is known
//
// To see what a penalty does we compute every optimum exactly. So we take a network of one input and one hidden layer, and
// freeze the first layer. Unit $k$ computes $\max(0, x - c_k)$: zero up to its *joint* $c_k$, then a ramp. The joints are evenly
// spaced, and the first is at the left end. Only the last layer learns:
//
// $$ f(x; w) = w_0 + \sum_{k=1}^{K} w_k \max(0,\, x - c_k) . $$
//
// With two units, joints at 0 and 0.5 and weights $w_0 = 0$, $w_1 = 2$, $w_2 = -3$, the function rises from 0 to 1 with slope 2, and
// then falls with slope $2 - 3 = -1$. Each weight is the change of slope at its joint.
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

// The function is also a sum of fixed functions with one weight each ({cpp:func}`~recto::classic::ramps`), so the [first page of the
// book](../foundations/fit_curve.cpp) gives its best weights in closed form. Gradient descent and linear algebra can check each other.
//- weights as a list, a safe learning rate, the samples, and the loss
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

// A *sum* of squares, not a mean; the difference matters below.
Tensor sum_of_squares(const Network& network, const Samples& s) {
    return sum(square(network(linalg::column_of(s.x)) - linalg::column_of(s.y)));
}
//-

// {numref}`fig-joints` fits fifteen samples with up to fifteen units. The joints decide where the curve bends; the
// weights decide how much.
//- how the figure is drawn and checked, and the descent

void a_straight_sum(const Samples& samples, Generator& random) {
    const std::vector<double> grid = data::even_grid(241, 0, 1);
    const std::vector<double> counts = {2, 3, 4, 5, 6, 8, 10, 12, 15};
    const figure::Style joint{.color = figure::red, .shape = figure::Shape::diamond};
    Figure figure("fig-joints");
    figure.slider("units", counts, "units", 3)
        .panel("the fit")
        .line("true curve", grid, wave_on(grid), thin)
        .dots("sample", samples.x, samples.y, dot)
        .ylim(-1.6, 1.6)
        .x("x")
        .y("y");
    double elsewhere = 0;
    std::vector<double> errors;
    for (const double number : counts) {
        const auto count = Index(number);
        const Basis basis = ramps(count, 0, 1);
        const Vector w = least_norm(design_matrix(basis, samples.x), samples.y);
        const std::vector<double> y = mix(basis, w, grid);
        std::vector<double> at, bends;
        for (Index k = 0; k < count; ++k)
            at.push_back(double(k) / double(count)),
                bends.push_back(mix(basis, w, at.back()));
        figure.at(number).line("fit", grid, y, bold).dots("joint", at, bends, joint);
        errors.push_back(squared_error(design_matrix(basis, samples.x), samples.y, w));

        // A line has no second difference. So wherever three neighbours of a fine grid have one, there is a
        // bend, and 240 steps can be cut in each of these counts:
        for (std::size_t i = 1; i + 1 < grid.size(); ++i)
            if (i % std::size_t(240 / count) != 0)
                elsewhere =
                    std::max(elsewhere, std::abs(y[i + 1] - 2 * y[i] + y[i - 1]));
    }
    figure.always()
        .panel("its error on the samples")
        .line("", counts, errors, {.color = figure::blue})
        .x("units")
        .y("mean squared error");
    for (std::size_t i = 0; i < counts.size(); ++i)
        figure.at(counts[i]).dots("", {counts[i]}, {errors[i]}, joint);
    figure.always()
        .describe(
            "First panel: fifteen samples of a wave and a fit of straight pieces; a "
            "slider sets the number of units. With three units the pieces miss the "
            "wave. With twelve they follow the samples closely and zigzag, and with "
            "fifteen they pass through all of them. Second panel: the error on the "
            "samples against the number of units, which falls to zero.")
        .save(
            "Joints are fixed (diamonds), and between them the fit is straight. Move "
            "the "
            "slider: three units underfit the wave, twelve are enough to follow the "
            "noise, and fifteen pass through all samples. After Figure 8.4 of "
            "{cite:t}`prince2023`.");
    book::shows("fig-udl-8.4/c", "fig-joints");
    claim("fig-udl-8.4/a", "the largest second difference away from the joints",
          elsewhere, "<=", 1e-13);

    // The network on the tape descends to the same fit: three units, gradient descent with momentum, until no derivative is above a
    // small tolerance.
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
//-

// ## The L2 penalty
//
// With as many weights as samples the fit can pass through all samples, noise included. To do so it needs large weights: a zigzag
// is a large bend upwards beside a large bend downwards. The **L2 penalty** is the sum of the squared weights, and its strength
// $\lambda$ is the price of a weight:
//
// $$ \sum_{n=1}^N \big(y_n - f(x_n; w)\big)^2 + \lambda \sum_j w_j^2 . $$
//
// Take one weight, one sample, $f(x; w) = w x$ with $x = 1$ and $y = 2$. Without a penalty the best weight is 2. With it we minimise
// $(2 - w)^2 + \lambda w^2$, and the minimum is at $w = 2 / (1 + \lambda)$: for $\lambda = 1$ the best weight is 1. A higher price makes
// a smaller weight and a larger error on the sample.
//
// This is **L2 regularisation**; for a model that is linear in its weights it is called **ridge regression**. The minimum still solves a
// linear system, $(\Phi^\top \Phi + \lambda I)\, w = \Phi^\top y$, by {cpp:func}`~recto::classic::ridge`. We try six prices, each ten
// times the last, on the same samples:
//- what is recorded, and the loop over draws
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
        //-
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
        //- comparisons from price to price
        training_fell += !std::ranges::is_sorted(on_samples);
        weights_grew += !std::ranges::is_sorted(lengths, std::greater());
        const auto best = std::ranges::min_element(on_curve);
        best_inside += best != on_curve.begin() && best != on_curve.end() - 1;
        better_end.push_back(std::min(on_curve.front(), on_curve.back()) / *best);
        if (draw == 0) shown = s, training = on_samples, wrong = on_curve;
    }
    //-

    // The *true error* is the mean squared distance to the curve that made the samples. Before you look:
    //- the best price of the first draw
    const auto at = std::size_t(std::ranges::min_element(wrong) - wrong.begin());
    //-
    ask("The price rises from nearly nothing to a lot, and the training error rises "
        "with it. What does the true error do?",
        {{"It rises too: a penalty can only take away from the fit.", at == 0,
          "It takes away from the fit to the samples. But a part of that fit was "
          "noise."},
         {"It falls, and then it rises.", at > 0 && at + 1 < wrong.size(),
          "First the penalty suppresses the fit to the noise, which needs large bends "
          "for small gains; at a high price it suppresses the wave as well."},
         {"It falls all the way: a smoother curve is nearer to a smooth truth.",
          at + 1 == wrong.size(),
          "In the end the smoothest curve is nearly a constant, and the wave is "
          "not."}});

    // {numref}`fig-price` shows the first draw at all prices.
    //- how the figure is drawn, and what is checked
    std::vector<double> floor;
    for (const double t : training) floor.push_back(std::max(t, 1e-4));
    Figure figure("fig-price");
    figure
        .describe(
            "First panel: fifteen samples, the true curve, and the fit; a slider sets "
            "the price. At the lowest price the fit passes through the samples and "
            "zigzags, in the middle it follows the wave, at the highest it is a flat "
            "arch. Second panel: the training error rises with the price; the true "
            "error falls and then rises.")
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
        "Move the slider. At the lowest price the fit passes through all samples; at a "
        "moderate price it is smoother *and* closer to the wave; at a high price it "
        "hardly bends. Training errors below $10^{-4}$ are drawn there. After Figure "
        "9.2 of {cite:t}`prince2023`.");
    book::shows("fig-udl-9.2/d", "fig-price");
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
//-

// The first two results must hold. A rise of the price charges the fit with the longer weights more, so a higher price never leads to
// longer weights. And if the shorter weights of the higher price also fitted better, the lower price would have chosen them. The third is what we wanted: a range of prices at which the network follows the wave and not the noise. The training set
// cannot say which price that is. $\lambda$ is a hyper-parameter, and [the validation set](protocol.cpp) chooses it.
//
// ## Weight decay
//
// A deep network has no closed form, but the gradient of the penalty is simple: $2 \lambda w$. One step of gradient descent on
// loss and penalty together is
//
// $$ w \leftarrow w - \eta \, \big(\nabla \Loss(w) + 2 \lambda w\big)
//      = (1 - 2 \eta \lambda)\, w - \eta \, \nabla \Loss(w) . $$
//
// Before each step all weights shrink by the same factor: to nine tenths for $\eta = 0.1$ and $\lambda = 0.5$. This is **weight decay**,
// and optimisers offer it as an option, so that you need not write the penalty yourself. Mind the factor: the option is the gradient of
// *half* the squares, so the price $\lambda$ is a weight decay of $2\lambda$.
//- the start, and the loss with penalty
void paying_as_you_go(const Samples& samples, Generator& random) {
    const double price = 0.01;
    const Matrix phi = design_matrix(ramps(units(), 0, 1), samples.x);
    const double rate = safe_rate(phi);
    const Network start(units(), random);
    const auto penalised = [&](const Network& n) {
        return sum_of_squares(n, samples) +
               (sum(square(n.out.weight)) + sum(square(n.out.bias))) * price;
    };
    //-

    // Two copies of the network train side by side, one with the penalty in its loss, the other with decay. `apart` is the largest
    // difference of their weights after any step:
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
    //- plain gradient descent, then Adam
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
    //-

    // For Adam the two are not the same, because Adam divides the gradient of every weight by the recent size of that gradient. A
    // penalty in the loss is divided too, so weights with large gradients hardly shrink. Decay acts beside the step and is not divided:
    // every weight shrinks by the same share. Adam with decay is called **AdamW** {cite:p}`loshchilov2019`. It minimises something other
    // than loss and penalty.
    //
    // Gradient descent with the penalty does reach the closed form, and we record how many steps it takes:
    //- the descent, and how steep its bowl is
    const Network network = nn::clone(start);
    optim::Sgd sgd(nn::parameters(network), {.lr = rate, .momentum = 0.95});
    const auto fitted = optim::fit(sgd, [&] { return penalised(network); },
                                   {.steps = 20'000, .tolerance = 1e-11});
    claim("sys-l2-regularisation/c",
          "the largest difference between its weights and the closed form",
          largest_difference(weights_of(network), ridge(phi, samples.y, price)),
          "<=", 1e-8);

    // Each direction's curvature has grown by 2 lambda; the flattest had next to none.
    const Vector sizes = linalg::singular_values(phi);
    const double steep = sizes.front() * sizes.front(),
                 flat = sizes.back() * sizes.back();
    say("steps with the penalty: {}", fitted.steps);
    say("steepest over flattest: {:.0f} without the penalty, {:.0f} with it",
        steep / flat, (steep + price) / (flat + price));
}
//-

// The penalty has a second effect, on the speed. It adds $2\lambda$ to the curvature of every direction, and the flattest directions
// had almost none. The ratio of the largest curvature to the smallest sets the number of steps, as in [the narrow
// valley](optimisers.cpp), and the penalty lowers this ratio.
//
// ## The penalty is a prior
//
// Why squares, and what does a price of 0.01 mean? Suppose that you have a belief about the weights before you see any data: a
// distribution $p(w)$, the **prior**. The samples have a probability given the weights. Bayes' rule multiplies the two, and the
// product is, up to a constant, the probability of the weights given the data, the **posterior**. The weights at its peak are the
// **maximum a posteriori** estimate (MAP). A logarithm turns the product into a sum, and a minus sign turns the maximum into a minimum:
//
// ```{equation} eq-map-prior
// :function: recto::classic::ridge
// :test: least squares: ridge is the maximum of a posterior
// \operatorname*{argmax}_w \; p(w) \prod_{n=1}^N p(y_n \mid x_n, w)
//   = \operatorname*{argmin}_w \; \underbrace{-\sum_{n=1}^N \log p(y_n \mid x_n, w)}_{\text{loss}}
//     \; \underbrace{{} - \log p(w)}_{\text{penalty}}
// ```
//
// So a penalty expresses a belief. Suppose each weight is normal around zero with standard deviation $\sigma_p$. Then
// $-\log p(w) = \frac{1}{2\sigma_p^2} \sum_j w_j^2$ plus a constant. This is the L2 penalty with the price $\lambda = 1 / 2\sigma_p^2$.
// We write {eq}`eq-map-prior` with normal densities and minimise it on the tape:
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

//- the descent
void what_the_price_believes(const Samples& samples, Generator& random) {
    const Matrix phi = design_matrix(ramps(units(), 0, 1), samples.x);
    const Network network(units(), random);
    const double rate = 2 * noise() * noise() * safe_rate(phi);
    optim::Sgd sgd(nn::parameters(network), {.lr = rate, .momentum = 0.97});
    optim::fit(sgd, [&] { return negative_log_posterior(network, samples); },
               {.steps = 20'000, .tolerance = 1e-10});
    //-

    // Ridge regression has the sum of squares as its loss; the negative log-likelihood of normal noise is that sum divided by
    // $2\sigma^2$. Multiply everything by $2\sigma^2$, and the price becomes $2\sigma^2 \lambda = \sigma^2 / \sigma_p^2$. With noise of 0.2
    // and a prior of 3 this is $0.04 / 9 = 0.0044$:
    //- what is printed and checked
    const double lambda = 1 / (2 * width() * width());
    const double price = 2 * noise() * noise() * lambda;
    say("a prior of width {} and noise of {} make a price of {:.5f}", width(), noise(),
        price);
    claim("eq-map-prior/a",
          "the largest difference between the maximum of the posterior and the ridge "
          "solution",
          largest_difference(weights_of(network), ridge(phi, samples.y, price)),
          "<=", 1e-8);
    //-

    // Two readings help you to remember this. More noise makes the price *higher*, because noisy samples deserve less trust. And the
    // prior counts as one more sample for each weight, which measured the weight itself with noise $\sigma_p$ and reported 0.
    //
    // One question causes many mistakes, because losses are often means and not sums: does the best price depend on the number of
    // samples? We draw weights from the prior, draw samples from them, and try five prices around the one above. The best price is the
    // one that recovers the weights with the smallest error.
    //- the best of five prices
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
    //-
    ask("You have ten times as many samples, and the loss is a sum. The prior and the "
        "noise stay the same. Which price is best now?",
        {{"A tenth: with more data there is less need of a penalty.", many < few,
          "There is less need of it, and it has less weight already: the sum of "
          "squares is ten times as large, and the penalty is not."},
         {"The same.", many == few,
          "The price is the variance of the noise over that of the prior; the number "
          "of samples is not in it. But if your loss is a *mean*, you have divided the "
          "sum by ten times as much, and must divide the price as well."},
         {"Ten times as much: the penalty has to keep up with the sum.", many > few,
          "That would keep their proportion, and so treat 150 samples as if they were "
          "15."}});
    say("best price for {} samples: {} times the one above; for {} samples: {} times",
        points(), few, 10 * points(), many);
}

// ## Mind the sign
//
// With a logarithm, a minus and two sums it is easy to make a mistake, and a source of this book contains one.
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
// Would you notice? We evaluate the printed and the corrected sums along rays: weights $t\,v$ with a fixed direction $v$,
// where each sum is a parabola in $t$. For the printed sum with the plus before the log-prior we take the direction about
// which the samples say least; for the sum with the minus before the losses, the direction about which they say most.
//- the sums along two rays
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
          "tenfold steps outwards after which a printed sum is not at least nine times "
          "as far below zero",
          rises, "==", 0);

    // With the right signs the derivatives are zero at the ridge solution. From there one unit along every eigenvector of the
    // curvature, forwards and backwards, leads up:
    const Vector w = ridge(phi, samples.y, price);
    Vector slope = squared_error_gradient(phi, samples.y, w);
    for (double& s : slope) s *= double(samples.size());
    linalg::add_scaled(slope, 2 * price, w);
    claim("claim-map-sign/b",
          "the largest derivative of the right sum at the ridge solution",
          linalg::largest(slope), "<=", 1e-10);
    const auto total = [&](const Vector& at) { return losses(at) + penalty(at); };
    double least_rise = 1e300;
    for (Index which = 0; which < parts.vt.rows; ++which)
        for (const double step : {-1.0, 1.0}) {
            Vector there = w;
            linalg::add_scaled(there, 1, ray(which, step));
            least_rise = std::min(least_rise, total(there) - total(w));
        }
    claim("claim-map-sign/b",
          "the smallest rise of the right sum one unit away from it", least_rise, ">",
          0);
}
//-

// The printed sums have no minimum, and fall without bound along these rays. The sum with the wrong prior rewards large weights;
// the sum with the wrong losses rewards moving away from the data. The corrected sum has its minimum at the ridge solution.

//- the page in order
void page() {
    Generator random(book::seed());
    const Samples samples = draw_samples(points(), random);
    a_straight_sum(samples, random);
    six_prices(random);
    paying_as_you_go(samples, random);
    what_the_price_believes(samples, random);
    mind_the_sign(samples);
}
//-

// ## Summary
//
// The L2 penalty trades a worse fit to the samples for smaller weights, and at a moderate price the fit is closer to the
// true curve. For gradient descent the penalty is the same as weight decay; for Adam it is not. A penalty is the negative logarithm of a
// prior: its price is the variance of the noise divided by the variance of the prior.
//
// ## What is missing
//
// Squares express one belief of many. Absolute values express another: many weights are exactly zero, as with the
// [lasso](../foundations/preferences.cpp). A penalty on weights is a blunt tool for a deep network, because what we know is not about
// single weights; we know, for example, that a shifted shoe is still a shoe. [A later page](augmentation.cpp) teaches that to a network.
// Before that comes a surprise: networks that are trained without any penalty behave as if they had one. [The step
// itself](implicit.cpp) sets its price.
//
// ```{try}
// - Fewer units: `--units 6`. Is there still anything for the penalty to do?
// - Less noise: `--noise 0.05`. How does the best price change, and does the formula agree?
// - A wider prior: `--width 30`. Do twenty thousand steps of gradient descent still suffice?
// - More samples: `--points 100`. How much of the difference between the prices is left?
// ```
