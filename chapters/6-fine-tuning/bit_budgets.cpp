// # Bit budgets: a larger model with fewer bits
//
// ```{rows} fig-8.2 claim-quantized-large-beats-small claim-mixed-precision-by-matrix
// ```
//
// You have half a megabyte for a language model. A small model fits with 16 bits for each weight. A model with more
// than three times as many weights fits with four and a half bits for each. Which of them predicts text better?
// {numref}`fig-bit-budget` shows two models in eight formats. Move the slider, which is your budget, and see which model
// wins. Memory is what decides on a laptop or a phone, so this is the question behind every download of a quantised
// model.
//
// ```{opening} fig-bit-budget
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/block_formats.hpp>
#include <recto/base/float_formats.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/elementwise/round_to.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using book::Study;
using figure::Figure;

const book::Option<Index> again_words("words", 300,
                                      "held-out words that this page reads itself",
                                      {.quick = 50, .least = 20, .most = 4000});
//-

// ## Bytes and perplexity
//
// In the format Q4_0 a [block](block_formats.cpp) of 32 weights takes 18 bytes: 32 codes of four bits, and a scale in FP16.
// That makes $18 \cdot 8 / 32 = 4.5$ bits for each weight. A model with 800,000 weights then takes 450,000 bytes. In FP16 a
// model with 225,000 weights takes as much. In general, $N$ weights with $b$ bits each take $N b / 8$ bytes, the scales
// included in $b$. The formats of this page, by their bits for each weight:
struct Format {
    const char* name;
    double bits;                       // for each weight, scale and minimum included
    std::optional<BlockFormat> block;  // a format of llama.cpp,
    Index levels;                      // or evenly spaced levels for 32 weights
};
const std::vector<Format> formats = {
    {"FP16", 16, {}, 0},       {"Q8_0", 8.5, q8_0, 0},   {"Q5_1", 6, q5_1, 0},
    {"Q5_0", 5.5, q5_0, 0},    {"Q4_1", 5, q4_1, 0},     {"Q4_0", 4.5, q4_0, 0},
    {"3-bit codes", 4, {}, 8}, {"2-bit codes", 3, {}, 4}};

Tensor stored(const Tensor& w, const Format& format) {
    if (format.block) return dequantize(quantize(w, *format.block));
    if (format.levels) return fake_quantize(w, format.levels, block_size);
    return w;
}
// The last two have no name in llama.cpp. A block holds codes of three or two bits, a scale and a minimum, and we count the
// last two as FP16, as in Q4_1. Their own rounding is left out, which is more than a hundred times finer than that of the
// codes.
//
// The **perplexity** of a language model, the exponential of its mean loss, says how uncertain it is. A model that gives
// each letter a probability of $\frac14$ has the loss $\log 4$ and the perplexity 4: it is as uncertain as a fair choice
// among four letters. A lower perplexity is better.
//
// ## Two models
//
// Both models are small [GPTs](../architectures/mini_gpt.cpp), which predict the next letter of a list of English words. The
// smaller one has two blocks of width 96, the larger one four blocks of width 128. Both have read the same number of
// letters, with learning rates that start at $0.03/\sqrt{\text{width}}$ and fall to zero. Then all parameters are rounded
// to FP16. From there on nothing is trained any more. We do this five times, with other initial weights and batches. Three
// times were planned. These three disagreed on which model is better, and so we added two.
//- the text, the models, and a training
constexpr Index held_words = 6000, window = 64, batch = 16, all_steps = 1600;
constexpr std::size_t draws = 5;

std::vector<Index> letters_of(Index begin, Index end) {
    const std::vector<std::string>& list = data::words();
    const std::vector<Index> order = Generator(2).permutation(std::ssize(list));
    std::vector<Index> text;
    for (Index i = begin; i < std::min(end, std::ssize(list)); ++i) {
        text.push_back(data::symbol('.'));
        for (const Index letter :
             data::symbols(list[std::size_t(order[std::size_t(i)])]))
            text.push_back(letter);
    }
    return text;
}

Tensor loss_of(const nn::Gpt& net, const std::vector<Index>& text,
               const std::vector<Index>& starts) {
    std::vector<Index> before, next;
    for (const Index start : starts)
        for (Index t = start; t < start + window; ++t) {
            before.push_back(text[std::size_t(t)]);
            next.push_back(text[std::size_t(t + 1)]);
        }
    const Tensor scores = net(Integers({std::ssize(starts), window}, before));
    return cross_entropy(reshape(scores, {std::ssize(next), 27}),
                         Integers({std::ssize(next)}, next));
}

double perplexity_of(const nn::Gpt& net, const std::vector<Index>& text) {
    const NoGrad only_asking;
    double total = 0, count = 0;
    for (Index start = 0; start + window < std::ssize(text);) {
        std::vector<Index> starts;
        for (int i = 0; i < 32 && start + window < std::ssize(text);
             ++i, start += window)
            starts.push_back(start);
        total += double(loss_of(net, text, starts).item()) * double(starts.size());
        count += double(starts.size());
    }
    return std::exp(total / count);
}

enum Size { small, large };
nn::GptSize size_of(Size which) {
    return which == small ? nn::GptSize{27, window, 2, 96, 4}
                          : nn::GptSize{27, window, 4, 128, 4};
}

nn::Gpt trained(Size which, std::uint64_t draw) {
    Generator random(1000 * draw + book::seed());
    const nn::GptSize size = size_of(which);
    const nn::Gpt net(size, random);
    const std::vector<Index> text = letters_of(held_words, std::ssize(data::words()));
    optim::AdamW adam(nn::parameters(net));
    const double top = 0.03 / std::sqrt(double(size.width));
    for (Index step = 1; step <= all_steps; ++step) {
        adam.options.lr =
            top * std::min(double(step) / 100,
                           double(all_steps - step + 1) / double(all_steps - 99));
        std::vector<Index> starts;
        for (Index i = 0; i < batch; ++i)
            starts.push_back(random.next_integer(0, std::ssize(text) - window));
        adam.zero_grad();
        loss_of(net, text, starts).backward();
        optim::clip_norm(adam.parameters(), 1);
        adam.step();
    }
    const NoGrad only_rounding;
    for (const NamedTensor& p : nn::parameters(net)) {
        Tensor numbers = p.tensor.detach();
        numbers.copy_(round_to(numbers, fp16));
    }
    return net;
}
//-

// Biases and the vectors of the normalisations are few and stay in FP16. All matrices can be stored in another format,
// each kind of matrix in its own:
enum Kind { embeddings, queries, keys, values, outputs, widen, narrow, kinds };
using Choice = std::array<Format, kinds>;  // a format for each kind of matrix

nn::Gpt with_formats(const nn::Gpt& net, const Choice& of) {
    const NoGrad only_rounding;
    const nn::Gpt copy = nn::clone(net);
    const auto store = [&](const Tensor& matrix, Kind kind) {
        Tensor numbers = matrix.detach();
        numbers.copy_(stored(contiguous(numbers), of[kind]));
    };
    store(copy.words.weight, embeddings), store(copy.places.weight, embeddings);
    for (const nn::GptBlock& block : copy.blocks) {
        const Tensor& in = block.attention.in_proj_weight;
        const Index width = in.size(1);
        for (const Kind kind : {queries, keys, values})  // its rows, in this order
            store(slice(in, 0, (kind - 1) * width, kind * width), kind);
        store(block.attention.out_proj.weight, outputs);
        store(block.widen.weight, widen), store(block.narrow.weight, narrow);
    }
    return copy;
}
//- bytes, and one format for all kinds
Choice all_in(const Format& format) {
    Choice of;
    of.fill(format);
    return of;
}
std::array<double, kinds> weights_of(Size which) {
    const nn::GptSize size = size_of(which);
    const double square = double(size.layers * size.width * size.width);
    return {double((size.tokens + size.time) * size.width),
            square,
            square,
            square,
            square,
            4 * square,
            4 * square};
}
double bytes_of(Size which, const Choice& of) {
    const nn::GptSize size = size_of(which);
    const std::array<double, kinds> weights = weights_of(which);
    double bytes = 2 * double(13 * size.layers * size.width + 2 * size.width);
    for (std::size_t k = 0; k < kinds; ++k) bytes += weights[k] * of[k].bits / 8;
    return bytes;
}
//-

//- the study
const char* kind_names[] = {"embeddings", "queries", "keys",  "values",
                            "outputs",    "widen",   "narrow"};
Format codes(Index bits) { return {"", double(bits) + 1, {}, Index(1) << bits}; }

// The bits for each kind with the least sum of the rises, in no more memory than `budget` bits for all.
std::array<Index, kinds> best_bits(const std::array<std::array<double, 4>, kinds>& rise,
                                   Size which, double budget) {
    const std::array<double, kinds> weights = weights_of(which);
    std::array<Index, kinds> best{};
    double least = std::numeric_limits<double>::infinity(), total = 0;
    for (const double w : weights) total += w;
    for (Index number = 0; number < 1 << 2 * kinds; ++number) {
        std::array<Index, kinds> bits{};
        double sum = 0, spent = 0;
        for (std::size_t k = 0; k < kinds; ++k) {
            bits[k] = 1 + (number >> 2 * k & 3);
            sum += rise[k][std::size_t(bits[k] - 1)];
            spent += double(bits[k]) * weights[k];
        }
        if (spent <= budget * total && sum < least) least = sum, best = bits;
    }
    return best;
}

Study::Row train_and_store(const Study::Row& cell) {
    const Size which = Size(int(cell[0]));
    const nn::Gpt net = trained(which, std::uint64_t(cell[1]));
    const std::vector<Index> validation = letters_of(0, 1500),
                             test = letters_of(1500, 4500);
    Study::Row row;
    for (const Format& format : formats)
        row.push_back(perplexity_of(with_formats(net, all_in(format)), test));
    const double unchanged = perplexity_of(net, validation);
    std::array<std::array<double, 4>, kinds> rise{};  // of the logarithm
    for (std::size_t k = 0; k < kinds; ++k)
        for (Index bits = 1; bits <= 4; ++bits) {
            Choice of = all_in(formats[0]);
            of[k] = codes(bits);
            const double now = perplexity_of(with_formats(net, of), validation);
            rise[k][std::size_t(bits - 1)] = std::log(now / unchanged);
            row.push_back(now / unchanged - 1);
        }
    for (const double budget : {2., 3.}) {
        const std::array<Index, kinds> bits = best_bits(rise, which, budget);
        Choice of;
        for (std::size_t k = 0; k < kinds; ++k) {
            of[k] = codes(bits[k]);
            row.push_back(double(bits[k]));
        }
        row.push_back(perplexity_of(with_formats(net, of), test));
    }
    return row;
}

std::vector<std::string> result_names() {
    std::vector<std::string> names;
    for (const Format& format : formats) names.push_back(format.name);
    for (const char* kind : kind_names)
        for (int bits = 1; bits <= 4; ++bits)
            names.push_back(fmt::format("{} {}", kind, bits));
    for (const int budget : {2, 3}) {
        for (const char* kind : kind_names)
            names.push_back(fmt::format("mixed {} {}", budget, kind));
        names.push_back(fmt::format("mixed {}", budget));
    }
    return names;
}

const Study study(
    {"bit_budgets",
     {"large", "draw"},
     result_names(),
     {"fig-8.2/a", "fig-8.2/b", "fig-8.2/c", "claim-quantized-large-beats-small/a",
      "claim-mixed-precision-by-matrix/a", "claim-mixed-precision-by-matrix/b"},
     0,
     [] {
         std::vector<double> within(formats.size(), 0.008);
         within[6] = within[7] = 0.03;                  // codes of few bits
         within.resize(formats.size() + 4 * kinds, 1);  // small differences
         within.resize(result_names().size(), 3);       // bits, which may change
         within.back() = within[within.size() - 2 - kinds] = 0.03;
         return within;
     }()},
    {{large, 1},
     {large, 2},
     {large, 3},
     {large, 4},
     {large, 5},
     {small, 1},
     {small, 2},
     {small, 3},
     {small, 4},
     {small, 5}},
    train_and_store);

std::vector<double> column(Size which, const std::string& name) {
    const std::vector<double> all = study.frozen().column(name);
    std::vector<double> found;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (study.frozen().rows[i][0] == double(which)) found.push_back(all[i]);
    return found;
}
double middle(Size which, const std::string& name) {
    return book::median(column(which, name));
}
double kilobytes(Size which, const Format& format) {
    return bytes_of(which, all_in(format)) / 1000;
}
//-

//- how the first figure is drawn
struct Point {
    Size which;
    const Format* format;
    double kilobytes, perplexity;
};
void draw_budget() {
    std::vector<Point> points;
    for (const Size which : {small, large})
        for (const Format& format : formats)
            points.push_back(
                {which, &format, kilobytes(which, format), middle(which, format.name)});
    const char* names[] = {"smaller model", "larger model"};
    const figure::Color colors[] = {figure::ochre, figure::blue};
    std::vector<double> stops;
    for (const Point& p : points) stops.push_back(std::ceil(p.kilobytes));
    std::ranges::sort(stops);
    const auto [low, high] = std::ranges::minmax(points, {}, &Point::perplexity);
    const double range = high.perplexity - low.perplexity;
    Figure figure("fig-bit-budget");
    figure
        .describe(
            "Perplexity against kilobytes for two models in eight formats, two falling "
            "curves with a cross at the 16-bit original of each. The slider moves a "
            "vertical line, the budget, and a red dot marks the best model that fits "
            "into it. Below the size of the larger model in few bits the smaller one "
            "wins.")
        .slider("budget", stops, "budget, kilobytes",
                std::ceil(kilobytes(small, formats[0])));
    for (const double stop : stops) {
        const Point* best = nullptr;
        for (const Point& p : points)
            if (p.kilobytes <= stop && (!best || p.perplexity < best->perplexity))
                best = &p;
        figure.at(stop)
            .rule_x(stop, fmt::format("{}, {}", names[best->which], best->format->name))
            .dots("", {best->kilobytes}, {best->perplexity},
                  {.color = figure::red, .width = 6});
    }
    figure.always();
    for (const Size which : {small, large}) {
        std::vector<double> x, y;
        for (const Point& p : points)
            if (p.which == which) x.push_back(p.kilobytes), y.push_back(p.perplexity);
        figure.line(names[which], x, y, {.color = colors[which]});
        const double left = x[0] / 1.04, right = x[0] * 1.04, gap = std::nan(""),
                     under = y[0] - 0.025 * range, over = y[0] + 0.025 * range;
        figure.line("", {left, right, gap, left, right},
                    {under, over, gap, over, under},
                    {.color = figure::ink, .points = false});
    }
    figure.log_x()
        .x("memory of the model, kilobytes")
        .y("perplexity on held-out words")
        .save(
            "Perplexity of two models against their memory, medians of five "
            "trainings, on "
            "3,000 held-out words. Each curve has eight formats, from 2-bit codes to "
            "FP16, whose cross marks the original. The red dot is the best model "
            "within the budget.");
    book::shows("fig-8.2/d", "fig-bit-budget");
}
//-

//- what is checked
void budgets() {
    std::vector<double> least_step, eight, against, between;
    for (std::size_t draw = 0; draw < draws; ++draw) {
        double least = std::numeric_limits<double>::infinity(), off = 0;
        for (const Size which : {small, large}) {
            for (std::size_t f = 0; f + 1 < formats.size(); ++f)
                least = std::min(least, column(which, formats[f + 1].name)[draw] /
                                            column(which, formats[f].name)[draw]);
            off = std::max(off, std::abs(column(which, "Q8_0")[draw] /
                                             column(which, "FP16")[draw] -
                                         1));
        }
        least_step.push_back(least), eight.push_back(off);
        const double full = column(small, "FP16")[draw],
                     q4 = column(large, "Q4_0")[draw], q5 = column(large, "Q4_1")[draw];
        against.push_back(q4 / full);
        const double share =
            (kilobytes(small, formats[0]) - kilobytes(large, formats[5])) /
            (kilobytes(large, formats[4]) - kilobytes(large, formats[5]));
        between.push_back((q4 + share * (q5 - q4)) / full);
    }
    std::vector<std::vector<book::Cell>> rows;
    for (const Format& format : formats)
        rows.push_back({format.name, format.bits, kilobytes(small, format),
                        book::brief(over_seeds(column(small, format.name))),
                        kilobytes(large, format),
                        book::brief(over_seeds(column(large, format.name)))});
    book::table(
        "bit-budgets", "Perplexity of two models in eight formats.",
        {"format", "bits", "smaller, kB", "perplexity", "larger, kB", "perplexity"},
        rows);
    claim("fig-8.2/a",
          "perplexity in each format, divided by that in the format with the next more "
          "bits: the least of both models",
          over_seeds(least_step), ">=", 0.995);
    claim("fig-8.2/b",
          "perplexity in Q8_0 against that in FP16, relative difference, the larger of "
          "both models",
          over_seeds(eight), "<=", 0.01);
    claim("fig-8.2/c",
          "perplexity of the larger model in Q4_0, divided by that of the smaller in "
          "FP16",
          over_seeds(against), "<", 1);
    claim("",
          "memory of the larger model in Q4_0, divided by that of the smaller in FP16",
          kilobytes(large, formats[5]) / kilobytes(small, formats[0]), "<=", 1);
    claim("claim-quantized-large-beats-small/a",
          "at the bytes of the smaller model in FP16: interpolated perplexity of the "
          "larger model, divided by that of the smaller",
          over_seeds(between), "<", 1);
}
//-

// Codes of eight bits cost nothing that we could measure. In the medians, codes of five bits raise the perplexity by one or
// two thousandths, and codes of four bits by a half to one per cent. With 3-bit codes the rise is two to five per cent, and
// with 2-bit codes a sixth or more. The larger model loses less with the same few bits.
//
// So which model is better in half a megabyte? At the bytes of the smaller model in FP16 the larger one fits in Q4_0. In
// the median it predicts better. But the lead is narrow, because our larger model is only two per cent better to begin
// with, and rounding takes about two fifths of this away. In one draw of the five the smaller model wins.
// {numref}`fig-bit-budget` also shows how far the rule goes. With 3-bit codes the larger model is hardly better than the
// smaller one in Q8_0 and needs two thirds more memory; with 2-bit codes it is far worse. **Here a larger model with fewer
// bits is the better choice down to codes of four bits, and not below.**
//
// ## The price of a matrix
//
// So far all matrices have had the same format. A block of a GPT has six kinds of them. Attention reads its input with
// the matrices of [queries, keys and values](../components/multi_head.cpp), and a fourth matrix writes its output. Then
// one matrix widens each vector to four times its length, and another narrows it again. The embeddings of letters and
// places are a seventh kind. Which of them needs its bits most? Round one kind of matrix to 2-bit codes, leave all others
// in FP16, and look at the perplexity:
//- the question, and the second figure
void prices() {
    std::vector<double> rises;
    for (const char* kind : kind_names)
        rises.push_back(middle(large, fmt::format("{} 2", kind)));
    const std::size_t dearest =
        std::size_t(std::ranges::max_element(rises) - rises.begin());
    ask("In the larger model one kind of matrix is rounded to 2-bit codes. Which "
        "raises "
        "the perplexity most?",
        {{"The queries: a wrong query looks at the wrong letter.", dearest == queries,
          "The softmax of attention forgives: what matters is which score is largest, "
          "and errors in many products cancel."},
         {"The values: what attention reads is what it passes on.", dearest == values,
          "An error in the values goes straight into the result."},
         {"The two matrices of the perceptron: they hold two thirds of all weights.",
          dearest == widen || dearest == narrow,
          "More rounded weights add more error, and no softmax stands between them and "
          "the result."},
         {"The embeddings: every letter is read and scored with them.",
          dearest == embeddings,
          "They are few, but each number is used at both ends of the network."}});
    Figure figure("fig-prices");
    figure
        .describe(
            "Two panels, for the smaller and the larger model, with a logarithmic "
            "vertical axis: the rise of the perplexity against the bits of the codes "
            "of "
            "one kind of matrix, seven falling lines. The lines lie a factor of "
            "several "
            "apart.")
        .columns(2);
    for (const Size which : {small, large}) {
        figure.panel(which == small ? "smaller model" : "larger model");
        for (const char* kind : kind_names) {
            std::vector<double> rise;
            for (const int bits : {1, 2, 3, 4})
                rise.push_back(std::max(
                    0.01, 100 * middle(which, fmt::format("{} {}", kind, bits))));
            if (kind == kind_names[narrow])
                figure.line(kind, {1, 2, 3, 4}, rise, {.color = figure::ink});
            else
                figure.line(kind, {1, 2, 3, 4}, rise);
        }
        figure.log_y().x("bits of the codes").y("rise of the perplexity, %");
    }
    figure.save(
        "The rise of the perplexity on 1,500 held-out words when one kind of matrix is "
        "rounded and all others stay in FP16, medians of five trainings. Rises below "
        "0.01 % are drawn at 0.01 %.");
    book::shows("claim-mixed-precision-by-matrix/c", "fig-prices");
    std::vector<double> factor;
    for (std::size_t draw = 0; draw < draws; ++draw) {
        double most = 0, least = std::numeric_limits<double>::infinity();
        for (std::size_t kind = queries; kind < kinds; ++kind) {
            const double rise =
                column(large, fmt::format("{} 2", kind_names[kind]))[draw];
            most = std::max(most, rise), least = std::min(least, rise);
        }
        factor.push_back(most / std::max(least, 1e-4));
    }
    claim("claim-mixed-precision-by-matrix/a",
          "rises in perplexity of the larger model with 2-bit codes for one of the six "
          "kinds of matrices in the blocks: the largest divided by the smallest",
          over_seeds(factor), ">=", 2);
}
//-

// The embeddings are the most sensitive kind by far, although they hold fewer than four weights in a hundred. Each of their
// rows is read for every occurrence of a letter, and used a second time for the scores. In the claim we leave them out
// and compare the six kinds of the blocks. Among these, values, outputs and the widening matrix cost two to three times
// as much as queries and the narrowing matrix. {cite:t}`fleuret2023` names the values and the perceptron as the matrices
// that deserve more bits. Here this holds for the values and for one half of the perceptron. The narrowing matrix has as
// many weights as the widening one, and its rounding costs less than half.
//
// ## Spend bits where they count
//
// A budget of 2-bit codes can be spent in other ways: 3 bits for one kind of matrix, and 1 bit for another of the same
// size. Suppose that 1 bit in place of 2 raises the perplexity by 1 % for the first kind and by 4 % for the second, and
// that 3 bits in place of 2 lower it by 0.3 % and 2 %. Then 1 bit for the first kind and 3 for the second change it by
// $1 - 2 = -1$ %, a gain. The other way round costs $4 - 0.3 = 3.7$ %. The program measures the rise of the logarithm of
// the perplexity for each kind with codes of 1 to 4 bits, on 1,500 validation words. Then it tries all $4^7 = 16{,}384$
// ways to give bits to seven kinds, and takes the one with the least sum among those that need no more memory than equal
// bits. The result is judged on other words.
//- the table, and what is checked
void mixed() {
    std::vector<std::vector<book::Cell>> rows;
    std::vector<double> gain;
    for (const int budget : {3, 2})
        for (const Size which : {small, large}) {
            const std::string name = fmt::format("mixed {}", budget);
            std::string bits;
            for (const char* kind : kind_names)
                bits += fmt::format("{}{:.0f}", bits.empty() ? "" : " ",
                                    middle(which, fmt::format("{} {}", name, kind)));
            rows.push_back({which == small ? "smaller" : "larger",
                            fmt::format("{} bits", budget), bits,
                            book::brief(over_seeds(
                                column(which, fmt::format("{}-bit codes", budget)))),
                            book::brief(over_seeds(column(which, name)))});
        }
    book::table(
        "mixed-bits",
        "Equal bits for all matrices, and bits by kind, in no more memory. The "
        "bits are those of embeddings, queries, keys, values, outputs, widening "
        "and narrowing: medians of five trainings.",
        {"model", "budget", "bits by kind", "equal bits", "bits by kind"}, rows);
    for (std::size_t draw = 0; draw < draws; ++draw)
        gain.push_back(column(large, "mixed 2")[draw] /
                       column(large, "2-bit codes")[draw]);
    claim("claim-mixed-precision-by-matrix/b",
          "perplexity of the larger model with bits by kind, divided by that with "
          "2-bit codes for all, in no more memory",
          over_seeds(gain), "<=", 1);
}
//-

// In the same memory, bits by kind are better than equal bits: for both models, for both budgets and in all draws. With a
// budget of two bits, the larger model loses little more than half as much against FP16. The embeddings always get four
// bits, which costs little memory because they are few. In four of five draws of the larger model this is all that is
// gained, and the queries pay for it with one bit. With a budget of three bits the narrowing matrix pays for the others,
// and in the larger model the values are always among those that gain. Words that were used to choose the bits do not
// judge them.
//
//- sizes are those of real blocks
void sizes() {
    Generator random(book::seed());
    bool same = true;
    for (const Size which : {small, large}) {
        const nn::Gpt net(size_of(which), random);
        double bytes = 0;
        for (const NamedTensor& p : nn::parameters(net))
            bytes += p.tensor.dim() == 2
                         ? double(quantize(p.tensor.detach(), q4_0).nbytes())
                         : 2 * double(p.tensor.numel());
        same &= bytes == bytes_of(which, all_in(formats[5]));
        say("{} model: {} parameters, {:.0f} bytes in Q4_0",
            which == small ? "smaller" : "larger", nn::count(net), bytes);
        const std::vector<Index> text = letters_of(0, again_words());
        say("untrained, its perplexity is {:.1f}", perplexity_of(net, text));
    }
    claim_true("", "the bytes of both models in Q4_0 are those of the blocks", same);
}
//-

// ## Limits and history
//
// {cite:t}`fleuret2023` shows this comparison for two models of the LLaMA family with 7 and 13 billion weights. Ours are
// ten thousand times smaller. Large models have more weights to average over, and lose less with the same few bits. Our
// larger model has learned from as many letters as the smaller one, and took about three times as long to train: the
// comparison counts memory, not the cost of training. One rule sets the learning rates of both, and we tuned neither. The
// sum of the rises is a rough guide, since errors in two matrices may add or cancel. The program {cite:t}`llamacpp` mixes
// formats, too. Its Q4_K_M has four bits for most matrices, and six for half of the matrices of values and half of the
// narrowing ones. In our models the narrowing matrix is among the last to need them.
//
// ## Summary
//
// The memory of a model is its number of weights times the bits of each. Codes of eight bits cost nothing that we could
// measure, and codes of four or five bits cost little. So in a fixed memory a larger model with such codes can beat a
// smaller one with 16 bits, here by a narrow margin and not in every draw. With codes of fewer than four bits the loss
// grows fast. The kinds of matrices differ in how much they lose, and bits that are spent where they count give a lower
// perplexity in the same memory.
//
// ## What is missing
//
// All rounding of this page came after the training. [The next page](quantisation_aware.cpp) rounds during the training,
// and so reaches fewer bits.
//
// ```{try}
// - More text for the untrained models: `--words 2000`. What would a perplexity of 27 mean?
// ```

void page() {
    draw_budget();
    budgets();
    prices();
    mixed();
    sizes();
}
