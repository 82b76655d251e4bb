#include <recto/data/buildings.hpp>

#include <algorithm>
#include <cmath>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("buildings: shapes, ranges, and the longest arrow", "[data][buildings]") {
    Generator random(1);
    const data::Buildings made = data::buildings(40, random);
    REQUIRE(made.images.shape() == Shape{40, 3, 32, 32});
    REQUIRE(made.aligned.shape() == Shape{40, 1, 32, 32});
    REQUIRE(made.masks.shape() == Shape{40, 1, 32, 32});
    REQUIRE(made.flows.shape() == Shape{40, 2, 32, 32});
    for (const Tensor& x : {made.images, made.aligned, made.masks})
        for (const double v : doubles(x)) CHECK((v >= 0 && v <= 1));
    const std::vector<double> flow = doubles(made.flows);
    for (std::size_t n = 0; n < 40; ++n) {
        double longest = 0;
        for (std::size_t i = 0; i < 1024; ++i)
            longest = std::max(longest, std::hypot(flow[n * 2048 + i], flow[n * 2048 + 1024 + i]));
        CHECK(std::abs(longest - 4) < 1e-5);
    }
}

TEST_CASE("buildings: no deformation folds", "[data][buildings]") {
    Generator random(2);
    const std::vector<double> flow = doubles(data::buildings(40, random).flows);
    for (std::size_t n = 0; n < 80; ++n)
        for (std::size_t i = 0; i < 1023; ++i) {  // a neighbour's arrow differs by less than the distance to it
            if (i % 32 < 31) CHECK(std::abs(flow[n * 1024 + i + 1] - flow[n * 1024 + i]) < 0.9);
            if (i < 992) CHECK(std::abs(flow[n * 1024 + i + 32] - flow[n * 1024 + i]) < 0.9);
        }
}

TEST_CASE("buildings: without a reach the map is aligned", "[data][buildings]") {
    Generator random(4);
    const data::Buildings made = data::buildings(3, random, {.reach = 0});
    CHECK(same_bits(made.masks, made.aligned));
    CHECK(close(made.flows, std::vector<double>(6144, 0.0)));
}

TEST_CASE("buildings: roofs are where the map says", "[data][buildings]") {
    Generator random(5);
    const data::Buildings made = data::buildings(100, random, {.noise = 0});
    const std::vector<double> image = doubles(made.images), aligned = doubles(made.aligned);
    double roof = 0, ground = 0, roofs = 0, grounds = 0;  // red less green
    for (std::size_t i = 0; i < aligned.size(); ++i) {
        const double red = image[i / 1024 * 3072 + i % 1024], green = image[i / 1024 * 3072 + 1024 + i % 1024];
        if (aligned[i] == 1) roof += red - green, ++roofs;
        if (aligned[i] == 0) ground += red - green, ++grounds;
    }
    CHECK((roofs > 10000 && grounds > 30000));
    CHECK(roof / roofs > ground / grounds + 0.15);
}

TEST_CASE("buildings: the same seed gives the same images, and the first do not depend on their number",
          "[data][buildings]") {
    Generator first(6), second(6);
    const data::Buildings many = data::buildings(3, first), one = data::buildings(1, second);
    const auto same_start = [](const Tensor& a, const Tensor& b) {
        const std::vector<double> all = doubles(a), start = doubles(b);
        return std::equal(start.begin(), start.end(), all.begin());
    };
    CHECK(same_start(many.images, one.images));
    CHECK(same_start(many.aligned, one.aligned));
    CHECK(same_start(many.masks, one.masks));
    CHECK(same_start(many.flows, one.flows));
}

TEST_CASE("buildings: messages", "[data][buildings]") {
    Generator random(7);
    CHECK_THROWS_WITH(data::buildings(1, random, {.least = 3, .most = 2}),
                      "buildings: wanted at least 0 images of at least 1 pixel a side, with 0 or more buildings, got 1 "
                      "of 32 with 3 to 2");
    CHECK_THROWS_WITH(data::buildings(1, random, {.reach = -1}),
                      "buildings: wanted a reach and a noise of at least 0, got -1 and 0.05");
    CHECK_THROWS_WITH(data::buildings(1, random, {.reach = 400}),
                      "buildings: found no deformation without a fold, since the reach is too long for the size of the "
                      "image");
}
