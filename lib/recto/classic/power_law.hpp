#pragma once
/// @file
/// Power laws: how a loss falls with the size of a model or of its training set.
#include <span>

#include <recto/core/random.hpp>

namespace RECTO::classic {

/// Options of fit_power_law().
struct PowerLawOptions {
    bool offset = false;  ///< whether to fit an irreducible loss as well
    int draws = 200;      ///< bootstrap samples for the interval of the exponent; 0 for no interval
};

/// A fitted power law \f$ y \approx c\, x^{-\alpha} + y_\infty \f$.
struct PowerLaw {
    double scale = 0;                   ///< \f$ c \f$
    double exponent = 0;                ///< \f$ \alpha \f$; positive if y falls
    double offset = 0;                  ///< \f$ y_\infty \f$; 0 unless it is fitted
    double r_squared = 0;               ///< fraction of the variance of \f$ \log (y - y_\infty) \f$ that is explained
    double lowest = 0;                  ///< lower end of the exponent's 95 % bootstrap interval
    double highest = 0;                 ///< upper end of the exponent's 95 % bootstrap interval
    double operator()(double x) const;  ///< The law at x.
};

/// Fits a straight line to \f$ \log (y - y_\infty) \f$ over \f$ \log x \f$ by least squares. The offset, if it is
/// fitted, is the number below all y for which the law has the smallest relative distance from \f$ y \f$ (Kaplan et
/// al., 2020, *Scaling laws for neural language models*, fit the form without an offset). The interval is a bootstrap
/// interval, from the same fit to points drawn with replacement.
/// @param random  draws the points of the bootstrap
/// @throws Error unless there are at least three points, four with an offset, at two different x, all positive and finite
PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y, Generator& random,
                       const PowerLawOptions& options = {});

}  // namespace RECTO::classic
