// # A small assistant: adapted with few numbers, stored with few bits
//
// ```{rows} sys-fine-tuning-llm
// ```
//
// A base model continues texts. An **assistant** answers questions. How do you make one from the other if you have neither
// much memory nor many examples? This page goes the whole way with the means of this chapter: a small language model learns
// to answer by a [correction of low rank](low_rank.cpp), and is then stored with [four bits](block_formats.cpp) for each
// weight. In {numref}`fig-assistant` the slider changes the format in which the models are stored. How much does the
// assistant lose against a model whose weights were all trained and kept in full precision?
//
// ```{opening} fig-assistant
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/block_formats.hpp>
#include <recto/base/float_formats.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/little_world.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/respond.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/elementwise/round_to.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using book::Study;
using data::WorldFact;
using figure::Figure;
using nn::Exchange;

using Text = std::vector<Index>;  // numbers of words

const book::Option<Index> base_steps("steps", 350, "steps of the base model shown here",
                                     {.quick = 10, .least = 1, .most = 100'000});
const book::Option<Index> tuning("tuning", 200, "steps of its fine-tuning",
                                 {.quick = 5, .least = 1, .most = 100'000});
//-

//- the base model, and its perplexity
const Index window = 18;

double rate_at(Index step, Index steps, double rate) {
    const double left = 1 - double(step) / double(steps);
    return rate * std::min(std::min(1.0, double(step + 1) / 30), 2 * left);
}
Tensor loss_of_sentences(const nn::Gpt& net, Index batch, Generator& random) {
    static const std::vector<WorldFact> rules = data::rule_instances();
    Text before, next;
    for (Index b = 0; b < batch; ++b) {
        Text text = data::world_sentences(rules, window, random);
        text.insert(text.begin(), 0);
        before.insert(before.end(), text.begin(), text.end() - 1);
        next.insert(next.end(), text.begin() + 1, text.end());
    }
    const Tensor scores = net(Integers({batch, window}, before));
    return cross_entropy(reshape(scores, {batch * window, scores.size(2)}),
                         Integers({batch * window}, next));
}
nn::Gpt base_model(Index steps, Generator& random) {
    const nn::Gpt net({.tokens = std::ssize(data::world_words()),
                       .time = window,
                       .layers = 2,
                       .width = 64,
                       .heads = 4},
                      random);
    optim::AdamW adam(nn::parameters(net));
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr = rate_at(step, steps, 4e-3);
        optim::train_step(adam, [&] { return loss_of_sentences(net, 32, random); });
    }
    return net;
}
double perplexity_of(const nn::Gpt& net) {
    const NoGrad only_asking;
    Generator random(book::seed() + 77);
    return std::exp(double(loss_of_sentences(net, 200, random).item()));
}
//-

// ## Instructions
//
// The base model is that of [the page on alignment](../applications/alignment.cpp), a GPT of two blocks that has read
// sentences of a little world: *nettle is a plant. the home of nettle is garden.* It has never seen a question. An
// **instruction** is a prompt with the response that we want:
Exchange instruction(const WorldFact& fact) {
    Text prompt = data::world_tokens(". question");
    for (const Index word : data::question(fact)) prompt.push_back(word);
    prompt.push_back(data::world_word("answer"));
    return {prompt, {fact.answer, 0}};  // the answer, and a full stop
}
// There are 288 of them, four for each thing of the world. Half of them are shown in the fine-tuning. A sixth chooses
// the learning rate, and the rest is held out. A response is right if the most probable word is the answer, and the most
// probable word after it is the full stop.
//- the instructions in three parts, a fine-tuning, and how answers are judged
struct Parts {
    std::vector<WorldFact> shown, validation, held;
};
Parts parts_of(Generator& random) {
    const std::vector<WorldFact> all = data::rule_instances();
    Parts found;
    std::size_t n = 0;
    for (const Index i : random.permutation(std::ssize(all))) {
        const std::size_t which = n++ % 6;
        (which < 3    ? found.shown
         : which == 3 ? found.validation
                      : found.held)
            .push_back(all[std::size_t(i)]);
    }
    return found;
}

// `net` gives the network of this step.
template <class Net>
void fine_tune(const Net& net, const NamedTensors& changed,
               const std::vector<WorldFact>& shown, Index steps, double rate,
               Generator& random) {
    optim::AdamW adam(changed, {.weight_decay = 0});
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr = rate_at(step, steps, rate);
        std::vector<Exchange> batch;
        for (int b = 0; b < 32; ++b)
            batch.push_back(instruction(
                shown[std::size_t(random.next_integer(0, std::ssize(shown)))]));
        optim::train_step(adam, [&] { return nn::response_loss(net(), batch); });
    }
}

double right_answers(const nn::Gpt& net, const std::vector<WorldFact>& facts) {
    std::vector<Text> prompts;
    for (const WorldFact& fact : facts) prompts.push_back(instruction(fact).prompt);
    const std::vector<nn::Response> written = nn::respond(net, prompts, 2);
    double right = 0;
    for (std::size_t i = 0; i < facts.size(); ++i)
        right += written[i].tokens == instruction(facts[i]).response;
    return right / double(facts.size());
}
//-

// ## A correction of low rank
//
// Full fine-tuning trains every number. Our assistant keeps the base frozen, and trains two thin matrices beside each
// matrix of each block, with rank 4:
//- the matrices of a model, and a correction
const Index rank = 4;
std::vector<Tensor*> matrices_of(nn::Gpt& net) {
    std::vector<Tensor*> found;
    for (nn::GptBlock& block : net.blocks)
        found.insert(found.end(),
                     {&block.attention.in_proj_weight, &block.attention.out_proj.weight,
                      &block.widen.weight, &block.narrow.weight});
    return found;
}
struct Correction {
    Tensor b, a;  // (out, rank) and (rank, in)
    void visit(auto&& part) { part("b", b), part("a", a); }
};
//-
nn::Gpt corrected(const nn::Gpt& base, const std::vector<Correction>& all) {
    nn::Gpt net = base;  // shares all numbers
    std::size_t k = 0;
    for (Tensor* w : matrices_of(net)) {
        *w = w->detach() + matmul(all[k].b, all[k].a);
        ++k;
    }
    return net;
}
// After the training the products are added to the matrices once and for all. The assistant then has as many weights as
// the base, and runs as fast.
//- corrections that begin at zero
std::vector<Correction> no_corrections(const nn::Gpt& base, Generator& random) {
    std::vector<Correction> all;
    nn::Gpt net = base;
    for (const Tensor* w : matrices_of(net)) {
        const Real size = Real(1 / std::sqrt(double(w->size(1))));
        all.push_back({zeros({w->size(0), rank}).requires_grad_(),
                       random.normal({rank, w->size(1)}, 0, size).requires_grad_()});
    }
    return all;
}
struct Trained {
    std::vector<Correction> all;
    void visit(auto&& part) { part("all", all); }
};
//-

// ## Rounding after the correction
//
// Then all matrices are rounded, the embeddings too. Does this not wipe out the correction? Suppose that an output of a
// layer sums 32 products of an input 1 and a weight, and that the correction raises each weight by 0.02. Let two
// neighbouring levels lie 0.1 apart. Then a correction is too small to move a weight to the next level, unless the weight
// lay near the middle of two levels. But the 32 corrections add up to $32 \cdot 0.02 = 0.64$. The errors of rounding have
// random signs. An error that is uniform between $-0.05$ and $0.05$ has the standard deviation $0.1 / \sqrt{12}$, and the
// sum of 32 of them has $0.1 \sqrt{32 / 12} \approx 0.16$. In general, $n$ corrections of size $c$ that all push the sum
// one way, with levels at the distance $s$, give
//
// $$ n\, c \quad \text{against an error of about} \quad s\, \sqrt{n / 12} . $$
//
// **Corrections add up, and errors mostly cancel.** The longer the sum, the better. The formats are those of [the page on
// budgets](bit_budgets.cpp), and the full precision of 32 bits. This function
// rounds a model to a format:
//- the formats
struct Format {
    const char* name;
    double bits;                       // for each weight, scale and minimum included
    std::optional<BlockFormat> block;  // a format of llama.cpp,
    Index levels;                      // or evenly spaced levels for 32 weights
};
const std::vector<Format> formats = {
    {"FP32", 32, {}, 0},       {"FP16", 16, {}, 0},      {"Q8_0", 8.5, q8_0, 0},
    {"Q5_0", 5.5, q5_0, 0},    {"Q4_1", 5, q4_1, 0},     {"Q4_0", 4.5, q4_0, 0},
    {"3-bit codes", 4, {}, 8}, {"2-bit codes", 3, {}, 4}};
const std::size_t full_precision = 0, four_bits = 4;  // Q4_1
//-
nn::Gpt stored(const nn::Gpt& net, const Format& format) {
    const NoGrad only_rounding;
    const nn::Gpt copy = nn::clone(net);
    if (format.bits == 32) return copy;
    for (const NamedTensor& p : nn::state(copy)) {
        Tensor x = p.tensor.detach();
        x.copy_(round_to(x, fp16));  // biases and normalisations stay so
        if (x.dim() != 2) continue;
        if (format.block) x.copy_(dequantize(quantize(contiguous(x), *format.block)));
        if (format.levels) x.copy_(fake_quantize(x, format.levels, block_size));
    }
    return copy;
}
//- bytes, and the study
double bytes_of(const nn::Gpt& net, const Format& format) {
    double bytes = 0;
    for (const NamedTensor& p : nn::state(net))
        bytes += double(p.tensor.numel()) *
                 (p.tensor.dim() == 2 || format.bits == 32 ? format.bits : 16) / 8;
    return bytes;
}
double middle_size(std::vector<double> numbers) {
    for (double& number : numbers) number = std::abs(number);
    return book::median(numbers);
}

struct Way {
    const char* name;
    std::array<double, 2> rates;  // offered to the validation questions
};
const std::array<Way, 2> ways = {{{"full", {1e-3, 3e-3}}, {"low rank", {3e-3, 1e-2}}}};

std::vector<std::string> result_names() {
    std::vector<std::string> names = {"base perplexity", "base answers", "correction",
                                      "step"};
    for (const Way& way : ways) {
        for (const char* what : {"rate", "validation"})
            names.push_back(fmt::format("{} {}", way.name, what));
        for (const Format& format : formats)
            for (const char* what : {"perplexity", "answers"})
                names.push_back(fmt::format("{} {} {}", way.name, format.name, what));
    }
    return names;
}

// The corrections of all matrices, and the distances of the levels of Q4_1 in the corrected matrices.
std::array<double, 2> sizes_of(const nn::Gpt& base, nn::Gpt tuned) {
    std::vector<double> corrections, steps;
    nn::Gpt before = base;
    const std::vector<Tensor*> from = matrices_of(before), to = matrices_of(tuned);
    for (std::size_t k = 0; k < from.size(); ++k) {
        const std::vector<Real> w = from[k]->detach().values(),
                                now = to[k]->detach().values();
        for (std::size_t i = 0; i < w.size(); ++i)
            corrections.push_back(double(now[i]) - double(w[i]));
        for (auto block = now.begin(); block < now.end(); block += block_size) {
            const auto [low, high] = std::minmax_element(block, block + block_size);
            steps.push_back(double(*high - *low) / 15);
        }
    }
    return {middle_size(corrections), middle_size(steps)};
}

Study::Row adapt(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const nn::Gpt base = base_model(500, random);
    const Parts parts = parts_of(random);
    Study::Row row = {perplexity_of(base), right_answers(base, parts.held)}, rest;
    for (const Way& way : ways) {
        const bool full = &way == &ways[0];
        nn::Gpt best = nn::clone(base);
        double most = -1, chosen = 0;
        for (const double rate : way.rates) {
            nn::Gpt net = nn::clone(base);
            if (full) {
                fine_tune([&] { return net; }, nn::parameters(net), parts.shown, 200,
                          rate, random);
            } else {
                const Trained trained{no_corrections(base, random)};
                fine_tune([&] { return corrected(base, trained.all); },
                          nn::parameters(trained), parts.shown, 200, rate, random);
                const NoGrad only_adding;
                net = corrected(base, trained.all);
            }
            const double found = right_answers(net, parts.validation);
            if (found > most) most = found, chosen = rate, best = net;
        }
        if (!full)
            for (const double size : sizes_of(base, best)) row.push_back(size);
        rest.push_back(chosen), rest.push_back(most);
        for (const Format& format : formats) {
            const nn::Gpt small = stored(best, format);
            rest.push_back(perplexity_of(small));
            rest.push_back(right_answers(small, parts.held));
        }
    }
    row.insert(row.end(), rest.begin(), rest.end());
    return row;
}

// Training magnifies rounding: only answers in formats of four bits and more stay the same.
std::vector<double> tolerances() {
    std::vector<double> found;
    for (const std::string& name : result_names())
        found.push_back(name.find("rate") != std::string::npos      ? 3
                        : name.find("-bit") != std::string::npos    ? 1
                        : name.find("answers") != std::string::npos ? 0.08
                                                                    : 0.5);
    return found;
}

const Study study({"small_assistant",
                   {"draw"},
                   result_names(),
                   {"sys-fine-tuning-llm/a", "sys-fine-tuning-llm/c"},
                   0,
                   tolerances()},
                  {{1}, {2}, {3}}, adapt);
std::vector<double> column(const std::string& name) {
    return study.frozen().column(name);
}
double middle(const std::string& name) { return book::median(column(name)); }
//-

//- how the figure is drawn
const nn::Gpt& any_model() {  // for its bytes
    static Generator random(book::seed());
    static const nn::Gpt net({.tokens = std::ssize(data::world_words()),
                              .time = window,
                              .layers = 2,
                              .width = 64,
                              .heads = 4},
                             random);
    return net;
}
void draw_assistants() {
    std::vector<double> stops, kilobytes;
    std::array<std::vector<double>, 2> answers;
    for (const Format& format : formats) {
        stops.push_back(format.bits);
        kilobytes.push_back(bytes_of(any_model(), format) / 1000);
        for (const std::size_t k : {0, 1})
            answers[k].push_back(
                100 * middle(fmt::format("{} {} answers", ways[k].name, format.name)));
    }
    std::vector<double> rising = stops;
    std::ranges::reverse(rising);
    const char* labels[] = {"all weights trained", "correction of low rank"};
    Figure figure("fig-assistant");
    figure
        .describe(
            "Bars for the share of right answers of the base, of a model whose weights "
            "were all trained, and of a model with a correction of low rank. Beside "
            "them two curves of the share against the memory, which are flat down to "
            "four bits and fall at 2-bit codes, that of the low rank farther. The "
            "slider sets the bits for each weight.")
        .slider("bits", rising, "bits for each weight", 5)
        .panel("right answers, %");
    for (std::size_t f = 0; f < formats.size(); ++f)
        figure.at(stops[f]).bars(
            "", {"base", "all weights", "low rank"},
            {100 * middle("base answers"), answers[0][f], answers[1][f]},
            {.color = figure::blue});
    figure.always()
        .x("what was trained")
        .y("right answers, %")
        .ylim(0, 105)
        .panel("against the memory");
    for (const std::size_t k : {0, 1}) figure.line(labels[k], kilobytes, answers[k]);
    for (std::size_t f = 0; f < formats.size(); ++f)
        figure.at(stops[f]).rule_x(kilobytes[f], formats[f].name);
    figure.always()
        .log_x()
        .x("memory of the model, kilobytes")
        .y("right answers, %")
        .ylim(0, 115)
        .save(
            "Right answers to 96 questions that the fine-tuning did not show, medians "
            "of three base models, against the format in which the weights are stored. "
            "Eight formats, from FP32 to 2-bit codes. The base is drawn in FP32.");
}
//-

// ## One table
//
// Three base models are fine-tuned in both ways, for equally many steps, each with the better of two learning rates.
// The validation questions choose it, and the smaller rate is taken if both are equally good. Place your bet:
//- the question, the table, and what is checked
void results() {
    const double base = middle("base perplexity"),
                 all = middle("full FP32 perplexity") / base,
                 low = middle("low rank FP32 perplexity") / base;
    ask("The fine-tuning showed questions and answers only. How well do both models "
        "still write the sentences that the base had learned?",
        {{"Both as well as before: the questions are about the same world.",
          all <= 1.5 && low <= 1.5,
          "Nothing in the fine-tuning asks for a sentence. Whatever helps the answers "
          "may spoil the sentences."},
         {"The model with the correction as well as before, since its base is frozen. "
          "The other one worse.",
          all > 1.5 && low <= 1.5,
          "The base is frozen, but the correction is added to it for sentences too."},
         {"Both worse: the perplexity rises by more than half.", all > 1.5 && low > 1.5,
          "The correction is part of the model for every text, and nothing in the "
          "fine-tuning asks for sentences."},
         {"Only the model with the correction worse: few numbers must change much.",
          all <= 1.5 && low > 1.5, "Each of few numbers has to change more."}});
    say("median size of a correction {}, median distance of two levels of Q4_1 {}",
        book::brief(over_seeds(column("correction"))),
        book::brief(over_seeds(column("step"))));
    std::vector<std::vector<book::Cell>> rows;
    const double all_numbers = double(nn::count(any_model()));
    Generator random(book::seed());
    const double few = double(nn::count(Trained{no_corrections(any_model(), random)}));
    const auto row = [&](const char* words, double trained, const std::string& name,
                         const Format& format) {
        const std::string of =
            name == "base" ? name : fmt::format("{} {}", name, format.name);
        rows.push_back(
            {words, format.name, trained, bytes_of(any_model(), format) / 1000,
             book::brief(over_seeds(column(fmt::format("{} perplexity", of)))),
             book::brief(over_seeds(column(fmt::format("{} answers", of))))});
    };
    const Format &full = formats[full_precision], &small = formats[four_bits];
    row("base", 0, "base", full);
    row("all weights trained", all_numbers, "full", full);
    row("correction of low rank", few, "low rank", full);
    row("correction of low rank", few, "low rank", small);
    row("all weights trained", all_numbers, "full", small);
    book::table(
        "assistant-steps",
        "From the base to the assistant. The perplexity is that of sentences "
        "of the world. Right answers: the share among 96 held-out questions.",
        {"model", "format", "trained numbers", "kB", "perplexity", "right answers"},
        rows);
    book::shows("sys-fine-tuning-llm/c", "assistant-steps");
    std::vector<double> fraction = column("low rank Q4_1 answers");
    const std::vector<double> best = column("full FP32 answers");
    for (std::size_t i = 0; i < fraction.size(); ++i) fraction[i] /= best[i];
    claim(
        "sys-fine-tuning-llm/a",
        "right answers of the assistant with low rank in Q4_1, as a fraction of those "
        "of the model whose weights were all trained, in FP32",
        over_seeds(fraction), ">=", 0.8);
}
//-

// The assistant answers nearly every question that the fine-tuning did not show. It is as good as the model whose weights
// were all trained, and takes a sixth of its memory. The memory is saved by the rounding alone: the last row of the table
// shows that a full fine-tuning can be stored in Q4_1, too. What the low rank saves is memory in training. Its fine-tuning
// had to keep gradients and [moments](../training/optimisers.cpp) for a fourteenth of the numbers. More than half of the
// corrections are smaller than half of the distance between two levels, and yet rounding to Q4_1 costs no answer in these
// draws. {numref}`fig-assistant` shows where this ends: with 2-bit codes both models lose answers, and the model with the
// correction loses more.
//
// The perplexity shows the price. All fine-tuned models write the sentences of the world worse than the base did, by a
// factor that differs much from draw to draw. This is **forgetting**, and a frozen base does not prevent it. Each model
// chose the smaller of its two learning rates, so a still smaller rate, or fewer steps, might answer as well and forget
// less. And a correction can be left out again: for sentences, use the base without it.
//
// ## Ask the assistant
//
// Last comes the prompt. The page trains a base and its correction, rounds the sum to Q4_1, and asks questions that the
// fine-tuning did not show:

//- one assistant, its bytes, and its answers
std::string answer_of(const nn::Gpt& net, const WorldFact& fact) {
    const std::vector<Text> prompts = {instruction(fact).prompt};
    return data::world_text(nn::respond(net, prompts, 2)[0].tokens);
}

void assistant() {
    Generator random(book::seed());
    const nn::Gpt base = base_model(base_steps(), random);
    const Parts parts = parts_of(random);
    const Trained trained{no_corrections(base, random)};
    fine_tune([&] { return corrected(base, trained.all); }, nn::parameters(trained),
              parts.shown, tuning(), 3e-3, random);
    const NoGrad only_adding;
    const nn::Gpt small = stored(corrected(base, trained.all), formats[four_bits]);
    std::vector<std::vector<book::Cell>> rows;
    for (const std::size_t k : {0, 1, 2, 3}) {
        const WorldFact& fact = parts.held[k];
        rows.push_back({data::world_text(data::question(fact)), answer_of(base, fact),
                        answer_of(small, fact), data::world_text({fact.answer})});
    }
    book::table(
        "assistant-answers",
        "Questions that the fine-tuning did not show: the first two words after "
        "*answer*.",
        {"question", "base model", "assistant in Q4_1", "right"}, rows);
    say("right answers of this assistant to all held-out questions: {:.3f}",
        right_answers(small, parts.held));
    double bytes = 0;
    for (const NamedTensor& p : nn::state(base)) {
        const Tensor x = p.tensor.detach();
        bytes +=
            x.dim() == 2
                ? double(quantize(contiguous(x), *formats[four_bits].block).nbytes())
                : 2 * double(x.numel());
    }
    claim("sys-fine-tuning-llm/b",
          "bytes of the assistant, blocks of Q4_1 and the other numbers in FP16, as a "
          "fraction of the bytes of the model in FP32",
          bytes / (4 * double(nn::count(base))), "<=", 0.25);
    claim("", "the bytes of the figure against those of the blocks, difference",
          std::abs(bytes - bytes_of(base, formats[four_bits])), "<=", 0);
}
//-

// ## Limits and origins
//
// {cite:t}`hu2022` adapted GPT-3 with corrections of low rank, and {cite:t}`dettmers2023` went on to store the frozen
// base with four bits *during* the fine-tuning, so that a model of 65 billion weights could be adapted on one GPU. We
// round only at the end. Our questions have one form and short answers, and both ways reach nearly all of them. So this
// page shows that little is lost. It cannot show which of the two ways would learn more from harder instructions. What
// the memory of a quarter is measured against matters too: the rival has 32 bits for each number. Stored in FP16 it would
// need half of that, and our assistant would have a third of its bytes.
//
// ## Summary
//
// A base model becomes an assistant by a fine-tuning on instructions. A correction of low rank trains a small part of
// the numbers, is added to the weights, and the sum can be stored with four bits: corrections add up in each output, and
// errors of rounding mostly cancel. In our little world such an assistant answers as well as a model whose weights were
// all trained and kept in full precision, in a sixth of its memory. Both forget some of what the base could do.
//
// ## What is missing
//
// The assistant answers whatever it is asked, right or wrong. What it *should* answer is the subject of [the page on
// alignment](../applications/alignment.cpp).
//
// [The next page](quiz_fine_tuning.cpp) asks eleven questions about this chapter.
//
// ```{try}
// - A shorter fine-tuning: `--tuning 40`. Which of the two words is wrong first, the answer or the full stop?
// - A base that has read less: `--steps 100`. Can a fine-tuning replace what the base does not know?
// ```

void page() {
    draw_assistants();
    results();
    assistant();
}
