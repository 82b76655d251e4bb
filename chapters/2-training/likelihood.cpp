// # Why squares?
//
// ```{rows} eq-normal-pdf eq-max-likelihood claim-log-keeps-argmax eq-nll eq-nll-equals-least-squares eq-squared-error-sum
// ```
//
// The first chapter fitted everything it met, and two things it took as given. One is how the weights are
// changed; most of this chapter is about that. The other comes before it: *what should be small?* For numbers we
// took the squared error, because people have done so for two hundred years {cite:p}`legendre1805`. For names we
// took the cross-entropy, because the right name should be probable. Why squares, and not absolute values, or
// fourth powers? The answer of this page is that the squared error is no choice of its own. It is what comes out
// of one question that fits every kind of data: *how probable does the model make what was seen?*
//- includes and names
#include <recto/autograd/value.hpp>
#include <recto/book/page.hpp>
#include <recto/classic/basis.hpp>
#include <recto/classic/least_squares.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/likelihood.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using data::Samples, data::even_grid, figure::Figure, linalg::Matrix, linalg::Vector;
//-

// Three numbers can be changed:
const book::Option<Index> samples("samples", 20, "how often the spring was measured",
                                  {.least = 3, .most = 1000});
const book::Option<double> noise("noise", 1, "standard deviation of a measurement",
                                 {.least = 0.01, .most = 100.0});
const book::Option<Index> most("most", 1000, "measurements in the longest product",
                               {.least = 200, .most = 100'000});

// ## A bell around the line
//
// A spring gets longer when something hangs on it. We hang a load $x$ on it and read off by how much, $y$. The
// model is a line through zero with one parameter, the spring's softness: $f(x; w) = w x$. No reading lies on
// that line exactly. The hand shakes, the eye is tired. So we say more than before: not *the reading is $w x$*,
// but *it is near $w x$, and the farther away, the less likely*. How likely, is the bell of Gauss, the *normal
// distribution* with mean $\mu$ and standard deviation $\sigma$:
//
// ```{equation} eq-normal-pdf
// :function: recto::nn::Normal
// :test: likelihood: each sums or integrates to one
// \Pr(y \mid \mu, \sigma^2) = \frac{1}{\sqrt{2\pi\sigma^2}} \, e^{-(y-\mu)^2 / 2\sigma^2}
// ```
//
// It is a *density*: a probability for each unit of $y$, which may well be above one. Only its integral must be
// one.
double density(double y, double mean, double deviation) {
    const double z = (y - mean) / deviation;
    return std::exp(-z * z / 2) / (std::sqrt(2 * std::numbers::pi) * deviation);
}

// Our spring has a softness of 1.5, which the program that looks for it is not told:
const double softness = 1.5;

Samples measure(Index times, Generator& random) {
    const auto line = [](double x) { return softness * x; };
    return data::noisy_samples(line, times, 0, 2, noise(), random);
}

// We shall want the logarithm of the density. One could take the logarithm of what the function returns, but far
// from the mean that is zero, rounded, and has none. Written out, the exponential is gone before it can do harm:
double log_density(double y, double mean, double deviation) {
    const double z = (y - mean) / deviation;
    return -z * z / 2 - std::log(deviation) - std::log(2 * std::numbers::pi) / 2;
}

void the_bell() {
    double worst = 0;
    for (const double deviation : {0.1, 1.0, 7.0}) {
        double area = 0;  // stripes, out to where nothing is left
        for (int i = -1000; i <= 1000; ++i)
            area += density(3 + i * deviation / 100, 3, deviation) * deviation / 100;
        worst = std::max(worst, std::abs(area - 1));
    }
    claim("eq-normal-pdf/a", "how far the area under the bell is from one", worst,
          "<=", 1e-8);
    say("40 deviations away: log of the density {}, log-density {:.3f}",
        std::log(density(40, 0, 1)), log_density(40, 0, 1));
    claim_true("eq-normal-pdf/b", "the log-density 40 deviations away is finite",
               std::isfinite(log_density(40, 0, 1)));
}

// ## What makes the readings likely
//
// Now turn the question round. The readings are known, the softness is not. For every $w$ the model has an
// opinion of how probable *these* readings were. If one reading tells nothing about the error of the next (they
// are *independent*) and all errors come from one bell (they are *identically distributed*), the probabilities
// multiply. As a function of $w$ the product is called the {term}`likelihood`, and we take the $w$ for which it
// is largest, the *maximum likelihood* of {cite:t}`fisher1922`:
//
// ```{equation} eq-max-likelihood
// :function: recto::nn::nll
// \hat w = \operatorname*{argmax}_w \prod_{n=1}^N \Pr\big(y_n \mid f(x_n; w)\big)
// ```
//
// It is a product of probabilities of $y$, not a probability of $w$: added up over all $w$ it makes any number.
// In which kind of numbers we multiply will matter, so that is left open:
template <class Number>
Number likelihood(const Samples& seen, double w) {
    Number product = 1;
    for (std::size_t n = 0; n < seen.x.size(); ++n)
        product *= Number(density(seen.y[n], w * seen.x[n], noise()));
    return product;
}

// And this is the same thing in logarithms, with the sign turned so that small is good:
//
// ```{equation} eq-nll
// :function: recto::nn::nll
// :test: likelihood: the negative log-likelihood is the closed form of each
// \hat w = \operatorname*{argmin}_w \; - \sum_{n=1}^N \log \Pr\big(y_n \mid f(x_n; w)\big)
// ```
double negative_log_likelihood(const Samples& seen, double w) {
    double sum = 0;
    for (std::size_t n = 0; n < seen.x.size(); ++n)
        sum -= log_density(seen.y[n], w * seen.x[n], noise());
    return sum;
}

// A product becomes a sum, since $\log ab = \log a + \log b$. The place of the optimum cannot move: the
// logarithm rises wherever its argument does, and the sign only turns the hill into a valley. We try that on a
// grid of ten thousand values of $w$, and multiply in the widest numbers that the machine has.
void on_a_grid(const Samples& seen) {
    const auto where = [&](Index points) {
        const std::vector<double> ws = even_grid(points, 0, 3);
        std::vector<long double> product;
        std::vector<double> sum;
        for (const double w : ws) {
            product.push_back(likelihood<long double>(seen, w));
            sum.push_back(negative_log_likelihood(seen, w));
        }
        const auto highest = std::ranges::max_element(product) - product.begin(),
                   lowest = std::ranges::min_element(sum) - sum.begin();
        return std::array{ws[std::size_t(highest)], ws[std::size_t(lowest)]};
    };
    const auto [few_high, few_low] = where(61);
    claim("eq-max-likelihood/a",
          "61 values of w: distance of the highest product from the lowest sum",
          std::abs(few_high - few_low), "==", 0);
    const auto [high, low] = where(10'000);
    say("the likeliest softness is {:.4f}, the true one {}", high, softness);
    claim("claim-log-keeps-argmax/c",
          "10 000 values: distance of the highest product from the lowest sum",
          std::abs(high - low), "==", 0);
}

// {numref}`fig-likelihood` shows both functions. Move the slider and look at the red sticks, the errors: the
// valley is lowest where they are short.
void draw_likelihood(const Samples& seen) {
    const std::vector<double> ws = even_grid(97, 0.3, 2.7),
                              stops = even_grid(25, 0.3, 2.7);
    const figure::Style line{
        .color = figure::blue, .dash = figure::solid, .points = false};
    Figure figure("fig-likelihood");
    figure.slider("w", stops, "softness w", stops[5]).columns(3).height(230);
    figure.panel("line and errors");
    for (const double w : stops) {
        std::vector<double> x, y;  // each stick ends with a gap
        for (std::size_t n = 0; n < seen.x.size(); ++n) {
            x.insert(x.end(), {seen.x[n], seen.x[n], seen.x[n]});
            y.insert(y.end(), {seen.y[n], w * seen.x[n], NAN});
        }
        const figure::Style stick{
            .color = figure::red, .dash = figure::solid, .width = 1.5, .points = false};
        figure.at(w).line("", x, y, stick).line("", {0, 2}, {0, 2 * w}, line);
    }
    const figure::Style dot{
        .color = figure::ink, .shape = figure::Shape::circle, .width = 2.5};
    figure.always().dots("", seen.x, seen.y, dot).x("load x").y("reading y");

    // The other two panels have a curve, and a dot that moves along it:
    const auto product = [&](double w) {
        return double(likelihood<long double>(seen, w));
    };
    const auto curve = [&](const char* title, const std::string& what,
                           const auto& value) {
        std::vector<double> y;
        for (const double w : ws) y.push_back(value(w));
        figure.always().panel(title).line("", ws, y, line).x("w").y(what);
        const figure::Style here{
            .color = figure::red, .shape = figure::Shape::circle, .width = 4};
        for (const double w : stops) figure.at(w).dots("", {w}, {value(w)}, here);
    };
    const double unit = std::pow(10, std::floor(std::log10(product(softness))));
    curve("likelihood", fmt::format("product, in units of {:.0e}", unit),
          [&](double w) { return product(w) / unit; });
    curve("negative log-likelihood", "in nats",
          [&](double w) { return negative_log_likelihood(seen, w); });
    figure
        .describe(
            "Three panels with a slider for w. First: twenty dots around a line "
            "through zero, with red sticks from the dots to the line. Second: the "
            "product of the densities against w, a narrow hill. Third: the negative "
            "log-likelihood against w, a wide valley. The hill is highest and the "
            "valley lowest at the same w; a red dot moves on each.")
        .save(
            "Left the readings and a line of softness $w$, in the middle the "
            "likelihood of $w$, right its negative logarithm. The top of the hill and "
            "the bottom of the valley are above the same $w$. The hill says little to "
            "somebody who stands far away from it, because it is flat there; the "
            "valley has a slope everywhere.");
    book::shows("eq-max-likelihood/b", "fig-likelihood");
}

// ## Too small for a number
//
// If the optimum is the same, why not climb the hill itself? The second panel gives one reason: far from the top
// it is flat, and a walker feels no slope. The worse reason stands at its axis, in the unit. Twenty factors
// below one have made a tiny number, and twenty is nothing. Measure the spring more often:
void underflow(Generator& random) {
    const std::vector<double> ws = even_grid(301, 0, 3);
    float largest = 0;
    bool finite = true;
    std::vector<std::vector<book::Cell>> rows;
    for (const Index count :
         {Index(20), Index(50), Index(100), Index(200), Index(500), most()}) {
        const Samples seen = measure(count, random);
        std::vector<float> products;
        double lowest = INFINITY;
        for (const double w : ws) {
            products.push_back(likelihood<float>(seen, w));
            const double nll = negative_log_likelihood(seen, w);
            lowest = std::min(lowest, nll);
            if (count >= 200) finite = finite && std::isfinite(nll);
        }
        const float best = *std::ranges::max_element(products);
        if (count >= 200) largest = std::max(largest, best);
        rows.push_back({double(count), fmt::format("{:.3g}", best),
                        fmt::format("{:.3g}", likelihood<double>(seen, softness)),
                        fmt::format("{:.1f}", lowest)});
    }
    book::table("tab-underflow",
                "Readings multiplied, and added up as logarithms. The first product "
                "and the sum are the best of 301 values of w; the second product is "
                "that of the true w.",
                {"readings", "product in single precision", "in double precision",
                 "negative log-likelihood"},
                rows);
    claim("claim-log-keeps-argmax/a",
          "200 readings or more: the largest product in single precision", largest,
          "==", 0);
    claim_true("claim-log-keeps-argmax/b",
               "their negative log-likelihood is finite for every w", finite);

    // Double precision only dies later. The sum never does: a thousand readings make a number of four digits.
    const Samples again = measure(200, random);
    std::vector<float> products;
    for (const double w : ws) products.push_back(likelihood<float>(again, w));
    const auto index = std::ranges::max_element(products) - products.begin();
    ask("A program computes the product of 200 densities in single precision for w = "
        "0, 0.01, 0.02, ... up to 3, and returns the w of the largest. What does it "
        "return?",
        {{"The right w, or nearly: rounding errors are small.",
          std::abs(ws[std::size_t(index)] - softness) < 0.5,
          "A rounding error is small against its number. Here all numbers are rounded "
          "to zero, and what was to be compared is gone."},
         {"0, the first that it tried.", index == 0,
          "All products are zero, none is larger than the first, and so the first "
          "wins. No error, no warning, a wrong answer."},
         {"NaN.", std::isnan(products[0]),
          "NaN would be kinder. A product that underflows is an ordinary zero."}});
}

// A density has a unit, one over that of $y$, so this depends on how we measure. In metres instead of
// centimetres every density is a hundred times as large, and the product of many of them *overflows*. To the sum
// of logarithms it is a constant more or less.
//
// From now on the {term}`negative log-likelihood` is what we minimise. {eq}`eq-nll` asks nothing of the
// distribution but a log-probability, so in the library the distribution is a parameter:
// {cpp:func}`~recto::nn::nll` takes one, the outputs of a network, and targets. It returns the *mean* over the
// samples instead of the sum, for a reason at the end of this page.
//
// ## The square was a bell
//
// And now put the bell into the sum. Its logarithm undoes the exponential, and two terms are left:
//
// ```{equation} eq-nll-equals-least-squares
// :function: recto::nn::Normal
// \begin{aligned}
// - \sum_{n=1}^N & \log \Pr\big(y_n \mid f(x_n; w), \sigma^2\big) \cr
// &= \frac{1}{2\sigma^2} \sum_{n=1}^N \big(y_n - f(x_n; w)\big)^2 + \frac N2 \log 2\pi\sigma^2
// \end{aligned}
// ```
//
// The last term knows nothing of $w$. The factor before the sum of squares is positive, and the same for all
// $w$. So the $w$ that makes the readings likeliest is the one with the *least squares*. It holds for every
// model $f$: nowhere did we ask what $f$ is. To see it, give the spring three weights, a constant, a line and a
// parabola, and throw them at random:
void squares(const Samples& seen, Generator& random) {
    const Matrix phi = classic::design_matrix(classic::legendre(3, 0, 2), seen.x);
    const Tensor inputs({phi.rows, 3}, phi.values), y({phi.rows}, seen.y);
    const double N = double(phi.rows);
    const auto nll = [&](const Tensor& w, double deviation) {
        return nn::nll(nn::Normal{deviation}, matmul(inputs, w), y);
    };
    double gap = 0;
    std::vector<double> errors;
    std::vector<std::vector<double>> surprises(3);
    const double deviations[] = {0.7, 1, 2};
    for (int i = 0; i < 100; ++i) {
        const Tensor w = random.normal({3, 1}, 1, 1);
        errors.push_back(N * classic::squared_error(phi, seen.y, w.values()));
        for (std::size_t k = 0; k < 3; ++k) {
            const double s = deviations[k];
            surprises[k].push_back(N * double(nll(w, s).item()));
            gap = std::max(gap,
                           std::abs(surprises[k].back() - errors.back() / (2 * s * s) -
                                    N / 2 * std::log(2 * std::numbers::pi * s * s)));
        }
    }
    claim("eq-nll-equals-least-squares/a",
          "100 random weights: largest gap between the two sides", gap, "<=", 1e-9);

    // The bell is one way to the square, and not the only one. Whatever the noise is, the expected square is least where the model gives
    // the mean of the targets; and if the noise has mean zero and the same variance everywhere, no other unbiased linear estimate of $w$
    // varies less than that of least squares (the theorem of Gauss and Markov).
    //
    // {numref}`fig-straight` has all of them. Whatever $\sigma$ we assume, less of one is less of the other.
    Figure figure("fig-straight");
    for (std::size_t k = 0; k < 3; ++k)
        figure.dots(fmt::format("σ = {}", deviations[k]), errors, surprises[k],
                    {.width = 2.5});
    figure.xlim(0, 300)
        .ylim(0, 300)
        .x("sum of squared errors")
        .y("negative log-likelihood, nats")
        .describe(
            "Negative log-likelihood against the sum of squared errors for a hundred "
            "random weights, once for each of three deviations. Each makes an exactly "
            "straight, rising row of dots: steep for 0.7, less for 1, flat for 2.")
        .save(
            "A hundred random choices of three weights, judged in two ways. The "
            "deviation tilts and lifts the row of dots, and never bends it.");

    // So both must lead to the same place. One of them walks there, down the likelihood's slope with $\sigma$ as
    // it was; the other solves the normal equations of [the first page](../foundations/fit_curve.cpp).
    Tensor walked = zeros({3, 1});
    walked.requires_grad_();
    optim::Sgd descent({{"w", walked}}, {.lr = 0.5 * noise() * noise()});
    const auto end = optim::fit(descent, [&] { return nll(walked, noise()); },
                                {.steps = 20'000, .tolerance = 1e-9});
    const Vector solved = classic::normal_equations(phi, seen.y);
    double apart = 0;
    for (Index k = 0; k < 3; ++k)
        apart = std::max(apart,
                         std::abs(double(walked.at({k, 0})) - solved[std::size_t(k)]));
    say("{} steps to weights {:.4f}, {:.4f}, {:.4f}", end.steps, solved[0], solved[1],
        solved[2]);
    claim("eq-nll-equals-least-squares/b",
          "largest distance between the likeliest weights and those of least squares",
          apart, "<=", 1e-6);
}

// That is where squares come from: from an opinion about errors, that they are independent, and that one bell
// made them all. Nobody has to hold it. Other opinions make other losses, and [a page in this
// chapter](choosing_a_loss.cpp) compares some of them. But who minimises squares holds this one, whether he
// knows it or not, and $\sigma$ is in it too. It disappears only when nothing but the best $w$ is asked for.
//
// ## A sum or a mean
//
// One thing is left to be careful about. {eq}`eq-nll` has a sum, and so has the loss in its shortest form:
//
// ```{equation} eq-squared-error-sum
// :function: sum_or_mean
// \ell = \sum_{n=1}^N (y_n - \hat y_n)^2
// ```
//
// Some call this the *mean* squared error {cite:p}`transformers-slides`, though it is a sum; our
// {cpp:func}`~recto::mse_loss` divides by $N$. Both have their minimum at the same place. Three readings show
// what differs, with the tape for single numbers, which one of the next pages opens:
void sum_or_mean() {
    const std::vector<double> y = {1, 3.5, 2}, said = {1.5, 3, 4};
    std::vector<Value> predictions(said.begin(), said.end());
    Value loss = 0;
    for (std::size_t n = 0; n < 3; ++n) loss += pow(y[n] - predictions[n], 2);
    loss.backward();

    Tensor all({3}, said);
    all.requires_grad_();
    const Tensor mean = mse_loss(all, Tensor({3}, y));
    mean.backward();
    say("the sum is {}, the mean {:.4f}", loss.data(), mean.item());
    say("the slope of the last prediction: {} of the sum, {:.4f} of the mean",
        predictions[2].grad(), all.grad().at({2}));
    claim("eq-squared-error-sum/a", "the sum, less three times the mean",
          std::abs(loss.data() - 3 * double(mean.item())), "<=", 1e-6);
    bool exact = true;
    for (std::size_t n = 0; n < 3; ++n)
        exact = exact && predictions[n].grad() == -2 * (y[n] - said[n]);
    claim_true("eq-squared-error-sum/b",
               "the slope with respect to a prediction is -2 (y - prediction)", exact);
}

// All slopes of the sum are $N$ times as large. A step of gradient descent is a rate times a slope. With the
// sum, whoever doubles the data doubles the step, and the rate that was right is wrong. With the mean it stays.
// In this book $\Loss$ is a mean, unless it says otherwise.
void page() {
    Generator random(book::seed());
    const Samples seen = measure(samples(), random);
    the_bell();
    on_a_grid(seen);
    draw_likelihood(seen);
    underflow(random);
    squares(seen, random);
    sum_or_mean();
}

// ## What is missing
//
// The network still predicts one number, the middle of a bell. But the argument never used the bell. It works
// for any distribution: for yes and no, for counts, for directions, and for a bell whose width depends on $x$.
// All that is needed is a network that says *which* distribution, and that is [the next
// page](predicting_distributions.cpp).
//
// ```{try}
// - Work with other units: `--noise 0.05`. Now the densities are above one. What becomes of the products?
// - Measure three times only: `--samples 3`. How wide is the valley, and how far is its bottom from the truth?
// - Read off badly: `--noise 5`. Does the likelihood see it?
// ```
