#pragma once
/// @file
/// Power laws: how a loss falls with the size of what it is trained on, or with.
#include <span>

#include <recto/core/random.hpp>

namespace RECTO::classic {

/// Options of fit_power_law().
struct PowerLawOptions {
    bool offset = false;  ///< whether to fit an irreducible loss too
    int draws = 200;      ///< bootstrap samples for the interval of the exponent; 0 for no interval
};

/// \f$ y \approx c\, x^{-\alpha} + y_\infty \f$, fitted.
struct PowerLaw {
    double scale = 0;                   ///< \f$ c \f$
    double exponent = 0;                ///< \f$ \alpha \f$; positive when y falls
    double offset = 0;                  ///< \f$ y_\infty \f$; 0 unless it was asked for
    double r_squared = 0;               ///< share of the variance of \f$ \log (y - y_\infty) \f$ that is explained
    double lowest = 0;                  ///< the exponent's bootstrap interval of 95 %: lower end
    double highest = 0;                 ///< the exponent's bootstrap interval of 95 %: upper end
    double operator()(double x) const;  ///< The law at x.
};

/// Fits a straight line to \f$ \log (y - y_\infty) \f$ over \f$ \log x \f$ by least squares; the offset, if there is one, is the
/// number below all y for which \f$ y \f$ itself is nearest to the law relative to its size (Kaplan et al., 2020, *Scaling laws
/// for neural language models*, fit the form without offset). The interval is that of the bootstrap: the same fit to points
/// drawn with replacement.
/// @param random  draws the points of the bootstrap
/// @throws Error unless there are at least three points, four with an offset, at two different x, all positive and finite
PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y, Generator& random,
                       const PowerLawOptions& options = {});

}  // namespace RECTO::classic
