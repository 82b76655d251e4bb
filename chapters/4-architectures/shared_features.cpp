// # Faster and Mask R-CNN: one feature map for boxes, classes and masks
//
// ```{rows} sys-faster-rcnn
// ```
//
// [R-CNN](region_proposals.cpp) runs its network once for each of a hundred regions. The regions overlap, so most convolutions are
// computed many times. Its successors run the convolutions once per image and let everything else read the result: the
// part that proposes regions, the part that classifies and moves them, and the part that draws a **mask**, the pixels
// of the object. {numref}`fig-shared-map` shows four new scenes. Move the slider: how many proposals does the network need
// now?
//
// ```{opening} fig-shared-map
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/book/study.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/data/boxes.hpp>
#include <recto/data/regions.hpp>
#include <recto/data/scenes.hpp>
#include <recto/device/threads.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/detector.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/roi_align.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/binary_cross_entropy.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using book::Study;
using data::Box, data::LabelledBox, data::Scene;
using figure::Figure;
using Numbers = std::vector<double>;
using Regions = std::vector<LabelledBox>;
using Move = std::array<double, 4>;

const book::Option<Index> training("steps", 460, "training steps of the network",
                                   {.quick = 3, .least = 1, .most = 100'000});
const book::Option<Index> first("scene", 0, "the first scene of the first figure",
                                {.least = 0, .most = 96});
const Index side = 64, cells = 16;
const double stride = double(side / cells);  // pixels of the scene per pixel of the map
const Index channels = 32;                   // of the map
const std::size_t proposals = 100;           // for each scene
//-

// ## The trunk runs once
//
// The **trunk** is a convolutional network. It turns a scene of 64 × 64 pixels into a map of 16 × 16 pixels with 32
// channels, so that a pixel of the map stands for 4 × 4 pixels of the scene. Ours counts the images that it sees:
struct Trunk {
    nn::Backbone halve;              // from 64 to 32 to 16 pixels
    std::vector<nn::ConvUnit> more;  // eight layers without a stride
    mutable Index images_seen = 0;
    explicit Trunk(Generator& random) : halve(3, 2, channels / 2, random) {
        for (int i = 0; i < 8; ++i)
            more.emplace_back(channels, channels, false, random);
    }
    Tensor operator()(const Tensor& images) const {
        images_seen += images.size(0);
        Tensor x = halve(3 * (images - 0.3)).back();
        for (const nn::ConvUnit& layer : more) x = layer(x);
        return x;
    }
    void visit(auto&& part) { part("halve", halve), part("more", more); }
};
// Three small networks, the **heads**, read this map. None of them sees the scene.
//
// 1. The **region proposal network** looks at each pixel of the map and asks about four squares around it, with
//    sides of 12, 20, 32 and 50 pixels, called **anchors**. Each of the $16 \cdot 16 \cdot 4 = 1024$ anchors gets a score, how
//    sure the network is that an object is there, and a [move](region_proposals.cpp) towards it.
// 2. The best 100 moved anchors that differ are read from the map by [ROI align](region_proposals.cpp), 7 × 7 pixels each. Two linear
//    layers name the class and move the region once more.
// 3. What is kept at the end is read from the map again, 14 × 14 pixels each. Two convolutions say for each of them
//    whether it belongs to the object.
//
// A region from pixel 12 to pixel 40 of the scene is 7 pixels wide on the map, and each of the 7 cells is the mean of
// one pixel of the map, interpolated at the right place.
//- the heads
struct Net {
    Trunk trunk;
    nn::Conv2d look, anchor;  // the region proposal network
    nn::Linear hidden;        // class and move
    nn::BatchNorm norm;
    nn::Linear answer;
    nn::Conv2d mask, draw;
    explicit Net(Generator& random)
        : trunk(random),
          look(channels, channels, 3, random, {.padding = 1, .weights = nn::he_init}),
          anchor(channels, 4 * 5, 1, random),
          hidden(channels * 49, 64, random),
          norm(64),
          answer(64, 8, random),
          mask(channels, 16, 3, random, {.padding = 1, .weights = nn::he_init}),
          draw(16, 1, 3, random, {.padding = 1}) {}
    // A move and a score for each anchor: (images, anchors, 5).
    Tensor anchors(const Tensor& map) const {
        const Tensor x = channels_last(anchor(relu(look(map))));
        return reshape(x, {x.size(0), cells * cells * 4, 5});
    }
    // A move and four scores for each region, from its 7 x 7 pixels: (regions, 8).
    Tensor classes(const Tensor& read) const {
        return answer(norm.relu(hidden(reshape(read, {read.size(0), channels * 49}))));
    }
    // The score of each of 14 x 14 pixels of each region: (regions, 1, 14, 14).
    Tensor masks(const Tensor& map, const Regions& regions) const {
        return draw(relu(mask(nn::roi_align(map, regions, 14, stride))));
    }
    void visit(auto&& part) {
        part("trunk", trunk), part("look", look), part("anchor", anchor);
        part("hidden", hidden), part("norm", norm), part("answer", answer);
        part("mask", mask), part("draw", draw);
    }
};
//-
//- anchors, proposals, and the boxes that are kept
const Index anchors = cells * cells * 4;
Box anchor_box(Index number) {
    const std::array<double, 4> sides = {12, 20, 32, 50};
    const double half = sides[std::size_t(number % 4)] / 2,
                 x = stride * (double(number / 4 % cells) + 0.5),
                 y = stride * (double(number / 4 / cells) + 0.5);
    return {x - half, y - half, x + half, y + half};
}
// The first four numbers of a row, limited, as a move.
Move move_in(const std::vector<Real>& rows, std::size_t row, std::size_t width) {
    Move move;
    for (std::size_t k = 0; k < 4; ++k)
        move[k] = std::clamp(double(rows[row * width + k]), -2.0, 2.0);
    return move;
}
// The best moved anchors of each image that differ.
Regions proposed(const Tensor& told, std::size_t most) {
    const std::vector<Real> rows = told.values();
    Regions all;
    for (Index image = 0; image < told.size(0); ++image) {
        Regions moved;
        for (Index n = 0; n < anchors; ++n) {
            const std::size_t row = std::size_t(image * anchors + n);
            moved.push_back({image, 0,
                             data::moved(anchor_box(n), move_in(rows, row, 5)),
                             double(rows[5 * row + 4])});
        }
        for (const LabelledBox& one : data::best_regions(std::move(moved), most, 0.6))
            all.push_back(one);
    }
    return all;
}
// The regions of each image, moved once more; of those of a class that overlap much, the best is kept.
Regions kept(const Regions& regions, const Tensor& answer, Index images) {
    const std::vector<Real> moves = answer.values(),
                            chances = softmax(slice(answer, 1, 4, 8)).values();
    Regions found;
    for (Index image = 0; image < images; ++image)
        for (std::size_t label = 1; label < 4; ++label) {
            Regions of_class;
            for (std::size_t i = 0; i < regions.size(); ++i)
                if (const double chance = double(chances[4 * i + label]);
                    regions[i].image == image && chance >= 0.1)
                    of_class.push_back(
                        {image, Index(label),
                         data::moved(regions[i].box, move_in(moves, i, 8)), chance});
            for (const LabelledBox& one : data::best_regions(of_class, proposals, 0.45))
                found.push_back(one);
        }
    return found;
}
struct Found {
    Regions boxes;
    std::vector<Numbers> masks;  // of each box, 14 x 14 scores
};
std::vector<Numbers> rows_of(const Tensor& masks) {
    const std::vector<Real> all = masks.values();
    std::vector<Numbers> rows;
    for (auto at = all.begin(); at != all.end(); at += 196)
        rows.emplace_back(at, at + 196);
    return rows;
}
//-
Found detect(const Net& net, const Tensor& images, std::size_t most) {
    const NoGrad only_asking;
    const Tensor map = net.trunk(images);
    const Regions regions = proposed(net.anchors(map), most);
    const Tensor answer = net.classes(nn::roi_align(map, regions, 7, stride));
    const Regions boxes = kept(regions, answer, images.size(0));
    return {boxes, rows_of(net.masks(map, boxes))};
}
// ## What it saves
//
// A detector without a shared map runs the same trunk on each region. To give the head 7 × 7 pixels, it needs the
// $7 \cdot 4 = 28$ pixels of the scene along each side of a region. The scene has 64. Place your bet:
//- the question, and what is measured
Tensor separately(const Net& net, const Tensor& image, const Regions& regions) {
    const NoGrad only_asking;
    return net.classes(net.trunk(nn::roi_align(image, regions, 28)));
}
void speed(const Net& net, const Tensor& images) {
    const Tensor image = slice(images, 0, 0, 1);
    const Regions all = [&] {
        const NoGrad only_asking;
        return proposed(net.anchors(net.trunk(image)), proposals);
    }();
    Numbers counts, shared, apart;
    double ratio = 0;
    const int all_threads = threads();
    set_threads(1);  // else small products wait for the second thread
    for (const std::size_t most : {5, 10, 25, 50, 100}) {
        const Regions some(all.begin(),
                           all.begin() + Index(std::min(most, all.size())));
        const auto both =
            book::compare_seconds([&] { (void)separately(net, image, some).values(); },
                                  [&] { (void)detect(net, image, most); }, 5);
        counts.push_back(double(most));
        apart.push_back(1000 * both.first), shared.push_back(1000 * both.second);
        ratio = both.ratio;
    }
    set_threads(all_threads);
    const FlopCount one_map;
    (void)detect(net, image, proposals);
    const double shared_work = double(one_map.multiply_adds());
    const FlopCount many;
    (void)separately(net, image, all);
    const double work = double(many.multiply_adds()) / shared_work;
    ask("Both detectors classify 100 proposals. How many times less work, in "
        "multiplications, is the one with the shared map?",
        {{"About 100 times: it runs one trunk in place of 100.", work >= 50,
          "A region is smaller than the scene: 100 regions are nineteen scenes. And "
          "the "
          "heads run once for each region in both."},
         {"Between 3 and 19 times.", work >= 3 && work < 19,
          "The trunk alone is nineteen times less work. Proposals, ROI align and the "
          "heads cost something, too."},
         {"Less than 3 times: the heads do most of the work.", work < 3,
          "They would, if the trunk were as small as a head. It has eleven layers of "
          "convolutions."}});
    say("the detector with the shared map needs {:.1f} million multiplications; a "
        "trunk "
        "for each proposal {:.1f} times as many",
        shared_work / 1e6, work);
    book::timing(
        "100 proposals: {:.1f} ms with one trunk for all, {:.1f} ms with a trunk "
        "for each",
        shared.back(), apart.back());
    book::timing("the second over the first, on one thread: {:.1f}", ratio);
    Figure("fig-shared-time")
        .describe(
            "Two lines against the number of proposals. With a trunk for each "
            "region, the time grows steadily and soon lies far above the other. "
            "With a shared map it grows more slowly.")
        .line("a trunk for each region", counts, apart, {.color = figure::ochre})
        .line("one shared map", counts, shared, {.color = figure::blue})
        .x("proposals")
        .y("milliseconds per scene")
        .save(
            "The time for one scene on one thread of this machine. The detector with a "
            "shared map "
            "also "
            "proposes the regions and draws the masks; the other one gets the "
            "proposals for nothing, and draws no masks.");
}
//-

// A region costs $28^2 / 64^2 = 0.19$ of the trunk's work on the scene, so 100 regions cost nineteen times as much as one
// trunk, and both detectors pay for the heads. {numref}`fig-shared-time` shows the times on one thread. The gain depends on
// how much of the work the trunk is. Ours has eleven layers; the trunks for photographs have dozens, and their heads are
// small in comparison. We had asked for a detector that is five times as fast. On one thread we measured between 4.9 and 6
// times on a busy machine, and less with two threads or a smaller trunk, so **this stays open**. And the saving is for the
// same trunk: the small network of [R-CNN](region_proposals.cpp) needs about as long for 100 regions as this detector with
// its larger one.
//
// The counter checks that there is no second trunk in disguise:
//- what is checked
void once(const Net& net, const Tensor& images) {
    const Index before = net.trunk.images_seen;
    for (Index i = 0; i < 20; ++i)
        (void)detect(net, slice(images, 0, i, i + 1), proposals);
    claim(
        "sys-faster-rcnn/a",
        "images that the trunk has seen, for each of 20 scenes with boxes, classes and "
        "masks",
        double(net.trunk.images_seen - before) / 20, "==", 1);
}
//-

// ## One training for everything
//
// All heads are trained together with the trunk, and the loss is the sum of five terms:
//
// - whether an anchor belongs to an object: the binary cross-entropy of its score. An anchor belongs to the object that it overlaps
//   with an IoU of at least 0.5, and to none if all overlaps are below 0.4;
// - the squared error of its move, ten times, if it belongs to an object;
// - the class of a proposal, by a cross-entropy over *ground* and three classes, and its move as before;
// - the mask: the binary cross-entropy of each of its 14 × 14 pixels. The right answer is the true mask of the
//   object, read by the same ROI align.
//
// Suppose that a mask pixel lies half on the object, and the network gives it a probability of 0.5: this costs
// $\log 2 = 0.69$, and no other answer costs less. Each step takes four scenes, 64 anchors and 64 regions, half of them
// with an object. The regions come from the proposal network as it is, together with the true boxes.
//- scenes, samples, the loss, and a training
data::SceneLaw law() {  // as for R-CNN
    data::SceneLaw one;
    one.small_to = 0.16, one.large_from = 0.2, one.large_to = 0.48;
    return one;
}
struct Set {
    std::vector<Scene> scenes;
    Tensor images;
    Regions truth;
    Tensor masks;  // of each object: (objects, 1, 64, 64)
};
Set draw_set(Index count, Generator& random) {
    Set set;
    set.scenes = data::draw_scenes(count, law(), random);
    set.images = data::scene_images(set.scenes);
    set.truth = data::scene_boxes(set.scenes);
    std::vector<Real> masks;
    for (const Scene& scene : set.scenes)
        for (std::size_t k = 0; k < scene.boxes.size(); ++k)
            for (const Index object : scene.object_map.values())
                masks.push_back(object == Index(k) + 1 ? 1 : 0);
    set.masks = Tensor({Index(set.truth.size()), 1, side, side}, masks);
    return set;
}
// `half` regions with an object, then as many without, drawn with repetition.
struct Sample {
    Regions regions;
    std::vector<Index> places;   // their numbers among all regions
    std::vector<Index> labels;   // 0 without an object
    std::vector<Index> objects;  // of those with an object
    std::vector<Real> moves;     // of those with an object
};
const Index batch = 4, half = 32;
Sample sample(const Regions& regions, const Regions& truth, double low,
              Generator& random) {
    const auto nearest = data::nearest_objects(regions, truth);
    std::vector<Index> with, without;
    for (std::size_t i = 0; i < nearest.size(); ++i) {
        if (nearest[i].overlap >= 0.5) with.push_back(Index(i));
        if (nearest[i].overlap < low) without.push_back(Index(i));
    }
    Sample found;
    for (const auto* some : {&with, &without})
        for (const Index n : random.integers({half}, 0, Index(some->size())).values()) {
            const std::size_t place = std::size_t((*some)[std::size_t(n)]),
                              object = nearest[place].object;
            found.places.push_back(Index(place));
            found.regions.push_back(regions[place]);
            found.labels.push_back(some == &with ? truth[object].label : 0);
            if (some == &without) continue;
            found.objects.push_back(Index(object));
            for (const double one :
                 data::move_between(regions[place].box, truth[object].box))
                found.moves.push_back(Real(one));
        }
    return found;
}
Tensor move_loss(const Tensor& rows, const Sample& of) {
    const Tensor found = slice(slice(rows, 0, 0, half), 1, 0, 4);
    return 10 * mean(sum(square(found - Tensor({half, 4}, of.moves)), {1}));
}
Tensor loss_of(const Net& net, const Set& set, Generator& random) {
    const std::vector<Index> which =
        random.integers({batch}, 0, set.images.size(0)).values();
    Regions truth, grid;
    std::vector<Index> numbers;  // of the true boxes in the set
    for (Index i = 0; i < batch; ++i) {
        for (std::size_t k = 0; k < set.truth.size(); ++k)
            if (set.truth[k].image == which[std::size_t(i)]) {
                truth.push_back({i, set.truth[k].label, set.truth[k].box});
                numbers.push_back(Index(k));
            }
        for (Index n = 0; n < anchors; ++n) grid.push_back({i, 0, anchor_box(n)});
    }
    const Tensor map = net.trunk(index_rows(set.images, Integers({batch}, which))),
                 told = net.anchors(map);
    const Sample first_stage = sample(grid, truth, 0.4, random);
    const Tensor rows = index_rows(reshape(told, {batch * anchors, 5}),
                                   Integers({2 * half}, first_stage.places));
    std::vector<Real> object(std::size_t(2 * half), 0);
    std::fill_n(object.begin(), half, Real(1));
    Regions regions = proposed(told.detach(), 40);
    regions.insert(regions.end(), truth.begin(), truth.end());
    const Sample second = sample(regions, truth, 0.5, random);
    const Tensor answer = net.classes(nn::roi_align(map, second.regions, 7, stride));
    const Regions with(second.regions.begin(), second.regions.begin() + half);
    Regions planes = with;  // the same regions, each in the mask of its object
    std::vector<Index> chosen;
    for (std::size_t i = 0; i < std::size_t(half); ++i) {
        planes[i].image = Index(i);
        chosen.push_back(numbers[std::size_t(second.objects[i])]);
    }
    const Tensor want =
        nn::roi_align(index_rows(set.masks, Integers({half}, chosen)), planes, 14);
    return binary_cross_entropy(slice(rows, 1, 4, 5), Tensor({2 * half, 1}, object)) +
           move_loss(rows, first_stage) +
           cross_entropy(slice(answer, 1, 4, 8), Integers({2 * half}, second.labels)) +
           move_loss(answer, second) + binary_cross_entropy(net.masks(map, with), want);
}
Net trained(const Set& set, Index steps, Generator& random) {
    Net net(random);
    optim::Adam adam(nn::parameters(net));
    nn::set_training(net, true);
    optim::fit(adam, [&] { return loss_of(net, set, random); },
               {.steps = steps,
                .lr = [&](Index step) { return optim::cosine(step, steps, 3e-3); }});
    nn::set_training(net, false);
    return net;
}
//-

// ## Masks
//
// To judge a mask, its 14 × 14 scores are interpolated at the centres of the pixels in its box, and a pixel belongs to the
// mask if its score is positive. The overlap of two masks is their IoU, as for boxes: pixels in both over pixels in at
// least one. A mask of 100 pixels that misses 10 of 100 true ones and has 10 others has $90/110 = 0.82$.
//- masks in the scene, and their overlap
std::vector<bool> painted(const Box& box, const Numbers& scores) {
    std::vector<bool> mask(std::size_t(side * side));
    const auto at = [&](Index row, Index col) {
        return scores[std::size_t(row * 14 + col)];
    };
    for (Index row = 0; row < side; ++row)
        for (Index col = 0; col < side; ++col) {
            const double down = (double(row) + 0.5 - box.y1) / box.height(),
                         right = (double(col) + 0.5 - box.x1) / box.width();
            if (down < 0 || down > 1 || right < 0 || right > 1) continue;
            const double y = std::clamp(14 * down - 0.5, 0.0, 13.0),
                         x = std::clamp(14 * right - 0.5, 0.0, 13.0);
            const Index i = std::min<Index>(Index(y), 12),
                        j = std::min<Index>(Index(x), 12);
            const double p = y - double(i), q = x - double(j),
                         score = (1 - p) * ((1 - q) * at(i, j) + q * at(i, j + 1)) +
                                 p * ((1 - q) * at(i + 1, j) + q * at(i + 1, j + 1));
            mask[std::size_t(row * side + col)] = score > 0;
        }
    return mask;
}
Found detect_all(const Net& net, const Tensor& images, std::size_t most) {
    Found found;
    for (Index i = 0; i < images.size(0); ++i) {
        const Found part = detect(net, slice(images, 0, i, i + 1), most);
        for (std::size_t k = 0; k < part.boxes.size(); ++k) {
            found.boxes.push_back(part.boxes[k]);
            found.boxes.back().image = i;
            found.masks.push_back(part.masks[k]);
        }
    }
    return found;
}
// For each object the overlap of its mask with that of the surest box on it, of any class; 0 if no box of probability
// 0.5 overlaps it by half.
Numbers mask_overlaps(const Found& found, const Set& set) {
    const auto nearest = data::nearest_objects(found.boxes, set.truth);
    const std::vector<Real> truth = set.masks.values();
    Numbers overlaps(set.truth.size(), 0), surest(set.truth.size(), 0.5);
    for (std::size_t i = 0; i < found.boxes.size(); ++i) {
        const std::size_t object = nearest[i].object;
        if (nearest[i].overlap < 0.5 || found.boxes[i].score < surest[object]) continue;
        surest[object] = found.boxes[i].score;
        const std::vector<bool> mask = painted(found.boxes[i].box, found.masks[i]);
        double both = 0, either = 0;
        for (std::size_t p = 0; p < mask.size(); ++p) {
            const bool is = truth[object * mask.size() + p] > 0;
            both += mask[p] && is, either += mask[p] || is;
        }
        overlaps[object] = both / either;
    }
    return overlaps;
}
//-
//- the study: three trainings
struct Trained {
    Set test;
    Net net;
    Found found;
    Numbers overlaps;
};
Trained whole_run(std::uint64_t draw, Index steps) {
    Generator random(1000 * draw + book::seed());
    const Set set = draw_set(600, random);
    Set test = draw_set(100, random);
    Net net = trained(set, steps, random);
    Found found = detect_all(net, test.images, proposals);
    Numbers overlaps = mask_overlaps(found, test);
    return {std::move(test), std::move(net), std::move(found), std::move(overlaps)};
}
double mean_of(const Numbers& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
}
Study::Row judge(const Trained& run) {
    return {mean_of(run.overlaps),
            data::mean_average_precision(run.found.boxes, run.test.truth),
            data::mean_average_precision(run.found.boxes, run.test.truth, 0.75)};
}
const Study study({"shared_features",
                   {"draw"},
                   {"mask_IoU", "mAP_50", "mAP_75"},
                   {"sys-faster-rcnn/c"},
                   0.02},
                  {{1}, {2}, {3}}, [](const Study::Row& cell) {
                      return judge(whole_run(std::uint64_t(cell[0]), 1000));
                  });
//-

//- what is checked, and the figures
void masks(const Trained& run) {
    const Study::Row mine = judge(run);
    say("the network of this run: mask IoU {:.3f}, mAP {:.3f} at 0.5 and {:.3f} at "
        "0.75; "
        "{} weights",
        mine[0], mine[1], mine[2], nn::count(run.net));
    const Numbers overlap = study.frozen().column("mask_IoU"),
                  half = study.frozen().column("mAP_50"),
                  strict = study.frozen().column("mAP_75");
    claim("sys-faster-rcnn/c",
          "mean IoU of the masks of all objects in 100 new scenes after 1000 steps, 0 "
          "for each object "
          "that "
          "is not found",
          over_seeds(overlap), ">=", 0.7);
    say("mAP at 0.5: {}; at 0.75: {}", book::brief(over_seeds(half)),
        book::brief(over_seeds(strict)));
    Numbers sides, overlaps, small, large;
    Index missed = 0;
    for (std::size_t i = 0; i < run.overlaps.size(); ++i) {
        const Box& box = run.test.truth[i].box;
        const double longer = std::max(box.width(), box.height());
        missed += run.overlaps[i] == 0;
        sides.push_back(longer), overlaps.push_back(run.overlaps[i]);
        if (run.overlaps[i] > 0)
            (longer <= 20 ? small : large).push_back(run.overlaps[i]);
    }
    say("{} of {} objects are not found; mean IoU of the other masks: {:.3f} up to 20 "
        "pixels, {:.3f} above",
        missed, sides.size(), mean_of(small), mean_of(large));
    Figure("fig-mask-sides")
        .describe(
            "A dot for each object: the IoU of its mask against its longer side. "
            "Most dots lie above 0.7, those of large objects a little higher. Many "
            "dots lie at 0.")
        .dots("", sides, overlaps, {.color = figure::blue, .width = 2})
        .x("longer side of the object, pixels")
        .y("IoU of its mask")
        .ylim(0, 1)
        .height(260)
        .save(
            "Every object of 100 new scenes, with the overlap of the mask that the "
            "network of this run draws. Dots at 0 are objects that were not found.");
}
//-
//- the first figure
const std::array<const char*, 4> words = {"ground", "disc", "square", "triangle"};
const std::array<figure::Color, 4> colours = {figure::grey, figure::blue, figure::red,
                                              figure::plum};
struct Path {
    Numbers x, y;
    void line(double x1, double y1, double x2, double y2) {
        const double gap = std::numeric_limits<double>::quiet_NaN();
        for (const double v : {x1, x2, gap}) x.push_back(v);
        for (const double v : {y1, y2, gap}) y.push_back(double(side) - v);
    }
    void outline(const std::vector<bool>& mask) {  // the borders between mask and rest
        const auto in = [&](Index row, Index col) {
            return row >= 0 && row < side && col >= 0 && col < side &&
                   mask[std::size_t(row * side + col)];
        };
        for (Index row = 0; row <= side; ++row)
            for (Index col = 0; col <= side; ++col) {
                const double r = double(row), c = double(col);
                if (in(row, col) != in(row - 1, col)) line(c, r, c + 1, r);
                if (in(row, col) != in(row, col - 1)) line(c, r, c, r + 1);
            }
    }
};
Numbers grey(const Tensor& image) {
    const std::vector<Real> rgb = image.values();
    Numbers found;
    for (std::size_t i = 0; i < 4096; ++i)
        found.push_back(0.3 * double(rgb[i]) + 0.59 * double(rgb[4096 + i]) +
                        0.11 * double(rgb[8192 + i]));
    return found;
}
void opening(const Trained& run) {
    const Numbers numbers = {1, 3, 10, 30, 100};
    Figure figure("fig-shared-map");
    figure
        .describe(
            "Four scenes of discs, squares and triangles with coloured outlines "
            "around objects, close to their borders. The first proposal gives an "
            "outline to one object at most. More proposals bring more outlines, and "
            "some objects stay without one.")
        .slider("proposals", numbers, "proposals per scene", 10)
        .columns(2);
    for (Index image = first(); image < first() + 4; ++image) {
        figure.panel(fmt::format("scene {}", image + 1))
            .always()
            .field(0, 64, 0, 64, 64, grey(run.test.scenes[std::size_t(image)].image));
        for (const double most : numbers) {
            const Found found =
                detect(run.net, slice(run.test.images, 0, image, image + 1),
                       std::size_t(most));
            std::array<Path, 4> paths;
            for (std::size_t i = 0; i < found.boxes.size(); ++i)
                if (found.boxes[i].score >= 0.5)
                    paths[std::size_t(found.boxes[i].label)].outline(
                        painted(found.boxes[i].box, found.masks[i]));
            figure.at(most);
            for (std::size_t k = 1; k < 4; ++k)
                if (!paths[k].x.empty())
                    figure.line(words[k], paths[k].x, paths[k].y,
                                {.color = colours[k],
                                 .dash = figure::solid,
                                 .width = 3,
                                 .points = false});
        }
        figure.always().xlim(0, 64).ylim(0, 64).bare().tall(285);
    }
    figure.save(
        "Four new scenes, in grey, and the outlines of the masks that the network "
        "draws for boxes with a probability of at least 0.5.");
}
//-

// {numref}`fig-mask-sides` shows each object for the network of the figures. Its training is short, and it misses many of
// the objects. The masks that it draws are good. The three networks behind
// the check were trained about twice as long. A small object of 12 pixels covers three pixels of the map along each side, and its mask
// is 14 pixels wide. The finer mask has to be guessed from the channels of these few pixels, and an error of one pixel of
// the scene counts more in a small mask.
//
// ## Limits and origins
//
// {cite:t}`he2014` and {cite:t}`girshick2015` pooled regions of a shared map, with rounded borders; the proposals still came
// from a program without learning. {cite:t}`ren2015` let the network propose, and {cite:t}`he2017` added ROI align and the
// masks. In a photograph, objects hide each
// other. Then a box holds parts of two objects, and the mask says which pixels belong to the one that the box is for. In our scenes
// no boxes overlap.
//
// The detector still has two stages. A [single-shot detector](../applications/detector.cpp) names the class at each anchor
// and leaves out the second stage. All regions depend on a map with one scale; small objects need a finer one. The mean
// average precision of this page is below that of [R-CNN](region_proposals.cpp). One reason is that boxes of a probability
// below 0.1 are left out here and below 0.02 there; we have not looked for others.
//
// ## What to remember
//
// Regions overlap, so their convolutions are computed once, on the whole image. Proposals, classes, moves and masks are
// small heads that read the same map, and ROI align brings each region to one size. They are trained together, by a sum of
// losses.
//
// ## What is missing
//
// The trunk starts from random weights. For photographs it would first learn to classify. How much does a convolutional network know
// before any training? [The next page](random_features.cpp) trains only the last layer.
//
// ```{try}
// - Other scenes in the first figure: `--scene 20`.
// - A longer training: `--steps 1000`. Which masks gain?
// ```

void page() {
    const Trained run = whole_run(1, training());
    opening(run);
    speed(run.net, run.test.images);
    once(run.net, run.test.images);
    masks(run);
}
