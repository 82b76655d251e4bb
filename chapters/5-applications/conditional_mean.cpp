// # Denoising with a squared error: the conditional mean
//
// ```{rows} eq-mse-conditional-mean
// ```
//
// A network gets noisy numbers and learns to return the clean ones. Its loss is the mean squared error. What does it answer
// where the noise has hidden the truth, and two clean numbers are equally likely? {numref}`fig-bins` has clean numbers that
// are −1 or 1, and normal noise. Each dot is a mean of clean numbers that became nearly the same noisy one. Move the
// slider: with more noise the means leave −1 and 1, and most of them are numbers that the data do not contain. This is what
// the network learns, it explains why its images are blurred, and it is exactly what a diffusion model needs.
//
// ```{opening} fig-bins
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/mixture_1d.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using data::Mixture1d;
using figure::Figure;

const book::Option<double> sigma("sigma", 0.5, "standard deviation of the noise, σ",
                                 {.least = 0.2, .most = 2});
const book::Option<double> shown("shown", 0.1, "noisy number of the figure of losses",
                                 {.least = -1.5, .most = 1.5});
const book::Option<Index> rounds("rounds", 3000, "steps of a training",
                                 {.quick = 100, .least = 1, .most = 100'000});
const book::Option<int> draws("draws", 5, "trainings",
                              {.quick = 2, .least = 1, .most = 50});

using Numbers = std::vector<double>;

// Defined further down:
struct Pairs;
Pairs noisy_pairs(Index count, double noise, Generator& random);
//-

// ## The best answer to one number
//
// A clean number $x$ is −1 or 1, with equal probability. The noise has the standard deviation $\sigma = 0.5$, and you see
// $\tilde x = x + \sigma \varepsilon = 0.1$. How probable is each of the two? Their likelihoods are
// $e^{-0.9^2 / 0.5} = 0.198$ for 1 and $e^{-1.1^2 / 0.5} = 0.089$ for −1. So $x$ was 1 with probability 0.69.
//
// Suppose that you pay the squared difference from the clean number. For an answer $f$ the expected price is a parabola in
// $f$. Adding and subtracting the mean shows where it is lowest:
//
// $$ \mathbb E\bigl[(f - x)^2 \mid \tilde x\bigr] = \bigl(f - \mathbb E[x \mid \tilde x]\bigr)^2 +
//    \mathrm{Var}[x \mid \tilde x] . $$
//
// The second term is the uncertainty that the noise leaves, and no answer removes it. The first is zero for the
// **conditional mean**. A network with weights $w$ that is flexible enough, and trained on enough pairs, approaches it at
// every $\tilde x$:
//
// ```{equation} eq-mse-conditional-mean
// :function: recto::mse_loss
// f(\tilde x; w^\ast) = \mathbb E[x \mid \tilde x]
// ```
//
// For −1 and 1 the conditional mean is the difference of the two probabilities, here $0.69 - 0.31 = 0.38$. In closed form
// it is a familiar curve:
double conditional_mean(double noisy, double noise) {
    return std::tanh(noisy / (noise * noise));
}

// Is the mean the best answer for other prices as well? Place your bet:
//- the question
double probability_of_one(double noisy, double noise) {
    return 1 / (1 + std::exp(-2 * noisy / (noise * noise)));
}
// The mean price of an answer, over both clean numbers.
double expected(const std::function<double(double)>& loss, double answer, double p) {
    return p * loss(answer - 1) + (1 - p) * loss(answer + 1);
}
const auto squared = [](double miss) { return miss * miss; };
const auto absolute = [](double miss) { return std::abs(miss); };

void best_answer() {
    const double noisy = 0.1, p = probability_of_one(noisy, 0.5), mean = 2 * p - 1;
    const double one = expected(absolute, 1, p), same = expected(absolute, noisy, p),
                 between = expected(absolute, mean, p);
    ask("You see 0.1. Squared errors ask for the mean, 0.38. Now you pay the absolute "
        "difference from the clean number. Which of these answers costs least on "
        "average?",
        {{"1, since it is the more probable one.", one < same && one < between,
          "A step towards 1 lowers the price in seven of ten cases and raises it by as "
          "much in three. So it pays to go all the way."},
         {"0.1, the number that you see.", same < one && same < between,
          "You know more than that: the number was −1 or 1, and more probably 1."},
         {"0.38: the mean is the best compromise.", between < one && between < same,
          "The mean has the smallest squared distance. For absolute distances it "
          "counts how many cases lie on each side, and not how far away they are."}});
    say("expected absolute error of the answers 1: {:.3f}; 0.1: {:.3f}; {:.2f}: {:.3f}",
        one, same, mean, between);
    say("expected squared error: {:.3f}, {:.3f} and {:.3f}", expected(squared, 1, p),
        expected(squared, noisy, p), expected(squared, mean, p));
}
//-

// {numref}`fig-answers` draws the price of every answer, and the price in absolute instead of squared errors. The absolute
// error is lowest at the **median**, which is −1 or 1: it decides for the more probable number. Which loss you choose
// decides whether the answer is a mean or a possible number.
//- the figures of bins and of answers
struct Pairs {
    Tensor clean, noisy;  // (count, 1)
};
Pairs noisy_pairs(Index count, double noise, Generator& random) {
    std::vector<Real> clean;
    for (Index i = 0; i < count; ++i)
        clean.push_back(random.next_uniform() < 0.5 ? -1 : 1);
    const Tensor x({count, 1}, clean);
    return {x, x + noise * random.normal({count, 1})};
}

void bins() {
    const Numbers noises = {0.2, 0.35, 0.5, 0.75, 1, 1.5};
    const Numbers x = data::even_grid(201, -3, 3), centres = data::even_grid(41, -3, 3);
    Figure figure("fig-bins");
    figure
        .describe(
            "Two panels and a slider for the noise. In the first two bells of noisy "
            "numbers around minus 1 and 1, which overlap more the more noise there is. "
            "In the second dots along an S-shaped curve from minus 1 to 1: steep with "
            "little noise, flat with much.")
        .slider("noise", noises, "standard deviation of the noise, σ", 0.5)
        .panel("noisy numbers");
    std::vector<Numbers> at, means, curve;
    for (const double noise : noises) {
        Generator random(book::seed());
        const Pairs pairs = noisy_pairs(20'000, noise, random);
        const std::vector<Real> clean = pairs.clean.values(),
                                noisy = pairs.noisy.values();
        Numbers sums(centres.size()), counts(centres.size());
        const double width = centres[1] - centres[0];
        for (std::size_t i = 0; i < clean.size(); ++i) {
            const double place =
                std::floor((double(noisy[i]) - centres[0]) / width + 0.5);
            if (!(place >= 0 && place < double(centres.size()))) continue;
            sums[std::size_t(place)] += double(clean[i]),
                counts[std::size_t(place)] += 1;
        }
        at.emplace_back(), means.emplace_back(), curve.emplace_back();
        for (std::size_t i = 0; i < centres.size(); ++i)
            if (counts[i] >= 20)
                at.back().push_back(centres[i]),
                    means.back().push_back(sums[i] / counts[i]);
        for (const double v : x) curve.back().push_back(conditional_mean(v, noise));
        Numbers low, high;
        for (const double v : x) {
            low.push_back(Mixture1d{{{0.5, -1, noise}}}.density(v));
            high.push_back(Mixture1d{{{0.5, 1, noise}}}.density(v));
        }
        figure.at(noise)
            .line("of −1", x, low,
                  {.color = figure::ochre, .dash = figure::solid, .points = false})
            .line("of 1", x, high,
                  {.color = figure::plum, .dash = figure::dashed, .points = false});
    }
    figure.always().x("noisy number x̃").y("density").xlim(-3, 3).ylim(0, 1);
    figure.panel("mean of the clean numbers");
    for (std::size_t i = 0; i < noises.size(); ++i)
        figure.at(noises[i])
            .dots("mean of a bin", at[i], means[i], {.color = figure::blue, .width = 3})
            .line("closed form", x, curve[i],
                  {.color = figure::red, .dash = figure::solid, .points = false});
    figure.always()
        .x("noisy number x̃")
        .y("mean of x")
        .xlim(-3, 3)
        .ylim(-1.1, 1.1)
        .save(
            "Noisy numbers that were −1 or 1, and the mean of the clean numbers in "
            "bins "
            "of 20,000 pairs; bins with fewer than 20 pairs are left out. Where the "
            "two bells overlap, the mean lies between −1 and 1.");
}

void answers() {
    const Numbers a = data::even_grid(151, -1.5, 1.5);
    const Numbers stops = {-0.6, -0.3, -0.1, 0, 0.1, 0.3, 0.6};
    Figure figure("fig-answers");
    figure
        .describe(
            "The expected price against the answer: a parabola for the squared error "
            "and a line with two kinks for the absolute error. The slider moves the "
            "noisy number. The bottom of the parabola moves smoothly between minus 1 "
            "and 1, and the lowest point of the kinked line jumps from minus 1 to 1 at "
            "0.")
        .slider(shown, stops, "noisy number x̃");
    for (const double noisy : figure::settings(shown, stops)) {
        const double p = probability_of_one(noisy, 0.5);
        Numbers squares, sizes;
        for (const double answer : a) {
            squares.push_back(expected(squared, answer, p));
            sizes.push_back(expected(absolute, answer, p));
        }
        const double mean = 2 * p - 1, median = p > 0.5 ? 1 : p < 0.5 ? -1 : 0;
        figure.at(noisy)
            .line("squared error", a, squares,
                  {.color = figure::blue, .dash = figure::solid, .points = false})
            .line("absolute error", a, sizes,
                  {.color = figure::red, .dash = figure::dashed, .points = false})
            .dots("squared error", {mean}, {expected(squared, mean, p)},
                  {.color = figure::blue, .width = 5})
            .dots("absolute error", {median}, {expected(absolute, median, p)},
                  {.color = figure::red, .shape = figure::Shape::triangle, .width = 5});
    }
    figure.always()
        .x("answer")
        .y("expected price")
        .xlim(-1.5, 1.5)
        .ylim(0, 4)
        .height(280)
        .save(
            "The expected price of every answer to one noisy number, with σ = 0.5, and "
            "the best answers as marks. The squared error asks for the mean, the "
            "absolute error for the median.");
}
//-

// ## A network finds it
//
// Nothing tells the network about tanh. It sees pairs, new ones in each step, and two hidden layers of 24 units follow the
// gradient:
nn::Mlp denoiser(double noise, Generator& random,
                 const std::function<void(const nn::Mlp&, Index)>& look) {
    const nn::Mlp net({1, 24, 24, 1}, tanh, random);
    optim::Adam adam(nn::parameters(net), {.lr = 5e-3});
    const auto loss = [&] {
        const Pairs pairs = noisy_pairs(512, noise, random);
        return mse_loss(net(pairs.noisy), pairs.clean);
    };
    const auto falling = [](Index step) {
        return 5e-3 * (1 - double(step) / double(rounds()));
    };
    optim::fit(adam, loss, {.steps = rounds(), .lr = falling},
               [&](const optim::Progress& now) { look(net, now.step); });
    return net;
}

// The expected error cannot fall below the variance that the noise leaves. For −1 and 1 it is $1 - \tanh^2$, averaged over
// the noisy numbers, an integral that sums on a grid give exactly. {numref}`fig-denoiser` shows both: the curve that the
// network learned, and its error, which stops at this floor and not at zero.
//- the figure, and what is checked
double density(double noisy, double noise) {
    return Mixture1d{{{0.5, -1, noise}, {0.5, 1, noise}}}.density(noisy);
}
// The mean over noisy numbers, by sums on a grid.
double integral(double noise, const std::function<double(double)>& f) {
    const double h = 0.01, far = 1 + 9 * noise;
    double sum = 0;
    for (double v = -far; v <= far; v += h) sum += density(v, noise) * f(v) * h;
    return sum;
}
double smallest_error(double noise) {
    return integral(noise, [&](double v) {
        const double m = conditional_mean(v, noise);
        return 1 - m * m;
    });
}
// The mean squared error of a function: over both clean numbers, and over the noise.
double error_of(const nn::Mlp& net, double noise) {
    const NoGrad only_asking;
    const Numbers e = data::even_grid(1601, -8, 8);
    double sum = 0;
    for (const double clean : {-1., 1.}) {
        std::vector<Real> noisy;
        for (const double v : e) noisy.push_back(Real(clean + noise * v));
        const std::vector<Real> out = net(Tensor({Index(e.size()), 1}, noisy)).values();
        for (std::size_t i = 0; i < e.size(); ++i)
            sum += std::exp(-e[i] * e[i] / 2) * squared(double(out[i]) - clean) / 2;
    }
    return sum * (e[1] - e[0]) / std::sqrt(2 * std::numbers::pi);
}

void learning() {
    const double noise = sigma(), far = 1 + 3 * noise, floor = smallest_error(noise);
    const Numbers x = data::even_grid(241, -far, far);
    Numbers exact, gaps, excess, at;
    for (const double v : x) exact.push_back(conditional_mean(v, noise));
    std::vector<Numbers> learned, curves;
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(book::seed() + 10 + std::uint64_t(draw));
        Numbers curve;
        at.clear();
        const nn::Mlp net =
            denoiser(noise, random, [&](const nn::Mlp& now, Index step) {
                const Index every = std::max<Index>(1, rounds() / 50);
                if (step % every != 0) return;
                at.push_back(double(step)), curve.push_back(error_of(now, noise));
            });
        const NoGrad only_asking;
        const std::vector<Real> out =
            net(Tensor({Index(x.size()), 1}, std::vector<Real>(x.begin(), x.end())))
                .values();
        learned.emplace_back(out.begin(), out.end());
        curves.push_back(curve);
        double gap = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            gap = std::max(gap, std::abs(double(out[i]) - exact[i]));
        gaps.push_back(gap);
        excess.push_back(std::abs(error_of(net, noise) - floor));
    }
    Figure figure("fig-denoiser");
    figure
        .describe(
            "Two panels. In the first the answers of five networks lie on the S-shaped "
            "curve of the closed form. In the second their mean squared error falls "
            "within the first steps to a horizontal line, the smallest possible one, "
            "and stays there.")
        .height(280)
        .panel("the learned function")
        .lines("networks", x, learned, {.color = figure::blue, .dash = figure::solid})
        .line("closed form", x, exact,
              {.color = figure::red, .dash = figure::dashed, .points = false})
        .x("noisy number x̃")
        .y("answer");
    figure.panel("its error")
        .lines("networks", at, curves, {.color = figure::blue, .dash = figure::solid})
        .rule_y(floor, "smallest possible")
        .x("step")
        .y("mean squared error")
        .ylim(0, 2 * floor)
        .save(fmt::format(
            "Networks that learned to remove noise, with σ = {:g}: their answers, "
            "which cover the closed form, and their mean squared error against the "
            "step. The error is computed for all noisy numbers, without sampling.",
            noise));
    book::shows("eq-mse-conditional-mean/a", "fig-denoiser");
    claim(
        "eq-mse-conditional-mean/b",
        "largest gap between network and tanh, up to three deviations beyond −1 and 1",
        over_seeds(gaps), "<", 0.03);
    claim(
        "eq-mse-conditional-mean/c",
        "mean squared error of the trained network less the integral of the remaining "
        "variance, in absolute value",
        over_seeds(excess), "<=", 1e-3);
    say("smallest possible mean squared error: {:.4f}", floor);
}
//-

// For images this means blur. Several sharp images fit a noisy one, and the network returns their mean: edges at slightly
// different places become a soft edge. It is not a failure of the training, and a larger network does not cure it. The
// [samples of the VAE](../architectures/variational_autoencoders.cpp) were blurred for a similar reason: their loss is a
// squared error as well.
//
// ## The mean knows the score
//
// The conditional mean is more than a compromise. Let $q(\tilde x)$ be the density of the noisy numbers. Its derivative
// contains the mean: the density is a sum of bells around the clean numbers, and each bell has the slope
// $(x - \tilde x) / \sigma^2$ times its height. Divide by $q$, and the heights become the probabilities of the clean
// numbers:
//
// $$ \frac{\partial}{\partial \tilde x} \log q(\tilde x) = \frac{\mathbb E[x \mid \tilde x] - \tilde x}{\sigma^2} . $$
//
// This is **Tweedie's formula** {cite:p}`robbins1956`. It holds for all data, not only for −1 and 1. The derivative is the
// [score](diffusion.cpp), which the steps back of a diffusion need, and the fraction is a denoiser. So the density may stay
// unknown: train a network to remove noise, and it has learned the score {cite:p}`vincent2011`. In the example
// $(0.38 - 0.1) / 0.25 = 1.12$: the density rises from 0.1 towards the bump at 1.
//- what is checked
void tweedie() {
    double worst = 0;
    for (const double noise : {0.3, 0.5, 1.0}) {
        const Mixture1d q{{{0.5, -1, noise}, {0.5, 1, noise}}};
        for (const double v : data::even_grid(81, -4, 4)) {
            const double h = 1e-4,
                         slope =
                             (q.log_density(v + h) - q.log_density(v - h)) / (2 * h),
                         formula = (conditional_mean(v, noise) - v) / (noise * noise);
            worst = std::max(worst, std::abs(slope - formula) / (1 + std::abs(slope)));
        }
    }
    claim("",
          "Tweedie's formula against central differences of the logarithm of the "
          "density, "
          "relative difference",
          worst, "<=", 1e-5);
    const double v = 0.1;
    say("the score at 0.1 with σ = 0.5: {:.2f}", (conditional_mean(v, 0.5) - v) / 0.25);
}
//-

// ## Limits and history
//
// The network approaches the conditional mean only where there are data. Far outside, nothing has corrected its answers.
// With few pairs it also learns their noise. {cite:t}`robbins1956` published the formula and credits Tweedie with it, and
// {cite:t}`vincent2011` saw that denoising autoencoders learn the score.
//
// ## Summary
//
// A network that is trained with squared errors returns the conditional mean of the targets, given the input. Where several
// targets are possible, this mean may be none of them, and images become blurred. The error that remains is the variance of
// the targets given the input. For normal noise the conditional mean also gives the score of the noisy data.
//
// ## What is missing
//
// One noise level is not enough: the steps back of a diffusion need the score at all of them.
// [The next page](denoisers.cpp) trains one network for all steps, and tells it the time.
//
// ```{try}
// - More noise for the network: `--sigma 1`. How much higher is the floor, and how flat the curve?
// - A short training: `--rounds 200`. Where is the gap largest?
// ```

void page() {
    bins();
    best_answer();
    answers();
    learning();
    tweedie();
}
