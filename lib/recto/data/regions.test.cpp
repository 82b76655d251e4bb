#include <recto/data/regions.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <recto/core/random.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using data::Box, data::LabelledBox;

TEST_CASE("best_regions: those of suppress(), up to a number", "[data][regions]") {
    Generator random(1);
    std::vector<LabelledBox> regions;
    std::vector<Box> boxes;
    std::vector<double> scores;
    for (int i = 0; i < 60; ++i) {
        const double x = 20 * random.next_uniform(), y = 20 * random.next_uniform();
        boxes.push_back({x, y, x + 10, y + 8}), scores.push_back(double(random.next_integer(0, 20)));
        regions.push_back({0, 0, boxes.back(), scores.back()});
    }
    const auto want = data::suppress(boxes, scores, 0.4);
    const auto all = data::best_regions(regions, 60, 0.4), three = data::best_regions(regions, 3, 0.4);
    REQUIRE(all.size() == want.size());
    REQUIRE(three.size() == 3);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(all[i].box == boxes[want[i]]);
    for (std::size_t i = 0; i < 3; ++i) CHECK(three[i].box == boxes[want[i]]);
    CHECK(data::best_regions(regions, 0, 0.4).empty());
}

TEST_CASE("nearest_objects: of the same image", "[data][regions]") {
    const std::vector<LabelledBox> truth = {{1, 1, {0, 0, 4, 4}}, {0, 2, {0, 0, 4, 4}}, {1, 3, {2, 0, 6, 4}}};
    const std::vector<LabelledBox> regions = {
        {1, 0, {2, 0, 5, 4}}, {0, 0, {2, 0, 5, 4}}, {1, 0, {10, 10, 12, 12}}, {7, 0, {0, 0, 4, 4}}};
    const auto found = data::nearest_objects(regions, truth);
    REQUIRE(found.size() == 4);
    CHECK(found[0].object == 2);
    CHECK(found[0].overlap == 0.75);
    CHECK(found[1].object == 1);
    CHECK(std::abs(found[1].overlap - 0.4) < 1e-12);
    CHECK(found[2].overlap == 0);
    CHECK(found[3].overlap == 0);
}

TEST_CASE("move_between and moved: by hand, and there and back", "[data][regions]") {
    const auto move = data::move_between({10, 10, 20, 30}, {16, 5, 36, 15});
    CHECK(std::abs(move[0] - 1.1) < 1e-12);
    CHECK(std::abs(move[1] + 0.5) < 1e-12);
    CHECK(std::abs(move[2] - std::log(2)) < 1e-12);
    CHECK(std::abs(move[3] + std::log(2)) < 1e-12);
    const Box back = data::moved({10, 10, 20, 30}, move);
    CHECK(std::abs(back.x1 - 16) + std::abs(back.y1 - 5) + std::abs(back.x2 - 36) + std::abs(back.y2 - 15) < 1e-12);
}

TEST_CASE("regions: messages", "[data][regions]") {
    const std::vector<LabelledBox> wrong = {{-1, 1, {0, 0, 4, 4}}}, right = {{0, 1, {0, 0, 4, 4}}};
    CHECK_THROWS_WITH(data::best_regions({{0, 0, {0, 0, 1, 1}, std::numeric_limits<double>::quiet_NaN()}}, 1, 0.5),
                      "best_regions: a score is NaN");
    CHECK_THROWS_WITH(data::nearest_objects(right, wrong), "nearest_objects: wanted images from 0, got -1");
    CHECK_THROWS_WITH(data::nearest_objects(wrong, right), "nearest_objects: wanted images from 0, got -1");
    CHECK_THROWS_WITH(data::move_between({0, 0, 0, 1}, {0, 0, 1, 1}),
                      "move_between: wanted boxes with a width and a height, got 0 x 1 and 1 x 1");
}
