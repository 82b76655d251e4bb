#include <recto/data/boxes.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <recto/core/random.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;
using namespace recto::testing;

namespace {

Box random_box(Generator& random, double side) {
    const double x = side * random.next_uniform(), y = side * random.next_uniform(),
                 w = side * random.next_uniform() + 0.1, h = side * random.next_uniform() + 0.1;
    return {x - w / 2, y - h / 2, x + w / 2, y + h / 2};
}

// The boxes that survive, by the definition and without sorting: again and again the best one left, and those that it
// overlaps go.
std::vector<std::size_t> naive(const std::vector<Box>& boxes, const std::vector<double>& scores, double threshold) {
    std::vector<bool> gone(boxes.size());
    std::vector<std::size_t> kept;
    for (;;) {
        std::size_t best = boxes.size();
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (!gone[i] && (best == boxes.size() || scores[i] > scores[best])) best = i;
        if (best == boxes.size()) return kept;
        kept.push_back(best);
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (i == best || iou(boxes[best], boxes[i]) > threshold) gone[i] = true;
    }
}

}  // namespace

TEST_CASE("iou: counts of small squares", "[data][boxes]") {
    Generator random(1);
    for (int trial = 0; trial < 200; ++trial) {
        const auto whole = [&] {
            const Index x = random.next_integer(0, 12), y = random.next_integer(0, 12);
            return Box{double(x), double(y), double(random.next_integer(x + 1, 16)),
                       double(random.next_integer(y + 1, 16))};
        };
        const Box a = whole(), b = whole();
        double both = 0, either = 0;
        for (int row = 0; row < 16; ++row)
            for (int col = 0; col < 16; ++col) {
                const auto in = [&](const Box& box) {
                    return col >= box.x1 && col < box.x2 && row >= box.y1 && row < box.y2;
                };
                both += in(a) && in(b), either += in(a) || in(b);
            }
        CHECK(iou(a, b) == both / either);
        CHECK(iou(a, b) == iou(b, a));
        CHECK(iou(a, a) == 1);
    }
    CHECK(iou({0, 0, 1, 1}, {1, 0, 2, 1}) == 0);  // they touch
    CHECK(iou({1, 1, 1, 1}, {1, 1, 1, 1}) == 0);  // empty
}

TEST_CASE("suppress: equals a loop by the definition", "[data][boxes]") {
    Generator random(2);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<Box> boxes;
        std::vector<double> scores;
        for (Index i = 0; i < 40; ++i) {
            boxes.push_back(random_box(random, 20));
            scores.push_back(double(random.next_integer(0, 20)) / 20);  // with ties
        }
        for (const double threshold : {0.0, 0.3, 0.5, 1.0})
            CHECK(suppress(boxes, scores, threshold) == naive(boxes, scores, threshold));
    }
    CHECK(suppress({}, {}, 0.5).empty());
    const std::vector<Box> one = {{0, 0, 1, 1}};
    const std::vector<double> nan = {std::numeric_limits<double>::quiet_NaN()};
    CHECK_THROWS_WITH(suppress(one, {}, 0.5), "suppress: wanted a score for each box, got 1 boxes and 0 scores");
    CHECK_THROWS_WITH(suppress(one, nan, 0.5), "suppress: a score is NaN");
}

TEST_CASE("BoxGrid: every box has one place, and its numbers restore it", "[data][boxes]") {
    for (const Index slots : {1, 3}) {
        const BoxGrid grid{.side = 48, .maps = {12, 6, 3, 1}, .slots = slots};
        grid.check_grid();
        CHECK(grid.size() == slots * (144 + 36 + 9 + 1));
        for (Index i = 0; i < grid.size(); ++i) CHECK(grid.number(grid.place(i)) == i);
        Generator random(3);
        for (int trial = 0; trial < 2000; ++trial) {
            const Box box = random_box(random, 48);
            const BoxCell at = grid.assign(box);
            const double longer = std::max(box.width(), box.height());
            Index places = 0;  // by the definition
            for (Index i = 0; i < grid.size(); ++i) {
                const BoxCell other = grid.place(i);
                const Box square = grid.square(other);
                const double low = other.map == 0 && other.slot == 0 ? 0 : grid.fill * grid.pitch(other.map),
                             ratio = other.map + 1 < 4 ? grid.pitch(other.map + 1) / grid.pitch(other.map) : 2,
                             from = other.map == 0 && other.slot == 0
                                        ? 0
                                        : low * std::pow(ratio, double(other.slot) / double(slots)),
                             to = other.map == 3 && other.slot == slots - 1
                                      ? std::numeric_limits<double>::infinity()
                                      : grid.fill * grid.pitch(other.map) *
                                            std::pow(ratio, double(other.slot + 1) / double(slots));
                if (longer >= from && longer < to && box.x() >= square.x1 && box.x() < square.x2 &&
                    box.y() >= square.y1 && box.y() < square.y2)
                    places += other == at ? 1 : 2;
            }
            CHECK(places == 1);
            const Box back = grid.decode(grid.encode(box, at), at);
            CHECK(std::abs(back.x1 - box.x1) + std::abs(back.y1 - box.y1) + std::abs(back.x2 - box.x2) +
                      std::abs(back.y2 - box.y2) <
                  1e-10);
        }
    }
    const BoxGrid grid;
    CHECK(grid.assign({60, 60, 68, 68}) == BoxCell{0, 7, 7, 0});  // a centre on the corner of the image
    const Box nominal = grid.decode({0, 0, 0, 0}, {1, 2, 3, 0});
    CHECK(std::abs(nominal.x() - 56) + std::abs(nominal.y() - 40) < 1e-12);
    CHECK(std::abs(nominal.width() - 0.85 * 16 * std::sqrt(2.0)) < 1e-12);
    CHECK_THROWS_WITH(grid.assign({70, 0, 80, 4}),
                      "BoxGrid: wanted a box with its centre in the image, got 10 by 4 pixels around (75, 2)");
    CHECK_THROWS_WITH(grid.place(85), "BoxGrid: wanted a place from 0 to 84, got 85");
    CHECK_THROWS_WITH(
        (BoxGrid{.maps = {2, 4}}.check_grid()),
        "BoxGrid: wanted a side, maps that decrease, slots and a fill above 0, got a side of 64, 2 maps, 1 "
        "slots and a fill of 0.85");
}

TEST_CASE("precision_recall: by hand", "[data][boxes]") {
    const Box a{0, 0, 10, 10}, b{20, 20, 30, 30}, beside{0, 0, 10, 9};
    const std::vector<LabelledBox> truth = {{0, 1, a}, {0, 1, b}, {1, 1, a}, {1, 2, b}};
    // Right; the same again; nothing there; right, in the other image; the wrong class.
    const std::vector<LabelledBox> found = {
        {0, 1, beside, 0.9}, {0, 1, a, 0.8}, {1, 1, b, 0.7}, {1, 1, a, 0.6}, {1, 1, b, 0.1}};
    const PrecisionRecall curve = precision_recall(found, truth, 1);
    const std::vector<double> recall = {1 / 3.0, 1 / 3.0, 1 / 3.0, 2 / 3.0, 2 / 3.0},
                              precision = {1, 1 / 2.0, 1 / 3.0, 2 / 4.0, 2 / 5.0};
    CHECK(curve.recall == recall);
    CHECK(curve.precision == precision);
    CHECK(std::abs(curve.average - (1 / 3.0 + 0.5 / 3)) < 1e-12);
    CHECK(std::abs(mean_average_precision(found, truth) - curve.average / 2) < 1e-12);
    CHECK(precision_recall(found, truth, 1, 0.95).average < curve.average);
    CHECK(precision_recall({}, truth, 2).average == 0);
    CHECK_THROWS_WITH(precision_recall(found, truth, 3), "precision_recall: no true box has class 3");
    CHECK_THROWS_WITH(mean_average_precision(found, {}), "mean_average_precision: wanted at least one true box");
}

TEST_CASE("average precision: equals the definition by thresholds, and the order of what is found does not matter",
          "[data][boxes]") {
    Generator random(4);
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<LabelledBox> truth, found;
        for (Index image = 0; image < 5; ++image)
            for (Index i = 0; i < 4; ++i) {
                const Box box = {double(20 * i), 0, double(20 * i + 10), 10};
                truth.push_back({image, 1, box});
                const double shift = 8 * random.next_uniform();
                found.push_back({image, 1, {box.x1 + shift, 0, box.x2 + shift, 10}, random.next_uniform()});
            }
        const double average = precision_recall(found, truth, 1).average;
        // For each level of recall that is reached, the best precision of all thresholds of the score that reach it.
        double want = 0;
        for (int level = 1; level <= 20; ++level) {
            double best = 0;
            for (const LabelledBox& at : found) {
                int right = 0, all = 0;
                for (std::size_t i = 0; i < found.size(); ++i)
                    if (found[i].score >= at.score) ++all, right += iou(found[i].box, truth[i].box) >= 0.5;
                if (right >= level) best = std::max(best, double(right) / double(all));
            }
            want += best / 20;
        }
        CHECK(std::abs(average - want) < 1e-12);
        std::ranges::reverse(found);
        CHECK(std::abs(precision_recall(found, truth, 1).average - average) < 1e-12);
    }
}
