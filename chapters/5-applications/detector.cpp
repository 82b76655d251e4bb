// # A detector: SSD, mean average precision, hard negatives
//
// ```{rows} sys-ssd eq-detection-loss fig-6.1 fig-6.2 claim-pretrained-backbone
// ```
//
// {numref}`fig-found` shows scenes that a network has not been trained on, and the boxes that it draws around discs,
// squares and triangles. It was trained a few seconds ago, by the program of this page. Move the slider: with a low
// threshold it also draws boxes that it hardly believes in. How do you train a network to draw boxes, how do you measure
// whether it is good, and how many scenes must somebody annotate?
//
// ```{opening} fig-found
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/boxes.hpp>
#include <recto/data/scenes.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/detector.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::not_reproduced, book::over_seeds,
    book::say;
using book::Study;
using data::Box, data::BoxCell, data::LabelledBox, data::Scene;
using figure::Figure;

const book::Option<Index> drawn("scenes", 2000, "annotated scenes",
                                {.quick = 100, .least = 10, .most = 100'000});
const book::Option<Index> rounds("steps", 700, "steps of the training",
                                 {.quick = 10, .least = 1, .most = 100'000});
const book::Option<Index> judges("judges", 500, "held-out scenes",
                                 {.quick = 50, .least = 20, .most = 10'000});
const book::Option<double> gamma_option("gamma", 3, "weight of the coordinates",
                                        {.least = 0, .most = 100});

using Numbers = std::vector<double>;
//-

// ## The network
//
// The **single-shot detector** (SSD) {cite:p}`liu2016ssd` answers for all places at once, in one pass. A backbone halves
// the image of 64 by 64 pixels six times. Its last four maps, with 8 by 8, 4 by 4, 2 by 2 and 1 by 1 cells, are those of
// the [previous page](boxes.cpp). One more convolution on each predicts for every cell a box, as four numbers, and $C +
// 1$ scores: one for *no object*, and one for each of $C = 3$ classes.
Tensor predict(const nn::Detector& net, const Tensor& images) {
    const std::vector<Tensor> maps = net.backbone(images);
    std::vector<Tensor> all;
    for (std::size_t s = 0; s < net.heads.size(); ++s) {
        const Tensor cells = channels_last(net.heads[s](maps[s + 2]));
        all.push_back(
            reshape(cells, {cells.size(0), cells.size(1) * cells.size(2), 8}));
    }
    return concat(all, 1);  // (batch, 85, 4 + C + 1)
}

// These are 64 + 16 + 4 + 1 = 85 places. {numref}`fig-scales` shows the four maps, and on each the box that the trained
// network is most sure of.
//- scenes, and a training
data::SceneLaw law() {
    data::SceneLaw one;
    one.small_to = 0.16, one.large_from = 0.2, one.large_to = 0.48;
    return one;
}
struct Annotated {
    std::vector<Scene> scenes;
    Tensor images;
    std::vector<LabelledBox> truth;
    nn::DetectionTargets targets;
    Integers class_maps;
};
Annotated annotated(Index count, const data::SceneLaw& from, Generator& random) {
    Annotated set;
    set.scenes = data::draw_scenes(count, from, random);
    set.images = data::scene_images(set.scenes);
    set.truth = data::scene_boxes(set.scenes);
    set.targets = nn::detection_targets({}, set.truth, count, 3);
    set.class_maps = data::scene_class_maps(set.scenes);
    return set;
}
// Rows of an array of integers.
Integers rows_of(const Integers& all, const Integers& rows) {
    const Index width = all.numel() / all.size(0);
    std::vector<Index> some;
    for (const Index row : rows.values())
        some.insert(some.end(), all.data() + row * width,
                    all.data() + (row + 1) * width);
    return all.dim() == 2 ? Integers({rows.numel(), all.size(1)}, some)
                          : Integers({rows.numel(), all.size(1), all.size(2)}, some);
}
constexpr Index batch = 16;
// Trains on random batches of `count` examples; the loss gets the numbers of the examples.
template <class Model, class Loss>
void train(Model& net, Index steps, Index count, Generator& random, const Loss& loss) {
    nn::set_training(net, true);
    optim::Adam adam(nn::parameters(net));
    optim::fit(adam, [&] { return loss(random.integers({batch}, 0, count)); },
               {.steps = steps,
                .lr = [&](Index step) { return optim::cosine(step, steps, 3e-3); }});
    nn::set_training(net, false);
}
void train_detector(nn::Detector& net, const Annotated& set, Index steps,
                    Generator& random) {
    train(net, steps, set.images.size(0), random, [&](const Integers& rows) {
        return nn::detection_loss(
            net(index_rows(set.images, rows)),
            {rows_of(set.targets.labels, rows), index_rows(set.targets.numbers, rows)},
            {.negatives = 3, .coordinates = gamma_option()});
    });
}
// What a detector says to images, in small batches.
Tensor predictions(const nn::Detector& net, const Tensor& images) {
    const NoGrad only_asking;
    std::vector<Tensor> parts;
    for (Index i = 0; i < images.size(0); i += 50)
        parts.push_back(
            predict(net, slice(images, 0, i, std::min(i + 50, images.size(0)))));
    return concat(parts);
}
std::vector<LabelledBox> boxes_of(const nn::Detector& net, const Tensor& images) {
    return nn::found_boxes(predictions(net, images), net.grid, {.score = 0.02});
}
double precision_of(const nn::Detector& net, const Annotated& test) {
    return data::mean_average_precision(boxes_of(net, test.images), test.truth);
}
//-

//- the studies: three long trainings, and few scenes with and without a pre-trained backbone
Study::Row train_long(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const Annotated set = annotated(3000, law(), random),
                    test = annotated(500, law(), random);
    nn::Detector net(random, {.width = 16});
    train_detector(net, set, 2000, random);
    const auto found = boxes_of(net, test.images);
    return {data::mean_average_precision(found, test.truth),
            data::mean_average_precision(found, test.truth, 0.75)};
}
const Study long_training({"detector",
                           {"draw"},
                           {"mAP at 0.5", "mAP at 0.75"},
                           {"sys-ssd/b", "sys-ssd/c"},
                           0.02},
                          {{1}, {2}, {3}}, train_long);

// Classifies images of single objects.
struct Classifier {
    nn::Backbone backbone;
    nn::Linear head;
    explicit Classifier(Generator& random)
        : backbone(3, 6, 12, random), head(backbone.channels(5), 3, random) {}
    Tensor operator()(const Tensor& x) const {
        return head(flatten(backbone(x).back()));
    }
    void visit(auto&& part) { part("backbone", backbone), part("head", head); }
};
// Class scores for each pixel: those of every map, enlarged step by step and added.
struct Segmenter {
    nn::Backbone backbone;
    std::vector<nn::Conv2d> heads;
    explicit Segmenter(Generator& random) : backbone(3, 6, 12, random) {
        for (std::size_t map = 0; map < 6; ++map)
            heads.emplace_back(backbone.channels(map), 4, 1, random);
    }
    Tensor operator()(const Tensor& x) const {
        const std::vector<Tensor> maps = backbone(x);
        Tensor scores = heads[5](maps[5]);
        for (std::size_t map = 5; map-- > 0;)
            scores = upsample_bilinear(scores, 2) + heads[map](maps[map]);
        return upsample_bilinear(scores, 2);
    }
    void visit(auto&& part) { part("backbone", backbone), part("heads", heads); }
};
// The mean over the classes, background included, of the IoU of their pixels.
double mean_iou(const Segmenter& net, const Annotated& test) {
    const NoGrad only_asking;
    std::array<double, 4> shared{}, together{};
    const Index count = test.images.size(0), pixels = 64 * 64;
    for (Index i = 0; i < count; i += 50) {
        const Index end = std::min(i + 50, count);
        const std::vector<Real> scores =
            channels_last(net(slice(test.images, 0, i, end))).values();
        for (std::size_t n = 0; n < scores.size() / 4; ++n) {
            const auto at = scores.begin() + std::ptrdiff_t(4 * n);
            const std::size_t said = std::size_t(std::max_element(at, at + 4) - at),
                              is = std::size_t(
                                  test.class_maps.data()[i * pixels + Index(n)]);
            shared[is] += said == is, ++together[is];
            if (said != is) ++together[said];
        }
    }
    double sum = 0;
    for (std::size_t c = 0; c < 4; ++c) sum += shared[c] / together[c] / 4;
    return sum;
}
void train_segmenter(Segmenter& net, const Annotated& set, Index steps,
                     Generator& random) {
    train(net, steps, set.images.size(0), random, [&](const Integers& rows) {
        return cross_entropy(channels_last(net(index_rows(set.images, rows))),
                             rows_of(set.class_maps, rows));
    });
}
nn::Backbone pretrained(Index steps, Generator& random) {
    data::SceneLaw one = law();
    one.most = 1;
    const std::vector<Scene> scenes = data::draw_scenes(4000, one, random);
    const Tensor images = data::scene_images(scenes);
    std::vector<Index> labels;
    for (const Scene& scene : scenes) labels.push_back(scene.classes[0] - 1);
    Classifier net(random);
    train(net, steps, images.size(0), random, [&](const Integers& rows) {
        std::vector<Index> some;
        for (const Index row : rows.values()) some.push_back(labels[std::size_t(row)]);
        return cross_entropy(net(index_rows(images, rows)), Integers({batch}, some));
    });
    return net.backbone;
}
Study::Row few_scenes(const Study::Row& cell) {
    const Index count = Index(cell[0]), before = 500, steps = 400;
    Generator random(1000 * std::uint64_t(cell[1]) + book::seed());
    const nn::Backbone start = pretrained(before, random);
    const Annotated set = annotated(count, law(), random),
                    test = annotated(300, law(), random);
    Study::Row row;
    for (const bool warm : {false, true}) {  // the same number of steps in all
        nn::Detector net(random, {.width = 12});
        if (warm) nn::assign(nn::state(net.backbone), nn::state(start));
        train_detector(net, set, warm ? steps : before + steps, random);
        row.push_back(precision_of(net, test));
    }
    for (const bool warm : {false, true}) {
        Segmenter net(random);
        if (warm) nn::assign(nn::state(net.backbone), nn::state(start));
        train_segmenter(net, set, warm ? steps : before + steps, random);
        row.push_back(mean_iou(net, test));
    }
    return row;
}
const Study annotations({"annotations",
                         {"scenes", "draw"},
                         {"mAP from scratch", "mAP pre-trained", "IoU from scratch",
                          "IoU pre-trained"},
                         {"claim-pretrained-backbone/a", "claim-pretrained-backbone/b",
                          "claim-pretrained-backbone/c"},
                         0.03},
                        {{500, 1},
                         {500, 2},
                         {500, 3},
                         {150, 1},
                         {150, 2},
                         {150, 3},
                         {50, 1},
                         {50, 2},
                         {50, 3},
                         {50, 4},
                         {50, 5}},
                        few_scenes);
//-

// ## The loss
//
// Each place has a label $c_n$: the class of the box that belongs there, or 0. The scores $z_n$ are those of a
// classifier, so they get a cross-entropy. The four numbers $\hat b_n$ get a squared error, but only at places with a
// box: elsewhere there is nothing to be compared with. Let $M$ be the places with a box and $N$ places without one:
//
// ```{equation} eq-detection-loss
// :function: recto::nn::detection_loss
// \Loss = \frac{1}{|M|} \Bigl( \sum_{n \in M \cup N} -\log \mathrm{softmax}(z_n)_{c_n} +
//   \gamma \sum_{n \in M} \lVert \hat b_n - b_n \rVert^2 \Bigr)
// ```
//
// One box, say, has the class probability 0.5 and its four numbers are each off by 0.1. It costs $-\log 0.5 = 0.69$ and,
// with $\gamma = 3$, $3 \cdot 4 \cdot 0.01 = 0.12$. Ten places without an object that say *no object* with probability
// 0.9 cost $10 \cdot 0.105 = 1.05$, more than the box.
//- the question about empty places
void empty_places(const Annotated& set) {
    Index filled = 0, all = 0;
    for (const Index label : set.targets.labels.values()) ++all, filled += label != 0;
    const double empty = 1 - double(filled) / double(all);
    ask("A lazy network says *no object* at each of the 85 places of every scene. At "
        "what "
        "share of the places is it right?",
        {{"At about a quarter: most scenes are full.", empty < 0.5,
          "A scene has one to four objects, and 85 places."},
         {"At about 85 %.", empty >= 0.5 && empty < 0.95,
          "This would be a dozen objects in each scene."},
         {"At more than 95 %.", empty >= 0.95,
          "A scene has one to four objects, and 85 places. An accuracy over places "
          "says "
          "nothing about a detector."}});
    say("{:.1f} % of all places hold no object", 100 * empty);
    say("{} boxes in {} scenes; {} lost their place to another one", set.truth.size(),
        set.images.size(0), Index(set.truth.size()) - filled);
}
//-

// So the empty places would rule the loss. Most of them are easy and teach nothing. **Hard negative mining** keeps for
// each box only the three empty places that the network gets most wrong, such as those beside an object.
//
// ## How good is it? Average precision
//
// For one class, sort all boxes found in all scenes by their score, and walk down the list. A box is right if its IoU
// with a true box that is still free is at least 0.5. **Precision** is the share of right boxes so far, **recall** the
// share of true boxes found so far. Suppose there are two objects, and the list says right, wrong, right: the precision
// is 1, 1/2, 2/3, and the recall 1/2, 1/2, 1. The **average precision** is the area under this curve, where each
// precision is replaced by the best at the same or a higher recall: $\frac12 \cdot 1 + \frac12 \cdot \frac23 = 0.83$. Its
// mean over the classes is the **mAP**. No threshold has to be chosen, and empty places do not count.
Numbers judged(const nn::Detector& net, const Annotated& test) {
    const std::vector<LabelledBox> found = boxes_of(net, test.images);
    Numbers result;
    for (const double overlap : {0.5, 0.75})
        result.push_back(data::mean_average_precision(found, test.truth, overlap));
    return result;
}
//- the figures
constexpr std::array<const char*, 3> words = {"disc", "square", "triangle"};
constexpr std::array<figure::Color, 3> colours = {figure::blue, figure::red,
                                                  figure::plum};
struct Path {
    Numbers x, y;
    void add(const Box& box) {
        const double gap = std::numeric_limits<double>::quiet_NaN();
        for (const double v : {box.x1, box.x2, box.x2, box.x1, box.x1, gap})
            x.push_back(v);
        for (const double v : {box.y1, box.y1, box.y2, box.y2, box.y1, gap})
            y.push_back(64 - v);
    }
};
// The brightness of an image, row by row from the top.
Numbers brightness(const Tensor& image) {
    const std::vector<Real> rgb = image.values();
    Numbers grey;
    for (std::size_t i = 0; i < 4096; ++i)
        grey.push_back(0.3 * double(rgb[i]) + 0.59 * double(rgb[4096 + i]) +
                       0.11 * double(rgb[8192 + i]));
    return grey;
}
void draw_true(Figure& figure, const Annotated& test, Index image) {
    Path path;
    for (const Box& box : test.scenes[std::size_t(image)].boxes) path.add(box);
    figure.line(
        "true", path.x, path.y,
        {.color = figure::ink, .dash = figure::dotted, .width = 1.5, .points = false});
}
void draw_found(Figure& figure, std::span<const LabelledBox> found, Index image,
                double score) {
    for (std::size_t c = 0; c < 3; ++c) {
        Path path;
        for (const LabelledBox& one : found)
            if (one.image == image && one.label == Index(c) + 1 && one.score >= score)
                path.add(one.box);
        if (!path.x.empty())
            figure.line(words[c], path.x, path.y,
                        {.color = colours[c],
                         .dash = figure::solid,
                         .width = 2.5,
                         .points = false});
    }
}
constexpr double shown_score = 0.3;

void gallery(std::span<const LabelledBox> found, const Annotated& test) {
    const Numbers scores = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    Figure figure("fig-found");
    figure
        .describe(
            "Eight scenes of shapes on striped ground. Dotted boxes are the true "
            "ones, coloured boxes those of the detector, mostly close to them. With a "
            "lower score there are more boxes, with a higher one some are missing.")
        .slider("score", scores, "least probability of the class", shown_score)
        .columns(4);
    double objects = 0, matched = 0;
    for (Index image = 0; image < 8; ++image) {
        figure.panel(fmt::format("scene {}", image + 1))
            .always()
            .field(0, 64, 0, 64, 64, brightness(test.scenes[std::size_t(image)].image))
            .xlim(0, 64)
            .ylim(0, 64)
            .bare()
            .tall(107);
        draw_true(figure, test, image);
        for (const double score : scores) {
            figure.at(score);
            draw_found(figure, found, image, score);
        }
        const Scene& scene = test.scenes[std::size_t(image)];
        for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
            ++objects;
            matched += std::ranges::any_of(found, [&](const LabelledBox& one) {
                return one.image == image && one.label == scene.classes[i] &&
                       one.score >= shown_score &&
                       data::iou(one.box, scene.boxes[i]) >= 0.5;
            });
        }
    }
    figure.always().save(
        "The first eight held-out scenes, in grey: the network sees colours. Dotted: "
        "the "
        "true boxes. The slider sets the probability that a box needs to be drawn.");
    book::shows("sys-ssd/a", "fig-found");
    book::shows("fig-6.2/a", "fig-found");
    claim("fig-6.2/c",
          "share of the objects in the eight scenes that are matched by a drawn box of "
          "their class at an overlap of 0.5",
          matched / objects, ">=", 0.8);
}

// Pixels along each side that the predictions of each map depend on: each convolution adds its kernel, less one, in steps
// of its input.
Numbers fields_of(const nn::Detector& net) {
    double field = 1, step = 1;
    Numbers fields;
    for (std::size_t map = 0; map < net.backbone.stages.size(); ++map) {
        for (const nn::ConvUnit& unit : net.backbone.stages[map]) {
            field += double(unit.conv.weight.size(2) - 1) * step;
            step *= double(unit.conv.options.stride.height);
        }
        if (map < 2) continue;
        fields.push_back(field + double(net.heads[map - 2].weight.size(2) - 1) * step);
    }
    return fields;
}

void scales(const nn::Detector& net, const Tensor& predicted, const Annotated& test) {
    const Tensor chances = softmax(slice(predicted, 2, 4, 8));
    const std::vector<Real> numbers = predicted.values(), chance = chances.values();
    const Numbers fields = fields_of(net);
    const NoGrad only_asking;
    const std::vector<Tensor> maps = net.backbone(slice(test.images, 0, 0, 1));
    Index wrong_size = 0, outside = 0, too_large = 0;
    Figure figure("fig-scales");
    figure
        .describe(
            "Four scenes with grids of eight, four, two and one cell along each side. "
            "On each grid one red box is drawn, centred in an outlined cell and about "
            "as large as it or larger.")
        .columns(4);
    for (Index map = 0; map < 4; ++map) {
        double best = -1;
        Index where = 0, image = 0;
        for (Index i = 0; i < predicted.size(0); ++i)
            for (Index n = 0; n < 85; ++n) {
                if (net.grid.place(n).map != map) continue;
                const double object = 1 - double(chance[std::size_t(i * 85 + n) * 4]);
                if (object > best) best = object, where = n, image = i;
            }
        const BoxCell at = net.grid.place(where);
        std::array<double, 4> code;
        for (std::size_t k = 0; k < 4; ++k)
            code[k] = double(numbers[std::size_t(image * 85 + where) * 8 + k]);
        const Box box = net.grid.decode(code, at), cell = net.grid.square(at);
        Path grid, mine, red;
        Index columns = 0;
        for (Index row = 0; row < net.grid.maps[std::size_t(map)]; ++row)
            for (Index col = 0; col < net.grid.maps[std::size_t(map)]; ++col)
                grid.add(net.grid.square({map, row, col, 0})), columns += row == 0;
        mine.add(cell), red.add(box);
        const Tensor head = net.heads[std::size_t(map)](maps[std::size_t(map) + 2]);
        wrong_size += head.size(2) != columns || head.size(3) != columns;
        outside += !(box.x() >= cell.x1 && box.x() <= cell.x2 && box.y() >= cell.y1 &&
                     box.y() <= cell.y2);
        too_large += std::max(box.width(), box.height()) > fields[std::size_t(map)];
        figure.panel(fmt::format("{0} × {0} cells", columns))
            .field(0, 64, 0, 64, 64, brightness(test.scenes[std::size_t(image)].image))
            .line("cells", grid.x, grid.y,
                  {.color = figure::grey,
                   .dash = figure::solid,
                   .width = 1,
                   .points = false})
            .line("cell of the box", mine.x, mine.y,
                  {.color = figure::blue,
                   .dash = figure::solid,
                   .width = 2,
                   .points = false})
            .line("predicted box", red.x, red.y,
                  {.color = figure::red,
                   .dash = figure::solid,
                   .width = 3,
                   .points = false})
            .xlim(0, 64)
            .ylim(0, 64)
            .bare()
            .tall(107);
        say("{} cells: box of {:.1f} by {:.1f} pixels, probability of an object "
            "{:.3f}, "
            "receptive field {:.0f} pixels",
            columns * columns, box.width(), box.height(), best,
            fields[std::size_t(map)]);
    }
    figure.save(
        "The four maps of the detector. Of all held-out scenes, each panel shows the "
        "one with the "
        "surest box of its map: the cell in blue, and the predicted box in red.");
    book::shows("fig-6.1/a", "fig-scales");
    claim("fig-6.1/b",
          "drawn grids that have another size than the output of their layer",
          double(wrong_size), "==", 0);
    claim("fig-6.1/c", "drawn boxes whose centre lies outside their cell",
          double(outside), "==", 0);
    claim("fig-6.1/d",
          "drawn boxes that are larger than the receptive field of their cell",
          double(too_large), "==", 0);
}

void curves(std::span<const LabelledBox> found, const Annotated& test) {
    const Numbers overlaps = {0.5, 0.6, 0.7, 0.75, 0.8, 0.9};
    Figure figure("fig-precision");
    figure
        .describe(
            "Precision against recall for three classes. At an overlap of 0.5 all "
            "three "
            "curves stay high until most objects are found. With a stricter overlap "
            "they sink.")
        .slider("overlap", overlaps, "least overlap with the true box", 0.5);
    for (const double overlap : overlaps) {
        figure.at(overlap);
        for (std::size_t c = 0; c < 3; ++c) {
            const auto curve =
                data::precision_recall(found, test.truth, Index(c) + 1, overlap);
            Numbers recall, precision;  // fewer points, for a smaller figure
            const std::size_t every = curve.recall.size() / 120 + 1;
            for (std::size_t i = 0; i < curve.recall.size(); i += every)
                recall.push_back(curve.recall[i]),
                    precision.push_back(curve.precision[i]);
            figure.line(words[c], recall, precision,
                        {.color = colours[c], .dash = figure::solid, .points = false});
            if (overlap == 0.5)
                say("average precision of {}s: {:.3f}", words[c], curve.average);
        }
    }
    figure.always()
        .x("recall")
        .y("precision")
        .xlim(0, 1)
        .ylim(0, 1.02)
        .save(
            "Precision and recall of the boxes of each class in the held-out scenes, "
            "from "
            "the surest box to the least sure one. The area below is the average "
            "precision. The slider sets the IoU that a box needs to be right.");
}

// What is wrong in scenes where something is wrong.
void failures(std::span<const LabelledBox> found, const Annotated& test,
              Generator& random) {
    std::vector<Index> failed;
    Index missed = 0, badly_placed = 0, other_class = 0, nothing = 0, twice = 0,
          right = 0;
    for (Index image = 0; image < test.images.size(0); ++image) {
        const Scene& scene = test.scenes[std::size_t(image)];
        std::vector<int> hits(scene.boxes.size());
        bool wrong = false;
        for (const LabelledBox& one : found) {
            if (one.image != image || one.score < shown_score) continue;
            std::size_t best = 0;
            for (std::size_t i = 1; i < scene.boxes.size(); ++i)
                if (data::iou(one.box, scene.boxes[i]) >
                    data::iou(one.box, scene.boxes[best]))
                    best = i;
            const double overlap = data::iou(one.box, scene.boxes[best]);
            const bool same = one.label == scene.classes[best];
            if (same && overlap >= 0.5 && hits[best]++ == 0) {
                ++right;
                continue;
            }
            wrong = true;
            if (overlap < 0.1)
                ++nothing;
            else if (!same)
                ++other_class;
            else if (overlap < 0.5)
                ++badly_placed;
            else
                ++twice;
        }
        for (const int hit : hits) missed += hit == 0, wrong = wrong || hit == 0;
        if (wrong) failed.push_back(image);
    }
    say("of {} scenes {} have a mistake; right boxes: {}; objects without one: {}",
        test.images.size(0), failed.size(), right, missed);
    say("wrong boxes: {} of the wrong class, {} badly placed, {} on the ground, {} "
        "twice",
        other_class, badly_placed, nothing, twice);
    for (const double score : {0.2, 0.3, 0.5, 0.7}) {
        double hit = 0, said = 0;
        for (const LabelledBox& one : found) said += one.score >= score;
        for (const LabelledBox& is : test.truth)
            hit += std::ranges::any_of(found, [&](const LabelledBox& one) {
                return one.image == is.image && one.label == is.label &&
                       one.score >= score && data::iou(one.box, is.box) >= 0.5;
            });
        say("boxes with a probability of at least {}: they match {:.1f} % of all "
            "objects, "
            "and there are {:.2f} for each object",
            score, 100 * hit / double(test.truth.size()),
            said / double(test.truth.size()));
    }
    const std::vector<Index> order = random.permutation(Index(failed.size()));
    Figure figure("fig-failures");
    figure
        .describe(
            "Four scenes with mistakes, drawn at random: objects without a box, or "
            "boxes "
            "of a wrong class or size.")
        .columns(4);
    for (std::size_t i = 0; i < std::min<std::size_t>(4, order.size()); ++i) {
        const Index image = failed[std::size_t(order[i])];
        figure.panel(fmt::format("failure {}", i + 1))
            .field(0, 64, 0, 64, 64, brightness(test.scenes[std::size_t(image)].image))
            .xlim(0, 64)
            .ylim(0, 64)
            .bare()
            .tall(107);
        draw_true(figure, test, image);
        draw_found(figure, found, image, shown_score);
    }
    figure.save(
        "Four scenes drawn at random from those with a mistake. Dotted: the true "
        "boxes. "
        "Coloured: what was found with a probability of at least 0.3.");
}
//-

// {numref}`fig-precision` draws the curves of our three classes. Move the slider to a stricter overlap: the classes stay
// right, but boxes that are off by a pixel or two no longer count. The network of the figures is small and was trained
// for seconds. Three wider ones, trained for longer, are in the checks below.
//- what is checked on long trainings
void long_trainings() {
    const std::vector<double> half = long_training.frozen().column("mAP at 0.5"),
                              strict = long_training.frozen().column("mAP at 0.75");
    const std::vector<double> seconds = long_training.frozen().column("seconds");
    claim("sys-ssd/b",
          "mean average precision at an overlap of 0.5 on 500 held-out scenes, 2000 "
          "steps "
          "of training",
          over_seeds(half), ">=", 0.75);
    say("at an overlap of 0.75: {:.3f}, {:.3f} and {:.3f}", strict[0], strict[1],
        strict[2]);
    book::timing_claim("sys-ssd/c",
                       "minutes of such a training and its judgement on one core",
                       std::ranges::max(seconds) / 60, "<=", 12);
}
//-

// ## Failures
//
// A mean hides what goes wrong. To draw boxes you need a threshold after all, and with 0.3 the detector draws about as
// many boxes as there are objects; with a half it would be silent about one object in four, as the counts below say.
// {numref}`fig-failures` shows four scenes, drawn at random from all scenes with a mistake at this threshold. Look for a
// pattern before you change the network. Ours nearly always knows *where* an object is. What it confuses are small discs
// and small squares, which differ in a few pixels at their corners: the counts name the wrong class most often, and boxes
// on the bare ground least.
//
// ## Few annotations
//
// Somebody has to draw the boxes, and drawing takes longer than naming what an image shows. Detectors and segmenters
// therefore start from a **pre-trained backbone** {cite:p}`long2015,liu2016ssd`. Ours first learns to classify images of
// a single object for 500 steps, and then to detect for 400. Its rival detects from scratch for 900 steps, so both make
// equally many. The second task is segmentation: a class for each pixel, measured by the mean IoU of the classes.
//- the figure of few annotations, and what is checked
struct Curve {
    Numbers low, middle, high;
};
Numbers column(const std::string& name, double scenes) {
    const Numbers all = annotations.frozen().column(name);
    Numbers found;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (annotations.frozen().rows[i][0] == scenes) found.push_back(all[i]);
    return found;
}
void few_annotations() {
    const Numbers counts = {50, 150, 500};
    Figure figure("fig-annotations");
    figure.describe(
        "Two panels, detection and segmentation: the score against the number of "
        "annotated scenes, with a line for the pre-trained backbone and one from "
        "scratch, each within a band of its draws.");
    for (const std::string score : {"mAP", "IoU"}) {
        figure.panel(score == "mAP" ? "detection" : "segmentation");
        for (const std::string start : {"pre-trained", "from scratch"}) {
            Curve curve;
            for (const double count : counts) {
                const Numbers all = column(score + " " + start, count);
                curve.low.push_back(std::ranges::min(all));
                curve.middle.push_back(book::median(all));
                curve.high.push_back(std::ranges::max(all));
            }
            figure.band(start, counts, curve.low, curve.high)
                .line(start, counts, curve.middle);
            say("{}, {}: {:.3f} with 50 scenes, {:.3f} with 150, {:.3f} with 500",
                score, start, curve.middle[0], curve.middle[1], curve.middle[2]);
        }
        figure.log_x()
            .x("annotated scenes")
            .y(score == "mAP" ? "mAP" : "mean IoU")
            .ylim(0, 1);
    }
    figure.save(
        "Median, smallest and largest score of five networks with 50 annotated scenes, "
        "and of three with more, on 300 held-out scenes. All were trained for equally "
        "many steps, the pre-trained ones for some of them as classifiers.");
    book::shows("claim-pretrained-backbone/a", "fig-annotations");
    const auto gain = [](const std::string& score) {
        const Numbers with = column(score + " pre-trained", 50),
                      without = column(score + " from scratch", 50);
        Numbers more;
        for (std::size_t i = 0; i < with.size(); ++i)
            more.push_back(with[i] - without[i]);
        return more;
    };
    claim("claim-pretrained-backbone/b",
          "mAP gained by the pre-trained backbone with 50 annotated scenes",
          over_seeds(gain("mAP")), ">=", 0.05);
    claim("claim-pretrained-backbone/c",
          "mean IoU gained by the pre-trained backbone with 50 annotated scenes",
          over_seeds(gain("IoU")), ">=", 0.05);
}
//-

// ## Summary
//
// A single-shot detector predicts a class and four numbers at every cell of several maps, in one pass. Almost all places
// are empty, so the loss keeps only the hardest of them, and the measure is the mean average precision, which ignores
// empty places. A backbone that has learned to classify needs fewer annotated scenes.
//
// ## What is missing
//
// Our objects never hide each other, and their sizes follow a law that we know. On photographs the same design needs a
// deeper backbone, boxes of several shapes in each cell, and augmentation by random crops, flips and changes of colour,
// which {cite:t}`liu2016ssd` found crucial. And a detector that learns from photographs of one street may fail in the
// next; our held-out scenes come from the very law of the training scenes.
//
// A box is also a rough outline. [The next page](segmentation.cpp) gives a class to every pixel.
//
// ```{try}
// - Few scenes: `--scenes 50`. Which mistakes become more frequent?
// - A longer training: `--steps 2000`. Does the precision at an overlap of 0.75 rise more than that at 0.5?
// ```

void page() {
    Generator random(book::seed());
    const Annotated set = annotated(drawn(), law(), random),
                    test = annotated(judges(), law(), random);
    nn::Detector net(random, {.width = 12});
    train_detector(net, set, rounds(), random);
    const nn::Detector frozen = nn::clone(net);
    const Tensor predicted = predictions(net, test.images);
    const std::vector<LabelledBox> found =
        nn::found_boxes(predicted, net.grid, {.score = 0.02});
    gallery(found, test);
    scales(net, predicted, test);
    empty_places(set);
    const Numbers score = judged(net, test);
    say("{} parameters, {} steps of {} scenes: mAP {:.3f} at an overlap of 0.5, {:.3f} "
        "at "
        "0.75",
        nn::count(net), rounds(), batch, score[0], score[1]);
    curves(found, test);
    const std::vector<LabelledBox> again = boxes_of(frozen, test.images);
    claim_true(
        "fig-6.2/b",
        "the drawn boxes are those of the detector that was judged: its precision on "
        "the held-out scenes, from a copy made before, is the same to the bit",
        again.size() == found.size() &&
            data::mean_average_precision(again, test.truth) ==
                data::mean_average_precision(found, test.truth) &&
            data::mean_average_precision(found, test.truth) == score[0]);
    long_trainings();
    failures(found, test, random);
    few_annotations();
}
