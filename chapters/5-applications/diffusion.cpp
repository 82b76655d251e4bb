// # Diffusion: from data to noise, and back
//
// ```{rows} eq-diffusion-process claim-diffusion-variance-preserved claim-accurate-reverse-suffices sys-diffusion
// ```
//
// It is easy to destroy an image: add noise until nothing is left of it. Can the damage be undone? A **diffusion model**
// adds a little noise, hundreds of times, and then takes steps back, each of which removes a little noise. If the steps
// back are right, they turn pure noise, which needs no data at all, into a new sample of the data.
// {numref}`fig-there-and-back` shows both directions for numbers on a line, where the right step is known exactly. Move the
// slider up, and three bumps melt into one. Move it back: in the second panel, one becomes three. How exact must a step
// back be, and how many are needed?
//
// ```{opening} fig-there-and-back
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/classic/kolmogorov_smirnov.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/mixture_1d.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/diffusion.hpp>
#include <recto/ops/elementwise/binary.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using data::Mixture1d;
using figure::Figure;
using nn::NoiseSchedule;

const book::Option<Index> all_steps("steps", 200, "steps of the first figures, T",
                                    {.least = 10, .most = 1000});
const book::Option<Index> samples("samples", 20'000, "samples of each run back",
                                  {.quick = 2000, .least = 100, .most = 1'000'000});
const book::Option<Index> starts("starts", 100'000,
                                 "numbers that run through 1000 steps of noise",
                                 {.quick = 5000, .least = 100, .most = 1'000'000});

using Numbers = std::vector<double>;
const Mixture1d& law() {
    static const Mixture1d three = data::three_bumps();
    return three;
}
Numbers in_double(const Tensor& x) {
    const std::vector<Real> values = x.values();
    return Numbers(values.begin(), values.end());
}
Tensor tensor_of(const Numbers& x) {
    return Tensor({Index(x.size())}, std::vector<Real>(x.begin(), x.end()));
}
Tensor drawn(Index count, Generator& random) {
    return tensor_of(law().draw(count, random));
}
Tensor each(const Tensor& x, const std::function<double(double)>& f) {
    Numbers y = in_double(x);
    for (double& v : y) v = f(v);
    return tensor_of(y);
}
using Look = std::function<void(Index t, const Tensor& x)>;
//-

// ## Adding noise
//
// A step multiplies a number by a factor a little below 1 and adds a little normal noise. Take a noise of variance
// $\beta = 0.02$. The number $x_0 = 1.5$ and the random draw $\varepsilon = 0.5$ give
// $\sqrt{0.98} \cdot 1.5 + \sqrt{0.02} \cdot 0.5 = 1.485 + 0.071 = 1.556$. Why this factor? If the data have variance 1,
// the new variance is $0.98 \cdot 1 + 0.02 = 1$ again. The process stays at the same scale, and cannot explode or fade. In
// general
//
// ```{equation} eq-diffusion-process
// :function: add_noise
// x_t = \sqrt{1 - \beta_t}\, x_{t-1} + \sqrt{\beta_t}\, \varepsilon_t, \qquad t = 1, \dots, T
// ```
//
// The variances $\beta_1, \dots, \beta_T$ are the **noise schedule**. Ours is that of {cite:t}`ho2020`, which rises from
// 0.0001 to 0.02 in 1000 steps. For fewer steps we take every fifth, or every tenth, of its points: step $t$ of 200 has as
// much noise as step $5t$ of 1000. The data are the three bumps, shifted and scaled to mean 0 and variance 1:
Tensor add_noise(Tensor x, const NoiseSchedule& schedule, Generator& random,
                 const Look& look) {
    for (Index t = 1; t <= schedule.steps(); ++t) {
        const double b = schedule.beta(t);
        x = std::sqrt(1 - b) * x + std::sqrt(b) * random.normal(x.shape());
        look(t, x);
    }
    return x;
}

// What is left after 1000 steps? Mean 0, variance 1, the shape of a normal distribution, and almost no memory of the number
// that the walk began with. The **Kolmogorov–Smirnov distance** measures the shape: the largest gap between the share of
// the samples below $x$ and the probability of a number below $x$.
//- what is checked
struct Moments {
    double mean = 0, variance = 0;
};
Moments moments(const Numbers& x) {
    Moments m;
    for (const double v : x) m.mean += v / double(x.size());
    for (const double v : x)
        m.variance += (v - m.mean) * (v - m.mean) / double(x.size());
    return m;
}
double correlation(const Numbers& a, const Numbers& b) {
    const Moments first = moments(a), second = moments(b);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += (a[i] - first.mean) * (b[i] - second.mean);
    return sum / double(a.size()) / std::sqrt(first.variance * second.variance);
}
double from_normal(const Numbers& x) {
    return classic::kolmogorov_smirnov(
        x, [](double v) { return std::erfc(-v / std::numbers::sqrt2) / 2; });
}

void to_noise() {
    const NoiseSchedule schedule = NoiseSchedule::linear();
    Numbers means, variances, distances, memories, lowest, highest;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        Generator random(book::seed() + seed);
        const Tensor x0 = drawn(starts(), random);
        lowest.push_back(1e300), highest.push_back(0);
        const Tensor x = add_noise(x0, schedule, random, [&](Index, const Tensor& now) {
            const double variance = moments(in_double(now)).variance;
            lowest.back() = std::min(lowest.back(), variance);
            highest.back() = std::max(highest.back(), variance);
        });
        const Numbers last = in_double(x);
        const Moments m = moments(last);
        means.push_back(std::abs(m.mean)), variances.push_back(m.variance);
        distances.push_back(from_normal(last));
        memories.push_back(std::abs(correlation(last, in_double(x0))));
    }
    claim("eq-diffusion-process/a", "mean at the last step, in absolute value",
          over_seeds(means), "<=", 0.02);
    claim_in("eq-diffusion-process/b", "variance at the last step",
             over_seeds(variances), 0.98, 1.02);
    claim("eq-diffusion-process/c",
          "Kolmogorov–Smirnov distance to the normal distribution at the last step",
          over_seeds(distances), "<", 0.01);
    claim("eq-diffusion-process/d",
          "correlation of the last step with the first number, in absolute value",
          over_seeds(memories), "<", 0.02);
    claim("claim-diffusion-variance-preserved/c", "smallest variance of all 1000 steps",
          over_seeds(lowest), ">=", 0.98);
    claim("claim-diffusion-variance-preserved/c", "largest variance of all 1000 steps",
          over_seeds(highest), "<=", 1.02);
}
//-

// ## All steps at once
//
// Two steps with $\beta = 0.02$ multiply $x_0$ by $\sqrt{0.98} \cdot \sqrt{0.98} = 0.98$. The noise of both is again
// normal, and since the total variance is 1, that of the noise must be $1 - 0.98^2 = 0.0396$. So any number of steps can be
// taken in one:
//
// $$ x_t = \sqrt{\bar\alpha_t}\, x_0 + \sqrt{1 - \bar\alpha_t}\, \varepsilon, \qquad
//    \bar\alpha_t = \prod_{i=1}^t (1 - \beta_i) . $$
//
// The logarithm of $\bar\alpha_t$ is a sum, and for equal $\beta_t$ the weight of $x_0$ shrinks exponentially. With a
// rising schedule it shrinks faster still, as {numref}`fig-noise-weights` shows. To check the formula without random
// numbers, we send the *weights* themselves through the steps: a row with a place for $x_0$ and one for the noise of each
// step.
//- the figure, and what is checked
void weights() {
    const NoiseSchedule schedule = NoiseSchedule::linear();
    const Index T = schedule.steps();
    // One number of each kind: x_0, and the noise of every step.
    Tensor row = zeros({T + 1});
    row.set({0}, 1);
    Numbers at, of_data, of_noise, constant;
    double worst = 0, log_kept = 0, off = 0;
    const double flat = 0.01;
    for (Index t = 1; t <= T; ++t) {
        Tensor now = zeros({T + 1});
        now.set({t}, 1);
        row = schedule.step(row, t, now);
        const Numbers w = in_double(row);
        double squares = 0;
        for (Index s = 1; s <= t; ++s) squares += w[std::size_t(s)] * w[std::size_t(s)];
        // The moments of data with mean 3 and variance 0.25, step by step and in
        // closed form.
        const double kept = schedule.alpha_bar(t);
        const Moments walked{3 * w[0], 0.25 * w[0] * w[0] + squares},
            closed{3 * std::sqrt(kept), 0.25 * kept + 1 - kept};
        worst = std::max({worst, std::abs(walked.mean - closed.mean),
                          std::abs(walked.variance - closed.variance)});
        log_kept += std::log1p(-schedule.beta(t));
        off = std::max(off, std::abs(std::log(kept) - log_kept));
        if (t % 10 == 0 || t == 1) {
            at.push_back(double(t));
            of_data.push_back(w[0]), of_noise.push_back(std::sqrt(squares));
            constant.push_back(std::pow(1 - flat, double(t) / 2));
        }
    }
    claim("claim-diffusion-variance-preserved/b",
          "mean and variance step by step and in closed form, the largest difference "
          "of 1000 steps",
          worst, "<=", 1e-3);
    claim("claim-diffusion-variance-preserved/d",
          "logarithm of ᾱ against the sum of the logarithms of 1 − β, the largest "
          "difference of 1000 steps",
          off, "<=", 1e-6);
    Figure figure("fig-noise-weights");
    figure
        .describe(
            "Two panels against the step. In the first the weight of the data falls "
            "from 1 to almost 0, like the flank of a bell, while that of the noise "
            "rises from 0 to 1. They cross near step 260. In the second, with a "
            "logarithmic axis, the weight of the data is a straight line for a "
            "constant schedule and bends down for the linear one.")
        .height(260)
        .panel("weights")
        .line("weight of the data", at, of_data,
              {.color = figure::blue, .dash = figure::solid, .points = false})
        .line("weight of the noise", at, of_noise,
              {.color = figure::red, .dash = figure::dashed, .points = false})
        .x("step t")
        .y("weight")
        .ylim(0, 1);
    figure.panel("weight of the data, logarithmic")
        .line("weight of the data", at, of_data,
              {.color = figure::blue, .dash = figure::solid, .points = false})
        .line("with a constant β of 0.01", at, constant,
              {.color = figure::grey, .dash = figure::dashed, .points = false})
        .log_y()
        .x("step t")
        .y("weight")
        .save(
            "The weights of the data and of the noise after t steps of the linear "
            "schedule. With the same noise in every step the weight of the data "
            "falls exponentially, on a straight line of the logarithmic panel.");
    book::shows("claim-diffusion-variance-preserved/a", "fig-noise-weights");
    say("weight of the data after 1000 steps: {:.4f}", of_data.back());
}
//-

// ## One step back
//
// Now you see $x_t$ and ask what $x_{t-1}$ was. Bayes' rule multiplies two things: how well $x_{t-1}$ explains $x_t$, a
// narrow normal curve of width $\sqrt{\beta_t}$, and how probable $x_{t-1}$ is at all. Within so narrow a window the
// logarithm of the density is nearly a straight line. Its slope is the **score**,
//
// $$ s_t(x) = \frac{\partial}{\partial x} \log q_t(x) , $$
//
// where $q_t$ is the density of $x_t$. A normal curve times the exponential of a straight line is a normal curve again,
// shifted uphill by variance times slope. So the step back is normal as well:
//
// $$ x_{t-1} = \frac{x_t + \beta_t\, s_t(x_t)}{\sqrt{1 - \beta_t}} + \sqrt{\beta_t}\, \varepsilon . $$
//
// Divide by the factor, climb a little towards more probable numbers, and add noise. A check by hand: for standard normal
// data the score is $-x$. The step becomes $\sqrt{1 - \beta_t}\, x_t + \sqrt{\beta_t}\, \varepsilon$, the same as the step
// forth. It must be so: this process stays normal, and looks the same in both directions of time.
//
// For our bumps everything is known. Noise makes each bump wider and moves it towards 0, so $q_t$ is a mixture as well, and
// its score has a closed form. The reverse process:
Tensor remove_noise(const NoiseSchedule& schedule, Index count, Generator& random,
                    const Look& look) {
    Tensor x = random.normal({count});
    for (Index t = schedule.steps(); t >= 1; --t) {
        look(t, x);
        const Mixture1d q = law().noised(schedule.alpha_bar(t));
        const Tensor score = each(x, [&](double v) { return q.score(v); });
        const double b = schedule.beta(t);
        x = (x + b * score) / std::sqrt(1 - b);
        if (t > 1) x = x + std::sqrt(b) * random.normal({count});
    }
    look(0, x);
    return x;
}

// The last step adds no noise, because none would be removed after it. {numref}`fig-paths-back` follows single numbers.
// Early they wander freely. Then each must decide for a bump, and the last steps only sharpen. No number returns to where
// it came from: it came from nowhere. What returns is the distribution.
//- the figures of the opening and of the paths
Numbers histogram(const Numbers& x, const Numbers& centres) {
    const double width = centres[1] - centres[0];
    Numbers heights(centres.size());
    for (const double v : x) {
        const double place = std::floor((v - centres[0]) / width + 0.5);
        if (place >= 0 && place < double(centres.size()))
            heights[std::size_t(place)] += 1 / (double(x.size()) * width);
    }
    return heights;
}

void there_and_back() {
    const Index T = all_steps(), shown = 12;
    const NoiseSchedule schedule = NoiseSchedule::linear(T);
    Numbers stops;
    for (const int percent : {0, 2, 5, 10, 15, 20, 30, 40, 50, 70, 100}) {
        const double stop = std::round(percent * double(T) / 100);
        if (stops.empty() || stop > stops.back()) stops.push_back(stop);
    }
    const Numbers centres = data::even_grid(41, -4, 4), x = data::even_grid(161, -4, 4);
    std::vector<Numbers> there(stops.size()), back(stops.size());
    const auto keep = [&](std::vector<Numbers>& in) {
        return [&](Index t, const Tensor& now) {
            for (std::size_t i = 0; i < stops.size(); ++i)
                if (stops[i] == double(t)) in[i] = histogram(in_double(now), centres);
        };
    };
    Generator random(book::seed() + 10);
    const Tensor x0 = drawn(samples(), random);
    keep(there)(0, x0);
    add_noise(x0, schedule, random, keep(there));
    std::vector<Numbers> paths(shown);
    remove_noise(schedule, samples(), random, [&](Index t, const Tensor& now) {
        keep(back)(t, now);
        for (Index i = 0; i < shown; ++i)
            paths[std::size_t(i)].push_back(double(now.at({i})));
    });

    Figure figure("fig-there-and-back");
    figure
        .describe(
            "Two panels with histograms and a slider for the step t. At step 0 both "
            "show three bumps. With larger t the bumps widen and merge, and at the "
            "last step both are the bell of a standard normal distribution. Bars "
            "follow the line of the exact density in both panels.")
        .slider("step", stops, "step t", stops[4]);
    for (const bool forth : {true, false}) {
        figure.panel(forth ? "adding noise, from 0 to t"
                           : "removing noise, from T down to t");
        for (std::size_t i = 0; i < stops.size(); ++i) {
            const Mixture1d q = law().noised(schedule.alpha_bar(Index(stops[i])));
            Numbers density;
            for (const double v : x) density.push_back(q.density(v));
            figure.at(stops[i])
                .bars("samples", centres, forth ? there[i] : back[i],
                      {.color = figure::blue, .opacity = 0.5})
                .line("exact density", x, density,
                      {.color = figure::red, .dash = figure::solid, .points = false});
        }
        figure.always().x("number x").y("density").xlim(-4, 4).ylim(0, 1);
    }
    figure.save(
        "The same step t on both ways, with the exact density of that step. In the "
        "first panel t steps have added noise to numbers of the data. In the second, "
        "steps back have led from pure noise at T down to t. At t = 0 the samples in "
        "the second panel are new ones.");

    Numbers taken;
    for (Index t = 0; t <= T; ++t) taken.push_back(double(t));
    const int columns = 100, rows = 80;
    Numbers heights;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const Index t = T - Index(std::round(double(T) * column / (columns - 1)));
            const double v = 3 - 6 * (row + 0.5) / rows;
            heights.push_back(
                std::min(0.8, law().noised(schedule.alpha_bar(t)).density(v)));
        }
    Figure walk("fig-paths-back");
    walk.describe(
            "Twelve paths from random starts over a map of the density. For the "
            "first two thirds of the steps they wander between minus 3 and 3. Then the "
            "density splits into three bands, and every path ends in one of them.")
        .field(0, double(T), -3, 3, columns, heights, "density");
    Numbers done;
    for (const int percent : {5, 30, 60, 80, 90, 100})
        done.push_back(std::round(percent * double(T) / 100));
    walk.slider("done", done, "steps back taken", done.back());
    for (const double stop : done) {
        Numbers so_far(taken.begin(), taken.begin() + std::ptrdiff_t(stop) + 1);
        std::vector<Numbers> begun;
        for (const Numbers& path : paths)
            begun.emplace_back(path.begin(), path.begin() + std::ptrdiff_t(stop) + 1);
        walk.at(stop).lines(
            "", so_far, begun,
            {.color = figure::blue, .dash = figure::solid, .width = 1.2});
    }
    walk.always()
        .x("steps back taken")
        .y("number x")
        .xlim(0, double(T))
        .ylim(-3, 3)
        .save(
            "Twelve numbers on their way back from noise, over the exact density, "
            "lighter where it is high. Move the slider to see when each of them "
            "decides for a bump.");
}
//-

// ## How many steps?
//
// The formula of the step back is the same for 20 steps as for 200, and the score in it is exact. Place your bet before
// you see the distances:
//- samples with few steps and with many, and the law of the samples by sums on a grid
using Flaw = std::function<double(double x)>;  // added to the score

double middle(const NoiseSchedule& schedule, const Mixture1d& q, Index t, double x,
              const Flaw& error) {
    const double b = schedule.beta(t);
    return (x + b * (q.score(x) + error(x))) / std::sqrt(1 - b);
}
double bell(double x, double variance) {
    return std::exp(-x * x / (2 * variance)) /
           std::sqrt(2 * std::numbers::pi * variance);
}

// The law of the sampler, without samples: its density on a grid, step by step.
struct Grid {
    Numbers x, density;
    double step() const { return x[1] - x[0]; }
};
Grid grid_for(const NoiseSchedule& schedule) {
    const double width = std::sqrt(schedule.beta(std::min<Index>(2, schedule.steps())));
    Grid grid{data::even_grid(2 * Index(std::ceil(5.5 / (width / 2))) + 1, -5.5, 5.5),
              {}};
    for (const double v : grid.x) grid.density.push_back(bell(v, 1));
    return grid;
}
void one_back(Grid& grid, const NoiseSchedule& schedule, Index t, const Flaw& error) {
    const Mixture1d q = law().noised(schedule.alpha_bar(t));
    const double b = schedule.beta(t), h = grid.step(), reach = 6.5 * std::sqrt(b);
    Numbers next(grid.x.size());
    for (std::size_t i = 0; i < grid.x.size(); ++i) {
        if (grid.density[i] < 1e-14) continue;
        const double m = middle(schedule, q, t, grid.x[i], error);
        const auto place = [&](double v) {
            return std::clamp((v - grid.x[0]) / h, 0.0, double(next.size() - 1));
        };
        const auto from = std::size_t(std::ceil(place(m - reach))),
                   to = std::size_t(place(m + reach));
        // A bell on an even grid: the ratio of neighbours changes by a factor.
        const double at = grid.x[from] - m, factor = std::exp(-h * h / b);
        double height = grid.density[i] * h * bell(at, b),
               ratio = std::exp(-h * (2 * at + h) / (2 * b));
        for (std::size_t j = from; j <= to; ++j) {
            next[j] += height;
            height *= ratio, ratio *= factor;
        }
    }
    grid.density = next;
}
double distance_of_the_law(const NoiseSchedule& schedule, const Flaw& error) {
    Grid grid = grid_for(schedule);
    for (Index t = schedule.steps(); t > 1; --t) one_back(grid, schedule, t, error);
    // The last step only moves the numbers, and keeps their order.
    const Mixture1d q = law().noised(schedule.alpha_bar(1));
    double below = 0, most = 0;
    for (std::size_t i = 0; i < grid.x.size(); ++i) {
        const double share = below + grid.density[i] * grid.step() / 2;
        most = std::max(
            most,
            std::abs(law().cdf(middle(schedule, q, 1, grid.x[i], error)) - share));
        below += grid.density[i] * grid.step();
    }
    return most;
}
const Flaw none = [](double) { return 0.0; };

void how_many(Numbers& few, Numbers& distances, Numbers& exact,
              std::vector<Numbers>& sampled) {
    few = {5, 10, 20, 50, 100, 200, 500, 1000};
    for (const double T : few)
        exact.push_back(distance_of_the_law(NoiseSchedule::linear(Index(T)), none));
    const Numbers tried = {20, 50, 100, 200};
    std::vector<Numbers> by_steps(tried.size());
    Numbers ratio, real;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        Numbers now;
        Generator random(book::seed() + 20 + seed);
        for (std::size_t i = 0; i < tried.size(); ++i) {
            const Tensor x =
                remove_noise(NoiseSchedule::linear(Index(tried[i])), samples(), random,
                             [](Index, const Tensor&) {});
            now.push_back(classic::kolmogorov_smirnov(
                in_double(x), [](double v) { return law().cdf(v); }));
            by_steps[i].push_back(now.back());
        }
        real.push_back(classic::kolmogorov_smirnov(
            law().draw(samples(), random), [](double v) { return law().cdf(v); }));
        ratio.push_back(now.back() / now.front());
        sampled.push_back(now);
    }
    distances = tried;
    const double times = book::median(by_steps[0]) / book::median(by_steps[3]);
    ask("The score is exact. Are 20 steps enough, or does the distribution of the "
        "samples differ from that of 200 steps?",
        {{"20 are enough: with an exact score every schedule ends at the data.",
          times >= 1 && times < 1.5,
          "The score gives the exact mean of a step back. A long step back is not "
          "normal, however."},
         {"20 steps end two to ten times as far from the data as 200.",
          times >= 1.5 && times <= 10,
          "A step back is normal only if it is short. Between two bumps a long one "
          "would have to end in one bump or in the other."},
         {"20 are nearer, since each step adds noise of its own.", times < 1,
          "Each step also removes noise: the variance stays at 1."}});
    claim("sys-diffusion/a", "Kolmogorov–Smirnov distance of the samples of 200 steps",
          over_seeds(by_steps[3]), "<", 0.0115);
    claim("claim-accurate-reverse-suffices/b",
          "the distance with 200 steps over that with 20", over_seeds(ratio), "<", 1);
    for (std::size_t i = 0; i < tried.size(); ++i)
        say("{} steps: distance {}; for infinitely many samples {:.4f}", tried[i],
            book::brief(over_seeds(by_steps[i])), exact[i + 2]);
    say("as many numbers of the data themselves: distance {}",
        book::brief(over_seeds(real)));
}
//-

// The step back is exact only for vanishing $\beta_t$. With fewer steps each of them must remove more noise, and the
// straight line is a worse approximation. With 200 steps the distance comes close to that of 20,000 numbers drawn from the
// data themselves, which is the luck of the draw alone. To see below this floor we compute the distribution of the samples
// without drawing any, by sums on a fine grid. From 50 steps on its distance nearly halves with twice the steps.
//
// ## How exact a score?
//
// A network will not give the exact score. Let us add an error to it, either the same everywhere or a wave. In
// {numref}`fig-steps-and-errors` the distance grows with every increase of the error, but not equally fast. The wave pushes
// a number up here and down there. An error of one sign pushes all numbers the same way in all 200 steps, and moves the
// whole distribution.
//- the figure, and what is checked
void how_exact() {
    Numbers few, tried, exact;
    std::vector<Numbers> sampled;
    how_many(few, tried, exact, sampled);
    const NoiseSchedule schedule = NoiseSchedule::linear(200);
    const Numbers sizes = {0, 0.05, 0.1, 0.2, 0.4, 0.8};
    Numbers shifted, waved;
    for (const double e : sizes) {
        shifted.push_back(distance_of_the_law(schedule, [e](double) { return e; }));
        waved.push_back(distance_of_the_law(
            schedule, [e](double x) { return e * std::sin(3 * x); }));
    }
    bool grows = true;
    for (std::size_t i = 1; i < sizes.size(); ++i)
        grows = grows && shifted[i] > shifted[i - 1] && waved[i] > waved[i - 1];
    claim_true("claim-accurate-reverse-suffices/c",
               "the distance grows with every increase of the error, of both kinds",
               grows);
    Figure figure("fig-steps-and-errors");
    figure
        .describe(
            "Two panels with the distance of the samples from the data. Against the "
            "number of steps, on logarithmic axes, the line of the exact distribution "
            "falls steadily from 0.1 to below 0.001. Dots of 20,000 samples lie on it "
            "for few steps, and for many they stay near 0.006 while the line goes on "
            "to fall. Against the error of the score both lines rise from near 0.")
        .height(280)
        .panel("distance and number of steps")
        .line("all samples", few, exact,
              {.color = figure::blue, .dash = figure::solid, .points = true});
    for (const Numbers& one : sampled)
        figure.dots(
            "20,000 samples", tried, one,
            {.color = figure::ochre, .shape = figure::Shape::diamond, .width = 3});
    figure.log_axes().x("number of steps T").y("Kolmogorov–Smirnov distance");
    figure.panel("distance and error of the score, T = 200")
        .line("the same everywhere", sizes, shifted,
              {.color = figure::red, .dash = figure::solid, .points = true})
        .line("a wave", sizes, waved,
              {.color = figure::green, .dash = figure::dashed, .points = true})
        .x("error added to the score")
        .y("Kolmogorov–Smirnov distance")
        .save(
            "The distance of the sampler's distribution from that of the data. With an "
            "exact score it falls with the number of steps, and 20,000 samples cannot "
            "show less than the luck of their draw. With 200 steps it grows with the "
            "error of the score; the wave is the error times sin 3x.");
    book::shows("claim-accurate-reverse-suffices/a", "fig-steps-and-errors");
    for (std::size_t i = 0; i < sizes.size(); ++i)
        say("error {}: distance {:.4f} if it is the same everywhere, {:.4f} as a wave",
            sizes[i], shifted[i], waved[i]);
}
//-

// ## Why accurate steps suffice
//
// Small errors could add up over hundreds of steps, but there is a limit to it. The steps $x_1, \dots, x_T$ are latents,
// the noising process is a guess $q$ of them, and the [evidence lower bound](../architectures/evidence_lower_bound.cpp)
// holds:
//
// $$ \log p(x_0) \ge \mathbb E \log p(x_0 \mid x_1) - \sum_{t=2}^T \mathbb E\, D_{\mathrm{KL}}\bigl(q(x_{t-1} \mid x_t, x_0)
//    \,\Vert\, p(x_{t-1} \mid x_t)\bigr) - D_{\mathrm{KL}}\bigl(q(x_T \mid x_0) \,\Vert\, p(x_T)\bigr) . $$
//
// Each step back $p(x_{t-1} \mid x_t)$ stands in one term only, so the losses of the steps add up and do not multiply. If
// every term is good, the likelihood of the data must be good. The last divergence is nearly 0, since almost nothing of
// $x_0$ is left at $T$. All densities in the terms are normal, so we can compute the bound and compare it with the true
// likelihood. The reverse is false: a wave in the score lowers the bound far more than the likelihood.
//- bound and likelihood, and what is checked
// For this the last step adds noise as well: without, the samples have no density that is known in closed form.
double log_likelihood(const NoiseSchedule& schedule, const Grid& first, double x0,
                      const Flaw& error) {
    const Mixture1d q = law().noised(schedule.alpha_bar(1));
    double sum = 0;
    for (std::size_t i = 0; i < first.x.size(); ++i)
        sum += first.density[i] * first.step() *
               bell(x0 - middle(schedule, q, 1, first.x[i], error), schedule.beta(1));
    return std::log(sum);
}
double bound(const NoiseSchedule& schedule, double x0, const Flaw& error) {
    const double last = schedule.alpha_bar(schedule.steps());
    // The divergence of q(x_T | x_0) from the standard normal distribution.
    double total = -(last * x0 * x0 + (1 - last) - 1 - std::log(1 - last)) / 2;
    for (Index t = 1; t <= schedule.steps(); ++t) {
        const double b = schedule.beta(t), kept = schedule.alpha_bar(t),
                     before = schedule.alpha_bar(t - 1),
                     deviation = std::sqrt(1 - kept);
        const Mixture1d q = law().noised(kept);
        // q(x_{t-1} | x_t, x_0) has this variance.
        const double variance = (1 - before) / (1 - kept) * b;
        double sum = 0;
        const double h = 0.05;
        for (double z = -8; z <= 8; z += h) {  // x_t, in deviations from its mean
            const double x = std::sqrt(kept) * x0 + deviation * z,
                         m = middle(schedule, q, t, x, error);
            const double mean =
                (std::sqrt(before) * b * x0 + std::sqrt(1 - b) * (1 - before) * x) /
                (1 - kept);
            const double gap = (mean - m) * (mean - m);
            sum +=
                h * bell(z, 1) *
                (t == 1 ? std::log(bell(x0 - m, b))
                        : -(variance / b + gap / b - 1 - std::log(variance / b)) / 2);
        }
        total += sum;
    }
    return total;
}

void bounds() {
    double excess = -1e300;
    for (const Index T : {5, 20, 100})
        for (const double e : {0.0, 0.5}) {
            const NoiseSchedule schedule = NoiseSchedule::linear(T);
            const Flaw error = [e](double x) { return e * std::sin(3 * x); };
            Grid grid = grid_for(schedule);
            for (Index t = T; t > 1; --t) one_back(grid, schedule, t, error);
            double below = 0, log_model = 0, log_data = 0, weight = 0;
            for (double x0 = -2; x0 <= 2.2; x0 += 0.1) {
                const double log_p = log_likelihood(schedule, grid, x0, error),
                             from_below = bound(schedule, x0, error),
                             share = law().density(x0);
                excess = std::max(excess, from_below - log_p);
                below += share * from_below, log_model += share * log_p;
                log_data += share * law().log_density(x0), weight += share;
            }
            say("{} steps, error {}: bound {:.3f}, log-likelihood {:.3f}; the data's "
                "own density gives {:.3f}",
                T, e, below / weight, log_model / weight, log_data / weight);
        }
    claim("claim-accurate-reverse-suffices/d",
          "largest excess of the bound over the log-likelihood, over 43 numbers, three "
          "schedules and two scores",
          excess, "<=", 1e-6);
}
//-

// ## Limits and history
//
// Here the score came for free, because we made the data ourselves. The density of images is unknown, let alone its slope.
// And with 200 steps each sample needs 200 evaluations of the score, where a [GAN](../architectures/gan.cpp) needs a single
// one.
//
// {cite:t}`anderson1982` found the reverse of a diffusion in continuous time. {cite:t}`sohldickstein2015` made it a
// generative model, and {cite:t}`ho2020` made images with it that rivalled those of GANs. {cite:t}`song2021` wrote such
// models as differential equations driven by the score.
//
// ## Summary
//
// A diffusion process mixes data with noise in many small steps, keeps the variance at 1, and ends at a standard normal
// distribution that has forgotten the data. A small step back is normal too, and its mean needs only the score, the
// derivative of the log density. With exact scores and enough steps the samples have the distribution of the data, and
// small errors of the steps cost little, by a bound on the likelihood.
//
// ## What is missing
//
// A network must learn the score from samples. That sounds impossible, for there are no examples of scores.
// [The next page](conditional_mean.cpp) shows what a network learns when it is trained to remove noise: just what we need.
//
// ```{exercises}
// - [Noise in one step](/exercises/diffusion/noising.md)
// ```
//
// ```{try}
// - Fewer steps in the first figure: `--steps 20`. Where do the bars miss the line?
// - More samples: `--samples 200000`. Which dots move down to the line?
// ```

void page() {
    there_and_back();
    to_noise();
    weights();
    how_exact();
    bounds();
}
