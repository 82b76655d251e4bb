// # Object detection: boxes, overlap and cells
//
// ```{rows} eq-box-to-cell sys-nms claim-receptive-field-matching claim-detector-channels
// ```
//
// A classifier says *what* is in an image. A **detector** also says *where*: it draws a **bounding box** around each
// object. The number of objects is unknown, and a network has a fixed number of outputs. The way out is to give every
// possible box a fixed place among the outputs. In {numref}`fig-cells` the box belongs to the cell that contains its
// centre, on a grid that is coarse for large boxes and fine for small ones. Move the slider, and drag the centre if the
// page runs in your browser.
//
// ```{opening} fig-cells
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/boxes.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/scenes.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/detector.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using data::Box, data::BoxCell, data::BoxGrid;
using figure::Figure;

const book::Option<double> centre_x("x", 26, "horizontal place of the box's centre",
                                    {.least = 0, .most = 64});
const book::Option<double> centre_y(
    "y", 26, "the centre's height above the lower side of the image",
    {.least = 0, .most = 64});
const book::Option<Index> boxes("boxes", 100'000, "random boxes that get a cell",
                                {.quick = 1000, .least = 1, .most = 10'000'000});
const book::Option<Index> sets("sets", 200, "random sets for the suppression",
                               {.quick = 20, .least = 1, .most = 100'000});

using Numbers = std::vector<double>;

// A path around a box; figures have y upwards, images downwards.
struct Path {
    Numbers x, y;
    void add(const Box& box, double side) {
        const double gap = std::numeric_limits<double>::quiet_NaN();
        for (const double v : {box.x1, box.x2, box.x2, box.x1, box.x1, gap})
            x.push_back(v);
        for (const double v : {box.y1, box.y1, box.y2, box.y2, box.y1, gap})
            y.push_back(side - v);
    }
};
Path around(const Box& box, double side) {
    Path path;
    path.add(box, side);
    return path;
}

void cells_figure() {
    const BoxGrid grid;
    const Numbers sides = {6, 10, 14, 20, 26, 36, 48, 60};
    Figure figure("fig-cells");
    figure
        .describe(
            "A square image with a box, and a grid of cells over it. One cell, that of "
            "the box's centre, is outlined in red. With a longer box the grid has "
            "fewer "
            "cells: eight, four, two, and in the end one along each side.")
        .slider("side", sides, "longer side of the box, in pixels", 20);
    for (const double side : sides) {
        const double x = centre_x(), y = 64 - centre_y();
        const Box box{x - side / 2, y - 0.35 * side, x + side / 2, y + 0.35 * side};
        const BoxCell at = grid.assign(box);
        Path cells;
        const Index count = grid.maps[std::size_t(at.map)];
        for (Index row = 0; row < count; ++row)
            for (Index col = 0; col < count; ++col)
                cells.add(grid.square({at.map, row, col, 0}), 64);
        const Path mine = around(grid.square(at), 64), path = around(box, 64);
        figure.at(side)
            .line("cells of its map", cells.x, cells.y,
                  {.color = figure::grey,
                   .dash = figure::solid,
                   .width = 1,
                   .points = false})
            .line("box", path.x, path.y,
                  {.color = figure::blue,
                   .dash = figure::solid,
                   .width = 3,
                   .points = false})
            .line("its cell", mine.x, mine.y,
                  {.color = figure::red,
                   .dash = figure::solid,
                   .width = 3,
                   .points = false});
    }
    figure.always()
        .dots("box", {centre_x()}, {centre_y()}, {.color = figure::blue, .width = 4})
        .xlim(-62, 126)
        .ylim(-30, 94)
        .x("x, pixels")
        .y("height above the lower side, pixels")
        .height(420)
        .dragged(centre_x(), centre_y(), centre_x, centre_y)
        .save(
            "An image of 64 by 64 pixels, a box, and the map of cells that its longer "
            "side selects. The box's centre selects the cell. A box may reach beyond "
            "its "
            "cell, and beyond the image.");
}
//-

// ## How well two boxes agree
//
// Let a detector return a box that is a little off. Is the object found? The usual measure is the **intersection over
// union** (IoU): the area that two boxes share, divided by the area that they cover together,
//
// $$ \mathrm{IoU}(a, b) = \frac{|a \cap b|}{|a \cup b|} = \frac{|a \cap b|}{|a| + |b| - |a \cap b|} . $$
//
// Two squares of 10 by 10 pixels, one of them 5 to the right of the other, share 50 pixels and cover 150. Their IoU is a
// third. It is 1 for equal boxes, 0 for disjoint ones, and does not change when the whole image is enlarged. A true box
// counts as found if the IoU is at least 0.5. How strict is that?
//- the question, and overlaps in closed form
double shifted_straight(double shift) {  // two unit squares
    return (1 - shift) / (1 + shift);
}
double shifted_diagonally(double shift) {
    const double shared = (1 - shift) * (1 - shift);
    return shared / (2 - shared);
}

void overlap() {
    const double quarter = shifted_diagonally(0.25);
    ask("A detector's square has the right size, but is a quarter of its side too far "
        "to "
        "the right and a quarter too low. Does it count as found?",
        {{"Yes, clearly: each side still covers three quarters.", quarter > 0.7,
          "The shares of both directions are multiplied: nine sixteenths of the square "
          "are shared. And the union is larger than the square."},
         {"Yes, just: nine sixteenths of the object lie in the box.",
          quarter >= 0.5 && quarter <= 0.7,
          "This would be the shared part of one box. IoU divides by what both cover "
          "together, which is 23 sixteenths."},
         {"No.", quarter < 0.5,
          "Nine sixteenths are shared, 23 are covered together."}});
    const Numbers shifts = data::even_grid(101, 0, 1);
    Numbers straight, diagonal;
    double worst = 0;
    for (const double shift : shifts) {
        const Box square{0, 0, 1, 1};
        straight.push_back(data::iou(square, {shift, 0, 1 + shift, 1}));
        diagonal.push_back(data::iou(square, {shift, shift, 1 + shift, 1 + shift}));
        worst = std::max({worst, std::abs(straight.back() - shifted_straight(shift)),
                          std::abs(diagonal.back() - shifted_diagonally(shift))});
    }
    Figure("fig-iou")
        .describe(
            "Two curves that fall from 1 to 0 as a square is shifted. Shifted along "
            "one "
            "side it crosses one half at a third of the side, along the diagonal "
            "before "
            "a fifth.")
        .line("to the right", shifts, straight,
              {.color = figure::blue, .dash = figure::solid, .points = false})
        .line("to the right and down", shifts, diagonal,
              {.color = figure::red, .dash = figure::dashed, .points = false})
        .rule_y(0.5, "counts as found")
        .x("shift, in sides of the square")
        .y("intersection over union")
        .ylim(0, 1)
        .save(
            "The overlap of two equal squares, one of which is shifted, in one "
            "direction "
            "or in both. Half of it is lost sooner than most people guess.");
    claim("sys-nms/c",
          "the overlap of two shifted squares against (1 − d)/(1 + d), and for both "
          "directions (1 − d)²/(2 − (1 − d)²), largest difference",
          worst, "<=", 1e-6);
    say("shifted by a quarter in both directions: IoU {:.3f}", quarter);
}
//-

// {numref}`fig-iou` draws the answer. For small objects the threshold is hard: a square with a side of 10 pixels that is
// more than 1.8 pixels off in both directions does not count.
//
// ## One object, one box
//
// A detector often finds the same object several times. Neighbouring places of its output see nearly the same pixels,
// and answer with nearly the same box. **Non-maximum suppression** keeps the box with the highest score, removes all
// boxes that overlap it by more than a threshold, and goes on with the best box that is left. For three boxes with the
// scores 0.9, 0.8 and 0.7, where only the first two overlap, the first and the third stay. The rule, word for word:
std::vector<std::size_t> naive_suppression(const std::vector<Box>& found,
                                           const Numbers& scores, double threshold) {
    std::vector<bool> gone(found.size());
    std::vector<std::size_t> kept;
    for (;;) {
        std::size_t best = found.size();
        for (std::size_t i = 0; i < found.size(); ++i)
            if (!gone[i] && (best == found.size() || scores[i] > scores[best]))
                best = i;
        if (best == found.size()) return kept;
        kept.push_back(best);
        for (std::size_t i = 0; i < found.size(); ++i)
            if (i == best || data::iou(found[best], found[i]) > threshold)
                gone[i] = true;
    }
}

// The library sorts the boxes once, and compares each with those that it has kept; the result is the same. What should
// the threshold be? Try it in {numref}`fig-suppress`.
//- suppression: its figure, and what is checked
struct Found {
    std::vector<Box> boxes;
    Numbers scores;
};
// Each true box several times, shaken, with a score that falls with the miss.
Found shaken(const std::vector<Box>& truth, Index times, Generator& random) {
    Found found;
    for (const Box& box : truth)
        for (Index i = 0; i < times; ++i) {
            const double size = box.width(), x = 0.1 * size * random.next_normal(),
                         y = 0.1 * size * random.next_normal(),
                         grow = 0.08 * size * random.next_normal();
            const Box other{box.x1 + x - grow, box.y1 + y - grow, box.x2 + x + grow,
                            box.y2 + y + grow};
            found.boxes.push_back(other);
            found.scores.push_back(data::iou(box, other) - 0.1 * random.next_uniform());
        }
    return found;
}
std::vector<Box> chosen(const std::vector<Box>& all,
                        const std::vector<std::size_t>& which) {
    std::vector<Box> some;
    for (const std::size_t i : which) some.push_back(all[i]);
    return some;
}

void suppression() {
    Generator random(book::seed());
    // Two squares that overlap by a third, and one by itself.
    const std::vector<Box> truth = {
        {8, 10, 28, 30}, {18, 10, 38, 30}, {40, 38, 56, 54}};
    const Found shown = shaken(truth, 8, random);
    const Numbers thresholds = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    Path all;
    for (const Box& box : shown.boxes) all.add(box, 64);
    Numbers left;
    Figure figure("fig-suppress");
    figure
        .describe(
            "Twenty-four thin boxes around three objects, two of which overlap. Thick "
            "boxes are kept: with a low threshold only two, with a middle one three, "
            "with a high one many around each object.")
        .slider("threshold", thresholds, "largest overlap that is allowed", 0.5)
        .panel("boxes");
    for (const double threshold : thresholds) {
        const auto kept = data::suppress(shown.boxes, shown.scores, threshold);
        left.push_back(double(kept.size()));
        Path path;
        for (const std::size_t i : kept) path.add(shown.boxes[i], 64);
        figure.at(threshold).line(
            "kept", path.x, path.y,
            {.color = figure::red, .dash = figure::solid, .width = 3, .points = false});
    }
    figure.always()
        .line(
            "found", all.x, all.y,
            {.color = figure::grey, .dash = figure::solid, .width = 1, .points = false})
        .xlim(0, 64)
        .ylim(0, 64)
        .bare()
        .tall(285)
        .panel("how many are kept")
        .line("kept", thresholds, left, {.color = figure::red, .dash = figure::solid});
    for (const double threshold : thresholds)
        figure.at(threshold).rule_x(threshold, "");
    figure.always()
        .rule_y(3, "three objects")
        .x("largest overlap that is allowed")
        .y("boxes kept")
        .ylim(0, 24)
        .save(
            "Each of three objects was found eight times; two of the objects overlap "
            "by "
            "an IoU of a third. If hardly any overlap is allowed, one of the two is "
            "suppressed as if it were a copy of the other. If much is allowed, copies "
            "stay.");
    Index different = 0, changed = 0;
    for (Index set = 0; set < sets(); ++set) {
        std::vector<Box> some;
        for (int i = 0; i < 10; ++i) {
            const double x = 64 * random.next_uniform(), y = 64 * random.next_uniform(),
                         size = 5 + 25 * random.next_uniform();
            some.push_back({x, y, x + size, y + size});
        }
        const Found found = shaken(some, 6, random);
        const auto kept = data::suppress(found.boxes, found.scores, 0.5);
        different += kept != naive_suppression(found.boxes, found.scores, 0.5);
        Numbers scores;
        for (const std::size_t i : kept) scores.push_back(found.scores[i]);
        changed += data::suppress(chosen(found.boxes, kept), scores, 0.5).size() !=
                   kept.size();
    }
    claim("sys-nms/a",
          fmt::format(
              "of {} random sets of 60 boxes, those where the library keeps other "
              "boxes than the loop above",
              sets()),
          double(different), "==", 0);
    claim("sys-nms/b", "sets that change when they are suppressed once more",
          double(changed), "==", 0);
}
//-

// No threshold is right for all images. A low one loses objects that stand in front of each other, a high one reports
// objects twice. The detector of the next page takes 0.45, as {cite:t}`liu2016ssd` do.
//
// ## A cell for every box
//
// Each box gets a place among the outputs. Let the maps $s = 0, 1, 2, 3$ divide an image of 64 pixels into 8 by 8, 4 by
// 4, 2 by 2, and a single cell, with sides $p_s$ of 8, 16, 32 and 64 pixels. Take the box from 16 to 36 pixels
// horizontally and from 30 to 46 vertically, counted from the upper side. Its longer side is 20 pixels. A map is for
// boxes from $\varphi = 0.85$ times its cells' side, so map 1 begins at 13.6 pixels and map 2 at 27.2: the box belongs
// to map 1. Its centre is at 26 and 38 pixels, and $26/16$ and $38/16$ begin with 1 and 2: row 2, column 1. In general,
// for a box from $x_1$ to $x_2$ and from
// $y_1$ to $y_2$,
//
// ```{equation} eq-box-to-cell
// :function: recto::data::BoxGrid::assign
// s = \max\{t : t = 0 \text{ or } \max(x_2 - x_1, y_2 - y_1) \ge \varphi\, p_t\}, \quad
// i = \Bigl\lfloor \frac{y_1 + y_2}{2\, p_s} \Bigr\rfloor, \quad
// j = \Bigl\lfloor \frac{x_1 + x_2}{2\, p_s} \Bigr\rfloor
// ```
//
// is its map, its row and its column; a centre on the right or the lower side of the image belongs to the last cell. The
// place says roughly where the box is and how large. Four numbers say the rest: how far the centre of the box is from
// that of the cell, in cells, and the logarithms of width and height over the usual size of the map. All four are small
// and of similar size for boxes of any scale, which is what a network predicts best.
Box there_and_back(const BoxGrid& grid, const Box& box) {
    const BoxCell at = grid.assign(box);
    const std::array<double, 4> numbers = grid.encode(box, at);
    return grid.decode(numbers, at);
}
//- what is checked on random boxes, and how often two share a cell
void places() {
    const BoxGrid grid;
    Generator random(book::seed());
    Index lost = 0, outside = 0;
    double worst = 0;
    for (Index n = 0; n < boxes(); ++n) {
        const double x = 64 * random.next_uniform(), y = 64 * random.next_uniform(),
                     width = 1 + 79 * random.next_uniform(),
                     height = 1 + 79 * random.next_uniform(),
                     longer = std::max(width, height);
        const Box box{x - width / 2, y - height / 2, x + width / 2, y + height / 2};
        // By the words of the text, cell by cell.
        Index count = 0;
        for (Index number = 0; number < grid.size(); ++number) {
            const BoxCell at = grid.place(number);
            const Box cell = grid.square(at);
            const bool first = at.map == 0,
                       last = at.map + 1 == Index(grid.maps.size());
            count += (first || longer >= grid.fill * grid.pitch(at.map)) &&
                     (last || longer < grid.fill * grid.pitch(at.map + 1)) &&
                     box.x() >= cell.x1 && box.x() < cell.x2 && box.y() >= cell.y1 &&
                     box.y() < cell.y2 && at == grid.assign(box);
        }
        lost += count != 1;
        const Box cell = grid.square(grid.assign(box)),
                  back = there_and_back(grid, box);
        outside += !(box.x() >= cell.x1 && box.x() < cell.x2 && box.y() >= cell.y1 &&
                     box.y() < cell.y2);
        worst = std::max({worst, std::abs(back.x1 - box.x1), std::abs(back.y1 - box.y1),
                          std::abs(back.x2 - box.x2), std::abs(back.y2 - box.y2)});
    }
    claim("eq-box-to-cell/a",
          fmt::format("of {} random boxes, those that do not fall in exactly one cell",
                      boxes()),
          double(lost), "==", 0);
    claim("eq-box-to-cell/b", "boxes whose centre is outside their cell",
          double(outside), "==", 0);
    claim("eq-box-to-cell/c",
          "decoding the encoded box restores it, largest difference in pixels", worst,
          "<=", 1e-5);
    data::SceneLaw law;  // that of the next page
    law.small_to = 0.16, law.large_from = 0.2, law.large_to = 0.48;
    const std::vector<data::Scene> scenes = data::draw_scenes(200, law, random);
    const auto truth = data::scene_boxes(scenes);
    std::vector<std::pair<Index, Index>> taken;
    for (const data::LabelledBox& one : truth)
        taken.emplace_back(one.image, grid.number(grid.assign(one.box)));
    std::ranges::sort(taken);
    const auto again = std::ranges::unique(taken);
    say("{} objects of {} scenes: {} share a cell with another one", truth.size(),
        scenes.size(), again.size());
}
//-

// A cell has room for one box. If two objects of similar size have their centres in one cell, one of them is lost, so
// detectors have $k$ boxes in each cell, of different sizes or shapes. In 200 scenes, drawn as those of the next page,
// this happens to no object, so $k = 1$ will do.
//
// ## From features to boxes
//
// The cells come for free. A convolutional network that halves the image again and again has maps of 8 by 8, 4 by 4, 2
// by 2 and 1 by 1 features on its way. One more convolution on each turns the features of a cell into what is predicted
// for it: for every box the four numbers, and scores for $C$ classes and for *no object*. With $k$ boxes this is $k\,(4
// + C + 1)$ channels: 8 for three classes and one box, 150 for the 20 classes of a well-known competition
// {cite:p}`everingham2010` and six boxes.
//- what is checked on detection layers
void channels() {
    Index wrong = 0, layers = 0;
    for (const Index classes : {3, 20})
        for (const Index slots : {1, 2, 6}) {
            Generator random(book::seed());
            nn::Detector net(random, {.classes = classes, .slots = slots, .width = 2});
            nn::set_training(net, false);  // a batch of one image has no variance
            const NoGrad only_asking;
            const std::vector<Tensor> maps = net.backbone(zeros({1, 3, 64, 64}));
            for (std::size_t i = 0; i < net.heads.size(); ++i) {
                const Tensor y = net.heads[i](maps[maps.size() - net.heads.size() + i]);
                ++layers;
                wrong += y.size(1) != slots * (4 + classes + 1);
            }
        }
    claim("claim-detector-channels/a",
          fmt::format(
              "of {} detection layers, for C = 3 and 20 and k = 1, 2 and 6, those "
              "with another number of channels than k(4 + C + 1)",
              layers),
          double(wrong), "==", 0);
}
//-

// This only works if the features of a cell know what is there. Their [receptive
// field](../components/receptive_field.cpp) should be larger than the cell, since the box may be, and it should have the
// same centre, or the network looks beside the object. You can measure it: the pixels with a nonzero derivative of the
// cell's features. With positive weights and a positive image no path is cut off or cancelled.
struct Extent {
    double low, high;  // pixels along one side
    double centre() const { return (low + high) / 2; }
};
Extent field_of(const Tensor& image, const Tensor& map, Index cell) {
    image.zero_grad();
    sum(slice(slice(map, 2, cell, cell + 1), 3, cell, cell + 1)).backward();
    const Tensor change = sum(abs(image.grad()), {0, 1, 2});  // of each column
    Extent found{double(image.size(3)), 0};
    for (Index col = 0; col < change.numel(); ++col)
        if (change.at({col}) > 0)
            found = {std::min(found.low, double(col)), double(col + 1)};
    return found;
}
//- the fields of two backbones, and what is checked
struct Plain {  // six convolutions of 3 by 3 with stride 2, as in many networks
    std::vector<nn::Conv2d> layers;
    explicit Plain(Generator& random) {
        for (int i = 0; i < 6; ++i)
            layers.emplace_back(i ? 2 : 3, 2, 3, random,
                                nn::ConvLayerOptions{.stride = 2, .padding = 1});
    }
    std::vector<Tensor> operator()(Tensor x) const {
        std::vector<Tensor> maps;
        for (const nn::Conv2d& layer : layers) maps.push_back(x = relu(layer(x)));
        return maps;
    }
    void visit(auto&& part) { part("layers", layers); }
};

void receptive_fields() {
    constexpr Index side = 512;  // so that no field is cut off by the border
    Generator random(book::seed());
    nn::Backbone ours(3, 6, 2, random);
    Plain plain(random);
    nn::set_training(ours, false);  // else the normalisation would see the whole image
    const auto positive = [](const Tensor& w) { return abs(w); };
    nn::replace(ours, positive), nn::replace(plain, positive);
    Tensor image = ones({1, 3, side, side}).requires_grad_();
    double worst = 0, least = std::numeric_limits<double>::infinity(), beside = 0;
    Numbers maps, off_ours, off_plain, cells, fields;
    std::vector<Extent> squares, seen, seen_plain;
    for (std::size_t map = 2; map < 6; ++map) {
        const Tensor feature = ours(image)[map], other = plain(image)[map];
        const Index count = feature.size(3), cell = count / 2;
        const double pitch = double(side) / double(count);
        const Extent square{pitch * double(cell), pitch * double(cell + 1)},
            field = field_of(image, feature, cell),
            aside = field_of(image, other, cell);
        worst = std::max(worst, std::abs(field.centre() - square.centre()));
        least = std::min(least, (field.high - field.low) / pitch);
        beside = std::abs(aside.centre() - square.centre());
        maps.push_back(double(map - 2));
        squares.push_back(square), seen.push_back(field), seen_plain.push_back(aside);
        say("map {}: cells of {} pixels, fields of {}; centres differ by {} pixels, "
            "with "
            "kernels of 3 by 3 by {}",
            map - 2, pitch, field.high - field.low,
            std::abs(field.centre() - square.centre()), beside);
    }
    ask("The usual network halves an image by convolutions of 3 by 3 pixels with "
        "stride 2 "
        "and one pixel of padding. After six of them a cell stands for 64 pixels. How "
        "far "
        "is the centre of its receptive field from the centre of the cell?",
        {{"0 pixels: the kernel has a pixel in its middle.", beside == 0,
          "It is centred on a pixel, and the centre of a cell of 2 by 2 pixels lies "
          "between pixels. Each layer is off by half a pixel of its input."},
         {"Half a pixel.", beside == 0.5,
          "That is the first layer. The second is off by half a pixel of its own "
          "input, "
          "which is a whole pixel of the image, and so on."},
         {"31.5 pixels, half a cell.", beside == 31.5,
          "Each layer is off by half a pixel of its input: 0.5 + 1 + 2 + … + 16 "
          "pixels."}});
    Figure figure("fig-fields");
    figure
        .describe(
            "A cell as a small square, the receptive field of our network as a larger "
            "square around it with the same centre, and that of a network with kernels "
            "of 3 by 3, which is shifted to the upper left by half a cell.")
        .slider("map", maps, "map", 0);
    for (std::size_t i = 0; i < maps.size(); ++i) {
        const auto path = [&](const Extent& e) {
            const double c = squares[i].centre(),
                         pitch = squares[i].high - squares[i].low,
                         low = (e.low - c) / pitch, high = (e.high - c) / pitch;
            return around({low, low, high, high}, 0);
        };
        const Path cell = path(squares[i]), field = path(seen[i]),
                   aside = path(seen_plain[i]);
        figure.at(maps[i])
            .line("cell", cell.x, cell.y,
                  {.color = figure::ink,
                   .dash = figure::solid,
                   .width = 3,
                   .points = false})
            .line("field, kernels of 4 by 4", field.x, field.y,
                  {.color = figure::blue, .dash = figure::solid, .points = false})
            .line("field, kernels of 3 by 3", aside.x, aside.y,
                  {.color = figure::red, .dash = figure::dashed, .points = false});
    }
    figure.always()
        .xlim(-4.55, 4.55)
        .ylim(-3, 3)
        .x("x from the cell's centre, in cells")
        .y("y from the cell's centre, in cells")
        .height(420)
        .save(
            "A cell, and the pixels that its features depend on, measured from "
            "derivatives, for two networks. In both the field is larger than the cell. "
            "Kernels of 4 by 4 with stride 2 keep the centre, those of 3 by 3 do not.");
    claim(
        "claim-receptive-field-matching/a",
        "centre of the receptive field and centre of the cell, at four scales: largest "
        "distance in pixels",
        worst, "<=", 0.5);
    claim("claim-receptive-field-matching/b",
          "side of the receptive field over that of the cell: smallest ratio", least,
          ">", 1);
}
//-

// Our backbone halves by kernels of 4 by 4 pixels with stride 2, whose middle lies between pixels, exactly where the
// centre of the next cell is ({numref}`fig-fields`). With kernels of 3 by 3 a cell sees nothing to its right and nothing
// below it. Such a network may still work, since more convolutions widen its fields, but it has to make up for a shift.
//
// ## Summary
//
// Intersection over union measures how well two boxes agree; the usual bound of a half is stricter than it looks.
// Non-maximum suppression keeps the best of several boxes for one object, at the price of objects that stand close
// together. A box has one place in the output of a multi-scale detector: its longer side selects the map, its centre the
// cell, and four numbers the rest.
//
// ## What is missing
//
// Where the shapes of objects differ more than their sizes, boxes of several aspect ratios in each cell are matched by
// IoU instead of by size alone {cite:p}`liu2016ssd`. Newer detectors predict a set of boxes and need no suppression
// {cite:p}`carion2020`.
//
// All this is geometry: nothing has been learned yet. [The next page](detector.cpp) trains a detector.
//
// ```{try}
// - A box near the corner: `--x 3 --y 60`. Which cells does it get as it grows?
// - More sets for the suppression: `--sets 2000`. Does the loop ever disagree?
// ```

void page() {
    cells_figure();
    overlap();
    suppression();
    places();
    channels();
    receptive_fields();
}
