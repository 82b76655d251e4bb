// # Where to put low-rank corrections: attention or perceptron?
//
// ```{rows} claim-lora-attention-only
// ```
//
// A [low-rank correction](low_rank.cpp) can stand beside any matrix of a transformer. The usual practice puts corrections
// beside the matrices of attention and leaves the perceptrons alone, although two thirds of the weights of a block are in
// its perceptron. Is that enough? {numref}`fig-lora-attention` adapts a language model that has learned from a dictionary
// to the text of a law, with corrections of attention, and with a training of all weights. Move the slider to another
// learning rate. How much of the gain can a few corrections reach, and would they reach more beside the perceptron?
//
// ```{opening} fig-lora-attention
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/papers.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using book::Study;
using figure::Figure, figure::Names;

const book::Option<Index> live_steps("steps", 40,
                                     "steps of the small training on this page",
                                     {.quick = 3, .least = 1, .most = 10'000});
const book::Option<Index> live_width("width", 96,
                                     "width of the model of that training, a multiple "
                                     "of its 4 heads",
                                     {.quick = 16, .least = 4, .most = 1024});
//-

// ## Two parts of a block
//
// A block of a transformer adds two things to the vector of each letter. Attention adds what it reads at other letters:
// the queries and keys decide where it looks, the values decide what it fetches, and the output matrix decides how that
// enters the vector. The perceptron then adds what it computes from the vector of the letter alone. So the two places can
// learn different things. After a dictionary, the model has to learn that in a running text words follow each other, and
// that *the* and *of* are frequent. The first needs a longer look back. The second needs other preferences among letters
// that it can already see.
//
// A correction of attention can also do some of the perceptron's work. The output matrix and the values act on every vector,
// also when a letter attends to itself. Only a measurement can tell whether this is enough.
//
// ## Equally many numbers
//
// A fair comparison gives each place equally many numbers to train. Take a matrix of two rows and three columns. A
// correction of rank 1 is a column of two numbers times a row of three: five numbers. In general a correction has as many
// numbers as the rows and the columns of the matrix together, times its rank $R$. Let the model have the width $d$. The
// queries, keys and values of a block share one matrix of $3d$ rows and $d$ columns. A correction of rank $R$ beside it
// has $4dR$ numbers. The output matrix of attention has $d$ rows and $d$ columns, and its correction $2dR$ numbers. The
// two matrices of the perceptron have $4d$ rows and $d$ columns, and the other way round: $5dR$ numbers each. With rank
// 10, attention gets $10 \cdot (4d + 2d) = 60d$ numbers. The perceptron gets as many with rank 6:
// $6 \cdot (5d + 5d) = 60d$. For both, ranks of 4, 2, 4 and 4 give $16d + 4d + 20d + 20d = 60d$.
struct Place {
    const char* name;
    Index in, out, widen, narrow;  // ranks beside the four matrices of a block
};
const std::vector<Place> places = {
    {"attention", 10, 10, 0, 0}, {"perceptron", 0, 0, 6, 6}, {"both", 4, 2, 4, 4}};

// A correction starts at zero, since its first factor does. The corrected matrix is computed in each step, and the tape
// sends its gradient to the two factors:
struct Correction {
    Tensor b, a;
    Correction(const Tensor& w, Index rank, Generator& random)
        : b(zeros({w.size(0), rank}).requires_grad_()),
          a(random.normal({rank, w.size(1)}, 0, Real(1 / std::sqrt(double(w.size(1)))))
                .requires_grad_()) {}
    Tensor beside(const Tensor& w) const {
        return a.size(0) == 0 ? w.detach() : w.detach() + matmul(b, a);
    }
    void visit(auto&& part) {
        if (a.size(0) > 0) part("b", b), part("a", a);
    }
};

struct Corrections {
    std::vector<Correction> in, out, widen, narrow;  // one for each block
    //- initialisation
    Corrections(const nn::Gpt& net, const Place& place, Generator& random) {
        for (const nn::GptBlock& block : net.blocks) {
            in.emplace_back(block.attention.in_proj_weight, place.in, random);
            out.emplace_back(block.attention.out_proj.weight, place.out, random);
            widen.emplace_back(block.widen.weight, place.widen, random);
            narrow.emplace_back(block.narrow.weight, place.narrow, random);
        }
    }
    //-
    nn::Gpt applied(const nn::Gpt& frozen) const {
        nn::Gpt net = frozen;  // shares all numbers
        for (std::size_t k = 0; k < net.blocks.size(); ++k) {
            nn::GptBlock& block = net.blocks[k];
            block.attention.in_proj_weight =
                in[k].beside(block.attention.in_proj_weight);
            block.attention.out_proj.weight =
                out[k].beside(block.attention.out_proj.weight);
            block.widen.weight = widen[k].beside(block.widen.weight);
            block.narrow.weight = narrow[k].beside(block.narrow.weight);
        }
        return net;
    }
    void visit(auto&& part) {
        part("in", in), part("out", out), part("widen", widen), part("narrow", narrow);
    }
};

//- texts, training, and the study
constexpr Index window = 64, batch = 16, base_steps = 1000, tuning_steps = 300;

std::vector<Index> dictionary() {
    const std::vector<std::string>& list = data::words();
    std::vector<Index> text;
    for (const Index i : Generator(2).permutation(std::ssize(list))) {
        text.push_back(data::symbol('.'));
        for (const Index letter : data::symbols(list[std::size_t(i)]))
            text.push_back(letter);
    }
    return text;
}
// The constitution in small letters, with a dot between words.
std::vector<Index> law() {
    std::vector<Index> text = {0};
    for (const char c : data::constitution()) {
        const char small = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
        if (small >= 'a' && small <= 'z')
            text.push_back(data::symbol(small));
        else if (text.back() != 0)
            text.push_back(0);
    }
    return text;
}
std::vector<Index> piece(const std::vector<Index>& text, double from, double to) {
    const double all = double(text.size());
    return {text.begin() + std::ptrdiff_t(from * all),
            text.begin() + std::ptrdiff_t(to * all)};
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
double loss_on(const nn::Gpt& net, const std::vector<Index>& text) {
    const NoGrad only_asking;
    double total = 0, count = 0;
    for (Index start = 0; start + window < std::ssize(text); start += window, ++count)
        total += double(loss_of(net, text, {start}).item());
    return total / count;
}

// `net` gives the network of this step; the rate falls to zero.
template <class Net>
void train(const Net& net, optim::AdamW& adam, const std::vector<Index>& text,
           Index steps, Generator& random) {
    const double rate = adam.options.lr;
    const Index warm = std::min<Index>(steps, 50);
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr = rate * std::min(double(step + 1) / double(warm),
                                          double(steps - step) / double(steps));
        std::vector<Index> starts;
        for (Index i = 0; i < batch; ++i)
            starts.push_back(random.next_integer(0, std::ssize(text) - window));
        adam.zero_grad();
        loss_of(net(), text, starts).backward();
        optim::clip_norm(adam.parameters(), 1);
        adam.step();
    }
}

nn::Gpt trained_base(Index steps, Generator& random, Index width = 96) {
    const nn::Gpt net({27, window, 2, width, 4}, random);
    optim::AdamW adam(nn::parameters(net), {.lr = 3e-3});
    train([&] { return net; }, adam, dictionary(), steps, random);
    return net;
}

const std::vector<double> rates = {1e-3, 3e-3, 1e-2};

Study::Row adapt(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const nn::Gpt base = trained_base(base_steps, random);
    const std::vector<Index> text = law(), lessons = piece(text, 0, 0.7),
                             validation = piece(text, 0.7, 0.8),
                             test = piece(text, 0.8, 1);
    Study::Row row = {loss_on(base, validation), loss_on(base, test)};
    for (const Place& place : places) {
        const Corrections corrections(base, place, random);
        optim::AdamW adam(nn::parameters(corrections), {.lr = cell[1]});
        const auto net = [&] { return corrections.applied(base); };
        train(net, adam, lessons, tuning_steps, random);
        row.push_back(loss_on(net(), validation));
        row.push_back(loss_on(net(), test));
    }
    const nn::Gpt full = nn::clone(base);
    optim::AdamW adam(nn::parameters(full), {.lr = cell[1] / 3});
    train([&] { return full; }, adam, lessons, tuning_steps, random);
    row.push_back(loss_on(full, validation));
    row.push_back(loss_on(full, test));
    return row;
}

std::vector<std::string> result_names() {
    std::vector<std::string> names;
    for (const char* way : {"base", "attention", "perceptron", "both", "full"})
        for (const char* on : {"validation", "test"})
            names.push_back(fmt::format("{} {}", way, on));
    return names;
}
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double draw : {1., 2., 3.})
        for (const double rate : rates) cells.push_back({draw, rate});
    return cells;
}
const Study study({"lora_places",
                   {"draw", "rate"},
                   result_names(),
                   {"claim-lora-attention-only/a", "claim-lora-attention-only/b"},
                   0.01},
                  all_cells(), adapt);

// The losses of three models, each at the rate that its validation text chose.
std::vector<double> chosen(const std::string& way) {
    const io::Csv& all = study.frozen();
    const std::vector<double> draw = all.column("draw"),
                              validation = all.column(way + " validation"),
                              test = all.column(way + " test");
    std::vector<double> best(3, 1e9), found(3);
    for (std::size_t i = 0; i < draw.size(); ++i) {
        const std::size_t d = std::size_t(draw[i]) - 1;
        if (validation[i] < best[d]) best[d] = validation[i], found[d] = test[i];
    }
    return found;
}
std::vector<double> at_rate(const std::string& way, double rate) {
    const std::vector<double> rate_of = study.frozen().column("rate"),
                              test = study.frozen().column(way + " test");
    std::vector<double> found;
    for (std::size_t i = 0; i < test.size(); ++i)
        if (rate_of[i] == rate) found.push_back(test[i]);
    return found;
}
// Which share of the gain of full fine-tuning the losses `found` reach.
std::vector<double> shares(std::vector<double> found, const std::vector<double>& base,
                           const std::vector<double>& full) {
    for (std::size_t i = 0; i < found.size(); ++i)
        found[i] = (base[i] - found[i]) / (base[i] - full[i]);
    return found;
}
//-

//- how the figure is drawn
const Names ways = {"base", "attention", "perceptron", "both", "full"};

void draw_attention() {
    Figure figure("fig-lora-attention");
    figure
        .describe(
            "Three bars for the loss on held-out text of the law: the base, "
            "corrections "
            "in attention, and full fine-tuning. A slider sets the learning rate of "
            "the "
            "corrections.")
        .slider("rate", rates, "learning rate of the corrections", 3e-3);
    const Names three = {"base", "attention", "full"};
    for (const double rate : rates) {
        std::vector<double> heights;
        for (const std::string& way : three)
            heights.push_back(book::median(at_rate(way, rate)));
        figure.at(rate).bars("", three, heights, {.color = figure::blue});
    }
    figure.always()
        .x("what is trained on the law")
        .y("loss on held-out text, nats a letter")
        .save(
            "The loss on the last fifth of the Constitution of the United States, "
            "medians of three models, against what was trained on its first 70 %. Full "
            "fine-tuning has a third of the learning rate.");
}

void draw_places() {
    std::vector<double> losses;
    for (const std::string& way : ways) losses.push_back(book::median(chosen(way)));
    Figure figure("fig-lora-places");
    figure
        .describe(
            "Bars for the loss on held-out text of the law: the base, corrections in "
            "attention, in the perceptron and in both, and full fine-tuning. Beside "
            "them lines for the share of the gain of full fine-tuning against the "
            "learning rate. The shares of the perceptron lie above those of attention.")
        .columns(2)
        .panel("loss")
        .bars("", ways, losses, {.color = figure::blue})
        .x("what is trained on the law")
        .y("loss on held-out text, nats a letter")
        .panel("share of the gain");
    const auto share_lines = [&](const std::string& way, figure::Color color) {
        std::vector<std::vector<double>> of_model(3);
        for (const double rate : rates) {
            const std::vector<double> share = shares(
                at_rate(way, rate), at_rate("base", rate), at_rate("full", rate));
            for (std::size_t d = 0; d < 3; ++d) of_model[d].push_back(100 * share[d]);
        }
        figure.lines(way, rates, of_model, {.color = color});
    };
    share_lines("attention", figure::blue);
    share_lines("perceptron", figure::ochre);
    figure.log_x()
        .x("learning rate of the corrections")
        .y("share of the gain of full fine-tuning, %")
        .save(
            "The loss on held-out text of the law, medians of three models, each at "
            "the best of three learning rates, and the share of the gain of full "
            "fine-tuning at each rate, a line for each model. Full fine-tuning has a "
            "third of the rate. The three placements train equally many numbers.");
    book::shows("claim-lora-attention-only/c", "fig-lora-places");
}
//-

// ## From a dictionary to a law
//
// The base is a [GPT](../architectures/mini_gpt.cpp) with two blocks of width 96, trained on the words of a dictionary in
// random order. It knows how English words are spelt, but has never seen one word follow another. The new text is the
// Constitution of the United States, in small letters: 70 % are for training, 10 % choose the learning rate, and 20 % are
// the test. *Full fine-tuning* trains all weights. The question is which share of its gain each placement reaches.
//- the question, the table, and what is checked
void compare() {
    const std::vector<double> base = chosen("base"), full = chosen("full");
    const auto share = [&](const std::string& way) {
        return shares(chosen(way), base, full);
    };
    const std::vector<double> attention = share("attention"),
                              perceptron = share("perceptron");
    int ahead = 0;  // the number of models for which the perceptron reaches more
    for (std::size_t i = 0; i < attention.size(); ++i)
        ahead += perceptron[i] > attention[i];
    ask("With equally many numbers in each place, which reaches a larger share of the "
        "gain of full fine-tuning?",
        {{"Attention, on each of the three models: the new text has context, and "
          "attention reads it.",
          ahead == 0,
          "What is new about the text is also how its words follow each other. But the "
          "perceptron, too, changes what a block makes of what attention has read."},
         {"The perceptron, on each of the three models: most weights are there.",
          ahead == 3,
          "It reached more on each model, in this setting. That most weights are there "
          "is no reason: both places train equally many numbers."},
         {"It changes from model to model.", ahead == 1 || ahead == 2,
          "Each block adds what both parts compute to the same vectors, and either "
          "part can move them."}});
    draw_places();
    std::vector<std::vector<book::Cell>> rows;
    for (const std::string& way : ways)
        rows.push_back({way, book::brief(over_seeds(chosen(way))),
                        book::brief(over_seeds(share(way)))});
    book::table("lora-places",
                "Loss on held-out text of the law, in nats a letter, and share of the "
                "gain of full fine-tuning.",
                {"what is trained", "loss", "share of the gain"}, rows);
    for (const double rate : rates)
        say("share of attention at the rate {:g}, full fine-tuning at a third of it: "
            "{}",
            rate,
            book::brief(
                over_seeds(shares(at_rate("attention", rate), at_rate("base", rate),
                                  at_rate("full", rate)))));
    claim("claim-lora-attention-only/a",
          "share of the gain of full fine-tuning that corrections of attention alone "
          "reach",
          over_seeds(share("attention")), ">=", 0.6);
    book::report("claim-lora-attention-only/b",
                 "loss with corrections of the perceptron alone",
                 over_seeds(chosen("perceptron")));
    book::report("claim-lora-attention-only/b", "loss with corrections of both",
                 over_seeds(chosen("both")));
}
//-

// Attention alone reaches more than two thirds of the gain of full fine-tuning in 300 steps, with a twentieth of its
// numbers. So the usual practice works here. It is not the best choice, however. Equally many numbers in the perceptron
// reach a larger share for each of the three models, by 1.5 to 7 points. Corrections of both reach about as much as those
// of the perceptron alone.
//
// These shares belong to this training. All ways, full fine-tuning included, chose the largest of their three learning
// rates, so none of them has shown its best, and 300 steps are few. At each of the three rates the perceptron reaches more
// on each model ({numref}`fig-lora-places`), and the share of attention grows from each rate to the next. What a still
// larger rate or more steps bring, we have not tried. If they help full fine-tuning more than the corrections, the shares
// fall, and the lead of the perceptron can change too.
//
//- equally many numbers, and a start at the base
void start() {
    Generator random(book::seed());
    const nn::Gpt base = trained_base(live_steps(), random, live_width());
    const std::vector<Index> text = piece(law(), 0.8, 0.85);
    bool same = true;
    std::vector<Index> counts;
    for (const Place& place : places) {
        const Corrections corrections(base, place, random);
        same &= loss_on(corrections.applied(base), text) == loss_on(base, text);
        counts.push_back(nn::count(corrections));
    }
    say("numbers that are trained: {} for each placement, {:.1f} % of {}", counts[0],
        100 * double(counts[0]) / double(nn::count(base)), nn::count(base));
    claim_true("", "all placements train equally many numbers",
               counts[0] == counts[1] && counts[1] == counts[2]);
    claim_true("", "at the start each corrected model has exactly the loss of its base",
               same);
}
//-

// ## Limits and history
//
// {cite:t}`hu2022` introduced LoRA and, for GPT-3, corrected only the matrices of attention. With the same number of
// numbers, they found that queries and values together did better than queries alone. They left the perceptrons to later
// work, and {cite:t}`fleuret2023` calls it the usual practice to change attention and leave the perceptrons. Our model is
// small and our text short. In a larger model with a harder task the shares can differ.
//
// ## Summary
//
// A low-rank correction can stand beside the matrices of attention, of the perceptron, or of both. A comparison is fair
// if each placement has equally many numbers and its own learning rate. In our short training, attention alone reaches more
// than two thirds of the gain of full fine-tuning, and the perceptron alone a little more.
//
// ## What is missing
//
// All corrections of this page stand beside a matrix. [The next page](adapters.cpp) inserts small layers between the frozen
// ones.
//
// ```{try}
// - A model of twice the width: `--width 192`. Which share of its numbers do corrections of the same ranks train?
// ```

void page() {
    draw_attention();
    compare();
    start();
}
