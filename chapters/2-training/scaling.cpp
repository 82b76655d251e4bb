// # More of everything
//
// ```{rows} fig-3.6 eq-scaling-law claim-scaling-bottleneck
// ```
//
// Every page of this chapter had a fixed model and a fixed set of data, and asked how to train the one on the
// other. Turn it round. You have a month, a machine, and all the text that there is. How large should the model
// be? How much of the text does it need? Will twice as much of everything be worth twice the bill? One cannot try,
// for the month is over after the first try. But one can train *small* models, many of them, and see whether
// what they say follows a rule.
//- includes, names, options
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/classic/power_law.hpp>
#include <recto/core/random.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say,
    book::Study;
using classic::fit_power_law, classic::PowerLaw, figure::Figure;
//-

// ## A text, and models of many sizes
//
// The text is a list of words in random order, with a dot before each: nothing but small letters and dots. Six
// thousand words are held back to measure the {term}`held-out loss`. The others come in a fixed order, and a
// model that is to have little data gets the beginning.
constexpr Index held_words = 6000, window = 32;
constexpr std::uint64_t order_of_words = 2;

std::vector<Index> letters_of(Index begin, Index end, Index most) {
    const std::vector<std::string>& list = data::words();
    const std::vector<Index> order =
        Generator(order_of_words).permutation(std::ssize(list));
    std::vector<Index> text;
    for (Index i = begin; i < std::min(end, std::ssize(list)); ++i) {
        text.push_back(data::symbol('.'));
        for (const Index letter :
             data::symbols(list[std::size_t(order[std::size_t(i)])]))
            text.push_back(letter);
        if (std::ssize(text) >= most) break;
    }
    text.resize(std::size_t(std::min(most, std::ssize(text))));
    return text;
}

// The models are those that write text today, only smaller: {cpp:class}`~recto::nn::Gpt`, which a later chapter takes
// apart. Here it is a function with $N$ parameters that reads up to 32 letters and gives scores for the next, at every
// place at once. A `Window` is a few such stretches of text, and what follows each letter:
struct Windows {
    Integers before, next;
};
Windows windows(const std::vector<Index>& text, const std::vector<Index>& starts) {
    std::vector<Index> before, next;
    for (const Index start : starts)
        for (Index t = start; t < start + window; ++t) {
            before.push_back(text[std::size_t(t)]);
            next.push_back(text[std::size_t(t + 1)]);
        }
    return {Integers({std::ssize(starts), window}, before),
            Integers({std::ssize(next)}, next)};
}
Tensor loss_of(const nn::Gpt& model, const Windows& seen) {
    return cross_entropy(reshape(model(seen.before), {seen.next.numel(), 27}),
                         seen.next);
}
double held_out_loss(const nn::Gpt& model, const std::vector<Index>& text) {
    const NoGrad only_looking;
    double total = 0;
    Index count = 0;
    for (Index start = 0; start + 128 * window < std::ssize(text); ++count) {
        std::vector<Index> starts;
        for (int i = 0; i < 128; ++i, start += window) starts.push_back(start);
        total += double(loss_of(model, windows(text, starts)).item());
    }
    return total / double(count);
}

// One *cell* of the study is one training. Its setting has three numbers: how many blocks, how wide, how many letters of
// text. We measure the held-out loss after 16 steps, and then each time the number of steps has grown by a factor of
// $\sqrt 2$. Training ends early when the held-out loss is well above its best: the model overfits. Otherwise training
// ends in one of two ways. *At the limit* means after 2048 steps, flat or not. *When flat* means that training goes on
// beyond the limit, with a measurement each time the steps have grown by $\sqrt[4] 2$, until two measurements in a row are
// no new best, or until 32,768 steps: a small model with much text creeps on for ever.
enum class Until { limit, flat };
constexpr Index looks = 15, most_looks = looks + 16, batch = 64;
Index step_of(Index look) {
    const Index limit = looks - 1;  // the look at the limit, after 2048 steps
    const double roots = double(std::min(look, limit)) / 2 +
                         double(std::max<Index>(look - limit, 0)) / 4;
    return Index(std::lround(16 * std::pow(2.0, roots)));
}

std::vector<double> train(const Study::Row& setting, std::uint64_t seed, Until until) {
    const auto layers = Index(setting[0]), width = Index(setting[1]);
    const std::vector<Index> text = letters_of(held_words, 1 << 20, Index(setting[2])),
                             held = letters_of(0, held_words, 1 << 20);
    Generator random(seed);
    nn::Gpt model({27, window, layers, width, std::max<Index>(1, width / 16)}, random);
    const double top = 0.04 / std::sqrt(double(width));
    optim::AdamW adam(nn::parameters(model));
    std::vector<double> losses;
    for (Index step = 1;; ++step) {
        adam.options.lr =
            top * std::min(double(step) / 100, std::sqrt(100 / double(step)));
        std::vector<Index> starts;
        for (Index i = 0; i < batch; ++i)
            starts.push_back(random.next_integer(0, std::ssize(text) - window));
        adam.zero_grad();
        loss_of(model, windows(text, starts)).backward();
        optim::clip_norm(adam.parameters(), 1);
        adam.step();
        if (step < step_of(std::ssize(losses))) continue;
        losses.push_back(held_out_loss(model, held));
        const auto best = std::ranges::min_element(losses);
        if (losses.back() > *best + 0.2) break;
        const bool flat = losses.end() - best > 2;
        if (std::ssize(losses) >= looks && (until == Until::limit || flat)) break;
        if (std::ssize(losses) == most_looks) break;
    }
    return losses;
}

// Three seconds train the smallest of our models, and some minutes the largest. All together are too much
// for a page, so they were done once, and what came out is kept beside the book. That is what a
// {cpp:class}`~recto::book::Study` is for. A test does two cells of it again, drawn at random,
// whenever code that it rests on has changed.
const std::vector<std::array<double, 2>> sizes = {{3, 96}, {2, 80}, {2, 48},
                                                  {2, 24}, {1, 16}, {1, 8}};
constexpr double all_letters = 1'600'000;
const std::vector<double> amounts = {512'000, 256'000, 128'000, 64'000,
                                     32'000,  16'000,  8000};

std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const auto& [layers, width] : sizes)
        all.push_back({layers, width, all_letters});
    for (const double letters : amounts)
        for (const auto& [layers, width] : {sizes.front(), sizes.back()})
            all.push_back({layers, width, letters});
    return all;
}

// One question will be about a difference of a few percent, and chance alone moves a loss by as much as one. So the last
// doubling of the text is tried three times for the largest model and for the smallest, with other first weights and other batches.
// The largest needs more than 2048 steps for texts so long, so both train until flat.
std::vector<Study::Row> doublings() {
    std::vector<Study::Row> all;
    for (double draw = 1; draw <= 3; ++draw)
        for (const auto& [layers, width] : {sizes.front(), sizes.back()})
            for (const double letters : {amounts[0], amounts[1]})
                all.push_back({layers, width, letters, draw});
    return all;
}
const Study until_flat({"until_flat",
                        {"layers", "width", "letters", "draw"},
                        {"loss at the limit", "loss when flat"},
                        {"claim-scaling-bottleneck/a", "claim-scaling-bottleneck/b",
                         "fig-3.6/a", "fig-3.6/b"},
                        0.002},
                       doublings(), [](const Study::Row& setting) {
                           const std::vector<double> losses =
                               train(setting, std::uint64_t(setting[3]), Until::flat);
                           return Study::Row{
                               std::ranges::min(losses | std::views::take(looks)),
                               std::ranges::min(losses)};
                       });

// And the grid as a whole, at the limit:
std::vector<std::string> columns() {
    std::vector<std::string> names;
    for (Index look = 0; look < looks; ++look)
        names.push_back(fmt::format("step {}", step_of(look)));
    return names;
}
const Study study(
    {"scaling", {"layers", "width", "letters"}, columns(), {"fig-3.6/a", "fig-3.6/b"}},
    cells(), [](const Study::Row& setting) {
        Study::Row losses = train(setting, book::seed(), Until::limit);
        losses.resize(looks, std::nan(""));
        return losses;
    });

// What counts as the size of a model is a matter of taste. We take all parameters but the two tables that turn letters and
// places into vectors: they are looked up, not multiplied with.
double parameters_of(const Study::Row& setting) {
    Generator random(1);
    const nn::Gpt model({27, window, Index(setting[0]), Index(setting[1]),
                         std::max<Index>(1, Index(setting[1]) / 16)},
                        random);
    return double(nn::count(model) - nn::count(model.words) - nn::count(model.places));
}

// Held-out losses of one training, as long as it lasted, and the best of them:
std::vector<double> curve(const Study::Row& row) {
    std::vector<double> losses(row.begin() + 3, row.begin() + 3 + looks);
    std::erase_if(losses, [](double loss) { return std::isnan(loss); });
    return losses;
}
double best(const Study::Row& row) { return std::ranges::min(curve(row)); }

std::vector<double> even_in_log(double low, double high) {
    std::vector<double> at;
    for (int i = 0; i <= 40; ++i) at.push_back(low * std::pow(high / low, i / 40.0));
    return at;
}

void page() {
    const std::vector<Study::Row>& rows = study.frozen().rows;
    Generator random(book::seed());

    // ## Larger models
    //
    // First the text is as long as we have it, and only the model grows. A straight line on two logarithmic axes is a
    // {term}`power law`:
    //
    // ```{equation} eq-scaling-law
    // :function: recto::classic::fit_power_law
    // :test: power law: with one percent of noise the exponent is within two percent
    // \Loss(N) \approx \Big(\frac{N_c}{N}\Big)^{\alpha_N}
    // ```
    //
    // Its exponent $\alpha_N$ is the slope: a model ten times as large has a loss smaller by the factor
    // $10^{-\alpha_N}$, wherever one starts. $N_c$ only says in which units we count.
    // {cpp:func}`~recto::classic::fit_power_law` lays a line through the logarithms. It also draws the points again,
    // with replacement, two hundred times; the interval is where 95 of 100 exponents fall.
    std::vector<double> size, loss_of_size;
    for (const Study::Row& row : rows)
        if (row[2] == all_letters) {
            size.push_back(parameters_of(row));
            loss_of_size.push_back(best(row));
        }
    const PowerLaw by_size = fit_power_law(size, loss_of_size, random);
    say("models: exponent {:.3f} ({:.3f} to {:.3f}), R² {:.3f}", by_size.exponent,
        by_size.lowest, by_size.highest, by_size.r_squared);

    // ## More text
    //
    // Now the model is the largest, and the text grows. The model soon knows a short text by heart. So what counts is the best
    // held-out loss on the way, as if training had stopped there. That is fair only if training went on until the best had passed.
    // With short texts this happens before the limit of 2048 steps. With 256,000 and 512,000 letters we
    // trained until flat. With all 1.6 million, the limit *cut off* a loss that was still falling:
    std::vector<double> letters, loss_large, cut_letters, cut_losses, loss_tiny;
    double still_falling = 100;
    for (const Study::Row& row : rows) {
        const std::vector<double> losses = curve(row);
        double lowest = best(row);
        bool passed = losses.back() > lowest;
        for (const Study::Row& flat : until_flat.frozen().rows)
            if (flat[1] == row[1] && flat[2] == row[2] && flat[3] == 1)
                lowest = flat[5], passed = true;
        if (row[1] == sizes.back()[1] && row[2] != all_letters)
            loss_tiny.push_back(lowest);
        if (row[1] != sizes.front()[1]) continue;
        (passed ? letters : cut_letters).push_back(row[2]);
        (passed ? loss_large : cut_losses).push_back(lowest);
        if (!passed)
            still_falling = std::min(
                still_falling, 100 * (1 - losses.back() / losses[losses.size() - 2]));
    }
    claim(
        "",
        "all of the text: what the steps from 1448 to 2048 still improve the loss by, "
        "in percent",
        still_falling, ">", 1);
    const PowerLaw by_data = fit_power_law(letters, loss_large, random);
    say("letters: exponent {:.3f} ({:.3f} to {:.3f}), R² {:.3f}", by_data.exponent,
        by_data.lowest, by_data.highest, by_data.r_squared);

    // That is a limit of our budget and says nothing about text. The point that was cut off is shown and not fitted. Here is the
    // fit with it:
    std::vector<double> all_points = letters, all_losses = loss_large;
    std::ranges::copy(cut_letters, std::back_inserter(all_points));
    std::ranges::copy(cut_losses, std::back_inserter(all_losses));
    Generator apart(book::seed());
    const PowerLaw with_cut_off = fit_power_law(all_points, all_losses, apart);
    say("with the point that was cut off: exponent {:.3f} ({:.3f} to {:.3f}), R² "
        "{:.3f}",
        with_cut_off.exponent, with_cut_off.lowest, with_cut_off.highest,
        with_cut_off.r_squared);

    // ## More arithmetic
    //
    // What one pays for is neither parameters nor letters, it is time on a machine. A step on one letter costs about
    // six floating-point operations a parameter, which [the next page](compute.cpp) counts. So every curve of training
    // can be drawn over what it has cost so far. With little to spend a small model is best: it has made many
    // steps when the large one has made three. Then a larger one takes over, and then a larger one. The lower edge
    // of all curves, the *frontier*, is the best that can be bought.
    struct Spent {
        double flops, loss;
    };
    std::vector<Spent> points;
    for (const Study::Row& row : rows) {
        if (row[2] != all_letters) continue;
        const std::vector<double> losses = curve(row);
        for (std::size_t look = 0; look < losses.size(); ++look)
            points.push_back({6 * parameters_of(row) * double(batch * window) *
                                  double(step_of(Index(look))),
                              losses[look]});
    }
    std::ranges::sort(points, {}, &Spent::flops);
    std::vector<double> spent, frontier;
    constexpr double enough = 1e10;  // below, even the smallest model has hardly begun
    double lowest = 1e9;
    for (const Spent& p : points)
        if (p.loss < lowest) {
            lowest = p.loss;
            if (p.flops >= enough) spent.push_back(p.flops), frontier.push_back(p.loss);
        }
    const PowerLaw by_compute = fit_power_law(spent, frontier, random);
    say("operations: exponent {:.3f} ({:.3f} to {:.3f}), R² {:.3f}",
        by_compute.exponent, by_compute.lowest, by_compute.highest,
        by_compute.r_squared);

    // {numref}`fig-3.6` shows all three. Every panel has measured points, and the law through them:
    Figure scaling("fig-3.6");
    scaling.describe(
        "Three panels with logarithmic axes: held-out loss against floating-point "
        "operations, letters of text, and "
        "parameters. In the first, curves of six models cross, and their lower edge "
        "follows a straight line. In the "
        "other two, points lie close to falling straight lines.");
    const auto law = [&](const PowerLaw& fitted, const std::vector<double>& x) {
        const std::vector<double> at =
            even_in_log(std::ranges::min(x), std::ranges::max(x));
        std::vector<double> y;
        for (const double one : at) y.push_back(fitted(one));
        scaling.line("power law", at, y,
                     {.color = figure::red, .dash = figure::dashed, .points = false});
    };
    //- the three panels
    scaling.columns(3).panel("compute");
    for (const Study::Row& row : rows) {
        if (row[2] != all_letters) continue;
        const std::vector<double> losses = curve(row);
        std::vector<double> flops;
        for (std::size_t look = 0; look < losses.size(); ++look)
            flops.push_back(6 * parameters_of(row) * double(batch * window) *
                            double(step_of(Index(look))));
        scaling.line("training", flops, losses,
                     {.color = figure::grey,
                      .dash = figure::solid,
                      .width = 1,
                      .points = false});
    }
    law(by_compute, spent);
    scaling.x("operations").y("held-out loss").log_axes().ylim(2, 3.4);
    scaling.panel("data").dots("largest model", letters, loss_large,
                               {.color = figure::blue, .shape = figure::Shape::circle});
    law(by_data, letters);
    scaling.dots("cut off, not fitted", cut_letters, cut_losses,
                 {.color = figure::grey, .shape = figure::Shape::square});
    scaling.x("letters").log_axes().ylim(2, 3.4);
    scaling.panel("parameters")
        .dots("all letters", size, loss_of_size,
              {.color = figure::green, .shape = figure::Shape::square});
    law(by_size, size);
    scaling.x("parameters").log_axes().ylim(2, 3.4);
    scaling.save(
        "The loss on words that were held back. Left: every grey line is a training of "
        "one model; their lower edge is what "
        "a given amount of arithmetic can buy. Middle: the largest model with more and "
        "more text; the step limit cut off the grey point, which is not fitted. "
        "Right: all of the text, "
        "and larger and larger models. After Figure 3.6 of {cite:t}`fleuret2023`.");
    book::shows("fig-3.6/d", "fig-3.6");
    //-
    const auto decades = [](const std::vector<double>& x) {
        return std::log10(std::ranges::max(x) / std::ranges::min(x));
    };
    for (const auto& [what, fitted, x] : {std::tuple{"compute", by_compute, spent},
                                          std::tuple{"data", by_data, letters},
                                          std::tuple{"parameters", by_size, size}}) {
        claim("fig-3.6/a", fmt::format("the exponent of {} in the law", what),
              -fitted.exponent, "<", 0);
        claim("fig-3.6/b", fmt::format("{}: R² over {:.1f} decades", what, decades(x)),
              decades(x) >= 1.5 ? fitted.r_squared : std::nan(""), ">=", 0.95);
    }

    // In the panel on the right every model had 2048 steps, and the larger ones were still improving. So its exponent belongs to
    // this number of steps.
    //
    // The exponents are small. To halve the loss, a model would have to grow by the factor $2^{1/\alpha}$:
    say("half the loss takes {:.1e} times the parameters",
        std::pow(2, 1 / by_size.exponent));

    // {cite:t}`kaplan2020` found power laws too, over six decades where we have two, for models of up to a billion parameters. Their
    // exponents, 0.076 for parameters, 0.095 for data and 0.050 for arithmetic, are two to three times ours. Why losses should follow power laws at all, nobody knows for sure.
    //
    // One thing is hidden in the lines. A law without an offset falls for ever, and that of a real text cannot: our words
    // come in random order, so even a perfect model does not know the next one. Somewhere the points must leave the line.
    //
    // ## A forecast
    //
    // A law is good for forecasts. Cover the largest model with your hand, fit the law to the others, and ask it:
    const std::vector<double> smaller(size.begin() + 1, size.end()),
        their_losses(loss_of_size.begin() + 1, loss_of_size.end());
    const PowerLaw from_small = fit_power_law(smaller, their_losses, random);
    const double forecast = from_small(size.front());
    ask("The five smaller models are trained, the largest is not. How near does the "
        "law come to its loss?",
        {{"Within five percent: the points lie close to a line, and the line goes on.",
          std::abs(forecast / loss_of_size.front() - 1) <= 0.05,
          "That is why laboratories train small models first."},
         {"It says twice the loss, or half of it.",
          std::abs(std::log2(forecast / loss_of_size.front())) > 0.8,
          "With an exponent this small even a factor of ten in size changes the loss "
          "by little."},
         {"It cannot say anything: every model is another experiment.", false,
          "Each is, but they differ in one number only."}});
    say("forecast {:.3f}, measured {:.3f}", forecast, loss_of_size.front());

    // The forecast is for *one* model, trained as the others were. It does not say what the model will be able to do with
    // so small a loss. That is another matter, and harder.
    //
    // ## When something else is missing
    //
    // More text helps who can use it. The tiny model, with fewer parameters than a page has letters, has learned what it can
    // learn after a few thousand words. Then its size is the {term}`bottleneck`, and text is wasted on it:
    Figure bottleneck("fig-bottleneck");
    bottleneck
        .describe(
            "Held-out loss against letters of text, both axes logarithmic. The line of "
            "the tiny model falls a "
            "little and then runs level; that of the largest model falls all the way "
            "and crosses it.")
        .line("tiny model", amounts, loss_tiny)
        .line("largest model", letters, loss_large)
        .x("letters")
        .y("held-out loss")
        .log_axes()
        .save(
            "The same text for two models. With little text there is not much to "
            "choose between them; with more, the tiny one soon has all it "
            "can use.");
    // How much is the last doubling worth, from a quarter of a million letters to half a million?
    // Every draw is one gain: of the two losses in its pair of trainings, by the column of the study.
    const auto gains = [](double width, std::size_t column) {
        std::vector<double> found;
        for (const Study::Row& more : until_flat.frozen().rows)
            for (const Study::Row& less : until_flat.frozen().rows)
                if (more[1] == width && less[1] == width && more[2] > less[2] &&
                    more[3] == less[3])
                    found.push_back(100 * (1 - more[column] / less[column]));
        return found;
    };
    const double tiny = sizes.back()[1], largest = sizes.front()[1];
    claim("claim-scaling-bottleneck/a",
          "twice the text at the top end improves the tiny model by, in percent",
          over_seeds(gains(tiny, 5)), "<", 1);
    claim("claim-scaling-bottleneck/b", "and the largest, trained until flat, by",
          over_seeds(gains(largest, 5)), ">", 3);
    say("the largest, ended by the step limit: {}",
        book::brief(over_seeds(gains(largest, 4))));

    // The tiny model has what it can use; the largest still gains from more text. The last line is a warning. After 2048 steps the gain
    // of the largest looked much smaller, because a longer text needs more steps. The bottleneck was then the number of steps, not
    // the text.
    //
    // The same holds the other way round. With little text the largest model is no better than the tiny one, whatever its
    // size: on the left of {numref}`fig-bottleneck` both know the text by heart or not at all. So size and text must
    // grow *together*. How fast each should has been measured twice: {cite:t}`kaplan2020` wanted nearly all of a larger
    // budget spent on size. {cite:t}`hoffmann2022` measured with more care for the learning rate, and found that both should
    // grow alike; many models had been far too large for their text.
    //
    // ## Three cells, here and now
    //
    // You need not believe a file. The smallest cells take seconds, so this page trains three of them whenever it runs,
    // and they say the same: a larger model is better, and more text is better.
    const std::vector<Study::Row> some = {
        {1, 16, all_letters}, {1, 16, 8000}, {1, 8, all_letters}};
    std::vector<double> found(some.size());
    book::each_apart(
        std::ssize(some), 2,
        [&](Index i) {
            return std::vector{std::ranges::min(
                train(some[std::size_t(i)], book::seed(), Until::limit))};
        },
        [&](Index i, const std::vector<double>& loss) {
            found[std::size_t(i)] = loss[0];
        });
    say("width 16: {:.3f}; with 8000 letters: {:.3f}; width 8: {:.3f}", found[0],
        found[1], found[2]);
    claim_true("", "the wider of two models has the smaller loss", found[0] < found[2]);
    claim_true("", "the longer of two texts leads to the smaller loss",
               found[0] < found[1]);
    double seconds = 0;
    for (const double one : study.frozen().column("seconds")) seconds += one / 2;
    book::timing_claim("fig-3.6/c",
                       "the grid of twenty cells on two cores took, in minutes",
                       seconds / 60, "<=", 15);
}

// ## What is missing
//
// Our letters are cheap. How much arithmetic is behind a model that has read a good part of the internet, and how much
// electricity behind that? [The last page](compute.cpp) of this chapter adds it up.
//
// ```{try}
// - Begin the list of `sizes` with a model of four blocks, and run `./recto run scaling --full`: only
//   if you stop it, it goes on where it was. Does the new point lie on the line?
// - Fit the law with an offset, `{.offset = true}`: how much does its exponent change, and how wide is its interval? What does that
//   say about forecasts far beyond the data?
// ```
