// # Maximum likelihood: why squares?
//
// ```{rows} eq-normal-pdf eq-max-likelihood claim-log-keeps-argmax eq-nll eq-nll-equals-least-squares eq-squared-error-sum
// ```
//
// To train a model you must say what should become small. For numbers, chapter 1 minimised the **mean squared error**,
// two hundred years old {cite:p}`legendre1805`; for classes, the cross-entropy. Why squares, and not absolute values or
// fourth powers? This page derives the squares from a question that applies to every kind of data: *how probable
// does the model make the data that you observed?* The method is called **maximum likelihood**, and the loss that
// follows from it is the **negative log-likelihood**. The next page derives the cross-entropy from the same question.
//
// Which line makes the readings most probable? Move the slider:
//
// ```{opening} fig-likelihood
// ```
//- includes, names and options
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

const book::Option<Index> samples("samples", 20, "number of measurements of the spring",
                                  {.least = 3, .most = 1000});
const book::Option<double> noise("noise", 1, "standard deviation of a measurement",
                                 {.least = 0.01, .most = 100.0});
const book::Option<Index> most("most", 1000,
                               "number of measurements in the longest product",
                               {.least = 200, .most = 100'000});
//-

// ## The normal distribution
//
// A spring stretches when you hang a load on it. For every load $x$ you read the extension $y$. The model is a
// line through zero with one parameter, the spring's softness: $f(x; w) = w x$. No reading lies exactly on the line,
// because every measurement has an error. So the model must say more than *the reading is $w x$*. It says: *the reading
// is near $w x$, and the farther away, the less likely*. The {term}`normal distribution` with mean $\mu$ and standard
// deviation $\sigma$ says how likely each distance is:
//
// ```{equation} eq-normal-pdf
// :function: recto::nn::Normal
// :test: likelihood: each sums or integrates to one
// \Pr(y \mid \mu, \sigma^2) = \frac{1}{\sqrt{2\pi\sigma^2}} \, e^{-(y-\mu)^2 / 2\sigma^2}
// ```
//
// This is a **density**: a probability per unit of $y$. A density may exceed 1; only its integral must be 1. At the mean
// and with $\sigma = 1$ it is 0.399; one deviation away, 0.242; three deviations away, 0.0044. As a program:
double density(double y, double mean, double deviation) {
    const double z = (y - mean) / deviation;
    return std::exp(-z * z / 2) / (std::sqrt(2 * std::numbers::pi) * deviation);
}

// The true softness of our spring is 1.5; the fit does not know it. `measure` draws readings with normal errors.
//- the true softness, and the measurements
const double softness = 1.5;

Samples measure(Index times, Generator& random) {
    const auto line = [](double x) { return softness * x; };
    return data::noisy_samples(line, times, 0, 2, noise(), random);
}
//-

// Below we need the logarithm of the density. Taking the logarithm of what `density` returns fails far from the mean:
// the exponential underflows to zero there, and the logarithm of zero is infinite. So take the logarithm on paper, where
// it cancels the exponential:
double log_density(double y, double mean, double deviation) {
    const double z = (y - mean) / deviation;
    return -z * z / 2 - std::log(deviation) - std::log(2 * std::numbers::pi) / 2;
}

//- how the area and the logarithm are checked
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
//-
// Forty deviations away the density is zero in double precision, and the log-density is about $-801$.
//
// ## Maximum likelihood
//
// Now reverse the question. The readings are known, the softness is not. Each $w$ makes the readings that you observed
// more or less probable. Assume that the errors are **independent**, so that one error tells nothing about the next,
// and **identically distributed**, so that all follow the same normal distribution. Then their densities multiply. As a
// function of $w$, the product is called the {term}`likelihood`. The *maximum likelihood* estimate of
// {cite:t}`fisher1922` is the $w$ with the largest product:
//
// ```{equation} eq-max-likelihood
// :function: recto::nn::nll
// w^\ast = \operatorname*{argmax}_w \prod_{n=1}^N \Pr\big(y_n \mid f(x_n; w)\big)
// ```
//
// Take two readings, both at the load 1: 1.4 and 1.6. For $w = 1.5$ both errors are 0.1, and the product of the two
// densities is $0.397 \cdot 0.397 = 0.158$. For $w = 0.5$ the errors are 0.9 and 1.1, and the product is
// $0.266 \cdot 0.218 = 0.058$. So $w = 1.5$ is the likelier value. The likelihood is a product of densities of $y$;
// it is not a distribution of $w$: its integral over $w$ need not be 1.
//
// The function below multiplies in any number type. The type will matter soon.
template <class Number>
Number likelihood(const Samples& seen, double w) {
    Number product = 1;
    for (std::size_t n = 0; n < seen.x.size(); ++n)
        product *= Number(density(seen.y[n], w * seen.x[n], noise()));
    return product;
}

// It is easier to minimise the negative logarithm of the same product:
//
// ```{equation} eq-nll
// :function: recto::nn::nll
// :test: likelihood: the negative log-likelihood is the closed form of each
// w^\ast = \operatorname*{argmin}_w \; - \sum_{n=1}^N \log \Pr\big(y_n \mid f(x_n; w)\big)
// ```
double negative_log_likelihood(const Samples& seen, double w) {
    double sum = 0;
    for (std::size_t n = 0; n < seen.x.size(); ++n)
        sum -= log_density(seen.y[n], w * seen.x[n], noise());
    return sum;
}

// A product becomes a sum, since $\log(p_1 p_2) = \log p_1 + \log p_2$. The optimum stays at the same $w$: the
// logarithm is increasing, and the sign only turns the maximum into a minimum. We check this on ten thousand values of
// $w$. The products are computed as `long double`, the widest floating-point type of C++.
//- how both optima are found on a grid
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
//-

// {numref}`fig-likelihood` shows both functions. Move the slider and watch the red lines, the errors: shortening
// the long ones lowers the negative log-likelihood most.
//- how the figure is drawn
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

    // The two other panels show a curve, and a dot that moves along it:
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
            "through zero, with red lines from the dots to the line. Second: the "
            "product of the densities against w, a narrow peak. Third: the negative "
            "log-likelihood against w, a wide valley. The peak and the lowest point of "
            "the valley are at the same w; a red dot moves on each curve.")
        .save(
            "The readings, and a line of softness $w$ with its errors in red; the "
            "likelihood of $w$; and its negative logarithm. The last two have their "
            "optimum at the same $w$. Far from that $w$ the likelihood is flat, so "
            "its derivative is nearly zero there; that of the negative log-likelihood "
            "is not.");
    book::shows("eq-max-likelihood/b", "fig-likelihood");
}
//-

// ## Underflow
//
// If the optimum is the same, why not maximise the product itself? The panel *likelihood* gives one reason: far from
// the optimum the likelihood is flat, and gradient descent makes hardly any progress there. The unit on its axis points
// to a second, worse reason. Twenty factors below 1 already make a tiny number. The table continues to a thousand
// readings:
//- how the products and sums of the table are computed
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
    book::table(
        "tab-underflow",
        "Densities multiplied, and their logarithms added. The first product and the "
        "sum are the best of 301 values of w; the second product belongs to the true "
        "w. The product in single precision is zero from 100 readings on, that in "
        "double precision at 1000; the sum stays an ordinary number.",
        {"readings", "product in single precision", "in double precision",
         "negative log-likelihood"},
        rows);
    claim("claim-log-keeps-argmax/a",
          "with 200 readings or more: the largest product in single precision", largest,
          "==", 0);
    claim_true("claim-log-keeps-argmax/b",
               "the negative log-likelihood of these readings is finite for every w",
               finite);
    //-

    // Double precision underflows later. In this run the product of 500 readings is a *subnormal* number, so small that
    // it has only twelve of the usual sixteen digits left, and that of 1000 is zero, too. The sum does not underflow at
    // all: it is 1419 for a thousand readings.
    //- the same products once more, for the question
    const Samples again = measure(200, random);
    std::vector<float> products;
    for (const double w : ws) products.push_back(likelihood<float>(again, w));
    const auto index = std::ranges::max_element(products) - products.begin();
    //-
    ask("A program computes the product of 200 densities in single precision for w = "
        "0, 0.01, 0.02, ... up to 3, and returns the w with the largest product. What "
        "does it return?",
        {{"The right w, or nearly: rounding errors are small.",
          std::abs(ws[std::size_t(index)] - softness) < 0.5,
          "A rounding error is small relative to its number. Here every product is "
          "rounded to zero, and there is nothing left to compare."},
         {"0, the first value that it tried.", index == 0,
          "All products are zero, none is larger than the first, so the first wins. No "
          "error, no warning, a wrong answer."},
         {"NaN.", std::isnan(products[0]),
          "A NaN would at least be noticed. A product that underflows is an ordinary "
          "zero."}});
}

// A density has a unit, the inverse of the unit of $y$, so the product depends on how you measure. In metres instead of
// centimetres every density is a hundred times as large, and a product of many can *overflow*. The change of unit only
// adds a constant to the sum of logarithms.
//
// From now on we minimise the {term}`negative log-likelihood`. {eq}`eq-nll` needs nothing from the distribution but a
// log-probability, so in the library the distribution is a parameter: {cpp:func}`~recto::nn::nll` takes a distribution,
// the outputs of a network, and targets. It returns the *mean* over the samples, for a reason given below.
//
// ## The mean squared error is a likelihood
//
// Insert the normal density into the sum. The logarithm cancels the exponential, and two terms remain:
//
// ```{equation} eq-nll-equals-least-squares
// :function: recto::nn::Normal
// \begin{aligned}
// - \sum_{n=1}^N & \log \Pr\big(y_n \mid f(x_n; w), \sigma^2\big) \cr
// &= \frac{1}{2\sigma^2} \sum_{n=1}^N \big(y_n - f(x_n; w)\big)^2 + \frac N2 \log 2\pi\sigma^2
// \end{aligned}
// ```
//
// The last term does not depend on $w$, and the factor before the sum of squares is positive and the same for every
// $w$. So the $w$ with the highest likelihood is the $w$ with the *least squares*. This holds for every model $f$, since
// the derivation uses no property of $f$. We check it with three weights, of a constant, a line and a parabola, and a
// hundred random choices of them:
//- the design matrix and the targets as tensors
void squares(const Samples& seen, Generator& random) {
    const Matrix phi = classic::design_matrix(classic::legendre(3, 0, 2), seen.x);
    const Tensor inputs({phi.rows, 3}, phi.values), y({phi.rows}, seen.y);
    const double N = double(phi.rows);
    //-
    const auto nll = [&](const Tensor& w, double deviation) {
        return nn::nll(nn::Normal{deviation}, matmul(inputs, w), y);
    };
    //- both losses at a hundred random choices of the weights
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
    //-

    // {numref}`fig-straight` shows all of them. Whatever $\sigma$ we assume, the smaller sum of squares has the smaller
    // negative log-likelihood.
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
            "random choices of the weights, once for each of three deviations. The "
            "dots of each deviation lie exactly on a rising straight line: steep for "
            "0.7, less steep for 1, flat for 2.")
        .save(
            "A hundred random choices of three weights, judged by both losses. The "
            "assumed deviation changes the slope and the height of the line and never "
            "bends it, so both losses prefer the same weights.");

    // So both losses must be smallest at the same weights. Gradient descent finds those of the negative log-likelihood,
    // at the true $\sigma$; the normal equations of [the first page](../foundations/fit_curve.cpp) find those of the
    // least squares.
    Tensor walked = zeros({3, 1});
    walked.requires_grad_();
    optim::Sgd descent({{"w", walked}}, {.lr = 0.5 * noise() * noise()});
    const auto end = optim::fit(descent, [&] { return nll(walked, noise()); },
                                {.steps = 20'000, .tolerance = 1e-9});
    const Vector solved = classic::normal_equations(phi, seen.y);
    //- how far apart the two solutions are
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
//-

// So squares follow from an assumption: the errors are independent and have one normal distribution. A different
// assumption gives a different loss; [a later page](choosing_a_loss.cpp) compares some.
//
// The assumption suffices for squares, but squares do not need it. Whatever the distribution of the noise, as long as
// its variance is finite, the expected squared error is smallest where the model returns the **conditional mean** of
// the targets. And if the noise has mean zero, is uncorrelated and has the same variance everywhere, then for a model
// linear in $w$ no other linear unbiased estimate has a smaller variance than least squares (the *Gauss-Markov
// theorem*). What you do choose with squares is the mean: one bad reading can move the mean arbitrarily far, but the
// median at most to a neighbouring reading.
//
// ## A sum or a mean
//
// {eq}`eq-nll` has a sum, and so has the squared error in its shortest form:
//
// ```{equation} eq-squared-error-sum
// :function: sum_or_mean
// \Loss = \sum_{n=1}^N (y_n - \hat y_n)^2
// ```
//
// Some texts call this sum the *mean* squared error {cite:p}`transformers-slides`; our {cpp:func}`~recto::mse_loss`
// divides by $N$. Both have their minimum at the same place. Three readings show the difference. `backward` computes
// the derivatives of a loss; [a later page](chain_rule.cpp) explains how.
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
    //- what is printed and checked
    say("the sum is {}, the mean {:.4f}", loss.data(), mean.item());
    say("the derivative by the last prediction: {} of the sum, {:.4f} of the mean",
        predictions[2].grad(), all.grad().at({2}));
    claim("eq-squared-error-sum/a", "the sum, less three times the mean",
          std::abs(loss.data() - 3 * double(mean.item())), "<=", 1e-6);
    bool exact = true;
    for (std::size_t n = 0; n < 3; ++n)
        exact = exact && predictions[n].grad() == -2 * (y[n] - said[n]);
    claim_true("eq-squared-error-sum/b",
               "the derivative with respect to a prediction is -2 (y - prediction)",
               exact);
}
//-

// All derivatives of the sum are $N$ times as large. A step of gradient descent is the learning rate times the
// derivative, so with the sum, twice the data means twice the step, and a learning rate that worked before is now too
// large. With the mean, the learning rate keeps its meaning. In this book $\Loss$ is a mean, unless the page says
// otherwise.
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

// ## Summary
//
// Maximum likelihood chooses the weights that make the observed data most probable. Its negative logarithm has the
// same optimum, and it neither underflows nor goes flat. For normal errors of one width it is the squared error up to a
// factor and a constant; whatever the noise, the expected squared error is smallest at the conditional mean.
//
// ## What is missing
//
// The network still predicts one number, the mean of a normal distribution. But the method works
// for any distribution: for yes or no, for counts, for directions, and for a normal distribution whose width depends on
// $x$. A network that predicts *which* distribution is the subject of [the next page](predicting_distributions.cpp).
//
// ```{exercises}
// - [Losses that are likelihoods](/exercises/losses/likelihood.md)
// ```
//
// ```{try}
// - Smaller errors: `--noise 0.05`. Now the densities exceed 1. What happens to the products?
// - Three measurements only: `--samples 3`. How wide is the valley, and how far is its minimum from the true softness?
// - Larger errors: `--noise 5`. How does the likelihood in {numref}`fig-likelihood` change?
// ```
