// # Adapting a diffusion model: LoRA for convolutions
//
// ```{rows} claim-lora-diffusion
// ```
//
// A diffusion model has learned to paint clothes of all kinds. You want a model that paints trousers only, and have a
// thousand images of trousers and a few seconds. [LoRA](low_rank.cpp) corrected the layers of a perceptron. Here it corrects
// the convolutions of a U-Net. {numref}`fig-adapter-strength` paints three images from the same noise each time. The slider
// sets how strongly the correction counts. At which strength would you call all three trousers? And is the old model still
// there when the slider returns to 0?
//
// ```{opening} fig-adapter-strength
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/classic/frechet.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/denoising_unet.hpp>
#include <recto/nn/diffusion.hpp>
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using book::Study;
using data::Examples, data::Part;
using figure::Figure, figure::Names;
using nn::NoiseSchedule;
using Numbers = std::vector<double>;

const book::Option<Index> base_steps("steps", 900,
                                     "steps of the training of the base on this page",
                                     {.quick = 5, .least = 1, .most = 100'000});
const book::Option<Index> tuning_steps("tuning", 250,
                                       "steps of the training of each correction",
                                       {.quick = 5, .least = 1, .most = 100'000});
const book::Option<Index> live_rank("rank", 4, "rank of the corrections on this page",
                                    {.least = 1, .most = 16});

const Index side = 14, all_steps = 50, trouser = 1;
//-

// ## A model that was never told a class
//
// The base is the [U-Net of diffusing images](../applications/diffusing_images.cpp), without the class: it sees an image of
// 14 × 14 pixels with noise, and the step, and predicts the noise. It has learned from all ten classes of Fashion-MNIST
// {cite:p}`xiao2017`, so its samples are clothes of any kind. You cannot ask it for trousers, because it has no input for a
// wish:
struct Painter {
    nn::Linear read;
    nn::DenoisingUnet net;

    Tensor operator()(const Tensor& x, const Integers& t) const {
        return net(x, silu(read(nn::time_features(t, all_steps, 16))));
    }
    //- how it is made
    Painter(Index width, Generator& random)
        : read(16, 32, random),
          net({.width = width, .levels = 1, .conditions = 32}, random) {}
    void visit(auto&& part) { part("read", read), part("net", net); }
    //-
};

// ## A convolution is a matrix
//
// LoRA corrects a matrix. Where is the matrix of a convolution? Take two output channels whose kernels have three pixels:
// $(1, 0, -1)$ and $(0, 1, 0)$. Written below each other, they are a matrix with a row for each output channel and a column
// for each weight of a kernel. A correction of rank 1 is a column times a row. Let the column be 1 and 2, and the row
// $(0, 0, 3)$:
//
// $$ \begin{pmatrix} 1 & 0 & -1 \cr 0 & 1 & 0 \end{pmatrix} +
//    \begin{pmatrix} 1 \cr 2 \end{pmatrix} \begin{pmatrix} 0 & 0 & 3 \end{pmatrix} =
//    \begin{pmatrix} 1 & 0 & 2 \cr 0 & 1 & 6 \end{pmatrix} $$
//
// So the row is a new kernel, and the column says how much of it each output channel takes. With rank $R$ there are $R$
// new kernels. In the U-Net a kernel reads 3 × 3 pixels of several channels. A convolution from 16 channels to 16 has 16
// rows and $9 \cdot 16 = 144$ columns, 2,304 weights, and a correction of rank 1 has $16 + 144 = 160$ numbers. In general
//
// $$ W \;\to\; W + s\, B A $$
//
// with $R$ columns in $B$, $R$ rows in $A$, and a **strength** $s$, which is 1 in training. $W$ is frozen, and $B$
// starts at zero. The tensor of kernels keeps its shape:
struct Correction {
    Tensor b, a;

    Correction(const Tensor& w, Index rank, Generator& random) {
        const Index out = w.size(0), in = w.numel() / out;
        rank = std::min(rank, std::min(out, in));
        b = zeros({out, rank}).requires_grad_();
        a = nn::lecun_init({rank, in}, random).requires_grad_();
    }
    Tensor beside(const Tensor& w, double strength) const {
        return w.detach() + strength * reshape(matmul(b, a), w.shape());
    }
    //- names
    void visit(auto&& part) { part("b", b), part("a", a); }
    //-
};

// Every tensor with more than one axis gets a correction: the kernels, and the matrices that bring in the step. Biases stay
// as they are. The walk over the tensors of the base needs to know nothing about U-Nets:
struct Corrections {
    std::vector<Correction> each;

    Corrections(const Painter& base, Index rank, Generator& random) {
        for (const NamedTensor& w : nn::state(base))
            if (w.tensor.dim() > 1) each.emplace_back(w.tensor, rank, random);
    }
    Painter applied(const Painter& base, double strength = 1) const {
        Painter net = base;  // shares all numbers
        auto next = each.begin();
        nn::walk("", net, [&](const std::string&, Tensor& t) {
            t = t.dim() > 1 ? (next++)->beside(t, strength) : t.detach();
        });
        return net;
    }
    //- names
    void visit(auto&& part) { part("each", each); }
    //-
};

// The training is that of [a denoiser](../applications/denoisers.cpp), with two changes. The images are those of the wish,
// and the optimiser gets $A$ and $B$ only.
//- images, trainings and samples
const double pixel_mean = 0.286, pixel_deviation = 0.33;
Tensor scaled(const Tensor& pixels) {
    return (pixels - pixel_mean) * (1 / pixel_deviation);
}
Tensor pixels_of(const Tensor& x) {
    return minimum(maximum(x * pixel_deviation + pixel_mean, 0), 1);
}
// Images of rows begin to end of a part, as 14 x 14 pixels.
Examples small_images(Part part, Index begin, Index end) {
    Examples set = data::slice(data::fashion_mnist(part), begin, end);
    set.x = avg_pool2d(set.x, 2);
    return set;
}
// The pixels of the images of one class.
Tensor only(const Examples& set, Index label) {
    std::vector<Index> rows;
    for (Index i = 0; i < set.size(); ++i)
        if (set.labels.data()[i] == label) rows.push_back(i);
    return data::select(set, rows).x;
}

// `net` gives the network of this step; the rate falls to zero.
template <class Net>
void train(const Net& net, const NamedTensors& trained, const Tensor& x, Index steps,
           double rate, Generator& random) {
    const NoiseSchedule schedule = NoiseSchedule::linear(all_steps);
    optim::Adam adam(trained, {.lr = rate, .betas = {0.9, 0.99}});
    const auto loss = [&] {
        const Tensor batch = index_rows(x, random.integers({16}, 0, x.size(0)));
        return nn::noise_prediction_loss(net(), schedule, batch, random);
    };
    const auto falling = [&](Index step) {
        return rate * std::min(1.0, double(step + 1) / 20) *
               (1 - double(step) / double(steps));
    };
    optim::fit(adam, loss, {.steps = steps, .lr = falling});
}

Painter trained_base(Index width, const Tensor& x, Index steps, Generator& random) {
    const Painter base(width, random);
    train([&] { return base; }, nn::parameters(base), x, steps, 4e-3, random);
    return base;
}

Tensor painted(const Painter& net, Index count, Generator& random) {
    const NoiseSchedule schedule = NoiseSchedule::linear(all_steps);
    return pixels_of(schedule.sample(net, {count, 1, side, side}, random));
}
//-

//- the judge, and the study
struct Judge {
    std::vector<nn::Layer> layers;

    Tensor run(Tensor x, std::size_t until) const {
        for (std::size_t i = 0; i < until; ++i) x = layers[i](x);
        return x;
    }
    Tensor features(const Tensor& x) const { return run(x, layers.size() - 1); }
    Tensor scores(const Tensor& x) const { return run(x, layers.size()); }
};
// Labels 0 to 9 are the classes, and 10 to 19 the same in inverted colours.
Judge make_judge(const Examples& set, Generator& random) {
    const nn::ConvLayerOptions he{.padding = 1, .weights = nn::he_init};
    Judge judge;
    judge.layers.emplace_back(nn::Conv2d(1, 16, 3, random, he));
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::MaxPool2d{2});
    judge.layers.emplace_back(nn::Conv2d(16, 32, 3, random, he));
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::MaxPool2d{2});
    judge.layers.emplace_back(nn::Flatten());
    judge.layers.emplace_back(nn::Linear(288, 64, random, {.weights = nn::he_init}));
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::Linear(64, 20, random, {.weights = nn::he_init}));
    optim::Adam adam(nn::parameters(judge.layers), {.lr = 2e-3});
    const Index passes = 3;
    const double all = double(passes * ((set.size() + 99) / 100));
    optim::fit(
        adam, [&] { return data::Batches(set, 100, random); },
        [&](const Examples& some) {
            std::vector<Index> labels = some.labels.values();
            std::vector<Real> flip(labels.size());
            for (std::size_t i = 0; i < labels.size(); ++i)
                if (random.next_uniform() < 0.5) flip[i] = 1, labels[i] += 10;
            const Index n = some.size();
            const Tensor f({n, 1, 1, 1}, flip);
            return cross_entropy(judge.scores(f + (1 - 2 * f) * some.x),
                                 Integers({n}, labels));
        },
        {.epochs = passes,
         .lr = [&](Index step) { return 2e-3 * (1 - double(step) / all); }});
    return judge;
}

// Two wishes: only trousers, or everything in inverted colours.
struct Wish {
    const char* name;
    Tensor training, validation, real;  // pixels
    Index first, last;                  // labels of the judge that fulfil it
};
std::vector<Wish> wishes(const Examples& set, const Examples& held,
                         const Examples& test) {
    const Tensor trousers = only(set, trouser);
    return {{"trousers", slice(trousers, 0, 0, 1000), only(held, trouser),
             only(test, trouser), trouser, trouser},
            {"inverted", 1 - slice(set.x, 0, 0, 1000), 1 - held.x,
             1 - slice(test.x, 0, 0, 1000), 10, 19}};
}
double share_of(const Judge& judge, const Tensor& x, const Wish& wish) {
    const Integers labels = argmax(judge.scores(x), 1);
    double count = 0;
    for (const Index label : labels.values())
        count += label >= wish.first && label <= wish.last;
    return count / double(labels.numel());
}

std::vector<std::string> result_names() {
    std::vector<std::string> names = {"judge"};
    for (const char* wish : {"trousers", "inverted"}) {
        for (const char* of : {"real", "base"})
            names.push_back(fmt::format("{} {} share", wish, of));
        names.push_back(fmt::format("{} base distance", wish));
        for (const char* way : {"rank 1", "rank 4", "full"})
            for (const char* what : {"rate", "loss", "share", "distance"})
                names.push_back(fmt::format("{} {} {}", wish, way, what));
    }
    return names;
}

// The same noise for all.
double loss_on(const Painter& net, const Tensor& x) {
    const NoGrad only_asking;
    Generator same(7);
    const NoiseSchedule schedule = NoiseSchedule::linear(all_steps);
    return double(nn::noise_prediction_loss(net, schedule, x, same).item());
}

Study::Row adapt(const Study::Row& cell) {
    Generator random(book::seed() * 1000 + std::uint64_t(cell[0]));
    const Examples set = small_images(Part::train, 0, 20'000),
                   held = small_images(Part::train, 50'000, 52'000),
                   test = small_images(Part::test, 0, 5000);
    const Judge judge = make_judge(set, random);
    const Painter base = trained_base(16, scaled(set.x), 2000, random);
    Study::Row row;
    {
        const NoGrad only_judging;
        row = {nn::accuracy(judge.scores(test.x), test.labels)};
    }
    const Index count = 300;
    const Tensor before = painted(base, count, random);
    for (const Wish& wish : wishes(set, held, test)) {
        const auto features = [&](const Tensor& x) {
            const NoGrad only_judging;
            return linalg::matrix_of(judge.features(x));
        };
        const linalg::Matrix real = features(wish.real);
        row.push_back(share_of(judge, wish.real, wish));
        row.push_back(share_of(judge, before, wish));
        row.push_back(classic::frechet_distance(features(before), real));
        const Tensor x = scaled(wish.training), validation = scaled(wish.validation);
        for (const Index rank : {1, 4, 0}) {
            double best = 1e9, chosen = 0;
            Painter kept = base;
            for (const double rate : {3e-3, 1e-2}) {
                Painter net = nn::clone(base);
                if (rank > 0) {
                    const Corrections c(base, rank, random);
                    train([&] { return c.applied(base); }, nn::parameters(c), x, 250,
                          rate, random);
                    const NoGrad only_merging;
                    net = c.applied(base);
                } else {
                    train([&] { return net; }, nn::parameters(net), x, 250, rate / 3,
                          random);
                }
                const double loss = loss_on(net, validation);
                if (loss < best) best = loss, chosen = rate, kept = net;
            }
            const Tensor after = painted(kept, count, random);
            row.push_back(rank > 0 ? chosen : chosen / 3);
            row.push_back(best);
            row.push_back(share_of(judge, after, wish));
            row.push_back(classic::frechet_distance(features(after), real));
        }
    }
    return row;
}
const Study study(
    {"adapted_images", {"draw"}, result_names(), {"claim-lora-diffusion/a"}, 0.05},
    {{1}, {2}, {3}}, adapt);
//-

// ## One base, two corrections
//
// The program trains a base for some seconds, and two corrections of it. The first has seen a thousand trousers. The second
// has seen a thousand clothes of all kinds in inverted colours, dark on a bright ground. {numref}`fig-one-base` paints the
// same noise with the base, with each correction, and with the base again.
//- the live models and two figures
struct Live {
    Painter base, trousers, inverted;
    Corrections correction;  // that for trousers
    Tensor before, after;    // what the base paints, first and last
};
Tensor same_noise(const Painter& net, Index count) {
    Generator same(book::seed() + 3);
    return painted(net, count, same);
}
Corrections tuned(const Painter& base, const Tensor& x, Generator& random) {
    const Corrections c(base, live_rank(), random);
    train([&] { return c.applied(base); }, nn::parameters(c), x, tuning_steps(), 1e-2,
          random);
    return c;
}
Live live() {
    Generator random(book::seed());
    const Examples set = small_images(Part::train, 0, book::quick() ? 2000 : 20'000);
    const Painter base = trained_base(16, scaled(set.x), base_steps(), random);
    const Tensor before = same_noise(base, 9), trousers = only(set, trouser);
    const auto first = [](const Tensor& x) {
        return slice(x, 0, 0, std::min<Index>(1000, x.size(0)));
    };
    const Corrections start(base, live_rank(), random);
    claim_true("", "at the start the corrected model paints what the base paints",
               same_noise(start.applied(base), 9).values() == before.values());
    const Corrections one = tuned(base, scaled(first(trousers)), random),
                      other = tuned(base, scaled(1 - first(set.x)), random);
    const NoGrad only_merging;
    const Painter with_one = one.applied(base), with_other = other.applied(base);
    say("numbers that a correction trains: {} beside {} of the base", nn::count(one),
        nn::count(nn::state(base)));
    return {base, with_one, with_other, one, before, same_noise(base, 9)};
}

void strengths(const Live& of) {
    const Numbers stops = {0, 0.25, 0.5, 0.75, 1, 1.5};
    Names places;
    for (Index i = 1; i <= side; ++i) places.push_back(std::to_string(i));
    std::vector<Tensor> seen;
    const NoGrad only_merging;
    for (const double s : stops)
        seen.push_back(same_noise(of.correction.applied(of.base, s), 9));
    Figure figure("fig-adapter-strength");
    figure
        .describe(
            "Three images of 14 by 14 pixels and a slider for the strength of the "
            "correction. At 0 they are a shoe or a shirt, hard to recognise. With more "
            "strength they become upright shapes with two legs.")
        .columns(3)
        .height(220)
        .slider("strength", stops, "strength of the correction", 1);
    for (Index k = 2; k < 5; ++k) {
        figure.panel(fmt::format("noise {}", k + 1));
        for (std::size_t i = 0; i < stops.size(); ++i)
            figure.at(stops[i]).heatmap("", places, places,
                                        select(seen[i], 0, k).values(), 0, 1);
        figure.always().bare();
    }
    figure.save(
        "Three samples, each from noise that stays the same. At strength 0 the base "
        "paints, which has learned all kinds of clothes, at 1 the base with a "
        "correction for trousers.");
}

void one_base(const Live& of) {
    figure::Images sheet("fig-one-base", 9);
    const auto row = [&](const char* name, const Tensor& x) {
        for (Index i = 0; i < 9; ++i)
            sheet.add(i == 0 ? name : "", int(side), int(side),
                      select(x, 0, i).values());
    };
    row("base", of.before);
    row("trousers", same_noise(of.trousers, 9));
    row("inverted", same_noise(of.inverted, 9));
    row("base", of.after);
    sheet.describe(
        "Four rows of nine images. The first and the last row are the same clothes of "
        "several kinds, dark on white. The second row shows trousers. The third row "
        "shows bright shapes on black.");
    sheet.negative().save(
        "Nine samples, not selected, from the same noise in each row: the base, the "
        "base with each of two corrections, and the base again. Drawn as negatives, so "
        "that the base paints dark clothes on white and the inverted row is bright on "
        "black.");
    claim_true("claim-lora-diffusion/b",
               "without a correction the base paints the same nine images as before "
               "the trainings, bit for bit, and with the correction for trousers other "
               "ones",
               of.after.values() == of.before.values() &&
                   same_noise(of.trousers, 9).values() != of.before.values());
}
//-

// A strength between 0 and 1 puts the weights on the straight line from the base to the adapted model. Nothing in the
// training asked for good images there. Still, {numref}`fig-adapter-strength` changes them little by little: the garment
// becomes narrower, and then has two legs. A strength above 1 exaggerates the change, as
// [guidance](../applications/diffusing_images.cpp) exaggerates a wish.
//
// The base comes back because the corrected model is a new list of tensors, and the base's own numbers are never written.
// A correction is a file of its own, and one base can serve many of them. In use you would add it to the weights once, so
// that painting costs the same as before. And later?
//- the question
void there_and_back(const Live& of) {
    const NoGrad only_merging;
    const Painter back = of.correction.applied(of.trousers, -1);
    const NamedTensors was = nn::state(of.base), is = nn::state(back);
    double changed = 0, all = 0;
    for (std::size_t i = 0; i < was.size(); ++i) {
        const std::vector<Real> a = was[i].tensor.values(), b = is[i].tensor.values();
        for (std::size_t j = 0; j < a.size(); ++j) changed += a[j] != b[j], ++all;
    }
    const double gap = double(max(abs(same_noise(back, 9) - of.before)).item());
    const double visible = 1.0 / 255;
    ask("You add BA to the weights of the base, and keep no copy of the base. Later "
        "you "
        "subtract BA from the sum. Is the base back?",
        {{"Yes, bit for bit: the same numbers are added and subtracted.", changed == 0,
          "Every sum is rounded, and the rounding is not subtracted."},
         {"Nearly: some weights differ in their last digits, and no pixel of an image "
          "changes by a gray level.",
          changed > 0 && gap < visible,
          "Each sum is rounded to the digits that a weight has. To get the base back "
          "bit for bit, keep it, or keep the correction apart."},
         {"No: the differences grow over 50 steps, and pixels change by a gray level "
          "or more.",
          gap >= visible,
          "The rounding of the sums is small, but each step reads the result of the "
          "step before."}});
    say("weights that adding and subtracting changed: {:.0f} of {:.0f}; largest change "
        "of a pixel, of 1: {:.1g}",
        changed, all, gap);
}
//-

// Rounding loses the last digits of a sum, and a difference cannot know them. The images would forgive it. If you need the
// same base again, bit for bit, keep its file, or keep the correction apart.
//
// ## How many are trousers?
//
// Nine images are no measurement. A study trains three bases for longer, and adapts each to both wishes: with corrections
// of rank 1 and of rank 4, and by full fine-tuning, which trains all weights. All see the same thousand images for 250
// steps. Each uses the better of two learning rates, chosen by its loss on held-out images. A convolutional network judges
// 300 samples of each model. It has learned twenty labels, the ten classes upright and inverted.
//
// The share of recognised samples tells nothing about their variety. A model that paints one good pair of trousers again and
// again would score 1. So the [Fréchet distance](../architectures/variational_autoencoders.cpp) in the features of the judge
// compares the samples with real images of the wish.
//- the figure, the table, and what is checked
Numbers column(const std::string& wish, const std::string& way,
               const std::string& what) {
    return study.frozen().column(fmt::format("{} {} {}", wish, way, what));
}

std::string ranged(const Numbers& found) {
    const book::Measured m = over_seeds(found);
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", m.value, m.low, m.high);
}

void judged() {
    const Names ways = {"base", "rank 1", "rank 4", "full"};
    Figure figure("fig-adapted-shares");
    figure
        .describe(
            "Two panels of bars for the share of samples that fulfil the wish: few for "
            "the base, and most with a correction of rank 1 or 4, with full "
            "fine-tuning, and for real images.")
        .columns(2);
    std::vector<std::vector<book::Cell>> rows;
    for (const std::string wish : {"trousers", "inverted"}) {
        Numbers shares;
        for (const std::string& way : ways) {
            shares.push_back(book::median(column(wish, way, "share")));
            rows.push_back({fmt::format("{}: {}", wish, way),
                            ranged(column(wish, way, "share")),
                            ranged(column(wish, way, "distance"))});
        }
        shares.push_back(book::median(column(wish, "real", "share")));
        figure.panel(wish)
            .bars("", {"base", "rank 1", "rank 4", "full", "real"}, shares,
                  {.color = figure::blue})
            .x("images")
            .y("share that fulfils the wish")
            .ylim(0, 1);
    }
    figure.save(
        "The share of 300 samples that the judge counts as trousers, or as inverted "
        "clothes, medians of three bases: samples of the base, of the base with a "
        "correction, and after full fine-tuning, and real images of the wish.");
    book::table("adapted-images",
                "Share of samples that fulfil the wish, and Fréchet distance to real "
                "images of the wish: medians and ranges of three bases.",
                {"model", "share", "distance"}, rows);
    claim("claim-lora-diffusion/a",
          "share of samples classified as trousers, after a correction of rank 4",
          over_seeds(column("trousers", "rank 4", "share")), ">=", 0.7);
    claim("claim-lora-diffusion/a",
          "share of samples classified as inverted, after a correction of rank 4",
          over_seeds(column("inverted", "rank 4", "share")), ">=", 0.7);
    say("share of real trousers that the judge calls trousers: {}",
        book::brief(over_seeds(column("trousers", "real", "share"))));
}
//-

// Few samples of the base are trousers. With a correction of rank 4 most are, on each base, and a correction of rank 1
// already brings most of the change. Full fine-tuning does a little better: its samples are recognised a little more often,
// and their distance to real trousers is smaller.
//
// Nearly all samples of the second wish count as inverted. That is an easy wish for the judge, because a bright ground
// gives it away. The distances say more: after the same number of steps the inverted clothes are further from real images
// than the trousers are. {numref}`fig-one-base` shows it too, with broken shapes on a good ground. All ways of training
// chose the larger of their two learning rates, so none of them has shown its best.
//
// ## Limits and history
//
// {cite:t}`hu2022` introduced LoRA for language models. {cite:t}`ryu2022` carried it over to diffusion models that paint
// from a text. There the base has about a billion weights, a correction has a few megabytes, and people exchange corrections
// for a style or a person as files. Most of them stand beside the matrices of attention. Our U-Net has no attention. It is
// also narrow: a narrow layer has few rows, and then $R$ rows and columns are a considerable part of it. In a layer that is
// ten times as wide, the same rank trains a tenth of this share. The last convolution has a single row, so its correction
// is no smaller than the layer.
//
// ## Summary
//
// The kernels of a convolution are the rows of a matrix, and a low-rank correction adds a few new kernels in different
// doses. Trained on the noise prediction of a thousand new images, it turns a diffusion model of all clothes into one of
// trousers, or of inverted colours. The base is not changed. Kept apart, a correction can be taken away, bit for bit.
//
// ## What is missing
//
// Two corrections of one base are two sets of numbers beside the same weights. Can you use both at once, for inverted
// trousers? [The next page](merging.cpp) adds what several fine-tunings have changed.
//
// ```{try}
// - A smaller correction: `--rank 1`. Which of the two wishes suffers more?
// - More training for the corrections: `--tuning 1000`. Do the inverted images become clearer?
// ```

void page() {
    const Live of = live();
    strengths(of);
    one_base(of);
    there_and_back(of);
    judged();
}
