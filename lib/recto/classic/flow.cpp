#include <recto/classic/flow.hpp>

#include <cmath>
#include <utility>

namespace RECTO::classic {
namespace {

Point gradient_at(const Gradient& gradient, const Point& w, const char* who) {
    Point g = gradient(w);
    check(g.size() == w.size(), "{}: a point of {} numbers wants a gradient of as many, got {}", who, w.size(),
          g.size());
    return g;
}

void check_rate(double rate, const char* who) {
    check(std::isfinite(rate) && rate >= 0, "{}: wanted a rate of at least 0 and finite, got {}", who, rate);
}

/// Returns w + factor v.
Point moved(Point w, double factor, const Point& v) {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += factor * v[i];
    return w;
}

}  // namespace

Point descend(const Gradient& gradient, Point w, double rate, Index steps) {
    check_rate(rate, "descend");
    check(steps >= 0, "descend: wanted a number of steps of at least 0, got {}", steps);
    for (Index i = 0; i < steps; ++i) w = moved(w, -rate, gradient_at(gradient, w, "descend"));
    return w;
}

Point flow(const Gradient& gradient, Point w, double time, Index steps) {
    check(std::isfinite(time) && time >= 0, "flow: wanted a time of at least 0 and finite, got {}", time);
    check(steps >= 1, "flow: wanted at least one step, got {}", steps);
    const double h = time / double(steps);
    const auto at = [&](const Point& place) { return gradient_at(gradient, place, "flow"); };
    for (Index i = 0; i < steps; ++i) {
        const Point a = at(w), b = at(moved(w, -h / 2, a)), c = at(moved(w, -h / 2, b)), d = at(moved(w, -h, c));
        for (std::size_t j = 0; j < w.size(); ++j) w[j] -= h / 6 * (a[j] + 2 * b[j] + 2 * c[j] + d[j]);
    }
    return w;
}

Point curvature_along(const Gradient& gradient, const Point& w, const Point& direction) {
    check(direction.size() == w.size(), "curvature_along: a point of {} numbers wants a direction of as many, got {}",
          w.size(), direction.size());
    double length = 0;
    for (const double v : direction) length += v * v;
    if (length == 0) return direction;
    const double step = 1e-5 / std::sqrt(length);
    const Point ahead = gradient_at(gradient, moved(w, step, direction), "curvature_along");
    Point change = moved(ahead, -1, gradient_at(gradient, moved(w, -step, direction), "curvature_along"));
    for (double& c : change) c /= 2 * step;
    return change;
}

Gradient descended_loss(Gradient gradient, double rate) {
    check_rate(rate, "descended_loss");
    return [=](const Point& w) {
        const Point g = gradient_at(gradient, w, "descended_loss");
        return moved(g, rate / 2, curvature_along(gradient, w, g));
    };
}

Gradient stochastically_descended_loss(std::vector<Gradient> batches, double rate) {
    check(!batches.empty(), "stochastically_descended_loss: wanted at least one batch, got none");
    // Each batch adds its own loss and its own squared gradient; the result is their mean.
    for (Gradient& batch : batches) batch = descended_loss(std::move(batch), rate);
    return mean_gradient(std::move(batches));
}

Gradient mean_gradient(std::vector<Gradient> gradients) {
    check(!gradients.empty(), "mean_gradient: wanted at least one gradient, got none");
    return [gradients = std::move(gradients)](const Point& w) {
        Point mean(w.size(), 0.0);
        for (const Gradient& g : gradients)
            mean = moved(mean, 1 / double(gradients.size()), gradient_at(g, w, "mean_gradient"));
        return mean;
    };
}

}  // namespace RECTO::classic
