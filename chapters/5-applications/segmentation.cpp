// # Segmentation: a class for every pixel
//
// ```{rows} sys-semantic-segmentation fig-6.3 sys-pspnet sys-unet claim-segmentation-needs-multiscale
// ```
//
// A classifier names one thing in an image. **Semantic segmentation** names the class of every pixel: this one belongs to
// a disc, that one to a square, the next to the ground. {numref}`fig-masks` shows a scene, its true classes, and the
// answer of a network. Move the slider through the training. What does the network find first, and what last?
//
// ```{opening} fig-masks
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/model.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>
#include <recto/data/scenes.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/unet.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using book::Study;
using data::Ground, data::Ink, data::Kind, data::Scene, data::SceneLaw;
using figure::Figure, figure::Names;

const book::Option<Index> rounds("rounds", 640, "steps of the training on this page",
                                 {.quick = 10, .least = 1, .most = 100'000});
//-

//- scenes with a class for each pixel, the measure, and a training
struct Masked {
    Tensor images;
    Integers labels;  // (n, size, size)
};
Masked masked(const std::vector<Scene>& scenes) {
    return {data::scene_images(scenes), data::scene_class_maps(scenes)};
}
Masked drawn(const Masked& set, Index count, Generator& random) {
    const Integers which = random.integers({count}, 0, set.images.size(0));
    const Tensor images =
        data::select({set.images, {}, {}, ""}, {which.data(), std::size_t(count)}).x;
    const Index side = set.labels.size(1), each = side * side;
    Integers labels({count, side, side});
    Index* to = labels.write();
    for (const Index i : which.values())
        to = std::copy_n(set.labels.data() + i * each, each, to);
    return {images, labels};
}
SceneLaw usual_scenes() {
    SceneLaw law;
    law.most = 3;
    law.small_from = 0.12, law.small_to = 0.16;
    law.large_from = 0.2, law.large_to = 0.25;
    return law;
}
SceneLaw large_objects() {
    SceneLaw law;
    law.size = 48;
    law.most = 2;
    law.kinds = {Kind::disc, Kind::square};
    law.inks = {Ink::white};
    law.small_from = 0.2, law.small_to = 0.24;
    law.large_from = 0.26, law.large_to = 0.3;
    law.noise = 0.1;
    return law;
}
SceneLaw two_grounds() {
    SceneLaw law;
    law.size = 32;
    law.least = law.most = 1;
    law.kinds = {Kind::disc, Kind::square};
    law.grounds = {Ground::brown, Ground::olive};
    law.small_from = 0.16, law.small_to = 0.2;
    law.large_from = 0.26, law.large_to = 0.32;
    law.noise = 0.5;
    return law;
}
// On the second ground each kind of object has a class of its own.
Masked by_ground(const std::vector<Scene>& scenes) {
    Masked found = masked(scenes);
    Index* at = found.labels.write();
    const Index each = found.labels.size(1) * found.labels.size(2);
    for (const Scene& scene : scenes)
        for (Index i = 0; i < each; ++i, ++at)
            if (*at > 0 && scene.ground == Ground::olive) *at += 2;
    return found;
}

std::vector<Index> answers(const Tensor& scores) {
    const Tensor last = contiguous(permute(scores, {0, 2, 3, 1}));
    const std::vector<Real> values = last.values();
    const Index classes = last.size(3);
    std::vector<Index> found;
    for (auto at = values.begin(); at != values.end(); at += classes)
        found.push_back(std::max_element(at, at + classes) - at);
    return found;
}
// The pixels of a class within two pixels of a pixel of another class, in an image of this size.
std::vector<bool> rim(const Index* labels, Index size, Index label) {
    std::vector<bool> found(std::size_t(size * size));
    for (Index r = 0; r < size; ++r)
        for (Index c = 0; c < size; ++c) {
            if (labels[r * size + c] != label) continue;
            bool edge = false;
            for (Index i = std::max<Index>(r - 2, 0); i <= std::min(r + 2, size - 1);
                 ++i)
                for (Index j = std::max<Index>(c - 2, 0);
                     j <= std::min(c + 2, size - 1); ++j)
                    edge = edge || (labels[i * size + j] != label &&
                                    std::abs(i - r) + std::abs(j - c) <= 2);
            found[std::size_t(r * size + c)] = edge;
        }
    return found;
}
//-

// ## Intersection over union
//
// How good is an answer? Suppose that a square has four pixels. The network marks three of them and two pixels of the
// ground. Three pixels are in both sets and six are in at least one, so the **intersection over union** of the square is
// $3/6 = 0.5$. The share of right pixels would be no help: an answer of nothing but ground is right for most pixels.
// The mean over all classes is the **mean IoU**:
double mean_iou(const std::vector<Index>& answer, const Index* truth, Index classes) {
    std::vector<double> both(std::size_t(classes), 0), either = both;
    for (std::size_t i = 0; i < answer.size(); ++i) {
        const auto a = std::size_t(answer[i]), t = std::size_t(truth[i]);
        if (a == t)
            both[a] += 1, either[a] += 1;
        else
            either[a] += 1, either[t] += 1;
    }
    double sum = 0, present = 0;
    for (std::size_t k = 0; k < both.size(); ++k)
        if (either[k] > 0) sum += both[k] / either[k], present += 1;
    return sum / present;
}
//- boundary IoU, a training, and the study
double boundary_iou(const std::vector<Index>& answer, const Index* truth, Index size,
                    Index classes) {
    double both = 0, either = 0;
    const Index each = size * size;
    for (Index n = 0; n < Index(answer.size()) / each; ++n)
        for (Index k = 1; k < classes; ++k) {
            const std::vector<bool> mine = rim(answer.data() + n * each, size, k),
                                    right = rim(truth + n * each, size, k);
            for (std::size_t i = 0; i < mine.size(); ++i)
                both += mine[i] && right[i], either += mine[i] || right[i];
        }
    return both / either;
}
Tensor centred(const Tensor& images) { return 3 * (images - 0.3); }
using Network = std::function<Tensor(const Tensor& images)>;
Tensor loss_of(const Network& net, const Masked& some) {
    return cross_entropy(permute(net(centred(some.images)), {0, 2, 3, 1}), some.labels);
}
void train(const NamedTensors& weights, const Network& net, const Masked& set,
           Index steps, Index batch, double rate, Generator& random,
           const std::function<void(Index)>& look = {}) {
    optim::Adam adam(weights, {.lr = rate});
    for (Index step = 0; step < steps; ++step) {
        if (look) look(step);
        const Masked some = drawn(set, batch, random);
        adam.options.lr = optim::cosine(step, steps, rate);
        adam.zero_grad();
        loss_of(net, some).backward();
        adam.step();
    }
}
struct Judged {
    double whole, edge;
};
Judged judged(const Network& net, const Masked& set, Index classes) {
    const NoGrad only_asking;
    std::vector<Index> all;
    for (Index n = 0; n < set.images.size(0); n += 20) {
        const std::vector<Index> some = answers(net(
            centred(slice(set.images, 0, n, std::min(n + 20, set.images.size(0))))));
        all.insert(all.end(), some.begin(), some.end());
    }
    return {mean_iou(all, set.labels.data(), classes),
            boundary_iou(all, set.labels.data(), set.labels.size(1), classes)};
}

// Convolutions without a change of resolution.
struct Flat {
    std::vector<nn::Conv2d> layers;
    nn::Conv2d leave;
    Tensor operator()(Tensor x) const {
        for (const nn::Conv2d& layer : layers) x = relu(layer(x));
        return leave(x);
    }
    Flat(const std::array<Index, 3>& dilations, Index classes, Generator& random)
        : leave(16, classes, 1, random) {
        Index in = 3;
        for (const Index apart : dilations) {
            layers.emplace_back(
                in, 16, 3, random,
                nn::ConvLayerOptions{
                    .padding = apart, .dilation = apart, .weights = nn::he_init});
            in = 16;
        }
    }
    void visit(auto&& part) { part("layers", layers), part("leave", leave); }
};
// Two convolutions, then pyramid pooling or a third convolution of about as many parameters, and a last one.
struct Context {
    nn::Conv2d first, second;
    std::optional<nn::PyramidPooling> pyramid;
    std::optional<nn::Conv2d> third;
    nn::Conv2d last, leave;
    Tensor operator()(const Tensor& images) const {
        const Tensor x = relu(second(relu(first(images))));
        return leave(relu(last(pyramid ? (*pyramid)(x) : relu((*third)(x)))));
    }
    Context(bool pooled, Index classes, Generator& random)
        : first(3, 16, 3, random, {.padding = 1, .weights = nn::he_init}),
          second(16, 16, 3, random, {.padding = 1, .weights = nn::he_init}),
          last(pooled ? 32 : 16, 16, 3, random, {.padding = 1, .weights = nn::he_init}),
          leave(16, classes, 1, random) {
        if (pooled)
            pyramid.emplace(16, 4, random);
        else
            third.emplace(16, 16, 3, random,
                          nn::ConvLayerOptions{.padding = 1, .weights = nn::he_init});
    }
    void visit(auto&& part) {
        part("first", first), part("second", second);
        if (pyramid) part("pyramid", *pyramid);
        if (third) part("third", *third);
        part("last", last), part("leave", leave);
    }
};
nn::UNet u_net(bool skips, Generator& random) {
    return nn::UNet({.in = 3, .out = 4, .channels = {8, 16, 32, 32}, .skips = skips},
                    random);
}

// Longer trainings, and a network that is kept.
struct LongTraining {
    static constexpr Index last = 2000;  // steps
    Generator random;
    Masked set, test;
    nn::UNet net;
    optim::Adam adam;
    Index steps = 0;
    explicit LongTraining(int draw = 1)
        : random(1000 * std::uint64_t(draw) + book::seed()),
          set(masked(data::draw_scenes(3000, usual_scenes(), random))),
          test(masked(data::draw_scenes(300, usual_scenes(), random))),
          net(u_net(true, random)),
          adam(nn::parameters(net)) {}
    void step() {
        const Masked some = drawn(set, 8, random);
        adam.options.lr = optim::cosine(steps, last, 6e-3);
        optim::train_step(adam, [&] { return loss_of(net, some); });
        ++steps;
    }
    double judge() const { return judged(net, test, 4).whole; }
    std::vector<Index> first_six() const {
        const NoGrad only_asking;
        return answers(net(centred(slice(test.images, 0, 0, 6))));
    }
    void visit(auto&& part) {
        part("random", random), part("net", net), part("adam", adam);
        part("steps", steps);
    }
};
const book::Model<LongTraining> frozen({"frozen_segmenter", "mean IoU"});
const Study long_trainings(
    {"long_segmenters", {"draw"}, {"six scenes", "mean IoU"}, {"fig-6.3/b"}, 0.02},
    {{1}, {2}, {3}}, [](const Study::Row& cell) {
        LongTraining training{int(cell[0])};
        while (training.steps < LongTraining::last) training.step();
        return Study::Row{
            mean_iou(training.first_six(), training.test.labels.data(), 4),
            training.judge()};
    });

enum Task { skips = 0, pyramid = 1, field = 2 };
template <class Net>
Study::Row trained(const Net& net, const Masked& set, const Masked& test, Index classes,
                   Index steps, Index batch, double rate, Generator& random) {
    train(nn::parameters(net), net, set, steps, batch, rate, random);
    const Judged found = judged(net, test, classes);
    return {found.whole, found.edge, double(nn::count(net))};
}
Study::Row train_one(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[3]) + book::seed());
    const bool full = cell[1] == 1;
    const double rate = cell[2];
    if (Task(cell[0]) == skips) {
        const Masked set = masked(data::draw_scenes(2000, usual_scenes(), random)),
                     test = masked(data::draw_scenes(300, usual_scenes(), random));
        return trained(u_net(full, random), set, test, 4, 800, 8, rate, random);
    }
    if (Task(cell[0]) == pyramid) {
        const Masked set = by_ground(data::draw_scenes(2000, two_grounds(), random)),
                     test = by_ground(data::draw_scenes(300, two_grounds(), random));
        return trained(Context(full, 5, random), set, test, 5, 500, 16, rate, random);
    }
    const Masked set = masked(data::draw_scenes(1500, large_objects(), random)),
                 test = masked(data::draw_scenes(300, large_objects(), random));
    const std::array<Index, 3> near = {1, 1, 1}, far = {2, 6, 15};
    return trained(Flat(full ? far : near, 3, random), set, test, 3, 500, 12, rate,
                   random);
}
const std::vector<double> rates = {3e-3, 6e-3};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double task : {skips, pyramid, field})
        for (const double full : {1, 0})
            for (const double rate : rates)
                for (double draw = 1; draw <= 3; ++draw)
                    all.push_back({task, full, rate, draw});
    return all;
}
const Study study({"segmentation",
                   {"task", "full", "rate", "draw"},
                   {"mean IoU", "boundary IoU", "parameters"},
                   {"sys-semantic-segmentation/a", "sys-pspnet/b", "sys-unet/c",
                    "claim-segmentation-needs-multiscale/a"},
                   0.05},
                  cells(), train_one);
//-

//- what is read from the study
std::vector<double> found(Task task, bool full, double rate, const std::string& name) {
    const io::Csv& table = study.frozen();
    const std::vector<double> of = table.column("task"), is = table.column("full"),
                              by = table.column("rate"), all = table.column(name);
    std::vector<double> some;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (of[i] == double(task) && is[i] == double(full) && by[i] == rate)
            some.push_back(all[i]);
    return some;
}
// At the learning rate with the better mean IoU.
std::vector<double> best(Task task, bool full, const std::string& name) {
    const double rate = *std::ranges::max_element(rates, {}, [&](double one) {
        return book::median(found(task, full, one, "mean IoU"));
    });
    return found(task, full, rate, name);
}
std::vector<double> gain(Task task, const std::string& name) {
    std::vector<double> with = best(task, true, name);
    const std::vector<double> without = best(task, false, name);
    for (std::size_t i = 0; i < with.size(); ++i) with[i] -= without[i];
    return with;
}
void say_both(Task task, const std::string& name, const char* with,
              const char* without) {
    say("{}: {} {}, {} {}", name, with, book::brief(over_seeds(best(task, true, name))),
        without, book::brief(over_seeds(best(task, false, name))));
}
//-

// The scores are a tensor with one channel for each class and the size of the image, and the loss is the mean
// [cross-entropy](../training/cross_entropy.cpp) of all pixels. So any network whose layers keep the size of the image, or
// bring it back, is a candidate {cite:p}`long2015`.
//
// ## How far must a pixel see?
//
// Take a white square of thirty pixels. All of its inner pixels look alike, and they look like those of a white disc. Only
// the outline tells the shape, and it may be fifteen pixels away. A network of three convolutions with kernels of 3
// gives each pixel an answer from the 7 × 7 pixels around it. We compare it with a network of the same layers whose
// [kernels are dilated](../components/convolution_options.cpp): their taps lie 2, 6 and 15 pixels apart. The
// field is $1 + 2 \cdot (2 + 6 + 15) = 47$ pixels wide, and an answer reads $27 \times 27$ pixels of it, three taps in
// each of three layers and each direction. Both networks have the same number of weights.
//- the question, and what is checked
void far_and_near() {
    const double near = book::median(best(field, false, "mean IoU"));
    ask("Images of 48 × 48 pixels show one or two large white things, discs and "
        "squares. The classes are ground, disc and square. What mean IoU does the "
        "network reach that sees 7 × 7 pixels?",
        {{"Below 0.4: it cannot even find the things.", near < 0.4,
          "It fails at the ground as well."},
         {"Between 0.4 and 0.85.", near >= 0.4 && near < 0.85,
          "The ground is easy, since white is white. But inside a thing the network "
          "can only guess between the two shapes."},
         {"Above 0.85: corners and curves are local.", near >= 0.85,
          "They are, and the network passes on what it sees there."}});
    say_both(field, "mean IoU", "field of 47", "field of 7");
    claim("", "weights of the two networks, difference",
          book::median(found(field, true, rates[0], "parameters")) -
              book::median(found(field, false, rates[0], "parameters")),
          "==", 0);
    claim("claim-segmentation-needs-multiscale/a",
          "mean IoU of a field of 47 less that of a field of 7, draw by draw",
          over_seeds(gain(field, "mean IoU")), ">=", 0.1);
}
//-

// Both networks answer at full size, and only the one with the large field tells most discs from squares.
//
// ## The whole image in every pixel
//
// **Pyramid pooling** {cite:p}`zhao2017` gives every pixel a summary of the whole image. The feature map is averaged over
// grids of 1 × 1, 2 × 2, 3 × 3 and 6 × 6 cells. The grid of one cell holds a single number for each channel, its mean.
// Take a map with the rows $(1, 3)$ and $(5, 7)$. Its mean is 4, and enlarged it is a map of four fours, which is
// concatenated with the map itself. Every pixel can now compare its own number with the mean of all. The other grids
// tell what is in its quarter, or in its part of thirty-six:
//
// ```{excerpt} recto/nn/unet.cpp branches
// ```
//
// We test the module where nothing else helps. The scenes show a disc or a square on brown or on olive, and each of the
// four combinations is a class of its own. The noise is so strong that a few pixels do not tell the two grounds apart.
// The rival has a third convolution in place of the module, with about as many weights and a field of 9 pixels.
//- what is checked
void context() {
    say_both(pyramid, "mean IoU", "with pyramid pooling", "with a convolution");
    say("weights: {} and {}",
        book::median(found(pyramid, true, rates[0], "parameters")),
        book::median(found(pyramid, false, rates[0], "parameters")));
    claim("sys-pspnet/b", "gain in mean IoU by pyramid pooling, draw by draw",
          over_seeds(gain(pyramid, "mean IoU")), ">=", 0.02);
}
//-

// The module nearly doubles the mean IoU, which is still only about a half. The higher of our two learning rates gave it,
// and we have not looked for a better one.
//
// ## Sharp edges
//
// A large field by pooling loses the places of edges. A [U-Net](../components/skip_connections.cpp)
// {cite:p}`ronneberger2015` goes down to a coarse map and up again, and hands each map of the way down to the way up. The
// library's `nn::UNet` takes the channels of each resolution. Ours has four resolutions, for images of 64 × 64 pixels with
// one to three discs, squares and triangles. Its input may have any height and width that are multiples of 8, because it is
// halved three times. **Boundary IoU** {cite:p}`cheng2021` counts only pixels of a class within two pixels of its edge:
//- the page's own training, the figures, and what is checked
using Colour = std::array<Real, 3>;
const std::array<Colour, 4> palette = {{{Real(0.2), Real(0.2), Real(0.2)},
                                        {Real(0.35), Real(0.6), Real(0.85)},
                                        {Real(0.95), Real(0.6), Real(0.2)},
                                        {Real(0.4), Real(0.75), Real(0.4)}}};
std::vector<Real> painted(const Index* classes, Index pixels) {
    std::vector<Real> found;
    for (std::size_t c = 0; c < 3; ++c)
        for (Index i = 0; i < pixels; ++i)
            found.push_back(palette[std::size_t(classes[i])][c]);
    return found;
}

void masks() {
    Generator random(book::seed());
    const Masked set = masked(data::draw_scenes(1500, usual_scenes(), random)),
                 shown = masked(data::draw_scenes(1, usual_scenes(), random));
    const nn::UNet net = u_net(true, random);
    const Index side = 64, area = side * side;
    const Index shown_side = side / 2;  // every second pixel of every second row
    Names places;
    for (Index i = 1; i <= shown_side; ++i) places.push_back(std::to_string(2 * i - 1));
    const auto thinned = [&](const auto& all) {
        std::vector<double> some;
        for (Index r = 0; r < side; r += 2)
            for (Index c = 0; c < side; c += 2)
                some.push_back(double(all[std::size_t(r * side + c)]));
        return some;
    };
    std::vector<double> stops = {0};
    for (const Index part : {16, 8, 3, 1})
        stops.push_back(double(std::max<Index>(rounds() / part, 1)));
    stops.erase(std::ranges::unique(stops).begin(), stops.end());
    Figure figure("fig-masks");
    figure
        .describe(
            "Three squares: the brightness of a scene, its true classes, and the "
            "classes that the network answers. At first the answer is noise or empty, "
            "then blobs appear where things are, then their edges become sharp.")
        .height(230)
        .columns(3)
        .slider("steps", stops, "steps of training", stops.back());
    const std::vector<Real> rgb = shown.images.values();
    std::vector<double> grey;
    for (std::size_t i = 0; i < std::size_t(area); ++i)
        grey.push_back(double(rgb[i] + rgb[i + std::size_t(area)] +
                              rgb[i + 2 * std::size_t(area)]) /
                       3);
    figure.panel("scene").heatmap("", places, places, thinned(grey), 0, 1).bare();
    figure.panel("true classes")
        .heatmap("", places, places, thinned(shown.labels.data()), 0, 3)
        .bare();
    figure.panel("answer");
    const auto draw = [&](double step) {
        const NoGrad only_asking;
        figure.at(step).heatmap("", places, places,
                                thinned(answers(net(centred(shown.images)))), 0, 3);
    };
    const double start = book::now();
    train(nn::parameters(net), net, set, rounds(), 8, 6e-3, random, [&](Index step) {
        if (std::ranges::find(stops, double(step)) != stops.end()) draw(double(step));
    });
    const double minutes = (book::now() - start) / 60;
    draw(stops.back());
    figure.always().bare().save(
        "A new scene in grey, its true classes, and the answer of a U-Net during its "
        "training. Darkest: ground; then discs, squares and triangles. Every second "
        "pixel is drawn.");
    book::timing_claim("sys-semantic-segmentation/b", "minutes of the training",
                       minutes, "<=", 10);
}
// Six scenes, their classes and the answers of the frozen model.
void gallery() {
    const Index side = 64, area = side * side;
    LongTraining training;
    frozen.load(training.net);
    const Masked& test = training.test;
    claim("",
          "mean IoU of the loaded network on 300 scenes, less that at the end of its "
          "training",
          std::abs(training.judge() - frozen.kept()), "<=", 5e-4);
    const Tensor images = slice(test.images, 0, 0, 6);
    const std::vector<Index> answer = training.first_six();
    figure::Images pictures("fig-6.3", 6);
    pictures.describe(
        "Three rows of six images: scenes of discs, squares and triangles in several "
        "colours, the same scenes with one colour for each class, and the answers, "
        "which look nearly like the row before.");
    const std::array<const char*, 3> rows = {"image", "truth", "answer"};
    figure::Images legend("fig-palette", 4);
    legend.describe("Four rectangles of one colour each, with the classes as labels.")
        .zoom(4);
    std::vector<std::string> labels = {"0 ground"};
    for (const Kind kind : usual_scenes().kinds)
        labels.push_back(fmt::format("{} {}", labels.size(), data::name(kind)));
    for (std::size_t k = 0; k < palette.size(); ++k) {
        const std::vector<Index> whole(24 * 12, Index(k));
        legend.add(labels[k], 12, 24, painted(whole.data(), 24 * 12));
    }
    Index wrong = 0;
    for (const char* row : rows)
        for (Index n = 0; n < 6; ++n) {
            const Index* classes = row == rows[1] ? test.labels.data() + n * area
                                                  : answer.data() + n * area;
            const std::vector<Real> pixels = row == rows[0]
                                                 ? slice(images, 0, n, n + 1).values()
                                                 : painted(classes, area);
            pictures.add(row, int(side), int(side), pixels);
            for (std::size_t i = 0; i < std::size_t(area) && row != rows[0]; ++i) {
                const Colour here = {pixels[i], pixels[i + std::size_t(area)],
                                     pixels[i + 2 * std::size_t(area)]};
                const auto at =
                    std::size_t(std::ranges::find(palette, here) - palette.begin());
                wrong += std::stol(labels[at]) != classes[i];
            }
        }
    double near = 0, missed = 0;
    for (Index n = 0; n < 6; ++n)
        for (Index k = 0; k < 4; ++k) {
            const Index* truth = test.labels.data() + n * area;
            const std::vector<bool> edge = rim(truth, side, k);
            for (std::size_t i = 0; i < edge.size(); ++i)
                if (truth[i] == k && answer[std::size_t(n * area) + i] != k)
                    missed += 1, near += edge[i];
        }
    claim("", "share of the wrong pixels that lie within two pixels of an edge",
          near / missed, ">=", 0.5);
    pictures.save(
        "Six new scenes, their true classes, and the answers of the frozen model, in "
        "the colours of {numref}`fig-palette`.");
    legend.save("The colours of the classes of pixels in the other figures.");
    book::shows("fig-6.3/a", "fig-6.3");
    const std::vector<double> six = long_trainings.frozen().column("six scenes");
    claim("fig-6.3/b", "mean IoU of the first six scenes", over_seeds(six), ">=", 0.8);
    claim("fig-6.3/c",
          "pixels whose colour has the number of another class in the legend", wrong,
          "==", 0);
}
// What the skips are good for.
void with_and_without_skips() {
    say_both(skips, "mean IoU", "with skips", "without");
    say_both(skips, "boundary IoU", "with skips", "without");
    claim("sys-semantic-segmentation/a", "mean IoU on 64 × 64 scenes",
          over_seeds(best(skips, true, "mean IoU")), ">=", 0.85);
    claim("sys-unet/c", "gain in boundary IoU by the skips, draw by draw",
          over_seeds(gain(skips, "boundary IoU")), ">=", 0.05);
}
//-

// Both networks find most things, though one of the three trainings without skips is far below the others. The skips
// bring the outlines back, as on the page on [skip connections](../components/skip_connections.cpp), because each halving
// forgets which of four pixels held an edge.
//
// The network of {numref}`fig-6.3` is a [frozen model](detector.cpp). It was trained with 2000 steps on 3000 scenes, and the
// check on its six scenes holds for three such trainings. Its wrong pixels lie on the outlines. Six scenes are no proof: in
// so few, a class may be rare or missing, and the mean over classes then says little. The training of this page, with a
// third of the steps on half of the scenes, reached 0.8 on six scenes with three of five seeds only. So the comparison
// above is judged on 300 scenes, in three trainings.
//
// ## Limits and history
//
// {cite:t}`long2015` turned classifiers into networks of convolutions only, which answer for every pixel.
// {cite:t}`ronneberger2015` joined the ways down and up, for cells under a microscope, and {cite:t}`zhao2017` won
// the ImageNet scene parsing challenge of 2016 with pyramid pooling on top of a deep residual network, which had learned to
// classify ImageNet first. Our scenes are drawn, and their labels cost nothing. For photographs a person draws the
// outlines, which is why segmentation starts from networks that were trained for something else.
//
// Each comparison of this page gave both sides the same scenes, steps and learning rates, and took the rate with the better
// mean IoU on the scenes that are reported. So both sides look slightly too good. The class of a pixel also does not say
// which of two discs it belongs to. That is instance segmentation, another task.
//
// ## Summary
//
// Semantic segmentation is classification of every pixel, judged by intersection over union. The answer has the size of
// the image, but the decision needs a large receptive field. Dilation, pyramid pooling and the coarse maps of a U-Net
// provide it, and the skips of the U-Net keep the edges sharp.
//
// ## What is missing
//
// Classes are fixed before the training, and each pixel of each training image needs a label.
// [The next page](clip.cpp) learns from captions instead.
//
// ```{try}
// - A longer training: `--rounds 2000`. Which errors remain?
// - A shorter one: `--rounds 50`. Which class is found first?
// ```

void page() {
    masks();
    gallery();
    with_and_without_skips();
    far_and_near();
    context();
}
