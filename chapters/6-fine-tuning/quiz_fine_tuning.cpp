// # Quiz on fine-tuning: eleven questions
//
// ```{rows} ex-tp6-qcm
// ```
//
// How many numbers does a low-rank correction train, and how many bits does a weight of 4 bits take? These eleven
// questions are about adapting and compressing models. Each needs a minute, a pencil and one idea. Open an answer: it
// says whether it is right, and why. Every wrong answer comes from a mistake that is easily made, and names it.
//
// The program of this page computes the answers with the library, and fails if one of them differs from the choice that
// is marked as right. If you disagree with an answer, open *the question as code* below it, and the function that it
// calls in the fold that follows here. In a terminal, `./recto quiz fine-tuning` asks the same questions and counts.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/base/block_formats.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/quiz.hpp>
#include <recto/core/quantized_tensor.hpp>
#include <recto/core/random.hpp>
#include <recto/core/tensor.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/lora.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/top_k.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/text/retrieval.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

using namespace recto;
using book::ask, book::claim, book::is_right, book::Quiz;
using figure::Figure;
//-

//- how the answers are computed
nn::Lora corrected(Index width, Index rank, Generator& random) {
    return nn::Lora(nn::Linear(width, width, random, {.bias = false}), rank, random);
}

Index lora_numbers() {
    Generator random(book::seed());
    return nn::count(corrected(1024, 8, random));
}

// Trains a correction whose factors both begin at 0, and says which of them has moved.
std::string both_zero() {
    Generator random(book::seed());
    nn::Lora layer = corrected(16, 4, random);
    layer.a.copy_(zeros(layer.a.shape()));
    layer.b.copy_(zeros(layer.b.shape()));
    const Tensor x = random.normal({20, 16}), wanted = random.normal({20, 16});
    optim::Adam optimiser(nn::parameters(layer), {.lr = 0.01});
    for (int step = 0; step < 50; ++step) {
        optimiser.zero_grad();
        mean(square(sub(layer(x), wanted))).backward();
        optimiser.step();
    }
    const auto moved = [](const Tensor& t) {
        return double(max(abs(t.detach())).item()) > 0;
    };
    return moved(layer.a) ? (moved(layer.b) ? "both factors change" : "only A changes")
           : moved(layer.b) ? "only B changes"
                            : "neither factor ever changes";
}

std::string merged_cost() {
    Generator random(book::seed());
    const nn::Linear base(64, 64, random);
    const nn::Linear merged = nn::Lora(base, 8, random).merged();
    const auto work = [&](const nn::Linear& layer) {
        const FlopCount count;
        layer(zeros({1, 64}));
        return count.multiply_adds();
    };
    const Index before = work(base), after = work(merged);
    return after == before       ? "none"
           : after == 2 * before ? "it doubles the work"
                                 : fmt::format("{} multiply-adds more", after - before);
}

// How many singular values of the sum of two corrections of rank 8 are not zero.
Index rank_of_a_sum() {
    Generator random(book::seed());
    Tensor sum_of_both = zeros({64, 64});
    for (int task = 0; task < 2; ++task) {
        nn::Lora layer = corrected(64, 8, random);
        layer.b.copy_(random.normal(layer.b.shape()));
        sum_of_both = add(sum_of_both, layer.correction());
    }
    const linalg::Vector values =
        linalg::singular_values(linalg::matrix_of(sum_of_both));
    return std::count_if(values.begin(), values.end(),
                         [&](double v) { return v > 1e-4 * values[0]; });
}

double gigabytes_of_seven_billion() { return 7e9 / block_size * q4_0.bytes() / 1e9; }

double beside_an_outlier() {
    Tensor block = full({32}, Real(0.04));
    block.set({7}, Real(12.7));
    return double(dequantize(quantize(block, q8_0)).at({0}));
}

double straight_through() {
    Tensor x({3}, {0, Real(0.3), 1});
    x.requires_grad_();
    sum(mul(fake_quantize(x, 2, 3), 2)).backward();
    return double(x.grad().at({1}));
}

Index bytes_for_a_token() {
    Generator random(book::seed());
    const nn::Gpt model({.tokens = 8, .time = 8, .layers = 4, .width = 256, .heads = 4},
                        random);
    Index numbers = 0;
    for (const nn::KeyValueCache& cache : model.caches(1, 1))
        numbers += cache.keys.numel() + cache.values.numel();
    return 2 * numbers;
}

double similarity() {
    return double(
        text::nearest(Tensor({1, 2}, {1, 2}), Tensor({1, 2}, {3, 6}), 1).values.item());
}

struct Staircase {
    std::string name;
    Index levels;
};
const std::vector<Staircase> staircases = {{"A", 3}, {"B", 6}, {"C", 8}, {"D", 4}};
const std::vector<double> inputs = data::even_grid(401, -1, 1);

std::vector<double> rounded_to(Index levels) {
    const Tensor x({Index(inputs.size())},
                   std::vector<Real>(inputs.begin(), inputs.end()));
    const std::vector<Real> found = fake_quantize(x, levels, x.numel()).values();
    return {found.begin(), found.end()};
}

// The staircase with as many values as three bits can tell apart.
std::string three_bits() {
    for (const Staircase& stairs : staircases) {
        const std::vector<double> heights = rounded_to(stairs.levels);
        if (std::set<double>(heights.begin(), heights.end()).size() == std::size_t(1)
                                                                           << 3)
            return stairs.name;
    }
    return "none";
}

void page() {
    Quiz quiz;
    //-
    //
    // ## The size of a correction
    //
    ask(quiz,
        "A layer has 1,024 × 1,024 frozen weights and no bias. LoRA corrects it with "
        "rank 8. How many numbers are trained?",
        {lora_numbers()},
        {{64, "This is 8 × 8. The factors are 1,024 × 8 and 8 × 1,024."},
         {8192, "This is one factor. The correction is the product of two."},
         {16'384, "Two factors of 1,024 × 8 numbers, a sixty-fourth of the layer.",
          is_right},
         {1'048'576,
          "This is the size of the correction after multiplication, which is never "
          "trained itself."}});
    // To read on: [low-rank adaptation](low_rank.cpp).
    //
    // ## Two zeros
    //
    ask(quiz,
        "In LoRA the factor B begins at 0 and A does not. Suppose that both begin at "
        "0. What happens in training?",
        both_zero(),
        {{"both factors change",
          "The gradient of each factor is a product with the other factor. If both are "
          "0, both gradients are 0."},
         {"only A changes", "The gradient of A is a product with B, which is 0."},
         {"only B changes",
          "This is the first step of LoRA as it is, where A is not 0. The gradient of "
          "B is a product with A."},
         {"neither factor ever changes",
          "Each gradient is a product with the other factor, so both are 0, in every "
          "step.",
          is_right}});
    // To read on: [low-rank adaptation](low_rank.cpp).
    //
    // ## After merging
    //
    ask(quiz,
        "A correction of rank 8 is added into the weights of its layer, 64 × 64. How "
        "much more arithmetic does the merged layer need for an input than the layer "
        "without a correction?",
        merged_cost(),
        {{"none",
          "The sum is a matrix of 64 × 64 numbers like the one before. This is why the "
          "correction is linear.",
          is_right},
         {"512 multiply-adds more",
          "This is the size of one factor, 64 × 8, which is gone after merging."},
         {"1,024 multiply-adds more",
          "This is the price before merging, when the input goes through both factors "
          "as well."},
         {"it doubles the work",
          "This would keep the correction as a second matrix of 64 × 64. It was added "
          "to the first."}});
    // To read on: [low-rank adaptation](low_rank.cpp) and [adapters](adapters.cpp), which cannot be merged.
    //
    // ## The sum of two corrections
    //
    ask(quiz,
        "Two independent corrections of rank 8 for the same layer, 64 × 64, are added. "
        "What is the rank of the sum, as a rule?",
        {rank_of_a_sum()},
        {{8,
          "This needs factors with the same columns. Independent ones span different "
          "directions."},
         {16,
          "The columns of both together span 16 directions. [B₁ B₂] with the rows of "
          "A₁ and A₂ is one correction of rank 16.",
          is_right},
         {64, "Ranks add up at most; they are not multiplied."},
         {4,
          "A sum has a lower rank only if directions cancel, which independent ones do "
          "not."}});
    // To read on: [task arithmetic](merging.cpp).
    //
    // ## Bits for a weight
    //
    ask(quiz,
        "Q4_0 stores 32 weights with 4 bits each and a common scale in FP16. How many "
        "bits does it take for a weight?",
        {q4_0.bits_per_weight(), 1},
        {{4.0, "The scale takes 16 bits as well, for 32 weights."},
         {4.5, "4 bits, and a 32nd of the 16 bits of the scale.", is_right},
         {5.0, "This is right for Q4_1, which also stores a minimum in FP16."},
         {20.0, "The scale is stored once for a block, not for each weight."}});
    // To read on: [block quantisation](block_formats.cpp).
    //
    // ## The size of a file
    //
    ask(quiz,
        "A model has 7 billion weights, all in Q4_0. How many gigabytes, of 10⁹ bytes "
        "each, do they take?",
        {gigabytes_of_seven_billion(), 1},
        {{3.5, "This is 4 bits for each weight, without the scales."},
         {3.9, "7 billion times 4.5 bits, divided by 8 bits for each byte.", is_right},
         {7.0, "This is a byte for each weight."},
         {31.5, "These are gigabits: 8 bits are one byte."}});
    // To read on: [bit budgets](bit_budgets.cpp).
    //
    // ## Beside an outlier
    //
    ask(quiz,
        "In a block of Q8_0 one weight is 12.7 and all others are 0.04. Codes go from "
        "−127 to 127, and the scale is the largest weight divided by 127. What becomes "
        "of the weights of 0.04?",
        {beside_an_outlier(), 2},
        {{0.00,
          "The scale is 0.1, and 0.04 is nearer to 0 than to 0.1. The outlier has "
          "erased its neighbours.",
          is_right},
         {0.04, "This needs a scale that divides 0.04. The common scale is 0.1."},
         {0.05, "Halves of the scale are not among the codes."},
         {0.10,
          "0.04 is nearer to 0 than to 0.1, and codes are rounded to the nearest."}});
    // To read on: [block quantisation](block_formats.cpp).
    //
    // ## Four staircases
    //
    // Look at {numref}`fig-quiz-fine-tuning` first.
    //- how the figure is drawn
    Figure drawn("fig-quiz-fine-tuning");
    drawn.describe(
        "Four staircases from −1 to 1. A has three levels, B has six, C has eight, D "
        "has four.");
    for (const Staircase& stairs : staircases) {
        drawn.panel(stairs.name)
            .line("", inputs, rounded_to(stairs.levels),
                  {.color = figure::blue, .dash = figure::solid, .points = false});
        drawn.x("weight").y("rounded weight");
    }
    drawn.columns(2).save(
        "Weights between −1 and 1, rounded to evenly spaced levels. Count the levels.");
    //-
    ask(quiz, "Which of them rounds to 3 bits?", three_bits(),
        {{"A", "A has 3 levels, and 3 bits have 2³ values."},
         {"B",
          "B has 6 levels, 2 × 3. Each bit doubles the number of values: 2 × 2 × 2."},
         {"C", "C has 8 levels, 2³.", is_right},
         {"D", "D has 4 levels, which 2 bits tell apart."}});
    // To read on: [how few bits a network needs](quantisation.cpp).
    //
    // ## The derivative of rounding
    //
    ask(quiz,
        "In quantisation-aware training a weight of 0.3 is rounded to 0. On the "
        "backward pass the gradient 2 arrives. What does the straight-through "
        "estimator pass on?",
        {straight_through(), 1},
        {{0.0,
          "This is the true derivative of a staircase, with which nothing would be "
          "learned."},
         {0.6, "The gradient is not multiplied by the weight."},
         {1.0,
          "The estimator takes the derivative of rounding as 1, and multiplies the 2 "
          "by it."},
         {2.0, "The gradient passes as if there were no rounding.", is_right}});
    // To read on: [quantisation-aware training](quantisation_aware.cpp).
    //
    // ## The memory of a token
    //
    ask(quiz,
        "A GPT has 4 layers of width 256 with 4 heads. Its key–value cache holds "
        "numbers of 2 bytes. How many bytes does the cache take for each token?",
        {bytes_for_a_token()},
        {{1024,
          "This is a single layer, 2 × 256 × 2. Every layer has keys and values of its "
          "own."},
         {2048, "These are the keys. The values take as much."},
         {4096, "4 layers × 2, keys and values, × 256 numbers × 2 bytes.", is_right},
         {16'384,
          "The heads share the width of 256. They do not have 256 numbers each."}});
    // To read on: [decoding with a cache](decoding.cpp).
    //
    // ## How near is a note?
    //
    ask(quiz,
        "A query has the vector (1, 2), a note has (3, 6). What is the cosine by which "
        "retrieval compares them?",
        {similarity(), 2},
        {{0.33, "This is the ratio of the lengths, which the cosine divides out."},
         {0.87,
          "This is the cosine of 30 degrees. The angle between the two vectors is 0."},
         {1.00, "The vectors have the same direction. Their lengths do not count.",
          is_right},
         {15.00,
          "This is the inner product. The cosine divides it by both lengths, and is "
          "never above 1."}});
    // To read on: [retrieval](retrieval.cpp).
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
// The questions were about corrections of low rank, about weights of few bits and what they cost, and about the memory
// and the notes of a model that answers. Each right answer was computed by the program, and each wrong one names the
// mistake that leads to it. If you missed a question, its page takes fifteen minutes.
//
// ## What is missing
//
// A quiz asks what you recognise; the exercises, from [a softmax](../exercises/foundations/softmax.md) on, ask what you
// can write. This is the last page of the last chapter. The [glossary](../glossary.md) leads from a term back to the page
// that teaches it.
//
// ```{try}
// - In a terminal: `./recto quiz fine-tuning`. How many do you get right without looking back?
// ```
