#include <recto/data/bouncing.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace RECTO::data {
namespace {

constexpr double half = 2, low = half - 0.5, high = double(bouncing_size) - 0.5 - half;

/// A coordinate that moves and is reflected at both ends.
struct Moving {
    double at, speed;
    void step() {
        at += speed;
        if (at < low) at = 2 * low - at, speed = -speed;
        if (at > high) at = 2 * high - at, speed = -speed;
    }
};

struct Mover {
    Moving x, y;
};

Mover random_mover(Generator& random) {
    const double x = low + (high - low) * random.next_uniform(), y = low + (high - low) * random.next_uniform(),
                 angle = 2 * std::numbers::pi * random.next_uniform(), speed = 0.8 + 0.8 * random.next_uniform();
    return {{x, speed * std::cos(angle)}, {y, speed * std::sin(angle)}};
}

Real ink(double distance) { return Real(std::clamp(0.5 - distance, 0.0, 1.0)); }

}  // namespace

Tensor bouncing(Index count, Index frames, Generator& random) {
    check(count >= 0 && frames >= 1, "bouncing: wanted at least 0 videos of at least one frame, got {} of {}", count,
          frames);
    Tensor videos = empty({count, frames, 1, bouncing_size, bouncing_size});
    Real* pixel = videos.write();
    for (Index i = 0; i < count; ++i) {
        Mover disc = random_mover(random), square = random_mover(random);
        for (Index t = 0; t < frames; ++t) {
            for (Index row = 0; row < bouncing_size; ++row)
                for (Index col = 0; col < bouncing_size; ++col) {
                    const double round = std::hypot(double(col) - disc.x.at, double(row) - disc.y.at) - half,
                                 flat = std::max(std::abs(double(col) - square.x.at),
                                                 std::abs(double(row) - square.y.at)) -
                                        half;
                    *pixel++ = std::max(ink(round), ink(flat));
                }
            disc.x.step(), disc.y.step(), square.x.step(), square.y.step();
        }
    }
    return videos;
}

}  // namespace RECTO::data
