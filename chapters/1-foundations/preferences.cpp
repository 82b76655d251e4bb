// # Inductive bias: what a learner prefers
//
// ```{rows} claim-inductive-bias sys-bias-min-features sys-bias-max-margin sys-bias-min-cv
// ```
//
// Infinitely many curves pass through six points, and [twenty bumps](overfitting.cpp) can draw many of them. The
// data alone do not say which curve is meant. Every learner prefers some curves before it sees a
// single point, and this preference is its **inductive bias**. A preference that fits the problem replaces data; a wrong one
// costs data. This page shows four: repetition, few inputs, a maximum margin, and success on data left out. Each
// is first a sentence, then a method, then a measurement.
//
// Three learners have seen the same twelve samples. Which of their curves do you believe, and why?
//
// ```{opening} fig-extrapolation
// ```
//- includes, names and options
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

const book::Option<Index> points("points", 12, "how many samples of the periodic curve",
                                 {.least = 3, .most = 100});
const book::Option<Index> functions("functions", 7, "how many functions each basis has",
                                    {.least = 1, .most = 25});
const book::Option<double> noise("noise", 0.1, "standard deviation of the noise",
                                 {.least = 0.0});
const book::Option<int> rows("rows", 100, "rows of the table with few relevant inputs",
                             {.least = 13, .most = 10'000});
const book::Option<double> ratio("ratio", 10, "signal-to-noise ratio of that table",
                                 {.least = 0.01});
const book::Option<int> draws("draws", 100, "how many such tables are drawn",
                              {.quick = 10, .least = 1, .most = 10'000});
//-

// We judge each preference by the curve itself, which we know, and not by samples of it.
//- the curve on a grid
std::vector<double> periodic_on(const std::vector<double>& grid) {
    std::vector<double> y;
    for (const double x : grid) y.push_back(data::periodic_curve(x));
    return y;
}
//-

void page() {
    // ## "It will repeat itself"
    //
    // We draw twelve noisy samples from one period of a periodic curve. Three learners get seven
    // functions each. The first has waves of the right period: it assumes that the curve repeats itself. The second
    // has bumps on the sampled interval, and the third a polynomial of degree six:
    Generator random(book::seed());
    const std::vector<std::string> names = {"waves", "bumps", "polynomial"};
    const std::vector<Basis> bases = {fourier(functions(), 1),
                                      gaussian_bumps(functions(), 0, 1),
                                      legendre(functions(), 0, 1)};
    //- the fit and its error
    const auto fit = [](const Basis& basis, const Samples& s) {
        return least_norm(design_matrix(basis, s.x), s.y);
    };

    // The grids lie on the sampled period, and on the two periods behind it.
    const std::vector<double> beyond = data::even_grid(400, 1, 3),
                              inside = data::even_grid(400, 0, 1);
    const auto error_on = [&](const std::vector<double>& grid, const Basis& basis,
                              const Vector& w) {
        return data::mean_squared_difference(mix(basis, w, grid), periodic_on(grid));
    };
    //-

    // We measure the error of each fit on the two periods that follow, from which no samples came, in ten draws of
    // the samples:
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
    //- what is printed, and how the figure is drawn
    for (std::size_t b = 0; b < bases.size(); ++b)
        say("{:10}  training error {:.4f}  true error where sampled {:.4f}", names[b],
            data::mean_squared_difference(mix(bases[b], weights[b], shown.x), shown.y),
            error_on(inside, bases[b], weights[b]));

    // {numref}`fig-extrapolation` continues the fits of the first draw:
    const std::vector<double> three = data::even_grid(301, 0, 3);
    Figure extrapolated("fig-extrapolation");
    extrapolated
        .describe(
            "Twelve samples in the first of three periods. Near these samples all "
            "three fits follow the true curve. Beyond them the waves repeat and stay "
            "on the curve, the bumps fall to zero, and the polynomial leaves the "
            "figure. Sliders set the number of samples and of functions.")
        .slider(points, "samples")
        .slider(functions, "functions")
        .line("true curve", three, periodic_on(three),
              {.color = figure::ink, .dash = figure::solid, .width = 1})
        .dots("sample", shown.x, shown.y,
              {.color = figure::ink, .shape = figure::Shape::circle});
    for (std::size_t b = 0; b < bases.size(); ++b) {
        std::vector<double> y = mix(bases[b], weights[b], three);
        for (double& v : y)
            if (std::abs(v) > 2.5) v = NAN;  // outside the figure
        extrapolated.line(names[b], three, y, {.points = false});
    }
    extrapolated.ylim(-2.5, 2.5).x("x").y("y").save(
        "The same twelve samples, the same number of weights, three inductive biases. "
        "Near the samples the fits hardly differ; beyond them the inductive bias alone "
        "determines the fit. More samples do not help: try it with the sliders.");
    book::shows("claim-inductive-bias/b", "fig-extrapolation");
    //-

    // In {numref}`fig-extrapolation` the three fits have nearly the same training error. Beyond the samples the
    // inductive bias decides. The polynomial leaves the curve as soon as the samples end, on both
    // sides, so its true error is large even within the period: 0.15, where the waves have 0.0075. Far out the waves
    // are right, because the curve really is periodic:
    claim("claim-inductive-bias/a",
          "error of the waves beyond the samples, as a fraction of that of the better "
          "of the other two",
          over_seeds(share), "<=", 0.1);

    // A preference that fits saves data. Now let the samples come from all three periods. The waves still need seven
    // functions, because each sample, in any period, informs them about all three. The bumps and the polynomial know
    // nothing of periods, so they get three times as many functions. How many samples do they need for the same error?
    //- the errors against the number of samples
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
          "a multiple of the error of the waves",
          std::min(curves[1][4], curves[2][4]) / curves[0][2], ">", 1);
    Figure less("fig-less-data");
    less.describe(
        "True error over three periods against the number of samples, for the three "
        "bases, medians of twenty draws. The waves lie lowest everywhere.");
    for (std::size_t b = 0; b < wide.size(); ++b) less.line(names[b], many, curves[b]);
    less.log_axes()
        .x("samples")
        .y("true error")
        .save(
            "The price of the wrong inductive bias, in samples: draw a horizontal line "
            "and see where it meets each curve. The waves reach an error of 0.004 with "
            "24 samples; the bumps need about 55, the polynomial about 90.");
    //-

    // {numref}`fig-less-data` gives the price: at equal error, the bumps need more than twice as many samples as the
    // waves. This holds for a periodic curve only. On a curve that does not repeat itself, waves would be the wrong
    // preference.
    //
    // ## "Few things matter"
    //
    // A table has twelve inputs. Three of them matter, and you do not know which. Least squares gives every input a
    // weight other than zero, because chance alone correlates each input a little with the target. A learner that
    // prefers *few inputs* leaves the others out. There are two ways to express this preference. **Best subset
    // selection** puts a price, a **penalty**, on each input that is used, and finds the cheapest choice by trying all
    // subsets, {cpp:func}`~recto::classic::best_subset`. The **lasso** puts a penalty on the size of each weight
    // {cite:p}`tibshirani1996`:
    //
    // $$ \frac{1}{2N} \lVert y - Xw \rVert^2 + \lambda \sum_{k} \lvert w_k \rvert $$
    //
    // Take a single input whose best weight without a penalty is 0.3. If the inputs have mean square one, the lasso
    // minimises $\frac{1}{2}(w - 0.3)^2 + \lambda |w|$, apart from a constant. At $\lambda = 0.1$ the weight shrinks to
    // 0.2. At $\lambda = 0.3$ or more it is exactly zero, because the derivative of $\lambda |w|$ stays $\lambda$ right
    // up to the corner at zero. A squared penalty would shrink the weight but never remove it. The lasso's loss is
    // convex, and each of its corners belongs to a single weight, so a descent along one weight at a time finds the
    // minimum. We set both penalties so high that an input rarely pays for itself by fitting noise alone. How often does
    // each method find exactly the three?
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
    //- what is checked and printed
    say("least squares uses {} of 12 inputs; a search compares {} subsets",
        used / draws(), tried);
    const auto of_hundred =
        [](int found) {  // the share, with as many seeds as there were draws
            return book::Measured(100.0 * found / draws(), 100.0 * found / draws(),
                                  100.0 * found / draws(), draws());
        };
    claim("sys-bias-min-features/a",
          "of a hundred tables, those where best subset finds exactly the true inputs",
          of_hundred(by_trying), ">=", 95);
    claim("sys-bias-min-features/b", "the same for the lasso", of_hundred(by_lasso),
          ">=", 95);
    //-

    // Both succeed in 99 of 100 tables. Best subset compares $2^{12} = 4096$ subsets for this, and each further input
    // doubles them; the lasso solves one convex problem. {numref}`fig-lasso` shows the lasso on one more table: as the
    // penalty rises, the inputs leave one by one.
    //- how the figure is drawn
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
    Figure("fig-lasso")
        .describe(
            "Twelve weights against the penalty, on a logarithmic axis. Nine useless "
            "ones are small and reach zero early; three relevant ones stay near plus "
            "or minus one and reach zero at penalties more than ten times as large.")
        .lines("useless input", penalties, useless,
               {.color = figure::grey, .dash = figure::solid})
        .lines("relevant input", penalties, relevant,
               {.color = figure::red, .dash = figure::solid})
        .rule_x(lasso_penalty(table.x, table.y), "our penalty")
        .log_x()
        .x("penalty")
        .y("weight")
        .save(
            "All twelve weights of the lasso as the penalty rises. The useless ones "
            "(grey) reach zero first. Every penalty between the last grey exit and the "
            "first red exit selects exactly the relevant inputs.");
    //-

    // ## "Keep your distance"
    //
    // Two classes of points lie in the plane, and many lines separate them without error. Which line is best? The
    // **support vector machine** prefers the line with the **maximum margin**: the largest distance to the nearest
    // point {cite:p}`cortes1995`. An example in one dimension: if one class ends at $-1$ and the other begins at
    // $3$, the best boundary is at $1$, with a margin of $2$.
    //
    // In formulas, with labels $y_n = \pm 1$: find the $w$ of **minimum norm** for which every $y_n (w \cdot x_n + b)
    // \ge 1$. The margin is $1 / \lVert w \rVert$. In the example $w = \frac12$ and $b = -\frac12$, since
    // $\frac12 \cdot 3 - \frac12 = 1$ and $\frac12 \cdot (-1) - \frac12 = -1$. {cpp:func}`~recto::classic::linear_svm`
    // solves the dual problem, in which every sample has a multiplier $\alpha_n \ge 0$ that says how much the
    // sample constrains the line {cite:p}`hsieh2008`:
    const data::Examples clouds = data::separable_clouds(40, 0.3, random);
    const linalg::Matrix x = linalg::matrix_of(clouds.x);
    std::vector<Index> sides;  // +1 or -1
    for (const Index label : clouds.labels.values())
        sides.push_back(label == 1 ? 1 : -1);
    const Svm svm = linear_svm(x, sides, 1e4, random);
    const auto holding =
        std::ranges::count_if(svm.alpha, [](double a) { return a > 0; });
    say("{} of {} points have a multiplier above zero", holding, x.rows);

    // Brute force checks the margin: for each of 200,000 directions, how far apart are the two classes along it?
    // Half of the largest distance must be the margin.
    //- all directions, what is checked, and how the figure is drawn
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
          "difference between the margin of the machine and the widest of all "
          "directions",
          std::abs(svm.margin() - widest), "<=", 1e-3);
    claim("sys-bias-max-margin/b",
          "largest violation of the optimality (Karush-Kuhn-Tucker) conditions",
          kkt_violation(svm, x, sides, 1e4), "<", 1e-4);

    // Crosses mark the points whose multiplier is above zero.
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
        "sides. Three points touch the margin; they are marked.");

    // The separator is where $w \cdot x + b$ is zero, and the margin ends where it is $1$ or $-1$. This gives the
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
        .dots("support vector", hold_x, hold_y,
              {.color = figure::ink, .shape = figure::Shape::cross, .width = 5})
        .xlim(-1, 1)
        .ylim(-1, 1)
        .x("first input")
        .y("second input")
        .height(640)  // as wide as high, so that distances are true
        .save(
            "The line of maximum margin. Of the forty points only three (crosses) "
            "touch "
            "the margin; all others lie further away.");
    //-

    // The two margins agree, and only three of the forty points have a multiplier above zero. These points are the
    // **support vectors**, marked in {numref}`fig-margin`. What do the others contribute? We train a second machine
    // on the support vectors alone:
    std::vector<Index> held_sides;
    for (const Index n : held) held_sides.push_back(sides[std::size_t(n)]);
    const Svm alone = linear_svm(linalg::rows_of(x, held), held_sides, 1e4, random);
    //- the question
    const double moved =
        std::max(std::abs(alone.w[0] - svm.w[0]), std::abs(alone.w[1] - svm.w[1]));

    ask("Remove every point without a cross from the figure, and solve again. What "
        "happens to the line?",
        {{"It stays.", moved < 1e-2 * linalg::norm(svm.w),
          "A point that does not touch the margin has multiplier zero, so it does not "
          "appear in the solution. This preference depends on the nearest points "
          "only."},
         {"It moves a little, towards the larger cloud.",
          moved >= 1e-2 * linalg::norm(svm.w) && alone.margin() < 2 * svm.margin(),
          "A line that minimises a sum over all points, such as that of least "
          "squares, would move. Here most points do not count."},
         {"Too few points remain to determine it.", alone.margin() >= 2 * svm.margin(),
          "Two or three points on the margin determine the line, and these are the "
          "points that remain."}});
    //-

    // ## "What worked on others"
    //
    // The last preference leaves the choice to the data: take the model that *predicts best what it has not seen*.
    // With few samples we cannot spare a separate validation set. In **leave-one-out cross-validation** every
    // sample serves once as the validation set {cite:p}`stone1974`: fit the others, predict the sample that was left
    // out, and note the error.
    //
    // An example: predict 1, 2, 6 by their mean, which is 3. Without the 6 the mean is 1.5, so the error of the
    // prediction is $6 - 1.5 = 4.5$, more than the $6 - 3 = 3$ of the full fit. The ratio is no accident. The target 6
    // has a share of $\frac13$ in its own prediction, and $3 / (1 - \frac13) = 4.5$.
    //
    // The same holds for **ridge regression**, which is least squares with a penalty $\lambda \lVert w \rVert^2$. The
    // matrix $H = \Phi(\Phi^\top\Phi + \lambda I)^{-1}\Phi^\top$ turns the targets $y$ into the fitted values $\hat y$,
    // and $H_{nn}$ is the share of a target in its own prediction. One fit gives all the errors {cite:p}`allen1974`:
    //
    // $$ y_n - \hat y_n^{\,\text{left out}} = \frac{y_n - \hat y_n}{1 - H_{nn}} . $$
    //
    // A sample with a large $H_{nn}$ pulls the curve towards itself, and the division removes this pull. We compare the
    // formula with thirty separate fits, for 25 values of $\lambda$ (`price` in the code):
    //- the samples, and what is kept at each price
    const Samples s =
        data::noisy_samples(data::smooth_curve, 30, 0, 1, noise(), random);
    const linalg::Matrix phi = design_matrix(gaussian_bumps(20, 0, 1), s.x);
    const std::vector<Fold> one_out = folds(30, 30, random);
    std::vector<double> prices, refitted, closed, training, truth;
    double worst = 0;
    //-
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
    //- what is checked and printed
    claim("sys-bias-min-cv/a",
          "thirty fits and one formula: the largest difference over all penalties",
          worst, "<=", 1e-8);
    const auto chosen = std::size_t(std::ranges::min_element(closed) - closed.begin());
    say("the penalty with the smallest leave-one-out error: {:.4f}", prices[chosen]);
    //-

    // Was this a good choice? The data are ours, so {numref}`fig-leave-one-out` can show the true error beside it.
    //- how the figure is drawn
    for (const double price : prices) {
        const std::vector<double> grid = data::even_grid(401, 0, 1);
        std::vector<double> want;
        for (const double at : grid) want.push_back(data::smooth_curve(at));
        truth.push_back(data::mean_squared_difference(
            mix(gaussian_bumps(20, 0, 1), ridge(phi, s.y, price), grid), want));
    }
    const auto ideal = std::size_t(std::ranges::min_element(truth) - truth.begin());
    say("true error: {:.4f} at penalty {:.2f}, smallest {:.4f} at {:.2f}, {:.2f} at {}",
        truth[chosen], prices[chosen], truth[ideal], prices[ideal], truth[0],
        prices[0]);
    Figure("fig-leave-one-out")
        .describe(
            "Leave-one-out error, true error and training error of ridge regression "
            "against its penalty, all logarithmic. The first two have a valley near "
            "the same penalty; the training error falls as the penalty falls.")
        .line("leave-one-out error", prices, closed, {.points = false})
        .line("true error", prices, truth, {.points = false})
        .line("training error", prices, training, {.points = false})
        .rule_x(prices[chosen], "chosen")
        .log_axes()
        .x("penalty")
        .y("mean squared error")
        .save(
            "Twenty bumps on thirty samples, with a penalty on the weights. The "
            "leave-one-out error needs no other data, and its valley lies near that of "
            "the true error. The training error would choose no penalty at all.");
    //-
}

// The leave-one-out error is smallest at $\lambda = 0.56$, the true error at 0.32, and the choice costs little: a true
// error of 0.0044 in place of 0.0039. At the lowest penalty, $\lambda = 10^{-5}$, the same twenty bumps have a true error
// of 0.57. The left end of {numref}`fig-leave-one-out` is overfitting, and a penalty on the weights prevents it.
//
// ## Summary
//
// An inductive bias decides what the data leave open, and you saw four: repetition, few inputs, a maximum margin,
// and success on data left out. None is better than the others in general; waves suit what repeats, the lasso suits
// targets with few relevant inputs. A learner without any preference cannot generalise at all, because it has no reason to
// choose between the curves that fit.
//
// ## What is missing
//
// Deep networks have preferences, too. Networks for images (chapter 3) prefer local patterns that are the same
// everywhere, and among the models that fit all data, the one with the shortest weights tends to be smooth. [The next
// page](double_descent.cpp) measures what this last preference can do.
//
// ```{try}
// - Give the waves too few functions: `--functions 3`. Which inductive bias is now the wrong one?
// - Bury the signal in noise: `--ratio 0.3`. Which of the two methods fails first?
// - Fewer rows: `--rows 20`. How often are the three inputs still found?
// ```
