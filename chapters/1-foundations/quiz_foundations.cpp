// # Quiz on foundations: eight questions
//
// ```{rows} ex-tp6-qcm
// ```
//
// Have you understood the chapter? Each of these questions needs a minute, a pencil and one idea. Open an answer: it
// says whether it is right, and why. Every wrong answer comes from a mistake that is easily made, and names it.
//
// The program of this page computes the answers with the library, and fails if one of them differs from the choice that
// is marked as right. If you disagree with an answer, open *the question as code* below it, and the function that it
// calls in the fold that follows here. In a terminal, `./recto quiz foundations` asks the same questions and counts.
//- includes and names
#include <recto/base/float_formats.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/quiz.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/mixture_1d.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

using namespace recto;
using book::ask, book::claim, book::is_right, book::Quiz;
using figure::Figure;
using linalg::Matrix, linalg::Vector;
//-

//- how the answers are computed
Index dense_layer() {
    Generator random(book::seed());
    return nn::count(nn::Linear(784, 100, random));
}

std::string transposed_strides() {
    const Tensor turned = transpose(zeros({3, 4}));
    return fmt::format("{} and {}", turned.strides()[0], turned.strides()[1]);
}

std::string broadcast() {
    const Shape shape = add(zeros({3, 1}), zeros({4})).shape();
    return fmt::format("{} × {}", shape.size(0), shape.size(1));
}

double half_precision_sum() { return rounded(Real(2048 + 1), fp16); }

Index product() {
    const FlopCount count;
    matmul(zeros({64, 128}), zeros({128, 32}));
    return count.multiply_adds();
}

double density_at_the_mean() { return data::Mixture1d{{{1, 0, 0.1}}}.density(0); }

// The sum of the squared residuals of a least-squares fit.
double squared_error(const Matrix& a, const Vector& x, const Vector& y) {
    double sum = 0;
    for (Index i = 0; i < a.rows; ++i) {
        double predicted = 0;
        for (Index j = 0; j < a.cols; ++j) predicted += a(i, j) * x[std::size_t(j)];
        sum += std::pow(predicted - y[std::size_t(i)], 2);
    }
    return sum;
}

// In how many of 100 fits the training error falls when a sixth column of random numbers
// joins five others.
std::string useless_column() {
    Generator random(book::seed());
    int rises = 0, falls = 0;
    for (int trial = 0; trial < 100; ++trial) {
        Matrix six(30, 6);
        Vector y;
        for (double& number : six.values) number = double(random.next_normal());
        for (int i = 0; i < 30; ++i) y.push_back(double(random.next_normal()));
        const Matrix five = linalg::first_columns(six, 5);
        const double before = squared_error(five, linalg::qr_least_squares(five, y), y);
        const double after = squared_error(six, linalg::qr_least_squares(six, y), y);
        rises += after > before, falls += after < before;
    }
    return falls == 100               ? "it falls"
           : rises == 100             ? "it rises"
           : rises == 0 && falls == 0 ? "it stays exactly the same"
                                      : "it falls for some and rises for others";
}

// Polynomials of three degrees through ten noisy samples of a sine, and their errors.
struct Fit {
    std::string name;
    int degree;
    Vector weights;
    double train = 0, test = 0;
};

double wave(double x) { return std::sin(3 * x); }

Matrix powers(const Vector& xs, int degree) {
    Matrix a(Index(xs.size()), degree + 1);
    for (Index i = 0; i < a.rows; ++i)
        for (Index j = 0; j <= degree; ++j)
            a(i, j) = std::pow(xs[std::size_t(i)], double(j));
    return a;
}

struct Fits {
    Vector x, y;
    std::vector<Fit> all = {{"A", 3, {}}, {"B", 9, {}}, {"C", 0, {}}};
};

Fits fitted() {
    Fits fits;
    Generator random(book::seed());
    fits.x = data::even_grid(10, -1, 1);
    for (const double x : fits.x)
        fits.y.push_back(wave(x) + 0.3 * random.next_normal());
    const Vector fresh = data::even_grid(201, -1, 1);
    Vector truth;
    for (const double x : fresh) truth.push_back(wave(x));
    for (Fit& fit : fits.all) {
        const Matrix a = powers(fits.x, fit.degree);
        fit.weights = linalg::qr_least_squares(a, fits.y);
        fit.train = std::sqrt(squared_error(a, fit.weights, fits.y) / 10);
        fit.test = std::sqrt(
            squared_error(powers(fresh, fit.degree), fit.weights, truth) / 201);
    }
    return fits;
}

// The fit whose error grows most from the samples to the curve behind them.
std::string overfitted(const Fits& fits) {
    const auto worst = std::max_element(
        fits.all.begin(), fits.all.end(),
        [](const Fit& a, const Fit& b) { return a.test - a.train < b.test - b.train; });
    return worst->name;
}

void page() {
    Quiz quiz;
    //-
    //
    // ## A dense layer
    //
    ask(quiz,
        "A dense layer with biases turns 784 numbers into 100. How many trained "
        "parameters does it have?",
        {dense_layer()},
        {{884,
          "Inputs and outputs are multiplied, not added: every output has a weight for "
          "every input."},
         {78'400, "These are the weights, 784 × 100. The 100 biases are missing."},
         {78'500, "784 × 100 weights, and a bias for each of the 100 outputs.",
          is_right},
         {79'184,
          "The layer has a bias for each output, 100 in all, not for each of its 784 "
          "inputs."}});
    // To read on: [counting parameters](modules.cpp).
    //
    // ## Strides
    //
    ask(quiz,
        "A 3 × 4 matrix is stored row by row, so its strides are 4 and 1: the next row "
        "begins 4 numbers later. What are the strides of its transpose, made as a view "
        "without a copy?",
        transposed_strides(),
        {{"4 and 1",
          "With these strides the next row would begin 4 numbers later. A row of the "
          "transpose is a column of the matrix, whose neighbour begins 1 number "
          "later."},
         {"3 and 1",
          "These are the strides of a 4 × 3 matrix that was copied into a new order. A "
          "view leaves all numbers where they are."},
         {"1 and 3",
          "The extents 3 and 4 change places. The strides 4 and 1 change places too, "
          "and 3 is not among them."},
         {"1 and 4",
          "Transposing swaps the axes, and each axis takes its stride along. No number "
          "moves.",
          is_right}});
    // To read on: [shape, strides and views](tensors.cpp).
    //
    // ## Broadcasting
    //
    ask(quiz,
        "A tensor of shape 3 × 1 is added to a vector of 4 numbers. What is the shape "
        "of the sum?",
        broadcast(),
        {{"an error: the shapes do not fit",
          "They fit. Aligned at the last axis, 1 meets 4 and is repeated; the vector "
          "lacks the first axis and is repeated too."},
         {"3 × 4",
          "Aligned at the last axis, the 1 is repeated 4 times, and the vector is "
          "repeated for each of the 3 rows.",
          is_right},
         {"4 × 3",
          "Shapes are aligned at the last axis, so the 4 numbers of the vector run "
          "along the last axis of the sum."},
         {"3 × 1",
          "The axis of extent 1 is repeated until it has the 4 numbers that the vector "
          "has there."}});
    // To read on: [broadcasting](vocabulary.cpp).
    //
    // ## Half precision
    //
    ask(quiz,
        "A counter is kept in half precision, FP16, which has 11 binary digits; sums "
        "are rounded to the nearest number, ties to even. It stands at 2,048. What is "
        "it after 1 is added once more?",
        {half_precision_sum()},
        {{2048,
          "Above 2,048 FP16 holds only every second whole number. 2,049 lies halfway "
          "between two of them and is rounded to the one whose last binary digit is 0, "
          "which is 2,048. So the counter stands still.",
          is_right},
         {2049, "This number needs 12 binary digits, and FP16 has 11."},
         {2050,
          "2,049 is as near to 2,050 as to 2,048. Of two that are equally near, "
          "rounding takes the one whose last of 11 binary digits is 0, which is "
          "2,048."},
         {65'504,
          "This is the largest finite number of FP16. The counter is far below it; it "
          "lacks digits, not range."}});
    // To read on: [half precision and less](small_numbers.cpp).
    //
    // ## The work of a product
    //
    ask(quiz,
        "A matrix of 64 × 128 numbers is multiplied by one of 128 × 32. How many "
        "multiply-adds does the definition of the product need?",
        {product()},
        {{2048,
          "The result has 64 × 32 = 2,048 numbers, and each is a sum of 128 products."},
         {12'288,
          "This is how many numbers the two matrices hold. Each of them takes part in "
          "many products."},
         {33'554'432,
          "This pairs every number of the first matrix with every number of the "
          "second. A number meets only those of one row."},
         {262'144, "64 × 32 results, each the sum of 128 products: 64 × 128 × 32.",
          is_right}});
    // To read on: [a ladder of products](product_ladder.cpp), and [what a machine can do](hardware.cpp).
    //
    // ## A density
    //
    ask(quiz,
        "A normal distribution has mean 0 and standard deviation 0.1. What is its "
        "density at 0?",
        {density_at_the_mean(), 2},
        {{0.04,
          "The narrower the distribution, the higher its peak: the density is divided "
          "by the deviation, not multiplied by it."},
         {0.40,
          "This is the density for a standard deviation of 1. In a tenth of the width "
          "the same area must be ten times as high."},
         {1.00,
          "A probability is at most 1. A density is a probability for each unit of "
          "length, and may be any positive number; its area is 1."},
         {3.99, "1 / (0.1 √(2π)). A density may exceed 1; only the area below it is 1.",
          is_right}});
    // To read on: [density estimation](density.cpp).
    //
    // ## A useless input
    //
    ask(quiz,
        "A least-squares fit predicts 30 targets from 5 input columns. A sixth column "
        "is added, filled with random numbers that have nothing to do with the "
        "targets, and the fit is repeated. What happens to the error on these 30 "
        "samples?",
        useless_column(),
        {{"it rises",
          "The new fit could give the new column the weight 0 and would have the old "
          "error. The least error is never above it."},
         {"it stays exactly the same",
          "That needs a column that is exactly perpendicular to the vector of "
          "residuals. Random numbers are a little correlated with the residuals, and "
          "the fit uses it."},
         {"it falls",
          "The weight 0 would keep the old error, and a small other weight always fits "
          "some of the residuals by chance. This is why the training error says "
          "nothing about new data.",
          is_right},
         {"it falls for some and rises for others",
          "This describes the error on new samples. On its own samples a fit with more "
          "columns is never worse."}});
    // To read on: [overfitting](overfitting.cpp).
    //
    // ## Three fits
    //
    // Look at {numref}`fig-quiz-foundations` first.
    //- how the figure is drawn
    const Fits fits = fitted();
    Figure drawn("fig-quiz-foundations");
    drawn.describe(
        "Ten samples as dots, and three curves. A rises and falls like the samples and "
        "misses most of them by a little. B goes through every dot and swings far "
        "between the outer ones. C is a horizontal line.");
    drawn.dots("samples", fits.x, fits.y, {.color = figure::ink});
    const Vector xs = data::even_grid(201, -1, 1);
    const figure::Color colors[] = {figure::blue, figure::red, figure::green};
    for (std::size_t k = 0; k < fits.all.size(); ++k) {
        const Matrix a = powers(xs, fits.all[k].degree);
        Vector ys;
        for (Index i = 0; i < a.rows; ++i) {
            double sum = 0;
            for (Index j = 0; j < a.cols; ++j)
                sum += a(i, j) * fits.all[k].weights[std::size_t(j)];
            ys.push_back(sum);
        }
        drawn.line(fits.all[k].name, xs, ys, {.color = colors[k], .points = false});
    }
    drawn.x("x").y("y").ylim(-2.5, 2.5).save(
        "Three polynomials fitted to the same ten samples. Before you choose an "
        "answer, say for each whether it would do well on samples that it has not "
        "seen.");
    //-
    ask(quiz, "Which of the three curves has overfitted the samples?", overfitted(fits),
        {{"A",
          fmt::format(
              "A misses the samples by {:.2f}, less than their noise of 0.3, and is "
              "closest of all to the curve behind them, with an error of {:.2f}.",
              fits.all[0].train, fits.all[0].test)},
         {"B",
          fmt::format("B goes through every sample, noise included: its error is "
                      "{:.2f} there. Between the samples it swings, and its error "
                      "against the curve behind them is {:.2f}.",
                      fits.all[1].train, fits.all[1].test),
          is_right},
         {"C", fmt::format("C is a constant. Its error is large on the samples too, "
                           "{:.2f}: this is underfitting.",
                           fits.all[2].train)},
         {"all three, since none is the true curve",
          "Every fit of noisy samples differs from the truth. Overfitting is a small "
          "error on the samples beside a large one on new data."}});
    // To read on: [overfitting](overfitting.cpp).
    //
    // ## Is the quiz sound?
    //
    // Each question marks one choice as right. The page compares it with what it computed, digit by digit for numbers,
    // and counts the questions and their right choices.
    claim("ex-tp6-qcm/a", "questions on this chapter that are shown and graded",
          quiz.asked, ">=", 5);
    claim("ex-tp6-qcm/b", "numeric answers that differ from what the program computed",
          quiz.mismatched, "==", 0);
    claim("ex-tp6-qcm/c", "questions without exactly one right choice", quiz.unclear,
          "==", 0);
}

// ## Summary
//
// The eight questions are about counting parameters, strides, broadcasting, rounding, the work of a product, densities,
// and what a small training error means. Each right answer was computed by the program, and each wrong one names the
// mistake that leads to it. If you missed a question, its page takes fifteen minutes.
//
// ## What is missing
//
// A quiz asks what you recognise; exercises such as [a softmax](../exercises/foundations/softmax.md) ask what you can
// write. The next chapter begins with [maximum likelihood](../training/likelihood.cpp).
//
// ```{try}
// - In a terminal: `./recto quiz foundations`. How many do you get right without looking back?
// ```
