// # Training compute: what a model costs
//
// ```{rows} eq-training-flops fig-3.7 claim-benefits-of-scale
// ```
//
// [The last page](scaling.cpp) found laws: with more weights, more data and more steps the loss falls along a
// straight line on logarithmic axes. Such a line invites larger and larger models, and the field has built them.
// This page computes what they cost. It counts the operations of a training, turns them into electricity, compares
// 31 well-known models, and at the end measures what more compute buys, in an experiment that fits on a desk.
//
// What does it take to train the models that you have heard of? Move the slider, the share of its peak rate that a processor
// reaches:
//
// ```{opening} fig-3.7
// ```
//- includes, names and options
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

const book::Option<Index> width("width", 256, "width of the small GPT",
                                {.quick = 64, .least = 16, .most = 1024});
const book::Option<Index> layers("layers", 2, "number of blocks of the small GPT",
                                 {.least = 1, .most = 12});
const book::Option<int> pictures("pictures", 10'000, "number of training images",
                                 {.quick = 500, .least = 100, .most = 60'000});
const book::Option<Index> epochs("epochs", 4,
                                 "number of passes through the training set",
                                 {.quick = 1, .least = 1, .most = 100});
const book::Option<int> draws("draws", 5, "number of trainings of each network",
                              {.quick = 1, .least = 1, .most = 20});
//-

// ## Six operations per weight
//
// Most weights of a network belong to matrices. In the forward pass of a sample, such a weight is multiplied by one
// number, and the product is added to a sum: two operations. In the backward pass one product of the same size
// computes the gradient of the inputs, and another the gradient of the weights. These are four more. So training a
// model of $N$ weights on $D$ samples takes about
//
// ```{equation} eq-training-flops
// :function: recto::data::training_flops
// :test: landmarks: six operations for a multiply-add, as the papers count
// C \approx 6 \, N D
// ```
//
// **floating-point operations**, FLOP for short {cite:p}`kaplan2020`. For a language model a sample is a *token*, a
// piece of text. The rule looks too simple for a model with dozens of layers. So we test it on a small GPT
// {cite:p}`radford2018`: a stack of blocks, each of attention and two linear layers. A later chapter explains them.
// Here only their sizes matter.
//- a block
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

//-

// One table gives a row of numbers to each token, another to each position in the text, and a last layer computes
// scores for the 64 possible tokens.
//- the model
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
    // Rows of the two tables are looked up, not multiplied, so these weights do not count.
    Index weights() const { return nn::count(blocks) + nn::count(scores); }
    void visit(auto&& part) {
        part("tokens", tokens), part("places", places);
        part("blocks", blocks), part("scores", scores);
    }
};

//-

// While a {cpp:class}`~recto::FlopCount` exists, the library counts every multiply-add of every product, forward
// and backward. One training step is enough; all others cost the same.
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

// The rule leaves out attention. There every token is compared with all others (the library computes the later
// ones, too, and then masks them), and activations are multiplied with activations, not with weights. For one
// token, one layer, a width $m$ and a context of $T$ tokens the comparisons take $T m$ multiply-adds, the weighted
// mean takes $T m$ more, and the backward pass five products of this size, one of which computes the comparisons
// again to save memory. This makes $7\, T m$ multiply-adds, two operations each:
double attention_flops(double width, double context, double tokens) {
    return 14 * double(layers()) * context * width * tokens;
}

void six_per_weight() {
    const Counted step = count_a_step(width(), 32);
    say("{:.0f} weights, {:.0f} tokens, {:.0f} operations", step.weights, step.tokens,
        step.flops);
    claim_in(
        "eq-training-flops/a",
        "operations counted in a step, divided by 6 N D, with a context of 32 tokens",
        step.ratio(), 0.9, 1.3);

    // {numref}`fig-six` makes the context longer and longer, for two widths.
    //- the contexts, and the counts
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

    // At each point we count one step, and compute the sum of both terms:
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
            "The rule holds as long as the context is short against the width. "
            "Beyond that attention takes a growing share of the cost, which can be "
            "computed (lines) as well as counted (dots).");
    claim("eq-training-flops/b",
          "with the attention term, the unexplained rest at the larger width, in "
          "percent",
          100 * unexplained, "<=", 1);
}

//-

// The rest, at most 0.4 % at the larger width, are biases and scales: weights that are part of no product. At a
// context as long as the width attention adds 19 %. In large models the width is in the thousands, and with
// contexts not much longer, six per weight and token is enough.
//
// ## Electricity
//
// These numbers need a familiar unit. The field uses the **petaflop/s-day**: $10^{15}$ operations per second for
// one day. Electricity is more telling. An A100, a common GPU for training from 2020 on, makes at most
// $312 \times 10^{12}$ operations per second with 16-bit numbers, and draws 400 watts. This gives the number of
// operations per kilowatt-hour:
constexpr double rate = 312e12, watts = 400;
constexpr double per_kilowatt_hour = rate / watts * 1000 * 3600;

void joules() {
    say("one petaflop/s-day is {:.3g} operations", data::petaflop_day);
    claim("eq-training-flops/c", "operations of one petaflop/s-day", data::petaflop_day,
          "==", 8.64e19);
    claim("fig-3.7/a", "operations of one kilowatt-hour, on an A100", per_kilowatt_hour,
          "==", 2.808e18);
    claim_in("fig-3.7/b",
             "operations of 3920 terawatt-hours, the electricity of the United States "
             "in 2021",
             3920e9 * per_kilowatt_hour, 1.095e31, 1.105e31);

    // Try it on a model whose makers published its energy {cite:p}`touvron2023`.
    const double llama = training_flops(65.2e9, 1.4e12) / per_kilowatt_hour / 1000;
    ask_number(
        "LLaMA has 65.2 billion weights and was trained on 1.4 trillion tokens. How "
        "many megawatt-hours does that take, if A100s run at their peak rate?",
        llama, 15,
        "6 times 65.2e9 times 1.4e12 are 5.5e23 operations; divided by 2.808e18 that "
        "is some 195,000 kilowatt-hours. Its makers state 449 megawatt-hours: GPUs "
        "seldom reach their peak rate, and need cooling.");
}

// So the result is a lower bound; the stated 449 megawatt-hours are 2.3 times as much. More than a hundred European
// households use that in a year.
//
// ## Landmark models
//
// Now for the models of the last decades. For each of them some publication states the operations, or else the weights
// and samples, and the rule of six does the rest. The list is typed from these publications, one line each, and the last
// word of a line names the source:
//
// ```{excerpt} recto/data/landmarks.cpp landmarks
// ```
//
// Some models are missing. Since about 2023 most makers of the largest models no longer publish their sizes.
void the_bill() {
    Figure drawn("fig-3.7");
    drawn.describe(
        "Operations of training against the year, on a logarithmic axis, for 31 models "
        "of language, vision, games and speech from 1989 to 2024. They rise from about "
        "1e11 to nearly 1e26, steeply after 2012. Horizontal dashed lines mark a "
        "kilowatt-hour, a megawatt-hour, a gigawatt-hour, a terawatt-hour, and the "
        "electricity of the United States in 2021, five powers of ten above the "
        "highest model. A slider sets the share of the peak rate that the processors "
        "reach, and moves the lines.");
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
    const Numbers shares = {10, 25, 40, 60, 80, 100};  // in percent of the peak rate
    drawn.slider("share", shares, "rate in % of the peak", 100);
    for (const double share : shares) {
        const double bought = per_kilowatt_hour * share / 100;
        drawn.at(share)
            .rule_y(bought, "1 kWh", guide)
            .rule_y(1e3 * bought, "1 MWh", guide)
            .rule_y(1e6 * bought, "1 GWh", guide)
            .rule_y(1e9 * bought, "1 TWh", guide)
            .rule_y(3920e9 * bought, "all of the USA, 2021", guide);
    }
    drawn.always()
        .log_y()
        .xlim(1988, 2034)
        .ylim(1e9, 1e33)
        .height(420)
        .x("year")
        .y("operations of training")
        .save(
            "The operations that trained well-known models. Dashed: the operations "
            "that an amount of electricity buys with A100s. Move the slider: if a "
            "processor draws its full power and reaches a part of its peak rate, the "
            "same electricity buys fewer operations. After Figure 3.7 of "
            "{cite:t}`fleuret2023`; the numbers are from the sources listed on this "
            "page.");
    book::shows("fig-3.7/e", "fig-3.7");

    // A straight line on such an axis is a constant factor per year. We fit one by least squares for all models,
    // and one for those since 2012:
    //- the fit
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
    say("doubling time since 1989: {:.1f} months, since 2012: {:.1f} months",
        12 * std::log10(2) / slope(0), 12 * std::log10(2) / slope(2012));
    int cited = 0;
    for (const Landmark& model : landmarks()) cited += !model.source.empty();
    claim("fig-3.7/d", "models of the list that have a source", cited,
          "==", landmarks().size());
}

//-

// Compute per model doubled every 5.8 months since 2012. Single processors did not become faster at this rate. Most
// of the growth was bought: more processors, for longer. Our list is not a fair sample, since we took famous
// models. A larger collection finds a doubling time of about six months {cite:p}`sevilla2022`.
//
// ## What more compute buys
//
// By the lesson of [overfitting](../foundations/overfitting.cpp) a model with far more weights than samples should
// fail, though [double descent](../foundations/double_descent.cpp) was an exception. Here is a cheap test: a
// network with one hidden layer, 10,000 images of clothes, and only the width of that layer changes. The widest
// network has 163 weights for each image.
struct Outcome {
    double weights, on_new, on_learned;  // their number, and two error rates
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

// Each width is trained several times, with other initial weights and other mini-batches.
//- all widths
void what_one_gets() {
    const auto some = [](Part part, Index count) {
        Examples set = data::flat(data::slice(data::fashion_mnist(part), 0, count));
        set.x = (set.x - 0.286) / 0.353;
        return set;
    };
    const Examples lessons = some(Part::train, pictures()),
                   test = some(Part::test, data::fashion_mnist(Part::test).size());
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
        // Above an error of 0.2 the widest network has not learned: then no comparison, but its error.
        const double widest = on_new.back().back();
        worse.push_back(widest < 0.2 ? widest - best : widest);
    }
    claim("claim-benefits-of-scale/a",
          "test error at width 2048 minus the lowest error of the narrower networks",
          over_seeds(worse), "<=", 0.005);

    //-

    // {numref}`fig-width` shows all widths.
    //- how the figure is drawn
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
            "Error rate against the number of weights from 6,000 to 1.6 million, "
            "logarithmic axis. On new images it falls all the way, ever more slowly. "
            "On the training set it lies lower and falls faster.")
        .band("", weights, low, high, {.color = figure::blue})
        .line("new images", weights, middle, {.color = figure::blue})
        .line("training set", weights, learned, {.color = figure::red})
        .rule_x(double(lessons.size()), "as many as images")
        .log_x()
        .x("weights")
        .y("error rate")
        .save(
            "One hidden layer, ever wider: median of the draws, and their range. The "
            "test error keeps falling past the point with as many weights as images.");
    book::shows("claim-benefits-of-scale/b", "fig-width");
}
//-

void page() {
    six_per_weight();
    joules();
    the_bill();
    what_one_gets();
}

// Each network costs four times as much as the one before and gains less: 5.6 points of test error at first, less
// than one at last. Large models show the same on a larger scale: [a straight line](scaling.cpp), on an axis whose
// every division costs ten times as much as the last. After four epochs the widest network still makes 9 % errors
// on its training set, so it has not memorised its images; `--epochs` below tests that.
//
// ## Summary
//
// Training takes about six operations per weight and sample, and attention adds a term that grows with
// the context. At the peak rate of a GPU this gives a lower bound on the electricity; LLaMA needed 2.3 times
// as much. A wider network is still better beyond one weight per image, and each factor of four gains less.
//
// ## What is missing
//
// This chapter was about finding weights: what to minimise, how to descend, where the gradient comes from, what
// helps training, and now what it costs. The models themselves stayed simple. A layer was a matrix followed by a
// nonlinearity, and when that was not enough, we took more of them. But an image is more than 784 unrelated
// numbers. The next chapter, *Components*, is about the parts that models are made of, and about what each of them
// knows about the data before training.
//
// Before that, [the next page](quiz_training.cpp) asks eleven questions about this chapter.
//
// ```{try}
// - Narrower than long: `--width 32`. What share of the cost is attention now?
// - Train longer: `--epochs 20 --draws 1`. Is the wide network still best when it has memorised its images?
// - Few images: `--pictures 300 --epochs 20`. Is there a width that is too large?
// ```
