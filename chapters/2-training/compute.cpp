// # What training costs
//
// ```{rows} eq-training-flops fig-3.7 claim-benefits-of-scale
// ```
//
// [The last page](scaling.cpp) found laws: with more weights, more data and more steps the loss falls along a
// straight line. Whoever has such a line will follow it, and the world has. This page asks what it costs. It counts
// the operations of a training, turns them into electricity, places thirty well-known models on the bill, and at
// the end looks at what the money buys, in an experiment that fits on a desk.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/landmarks.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask_number, book::claim, book::claim_in, book::median, book::over_seeds,
    book::say;
using data::Batches, data::Examples, data::Landmark, data::landmarks, data::Part,
    data::training_flops;
using figure::Figure;
using Numbers = std::vector<double>;
//-

// Five numbers can be changed:
const book::Option<Index> width("width", 256, "width of the small GPT",
                                {.quick = 64, .least = 16, .most = 1024});
const book::Option<Index> layers("layers", 2, "how many blocks it has",
                                 {.least = 1, .most = 12});
const book::Option<int> pictures("pictures", 10'000, "pictures to learn from",
                                 {.quick = 500, .least = 100, .most = 60'000});
const book::Option<Index> epochs("epochs", 4, "how often each is seen",
                                 {.quick = 1, .least = 1, .most = 100});
const book::Option<int> draws("draws", 5, "how often each network is trained",
                              {.quick = 1, .least = 1, .most = 20});

// ## Six per weight
//
// Most weights of a network stand in matrices. When a sample passes, such a weight is multiplied by one number, and
// the product is added to a sum: two operations. On the way back the same matrix is used once to send the gradient
// on to the inputs, and a product of the same size makes the gradient of the weights. That is four more. So the
// training of a model of $N$ weights on $D$ samples takes about
//
// ```{equation} eq-training-flops
// :function: recto::data::training_flops
// :test: landmarks: six operations for a multiply-add, as the papers count
// C \approx 6 \, N D
// ```
//
// *floating-point operations*, FLOP for short {cite:p}`kaplan2020`. For a language model a sample is a *token*, a
// piece of text. It sounds too simple to be true of a machine with dozens of layers. So we build one, a small GPT
// {cite:p}`radford2018`. Blocks of attention and of two linear layers lie on top of each other; a later chapter
// takes them apart. Here only their sizes matter.
struct Block {
    nn::LayerNorm before, between;
    nn::MultiHeadAttention attend;
    nn::Linear up, down;

    Block(Index width, Generator& random)
        : before({width}),
          between({width}),
          attend(width, 4, random),
          up(width, 4 * width, random),
          down(4 * width, width, random) {}
    Tensor operator()(const Tensor& x) const {
        const Tensor h = x + attend(before(x), {.causal = true});
        return h + down(gelu(up(between(h))));
    }
    void visit(auto&& part) {
        part("before", before), part("between", between), part("attend", attend);
        part("up", up), part("down", down);
    }
};

// A table gives each token its first row of numbers, another one each place in the text, and a last layer scores
// the 64 tokens there are.
struct Gpt {
    nn::Embedding tokens, places;
    std::vector<Block> blocks;
    nn::Linear scores;

    Gpt(Index width, Index context, Generator& random)
        : tokens(64, width, random),
          places(context, width, random),
          scores(width, 64, random, {.bias = false}) {
        for (Index i = 0; i < layers(); ++i) blocks.emplace_back(width, random);
    }
    Tensor operator()(const Integers& text) const {
        Tensor h = tokens(text) + slice(places.weight, 0, 0, text.shape()[1]);
        for (const Block& block : blocks) h = block(h);
        return scores(h);
    }
    // Rows are looked up in the two tables, not multiplied, so they do not count.
    Index weights() const { return nn::count(blocks) + nn::count(scores); }
    void visit(auto&& part) {
        part("tokens", tokens), part("places", places);
        part("blocks", blocks), part("scores", scores);
    }
};

// The library counts every multiply-add of every product, forward and back, while {cpp:class}`~recto::FlopCount`
// looks on. One step of training is enough; all others cost the same.
struct Counted {
    double flops, tokens, weights;
    double ratio() const { return flops / training_flops(weights, tokens); }
};
Counted count_a_step(Index width, Index context) {
    Generator random(book::seed());
    const Gpt model(width, context, random);
    const Index batch = std::max<Index>(1, 512 / context);
    const Integers text = random.integers({batch, context}, 0, 64),
                   next = random.integers({batch, context}, 0, 64);
    const FlopCount count;
    cross_entropy(model(text), next).backward();
    return {double(count.flops()), double(batch * context), double(model.weights())};
}

// What can the rule have missed? In attention every token looks at all others (the library computes the later ones,
// too, and then forbids them), and there numbers are multiplied with numbers, not with weights. For one token, one
// layer and a context of $T$ tokens these are $T$ times the width $d$ multiply-adds for the matches, as many for
// the mixture, and on the way back five products of that size, one of which computes the matches again so as not to
// keep them. Seven times $T d$, two operations each:
double attention_flops(double width, double context, double tokens) {
    return 14 * double(layers()) * context * width * tokens;
}

void six_per_weight() {
    const Counted step = count_a_step(width(), 32);
    say("{:.0f} weights, {:.0f} tokens, {:.0f} operations", step.weights, step.tokens,
        step.flops);
    claim_in("eq-training-flops/a",
             "operations counted in a step, over 6 N D, with a context of 32 tokens",
             step.ratio(), 0.9, 1.3);

    // {numref}`fig-six` makes the context longer and longer, for two widths.
    Numbers contexts;
    for (Index T = 8; T <= (book::quick() ? 64 : 512); T *= 2)
        contexts.push_back(double(T));
    Figure drawn("fig-six");
    drawn.log_x()
        .x("context in tokens")
        .y("operations / 6 N D")
        .describe(
            "Counted operations divided by 6 N D against the length of the context "
            "from 8 to 512, for two widths. For the larger width it stays near 1 up to "
            "a context of 64 and reaches about 1.4. For the smaller width it rises "
            "four times as fast. Dots lie on the lines.");

    // At each point a step is counted, and computed with the attention added:
    double unexplained = 0;
    for (const Index d : {width() / 4, width()}) {
        Numbers counted, expected;
        for (const double T : contexts) {
            const Counted c = count_a_step(d, Index(T));
            const double with_attention = training_flops(c.weights, c.tokens) +
                                          attention_flops(double(d), T, c.tokens);
            counted.push_back(c.ratio());
            expected.push_back(with_attention / training_flops(c.weights, c.tokens));
            if (d == width())
                unexplained =
                    std::max(unexplained, std::abs(c.flops - with_attention) / c.flops);
        }
        const figure::Color color = d == width() ? figure::blue : figure::red;
        drawn
            .line(fmt::format("width {}", d), contexts, expected,
                  {.color = color, .points = false})
            .dots("", contexts, counted,
                  {.color = color, .shape = figure::Shape::circle});
    }
    drawn.rule_y(1, "6 N D")
        .save(
            "The rule holds as long as the context is short against the width. Beyond "
            "that attention is what one pays for, and its share can be computed "
            "(lines) as well as counted (dots).");
    claim("eq-training-flops/b",
          "with the attention term, what is left unexplained at the larger width, in "
          "per cent",
          100 * unexplained, "<=", 1);
}

// What is left are biases and scales, which are weights and multiply nothing. In models that matter widths are in
// the thousands and six per weight is all one needs to know.
//
// ## Joules
//
// These numbers need a unit that can be felt. People in the field use the *petaflop/s-day*: a machine that makes
// $10^{15}$ operations each second runs for a day. Electricity is more telling. An A100, a common processor for
// training in those years, makes at most $312 \cdot 10^{12}$ operations a second with numbers of 16 bits, and takes
// 400 watts. How many operations is a kilowatt-hour?
constexpr double rate = 312e12, watts = 400;
constexpr double per_kilowatt_hour = rate / watts * 1000 * 3600;

void joules() {
    say("one petaflop/s-day is {:.3g} operations", data::petaflop_day);
    claim("eq-training-flops/c", "operations of one petaflop/s-day", data::petaflop_day,
          "==", 8.64e19);
    claim("fig-3.7/a", "operations of one kilowatt-hour", per_kilowatt_hour,
          "==", 2.808e18);
    claim_in("fig-3.7/b",
             "operations of 3920 terawatt-hours, the electricity of the United States "
             "in 2021",
             3920e9 * per_kilowatt_hour, 1.095e31, 1.105e31);

    // Try it on a model whose makers published what it was {cite:p}`touvron2023`.
    const double llama = training_flops(65.2e9, 1.4e12) / per_kilowatt_hour / 1000;
    ask_number(
        "LLaMA has 65.2 billion weights and was trained on 1.4 trillion tokens. How "
        "many megawatt-hours is that, if A100s run at their best?",
        llama, 15,
        "6 times 65.2e9 times 1.4e12 are 5.5e23 operations; divided by 2.808e18 that "
        "is some 195,000 kilowatt-hours. Its makers state 449 megawatt-hours: "
        "processors are seldom at their best, and have to be cooled.");
}

// So one gets a lower bound, and by a factor of two or so the truth. 449 megawatt-hours are what a hundred European
// households use in a year or so.
//
// ## The bill
//
// Now for the models of the last decades. Their makers state the operations, or they state what they are made of,
// and then the rule of six does the rest. The list is typed from their publications, one line each, and the last
// word of a line says where the numbers stand:
//
// ```{excerpt} recto/data/landmarks.cpp landmarks
// ```
//
// Look at what is *not* there. Since about 2023 most makers of the largest models no longer say how large they are.
void the_bill() {
    Figure drawn("fig-3.7");
    drawn.describe(
        "Operations of training against the year, on a logarithmic axis, for 31 models "
        "of language, vision, games and speech from 1989 to 2024. They rise from about "
        "1e11 to nearly 1e26, steeply after 2012. Horizontal dashed lines mark a "
        "kilowatt-hour, a megawatt-hour, a gigawatt-hour, a terawatt-hour, and the "
        "electricity of the United States in 2021, five powers of ten above the "
        "highest model.");
    for (const auto& [domain, color] : {std::pair{"language", figure::blue},
                                        {"vision", figure::red},
                                        {"games", figure::green},
                                        {"speech", figure::ochre}}) {
        Numbers year, flops;
        for (const Landmark& model : landmarks())
            if (model.domain == domain)
                year.push_back(model.year), flops.push_back(model.flops());
        drawn.dots(domain, year, flops, {.color = color, .width = 3.5});
    }
    const figure::Style guide{.color = figure::grey, .dash = figure::dashed};
    drawn.rule_y(per_kilowatt_hour, "1 kWh", guide)
        .rule_y(1e3 * per_kilowatt_hour, "1 MWh", guide)
        .rule_y(1e6 * per_kilowatt_hour, "1 GWh", guide)
        .rule_y(1e9 * per_kilowatt_hour, "1 TWh", guide)
        .rule_y(3920e9 * per_kilowatt_hour, "all of the USA, 2021", guide)
        .log_y()
        .xlim(1988, 2034)
        .ylim(1e9, 1e33)
        .height(420)
        .x("year")
        .y("operations of training")
        .save(
            "What it took to train well-known models. Dashed: what so much electricity "
            "buys with A100s at their best. After Figure 3.7 of {cite:t}`fleuret2023`; "
            "the numbers are from the sources of the list above.");
    book::shows("fig-3.7/e", "fig-3.7");

    // A straight line on such an axis is a constant factor per year. Least squares finds it, once for all models
    // and once for those since 2012:
    const auto slope = [](double since) {  // of log10, per year
        Numbers x, y;
        for (const Landmark& model : landmarks())
            if (model.year >= since)
                x.push_back(model.year), y.push_back(std::log10(model.flops()));
        const double n = double(x.size());
        double mx = 0, my = 0, xy = 0, xx = 0;
        for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / n, my += y[i] / n;
        for (std::size_t i = 0; i < x.size(); ++i)
            xy += (x[i] - mx) * (y[i] - my), xx += (x[i] - mx) * (x[i] - mx);
        return xy / xx;
    };
    claim("fig-3.7/c", "powers of ten per year, over all years", slope(0), ">", 0);
    say("since 1989 doubled every {:.1f} months, since 2012 every {:.1f} months",
        12 * std::log10(2) / slope(0), 12 * std::log10(2) / slope(2012));
    int cited = 0;
    for (const Landmark& model : landmarks()) cited += !model.source.empty();
    claim("fig-3.7/d", "models of the list, and as many have a source", cited,
          "==", landmarks().size());
}

// Processors did not become so much faster in that time. Most of the growth was paid for: more of them, for longer.
// The list is no fair sample, either; we took models that everybody has heard of. A larger collection finds a
// doubling about every six months {cite:p}`sevilla2022`.
//
// ## What one gets for it
//
// Why pay? Because it works. By [the old rule](../foundations/overfitting.cpp) a model with far more weights than
// samples should fail. Here is the cheapest test there is: a network with one hidden layer, 10 000 pictures of
// clothes, and nothing changes but the width of that layer. The widest has more than a hundred weights for each
// picture.
struct Outcome {
    double weights, on_new, on_learned;  // how many, and shares of wrong answers
};
double share_wrong(const nn::Mlp& net, const Examples& set) {
    const NoGrad only_asking;
    return nn::error_rate(net(set.x), set.labels);
}
Outcome outcome(Index hidden, const Examples& lessons, const Examples& test,
                Generator random) {
    const nn::Mlp net({784, hidden, 10}, relu, random);
    optim::Adam adam(nn::parameters(net));
    const double last = double(epochs() * ((lessons.size() + 99) / 100));
    optim::fit(
        adam, [&] { return Batches(lessons, 100, random); },
        [&](const Examples& b) { return cross_entropy(net(b.x), b.labels); },
        {.epochs = epochs(),
         .lr = [&](Index step) { return 1e-3 * (1 - double(step) / last); }});
    return {double(nn::count(net)), share_wrong(net, test), share_wrong(net, lessons)};
}

// Each width is trained several times, from other first weights and with other batches.
void what_one_gets() {
    const auto some = [](Part part, Index count) {
        Examples set = data::flat(data::slice(data::fashion_mnist(part), 0, count));
        set.x = (set.x - 0.286) / 0.353;
        return set;
    };
    const Examples lessons = some(Part::train, pictures()),
                   test = some(Part::test, 10'000);
    const std::vector<Index> widths = {8, 32, 128, 512, 2048};
    Numbers weights(widths.size()), worse;
    std::vector<Numbers> on_new(widths.size()), on_learned(widths.size());
    for (int draw = 0; draw < draws(); ++draw) {
        double best = 1;
        for (std::size_t k = 0; k < widths.size(); ++k) {
            book::progress(draw * 5 + Index(k) + 1, draws() * 5, "networks");
            const Outcome one = outcome(widths[k], lessons, test,
                                        Generator(book::seed() + std::uint64_t(draw)));
            weights[k] = one.weights;
            on_new[k].push_back(one.on_new), on_learned[k].push_back(one.on_learned);
            if (k + 1 < widths.size()) best = std::min(best, one.on_new);
        }
        // Where not even the widest has learned, being no worse than others is nothing.
        const double widest = on_new.back().back();
        worse.push_back(widest < 0.2 ? widest - best : widest);
    }
    claim("claim-benefits-of-scale/a",
          "how much the test error at width 2048 exceeds the best of the narrower ones",
          over_seeds(worse), "<=", 0.005);

    // {numref}`fig-width` shows the whole row.
    Numbers middle, low, high, learned;
    for (std::size_t k = 0; k < widths.size(); ++k) {
        middle.push_back(median(on_new[k])), learned.push_back(median(on_learned[k]));
        low.push_back(std::ranges::min(on_new[k]));
        high.push_back(std::ranges::max(on_new[k]));
        say("width {:>4}: {:>7.0f} weights, {:.2g} operations, test error {:.3f}",
            widths[k], weights[k],
            training_flops(weights[k], double(lessons.size() * epochs())), middle[k]);
    }
    Figure("fig-width")
        .describe(
            "Share of wrong answers against the number of weights from 6,000 to 1.6 "
            "million, logarithmic axis. On new pictures it falls all the way, ever "
            "more slowly. On the pictures learned from it lies lower and falls faster.")
        .band("", weights, low, high, {.color = figure::blue})
        .line("new pictures", weights, middle, {.color = figure::blue})
        .line("learned from", weights, learned, {.color = figure::red})
        .rule_x(double(lessons.size()), "as many as pictures")
        .log_x()
        .x("weights")
        .y("share of wrong answers")
        .save(
            "One hidden layer, ever wider: median of the draws, and their range. Past "
            "the point where there are as many weights as pictures nothing turns.");
    book::shows("claim-benefits-of-scale/b", "fig-width");
}

void page() {
    six_per_weight();
    joules();
    the_bill();
    what_one_gets();
}

// Every step to the right costs four times as much as the one before and gains less. That is the shape of the whole
// enterprise, in miniature: [a straight line](scaling.cpp), on axes whose every division is ten times as expensive
// as the last.
//
// ## What is missing
//
// This chapter was about finding weights: what to minimise, how to walk, where the gradient comes from, what helps
// it along, and now what it costs. Of the models themselves it had little to say. A layer was a matrix with a bend
// behind it, and if that was not enough, there were more of them. But nobody reads a picture as 784 unrelated
// numbers. The next chapter, *Components*, is about the parts that models are made of, and about what each of them
// knows about the world before it has seen any of it.
//
// ```{try}
// - Narrower than long: `--width 32`. How much of the cost is attention now?
// - Learn longer: `--epochs 20 --draws 1`. Does the wide network still win when it knows all of its pictures by heart?
// - Few pictures: `--pictures 300 --epochs 20`. Is there a width that is too much?
// ```
