// # Overfitting: too little, too much
//
// ```{rows} fig-1.2 claim-underfit-overfit sys-hyperparameter-search
// ```
//
// [The last page](fit_curve.cpp) fitted ten bumps to thirty points, and we chose both numbers. How good a fit is
// depends on three quantities: how many samples there are, how noisy they are, and how many functions the model has.
// This page begins with an extreme case, few samples and many functions. Then it keeps samples and noise, and changes
// only the number of functions. With too few the fit fails by **underfitting**, with too many by **overfitting**. At
// the end we choose the number with data that the fit has not seen.
//
// At which number of half-waves would you stop? Move the slider:
//
// ```{opening} fig-capacity
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/classic/basis.hpp>
#include <recto/classic/least_squares.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/split.hpp>
#include <recto/figure/figure.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using namespace recto::classic;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Samples, figure::Figure;

const book::Option<int> few("few", 6, "how many samples are too few",
                            {.least = 2, .most = 1000});
const book::Option<int> bumps("bumps", 20, "how many bumps are too many for them",
                              {.least = 2, .most = 200});
const book::Option<int> points("points", 30, "how many samples to learn from otherwise",
                               {.least = 5, .most = 1000});
const book::Option<int> most("most", 40, "the largest number of functions tried",
                             {.quick = 32, .least = 3, .most = 100});
const book::Option<int> checks("checks", 100, "how many samples to choose by",
                               {.least = 1, .most = 10'000});
const book::Option<double> noise("noise", 0.08, "standard deviation of the noise",
                                 {.least = 0.0});
const book::Option<int> draws("draws", 21, "how often each experiment is repeated",
                              {.quick = 2, .least = 1, .most = 1000});
//-

// Every experiment begins with new samples, at random places:
//- how samples are drawn
Samples uniform_samples(Index count, Generator& random) {
    return data::noisy_samples(data::smooth_curve, count, 0, 1, noise(), random);
}
//-

// We made the data, so we know what is unknown in practice: the curve behind the points.
//- the true curve on a grid
std::vector<double> curve_on(const std::vector<double>& grid) {
    std::vector<double> y;
    for (const double x : grid) y.push_back(data::smooth_curve(x));
    return y;
}
//-

// The **training error** of a fit is its mean squared distance to the samples it was fitted to, and the
// **true error** its mean squared distance to the curve, on a fine grid. A fit that is good at new points as well
// **generalises**. Training lowers the first error, and we want a low second one, good **generalisation**: this page
// is about the difference between the two.
Vector fit(const Basis& basis, const Samples& samples) {
    return least_norm(design_matrix(basis, samples.x), samples.y);
}
double training_error(const Basis& basis, const Vector& w, const Samples& samples) {
    return data::mean_squared_difference(mix(basis, w, samples.x), samples.y);
}
double true_error(const Basis& basis, const Vector& w) {
    static const std::vector<double> grid = data::even_grid(401, 0, 1),
                                     truth = curve_on(grid);
    return data::mean_squared_difference(mix(basis, w, grid), truth);
}

//- the lowest of some errors
std::size_t best_of(const std::vector<double>& errors) {
    return std::size_t(std::ranges::min_element(errors) - errors.begin());
}
//-

void page() {
    // ## Six points, twenty bumps
    //
    // Twenty weights meet six equations. The normal equations now have no unique solution: their matrix is singular,
    // and for whole families of weights the curve passes through every point. {cpp:func}`~recto::classic::least_norm`
    // takes the shortest of these vectors of weights, the one with the smallest sum of squares. Nothing else is new.
    // The bumps are as wide as they are apart.
    Generator random(book::seed());
    std::vector<double> on_points, times_worse;
    for (int draw = 0; draw < draws(); ++draw) {
        const Samples plenty = uniform_samples(points(), random),
                      scarce = uniform_samples(few(), random);
        const Basis right = gaussian_bumps(10, 0, 1),
                    large = gaussian_bumps(bumps(), 0, 1);
        const Vector good = fit(right, plenty), bad = fit(large, scarce);
        on_points.push_back(training_error(large, bad, scarce));
        times_worse.push_back(true_error(large, bad) / true_error(right, good));
        if (draw > 0) continue;

        // The first draw is shown:
        say("training error with {} points and {} bumps: {:.5f}", points(),
            right.size(), training_error(right, good, plenty));
        say("training error with {} points and {} bumps: {:.5f}", few(), large.size(),
            on_points[0]);
        const std::vector<double> grid = data::even_grid(201, 0, 1);
        Figure("fig-1.2")
            .describe(
                "Six samples of a wavy curve. The fitted red line passes through each "
                "of them exactly and strays far from the thin black true curve in "
                "between.")
            .line("true curve", grid, curve_on(grid),
                  {.color = figure::ink, .dash = figure::solid, .width = 1})
            .line("fit", grid, mix(large, bad, grid),
                  {.color = figure::red, .dash = figure::solid})
            .dots("sample", scarce.x, scarce.y,
                  {.color = figure::ink, .shape = figure::Shape::circle})
            .x("x")
            .y("y")
            .save(
                "Twenty bumps through six samples (dots). On the samples the fit (red) "
                "is perfect; between them nothing constrains it, and the curve that "
                "made them (thin, black) is lost. After Figure 1.2 of "
                "{cite:t}`fleuret2023`.");
        book::shows("fig-1.2/c", "fig-1.2");
    }

    // One draw could be bad luck, so we repeat the experiment with new points:
    claim("fig-1.2/a", "the mean squared error on the six training points",
          over_seeds(on_points), "<", 1e-6);
    claim("fig-1.2/b",
          "the true error in the median draw, as a multiple of that of ten bumps on "
          "thirty points",
          over_seeds(times_worse), ">=", 10);

    // The loss, the only quantity we minimised, is zero up to rounding, and the curve of {numref}`fig-1.2` is useless.
    // The draws differ widely: in the median draw the true error is 27 times that of ten bumps on thirty points, in the
    // luckiest of the 21 draws 1.9 times, and in the unluckiest 1,545 times.
    // The loss on the training points says how well we did *on those points*, and a model with as many weights as
    // points can bring it to zero.
    //
    // Two things were extreme here, the few samples and the many functions, and the experiment cannot tell which of them
    // did the harm. So from now on the number of samples and the noise stay the same, and only the model changes.
    //
    // ## Capacity: from too little to too much
    //
    // The richer the curves that a model can fit, the larger is its **capacity**. We measure it by the number $K$ of
    // functions. How much capacity is right for thirty points? We vary $K$ from 1 to 40. For a clean comparison, each
    // model must contain the one before it. Bumps fail this test: with one more, all the others move. Half-waves pass
    // it: $\cos(k\pi x)$ for $k = 0, 1, 2, \ldots$, of which we take the first $K$. (With the powers
    // $1, x, x^2, \ldots$ in their place, $K - 1$ would be the **polynomial degree**, a common measure of capacity.
    // But high powers of $x$ look so alike on the unit interval that rounding spoils their fits.) A larger $K$ can
    // still do everything that a smaller $K$ could, so its training error cannot be larger. We check that in every
    // draw, and record the true error beside it. Each thirtieth of the interval gets one sample, so that no stretch
    // is left empty and only $K$ makes a difference.
    const Basis waves = cosines(most(), 0, 1);
    //- the draws, and what is recorded
    std::vector<double> rises, both_ends, training, truth;
    std::vector<Vector> weights;
    Samples shown;
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "sweeps");
        const Samples s =
            data::spread_samples(data::smooth_curve, points(), 0, 1, noise(), random);
        std::vector<double> on_samples, on_curve;
        //-
        for (Index k = 1; k <= most(); ++k) {
            const Basis first(waves.begin(), waves.begin() + k);
            const Vector w = fit(first, s);
            on_samples.push_back(training_error(first, w, s));
            on_curve.push_back(true_error(first, w));
            if (draw == 0) weights.push_back(w);
        }
        //- the other draws, and where the true error is smallest
        int rose = 0;  // beyond rounding, once the fit is perfect
        for (std::size_t i = 1; i < on_samples.size(); ++i)
            rose += on_samples[i] > on_samples[i - 1] + 1e-12;
        rises.push_back(rose);
        // An error far below the noise counts as none: the ratio of two roundings means nothing.
        const double none = noise() * noise() / 1000;
        both_ends.push_back((none + std::min(on_curve.front(), on_curve.back())) /
                            on_curve[best_of(on_curve)]);
        if (draw == 0) shown = s, training = on_samples, truth = on_curve;
    }
    const int best = int(best_of(truth)) + 1;
    say("the smallest true error has K = {}", best);
    //-

    // For the first draw we show each fit, and beside it both errors against $K$.
    //- how the figure is drawn
    std::vector<double> ks, floor;
    for (int k = 1; k <= most(); ++k)
        ks.push_back(k), floor.push_back(std::max(training[std::size_t(k - 1)], 1e-6));
    Figure sweep("fig-capacity");
    sweep
        .describe(
            "First panel: thirty samples, the true curve, and the fit with K "
            "half-waves; a slider sets K. Second panel: the training error falls all "
            "the way as K grows; the true error falls steeply, is smallest for a "
            "medium K, and rises again.")
        .slider("K", ks, "half-waves", best);

    // What `at(k)` draws is seen while the slider stands at that $K$; everything else is always seen. The fits:
    const std::vector<double> grid = data::even_grid(121, 0, 1);
    sweep.panel("the fit")
        .line("true curve", grid, curve_on(grid),
              {.color = figure::ink, .dash = figure::solid, .width = 1})
        .dots("sample", shown.x, shown.y,
              {.color = figure::ink, .shape = figure::Shape::circle})
        .x("x")
        .y("y")
        .ylim(-1.6, 1.6);
    for (int k = 1; k <= most(); ++k) {
        const Basis first(waves.begin(), waves.begin() + k);
        sweep.at(k).line("fit", grid, mix(first, weights[std::size_t(k - 1)], grid),
                         {.color = figure::red, .dash = figure::solid});
    }

    // And the errors, with a dot on each line that moves with the slider:
    sweep.always()
        .panel("its error")
        .line("training error", ks, floor, {.color = figure::blue, .points = false})
        .line("true error", ks, truth, {.color = figure::ochre, .points = false})
        .x("number of half-waves K")
        .y("mean squared error")
        .log_y();
    for (std::size_t i = 0; i < ks.size(); ++i)
        sweep.at(ks[i])
            .dots("", {ks[i]}, {floor[i]},
                  {.color = figure::blue, .shape = figure::Shape::circle})
            .dots("", {ks[i]}, {truth[i]},
                  {.color = figure::ochre, .shape = figure::Shape::circle});
    sweep.save(
        "Move the slider. In the first panel one, two or three half-waves are too "
        "stiff to follow the curve; thirty pass through every sample and oscillate. "
        "The second panel shows both errors against the number of half-waves. Training "
        "errors below one millionth are drawn at one millionth.");
    book::shows("claim-underfit-overfit/c", "fig-capacity");
    //-

    // Now cover the true error in the second panel of {numref}`fig-capacity`.
    const std::size_t cheapest = best_of(training);
    ask("You see only the training error in the second panel, and take the K "
        "where it is lowest. How good is your choice?",
        {{"Close to the best: the lines have their valleys at about the same place.",
          truth[cheapest] < 1.5 * truth[best_of(truth)],
          "Only the true error has a valley. The training error goes down to the end."},
         {"Many times worse than the best: the training error cannot tell noise from "
          "signal.",
          truth[cheapest] >= 2 * truth[best_of(truth)],
          "It falls as long as there is anything left to fit, and past some K all that "
          "is left is noise."},
         {"Worse than a single constant.", truth[cheapest] > truth[0],
          "Overfitting is bad here, but a constant misses the whole wave."}});

    // The left end of {numref}`fig-capacity` is underfitting: the model has no shape that fits. The right
    // end is overfitting: the model has enough shapes to fit the noise too. The best $K$ lies between. It depends
    // on the samples as well: with more of them, or with less noise, the best $K$ is usually larger.
    claim("claim-underfit-overfit/a",
          "in the worst of all draws, how often the training error rose from one K to "
          "the next",
          book::Measured(std::ranges::max(rises), std::ranges::min(rises),
                         std::ranges::max(rises), draws()),
          "==", 0);
    claim(
        "claim-underfit-overfit/b",
        "the true error at the better end of the sweep, as a multiple of the smallest",
        over_seeds(both_ends), ">=", 2);

    // ## Hyper-parameters: choosing with other points
    //
    // Outside a textbook the true error is unknown, so how do you choose $K$? It is not a weight: minimising the
    // training loss over $K$ always answers "as many as you have". Such a setting is a **hyper-parameter**. Others are
    // the degree of a polynomial and, on later pages, the width of a network's layers and the length of a step downhill
    // (the learning rate). A hyper-parameter is set before training, from experience or by a search, and the search
    // needs data outside the **training set**. So we cut the data in three: 30 samples to learn the weights, 100 to
    // choose $K$ (**validation set**), and 100 to say at the end how good the choice was (**test set**). A hundred
    // samples for the choice are a luxury; try fewer below.
    //
    // The error on these samples stands in for the true error. It is larger, on average by the variance of the noise,
    // $0.08^2 = 0.0064$. This amount is the same for every $K$, so it does not change which $K$ is best.
    //
    // The test set is locked. {cpp:class}`~recto::data::Guarded` releases it only after a choice was
    // declared, and a choice can be declared only once:
    const Samples all = uniform_samples(points() + 2 * checks(), random);
    data::Split parts = data::split(all.size(), checks(), checks(), random);
    bool refused = false;
    try {
        parts.test.read();
    } catch (const Error& error) {
        refused = true;
        say("{}", error.what());
    }
    claim_true("sys-hyperparameter-search/b",
               "reading the test set before the choice throws", refused);

    // The search itself is a loop. It takes the bumps of the last page again: a choice between models does not need
    // each to contain the one before it. A *grid search* tries every $K$; a *random search* tries some. With one
    // setting, the random search only saves work. With five settings of ten values each, a grid has a hundred thousand
    // points. If only one of the five matters, the whole grid tries just ten values of it, while every random try has a
    // new value {cite:p}`bergstra2012`.
    //- what a search finds
    struct Search {
        std::vector<double> validation, truth;  // for K = 1, 2, ...
        int grid = 0, random = 0;               // the K chosen by either
    };
    const auto search = [&](const Samples& train, const Samples& validation,
                            Generator& draw) {
        Search found;
        //-
        for (Index k = 1; k <= std::min(most(), 30); ++k) {
            const Basis basis = gaussian_bumps(k, 0, 1);
            const Vector w = fit(basis, train);
            found.validation.push_back(training_error(basis, w, validation));
            found.truth.push_back(true_error(basis, w));
        }
        //- grid search, random search, and what both choose
        found.grid = int(best_of(found.validation)) + 1;
        const std::vector<Index> order =
            draw.permutation(Index(found.validation.size()));
        Index tried = order[0];
        for (std::size_t i = 1; i < order.size() * 2 / 3; ++i)  // two thirds of them
            if (found.validation[std::size_t(order[i])] <
                found.validation[std::size_t(tried)])
                tried = order[i];
        found.random = int(tried) + 1;
        return found;
    };
    const Search found = search(data::select(all, parts.train),
                                data::select(all, parts.validation), random);
    say("grid search takes K = {}, random search K = {}", found.grid, found.random);
    say("the true error is smallest for K = {}", best_of(found.truth) + 1);
    //-

    // {numref}`fig-validation` shows what the search saw, and beside it what it could not see.
    //- how the figure is drawn
    ks.resize(found.truth.size());
    Figure("fig-validation")
        .describe(
            "Validation error and true error against the number of bumps. Both fall, "
            "stay low for a while and rise; the validation error lies higher by the "
            "variance of the noise and has its lowest point near that of the true "
            "error.")
        .line("validation error", ks, found.validation, {.points = false})
        .line("true error", ks, found.truth, {.points = false})
        .rule_x(found.grid, "chosen")
        .log_y()
        .ylim(1e-4, 10)
        .x("number of bumps K")
        .y("mean squared error")
        .save(
            "What the search sees (validation error) and what it would like to see "
            "(true error). Near the minimum the first lies above the second by about "
            "the variance of the noise, which no fit can remove. With many bumps both "
            "leave the figure.");
    book::shows("sys-hyperparameter-search/c", "fig-validation");
    //-

    // ## Was the choice good?
    //
    // Declaring the choice opens the lock, and the test set is read once:
    parts.test.declare(fmt::format("K = {}", found.grid));
    const Basis chosen = gaussian_bumps(found.grid, 0, 1);
    const Vector w = fit(chosen, data::select(all, parts.train));
    say("validation error of the choice: {:.5f}",
        found.validation[std::size_t(found.grid - 1)]);
    say("test error of the choice:       {:.5f}",
        training_error(chosen, w, data::select(all, parts.test.read())));

    // On average the test error is the larger of the two, because we took the $K$ for which the validation points
    // happened to be favourable. Here it is smaller, 0.00668 against 0.00741: with a hundred points each, chance
    // alone moves either error by about 0.001. It is even below the training error of the
    // first fit above, 0.00807, which belongs to thirty other samples with other noise.
    //
    // Only here, where the curve is known, can we check the choice. We repeat both searches with new data.
    // In the median draw they come within one of the best $K$; in the worst of the 21 draws both miss it by 13.
    //- more draws, and what is checked
    std::vector<double> grid_off, random_off;
    for (int draw = 0; draw < draws(); ++draw) {
        const Samples fresh = uniform_samples(points() + checks(), random);
        const data::Split cut = data::split(fresh.size(), checks(), 0, random);
        const Search again = search(data::select(fresh, cut.train),
                                    data::select(fresh, cut.validation), random);
        const int ideal = int(best_of(again.truth)) + 1;
        grid_off.push_back(std::abs(again.grid - ideal));
        random_off.push_back(std::abs(again.random - ideal));
    }
    claim("sys-hyperparameter-search/a",
          "grid search: distance from the K with the smallest true error",
          over_seeds(grid_off), "<=", 2);
    claim("sys-hyperparameter-search/a",
          "random search: distance from the K with the smallest true error",
          over_seeds(random_off), "<=", 2);
}
//-

// ## Summary
//
// A model of too little capacity underfits, and one of too much overfits: its training error is small and its true error
// large. The training error falls as capacity grows, so it cannot choose the capacity. A validation set can, and a test
// set, read once, says how good the choice was.
//
// ## What is missing
//
// The number of functions is the crudest measure of capacity. Two models with equally many weights can
// differ in *which* curves come easily to them, and with few data that difference decides the fit:
// [the next page](preferences.cpp) is about such preferences. And the right end of {numref}`fig-capacity`
// is not the end of the story: a [later page](double_descent.cpp) makes models much larger still.
//
// ```{try}
// - Give the twenty bumps more points: `--few 12`, `--few 60`. When do they stop misbehaving?
// - Remove the noise: `--noise 0`. Is there still such a thing as too much?
// - Choose by ten points instead of a hundred: `--checks 10`. What breaks?
// ```
