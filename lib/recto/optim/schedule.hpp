#pragma once
/// @file
/// Learning rates as functions of the step, from 0, for the option `lr` of fit():
///
///     optim::fit(adam, loss, {.steps = 500, .lr = [](Index step) { return optim::cosine(step, 500, 1e-3); }});
#include <recto/base/check.hpp>

namespace RECTO::optim {

/// Multiplies the rate by `factor` after every `every` steps: \f$ \eta\, \gamma^{\lfloor t / n \rfloor} \f$.
/// @throws Error unless step >= 0 and every >= 1
double step_decay(Index step, double rate, Index every, double factor);

/// Falls from `rate` to `least` along half a cosine, then stays there (Loshchilov and Hutter, 2017, eq. 5):
/// \f$ \eta_0 + \tfrac12 (\eta - \eta_0)(1 + \cos(\pi t / n)) \f$.
/// @param steps  number of steps until `least`; with 0 it is reached at once
/// @throws Error when step or steps is negative
double cosine(Index step, Index steps, double rate, double least = 0);

/// Increases linearly to `rate` at step `warmup`, then falls to `least` along half a cosine until step `steps`. Step t
/// of the warm-up has rate \f$ \eta (t + 1) / (\mathrm{warmup} + 1) \f$, so that no step has rate 0.
/// @throws Error unless 0 <= warmup <= steps and step >= 0
double warmup_cosine(Index step, Index warmup, Index steps, double rate, double least = 0);

/// The shape of one_cycle().
struct CycleOptions {
    double rising = 0.3;     ///< fraction of the steps with a rising rate
    double start = 1. / 25;  ///< first rate, relative to the largest
    double end = 4e-6;       ///< last rate, relative to the largest
};

/// Rises from a small rate to the largest and falls below its start, both along half a cosine (Smith and Topin, 2018).
/// The largest is at step \f$ \mathrm{rising} \cdot \mathrm{steps} - 1 \f$, the end at the last step.
/// @param step   from 0; after the last step the rate stays
/// @throws Error unless steps >= 1, step >= 0 and 0 <= rising <= 1
double one_cycle(Index step, Index steps, double largest, const CycleOptions& options = {});

}  // namespace RECTO::optim
