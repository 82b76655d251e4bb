// # Quiz on applications: eleven questions
//
// ```{rows} ex-tp6-qcm
// ```
//
// Can a word error rate exceed 1, and what does a denoiser answer when it cannot know? These eleven questions are about
// tasks and their measures. Each needs a minute, a pencil and one idea. Open an answer: it says whether it is right, and
// why. Every wrong answer comes from a mistake that is easily made, and names it.
//
// The program of this page computes the answers with the library, and fails if one of them differs from the choice that
// is marked as right. If you disagree with an answer, open *the question as code* below it, and the function that it
// calls in the fold that follows here. In a terminal, `./recto quiz applications` asks the same questions and counts.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/quiz.hpp>
#include <recto/classic/fourier.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>
#include <recto/data/boxes.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/mdp.hpp>
#include <recto/data/mixture_1d.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/contrastive.hpp>
#include <recto/nn/diffusion.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/optim/sgd.hpp>
#include <recto/text/generate.hpp>
#include <recto/text/word_errors.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

using namespace recto;
using book::ask, book::claim, book::is_right, book::Quiz;
using data::Box, data::MdpTable;
using figure::Figure;
//-

//- how the answers are computed
// The value of the first of three states in a row; the third step is rewarded and ends the episode.
double delayed_reward() {
    const MdpTable row(3, 1, {0},
                       {{{1, 1, 0, false}}, {{1, 2, 0, false}}, {{1, 0, 1, true}}});
    return data::optimal_values(row, 0.9)[0];
}

// State 0 may end the episode with the reward 1, or go to state 1, which is worth 5.
double final_action() {
    const MdpTable table(
        2, 2, {0},
        {{{1, 0, 1, true}}, {{1, 1, 0, false}}, {{1, 0, 5, true}}, {{1, 0, 5, true}}});
    return data::optimal_values(table, 0.9)[0];
}

double variance_of_noised() {
    const nn::NoiseSchedule schedule({0.75});
    return data::Mixture1d{{{1, 0, 2}}}.noised(schedule.alpha_bar(1)).variance();
}

// What a constant learns from targets of which four are 1 and one is −1.
double answer_without_a_clue() {
    Tensor answer = zeros({1});
    answer.requires_grad_();
    optim::Sgd optimiser({{"answer", answer}}, {.lr = 0.1});
    for (int step = 0; step < 200; ++step) {
        optimiser.zero_grad();
        mse_loss(mul(answer, ones({5})), Tensor({5}, {1, 1, 1, 1, -1})).backward();
        optimiser.step();
    }
    return double(answer.item());
}

double overlap() { return data::iou({0, 0, 2, 2}, {1, 0, 3, 2}); }

// The mean intersection over union of two classes, for an answer that gives all 100 pixels to
// the ground, where 10 belong to an object.
double mean_iou_of_all_ground() {
    std::vector<int> truth(100, 0), answer(100, 0);
    std::fill_n(truth.begin(), 10, 1);
    double sum = 0;
    for (int label = 0; label < 2; ++label) {
        int both = 0, either = 0;
        for (std::size_t i = 0; i < truth.size(); ++i) {
            both += truth[i] == label && answer[i] == label;
            either += truth[i] == label || answer[i] == label;
        }
        sum += double(both) / either;
    }
    return sum / 2;
}

double loss_of_eight_pairs() {
    return double(nn::symmetric_cross_entropy(zeros({8, 8})).item());
}

Index frames_of_a_sound() {
    return classic::Spectrogram({.window = 512, .hop = 256}).frames(4096);
}

double word_errors() {
    const std::array<std::string, 1> said = {"guess he leaves them here"},
                                     wanted = {"yes please"};
    return text::word_error_rate(said, wanted);
}

double first_of_two() {
    const std::array<Real, 4> scores = {Real(std::log(0.5)), Real(std::log(0.3)),
                                        Real(std::log(0.15)), Real(std::log(0.05))};
    return double(text::chances(scores, {.top_k = 2})[0]);
}

struct Curve {
    std::string name;
    double (*height)(double alpha_bar);
};
const std::vector<Curve> curves = {{"A", [](double a) { return 1 - a; }},
                                   {"B", [](double a) { return std::sqrt(a); }},
                                   {"C", [](double a) { return a; }},
                                   {"D", [](double a) { return std::sqrt(1 - a); }}};

// The curve that gives the size of what noised() makes of data that are 0 and noise that is 1.
std::string deviation_of_the_noise() {
    const nn::NoiseSchedule schedule = nn::NoiseSchedule::linear();
    std::string nearest;
    double least = HUGE_VAL;
    for (const Curve& curve : curves) {
        double apart = 0;
        for (Index t = 0; t <= schedule.steps(); t += 10)
            apart += std::abs(curve.height(schedule.alpha_bar(t)) -
                              double(schedule.noised(zeros({1}), t, ones({1})).item()));
        if (apart < least) least = apart, nearest = curve.name;
    }
    return nearest;
}

void page() {
    Quiz quiz;
    //-
    //
    // ## A reward that comes late
    //
    ask(quiz,
        "An agent makes three steps. The first two bring the reward 0, the third "
        "brings 1 and ends the episode. What is its return from the start, R₀ + γ R₁ + "
        "γ² R₂, for a discount of γ = 0.9?",
        {delayed_reward(), 3},
        {{0.729,
          "The first reward counts in full, so the third is discounted twice, not "
          "three times."},
         {0.810,
          "The reward of the third step is discounted for the two steps of delay, "
          "0.9².",
          is_right},
         {0.900, "This is the return from the second step on, with one step of delay."},
         {1.000, "This is right without a discount, γ = 1."}});
    // To read on: [Markov decision processes](decisions.cpp).
    //
    // ## The last action
    //
    ask(quiz,
        "An action ends the episode and brings the reward 1. Elsewhere in the table, "
        "the best Q is 5, and the discount is 0.9. What is the Q of this action?",
        {final_action(), 1},
        {{0.9, "The reward of the action itself is not discounted."},
         {1.0,
          "Nothing follows the end of an episode, so nothing is added to the reward.",
          is_right},
         {5.5,
          "This adds 0.9 × 5 as if the episode went on. A program that forgets the end "
          "learns values that are too high."},
         {6.0,
          "This adds the 5 even without a discount. After the end, nothing follows."}});
    // To read on: [Q-learning](q_learning.cpp).
    //
    // ## Four curves
    //
    // Look at {numref}`fig-quiz-applications` first. Data and noise have variance 1 each.
    //- how the figure is drawn
    const nn::NoiseSchedule schedule = nn::NoiseSchedule::linear();
    Figure drawn("fig-quiz-applications");
    drawn.describe(
        "Four curves against the step from 0 to 1000. C and B fall from 1 to 0, C "
        "first. A and D rise from 0 to 1, D first. A and C cross at a half, B and D at "
        "0.71.");
    const figure::Color colors[] = {figure::blue, figure::red, figure::green,
                                    figure::ochre};
    for (std::size_t k = 0; k < curves.size(); ++k) {
        std::vector<double> steps, heights;
        for (Index t = 0; t <= schedule.steps(); t += 10)
            steps.push_back(double(t)),
                heights.push_back(curves[k].height(schedule.alpha_bar(t)));
        drawn.line(curves[k].name, steps, heights,
                   {.color = colors[k], .points = false});
    }
    drawn.x("step").y("height").save(
        "A diffusion process in 1,000 steps. Two curves are the factors of data and "
        "noise in a noised sample, and two are the squares of these factors. The "
        "squares add up to 1.");
    //-
    ask(quiz, "Which curve is the standard deviation of the noise in a noised sample?",
        deviation_of_the_noise(),
        {{"A",
          "A rises, as the noise does. But A and C add up to 1, so both are "
          "variances."},
         {"B", "B falls: it is the factor of the data."},
         {"C",
          "C falls, and adds up to 1 with A: it is the variance of what remains of the "
          "data."},
         {"D",
          "D rises, and its square is A. The squares of B and D add up to 1, so these "
          "two are the factors.",
          is_right}});
    // To read on: [diffusion](diffusion.cpp).
    //
    // ## Noise on wide data
    //
    ask(quiz,
        "Data with mean 0 and variance 4 are noised to x = √0.25 · x₀ + √0.75 · ε, "
        "with standard normal noise. What is the variance of x?",
        {variance_of_noised(), 2},
        {{1.00,
          "This is right for data of variance 1: 0.25 + 0.75. Data of another variance "
          "arrive at 1 only after many steps."},
         {1.75, "A factor is squared in the variance: 0.25 × 4 + 0.75.", is_right},
         {1.87,
          "This adds the standard deviations, 1 and 0.87. Of independent numbers, the "
          "variances add up."},
         {4.75, "This adds the noise to data that were not made smaller."}});
    // To read on: [diffusion](diffusion.cpp).
    //
    // ## An answer without a clue
    //
    ask(quiz,
        "A clean value is 1 with probability 0.8 and −1 otherwise. Noise hides it "
        "completely. A network is trained with the squared error to restore it. What "
        "does it answer?",
        {answer_without_a_clue(), 2},
        {{0.00, "This is the middle between both values. They are not equally likely."},
         {0.60, "The mean, 0.8 − 0.2: no clean value, and yet the least squared error.",
          is_right},
         {0.80, "This is the probability of a 1. The −1 counts against it."},
         {1.00,
          "This is the more likely value, which is best for a loss that only counts "
          "hits. The squared error has its minimum at the mean."}});
    // To read on: [the conditional mean](conditional_mean.cpp).
    //
    // ## Overlapping boxes
    //
    ask(quiz,
        "Two boxes of 2 × 2 pixels overlap in one column of 2 pixels. What is their "
        "intersection over union?",
        {overlap(), 2},
        {{0.25,
          "This divides by the sum of both areas, 8, which counts the shared pixels "
          "twice."},
         {0.33, "2 pixels are in both boxes and 6 in at least one.", is_right},
         {0.50, "This is the share of one box. The union is larger than a box."},
         {0.67, "This is one box over the union, 4 / 6."}});
    // To read on: [boxes](boxes.cpp).
    //
    // ## All ground
    //
    ask(quiz,
        "An image has 90 pixels of ground and 10 of an object. A segmentation calls "
        "all of them ground. What is its mean intersection over union of the two "
        "classes?",
        {mean_iou_of_all_ground(), 2},
        {{0.00,
          "This is the intersection over union of the object alone. The mean also "
          "counts the ground, 90 / 100."},
         {0.45,
          "90 / 100 for the ground and 0 for the object. The share of right pixels, "
          "0.9, hides that the object was missed.",
          is_right},
         {0.50,
          "The ground is not perfect: its union includes the 10 pixels that were "
          "called ground wrongly."},
         {0.90,
          "This is the share of right pixels, and of the ground alone. The object "
          "counts as much as the ground and has 0."}});
    // To read on: [segmentation](segmentation.cpp).
    //
    // ## Images and texts before training
    //
    ask(quiz,
        "CLIP reads a batch of 8 pairs of an image and a text. Before training, all "
        "similarities are equal. What is its loss, in nats?",
        {loss_of_eight_pairs(), 2},
        {{0.13,
          "This is the probability of the right text, 1 / 8. The loss is minus its "
          "logarithm."},
         {0.69,
          "log 2 would be a choice between matching and not matching. Each image "
          "chooses among the 8 texts of the batch."},
         {2.08,
          "log 8: each image chooses among 8 texts, and each text among 8 images. The "
          "loss is the mean of both.",
          is_right},
         {4.16,
          "log 64 would be a choice among all pairs at once, or the sum of both "
          "directions."}});
    // To read on: [CLIP](clip.cpp).
    //
    // ## The frames of a sound
    //
    ask(quiz,
        "A sound of 4,096 samples is cut into frames of 512 samples, and a frame "
        "begins every 256 samples. How many whole frames does the spectrogram have?",
        {frames_of_a_sound()},
        {{8, "This is right for frames that do not overlap, 4,096 / 512."},
         {14,
          "(4,096 − 512) / 256 is 14, and the first frame, at 0, is not yet counted."},
         {15, "Frames begin at 0, 256, ..., 3,584: (4,096 − 512) / 256 + 1.", is_right},
         {16, "A frame at 3,840 would need 256 more samples than there are."}});
    // To read on: [the spectrogram](spectrograms.cpp).
    //
    // ## Words that are wrong
    //
    ask(quiz,
        "The reference is “yes please”. A recogniser writes “guess he leaves them "
        "here”. What is its word error rate?",
        {word_errors(), 2},
        {{0.40,
          "This divides the words of the reference by those of the transcript. Errors "
          "are divided by the words of the reference."},
         {1.00,
          "No word is right, but the rate is not a share of words: inserted words "
          "count too, and it may exceed 1."},
         {1.50, "These are the three inserted words. Two other words were replaced."},
         {2.50,
          "Two words replaced and three inserted: 5 errors for 2 words of the "
          "reference.",
          is_right}});
    // To read on: [speech recognition](speech.cpp).
    //
    // ## The best two
    //
    ask(quiz,
        "The next token is one of four, with the probabilities 0.5, 0.3, 0.15 and "
        "0.05. Sampling is restricted to the two most likely ones, top-k with k = 2. "
        "What is now the probability of the first?",
        {first_of_two(), 3},
        {{0.500,
          "The two that stay would only add up to 0.8. Probabilities are divided by "
          "their sum."},
         {0.625, "0.5 / (0.5 + 0.3).", is_right},
         {0.800,
          "This is the probability of both together before the others were removed."},
         {1.000,
          "This is right for k = 1, which always takes the most likely token."}});
    // To read on: [text generation](text_generation.cpp).
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
// The questions were about rewards that come late, about noise and what can be restored behind it, and about measures
// that are easily mistaken for shares. Each right answer was computed by the program, and each wrong one names the
// mistake that leads to it. If you missed a question, its page takes fifteen minutes.
//
// ## What is missing
//
// A quiz asks what you recognise; exercises such as [adding noise](../exercises/diffusion/noising.md) ask what you can
// write. The next chapter begins with [the compute gap](../fine-tuning/compute_schism.cpp).
//
// ```{try}
// - In a terminal: `./recto quiz applications`. How many do you get right without looking back?
// ```
