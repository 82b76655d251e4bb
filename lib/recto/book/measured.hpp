#pragma once
/// @file
/// Measured numbers, from one run or from several seeds.
#include <span>
#include <string>

#include <recto/base/check.hpp>
#include <recto/book/json.hpp>

namespace RECTO::book {

/// A measured number: one value, or the median of several seeds with the lowest and the highest.
struct Measured {
    double value;   ///< The number that is compared with the bound.
    double low;     ///< The lowest of all seeds.
    double high;    ///< The highest of all seeds.
    int seeds = 1;  ///< The number of seeds.

    /// A single measurement.
    template <Number T>
    Measured(T once) : value(static_cast<double>(once)), low(value), high(value) {}

    /// Measurements over several seeds.
    Measured(double value, double low, double high, int seeds) : value(value), low(low), high(high), seeds(seeds) {}
};

/// The median over seeds, with the range; a single NaN makes all three NaN. @throws Error when empty
Measured over_seeds(std::span<const double> values);

/// The middle value, or the mean of the middle two; NaN if any is. @throws Error when empty
double median(std::span<const double> values);

/// A number in short form: integers in full, others with four digits.
std::string brief(double number);

/// `2.6e-16`, or `0.31 (0.29 to 0.33 over 5 seeds)`.
std::string brief(const Measured& measured);

}  // namespace RECTO::book
