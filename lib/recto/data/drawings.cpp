#include <recto/data/drawings.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace RECTO::data {
namespace {

constexpr double lowest_centre = 4, highest_centre = 11;

/// Intensity of a pixel whose centre is at `distance` from the figure's edge, negative inside: soft over one pixel.
Real ink(double distance) { return Real(std::clamp(0.5 - distance, 0.0, 1.0)); }

double random_centre(Generator& random) {
    return lowest_centre + (highest_centre - lowest_centre) * random.next_uniform();
}

/// Draws a figure given by its signed distance function, relative to its centre.
template <class Distance>
void draw(Real* image, double x, double y, const Distance& distance) {
    for (Index row = 0; row < drawing_size; ++row)
        for (Index col = 0; col < drawing_size; ++col) *image++ = ink(distance(double(col) - x, double(row) - y));
}

/// Signed distance from a bar of this length and width whose long axis points along (cos, sin).
double to_bar(double dx, double dy, double cos, double sin, double length, double width) {
    const double along = std::abs(cos * dx + sin * dy) - length / 2, across = std::abs(cos * dy - sin * dx) - width / 2;
    return std::hypot(std::max(along, 0.0), std::max(across, 0.0)) + std::min(std::max(along, across), 0.0);
}

}  // namespace

Examples bars(Index count, Generator& random) {
    Examples set{empty({count, 1, drawing_size, drawing_size}),
                 {},
                 empty({count, 3}),
                 fmt::format("synthetic: {} drawn bars, seed {}", count, random.seed())};
    Real *image = set.x.write(), *target = set.targets.write();
    for (Index i = 0; i < count; ++i, image += drawing_size * drawing_size, target += 3) {
        const double x = random_centre(random), y = random_centre(random),
                     angle = std::numbers::pi * random.next_uniform();
        const double cos = std::cos(angle), sin = std::sin(angle);
        draw(image, x, y, [=](double dx, double dy) { return to_bar(dx, dy, cos, sin, 8, 2); });
        target[0] = Real(x), target[1] = Real(y), target[2] = Real(angle);
    }
    return set;
}

Examples figures(Index count, Generator& random) {
    Examples set{empty({count, 1, drawing_size, drawing_size}), Integers(Shape{count}), empty({count, 2}),
                 fmt::format("synthetic: {} drawn discs, rings and crosses, seed {}", count, random.seed())};
    Real *image = set.x.write(), *target = set.targets.write();
    Index* label = set.labels.write();
    for (Index i = 0; i < count; ++i, image += drawing_size * drawing_size, target += 2) {
        const double x = random_centre(random), y = random_centre(random);
        label[i] = random.next_integer(0, Index(figure_names.size()));
        draw(image, x, y, [kind = label[i]](double dx, double dy) {
            const double r = std::hypot(dx, dy);
            if (kind == 0) return r - 3;
            if (kind == 1) return std::abs(r - 2.5) - 0.75;
            return std::min(to_bar(dx, dy, 1, 0, 7, 1.5), to_bar(dx, dy, 0, 1, 7, 1.5));
        });
        target[0] = Real(x), target[1] = Real(y);
    }
    return set;
}

}  // namespace RECTO::data
