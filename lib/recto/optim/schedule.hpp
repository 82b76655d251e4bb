#pragma once
/// @file
/// Learning rates as functions of the step; step 0 is the first. What fit() takes as its `lr`:
///
///     optim::fit(adam, loss, {.steps = 500, .lr = [](Index step) { return optim::cosine(step, 500, 1e-3); }});
#include <recto/base/check.hpp>

namespace RECTO::optim {

/// Multiplies the rate by `factor` after every `every` steps: \f$ \eta\, \gamma^{\lfloor t / n \rfloor} \f$.
/// @throws Error unless step >= 0 and every >= 1
double step_decay(Index step, double rate, Index every, double factor);

/// Falls from `rate` to `least` along half a cosine, then stays there (Loshchilov and Hutter, 2017, eq. 5):
/// \f$ \eta_0 + \tfrac12 (\eta - \eta_0)(1 + \cos(\pi t / n)) \f$.
/// @param steps  how many until `least`; with 0 it is there at once
/// @throws Error when step or steps is negative
double cosine(Index step, Index steps, double rate, double least = 0);

/// Climbs in equal steps to `rate`, which step `warmup` has, then falls to `least` along half a cosine until
/// step `steps`. Step t of the climb has \f$ \eta (t + 1) / (\mathrm{warmup} + 1) \f$: no step is wasted on 0.
/// @throws Error unless 0 <= warmup <= steps and step >= 0
double warmup_cosine(Index step, Index warmup, Index steps, double rate, double least = 0);

/// The shape of one_cycle().
struct CycleOptions {
    double rising = 0.3;     ///< share of the steps on the way up
    double start = 1. / 25;  ///< first rate, as a share of the largest
    double end = 4e-6;       ///< last rate, as a share of the largest
};

/// Climbs from a small rate to the largest and falls below where it began, both along half a cosine
/// (Smith and Topin, 2018). The largest is at step \f$ \mathrm{rising} \cdot \mathrm{steps} - 1 \f$, the end at the last.
/// @param step   from 0; past the last step the rate stays
/// @throws Error unless steps >= 1, step >= 0 and 0 <= rising <= 1
double one_cycle(Index step, Index steps, double largest, const CycleOptions& options = {});

}  // namespace RECTO::optim
