// # Layer normalisation: one sample at a time
//
// ```{rows} eq-layernorm sys-layernorm sys-instance-norm fig-4.9
// ```
//
// [Batch normalisation](batch_norm.cpp) takes the mean and the variance of a unit over the samples of a mini-batch.
// Its benefits come from the normalisation, and all its troubles from the words *over the samples*. But a tensor of
// activations has other axes. A mini-batch of images has four: samples, channels, rows and columns. Over which of
// them should the moments be taken? {numref}`fig-4.9` shows three answers. They differ by the axis of a mean, and
// that decides whether a network can work with a single sample, with a sentence of any length, or with images of any
// contrast.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/norms/batch_norm.hpp>
#include <recto/ops/norms/layer_norm.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure;

const book::Option<int> companies("companies", 500,
                                  "companies of a sample at each size",
                                  {.quick = 50, .least = 2, .most = 100'000});

const Index samples = 3, channels = 4, places = 4;  // two rows and two columns
const Index cells = samples * channels * places;

// Defined further down:
template <class Norm>
std::vector<bool> changed(const Norm& norm, const Tensor& x, Index cell);
//-

//- how the figure is drawn, and what is checked
// Gives cells that belong together the same number, from 1, in the order in which they appear.
std::vector<double> numbered(const std::vector<std::vector<bool>>& sets) {
    std::map<std::vector<bool>, double> known;
    std::vector<double> number;
    for (const std::vector<bool>& set : sets)
        number.push_back(known.emplace(set, double(known.size() + 1)).first->second);
    return number;
}

// For each cell the results that change with it.
template <class Norm>
std::vector<std::vector<bool>> sharing(const Norm& norm, const Tensor& x) {
    std::vector<std::vector<bool>> sets;
    for (Index cell = 0; cell < cells; ++cell) sets.push_back(changed(norm, x, cell));
    return sets;
}

// For each result the number of the scale that changes it.
template <class Norm>
std::vector<double> scales(const Norm& norm, const Tensor& x) {
    std::vector<double> by(std::size_t(cells), 0.0);
    const std::vector<Real> before = norm(x).values();
    for (Index k = 0; k < norm.weight.numel(); ++k) {
        Norm other = nn::clone(norm);
        std::vector<Real> weight = norm.weight.values();
        weight[std::size_t(k)] += Real(0.1);
        other.weight = Tensor(norm.weight.shape(), weight);
        const std::vector<Real> after = other(x).values();
        for (std::size_t i = 0; i < after.size(); ++i)
            if (after[i] != before[i]) by[i] = double(k + 1);
    }
    return by;
}

using Share = std::function<bool(Index, Index)>;
Index sample_of(Index cell) { return cell / (channels * places); }
Index channel_of(Index cell) { return cell / places % channels; }

// Entries of the sharing sets that are not as defined.
Index wrong(const std::vector<std::vector<bool>>& sets, const Share& share) {
    Index count = 0;
    for (Index i = 0; i < cells; ++i)
        for (Index j = 0; j < cells; ++j)
            count += sets[std::size_t(i)][std::size_t(j)] != share(i, j);
    return count;
}

struct Names {
    std::vector<std::string> columns, rows;
};
Names names() {
    Names found;
    for (Index p = 1; p <= places; ++p) found.columns.push_back(std::to_string(p));
    for (Index b = 1; b <= samples; ++b)
        for (Index c = 1; c <= channels; ++c)
            found.rows.push_back(fmt::format("{}, {}", b, c));
    return found;
}

void who_shares() {
    Generator random(book::seed());
    const Tensor x = random.normal({samples, channels, 2, 2});
    const nn::BatchNorm batch(channels);
    const nn::LayerNorm layer({channels, 2, 2});
    const nn::GroupNorm instance(channels, channels);
    const Share same_channel = [](Index i, Index j) {
        return channel_of(i) == channel_of(j);
    };
    const Share same_sample = [](Index i, Index j) {
        return sample_of(i) == sample_of(j);
    };
    const Share both = [&](Index i, Index j) {
        return same_channel(i, j) && same_sample(i, j);
    };
    Figure figure("fig-4.9");
    figure
        .describe(
            "Six matrices of twelve by four cells: rows are samples and channels, "
            "columns are places. In the left panels cells with the same number share "
            "moments: "
            "for "
            "batch normalisation those of a channel in all samples, for layer "
            "normalisation all of a sample, for instance normalisation those of one "
            "channel in one sample. In the right panels cells with the same number "
            "share "
            "scale and shift: those of a channel, except for layer normalisation, "
            "where "
            "each component has its own.")
        .columns(2);
    const auto [columns, rows] = names();
    const auto panel = [&](const char* title, const std::vector<double>& numbers,
                           double high) {
        figure.panel(title)
            .tall(240)
            .heatmap("", columns, rows, numbers, 0, high)
            .x("place")
            .y("sample, channel");
    };
    const auto of_batch = sharing(batch, x), of_layer = sharing(layer, x),
               of_instance = sharing(instance, x);
    panel("batch: moments", numbered(of_batch), 4);
    panel("batch: scale", scales(batch, x), 4);
    panel("layer: moments", numbered(of_layer), 4);
    panel("layer: scale", scales(layer, x), 16);
    panel("instance: moments", numbered(of_instance), 12);
    panel("instance: scale", scales(instance, x), 4);
    figure.save(
        "Activations of three samples with four channels and two by two places, a cube "
        "that is laid out flat. In the panels *moments* cells with the same number "
        "share mean and variance, in the "
        "panels *scale* they share scale and shift, under batch, layer and instance "
        "normalisation. All numbers are measured: a cell was changed, and the results "
        "that changed with it were noted.");
    book::shows("fig-4.9/a", "fig-4.9");
    claim("fig-4.9/b", "batch normalisation: entries of the sets not as defined",
          wrong(of_batch, same_channel), "==", 0);
    claim("fig-4.9/b", "layer normalisation: entries not as defined",
          wrong(of_layer, same_sample), "==", 0);
    claim("fig-4.9/b", "instance normalisation: entries not as defined",
          wrong(of_instance, both), "==", 0);
}
//-

// How to read it: in the panels *moments*, cells with the same number are normalised together. Batch normalisation runs
// along a channel through all samples, layer normalisation through a whole sample, instance normalisation through one
// channel of one sample. The numbers of *batch: moments* recur from sample to sample, and those of the other two
// do not. The panels *scale* show the trained numbers: a scale for each channel, or one for each component.
//
// The program draws {numref}`fig-4.9` from measurements. It changes one number of the input and looks which results
// change:
template <class Norm>
std::vector<bool> changed(const Norm& norm, const Tensor& x, Index cell) {
    std::vector<Real> other = x.values();
    other[std::size_t(cell)] += Real(0.1);
    const std::vector<Real> before = norm(x).values(),
                            after = norm(Tensor(x.shape(), other)).values();
    std::vector<bool> found;
    for (std::size_t i = 0; i < after.size(); ++i)
        found.push_back(after[i] != before[i]);
    return found;
}

// ## The same three lines, along another axis
//
// A layer has four units, and for one sample their values are 1, 3, 5 and 7. The mean is 4 and the variance 5, so
// they become $-1.34$, $-0.45$, $0.45$ and $1.34$. This is the example of the last page, but there the four numbers
// were four samples of one unit, and here they are four units of one sample. **Layer normalisation** does this for
// each sample $b$, over all its $D$ components:
//
// ```{equation} eq-layernorm
// :function: recto::layer_norm
// :test: layer_norm: definition of layer_norm and rms_norm
// y_{b,d} = \gamma_d\, \frac{x_{b,d} - \hat m_b}{\sqrt{\hat v_b + \epsilon}} + \beta_d, \qquad
// \hat m_b = \frac1D \sum_d x_{b,d}, \quad \hat v_b = \frac1D \sum_d (x_{b,d} - \hat m_b)^2
// ```
//
// Only an index of the moments differs: $b$ in place of $d$. Scale and shift still belong to the component, since
// they are weights, and weights must not depend on the sample. In code, the `0` of the last page has become a `1`:
Tensor normalise(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
    const Tensor m = mean(x, {1}, Keep::yes);
    const Tensor v = mean(square(x - m), {1}, Keep::yes);
    return gamma * ((x - m) / sqrt(v + eps)) + beta;
}
//- compared with the library, and the figure
void by_hand() {
    Generator random(book::seed());
    const Tensor x = random.normal({8, 5}) * 3 + 2;
    const Tensor gamma = random.normal({5}), beta = random.normal({5});
    const Tensor far = normalise(x, gamma, beta, 1e-5) - layer_norm(x, 1, gamma, beta);
    claim("", "three lines against the library: the largest difference",
          max(abs(far)).item(), "<=", 1e-12);
    Figure figure("fig-ln-factor");
    figure
        .describe(
            "Three panels of bars for the six components of a sample: the input, which "
            "grows with the factor; the result of layer normalisation, which stays; "
            "the "
            "result of batch normalisation, which grows up to a point.")
        .slider("factor", {0.1, 0.5, 1, 2, 10}, "factor of the sample", 1);
    const Tensor others = random.normal({7, 6}), one = random.normal({1, 6});
    const std::vector<std::string> component = {"1", "2", "3", "4", "5", "6"};
    const auto first = [](const Tensor& y) {
        const std::vector<Real> values = y.values();
        return std::vector<double>(values.begin(), values.begin() + 6);
    };
    const auto panel = [&](const char* title, double high, const auto& f) {
        figure.always().panel(title).ylim(-high, high).x("component");
        for (const double factor : {0.1, 0.5, 1.0, 2.0, 10.0}) {
            std::vector<Real> all = (one * factor).values();
            for (const Real v : others.values()) all.push_back(v);
            figure.at(factor).bars(title, component, first(f(Tensor({8, 6}, all))));
        }
    };
    panel("input", 8, [](const Tensor& x) { return x; });
    panel("layer normalisation", 3, [](const Tensor& x) { return layer_norm(x, 1); });
    panel("batch normalisation", 3, [](const Tensor& x) {
        return batch_norm(x, Tensor(), Tensor(), Tensor(), Tensor());
    });
    figure.always().columns(3);
    figure.save(
        "One sample of a mini-batch of eight, multiplied by the factor of the slider, "
        "and after both normalisations. Layer normalisation does not see the factor.");
    const Tensor words({2, 4}, {1, 3, 5, 7, 10, 30, 50, 70}), pair({1, 2}, {3, 7});
    const Tensor each = layer_norm(words, 1), both = layer_norm(words, 2);
    for (const Index word : {0, 1})
        say("word {}: alone {:.2f}, {:.2f}, {:.2f}, {:.2f}; together {:.2f}, {:.2f}, "
            "{:.2f}, {:.2f}",
            word + 1, each.at({word, 0}), each.at({word, 1}), each.at({word, 2}),
            each.at({word, 3}), both.at({word, 0}), both.at({word, 1}),
            both.at({word, 2}), both.at({word, 3}));
    const Tensor sign = layer_norm(pair, 1);
    say("the pair 3, 7: {:.2f}, {:.2f}", sign.at({0, 0}), sign.at({0, 1}));
    const nn::Sequential net(nn::Linear(6, 6, random), nn::LayerNorm({6}), nn::Relu());
    nn::Sequential testing = nn::clone(net);
    nn::set_training(testing, false);
    claim_true("sys-layernorm/a", "training and evaluation mode give the same bits",
               net(others).values() == testing(others).values());
}
//-

// What does the layer forget? It removes the mean and the size of a sample. {numref}`fig-ln-factor` multiplies one
// sample by a factor. A sample times ten gives the same result: what counts is only how large the components are
// beside each other. For a layer inside a network this is mostly welcome. At the input it can be a loss: a dark
// image and a bright one become equal.
//
// The geometry: subtracting the mean projects a sample onto the directions whose components add up to
// zero, and dividing puts it on a sphere of radius $\sqrt D$. Of $D$ numbers, $D - 2$ remain free. With two
// components nothing is left but a sign: $(3, 7)$ becomes $(-1, 1)$, and so does every pair whose second number is
// larger. With three, all samples lie on a circle. With 512 the loss of two is hardly noticed.
//
// In a sentence there is one more axis, the place. Layers for text normalise each place by itself, over its
// components. Take two words with four components: $(1, 3, 5, 7)$ and $(10, 30, 50, 70)$. Normalised word by word,
// both become $(-1.34, -0.45, 0.45, 1.34)$. Normalised together, the first word would become
// $(-0.87, -0.79, -0.71, -0.62)$, four nearly equal numbers, because the second word is larger; and they would change
// with every word that is added to the sentence. So a word must not see the size of the others, for the same reason
// for which a sample must not.
//
// Since nothing is shared among samples, there are no running statistics and no modes. Training and use are the same
// computation.
//
// ## How noisy is a batch
//
// How much does its company disturb a sample under batch normalisation? We take one sample, draw many companies for
// it, and look at its result. First the smallest company, a single other sample:
//- the sample and its companies
double result(Index size, double mine,
              Generator& random) {  // of one sample among others
    std::vector<Real> batch = random.normal({size}).values();
    batch[0] = Real(mine);
    const Tensor x({size, 1}, batch);
    return double(
        batch_norm(x, Tensor(), Tensor(), Tensor(), Tensor(), {.eps = 0}).at({0, 0}));
}

void company() {
    Generator random(book::seed());
    double off = 0;
    std::vector<double> two;
    for (int k = 0; k < companies(); ++k) {
        two.push_back(result(2, 0.5, random));
        off = std::max(off, std::abs(std::abs(two.back()) - 1));
    }
    //-
    ask("The sample has the value 0.5, the other one a random value with mean 0 and "
        "standard deviation 1. What can the result of batch normalisation be, with "
        "ε = 0?",
        {{"Any number, mostly near 0.5.", off > 1,
          "Mean and variance come from both numbers, and then there is little left to "
          "say."},
         {"Any number between −1 and 1.", off > 1e-6 && off <= 1,
          "Of two numbers, each is half their distance away from the mean, and so is "
          "the "
          "standard deviation."},
         {"Only −1 or 1.", off <= 1e-6,
          "Of two numbers, each is half their distance away from the mean, and that is "
          "the standard deviation, too."}});
    //- how the figure is drawn
    std::vector<double> at, low, middle, high;
    for (const Index size : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128}) {
        std::vector<double> seen;
        for (int k = 0; k < companies(); ++k) seen.push_back(result(size, 0.5, random));
        std::ranges::sort(seen);
        const auto quantile = [&](double q) {
            return seen[std::size_t(q * double(seen.size() - 1))];
        };
        at.push_back(double(size)), low.push_back(quantile(0.1));
        middle.push_back(quantile(0.5)), high.push_back(quantile(0.9));
    }
    Figure("fig-ln-company")
        .describe(
            "The result of a sample against the size of the mini-batch, on a "
            "logarithmic "
            "axis. A band from minus 1 to 1 at size 2 narrows to between 0.38 and 0.62 "
            "at "
            "size 128; a line in its middle approaches 0.5.")
        .band("eight in ten companies", at, low, high)
        .line("median", at, middle, {.color = figure::blue})
        .log_x()
        .x("size of the mini-batch")
        .y("result of the sample 0.5")
        .save(
            "What batch normalisation makes of a sample with the value 0.5, whose "
            "companions are drawn from the normal distribution. The true moments would "
            "give 0.5.");
    say("with a company of one, the result is 1 in {:.0f} % of the draws",
        100 * double(std::ranges::count_if(two, [](double y) { return y > 0; })) /
            double(two.size()));
    say("eight in ten results lie between {:.2f} and {:.2f} at size 16, and between "
        "{:.2f} and {:.2f} at size 128",
        low[6], high[6], low.back(), high.back());
}
//-

// In a mini-batch of two the layer only says which of the two numbers is larger. {numref}`fig-ln-company` shows larger
// batches. The error of a mean of $B$ numbers falls like $1/\sqrt B$, so the band narrows slowly: with 16 samples the
// result still scatters widely, and this in every layer. As noise during training it can be useful, like
// [dropout](dropout.cpp). In a large image model, of which only two samples fit into memory, it costs accuracy
// {cite:p}`wu2018`. Layer normalisation would give the sample the same result in all companies: its band is a line.
//
// ## Between the two
//
// Images offer more choices, since a channel has many places. **Instance normalisation** takes the moments of each
// channel of each sample over its places. It removes brightness and contrast from each channel. That made it popular
// for changing the style of images {cite:p}`ulyanov2016`: contrast belongs to the style of an image, and should come
// from the new style.
//
// **Group normalisation** takes some channels together {cite:p}`wu2018`. It is a compromise. A few channels with many
// places give enough numbers for good moments, and channels outside the group stay independent.
// {numref}`fig-ln-groups` shows the family: one group gives the moments of layer normalisation, a group for each
// channel those of instance normalisation.
//- how the figure is drawn, and the table
void groups() {
    Generator random(book::seed());
    const Tensor x = random.normal({samples, channels, 2, 2});
    const auto [columns, rows] = names();
    Figure figure("fig-ln-groups");
    figure
        .describe(
            "A matrix of twelve by four cells. With one group, the four rows of a "
            "sample "
            "have the same number; with two groups, two neighbouring rows; with four "
            "groups, each row has its own.")
        .slider("groups", {1, 2, 4}, "number of groups", 2);
    for (const Index count : {1, 2, 4})
        figure.at(double(count))
            .heatmap("number", columns, rows,
                     numbered(sharing(nn::GroupNorm(count, channels), x)), 0, 12);
    figure.always()
        .x("place")
        .y("sample, channel")
        .height(320)
        .save(
            "Which cells share moments under group normalisation, measured as in "
            "{numref}`fig-4.9`. Four channels in one, two or four groups.");
    book::table("norms", "Layers that normalise.",
                {"layer", "moments over", "scale and shift for each", "depends on"},
                {{"batch", "samples and places", "channel", "the mini-batch"},
                 {"layer", "all components of a sample", "component", "the sample"},
                 {"instance", "places of one channel", "channel", "the sample"},
                 {"group", "places of some channels", "channel", "the sample"},
                 {"RMS", "components, without the mean", "component", "the sample"}});
}
//-

// The last line of {numref}`norms` is layer normalisation without its first step: **RMS normalisation** divides by
// the root of the mean square and subtracts nothing {cite:p}`zhang2019rms`. It needs one sum over the components in
// place of two, and large language models often use it.
//
// ## Limits and history
//
// {cite:t}`ba2016` introduced layer normalisation for recurrent networks, which apply the same layer at every step of
// a sequence. Batch normalisation would need its own statistics for each step, and none exist for steps beyond the
// longest training sequence. Transformers took layer normalisation over. In convolutional networks for images it
// usually does worse than batch normalisation, if the mini-batches are large {cite:p}`wu2018`: channels play different
// roles, and a common mean for all of them mixes what should be separate.
//
// ## Summary
//
// Layer normalisation takes mean and variance over the components of one sample, so that neither the mini-batch nor
// the mode matters. It forgets the size of the sample. Group normalisation stands between layer and instance
// normalisation, and all three are the same three lines over different axes.
//
// ## What is missing
//
// Normalisation keeps signals in range in networks of any depth. Yet deep plain networks are hard to train, even
// with it. [The next page](skip_connections.cpp) leads signals and gradients around layers.
//
// ```{try}
// - More companies: `--companies 5000`. Does the band of {numref}`fig-ln-company` change?
// ```
void page() {
    who_shares();
    by_hand();
    company();
    groups();
}
