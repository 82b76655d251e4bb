#include <recto/data/buildings.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace RECTO::data {
namespace {

using Colour = std::array<double, 3>;

struct Point {
    double x, y;
};

double between(Generator& random, double low, double high) { return low + (high - low) * random.next_uniform(); }
double ink(double distance) { return std::clamp(0.5 - distance, 0.0, 1.0); }
Colour blend(const Colour& below, const Colour& above, double share) {
    Colour mixed;
    for (std::size_t c = 0; c < 3; ++c) mixed[c] = below[c] + share * (above[c] - below[c]);
    return mixed;
}

/// A displacement for each point of the plane.
struct Deformation {
    struct Wave {
        Point amplitude, number;
        double phase;
    };
    Point shift = {0, 0};
    std::array<Wave, 3> waves = {};

    Point operator()(Point p) const {
        Point u = shift;
        for (const Wave& w : waves) {
            const double s = std::sin(w.number.x * p.x + w.number.y * p.y + w.phase);
            u.x += w.amplitude.x * s, u.y += w.amplitude.y * s;
        }
        return u;
    }
    /// The point that is moved to q, by Newton's method.
    Point before(Point q, Point guess) const {
        Point p = guess;
        for (int step = 0; step < 50; ++step) {
            Point rest = {p.x + shift.x - q.x, p.y + shift.y - q.y};
            double xx = 1, xy = 0, yx = 0, yy = 1;
            for (const Wave& w : waves) {
                const double angle = w.number.x * p.x + w.number.y * p.y + w.phase, s = std::sin(angle),
                             c = std::cos(angle);
                rest.x += w.amplitude.x * s, rest.y += w.amplitude.y * s;
                xx += w.amplitude.x * w.number.x * c, xy += w.amplitude.x * w.number.y * c;
                yx += w.amplitude.y * w.number.x * c, yy += w.amplitude.y * w.number.y * c;
            }
            if (std::abs(rest.x) + std::abs(rest.y) < 1e-9) break;
            const double determinant = xx * yy - xy * yx;
            p.x -= (yy * rest.x - xy * rest.y) / determinant;
            p.y -= (xx * rest.y - yx * rest.x) / determinant;
        }
        return p;
    }
};

double length(Point p) { return std::hypot(p.x, p.y); }

Deformation draw_deformation(const BuildingLaw& law, Generator& random) {
    const double side = double(law.size);
    for (int attempt = 0; attempt < 1000; ++attempt) {
        Deformation drawn;
        drawn.shift = {random.next_normal(), random.next_normal()};
        for (Deformation::Wave& w : drawn.waves) {
            const double angle = between(random, 0, 2 * std::numbers::pi),
                         number = 2 * std::numbers::pi / (side * between(random, 1.25, 3));
            w = {{random.next_normal(), random.next_normal()},
                 {number * std::cos(angle), number * std::sin(angle)},
                 between(random, 0, 2 * std::numbers::pi)};
        }
        double longest = 0;
        for (Index row = 0; row < law.size; ++row)
            for (Index col = 0; col < law.size; ++col)
                longest = std::max(longest, length(drawn({double(col), double(row)})));
        const double factor = law.reach / longest;
        double steepest = 0;
        drawn.shift.x *= factor, drawn.shift.y *= factor;
        for (Deformation::Wave& w : drawn.waves) {
            w.amplitude.x *= factor, w.amplitude.y *= factor;
            steepest += length(w.amplitude) * length(w.number);
        }
        if (steepest < 0.9) return drawn;
    }
    throw Error(
        "buildings: found no deformation without a fold, since the reach is too long for the size of the image");
}

/// The distance to a rectangle, negative inside.
double outside(Point p, Point half) { return std::max(std::abs(p.x) - half.x, std::abs(p.y) - half.y); }

struct Building {
    Point centre, half, wing, wing_at;  // without a wing both are 0
    double cos, sin;
    bool across;  // the direction of the ridge
    Colour roof;

    Point local(Point p) const {
        const double x = p.x - centre.x, y = p.y - centre.y;
        return {cos * x + sin * y, cos * y - sin * x};
    }
    double distance(Point p) const {
        const Point q = local(p);
        const double body = outside(q, half);
        return wing.x > 0 ? std::min(body, outside({q.x - wing_at.x, q.y - wing_at.y}, wing)) : body;
    }
};

Building draw_building(double direction, double side, Generator& random) {
    static constexpr std::array<Colour, 4> roofs = {
        {{0.75, 0.35, 0.25}, {0.55, 0.4, 0.3}, {0.6, 0.6, 0.62}, {0.85, 0.55, 0.4}}};
    Building b;
    b.centre = {between(random, -2.5, side + 1.5), between(random, -2.5, side + 1.5)};
    b.half = {between(random, 2.5, 6), between(random, 2.5, 6)};
    b.wing = b.wing_at = {0, 0};
    if (random.next_uniform() < 0.4) {
        b.wing = {between(random, 1.5, 3), between(random, 2.5, 5)};
        b.wing_at = {b.half.x - b.wing.x, b.half.y + b.wing.y - 1};
    }
    const double angle = direction + between(random, -0.1, 0.1);
    b.cos = std::cos(angle), b.sin = std::sin(angle);
    b.across = random.next_uniform() < 0.5;
    b.roof = roofs[std::size_t(random.next_integer(0, 4))];
    return b;
}

/// How much of the pixel at p is a building.
double cover(const std::vector<Building>& all, Point p) {
    double most = 0;
    for (const Building& b : all) most = std::max(most, ink(b.distance(p)));
    return most;
}

/// What lies around the buildings.
struct Ground {
    Colour colour;
    Point wave, road;  // the wave number, and the normal of the road
    double phase, road_at;
    std::array<Point, 3> trees;
    std::array<double, 3> radii;
};

Ground draw_ground(double side, Generator& random) {
    static constexpr std::array<Colour, 3> grounds = {{{0.35, 0.5, 0.25}, {0.45, 0.45, 0.3}, {0.5, 0.45, 0.4}}};
    Ground g;
    g.colour = grounds[std::size_t(random.next_integer(0, 3))];
    const double angle = between(random, 0, 2 * std::numbers::pi),
                 number = 2 * std::numbers::pi / between(random, 6, 14),
                 across = between(random, 0, 2 * std::numbers::pi), middle = (side - 1) / 2;
    g.wave = {number * std::cos(angle), number * std::sin(angle)};
    g.phase = between(random, 0, 2 * std::numbers::pi);
    g.road = {std::cos(across), std::sin(across)};
    g.road_at = (g.road.x + g.road.y) * middle + between(random, -0.4, 0.4) * side;
    for (std::size_t i = 0; i < 3; ++i) {
        g.trees[i] = {between(random, 0, side), between(random, 0, side)};
        g.radii[i] = between(random, 1, 2);
    }
    return g;
}

Colour seen(const Ground& g, const std::vector<Building>& all, Point p) {
    const double light = 1 + 0.15 * std::sin(g.wave.x * p.x + g.wave.y * p.y + g.phase);
    Colour c = g.colour;
    for (double& channel : c) channel *= light;
    c = blend(c, {0.55, 0.55, 0.55}, ink(std::abs(g.road.x * p.x + g.road.y * p.y - g.road_at) - 1.25));
    for (const Building& b : all) {
        const Point q = b.local(p);
        Colour roof = b.roof;
        for (double& channel : roof) channel *= (b.across ? q.x : q.y) > 0 ? 1.12 : 0.88;
        c = blend(c, roof, ink(b.distance(p)));
    }
    for (std::size_t i = 0; i < 3; ++i)
        c = blend(c, {0.15, 0.3, 0.12}, ink(std::hypot(p.x - g.trees[i].x, p.y - g.trees[i].y) - g.radii[i]));
    return c;
}

}  // namespace

Buildings buildings(Index count, Generator& random, const BuildingLaw& law) {
    check(count >= 0 && law.size >= 1 && law.least >= 0 && law.most >= law.least,
          "buildings: wanted at least 0 images of at least 1 pixel a side, with 0 or more buildings, got {} of {} with "
          "{} to {}",
          count, law.size, law.least, law.most);
    check(law.reach >= 0 && std::isfinite(law.reach) && law.noise >= 0 && std::isfinite(law.noise),
          "buildings: wanted a reach and a noise of at least 0, got {} and {}", law.reach, law.noise);
    const Index size = law.size, pixels = size * size;
    const double side = double(size);
    Buildings made{empty({count, 3, size, size}), empty({count, 1, size, size}), empty({count, 1, size, size}),
                   empty({count, 2, size, size})};
    Real *image = made.images.write(), *aligned = made.aligned.write(), *mask = made.masks.write(),
         *flow = made.flows.write();
    for (Index n = 0; n < count; ++n) {
        const Deformation moved = draw_deformation(law, random);
        const Ground ground = draw_ground(side, random);
        const double direction = between(random, 0, std::numbers::pi / 2);
        std::vector<Building> all;
        for (Index left = random.next_integer(law.least, law.most + 1); left > 0; --left)
            all.push_back(draw_building(direction, side, random));
        const std::vector<Real> noise = random.uniform({3, size, size}, Real(-law.noise), Real(law.noise)).values();
        Point guess = {0, 0};
        for (Index i = 0; i < pixels; ++i) {
            const Point p = {double(i % size), double(i / size)}, u = moved(p);
            if (i % size == 0) guess = {p.x - u.x, p.y - u.y};
            guess = moved.before(p, guess);
            const Colour c = seen(ground, all, p);
            for (Index k = 0; k < 3; ++k) {
                const Index at = k * pixels + i;
                image[n * 3 * pixels + at] =
                    Real(std::clamp(c[std::size_t(k)] + double(noise[std::size_t(at)]), 0.0, 1.0));
            }
            aligned[n * pixels + i] = Real(cover(all, p));
            mask[n * pixels + i] = Real(cover(all, guess));
            flow[n * 2 * pixels + i] = Real(u.x);
            flow[(n * 2 + 1) * pixels + i] = Real(u.y);
        }
    }
    return made;
}

}  // namespace RECTO::data
