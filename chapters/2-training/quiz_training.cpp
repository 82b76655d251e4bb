// # Quiz on training: eleven questions
//
// ```{rows} ex-tp6-qcm
// ```
//
// What does a loss of 2 nats mean, and what does the first step of Adam do? These eleven questions are about losses,
// gradients and steps. Each needs a minute, a pencil and one idea. Open an answer: it says whether it is right, and why.
// Every wrong answer comes from a mistake that is easily made, and names it.
//
// The program of this page computes the answers with the library, and fails if one of them differs from the choice that
// is marked as right. If you disagree with an answer, open *the question as code* below it, and the function that it
// calls in the fold that follows here. In a terminal, `./recto quiz training` asks the same questions and counts.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/quiz.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/core/tensor.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>
#include <recto/optim/sgd.hpp>
#include <recto/text/generate.hpp>
#include <recto/text/perplexity.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

using namespace recto;
using book::ask, book::claim, book::is_right, book::Quiz;
using figure::Figure;
//-

//- how the answers are computed
double loss_of_a_guess() {
    return double(cross_entropy(zeros({1, 10}), Integers({1}, {3})).item());
}

double perplexity_of_two_nats() { return text::perplexity(std::array{-2.0, -2.0}); }

double sharpened() {
    const std::array<Real, 2> scores = {2, 1};
    return double(text::chances(scores, {.temperature = 0.5})[0]);
}

double gradient_at_the_right_class() {
    Tensor scores = zeros({1, 4});
    scores.requires_grad_();
    cross_entropy(scores, Integers({1}, {2})).backward();
    return double(scores.grad().at({0, 2}));
}

double derivative_of_a_square() {
    Tensor x({}, {1});
    x.requires_grad_();
    square(add(mul(x, 2), 1)).backward();
    return double(x.grad().item());
}

// Minimises 2 w² from w = 1 by gradient descent; all values of w on the way.
std::vector<double> descent(double rate, int steps) {
    Tensor w({}, {1});
    w.requires_grad_();
    optim::Sgd optimiser({{"w", w}}, {.lr = rate});
    std::vector<double> way = {1};
    for (int step = 0; step < steps; ++step) {
        optimiser.zero_grad();
        mul(square(w), 2).backward();
        optimiser.step();
        way.push_back(double(w.item()));
    }
    return way;
}

bool converges(double rate) { return std::abs(descent(rate, 500).back()) < 0.5; }

// By bisection: the rate up to which gradient descent converges.
double largest_stable_rate() {
    double stable = 0.01, unstable = 10;
    while (unstable - stable > 0.001) {
        const double middle = (stable + unstable) / 2;
        (converges(middle) ? stable : unstable) = middle;
    }
    return stable;
}

struct Run {
    std::string name;
    double rate;
};
const std::vector<Run> runs = {{"A", 0.02}, {"B", 0.48}, {"C", 0.2}, {"D", 0.51}};

std::string largest_that_converges() {
    Run best{"none", 0};
    for (const Run& run : runs)
        if (converges(run.rate) && run.rate > best.rate) best = run;
    return best.name;
}

double first_step_of_adam() {
    Tensor w = zeros({1});
    w.requires_grad_();
    optim::Adam optimiser({{"w", w}}, {.lr = 0.01});
    sum(mul(w, 0.001)).backward();  // a gradient of 0.001
    optimiser.step();
    return std::abs(double(w.item()));
}

double backward_over_forward() {
    Generator random(book::seed());
    const nn::Linear first(50, 60, random), second(60, 70, random);
    const Tensor hidden = first(random.normal({20, 50}));
    FlopCount count;
    const Tensor y = second(hidden);
    const Index forward = count.multiply_adds();
    count.restart();
    sum(y).backward();
    const Index of_first =
        20 * 50 * 60;  // the first layer's weights; its input needs no gradient
    return double(count.multiply_adds() - of_first) / double(forward);
}

std::string clipped() {
    Tensor w = zeros({2});
    w.requires_grad_();
    sum(mul(w, Tensor({2}, {3, 4}))).backward();
    optim::clip_norm({{"w", w}}, 1);
    return fmt::format("({:.2g}, {:.2g})", w.grad().at({0}), w.grad().at({1}));
}

// The constant with the least absolute error, among multiples of 0.1.
double best_constant() {
    const Tensor targets({5}, {1, 1, 2, 3, 13});
    double best = 0, least = HUGE_VAL;
    for (int tenths = 0; tenths <= 150; ++tenths) {
        const double error = double(mean(abs(sub(targets, tenths / 10.0))).item());
        if (error < least) least = error, best = tenths / 10.0;
    }
    return best;
}

void page() {
    Quiz quiz;
    //-
    //
    // ## Before any training
    //
    ask(quiz,
        "A classifier for 10 classes gives the same score to each of them. What is its "
        "cross-entropy, in nats?",
        {loss_of_a_guess(), 2},
        {{0.10,
          "This is the probability of the right class. The loss is minus its "
          "logarithm."},
         {0.90,
          "This is the share of wrong answers when you guess. The cross-entropy is "
          "about probabilities: −log 0.1."},
         {2.30,
          "Each class has the probability 0.1, and −log 0.1 = log 10. A first loss far "
          "above this value is a sign of weights that are too large.",
          is_right},
         {3.32,
          "This is the same loss in bits, a logarithm to the base 2. A nat is a "
          "logarithm to the base e."}});
    // To read on: [cross-entropy](cross_entropy.cpp).
    //
    // ## A loss as a number of choices
    //
    ask(quiz, "A language model has a loss of 2 nats a token. What is its perplexity?",
        {perplexity_of_two_nats(), 2},
        {{2.00, "This is the loss itself. The perplexity is its exponential."},
         {4.00,
          "2² would be right for a loss of 2 bits. A nat is a logarithm to the base "
          "e."},
         {7.39, "e², the number of equally likely tokens that would be as surprising.",
          is_right},
         {100.00, "10² would need a logarithm to the base 10."}});
    // To read on: [perplexity](sequences.cpp).
    //
    // ## Temperature
    //
    ask(quiz,
        "Two classes have the scores 2 and 1. What is the probability of the first at "
        "a temperature of 0.5?",
        {sharpened(), 2},
        {{0.62,
          "This is a temperature of 2. Scores are divided by the temperature, so 0.5 "
          "doubles their difference."},
         {0.67,
          "2 / 3 would be the share of the scores. Softmax takes exponentials first, "
          "so only the difference of the scores counts."},
         {0.73,
          "This is a temperature of 1. A lower temperature makes the model more "
          "certain."},
         {0.88, "The scores become 4 and 2, and e⁴ / (e⁴ + e²) = 1 / (1 + e⁻²).",
          is_right}});
    // To read on: [softmax and temperature](softmax.cpp).
    //
    // ## The gradient of a classifier
    //
    ask(quiz,
        "A classifier gives the same score to all 4 classes of one sample. What is the "
        "derivative of its cross-entropy with respect to the score of the right class?",
        {gradient_at_the_right_class(), 2},
        {{-4.00,
          "This is the derivative with respect to the probability, −1 / 0.25. The "
          "score changes all four probabilities."},
         {-0.75,
          "Softmax and logarithm together have the derivative p − 1 at the right "
          "class: 0.25 − 1.",
          is_right},
         {0.25,
          "This is the derivative at each wrong class, p. A higher score of the right "
          "class lowers the loss."},
         {0.75,
          "The size is right, the sign is not: a higher score of the right class "
          "lowers the loss."}});
    // To read on: [the gradient of cross-entropy](cross_entropy.cpp).
    //
    // ## The chain rule
    //
    ask(quiz, "What is the derivative of (2x + 1)² at x = 1?",
        {derivative_of_a_square()},
        {{6,
          "This is the derivative of the square, 2 · 3. The inner function multiplies "
          "it by its own derivative, 2."},
         {9, "This is the value of the function."},
         {12,
          "The square has the derivative 2 · 3 at 3, and the inner function has the "
          "derivative 2.",
          is_right},
         {18,
          "This is the value 9 times the inner derivative 2. Derivatives multiply, and "
          "the outer one is 2 · 3."}});
    // To read on: [the chain rule](chain_rule.cpp).
    //
    // ## The largest step
    //
    ask(quiz,
        "Gradient descent minimises 2w² from a start other than 0. It converges for "
        "every positive learning rate below a bound, and for none above it. What is "
        "the bound?",
        {largest_stable_rate(), 2},
        {{0.25,
          "With this rate one step leads to the minimum. Larger ones jump over it and "
          "still come closer, up to twice this rate."},
         {0.50,
          "A step multiplies w by 1 − 4 η, whose size is below 1 as long as η < 0.5.",
          is_right},
         {1.00,
          "This would be right for w². Here the gradient is 4 w, and a rate of 1 "
          "multiplies w by −3."},
         {2.00, "The bound is 2 divided by the second derivative, which is 4."}});
    // To read on: [gradient descent](descent.cpp).
    //
    // ## Four runs
    //
    // Look at {numref}`fig-quiz-training` first.
    //- how the figure is drawn
    Figure drawn("fig-quiz-training");
    drawn.describe(
        "The weight against the number of steps, for four runs. A falls slowly and "
        "stays positive. B jumps between both sides of 0, each time a little less far. "
        "C falls to 0 within a few steps. D jumps between both sides, each time a "
        "little further.");
    const figure::Color colors[] = {figure::blue, figure::red, figure::green,
                                    figure::ochre};
    for (std::size_t k = 0; k < runs.size(); ++k) {
        drawn.panel(runs[k].name)
            .line("", data::even_grid(31, 0, 30), descent(runs[k].rate, 30),
                  {.color = colors[k], .dash = figure::solid, .points = false});
        drawn.x("steps").y("weight").ylim(-3.5, 3.5);
    }
    drawn.columns(2).save(
        "Gradient descent on the same loss, with four learning rates. What does it "
        "mean when a weight changes its sign in every step?");
    //-
    ask(quiz, "Of the runs that converge, which has the largest learning rate?",
        largest_that_converges(),
        {{"A",
          "A has the smallest rate: each step goes only a small part of the way to 0."},
         {"B",
          "B jumps over the minimum in every step, so its steps are too long, and "
          "still each lands a little closer.",
          is_right},
         {"C",
          "C arrives first and never changes its sign, so its steps are shorter than "
          "the way to 0. The fastest rate is not the largest."},
         {"D",
          "D has the largest rate of all, and each jump lands further away: it "
          "diverges."}});
    // To read on: [gradient descent](descent.cpp).
    //
    // ## The first step of Adam
    //
    ask(quiz,
        "The first gradient of a weight is 0.001, and Adam has a learning rate of "
        "0.01. How far does the weight move?",
        {first_step_of_adam(), 5},
        {{0.00001,
          "This is the step of plain gradient descent, rate times gradient. Adam "
          "divides by the size of the gradient."},
         {0.00032,
          "This divides by the root of the gradient. Adam divides by the root of its "
          "square, after both means were corrected for their start at 0."},
         {0.001,
          "This is the gradient. It cancels: Adam divides it by the root of its own "
          "square."},
         {0.01,
          "In the first step both corrected means are those of one gradient g, so the "
          "step is η g / √(g²) = η, whatever the gradient.",
          is_right}});
    // To read on: [momentum and Adam](optimisers.cpp).
    //
    // ## The price of a backward pass
    //
    ask(quiz,
        "A dense layer in the middle of a network takes N multiply-adds in the forward "
        "pass. How many times N does it take in the backward pass?",
        {backward_over_forward()},
        {{1,
          "One product of this size gives the gradient of the weights. A second one "
          "gives the gradient of the input, which the layer before needs."},
         {2,
          "One product for the gradient of the weights and one for that of the input, "
          "each as large as the forward product.",
          is_right},
         {3, "This is a whole training step: forward once, backward twice."},
         {6,
          "This counts the floating-point operations of a whole step for each weight "
          "and sample, two for each multiply-add."}});
    // To read on: [whole layers](backpropagation.cpp) and [training compute](compute.cpp).
    //
    // ## Clipping
    //
    ask(quiz, "The gradient (3, 4) is clipped to a norm of at most 1. What remains?",
        clipped(),
        {{"(1, 1)", "This clips each number by itself, which turns the direction."},
         {"(0.43, 0.57)",
          "This divides by the sum of the numbers, 7. The norm is the root of the sum "
          "of their squares, 5."},
         {"(0.6, 0.8)",
          "The norm is 5, so both numbers are divided by 5. The direction stays.",
          is_right},
         {"(0, 0)", "A gradient that is too long is shortened, not discarded."}});
    // To read on: [gradient clipping](clipping.cpp).
    //
    // ## One number for all
    //
    ask(quiz,
        "A model may only predict one constant, and is trained on the targets 1, 1, 2, "
        "3, 13 with the mean absolute error. Which constant does it learn?",
        {best_constant(), 0},
        {{1,
          "The most frequent target would be best for a loss that only counts hits."},
         {2,
          "The median: two targets are smaller and two are larger. A constant beside "
          "it is further from three of the five targets and closer to two.",
          is_right},
         {4,
          "The mean is best for the squared error. The absolute error is not pulled so "
          "far by the 13."},
         {7, "The middle between the extremes is best for the largest error of all."}});
    // To read on: [choosing a loss](choosing_a_loss.cpp).
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
// The questions went from the loss through its gradient to the step: what a loss means, how derivatives multiply, how
// long a step may be, and what Adam and clipping make of a gradient. Each right answer was computed by the program, and
// each wrong one names the mistake that leads to it. If you missed a question, its page takes fifteen minutes.
//
// ## What is missing
//
// A quiz asks what you recognise; exercises such as [a small autograd](../exercises/micrograd/value.md) ask what you can
// write. The next chapter begins with [layers](../components/layers.cpp).
//
// ```{try}
// - In a terminal: `./recto quiz training`. How many do you get right without looking back?
// ```
