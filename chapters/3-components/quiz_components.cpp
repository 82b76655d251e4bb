// # Quiz on components: eleven questions
//
// ```{rows} ex-tp6-qcm
// ```
//
// How many parameters does a convolution have, and what passes through a ReLU on the backward pass? These eleven
// questions are about the layers of this chapter. Each needs a minute, a pencil and one idea. Open an answer: it says
// whether it is right, and why. Every wrong answer comes from a mistake that is easily made, and names it.
//
// The program of this page computes the answers with the library, and fails if one of them differs from the choice that
// is marked as right. If you disagree with an answer, open *the question as code* below it, and the function that it
// calls in the fold that follows here. In a terminal, `./recto quiz components` asks the same questions and counts.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/quiz.hpp>
#include <recto/core/random.hpp>
#include <recto/core/tensor.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/skip.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/dropout.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

using namespace recto;
using book::ask, book::claim, book::is_right, book::Quiz;
using figure::Figure;
//-

//- how the answers are computed
Index rows_after_a_convolution() {
    return conv2d(zeros({1, 1, 28, 28}), zeros({1, 1, 5, 5}), Tensor(), {.stride = 2})
        .size(2);
}

Index convolution_parameters() {
    Generator random(book::seed());
    return nn::count(nn::Conv2d(3, 16, 3, random));
}

// How many inputs reach the middle unit after three convolutions along a line: those whose
// gradient is not 0.
Index receptive_field() {
    Tensor x = ones({1, 1, 31});
    x.requires_grad_();
    Tensor y = x;
    for (int layer = 0; layer < 3; ++layer) y = conv1d(y, ones({1, 1, 3}));
    sum(slice(y, 2, 12, 13)).backward();
    const std::vector<Real> gradient = x.grad().values();
    return Index(gradient.size()) -
           std::count(gradient.begin(), gradient.end(), Real(0));
}

double through_relu() {
    Tensor x({1}, {-2});
    x.requires_grad_();
    sum(mul(relu(x), 5)).backward();
    return double(x.grad().item());
}

std::string through_max_pooling() {
    Tensor x({1, 2, 2}, {1, 3, 2, 0});
    x.requires_grad_();
    sum(mul(max_pool2d(x, 2), 8)).backward();
    const std::vector<Real> g = x.grad().values();
    return fmt::format("{:g}, {:g}, {:g}, {:g}", g[0], g[1], g[2], g[3]);
}

double kept_by_dropout() {
    Generator random(book::seed());
    return double(max(dropout(ones({1000}), 0.2, random)).item());
}

// Whether what batch normalisation makes of one sample depends on the rest of its batch.
bool reads_the_batch(bool training) {
    Generator random(book::seed());
    nn::BatchNorm norm(4);
    for (int batch = 0; batch < 20; ++batch) norm(random.normal({8, 4}, 2, 3));
    norm.training = training;
    Tensor x = random.normal({8, 4});
    const std::vector<Real> before = select(norm(x), 0, 0).values();
    slice(x, 0, 1, 8).copy_(random.normal({7, 4}));
    return select(norm(x), 0, 0).values() != before;
}

std::string when_the_batch_matters() {
    const bool training = reads_the_batch(true), evaluation = reads_the_batch(false);
    return training     ? (evaluation ? "in both" : "in training only")
           : evaluation ? "in evaluation only"
                        : "in neither";
}

double derivative_of_a_skip() {
    Generator random(book::seed());
    const nn::Residual block(nn::Linear(1, 1, random, {.weights = nn::zeros_init}));
    Tensor x({1, 1}, {3});
    x.requires_grad_();
    sum(block(x)).backward();
    return double(x.grad().item());
}

double equal_scores() {
    const Tensor values({1, 1, 4, 1}, {1, 2, 3, 6});
    return double(attention(zeros({1, 1, 1, 1}), ones({1, 1, 4, 1}), values).item());
}

std::string more_heads() {
    Generator random(book::seed());
    const double times = double(nn::count(nn::MultiHeadAttention(64, 8, random))) /
                         double(nn::count(nn::MultiHeadAttention(64, 1, random)));
    return times == 1 ? "it stays the same"
                      : fmt::format("it becomes {:g} times as large", times);
}

struct Slope {
    std::string name;
    Activation function;
};
const std::vector<Slope> slopes = {
    {"A", sigmoid}, {"B", gelu}, {"C", tanh}, {"D", relu}};
const std::vector<double> inputs = data::even_grid(121, -4, 4);

std::vector<double> derivative(Activation function) {
    Tensor x({Index(inputs.size())}, std::vector<Real>(inputs.begin(), inputs.end()));
    x.requires_grad_();
    sum(function(x)).backward();
    const std::vector<Real> found = x.grad().values();
    return {found.begin(), found.end()};
}

// The curve that lies nearest to the differences of the tanh of the standard library.
std::string slope_of_tanh() {
    std::string nearest;
    double least = HUGE_VAL;
    for (const Slope& slope : slopes) {
        const std::vector<double> curve = derivative(slope.function);
        double apart = 0;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            apart += std::abs(
                curve[i] -
                (std::tanh(inputs[i] + 1e-4) - std::tanh(inputs[i] - 1e-4)) / 2e-4);
        if (apart < least) least = apart, nearest = slope.name;
    }
    return nearest;
}

void page() {
    Quiz quiz;
    //-
    //
    // ## The size after a convolution
    //
    ask(quiz,
        "An image of 28 × 28 pixels goes through a convolution with a kernel of 5 × 5, "
        "stride 2 and no padding. How many rows does the result have?",
        {rows_after_a_convolution()},
        {{12,
          "The kernel fits at the rows 0, 2, ..., 22: (28 − 5) / 2, rounded down, plus "
          "1.",
          is_right},
         {13,
          "This rounds (28 − 5) / 2 up. At row 24 only four rows of the image are "
          "left, and the kernel needs five."},
         {14,
          "Half of the rows would need a padding of 2. Without padding the kernel "
          "cannot stand on the border."},
         {24, "This is right for stride 1."}});
    // To read on: [padding, stride and dilation](convolution_options.cpp).
    //
    // ## The parameters of a convolution
    //
    ask(quiz,
        "A convolution with kernels of 3 × 3 and with biases turns a colour image, 3 "
        "channels, into 16 channels. How many parameters does it have?",
        {convolution_parameters()},
        {{160,
          "Each output has a kernel for every input channel. This counts a single one: "
          "16 × (9 + 1)."},
         {432, "These are the weights, 16 × 3 × 9. The 16 biases are missing."},
         {448,
          "16 × 3 kernels of 9 weights, and 16 biases. The size of the image does not "
          "matter.",
          is_right},
         {480,
          "There is a bias for each output channel, not for each of the 48 kernels."}});
    // To read on: [convolution](convolution.cpp).
    //
    // ## What a unit sees
    //
    ask(quiz,
        "Three convolutions follow each other, each with a kernel of 3 × 3 and stride "
        "1. How many rows of the input can a unit of the last layer see?",
        {receptive_field()},
        {{3,
          "This is what it sees of the layer below. Each of those units sees further."},
         {7, "Each layer adds one row on both sides: 1 + 2 + 2 + 2.", is_right},
         {9, "3 + 3 + 3 counts rows twice: the fields of neighbours overlap."},
         {27,
          "3 × 3 × 3 would need strides of 3, so that the fields of neighbours do not "
          "overlap."}});
    // To read on: [the receptive field](receptive_field.cpp).
    //
    // ## Four derivatives
    //
    // Look at {numref}`fig-quiz-components` first.
    //- how the figure is drawn
    Figure drawn("fig-quiz-components");
    drawn.describe(
        "Four derivatives against the input from −4 to 4. A is a low bell, a quarter "
        "high at 0. B rises from 0, dips below it, passes a half at 0 and exceeds 1 "
        "before it settles there. C is a bell of height 1. D jumps from 0 to 1 at 0.");
    const figure::Color colors[] = {figure::blue, figure::red, figure::green,
                                    figure::ochre};
    for (std::size_t k = 0; k < slopes.size(); ++k)
        drawn.line(slopes[k].name, inputs, derivative(slopes[k].function),
                   {.color = colors[k], .points = false});
    drawn.x("input")
        .y("derivative")
        .save(
            "The derivatives of sigmoid, tanh, ReLU and GELU, in another order. "
            "Compare the heights at 0.");
    //-
    ask(quiz, "Which of the curves is the derivative of tanh?", slope_of_tanh(),
        {{"A",
          "A is a quarter high at 0. This is the sigmoid, a tanh of half the height "
          "and twice the width."},
         {"B",
          "B exceeds 1 and dips below 0, so its function turns around once: GELU."},
         {"C", "1 − tanh², which is 1 at 0 and vanishes on both sides.", is_right},
         {"D", "D jumps: its function has a corner at 0. This is ReLU."}});
    // To read on: [saturation](saturation.cpp).
    //
    // ## Back through a ReLU
    //
    ask(quiz,
        "The input of a ReLU was −2. On the backward pass the gradient 5 arrives at "
        "its output. What does it pass on?",
        {through_relu()},
        {{-10, "The gradient is multiplied by the derivative, not by the input."},
         {-5, "A ReLU never turns the sign of a gradient. Its derivative is 0 or 1."},
         {0, "Left of 0 the function is constant, so its derivative is 0.", is_right},
         {5, "This is right for a positive input, where the derivative is 1."}});
    // To read on: [rectifiers](rectifiers.cpp) and [dead units](saturation.cpp).
    //
    // ## Back through max pooling
    //
    ask(quiz,
        "Max pooling read the four numbers 1, 3, 2, 0, and the gradient 8 arrives at "
        "its output. Which gradients do the four numbers receive?",
        through_max_pooling(),
        {{"2, 2, 2, 2",
          "This is average pooling, which divides the gradient among all."},
         {"8, 8, 8, 8",
          "A small change of the 1, the 2 or the 0 does not change the maximum, so "
          "their derivative is 0."},
         {"1, 8, 2, 0",
          "This writes the gradient in the place of the maximum. The other places "
          "receive 0, not their values."},
         {"0, 8, 0, 0",
          "Only the largest number decides the result, and receives the whole "
          "gradient.",
          is_right}});
    // To read on: [pooling](pooling.cpp).
    //
    // ## What dropout keeps
    //
    ask(quiz,
        "In training, dropout with a probability of 0.2 reads ones only. What does it "
        "return where it drops nothing?",
        {kept_by_dropout(), 2},
        {{0.20, "This is the share of the numbers that become 0."},
         {0.80,
          "This would be the mean of all numbers if those that stay were not scaled."},
         {1.00,
          "Then the mean would fall to 0.8 in training, and the next layer would read "
          "larger numbers in evaluation."},
         {1.25,
          "1 / (1 − 0.2): the numbers that stay are scaled up, so that the mean is the "
          "same as without dropout.",
          is_right}});
    // To read on: [dropout](dropout.cpp).
    //
    // ## Batch normalisation and the batch
    //
    ask(quiz,
        "When does what batch normalisation makes of one image depend on the other "
        "images of its mini-batch?",
        when_the_batch_matters(),
        {{"in training only",
          "In training, mean and variance are those of the mini-batch. In evaluation "
          "they are running means, which were fixed before.",
          is_right},
         {"in evaluation only",
          "It is the opposite: in evaluation mean and variance were fixed before."},
         {"in both",
          "Then the class of an image would depend on the images that happen to be "
          "tested with it. In evaluation running means take the place of those of the "
          "mini-batch."},
         {"in neither",
          "This is layer normalisation, which reads one sample at a time."}});
    // To read on: [batch normalisation](batch_norm.cpp) and [layer normalisation](layer_norm.cpp).
    //
    // ## A way around
    //
    ask(quiz,
        "A residual block computes y = x + f(x). All weights of f are 0. What is the "
        "derivative of y with respect to x?",
        {derivative_of_a_skip(), 1},
        {{0, "The path through f is closed, and x still reaches y directly."},
         {0.5,
          "Nothing divides by the number of paths. Gradients along several paths are "
          "added."},
         {1, "f contributes 0, the skip connection 1.", is_right},
         {2,
          "Both paths would have to pass the gradient unchanged. The one through f "
          "passes 0."}});
    // To read on: [skip connections](skip_connections.cpp).
    //
    // ## Equal scores
    //
    ask(quiz,
        "An attention query has the same score with each of four keys. Their values "
        "are 1, 2, 3 and 6. What does the query return?",
        {equal_scores()},
        {{0,
          "Equal scores, even zeros, become equal probabilities. They always sum to "
          "1."},
         {3,
          "Softmax makes each probability 1/4, so the result is the mean of the "
          "values.",
          is_right},
         {6,
          "Attention weights the values by the scores of their keys. It does not look "
          "for the largest value."},
         {12,
          "This is the sum. The probabilities sum to 1, so the result is a mean."}});
    // To read on: [attention](attention.cpp).
    //
    // ## More heads
    //
    ask(quiz,
        "Multi-head attention of width 64 has 8 heads in place of 1, and the width "
        "stays. What happens to its number of parameters?",
        more_heads(),
        {{"it stays the same",
          "Each head works with 64 / 8 numbers. The four matrices are 64 × 64, however "
          "their rows are divided among heads.",
          is_right},
         {"it becomes 8 times as large",
          "This would need heads of the whole width. They divide the width among "
          "themselves."},
         {"it becomes 2 times as large",
          "Nothing is doubled. The matrix that combines the heads exists for a single "
          "head too."},
         {"it shrinks to an eighth",
          "Each head has an eighth of the parameters, and there are eight of them."}});
    // To read on: [multi-head attention](multi_head.cpp).
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
// The questions were about shapes and parameters of layers, about what a layer passes on in the backward pass, and about
// what changes between training and evaluation. Each right answer was computed by the program, and each wrong one names
// the mistake that leads to it. If you missed a question, its page takes fifteen minutes.
//
// ## What is missing
//
// A quiz asks what you recognise; exercises such as [a convolution](../exercises/components/convolution.md) ask what you
// can write. The next chapter begins with [multilayer perceptrons](../architectures/mlp.cpp).
//
// ```{try}
// - In a terminal: `./recto quiz components`. How many do you get right without looking back?
// ```
