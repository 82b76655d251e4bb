// # Quiz on architectures: eleven questions
//
// ```{rows} ex-tp6-qcm
// ```
//
// Why does a ResNet end in a mean over all places, and what changes when a sequence becomes twice as long? These eleven
// questions are about whole networks. Each needs a minute, a pencil and one idea. Open an answer: it says whether it is
// right, and why. Every wrong answer comes from a mistake that is easily made, and names it.
//
// The program of this page computes the answers with the library, and fails if one of them differs from the choice that
// is marked as right. If you disagree with an answer, open *the question as code* below it, and the function that it
// calls in the fold that follows here. In a terminal, `./recto quiz architectures` asks the same questions and counts.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/quiz.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/core/tensor.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/mixture_of_experts.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/recurrent.hpp>
#include <recto/nn/resnet.hpp>
#include <recto/nn/vae.hpp>
#include <recto/nn/vision_transformer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/sequences/positions.hpp>
#include <recto/ops/shapes/views.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

using namespace recto;
using book::ask, book::claim, book::is_right, book::Quiz;
using figure::Figure;
//-

//- how the answers are computed
Index bottleneck_weights() {
    Generator random(book::seed());
    Index count = 0;
    for (const NamedTensor& part : nn::state(nn::Bottleneck({256, 64, 256}, random)))
        if (part.tensor.dim() == 4) count += part.tensor.numel();  // kernels
    return count;
}

Index head_after_a_mean() {
    Generator random(book::seed());
    const Tensor features = mean(zeros({1, 512, 7, 7}), {2, 3});
    return nn::count(nn::Linear(features.size(-1), 1000, random));
}

// The root mean square of a signal after each of 20 layers of 100 units with ReLU.
std::vector<double> sizes(double factor) {
    Generator random(book::seed());
    Tensor x = random.normal({100, 100});
    std::vector<double> found = {1};
    for (int layer = 0; layer < 20; ++layer) {
        x = relu(
            linear(x, random.normal({100, 100}, 0, Real(std::sqrt(factor / 100)))));
        found.push_back(std::sqrt(double(mean(square(x)).item())));
    }
    return found;
}

struct Network {
    std::string name;
    double factor;  // the variance of a weight, times the number of inputs
};
const std::vector<Network> networks = {{"A", 3}, {"B", 1}, {"C", 2}, {"D", 0.5}};

// The network whose signal changes least from the first layer to the last.
std::string steadiest() {
    std::string best;
    double least = HUGE_VAL;
    for (const Network& network : networks) {
        const std::vector<double> size = sizes(network.factor);
        const double change = std::abs(std::log(size.back() / size.front()));
        if (change < least) least = change, best = network.name;
    }
    return best;
}

double through_fifty_steps() {
    Tensor first({1}, {1});
    first.requires_grad_();
    Tensor state = first;
    for (int step = 0; step < 50; ++step) state = mul(state, 0.9);
    sum(state).backward();
    return double(first.grad().item());
}

Index lstm_weights() {
    Generator random(book::seed());
    return nn::count(nn::Lstm(10, 20, random, {.bias = false}));
}

double twice_as_long() {
    const auto work = [](Index time) {
        const Tensor x = zeros({1, 1, time, 16});
        const FlopCount count;
        attention(x, x, x);
        return double(count.multiply_adds());
    };
    return work(128) / work(64);
}

// The positions whose scores change with the third of six tokens.
std::string reached_by_the_third() {
    Generator random(book::seed());
    const nn::Gpt model({.tokens = 10, .time = 6, .layers = 2, .width = 16, .heads = 2},
                        random);
    const Tensor before = model(Integers({1, 6}, {1, 2, 3, 4, 5, 6}));
    const Tensor after = model(Integers({1, 6}, {1, 2, 9, 4, 5, 6}));
    Index first = 0, last = 0, count = 0;
    for (Index t = 0; t < 6; ++t)
        if (select(before, 1, t).values() != select(after, 1, t).values()) {
            if (count++ == 0) first = t + 1;
            last = t + 1;
        }
    return count == 1 ? fmt::format("at position {} only", first)
                      : fmt::format("at the positions {} to {}", first, last);
}

// Of 20 random pairs of a query and a key.
std::string both_moved() {
    const Tensor table = rotary_table(32, 8);
    Generator random(book::seed());
    int grows = 0, shrinks = 0;
    for (int pair = 0; pair < 20; ++pair) {
        const Tensor q = random.normal({1, 8}), k = random.normal({1, 8});
        const auto score = [&](Index query, Index key) {
            return double(
                sum(mul(rotary(q, table, query), rotary(k, table, key))).item());
        };
        const double change = score(15, 12) - score(5, 2);
        grows += change > 1e-4, shrinks += change < -1e-4;
    }
    return grows == 0 && shrinks == 0 ? "it stays the same"
           : shrinks == 0             ? "it grows"
           : grows == 0               ? "it shrinks"
                        : "it grows for some vectors and shrinks for others";
}

Index image_tokens() { return nn::patches(zeros({1, 3, 224, 224}), 16).size(1); }

std::string more_experts() {
    const auto work = [](Index experts) {
        Generator random(book::seed());
        const nn::MixtureOfExperts layer(
            {.width = 8, .hidden = 16, .experts = experts, .chosen = 2}, random);
        const Tensor tokens = random.normal({10, 8});
        const FlopCount count;
        layer(tokens);
        return double(count.multiply_adds() - 10 * 8 * experts);  // without the router
    };
    const double times = work(64) / work(8);
    return times == 1 ? "it stays the same"
                      : fmt::format("it becomes {:g} times as much", times);
}

double divergence() {
    return double(
        nn::LatentNormal{Tensor({1, 1}, {1}), zeros({1, 1})}.divergence().item());
}

void page() {
    Quiz quiz;
    //-
    //
    // ## A bottleneck
    //
    ask(quiz,
        "A bottleneck block has a 1 × 1 convolution from 256 to 64 channels, a 3 × 3 "
        "convolution from 64 to 64, and a 1 × 1 convolution from 64 to 256. How many "
        "weights do the three have, without biases?",
        {bottleneck_weights()},
        {{36'864, "These are the weights of the 3 × 3 convolution alone, 9 × 64 × 64."},
         {69'632, "256 × 64 + 9 × 64 × 64 + 64 × 256.", is_right},
         {331'776,
          "This multiplies 36,864 by 9 again. The kernel of 3 × 3 counts once, and "
          "those of 1 × 1 have one weight for each pair of channels."},
         {589'824,
          "This is one 3 × 3 convolution from 256 to 256 channels. The block is made "
          "to avoid it."}});
    // To read on: [bottleneck blocks](residual_blocks.cpp).
    //
    // ## The last layer
    //
    ask(quiz,
        "The last convolution of a network returns 512 channels of 7 × 7. Their means "
        "over all places go through a dense layer with biases to 1,000 classes. How "
        "many parameters does the dense layer have?",
        {head_after_a_mean()},
        {{50'000,
          "This reads the 49 places and takes the mean over the channels. A mean over "
          "places leaves one number for each channel."},
         {512'000, "These are the weights. The 1,000 biases are missing."},
         {513'000, "The mean leaves 512 numbers: 512 × 1,000 weights and 1,000 biases.",
          is_right},
         {25'089'000,
          "This is the layer after flattening, which reads all 25,088 numbers. The "
          "mean saves 98 % of it."}});
    // To read on: [ResNet-50](resnet_50.cpp).
    //
    // ## Four networks
    //
    // Look at {numref}`fig-quiz-architectures` first. He initialisation draws weights with the variance 2/n, for n inputs.
    //- how the figure is drawn
    Figure drawn("fig-quiz-architectures");
    drawn.describe(
        "The size of the signal against the layer, on a logarithmic axis, for four "
        "networks. A rises steadily, C stays near 1, B falls steadily, and D falls "
        "twice as steeply.");
    const figure::Color colors[] = {figure::blue, figure::red, figure::green,
                                    figure::ochre};
    for (std::size_t k = 0; k < networks.size(); ++k) {
        std::vector<double> layers;
        for (int layer = 0; layer <= 20; ++layer) layers.push_back(layer);
        drawn.line(networks[k].name, layers, sizes(networks[k].factor),
                   {.color = colors[k], .points = false});
    }
    drawn.log_y()
        .x("layer")
        .y("size of the signal")
        .save(
            "The root mean square of the signal in four networks of 20 layers with "
            "ReLU, which differ in the variance of their weights. Which way does each "
            "curve go?");
    //-
    ask(quiz, "Which network starts with He initialisation?", steadiest(),
        {{"A",
          "A grows from layer to layer, so its weights have a variance above 2/n."},
         {"B",
          "B falls by the root of 2 in each layer: its variance is 1/n, which is right "
          "without a ReLU."},
         {"C",
          "A ReLU removes half of the mean square, and the 2 in 2/n restores it, so "
          "the size stays.",
          is_right},
         {"D", "D falls fastest, so it has the smallest variance of all."}});
    // To read on: [signal propagation](signal_propagation.cpp).
    //
    // ## Fifty steps back
    //
    ask(quiz,
        "The state of a recurrent network is multiplied by 0.9 in every step, and an "
        "input is added. What is the derivative of the state after 50 steps with "
        "respect to the first state?",
        {through_fifty_steps(), 3},
        {{0.005,
          "Each step contributes a factor of 0.9, and 0.9⁵⁰ is about 0.005: what was "
          "read early is nearly forgotten.",
          is_right},
         {0.018,
          "This divides 0.9 by the number of steps. Derivatives along a chain are "
          "multiplied."},
         {0.900, "This is the derivative of a single step."},
         {45.000, "This adds the 50 derivatives. Along a chain they are multiplied."}});
    // To read on: [recurrent networks](recurrent_networks.cpp) and [gates](gates.cpp).
    //
    // ## The weights of an LSTM
    //
    ask(quiz,
        "An LSTM reads 10 numbers in each step and has a state of 20. How many weights "
        "does it have, without biases?",
        {lstm_weights()},
        {{600,
          "This is a single gate, 20 × (10 + 20). An LSTM computes four such vectors: "
          "three gates and the candidate."},
         {800,
          "These are the weights of the input, 4 × 20 × 10. The gates read the state "
          "as well."},
         {1800, "This is a GRU, which computes three vectors."},
         {2400, "Three gates and the candidate, each with 20 × (10 + 20) weights.",
          is_right}});
    // To read on: [gates](gates.cpp).
    //
    // ## Twice as long
    //
    ask(quiz,
        "A sequence becomes twice as long. How many times as many multiply-adds do the "
        "scores and the weighted means of one attention head take?",
        {twice_as_long()},
        {{2,
          "The number of queries doubles, and so does the number of keys that each of "
          "them reads."},
         {4, "Every query meets every key: twice as many of both.", is_right},
         {8, "The width of a key does not change with the length of the sequence."},
         {16,
          "Scores and means both grow by a factor of 4. Their costs are added, not "
          "multiplied."}});
    // To read on: [efficient attention](efficient_attention.cpp).
    //
    // ## A changed token
    //
    ask(quiz,
        "A GPT with several blocks reads six tokens. Then the third token is replaced "
        "by another one. At which positions do the scores change?",
        reached_by_the_third(),
        {{"at position 3 only",
          "Later positions read earlier ones, so the change reaches them too."},
         {"at the positions 1 to 3",
          "Causal attention looks back. Positions 1 and 2 never see the third token."},
         {"at the positions 3 to 6",
          "Each position sees itself and those before it, in every block.", is_right},
         {"at the positions 1 to 6",
          "This would be an encoder such as BERT, which reads in both directions."}});
    // To read on: [GPT](mini_gpt.cpp) and [BERT](masked_language_model.cpp).
    //
    // ## Rotary positions
    //
    ask(quiz,
        "With rotary positions, a query stands at position 5 and a key at position 2. "
        "Both move on by ten positions, to 15 and 12, and their vectors stay. What "
        "happens to their score?",
        both_moved(),
        {{"it grows",
          "Both vectors turn further, by the same angles. A turn changes no length."},
         {"it shrinks",
          "The score may shrink with the distance between the two. This distance stays "
          "3."},
         {"it stays the same",
          "Both are turned by the same additional angles, and turning two vectors "
          "alike leaves their product as it is.",
          is_right},
         {"it grows for some vectors and shrinks for others",
          "This is so for encodings that are added to the vectors. Rotary positions "
          "turn both vectors alike."}});
    // To read on: [rotary positions](rotary_positions.cpp).
    //
    // ## An image as tokens
    //
    ask(quiz,
        "A vision transformer cuts an image of 224 × 224 pixels in three colours into "
        "patches of 16 × 16 pixels. How many patches does it read?",
        {image_tokens()},
        {{14, "This is the number of patches in one row."},
         {196, "14 rows of 14 patches. Each holds all three colours, 768 numbers.",
          is_right},
         {256, "This is the number of pixels in a patch."},
         {588,
          "A patch holds the three colours together, so they do not count three "
          "times."}});
    // To read on: [vision transformers](vision_transformer.cpp).
    //
    // ## More experts
    //
    ask(quiz,
        "A mixture of experts chooses 2 of 8 experts for each token. It gets 64 "
        "experts of the same size and still chooses 2. What happens to the arithmetic "
        "for a token, apart from that of the router?",
        more_experts(),
        {{"it stays the same",
          "Only the chosen experts run. The memory for their weights grows by a factor "
          "of 8.",
          is_right},
         {"it becomes 8 times as much",
          "This would be so if all experts ran. Their weights take 8 times the "
          "memory."},
         {"it becomes 4 times as much",
          "The number of chosen experts counts, and it stays 2."},
         {"it shrinks to an eighth",
          "The share of the experts that run falls to an eighth, while their number "
          "and size stay."}});
    // To read on: [mixture of experts](mixture_of_experts.cpp).
    //
    // ## The price of a latent
    //
    ask(quiz,
        "The encoder of a variational autoencoder returns a normal distribution with "
        "mean 1 and standard deviation 1 for the only latent. What is its "
        "Kullback–Leibler divergence from the standard normal distribution, in nats?",
        {divergence(), 2},
        {{-0.50, "A divergence is never negative."},
         {0.00,
          "The widths agree, the means do not. The divergence is 0 only for equal "
          "distributions."},
         {0.50, "½ (s² + m² − 1) − log s with m = s = 1.", is_right},
         {1.00,
          "This is the squared distance of the means. The divergence has a factor of "
          "½."}});
    // To read on: [variational autoencoders](variational_autoencoders.cpp).
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
// The questions were about the weights of whole blocks, about how a signal and its gradient travel through depth and
// time, and about what a Transformer reads. Each right answer was computed by the program, and each wrong one names the
// mistake that leads to it. If you missed a question, its page takes fifteen minutes.
//
// ## What is missing
//
// A quiz asks what you recognise; exercises such as [attention heads](../exercises/architectures/attention_heads.md) ask
// what you can write. The next chapter begins with [decisions](../applications/decisions.cpp).
//
// ```{try}
// - In a terminal: `./recto quiz architectures`. How many do you get right without looking back?
// ```
