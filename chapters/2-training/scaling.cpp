// # Scaling laws: what larger models and more data buy
//
// ```{rows} fig-3.6 eq-scaling-law claim-scaling-bottleneck
// ```
//
// Most pages of this chapter fixed the model and the data. Now you may choose both. You have one machine, one month and
// all the text there is. How large should the model be, and how much text does it need? You cannot try it out, because
// one try takes the month. But you can train many *small* models and fit a **scaling law**, a formula for the loss as a
// function of size, data and arithmetic. This page fits three such laws to small language models ({numref}`fig-3.6`),
// forecasts a larger model, and shows what stops a law from holding: a **bottleneck**.
//
// How far would you trust the dashed lines beyond the last dot?
//
// ```{opening} fig-3.6
// ```
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
// The text is a list of words in random order with a dot before each word: 27 different symbols. Six thousand words are
// set aside to measure the {term}`held-out loss`. The other words come in a fixed order, and training on little data
// means training on the beginning of this list.
//- the text, as numbers
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
//-

// The models are small versions of those that write text today: {cpp:class}`~recto::nn::Gpt`, the network from the page
// on [sequences](sequences.cpp). Here it is a function with $N$ parameters. It reads up to 32 letters, a *window* of the
// text, and predicts the next letter at every position. The loss is the cross-entropy in nats; guessing among 27 symbols
// at random scores $\log 27 = 3.30$.
//- windows, and the loss on them
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
//-

// The experiment is a grid of trainings. Each has a number of layers, a width, and an amount of text. We measure the
// held-out loss after 16 steps, and then each time that the number of steps has grown by a factor of $\sqrt 2$, beyond
// 2048 steps twice as often. Training stops when the held-out loss is well above its best value, since the model then
// overfits. Otherwise it stops *at the limit* of 2048 steps, or *when flat*: when two measurements in a row bring no new
// best, at the latest after 32,768 steps. The [learning rate](optimisers.cpp) warms up for 100 steps and then falls like
// the inverse square root of the step:
//- when the loss is measured, and what a training starts from
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
    //-
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
        //- when training ends
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
//-

// The whole grid takes too long for a page, so it was computed once, and the book keeps the results: a
// {cpp:class}`~recto::book::Study`. The grid has six models with all 1.6 million letters, and the largest and the
// smallest model with seven shorter texts:
//- the grid
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
//-

// One question below is about a difference of a few percent, and chance alone moves a loss by nearly half a percent. So the
// last doubling of the text is repeated three times for the largest and the smallest model, with other initial weights
// and other mini-batches. The largest model needs more than 2048 steps for such long texts, so both train until flat.
//- the last doubling of the text
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
//-

// The grid itself uses the limit:
//- the study of the grid
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
//-

// The size of a model can be counted in several ways. We count all parameters except the two tables that turn letters and
// positions into vectors, because these are looked up and cost no multiplications.
//- the number of parameters, and how the results are read
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
    //-
    const std::vector<Study::Row>& rows = study.frozen().rows;
    Generator random(book::seed());

    // ## Power laws: larger models
    //
    // First we use all the text and let only the model grow. If the loss follows a {term}`power law`, it lies on a straight
    // line when both axes are logarithmic:
    //
    // ```{equation} eq-scaling-law
    // :function: recto::classic::fit_power_law
    // :test: power law: with one percent of noise the exponent is within two percent
    // \Loss(N) \approx \Big(\frac{N_c}{N}\Big)^{\alpha_N}
    // ```
    //
    // The exponent $\alpha_N$ says how steeply this line falls. A model ten times as large has a loss smaller by the
    // factor $10^{-\alpha_N}$, whatever its size. For $\alpha_N = 0.03$ the factor is 0.933: ten times the parameters
    // remove 7 percent of the loss. $N_c$ only sets the unit of $N$. {cpp:func}`~recto::classic::fit_power_law` fits a
    // line to the logarithms, and $R^2$ is the share of their variance that the line explains. The function also
    // resamples the points with replacement two hundred times; its interval holds 95 % of these exponents.
    std::vector<double> size, loss_of_size;
    for (const Study::Row& row : rows)
        if (row[2] == all_letters) {
            size.push_back(parameters_of(row));
            loss_of_size.push_back(best(row));
        }
    const PowerLaw by_size = fit_power_law(size, loss_of_size, random);
    say("models: exponent {:.3f} ({:.3f} to {:.3f}), R² {:.3f}", by_size.exponent,
        by_size.lowest, by_size.highest, by_size.r_squared);

    // ## More data
    //
    // Now the model is the largest, and the text grows. With a short text the model soon overfits, so we count the best
    // held-out loss during training, as if training had stopped there. This is fair only if the training continued until
    // the best was reached. With up to 128,000 letters the best is reached before the limit of 2048 steps. With 256,000 and
    // 512,000 letters we trained until flat. With all 1.6 million the limit *cut off* a loss that was still falling:
    //- the losses of the largest model, cut off or not
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
    //-
    claim("",
          "all of the text: by how much the steps from 1448 to 2048 still reduce the "
          "loss, in percent",
          still_falling, ">", 1);
    const PowerLaw by_data = fit_power_law(letters, loss_large, random);
    say("letters: exponent {:.3f} ({:.3f} to {:.3f}), R² {:.3f}", by_data.exponent,
        by_data.lowest, by_data.highest, by_data.r_squared);

    // The cut-off point reflects our budget and not the text, so we draw it without fitting it. For comparison, the fit
    // with this point:
    //- the fit with the cut-off point
    std::vector<double> all_points = letters, all_losses = loss_large;
    std::ranges::copy(cut_letters, std::back_inserter(all_points));
    std::ranges::copy(cut_losses, std::back_inserter(all_losses));
    Generator apart(book::seed());
    const PowerLaw with_cut_off = fit_power_law(all_points, all_losses, apart);
    //-
    say("with the cut-off point: exponent {:.3f} ({:.3f} to {:.3f}), R² "
        "{:.3f}",
        with_cut_off.exponent, with_cut_off.lowest, with_cut_off.highest,
        with_cut_off.r_squared);

    // ## More compute
    //
    // Training costs about six floating-point operations per parameter and letter, as [the next page](compute.cpp)
    // derives. So we can draw every training curve over the operations spent so far. With a small budget the small
    // model is best, with a larger budget a larger one. The lower envelope of all curves, the **frontier**, is the
    // lowest loss that a budget can buy.
    //- the frontier
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
    //-
    const PowerLaw by_compute = fit_power_law(spent, frontier, random);
    say("operations: exponent {:.3f} ({:.3f} to {:.3f}), R² {:.3f}",
        by_compute.exponent, by_compute.lowest, by_compute.highest,
        by_compute.r_squared);

    // {numref}`fig-3.6` shows all three laws with the measured points:
    //- how the figure is drawn
    Figure scaling("fig-3.6");
    scaling.describe(
        "Three panels with logarithmic axes: held-out loss against floating-point "
        "operations, letters of text, and parameters. In the first, the curves of six "
        "models cross, and their lower envelope follows a straight line. In the other "
        "two, points lie close to falling straight lines; in the second, a grey point "
        "lies above the line. A slider picks one model: its curve in the first panel "
        "and its point in the third.");
    const auto law = [&](const PowerLaw& fitted, const std::vector<double>& x) {
        const std::vector<double> at =
            even_in_log(std::ranges::min(x), std::ranges::max(x));
        std::vector<double> y;
        for (const double one : at) y.push_back(fitted(one));
        scaling.line("power law", at, y,
                     {.color = figure::red, .dash = figure::dashed, .points = false});
    };
    std::vector<double> models = size;
    std::ranges::sort(models);
    const figure::Style grey{
        .color = figure::grey, .dash = figure::solid, .width = 1, .points = false},
        chosen{.color = figure::ochre,
               .dash = figure::solid,
               .width = 2.5,
               .points = false},
        large{.color = figure::ochre, .shape = figure::Shape::diamond, .width = 7};
    scaling.columns(3)
        .slider("model", models, "parameters of the chosen model",
                models[models.size() / 2])
        .panel("compute");
    for (const Study::Row& row : rows) {
        if (row[2] != all_letters) continue;
        const std::vector<double> losses = curve(row);
        std::vector<double> flops;
        for (std::size_t look = 0; look < losses.size(); ++look)
            flops.push_back(6 * parameters_of(row) * double(batch * window) *
                            double(step_of(Index(look))));
        scaling.always().line("training", flops, losses, grey);
        scaling.at(parameters_of(row)).line("chosen model", flops, losses, chosen);
    }
    scaling.always();
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
    for (std::size_t i = 0; i < size.size(); ++i)
        scaling.at(size[i]).dots("chosen model", {size[i]}, {loss_of_size[i]}, large);
    scaling.always().x("parameters").log_axes().ylim(2, 3.4);
    scaling.save(
        "Held-out loss, with power laws fitted to it (dashed). Compute: every grey "
        "line is the training of one model; their lower envelope is the best loss for "
        "a given number of operations. Data: the largest model with more and more "
        "text; the step limit cut off the grey point, which is not fitted. "
        "Parameters: all of the text, and larger and larger models. The slider follows "
        "one model through the first and the third panel. Over about two to three "
        "decades "
        "all three laws are nearly straight. After Figure 3.6 of "
        "{cite:t}`fleuret2023`.");
    book::shows("fig-3.6/d", "fig-3.6");
    //-
    //- what is checked
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
    //-

    // In the panel *parameters* every model had 2048 steps, and the larger models were still improving. So the exponent belongs to
    // this number of steps.
    //
    // The exponents are small. To halve the loss we need $c^{-\alpha} = \frac12$, so $c = 2^{1/\alpha}$. With
    // $\alpha = 0.029$ that is about 34 doublings of the size:
    say("half the loss takes {:.1e} times the parameters",
        std::pow(2, 1 / by_size.exponent));

    // {cite:t}`kaplan2020` introduced such laws for language models, over up to seven decades where we have about two
    // to three. Their exponents are 0.076 for parameters, 0.095 for data and 0.050 for compute. Ours for data and
    // compute are about half of that, and ours for parameters is about two fifths. An exponent depends on the data and
    // the models; why losses follow power laws at all has no agreed explanation.
    //
    // Nor can the straight lines continue without end. A power law falls to zero, and the loss of a text cannot: our
    // words come in random order, so even a perfect model does not know the next word.
    //
    // ## A forecast
    //
    // A law allows forecasts. Leave out the largest model, fit the law to the five others, and extrapolate:
    const std::vector<double> smaller(size.begin() + 1, size.end()),
        their_losses(loss_of_size.begin() + 1, loss_of_size.end());
    const PowerLaw from_small = fit_power_law(smaller, their_losses, random);
    const double forecast = from_small(size.front());
    ask("The five smaller models are trained, the largest is not. How close does the "
        "law come to the loss of the largest?",
        {{"Within five percent: the points lie close to a line, and the line "
          "continues.",
          std::abs(forecast / loss_of_size.front() - 1) <= 0.05,
          "This is why laboratories train small models first."},
         {"It predicts twice the loss, or half of it.",
          std::abs(std::log2(forecast / loss_of_size.front())) > 0.8,
          "With an exponent this small even a factor of ten in size changes the loss "
          "by little."},
         {"It predicts nothing useful: every model is a different experiment.", false,
          "Each model is a different experiment, but they differ in one number "
          "only."}});
    say("forecast {:.3f}, measured {:.3f}", forecast, loss_of_size.front());

    // The forecast errs by 1.3 %, over a factor of two in size. It is too low, probably because the largest model was
    // further from the end of its training than the others. And it forecasts a *loss*. The law does not say which tasks
    // a model with this loss can solve.
    //
    // ## Bottlenecks
    //
    // More data help only a model large enough to use them. From 16,000 to 512,000 letters the loss of the largest model
    // falls by 17 %. That of the tiny model, which has fewer than a thousand parameters, falls by 2 %, and part
    // of this is due to longer training at the two last points. Its size is the {term}`bottleneck`, and further text is
    // wasted on it:
    Figure bottleneck("fig-bottleneck");
    bottleneck
        .describe(
            "Held-out loss against letters of text, both axes logarithmic. The line of "
            "the tiny model stays between 2.40 and 2.49, and falls a little again "
            "where "
            "it was trained until flat; the line of the largest model falls all the "
            "way "
            "and crosses it.")
        .line("tiny model", amounts, loss_tiny)
        .line("largest model", letters, loss_large)
        .x("letters")
        .y("held-out loss")
        .log_axes()
        .save(
            "The same text for two models. With 8,000 letters the tiny model is "
            "slightly better; from 16,000 on the largest model is, and its lead grows "
            "with every doubling. The tiny model's line is nearly level: its size is "
            "the bottleneck.");
    // How much does the last doubling bring, from a quarter of a million letters to half a million? The gain of every
    // repetition compares the two losses of its pair of trainings.
    //- how the gains are computed
    const auto gains = [](double width, std::size_t column) {
        std::vector<double> found;
        for (const Study::Row& more : until_flat.frozen().rows)
            for (const Study::Row& less : until_flat.frozen().rows)
                if (more[1] == width && less[1] == width && more[2] > less[2] &&
                    more[3] == less[3])
                    found.push_back(100 * (1 - more[column] / less[column]));
        return found;
    };
    //-
    const double tiny = sizes.back()[1], largest = sizes.front()[1];
    claim("claim-scaling-bottleneck/a",
          "the last doubling of the text reduces the tiny model's loss by, in percent",
          over_seeds(gains(tiny, 5)), "<", 1);
    claim(
        "claim-scaling-bottleneck/b",
        "the last doubling of the text reduces the loss of the largest model, trained "
        "until flat, by, in percent",
        over_seeds(gains(largest, 5)), ">", 3);
    say("the largest model, stopped at the step limit: the same in percent, {}",
        book::brief(over_seeds(gains(largest, 4))));

    // The largest model still gains from more text; the tiny model hardly does. The last line is a warning. At the
    // limit of 2048 steps the largest model's gain looked less than half as large, because a longer text needs more
    // steps. There the bottleneck was the number of steps, not the text.
    //
    // The reverse holds, too. With 8,000 letters the largest model is no better than the tiny one, because it overfits
    // before it has learned more: there the text is the bottleneck. So size and text must grow *together*. How fast? For a
    // budget ten times as large, {cite:t}`kaplan2020` recommended a model more than five times as large and less than twice
    // the text. {cite:t}`hoffmann2022` fitted the learning rate schedule to the length of each training and found that
    // both should grow at the same rate. They supported it with a model of 70 billion parameters and 1.4 trillion tokens,
    // which beat one of 280 billion parameters with a fifth of that text.
    //
    // ## Three trainings, here and now
    //
    // Small trainings take seconds, so this page runs three of them every time. They agree with the grid: the larger
    // model is better, and so is the longer text.
    //- how the three are trained
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
    //-
    say("width 16: {:.3f}; with 8000 letters: {:.3f}; width 8: {:.3f}", found[0],
        found[1], found[2]);
    //- what is checked
    claim_true("", "the wider of two models has the smaller loss", found[0] < found[2]);
    claim_true("", "the longer of two texts leads to the smaller loss",
               found[0] < found[1]);
    double seconds = 0;
    for (const double one : study.frozen().column("seconds")) seconds += one / 2;
    book::timing_claim("fig-3.6/c",
                       "the grid of twenty cells on two cores took, in minutes",
                       seconds / 60, "<=", 15);
}
//-

// ## Summary
//
// In our range the held-out loss falls as a power of model size, of data and of compute, with small exponents, so a small
// gain takes a large factor. Such a law, fitted to small models, forecasts a larger one. It holds only while nothing
// else is the bottleneck: model, data and number of steps must grow together.
//
// ## What is missing
//
// Our letters are cheap. How much arithmetic, and how much electricity, goes into a large model? [The next
// page](compute.cpp) adds it up.
//
// ```{try}
// - Begin the list of `sizes` with a model of four layers, and run `./recto run scaling --full`. If you stop it, the next
//   run continues. Does the new point lie on the line?
// - Fit the law with an offset, `{.offset = true}`. How much does its exponent change, and how wide is its interval? What
//   does this say about forecasts far beyond the data?
// ```
