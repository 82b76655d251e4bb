#include <recto/data/bouncing.hpp>

#include <cmath>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("bouncing: two shapes that stay inside and keep moving", "[data][bouncing]") {
    Generator random(1);
    const Tensor videos = data::bouncing(20, 30, random);
    REQUIRE(videos.shape() == Shape{20, 30, 1, 16, 16});
    const std::vector<double> all = doubles(videos);
    for (std::size_t frame = 0; frame < 600; ++frame) {
        double ink = 0, change = 0;
        for (std::size_t i = 0; i < 256; ++i) {
            const double now = all[256 * frame + i];
            CHECK((now >= 0 && now <= 1));
            ink += now;
            if (frame % 30) change += std::abs(now - all[256 * (frame - 1) + i]);
        }
        CHECK((ink > 11 && ink < 30));  // the areas are 12.6 and 16, and one can hide the other
        if (frame % 30) CHECK(change > 1);
    }
}

TEST_CASE("bouncing: the same seed gives the same video, and its start does not depend on its length",
          "[data][bouncing]") {
    Generator first(2), second(2);
    const Tensor whole = data::bouncing(1, 6, first), part = data::bouncing(1, 3, second);
    const std::vector<double> a = doubles(whole), b = doubles(part);
    for (std::size_t i = 0; i < b.size(); ++i) CHECK(a[i] == b[i]);
    CHECK_THROWS_WITH(data::bouncing(1, 0, first),
                      "bouncing: wanted at least 0 videos of at least one frame, got 1 of 0");
}
