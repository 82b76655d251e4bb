// # Least squares: fitting a curve
//
// ```{rows} fig-1.1 eq-1.1 eq-basis-model eq-normal-equations
// ```
//
// Before networks come curves. We are given thirty points and told that a smooth function lies behind
// them; we want the function. This page finds it with an old method, **least squares** for a sum of
// fixed shapes, and meets in miniature what the rest of the book is about: a **model**, a **loss**, a
// minimum, and a slow walk towards it.
//
// How do ten fixed shapes become the curve behind thirty noisy points?
//
// ```{opening} fig-1.1
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

#include <algorithm>
#include <cmath>

using namespace recto;
using namespace recto::classic;
using book::ask, book::claim, book::say;
using figure::Figure;

const book::Option<int> points("points", 30, "how many samples",
                               {.quick = 20, .least = 2, .most = 2000});
const book::Option<int> bumps("bumps", 10, "how many basis functions",
                              {.least = 2, .most = 200});
const book::Option<double> width("width", 0.12, "standard deviation of a bump",
                                 {.least = 0.001});
const book::Option<double> noise("noise", 0.08, "standard deviation of the noise",
                                 {.least = 0.0});
const book::Option<double> moved_x("moved-x", -1.0,
                                   "where one sample is moved to; below 0: nowhere",
                                   {.least = -1.0, .most = 1.0});
const book::Option<double> moved_y("moved-y", 0.0, "how high it is then");
//-

// We measure the distance of two vectors by the largest difference between corresponding entries:
double farthest(const Vector& a, const Vector& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

void page() {
    // ## The points
    //
    // We observe the curve at thirty places of the unit interval, once each, with noise of standard
    // deviation 0.08. Even the true curve misses new points by 0.08 in root mean square, and no other curve does
    // better on average, because the noise of a new point cannot be predicted.
    Generator random(book::seed());
    auto [x, y, source] =
        data::noisy_samples(data::smooth_curve, points(), 0, 1, noise(), random);
    const std::size_t one = x.size() / 2;
    if (moved_x() >= 0) x[one] = moved_x(), y[one] = moved_y();
    say("{} points, the first at ({:.3f}, {:.3f})", x.size(), x[0], y[0]);

    // ## The model
    //
    // Ten bumps, the **basis functions**, stand in a row, all of one width. The model may choose only how
    // tall each bump is, and whether it points up or down:
    //
    // ```{equation} eq-basis-model
    // :function: recto::classic::mix
    // :test: basis: the model is linear in its weights
    // f(x; w) = \sum_{k=1}^{K} w_k \, f_k(x)
    // ```
    //
    // with $f_k(x) = \exp\big({-(x - c_k)^2 / 2\sigma^2}\big)$ here, though nothing below depends on
    // that. The curve bends, yet the model is *linear in its weights*, and that is all we need. Fitting such a model
    // is called **linear regression**. Written for every sample at once, {eq}`eq-basis-model` is a matrix $\Phi$ with
    // one row per sample and one column per bump, times the column of weights.
    const Basis basis = gaussian_bumps(bumps(), 0, 1, width());
    const Matrix phi = design_matrix(basis, x);
    say("phi is ({}, {})", phi.rows, phi.cols);

    // ## The loss, and where it is smallest
    //
    // The **loss** measures how wrong a choice of weights is: the squared distance, averaged over the $N$
    // samples, as in the method of {cite:t}`legendre1805`:
    //
    // ```{equation} eq-1.1
    // :function: recto::mse_loss
    // :test: mse_loss: a three-sample example by hand
    // \Loss(w) = \frac{1}{N} \sum_{n=1}^{N} \big(y_n - f(x_n; w)\big)^2
    // ```
    //
    // The loss {eq}`eq-1.1` is a bowl in $w$. At its bottom the **gradient**, the vector of all derivatives with respect
    // to the weights, is zero, and the gradient is linear in $w$, so we can solve for that point:
    //
    // ```{equation} eq-normal-equations
    // :function: recto::classic::normal_equations
    // :test: least squares: Cholesky, QR and SVD agree
    // \begin{aligned}
    //   \nabla \Loss(w) &= \tfrac{2}{N}\, \Phi^\top (\Phi w - y) = 0 \cr
    //   \Phi^\top \Phi \, w^\ast &= \Phi^\top y
    // \end{aligned}
    // ```
    const Vector w = normal_equations(phi, y);
    const double loss = squared_error(phi, y, w);
    say("loss at the solution: {:.6f}", loss);
    say("typical error:        {:.3f}", std::sqrt(loss));
    claim("fig-1.1/a", "the gradient of the loss vanishes at the solution",
          farthest(squared_error_gradient(phi, y, w), Vector(basis.size())), "<", 1e-8);

    // In general a zero gradient is not enough: at a saddle point, a minimum along some directions and a maximum
    // along others, it is zero too. This loss has no saddle points, because it is **convex**: it nowhere curves
    // downwards, in any direction. An experiment confirms it. A hundred times we add a little to every weight and
    // check whether the loss falls.
    int lower = 0;
    for (int i = 0; i < 100; ++i) {
        Vector pushed = w;
        for (double& weight : pushed) weight += 0.1 * random.next_normal();
        lower += squared_error(phi, y, pushed) < loss;
    }
    claim("fig-1.1/b", "how many of a hundred random neighbours have a lower loss",
          lower, "==", 0);

    // We draw the points, every bump times its weight, and the sum. Bumps are drawn only where they are at
    // least 0.001 high.
    const std::vector<double> grid = data::even_grid(201, 0, 1);
    std::vector<std::vector<double>> shapes(basis.size());
    for (std::size_t k = 0; k < basis.size(); ++k)
        for (const double at : grid) {
            const double height = w[k] * basis[k](at);
            shapes[k].push_back(std::abs(height) < 0.001 ? NAN : height);
        }

    // A figure, too, is a few lines of the program. Most of them are words: a description for readers who
    // cannot see the drawing, and a caption that says what to look at.
    Figure("fig-1.1")
        .describe(
            "Noisy points on a wavy curve, Gaussian bumps scaled by their weights, up "
            "and down, and their sum, a smooth line close to the points.")
        .lines("weighted bump", grid, shapes,
               {.color = figure::blue, .dash = figure::solid})
        .dots("sample", x, y, {.color = figure::ink, .shape = figure::Shape::circle})
        .line("their sum", grid, mix(basis, w, grid),
              {.color = figure::red, .dash = figure::solid})
        .x("x")
        .y("y")
        .xlim(0, 1)
        .ylim(-1.5, 2)
        .dragged(x[one], y[one], moved_x, moved_y)
        .save(
            "Ten bumps, up or down (thin), and the sum that minimises the squared "
            "error (thick) on thirty samples (dots). Drag the red dot: all bumps "
            "change, most of all those beside it. After Figure 1.1 of "
            "{cite:t}`fleuret2023`.");
    book::shows("fig-1.1/d", "fig-1.1");

    //- the fit at one place, and the noise of these samples
    std::vector<double> without_noise;
    for (const double at : x) without_noise.push_back(data::smooth_curve(at));
    say("at x = 0.1 the fit is {:.3f} high, the true curve {:.3f}",
        mix(basis, w, std::vector{0.1})[0], data::smooth_curve(0.1));
    say("noise in these samples: {:.3f}",
        std::sqrt(data::mean_squared_difference(without_noise, y)));
    //-

    // No single bump resembles the answer. Their sum follows the wave, and some of the noise as well: at
    // $x = 0.1$ the fit is 0.471 high, the true curve 0.325. The typical error printed above, 0.090, exceeds the noise's
    // standard deviation of 0.08 because these thirty samples are noisier than average: the root mean square of their
    // noise is 0.109.
    //
    // ## Walking instead of solving
    //
    // Few later problems in this book have a closed-form solution; for most of them we can only walk downhill, step by
    // step. So let us pretend that {eq}`eq-normal-equations` is out of reach, and see how far walking gets: plain
    // **gradient descent**, and **conjugate gradients** {cite:p}`hestenes1952`, whose steps never undo an earlier step.
    //
    // One number says how hard the walk is. The bumps overlap, so the bowl is a narrow valley, far steeper across than
    // along, and gradient descent may step only as far as the steepest direction allows. The largest **curvature** of the
    // bowl divided by the smallest is the square of the **condition number** of $\Phi$:
    const double condition = linalg::condition_number(phi);
    say("steepest / flattest curvature: {:.1e}", condition * condition);
    const double flattest = 1 / (condition * condition);
    ask("Gradient descent takes a step that suits the steepest direction: one over its "
        "curvature. How much does one step shrink the error along the flattest "
        "direction?",
        {{"By about one half, as in every other direction.", flattest > 0.1,
          "That would be true if all directions were about equally steep."},
         {"It hardly shrinks: by the flattest curvature divided by the steepest.",
          flattest < 1e-3,
          "The step is one over the largest curvature. Along the flattest direction it "
          "removes this share of the error: the smallest curvature over the largest, "
          "the inverse of the number above."},
         {"It grows: the step is too long for that direction.", flattest < 0,
          "A step is too long where the bowl is steep, never where it is flat."}});

    // Now the two walks:
    const Vector fitted = linalg::matvec(phi, w);
    const Descent quick = conjugate_gradients(phi, y);
    const Vector near = linalg::matvec(phi, quick.w);
    const Vector far = linalg::matvec(phi, gradient_descent(phi, y, 10'000).w);
    say("conjugate gradients: {} steps, off by {:.1e}", quick.steps,
        farthest(fitted, near));
    say("gradient descent: 10000 steps, off by {:.1e}", farthest(fitted, far));
    claim("fig-1.1/c", "conjugate gradients reach the fitted values of the closed form",
          farthest(fitted, near), "<=", 1e-5);

    // With ten unknowns, conjugate gradients would arrive after ten steps if the arithmetic were exact. The
    // rounding errors of each step, amplified because the bowl is so much steeper in some directions than in
    // others, spoil that property, and the program needs sixteen. {numref}`fig-descent` follows both walks from
    // the first step.
    std::vector<double> steps, slow, fast;
    for (Index n = 1; n <= 10'000; n = n < 16 ? n + 1 : n * 5 / 4) {
        steps.push_back(double(n));
        slow.push_back(
            farthest(fitted, linalg::matvec(phi, gradient_descent(phi, y, n).w)));
        fast.push_back(
            farthest(fitted, linalg::matvec(phi, conjugate_gradients(phi, y, 0, n).w)));
    }
    Figure("fig-descent")
        .describe(
            "Distance to the closed-form curve against the number of steps, both axes "
            "logarithmic. Conjugate gradients fall to rounding error within twenty "
            "steps; gradient descent is still far away after ten thousand.")
        .line("gradient descent", steps, slow)
        .line("conjugate gradients", steps, fast)
        .log_axes()
        .x("steps")
        .y("largest distance")
        .save(
            "How far two walks are from the solved curve. The bumps overlap, so the "
            "bowl is a narrow valley. Gradient descent takes steps short enough for "
            "the steep sides and creeps along the floor.");
}

// The optimisers of [the next chapter](../training/optimisers.cpp) add momentum and adaptive step sizes, in order to
// cope with a large ratio of curvatures.
//
// ## Summary
//
// A model that is linear in its weights, judged by the squared error, has its best weights in closed form: the
// gradient is zero where the normal equations hold. Gradient descent finds the same curve step by step, and slowly,
// where the loss is much steeper in one direction than in another.
//
// ## What is missing
//
// We chose ten bumps, and their width, by looking. With twenty bumps and only six points, the loss would
// have been zero and the curve useless: that is [the next page](overfitting.cpp).
//
// ```{try}
// - Take more bumps of the same width: `--bumps 15`, then `--bumps 18`, where the solver gives up. Why, and at which
//   of the equations?
// - Make the bumps narrower: `--width 0.05`. Both walks now arrive. Why?
// - Remove the noise: `--noise 0`. Is the loss zero? Should it be?
// ```
