#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace RECTO::optim {
namespace {

/// From a to b along half a cosine, as `share` goes from 0 to 1.
double ease(double a, double b, double share) { return b + (a - b) * (1 + std::cos(std::numbers::pi * share)) / 2; }

void check_step(Index step, const char* who) { check(step >= 0, "{}: wanted a step of at least 0, got {}", who, step); }

}  // namespace

double step_decay(Index step, double rate, Index every, double factor) {
    check_step(step, "step_decay");
    check(every >= 1, "step_decay: wanted at least 1 step between changes, got {}", every);
    return rate * std::pow(factor, double(step / every));
}

double cosine(Index step, Index steps, double rate, double least) {
    check_step(step, "cosine");
    check(steps >= 0, "cosine: wanted at least 0 steps, got {}", steps);
    return step >= steps ? least : ease(rate, least, double(step) / double(steps));
}

double warmup_cosine(Index step, Index warmup, Index steps, double rate, double least) {
    check_step(step, "warmup_cosine");
    check(0 <= warmup && warmup <= steps, "warmup_cosine: wanted a warm-up from 0 to {} steps, got {}", steps, warmup);
    if (step < warmup) return rate * double(step + 1) / double(warmup + 1);
    return cosine(step - warmup, steps - warmup, rate, least);
}

double one_cycle(Index step, Index steps, double largest, const CycleOptions& options) {
    check_step(step, "one_cycle");
    check(steps >= 1, "one_cycle: wanted at least 1 step, got {}", steps);
    check(options.rising >= 0 && options.rising <= 1, "one_cycle: wanted a rising share from 0 to 1, got {}",
          options.rising);
    const double last = double(steps - 1), top = std::clamp(options.rising * double(steps) - 1, 0., last);
    const double at = std::min(double(step), last);
    if (at < top) return ease(options.start * largest, largest, at / top);
    return last > top ? ease(largest, options.end * largest, (at - top) / (last - top)) : largest;
}

}  // namespace RECTO::optim
