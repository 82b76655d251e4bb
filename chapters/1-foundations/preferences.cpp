// # What a learner prefers
//
// ```{rows} claim-inductive-bias sys-bias-min-features sys-bias-max-margin sys-bias-min-cv
// ```
//
// Through six points go infinitely many curves, and [twenty bumps](overfitting.cpp) could draw a great many
// of them. Data alone never say which one is meant. The learner has to prefer some to others before it sees
// a single point, and this preference is called its *inductive bias*. Here are four of them, each one a
// sentence first, then a method, then a measurement.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/classic/basis.hpp>
#include <recto/classic/best_subset.hpp>
#include <recto/classic/cross_validation.hpp>
#include <recto/classic/lasso.hpp>
#include <recto/classic/least_squares.hpp>
#include <recto/classic/svm.hpp>
#include <recto/core/random.hpp>
#include <recto/data/clouds.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace recto;
using namespace recto::classic;
using book::ask, book::claim, book::over_seeds, book::say;
using data::Samples, figure::Figure;
//-

// Six numbers can be changed, three for the first preference and three for the second:
const book::Option<int> points("points", 12, "how many samples of the periodic curve",
                               {.least = 3, .most = 1000});
const book::Option<int> functions("functions", 7, "how many functions each basis has",
                                  {.least = 1, .most = 51});
const book::Option<double> noise("noise", 0.1, "standard deviation of the noise",
                                 {.least = 0.0});
const book::Option<int> rows("rows", 100, "rows of the table with few relevant inputs",
                             {.least = 13, .most = 10'000});
const book::Option<double> ratio("ratio", 10, "signal-to-noise ratio of that table",
                                 {.least = 0.01});
const book::Option<int> draws("draws", 100, "how many such tables are drawn",
                              {.quick = 10, .least = 1, .most = 10'000});

// A belief is judged by the curve itself, which we know, and not by samples of it:
std::vector<double> periodic_on(const std::vector<double>& grid) {
    std::vector<double> y;
    for (const double x : grid) y.push_back(data::periodic_curve(x));
    return y;
}

void page() {
    // ## "It will repeat itself"
    //
    // Twelve noisy samples, all from one period of a curve that repeats itself. Three learners get seven
    // functions each. The first has waves: it believes that what happened will happen again. The second
    // has bumps on the sampled stretch, the third a polynomial of degree six.
    Generator random(book::seed());
    const std::vector<std::string> names = {"waves", "bumps", "polynomial"};
    const std::vector<Basis> bases = {fourier(functions(), 1),
                                      gaussian_bumps(functions(), 0, 1),
                                      legendre(functions(), 0, 1)};
    const auto fit = [](const Basis& basis, const Samples& s) {
        return least_norm(design_matrix(basis, s.x), s.y);
    };

    // We judge each fit on the period that was sampled, and on the two that follow and were not, in ten draws
    // of the samples.
    const std::vector<double> beyond = data::even_grid(400, 1, 3),
                              inside = data::even_grid(400, 0, 1);
    const auto error_on = [&](const std::vector<double>& grid, const Basis& basis,
                              const Vector& w) {
        return data::mean_squared_difference(mix(basis, w, grid), periodic_on(grid));
    };
    std::vector<double> share;
    Samples shown;
    std::vector<Vector> weights;
    for (int draw = 0; draw < 10; ++draw) {
        const Samples s =
            data::spread_samples(data::periodic_curve, points(), 0, 1, noise(), random);
        std::vector<double> outside;
        for (const Basis& basis : bases) {
            const Vector w = fit(basis, s);
            outside.push_back(error_on(beyond, basis, w));
            if (draw == 0) weights.push_back(w), shown = s;
        }
        share.push_back(outside[0] / std::min(outside[1], outside[2]));
    }
    for (std::size_t b = 0; b < bases.size(); ++b)
        say("{:10}  training error {:.4f}  true error where sampled {:.4f}", names[b],
            data::mean_squared_difference(mix(bases[b], weights[b], shown.x), shown.y),
            error_on(inside, bases[b], weights[b]));

    // {numref}`fig-extrapolation` lets the fits of the first draw run on:
    const std::vector<double> three = data::even_grid(301, 0, 3);
    Figure extrapolated("fig-extrapolation");
    extrapolated
        .describe(
            "Twelve samples in the first of three periods. In that period all three "
            "fits follow the true curve. Beyond it the waves repeat and stay on the "
            "curve, the bumps fall to zero, and the polynomial leaves the picture.")
        .line("true curve", three, periodic_on(three),
              {.color = figure::ink, .dash = figure::solid, .width = 1})
        .dots("sample", shown.x, shown.y,
              {.color = figure::ink, .shape = figure::Shape::circle});
    for (std::size_t b = 0; b < bases.size(); ++b) {
        std::vector<double> y = mix(bases[b], weights[b], three);
        for (double& v : y)
            if (std::abs(v) > 2.5) v = NAN;  // out of the picture
        extrapolated.line(names[b], three, y, {.points = false});
    }
    extrapolated.ylim(-2.5, 2.5).x("x").y("y").save(
        "The same twelve samples, the same number of weights, three beliefs. Where "
        "there are samples they hardly differ; where there are none, nothing but the "
        "belief is left.");
    book::shows("claim-inductive-bias/b", "fig-extrapolation");

    // Where there are samples, the three can hardly be told apart. Beyond the samples only the belief speaks. The
    // polynomial bolts as soon as they end, on either side, which is why its true error is large even within the
    // period. The waves are right, because the curve happens to be what they believe in:
    claim("claim-inductive-bias/a",
          "error of the waves beyond the samples, as a fraction of that of the better "
          "of the other two",
          over_seeds(share), "<=", 0.1);

    // A belief that fits is worth data. Let the samples now come from all three periods. The waves still need seven
    // functions: every sample, in whatever period, tells them about all three. The others must draw each
    // period anew, with three times as many. How many samples does it take to reach the same error?
    // {numref}`fig-less-data` answers.
    const std::vector<double> many = {24, 32, 48, 64, 96, 144, 216, 324};
    const std::vector<Basis> wide = {bases[0], gaussian_bumps(3 * functions(), 0, 3),
                                     legendre(3 * functions(), 0, 3)};
    const std::vector<double> everywhere = data::even_grid(601, 0, 3);
    std::vector<std::vector<double>> curves(wide.size());
    for (const double n : many) {
        std::vector<std::vector<double>> errors(wide.size());
        for (int draw = 0; draw < 20; ++draw) {
            const Samples s = data::spread_samples(data::periodic_curve, Index(n), 0, 3,
                                                   noise(), random);
            for (std::size_t b = 0; b < wide.size(); ++b)
                errors[b].push_back(error_on(everywhere, wide[b], fit(wide[b], s)));
        }
        for (std::size_t b = 0; b < wide.size(); ++b)
            curves[b].push_back(book::median(errors[b]));
    }
    say("with {} samples: waves {:.4f}, bumps {:.4f}, polynomial {:.4f}", many[2],
        curves[0][2], curves[1][2], curves[2][2]);
    claim("",
          "with twice the samples, the error of the better of bumps and polynomial, as "
          "a multiple of that of the waves",
          std::min(curves[1][4], curves[2][4]) / curves[0][2], ">", 1);
    Figure less("fig-less-data");
    less.describe(
        "True error over three periods against the number of samples, for the three "
        "bases, medians of twenty draws. The waves lie lowest throughout.");
    for (std::size_t b = 0; b < wide.size(); ++b) less.line(names[b], many, curves[b]);
    less.log_axes()
        .x("samples")
        .y("true error")
        .save(
            "The price of the wrong belief, in samples: draw a horizontal line and see "
            "where it meets each curve. To be as good as the waves, the others need "
            "more.");

    // ## "Few things matter"
    //
    // A table has twelve inputs, three of them matter, and nobody says which. Least squares gives every input a
    // weight, if only a small one: it has no reason not to. A learner that prefers *few inputs* has. There are
    // two ways to write the preference down. The first puts a price on every input that is used, and finds the
    // best bargain by trying all subsets, {cpp:func}`~recto::classic::best_subset`. The second puts a price on
    // the size of every weight, the *lasso* {cite:p}`tibshirani1996`:
    //
    // $$ \frac{1}{2N} \lVert y - Xw \rVert^2 + \lambda \sum_{k} \lvert w_k \rvert $$
    //
    // Its price is a corner: at zero it pulls with full strength, so a weight that is not worth it ends at zero
    // exactly. And it is a bowl, so we may walk down along one weight at a time. Both prices are set so that
    // noise alone rarely pays them. How often do both find exactly the three?
    int by_trying = 0, by_lasso = 0, used = 0;
    Index tried = 0;
    for (int draw = 0; draw < draws(); ++draw) {
        const data::SparseTable table =
            data::sparse_table(rows(), 12, 3, ratio(), random);
        const Subset best = best_subset(table.x, table.y);
        tried = best.tried;
        by_trying += best.support == table.support;
        by_lasso += support(lasso(table.x, table.y, lasso_penalty(table.x, table.y))) ==
                    table.support;
        used += int(support(normal_equations(table.x, table.y)).size());
    }
    say("least squares uses {} of 12 inputs; a search compares {} subsets",
        used / draws(), tried);
    const auto of_hundred =
        [](int found) {  // the share, with as many seeds as there were draws
            return book::Measured(100.0 * found / draws(), 100.0 * found / draws(),
                                  100.0 * found / draws(), draws());
        };
    claim("sys-bias-min-features/a",
          "of a hundred tables, best subset finds exactly the true inputs in",
          of_hundred(by_trying), ">=", 95);
    claim("sys-bias-min-features/b", "and the lasso in", of_hundred(by_lasso),
          ">=", 95);

    // {numref}`fig-lasso` shows the lasso at work on one more such table: as its price rises, inputs leave one
    // by one. To draw it we fit the same table forty-one times, and sort the weights by what we know:
    const data::SparseTable table = data::sparse_table(rows(), 12, 3, ratio(), random);
    std::vector<double> penalties;
    std::vector<std::vector<double>> relevant(3), useless(9);
    for (int i = 0; i <= 40; ++i) {
        penalties.push_back(std::pow(10.0, -2.5 + 2.7 * i / 40));
        const Vector w = lasso(table.x, table.y, penalties.back());
        std::size_t r = 0, u = 0;
        for (Index k = 0; k < 12; ++k) {
            const bool matters =
                std::ranges::find(table.support, k) != table.support.end();
            (matters ? relevant[r++] : useless[u++]).push_back(w[std::size_t(k)]);
        }
    }
    //- how the figure is drawn
    Figure("fig-lasso")
        .describe(
            "Twelve weights against the penalty, on a logarithmic axis. Nine useless "
            "ones are small and reach zero early; three relevant ones stay near plus "
            "or minus one and reach zero at a penalty about ten times as large.")
        .lines("useless input", penalties, useless,
               {.color = figure::grey, .dash = figure::solid})
        .lines("relevant input", penalties, relevant,
               {.color = figure::red, .dash = figure::solid})
        .rule_x(lasso_penalty(table.x, table.y), "the price we set")
        .log_x()
        .x("penalty")
        .y("weight")
        .save(
            "All twelve weights of the lasso as its price rises. The useless ones "
            "(grey) leave first; between their last exit and the first exit of a "
            "relevant one (red) lies the right answer.");
    //-

    // ## "Keep your distance"
    //
    // Two kinds of points in the plane, and many lines that part them without error. Which one? The learner that
    // prefers *the line furthest from the nearest point* is the support vector machine {cite:p}`cortes1995`. In
    // formulas, with sides $s_n = \pm 1$: the shortest $w$ for which every $s_n (w \cdot x_n + b) \ge 1$; its
    // margin is $1 / \lVert w \rVert$. {cpp:func}`~recto::classic::linear_svm` solves it in the dual, where every
    // sample has a multiplier that says how much it holds the line in place {cite:p}`hsieh2008`.
    const data::Examples clouds = data::separable_clouds(40, 0.3, random);
    const linalg::Matrix x = linalg::matrix_of(clouds.x);
    std::vector<Index> sides;
    for (const Index label : clouds.labels.values())
        sides.push_back(label == 1 ? 1 : -1);
    const Svm svm = linear_svm(x, sides, 1e4, random);
    const auto holding =
        std::ranges::count_if(svm.alpha, [](double a) { return a > 0; });
    say("{} of {} points hold the line", holding, x.rows);

    // Brute force can check it: for each of 200,000 directions, how far apart are the two kinds along it?
    double widest = 0;
    for (int i = 0; i < 200'000; ++i) {
        const double angle = 2 * std::numbers::pi * i / 200'000,
                     across = std::cos(angle), along = std::sin(angle);
        double nearest = INFINITY, furthest = -INFINITY;
        for (Index n = 0; n < x.rows; ++n) {
            const double at = across * x(n, 0) + along * x(n, 1);
            if (sides[std::size_t(n)] > 0)
                nearest = std::min(nearest, at);
            else
                furthest = std::max(furthest, at);
        }
        widest = std::max(widest, (nearest - furthest) / 2);
    }
    claim("sys-bias-max-margin/a",
          "difference between the machine's margin and the widest of all directions",
          std::abs(svm.margin() - widest), "<=", 1e-3);
    claim("sys-bias-max-margin/b",
          "largest violation of the optimality (Karush-Kuhn-Tucker) conditions",
          kkt_violation(svm, x, sides, 1e4), "<", 1e-4);

    // {numref}`fig-margin` marks the points whose multiplier is above zero.
    std::vector<double> up_x, up_y, down_x, down_y, hold_x, hold_y;
    std::vector<Index> held;
    for (Index n = 0; n < x.rows; ++n) {
        (sides[std::size_t(n)] > 0 ? up_x : down_x).push_back(x(n, 0));
        (sides[std::size_t(n)] > 0 ? up_y : down_y).push_back(x(n, 1));
        if (svm.alpha[std::size_t(n)] > 0)
            hold_x.push_back(x(n, 0)), hold_y.push_back(x(n, 1)), held.push_back(n);
    }
    Figure margin("fig-margin");
    margin.describe(
        "Two clouds of points and the line between them, with its margin on both "
        "sides. Only two or three points touch the margin; they are marked.");

    // The separator is where $w \cdot x + b$ is zero, and the margin ends where it is $1$ or $-1$. So we need the
    // line on which it has a given value:
    const auto level = [&](double score) {
        std::vector<double> y;
        for (const double at : {-1.0, 1.0})
            y.push_back((score - svm.bias - svm.w[0] * at) / svm.w[1]);
        return y;
    };
    margin
        .line("separator", {-1, 1}, level(0),
              {.color = figure::ink, .dash = figure::solid, .points = false})
        .lines("margin", {-1, 1}, {level(-1), level(1)},
               {.color = figure::grey, .dash = figure::dashed})
        .dots("one side", up_x, up_y,
              {.color = figure::blue, .shape = figure::Shape::circle})
        .dots("other side", down_x, down_y,
              {.color = figure::red, .shape = figure::Shape::square})
        .dots("holds the line", hold_x, hold_y,
              {.color = figure::ink, .shape = figure::Shape::cross, .width = 5})
        .xlim(-1, 1)
        .ylim(-1, 1)
        .x("first input")
        .y("second input")
        .height(420)
        .save(
            "The line that keeps the greatest distance. It leans on the few points "
            "that are marked with a cross.");

    // What are the others good for? We also train a second machine, on the marked points alone.
    std::vector<Index> held_sides;
    for (const Index n : held) held_sides.push_back(sides[std::size_t(n)]);
    const Svm alone = linear_svm(linalg::rows_of(x, held), held_sides, 1e4, random);
    const double moved =
        std::max(std::abs(alone.w[0] - svm.w[0]), std::abs(alone.w[1] - svm.w[1]));

    ask("Take away every point without a cross in the figure, and solve again. What "
        "does the line do?",
        {{"It stays.", moved < 1e-2 * linalg::norm(svm.w),
          "A point that does not touch the margin has multiplier zero: it does not "
          "appear in the solution. That is what the preference is about. It looks at "
          "the nearest points and at no other."},
         {"It moves a little, towards the larger cloud.",
          moved >= 1e-2 * linalg::norm(svm.w) && alone.margin() < 2 * svm.margin(),
          "So would a line that minimises a sum over all points, such as least "
          "squares. Here most points have no say."},
         {"There are too few points left to fix it.",
          alone.margin() >= 2 * svm.margin(),
          "Three numbers of a line are fixed by two or three points: those that touch "
          "the margin."}});

    // ## "What worked on others"
    //
    // The last preference leaves the choice to the data: take the model that *predicts best what it has not
    // seen*. With few samples we cannot afford a validation set of its own. So every sample gets its turn
    // {cite:p}`stone1974`: leave it out, fit the others, see how far off the prediction is. For *ridge
    // regression*, least squares with a price $\lambda \lVert w \rVert^2$, that seems to need as many fits as
    // samples. It needs one. With $H = \Phi(\Phi^\top\Phi + \lambda I)^{-1}\Phi^\top$, which turns the targets
    // $y$ into the fitted values $\hat y$ {cite:p}`allen1974`,
    //
    // $$ y_n - \hat y_n^{\,\text{left out}} = \frac{y_n - \hat y_n}{1 - H_{nn}} . $$
    //
    // A sample with a large $H_{nn}$ has pulled the curve towards itself, and the division gives the pull back.
    const Samples s =
        data::noisy_samples(data::smooth_curve, 30, 0, 1, noise(), random);
    const linalg::Matrix phi = design_matrix(gaussian_bumps(20, 0, 1), s.x);
    const std::vector<Fold> one_out = folds(30, 30, random);
    std::vector<double> prices, refitted, closed, training, truth;
    double worst = 0;
    for (int i = 0; i <= 24; ++i) {
        const double price = std::pow(10.0, -5 + 0.25 * i);
        prices.push_back(price);
        refitted.push_back(
            cross_validate(one_out, phi, s.y,
                           [&](const linalg::Matrix& seen, const Vector& y,
                               const linalg::Matrix& other) {
                               return linalg::matvec(other, ridge(seen, y, price));
                           }));
        closed.push_back(ridge_leave_one_out(phi, s.y, price));
        worst = std::max(worst, std::abs(refitted.back() - closed.back()));
        training.push_back(squared_error(phi, s.y, ridge(phi, s.y, price)));
    }
    claim("sys-bias-min-cv/a",
          "thirty fits and one formula: largest difference over all prices", worst,
          "<=", 1e-8);
    const auto chosen = std::size_t(std::ranges::min_element(closed) - closed.begin());
    say("the price chosen: {:.4f}", prices[chosen]);

    // And was it a good choice? Only because the data are ours, {numref}`fig-leave-one-out` can show the true
    // error beside it.
    for (const double price : prices) {
        const std::vector<double> grid = data::even_grid(401, 0, 1);
        std::vector<double> want;
        for (const double at : grid) want.push_back(data::smooth_curve(at));
        truth.push_back(data::mean_squared_difference(
            mix(gaussian_bumps(20, 0, 1), ridge(phi, s.y, price), grid), want));
    }
    Figure("fig-leave-one-out")
        .describe(
            "Leave-one-out error, true error and training error of ridge regression "
            "against its price, all logarithmic. The first two have a valley at about "
            "the same price; the training error falls as the price falls.")
        .line("leave-one-out error", prices, closed, {.points = false})
        .line("true error", prices, truth, {.points = false})
        .line("training error", prices, training, {.points = false})
        .rule_x(prices[chosen], "chosen")
        .log_axes()
        .x("price of a weight")
        .y("mean squared error")
        .save(
            "Twenty bumps on thirty samples, with a price on the weights. The "
            "leave-one-out error, which uses no other data, has its valley about where "
            "the true error has it.");
}

// ## What is missing
//
// Four sentences, four learners. None is better than the others, except on data that happen to be so: waves
// for what repeats, few inputs where few matter. A learner without any preference is not the modest choice.
// It cannot generalise at all. All deep networks are such preferences, too: convolutions prefer what is
// local and the same everywhere, and the shortest weights of a model that could fit anything prefer calm.
// What the last one can do is [the next page](double_descent.cpp).
//
// ```{try}
// - Sample the waves' own weakness: `--functions 3`. Which belief is now the wrong one?
// - Bury the signal: `--ratio 0.3`. Which of the two searches gives up first?
// - Fewer rows: `--rows 20`. Twelve inputs and twenty rows, and still three to find.
// ```
