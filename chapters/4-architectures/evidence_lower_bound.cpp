// # The evidence lower bound: a likelihood from below
//
// ```{rows} eq-elbo
// ```
//
// [An autoencoder](autoencoders.cpp) rebuilds an image from a few numbers. A generative model starts from the numbers:
// it draws random **latents** and decodes them. How probable does it make a given image? All latents contribute, and
// the integral over them cannot be computed for a network. The **evidence lower bound**, ELBO, can be estimated, and it
// is never larger than the logarithm of the probability. In {numref}`fig-elbo` the integral is known,
// so that you can watch the gap. Drag the red dot: how close does the bound come?
//
// ```{opening} fig-elbo
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure, figure::Names;

const book::Option<double> at_mean("mean", 0, "mean of q in the figure",
                                   {.least = -2, .most = 2});
const book::Option<double> at_deviation("deviation", 1,
                                        "standard deviation of q in the figure",
                                        {.least = 0.1, .most = 2});
const book::Option<Index> draws("draws", 1000,
                                "models and distributions that are tried",
                                {.quick = 20, .least = 1, .most = 100'000});
const book::Option<Index> samples("samples", 100'000,
                                  "samples of each Monte Carlo estimate",
                                  {.quick = 1000, .least = 100, .most = 10'000'000});

struct Normal {
    double mean, variance;
};
struct Model {
    std::vector<double> a, b;
    double variance;  // of the noise
};

// Defined further down:
double gap_of(double m, double variance);

const double log_2pi = std::log(2 * std::numbers::pi);
//-

// ## A model with one latent
//
// The model draws a latent $z$ from the standard normal distribution $p(z)$. Then it decodes: each number $x_k$ of the
// output is $a_k z + b_k$, plus normal noise with the variance $\sigma^2$. Decoder and noise are as simple as possible,
// so that all integrals can be done by hand.
//
// Take $x = z + \text{noise}$ with a noise of variance 1, and the observed number $x = 1$. Latent and noise have the
// variance 1 each, so $x$ is normal with variance 2, and $\log p(x) = -\frac12 \log(4\pi) - \frac14 = -1.516$. This is
// the logarithm of the **evidence**.
//
// ## The bound
//
// Which latents could have made this $x$? Let $q(z \mid x)$ be a guess, a normal distribution with mean $m$ and
// deviation $s$. Guess the prior first: $m = 0$ and $s = 1$. Given a latent,
// $\log p(x \mid z) = -\frac12 \log 2\pi - \frac12 (1 - z)^2$. Its mean under the guess is
// $-0.919 - \frac12 \cdot 2 = -1.919$. This is below $-1.516$, by 0.403. In general, for every $q$,
//
// ```{equation} eq-elbo
// :function: elbo
// \log p(x) \ge \mathbb E_{q(z \mid x)}[\log p(x \mid z)] - D_{\mathrm{KL}}(q(z \mid x) \,\Vert\, p(z))
// ```
//
// The first term asks: do latents from $q$ rebuild $x$? The second is the price of an unusual guess, the
// [divergence](../training/divergence.cpp) of $q$ from the prior. Such bounds are older than the networks that made this one
// known {cite:p}`jordan1999`. It follows from Jensen's inequality: the
// logarithm of a mean is at least the mean of the logarithms,
//
// $$ \log p(x) = \log \mathbb E_{q(z \mid x)} \frac{p(x \mid z)\, p(z)}{q(z \mid x)} \ge \mathbb E_{q(z \mid x)} \log \frac{p(x \mid z)\, p(z)}{q(z \mid x)} . $$
//
// For normal distributions both terms have closed forms. The mean of $(x_k - a_k z - b_k)^2$ is the square at $z = m$
// plus $a_k^2 s^2$:
double divergence(const Normal& q, const Normal& p) {
    const double apart = q.mean - p.mean, ratio = q.variance / p.variance;
    return (ratio + apart * apart / p.variance - 1 - std::log(ratio)) / 2;
}
double elbo(const Model& model, const std::vector<double>& x, const Normal& q) {
    double rebuilt = 0;  // the mean of log p(x | z)
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double miss = x[k] - model.a[k] * q.mean - model.b[k],
                     square = miss * miss + model.a[k] * model.a[k] * q.variance;
        rebuilt -= (log_2pi + std::log(model.variance) + square / model.variance) / 2;
    }
    return rebuilt - divergence(q, {0, 1});
}

// ## The gap
//
// What is missing? Bayes' rule turns $p(x \mid z)\, p(z)$ into $p(z \mid x)\, p(x)$. So the bound is $\log p(x)$ plus
// the mean of $\log p(z \mid x) - \log q(z \mid x)$, and the gap is a divergence again, now that from the **posterior**
// $p(z \mid x)$, the distribution of the latent given $x$:
//
// $$ \log p(x) - \mathrm{ELBO} = D_{\mathrm{KL}}(q(z \mid x) \,\Vert\, p(z \mid x)) . $$
//
// In the example the posterior has the mean $\frac12$ and the variance $\frac12$. Put the red dot of {numref}`fig-elbo`
// on $m = 0.5$ and $s = 0.71$: the gap closes. To check bound and gap, we need the evidence from elsewhere: an integral
// over $z$, by sums on a fine grid.
//- evidence, posterior, the figure, and what is checked
Normal posterior(const Model& model, const std::vector<double>& x) {
    double precision = 1, pull = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        precision += model.a[k] * model.a[k] / model.variance;
        pull += model.a[k] * (x[k] - model.b[k]) / model.variance;
    }
    return {pull / precision, 1 / precision};
}

// The integral of p(x | z) p(z), twelve deviations of the posterior to both sides.
double log_evidence(const Model& model, const std::vector<double>& x) {
    const Normal around = posterior(model, x);
    const double step = std::sqrt(around.variance) / 40;
    std::vector<double> logs;
    for (int i = -480; i <= 480; ++i) {
        const double z = around.mean + i * step;
        double log = -(log_2pi + z * z) / 2;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const double miss = x[k] - model.a[k] * z - model.b[k];
            log -=
                (log_2pi + std::log(model.variance) + miss * miss / model.variance) / 2;
        }
        logs.push_back(log);
    }
    const double most = std::ranges::max(logs);
    double sum = 0;
    for (const double log : logs) sum += std::exp(log - most);
    return most + std::log(sum * step);
}

const Model example{{1}, {0}, 1};
const std::vector<double> seen = {1};

void bound_figure() {
    const Normal q{at_mean(), at_deviation() * at_deviation()},
        best = posterior(example, seen);
    const int across = 60;
    std::vector<double> heights;
    for (int row = 0; row < across; ++row)
        for (int column = 0; column < across; ++column) {
            const double m = -2 + 4 * (column + 0.5) / across,
                         s = 2 - 1.95 * (row + 0.5) / across;
            heights.push_back(std::max(-6.0, elbo(example, seen, {m, s * s})));
        }
    const std::vector<double> z = data::even_grid(121, -3, 3);
    const auto density = [&](const Normal& n) {
        std::vector<double> y;
        for (const double at : z)
            y.push_back(std::exp(-(at - n.mean) * (at - n.mean) / (2 * n.variance)) /
                        std::sqrt(2 * std::numbers::pi * n.variance));
        return y;
    };
    const double bound = elbo(example, seen, q), evidence = log_evidence(example, seen);
    Figure figure("fig-elbo");
    figure
        .describe(
            "Left a map of the bound over mean and deviation of q, highest at 0.5 and "
            "0.71, with a red dot. Right the densities of "
            "the prior, of the posterior and of q, and the values of the evidence, of "
            "the bound and of the gap.")
        .height(300)
        .panel("the bound")
        .field(-2, 2, 0.05, 2, across, heights, "ELBO")
        .dots("", {best.mean}, {std::sqrt(best.variance)},
              {.color = figure::ink, .shape = figure::Shape::cross, .width = 5})
        .x("mean of q")
        .y("deviation of q")
        .xlim(-2, 2)
        .ylim(0.05, 2)
        .dragged(at_mean(), at_deviation(), at_mean, at_deviation);
    figure.panel("distributions of the latent")
        .line("prior", z, density({0, 1}),
              {.color = figure::grey, .dash = figure::dashed, .points = false})
        .line("posterior", z, density(best),
              {.color = figure::blue, .dash = figure::solid, .points = false})
        .line("q", z, density(q),
              {.color = figure::red, .dash = figure::solid, .points = false})
        .words("", std::vector<double>{-1.4, -1.4, -1.4},
               std::vector<double>{1.4, 1.28, 1.16},
               Names{fmt::format("log p(x) = {:.3f}", evidence),
                     fmt::format("ELBO = {:.3f}", bound),
                     fmt::format("gap = {:.3f}", evidence - bound)},
               {.color = figure::ink})
        .x("latent z")
        .y("density")
        .ylim(0, 1.5)
        .save(
            "Drag the red dot, which sets mean and deviation of q. The bound is "
            "highest at the cross, where q is the posterior. "
            "The gap is the divergence of q from the posterior, and it is never "
            "negative.");
    say("log p(x) = {:.4f}; the bound at the prior is {:.4f}", evidence,
        elbo(example, seen, {0, 1}));
}

void bound_and_gap() {
    Generator random(book::seed());
    double excess = -1e300, off = 0;
    for (Index draw = 0; draw < draws(); ++draw) {
        Model model{{}, {}, 0.1 + random.next_uniform()};
        std::vector<double> x;
        for (int k = 0; k < 4; ++k) {
            model.a.push_back(random.next_normal()),
                model.b.push_back(random.next_normal());
            x.push_back(2 * random.next_normal());
        }
        const Normal exact = posterior(model, x);
        const Normal q =
            draw % 10 ? Normal{random.next_normal(), std::exp(random.next_normal())}
                      : exact;
        const double gap = log_evidence(model, x) - elbo(model, x, q);
        excess = std::max(excess, -gap);
        off = std::max(off, std::abs(gap - divergence(q, exact)));
    }
    claim("eq-elbo/a",
          "the largest excess of the bound over log p(x), over random models with four "
          "outputs and random q",
          excess, "<=", 1e-6);
    claim("eq-elbo/b",
          "the largest difference between the gap and the divergence from q to the "
          "posterior",
          off, "<=", 1e-6);
    double worst = 0;
    for (int setting = 0; setting < 5; ++setting) {
        const Normal q{random.next_normal(), std::exp(random.next_normal())},
            p{random.next_normal(), std::exp(random.next_normal())};
        const auto log_density = [](const Normal& n, double z) {
            return -(log_2pi + std::log(n.variance) +
                     (z - n.mean) * (z - n.mean) / n.variance) /
                   2;
        };
        double sum = 0, squares = 0;
        for (Index k = 0; k < samples(); ++k) {
            const double z = q.mean + std::sqrt(q.variance) * random.next_normal(),
                         v = log_density(q, z) - log_density(p, z);
            sum += v, squares += v * v;
        }
        const double n = double(samples()), estimate = sum / n,
                     error = std::sqrt((squares / n - estimate * estimate) / n);
        worst = std::max(worst, std::abs(estimate - divergence(q, p)) / error);
    }
    claim("eq-elbo/c",
          "closed form of the divergence against Monte Carlo, the largest deviation of "
          "five pairs in standard errors",
          worst, "<=", 4);
}
//-

// Some of the random $q$ are the posterior itself, where the bound must be equal to the evidence up to rounding. Other
// guesses are too wide or too narrow. Which costs more? Place your bet:
//- the question
void too_wide() {
    const double wide = divergence({0, 4}, {0, 1}),
                 narrow = divergence({0, 0.25}, {0, 1});
    ask("A guess q has the right mean, but its deviation is wrong by a factor of 2. "
        "Which costs more, too wide or too narrow?",
        {{"Too narrow: it is overconfident.", narrow > wide,
          "Overconfidence costs little here: q is compared only where q itself puts "
          "its samples, and there the posterior is large."},
         {"Too wide.", wide > narrow,
          "A wide q puts samples where the posterior is tiny, and the logarithm "
          "punishes that."},
         {"Both the same.", wide == narrow, "The divergence is not symmetric."}});
    say("the gap if q is twice as wide: {:.3f}; if q is half as wide: {:.3f}", wide,
        narrow);
}
//-

// So the bound prefers guesses that are too narrow. If the posterior has two equal peaks far apart, a normal $q$ that
// fits one of them has a gap of only $\log 2$: its density is twice that of the posterior wherever it draws.
//
// ## Raising the bound by gradients
//
// For a decoder that is a network the mean of $\log p(x \mid z)$ has no closed form, but samples estimate it. How does
// a gradient reach $m$ and $s$ through a sample? The **reparameterisation trick** draws $\varepsilon$ from the standard
// normal distribution and sets $z = m + s\, \varepsilon$ {cite:p}`kingma2014,rezende2014`. The randomness is now an input, and $z$
// is a differentiable function of $m$ and $s$. The code has $\log s$ as a weight, so that $s$ stays positive:
Tensor sampled_loss(const Tensor& m, const Tensor& log_s, Index count,
                    Generator& random) {
    const Tensor s = exp(log_s), z = m + s * random.normal({count}), miss = 1 - z;
    const Tensor price = (s * s + m * m - 1) * 0.5 - log_s;
    return sum(mean(miss * miss) * 0.5 + price);
}
std::vector<double> climb(Index count, Index rounds, std::uint64_t seed) {
    Generator random(seed);
    const Tensor m = zeros({1}).requires_grad_(), log_s = zeros({1}).requires_grad_();
    optim::Adam adam({{"m", m}, {"log_s", log_s}}, {.lr = 0.02});
    std::vector<double> gaps;
    for (Index round = 0; round < rounds; ++round) {
        optim::train_step(adam, [&] { return sampled_loss(m, log_s, count, random); });
        gaps.push_back(gap_of(m.item(), std::exp(2 * log_s.item())));
    }
    return gaps;
}

// The loss is the negative bound without its constant. Its gradient is that of the bound, on average over the samples.
// We check this against central differences of the exact bound.
//- the gradient of samples against the bound, and the figure
// The largest deviation of the mean gradient from that of `elbo`, in standard
// errors.
double deviation_of_the_gradient() {
    Generator random(book::seed());
    double worst = 0;
    for (int setting = 0; setting < 5; ++setting) {
        Tensor m = random.normal({1}), log_s = random.normal({1}, 0, 0.5);
        m.requires_grad_(), log_s.requires_grad_();
        double sums[2] = {}, squares[2] = {};
        const int batches = 400;
        for (int k = 0; k < batches; ++k) {
            m.zero_grad(), log_s.zero_grad();
            sampled_loss(m, log_s, 10, random).backward();
            const double found[2] = {m.grad().item(), log_s.grad().item()};
            for (int i = 0; i < 2; ++i)
                sums[i] += found[i], squares[i] += found[i] * found[i];
        }
        const double h = 1e-5, at_m = m.item(), at_s = log_s.item();
        const auto loss = [&](double mean, double log_deviation) {
            return -elbo(example, seen, {mean, std::exp(2 * log_deviation)});
        };
        const double exact[2] = {
            (loss(at_m + h, at_s) - loss(at_m - h, at_s)) / (2 * h),
            (loss(at_m, at_s + h) - loss(at_m, at_s - h)) / (2 * h)};
        for (int i = 0; i < 2; ++i) {
            const double mean = sums[i] / batches,
                         error =
                             std::sqrt((squares[i] / batches - mean * mean) / batches);
            worst = std::max(worst, std::abs(mean - exact[i]) / error);
        }
    }
    return worst;
}

double gap_of(double m, double variance) {
    return divergence({m, variance}, posterior(example, seen));
}

void climbing() {
    claim("",
          "gradient of the sampled loss against central differences of the bound, the "
          "largest deviation of five pairs in standard errors",
          deviation_of_the_gradient(), "<=", 4);
    const Index rounds = 400;
    const std::vector<double> steps = data::even_grid(int(rounds), 1, double(rounds));
    Figure figure("fig-elbo-climb");
    figure.describe(
        "The gap against the step on a logarithmic axis. With 100 samples a step it "
        "falls from 0.4 to about 0.0003. With one sample it stays "
        "around 0.01.");
    for (const Index count : {1, 100}) {
        std::vector<std::vector<double>> all;
        std::vector<double> last;
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            all.push_back(climb(count, rounds, book::seed() + seed));
            last.push_back(book::median(
                std::vector<double>(all.back().end() - 100, all.back().end())));
        }
        figure.lines(
            count == 1 ? "1 sample a step" : "100 samples a step", steps, all,
            {.color = count == 1 ? figure::red : figure::blue, .dash = figure::solid});
        say("samples a step: {}; median gap of the last 100 steps {}", count,
            book::brief(over_seeds(last)));
    }
    figure.log_y().x("step").y("gap").save(
        "The gap while gradients of samples raise the bound, five runs each. More "
        "samples make the estimate less noisy, and the end closer.");
}
//-

void page() {
    bound_figure();
    bound_and_gap();
    too_wide();
    climbing();
}

// ## Limits and history
//
// Here $q$ can be equal to the posterior, since the posterior of a linear model with normal noise is normal. With a
// network as the decoder it is not, and some gap remains at the best $q$. A higher bound may mean a better model or
// only a better guess: the bound alone does not tell which. The trick needs a latent that is a differentiable function
// of the noise, so it fails for discrete latents.
//
// ## Summary
//
// The evidence lower bound is the mean log-likelihood of the data under latents from a guess $q$, minus the divergence
// of $q$ from the prior. It is never larger than $\log p(x)$, and the gap is the divergence of $q$ from the posterior.
// The reparameterisation trick makes its estimate differentiable.
//
// ## What is missing
//
// A **variational autoencoder** is this bound with two networks {cite:p}`kingma2014`: an encoder computes $m$ and $s$
// for each image, and a decoder takes the place of $a z + b$. Both are trained to raise the bound together.
// [The next page](variational_autoencoders.cpp) trains one on images of clothes.
//
// ```{try}
// - The posterior as the guess: `--mean 0.5 --deviation 0.7071`. How large is the gap?
// - Fewer samples: `--samples 1000`. Does the deviation in standard errors grow?
// ```
