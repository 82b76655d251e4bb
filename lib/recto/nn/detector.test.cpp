#include <recto/nn/detector.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/data/scenes.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;
using data::Box, data::BoxGrid, data::LabelledBox;

namespace {

// Five boxes in two images of the default grid.
std::vector<LabelledBox> some_truth() {
    return {{0, 1, {4, 4, 14, 14}}, {0, 3, {30, 20, 52, 44}}, {1, 2, {0, 0, 60, 64}}, {1, 1, {50, 8, 62, 20}}};
}

double probability(const std::vector<double>& scores, std::size_t row, std::size_t classes, std::size_t which) {
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(scores[row * classes + c]);
    return std::exp(scores[row * classes + which]) / sum;
}

}  // namespace

TEST_CASE("Detector: shapes, and channels of its heads", "[nn][detector]") {
    Generator random(1);
    for (const Index classes : {3, 20})
        for (const Index slots : {1, 2}) {
            nn::Detector net(random, {.channels = 1, .classes = classes, .slots = slots, .side = 32, .width = 2});
            nn::set_training(net, false);
            CHECK(net.grid.maps == std::vector<Index>{4, 2, 1});
            CHECK(net(zeros({2, 1, 32, 32})).shape() == Shape{2, slots * (16 + 4 + 1), 4 + classes + 1});
            for (const nn::Conv2d& head : net.heads) CHECK(head.weight.size(0) == slots * (4 + classes + 1));
        }
    const nn::Detector usual_one(random);
    CHECK(usual_one.grid.size() == 85);
    const std::vector<Tensor> maps = usual_one.backbone(zeros({2, 3, 64, 64}));
    REQUIRE(maps.size() == 6);
    CHECK(maps[2].shape() == Shape{2, 48, 8, 8});
    CHECK(maps[5].shape() == Shape{2, 64, 1, 1});
}

TEST_CASE("Detector: a place of the output is that of the grid", "[nn][detector]") {
    Generator random(2);
    nn::Detector net(random, {.slots = 2, .width = 2});
    nn::set_training(net, false);
    const Tensor images = random.uniform({1, 3, 64, 64});
    const Tensor y = net(images);
    const std::vector<Tensor> maps = net.backbone(images);
    for (Index n = 0; n < net.grid.size(); n += 7) {
        const data::BoxCell at = net.grid.place(n);
        const Tensor head = net.heads[std::size_t(at.map)](maps[std::size_t(at.map) + 2]);
        for (Index k = 0; k < 8; ++k) CHECK(y.at({0, n, k}) == head.at({0, 8 * at.slot + k, at.row, at.col}));
    }
}

TEST_CASE("detection_targets: each box in its place", "[nn][detector]") {
    const BoxGrid grid;
    const std::vector<LabelledBox> truth = some_truth();
    const nn::DetectionTargets targets = nn::detection_targets(grid, truth, 2, 3);
    Index filled = 0;
    for (const Index label : targets.labels.values()) filled += label != 0;
    CHECK(filled == 4);
    for (const LabelledBox& one : truth) {
        const Index n = grid.number(grid.assign(one.box));
        CHECK(targets.labels.data()[one.image * 85 + n] == one.label);
        const auto code = grid.encode(one.box, grid.assign(one.box));
        for (std::size_t k = 0; k < 4; ++k)
            CHECK(std::abs(double(targets.numbers.at({one.image, n, Index(k)})) - code[k]) < 1e-6);
    }
    CHECK_THROWS_WITH(nn::detection_targets(grid, truth, 1, 3),
                      "detection_targets: wanted images from 0 to 0 and labels from 1 to 3, got 1 and 2");
    CHECK_THROWS_WITH(nn::detection_targets(grid, truth, 2, 2),
                      "detection_targets: wanted images from 0 to 1 and labels from 1 to 2, got 0 and 3");
}

TEST_CASE("detection_loss: equals loops, on every device", "[nn][detector][devices][row:sys-ssd/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(3);
    const nn::DetectionTargets targets = nn::detection_targets({}, some_truth(), 2, 3, device);
    const Tensor predicted = random.normal({2, 85, 8}, 0, 1, device);
    const std::vector<double> x = doubles(predicted), want = doubles(targets.numbers);
    const std::vector<Index> label = targets.labels.values();
    std::vector<double> scores, free;
    double matched = 0, miss = 0;
    for (std::size_t n = 0; n < 170; ++n) {
        for (std::size_t k = 4; k < 8; ++k) scores.push_back(x[8 * n + k]);
        const double price = -std::log(probability(scores, n, 4, std::size_t(label[n])));
        if (label[n] == 0) {
            free.push_back(price);
            continue;
        }
        matched += price;
        for (std::size_t k = 0; k < 4; ++k) miss += std::pow(x[8 * n + k] - want[4 * n + k], 2);
    }
    std::ranges::sort(free, std::greater{});
    double hard = 0, all = 0;
    for (std::size_t i = 0; i < free.size(); ++i) all += free[i], hard += i < 12 ? free[i] : 0;
    CHECK(close(nn::detection_loss(predicted, targets), {(matched + hard + miss) / 4}, 50 * usual));
    CHECK(close(nn::detection_loss(predicted, targets, {.negatives = 0, .coordinates = 2}),
                {(matched + all + 2 * miss) / 4}, 50 * usual));
}

TEST_CASE("detection_loss: places without an object give no gradient to the coordinates",
          "[nn][detector][row:eq-detection-loss/b]") {
    Generator random(4);
    const nn::DetectionTargets targets = nn::detection_targets({}, some_truth(), 2, 3);
    for (const double negatives : {0.0, 3.0}) {
        Tensor predicted = random.normal({2, 85, 8}).requires_grad_();
        nn::detection_loss(predicted, targets, {.negatives = negatives}).backward();
        const std::vector<double> slope = doubles(predicted.grad());
        const std::vector<Index> label = targets.labels.values();
        for (std::size_t n = 0; n < 170; ++n)
            for (std::size_t k = 0; k < 4; ++k) CHECK((slope[8 * n + k] != 0) == (label[n] != 0));
    }
}

TEST_CASE("hardest_negatives: the hardest, in the ratio asked for", "[nn][detector][row:eq-detection-loss/c]") {
    Generator random(5);
    const nn::DetectionTargets targets = nn::detection_targets({}, some_truth(), 2, 3);
    const Tensor scores = random.normal({2, 85, 4});
    const std::vector<double> x = doubles(scores);
    const std::vector<Index> label = targets.labels.values();
    for (const double ratio : {1.0, 2.5, 3.0, 1000.0}) {
        const std::vector<Index> kept = nn::hardest_negatives(scores, targets.labels, ratio);
        CHECK(kept.size() == std::min<std::size_t>(166, std::size_t(std::floor(4 * ratio))));
        CHECK(std::ranges::is_sorted(kept));
        double least = 2, most = -1;  // probability of "no object": the smallest left out, the largest kept
        for (std::size_t n = 0; n < 170; ++n) {
            const bool in = std::ranges::binary_search(kept, Index(n));
            if (label[n] != 0) CHECK(!in);
            if (label[n] != 0) continue;
            (in ? most : least) =
                in ? std::max(most, probability(x, n, 4, 0)) : std::min(least, probability(x, n, 4, 0));
        }
        CHECK(most < least);
    }
    // Without an object, as many as for one.
    CHECK(nn::hardest_negatives(scores, nn::detection_targets({}, {}, 2, 3).labels, 3).size() == 3);
    CHECK(std::isfinite(
        double(nn::detection_loss(random.normal({2, 85, 8}), nn::detection_targets({}, {}, 2, 3)).item())));
}

TEST_CASE("found_boxes: reads back what is there", "[nn][detector]") {
    const BoxGrid grid;
    const std::vector<LabelledBox> truth = some_truth();
    const nn::DetectionTargets targets = nn::detection_targets(grid, truth, 2, 3);
    Tensor predicted = zeros({2, 85, 8});
    for (Index image = 0; image < 2; ++image)
        for (Index n = 0; n < 85; ++n) {
            predicted.set({image, n, 4 + targets.labels.data()[image * 85 + n]}, 5);
            for (Index k = 0; k < 4; ++k) predicted.set({image, n, k}, targets.numbers.at({image, n, k}));
        }
    std::vector<LabelledBox> found = nn::found_boxes(predicted, grid, {.first_image = 10});
    REQUIRE(found.size() == 4);
    for (const LabelledBox& one : truth)
        CHECK(std::ranges::any_of(found, [&](const LabelledBox& other) {
            return other.image == one.image + 10 && other.label == one.label && data::iou(other.box, one.box) > 0.999 &&
                   other.score > 0.95;
        }));
    CHECK(nn::found_boxes(predicted, grid, {.score = 0.99}).empty());
    CHECK_THROWS_WITH(nn::found_boxes(zeros({2, 84, 8}), grid),
                      "found_boxes: wanted (batch, 85, 4 + C + 1), got shape (2, 84, 8)");
}

TEST_CASE("overlaps and suppress: every device agrees with the host", "[nn][detector][devices][row:sys-nms/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(6);
    for (const std::size_t count : {1u, 7u, 60u}) {
        std::vector<Box> boxes;
        std::vector<double> scores, want;
        std::vector<Real> sides, marks;
        for (std::size_t i = 0; i < count; ++i) {
            const Real x = Real(40 * random.next_uniform()), y = Real(40 * random.next_uniform()),
                       w = Real(5 + 20 * random.next_uniform()), h = Real(5 + 20 * random.next_uniform()),
                       mark = Real(double(random.next_integer(0, 30)) / 32);
            boxes.push_back({double(x), double(y), double(Real(x + w)), double(Real(y + h))});
            sides.insert(sides.end(), {x, y, Real(x + w), Real(y + h)});
            scores.push_back(double(mark)), marks.push_back(mark);
        }
        for (const Box& a : boxes)
            for (const Box& b : boxes) want.push_back(data::iou(a, b));
        const Tensor table({Index(count), 4}, sides, device), mark({Index(count)}, marks, device);
        CHECK(close(nn::overlaps(table, table), want, 20 * usual));
        std::vector<Index> kept;
        for (const std::size_t i : data::suppress(boxes, scores, 0.4)) kept.push_back(Index(i));
        CHECK(nn::suppress(table, mark, 0.4) == kept);
    }
    CHECK(nn::suppress(zeros({0, 4}, device), zeros({0}, device), 0.5).empty());
}

TEST_CASE("Detector: every device agrees with the CPU, forward and backward",
          "[nn][detector][devices][row:sys-ssd/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(7);
        nn::Detector net(random, {.side = 16, .width = 2, .device = where});
        const std::vector<LabelledBox> truth = {{0, 1, {1, 1, 6, 6}}, {1, 2, {4, 2, 15, 14}}};
        const Tensor y = net(random.uniform({2, 3, 16, 16}, 0, 1, where));
        nn::detection_loss(y, nn::detection_targets(net.grid, truth, 2, 3, where)).backward();
        std::vector<Tensor> found = {y};
        for (const NamedTensor& p : nn::parameters(net)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 1000 * usual));
}

TEST_CASE("Detector: messages", "[nn][detector]") {
    Generator random(8);
    CHECK_THROWS_WITH(nn::Detector(random, {.side = 48}),
                      "Detector: wanted a side that is a power of 2, at least 16, got 48");
    CHECK_THROWS_WITH(nn::Detector(random, {.classes = 0}),
                      "Detector: wanted at least one class and slot, got 0 and 1");
    CHECK_THROWS_WITH(nn::Backbone(3, 0, 4, random),
                      "Backbone: wanted at least one channel, map and unit of width, got 3, 0 and 4");
    CHECK_THROWS_WITH(nn::overlaps(zeros({2, 3}), zeros({2, 4})),
                      "overlaps: wanted (n, 4) and (m, 4), got shapes (2, 3) and (2, 4)");
    CHECK_THROWS_WITH(nn::suppress(zeros({2, 4}), zeros({3}), 0.5),
                      "suppress: wanted (n, 4) and (n), got shapes (2, 4) and (3)");
    CHECK_THROWS_WITH(nn::suppress(zeros({1, 4}), full({1}, std::numeric_limits<Real>::quiet_NaN()), 0.5),
                      "suppress: a score is NaN");
    CHECK_THROWS_WITH(
        nn::detection_loss(zeros({2, 85, 8}), nn::detection_targets({}, {}, 1, 3)),
        "detection_loss: wanted (batch, places, 4 + C + 1) and targets for each place, got shapes (2, 85, 8), "
        "(1, 85) and (1, 85, 4)");
}

GRADIENT_TEST("detection_loss", "[row:eq-detection-loss/a]") {
    const BoxGrid grid{.side = 16, .maps = {2, 1}};
    const std::vector<LabelledBox> truth = {{0, 1, {1, 1, 6, 6}}, {1, 2, {0, 0, 16, 15}}};
    check_gradient(
        [&](const Inputs& x) {
            return nn::detection_loss(x[0], nn::detection_targets(grid, truth, 2, 2, x[0].device()),
                                      {.negatives = 0, .coordinates = 2});
        },
        [](Generator& random) {
            return Inputs{random.normal({2, 5, 7})};
        },
        16);
}
