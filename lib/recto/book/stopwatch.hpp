#pragma once
/// @file
/// Fair timing: medians of several runs, and two sides in alternation, so that a short load on the machine slows both.
#include <vector>

#include <recto/book/measured.hpp>

namespace RECTO::book {

/// Seconds on a monotonic clock with an arbitrary zero.
double now();

/// Seconds since `start`, a value of now().
inline double seconds_since(double start) { return now() - start; }

/// The median time of `runs` calls of `work`, in seconds, after a warm-up call.
template <class Work>
double median_seconds(Work&& work, int runs = 5) {
    check(runs >= 1, "median_seconds: wanted at least one run, got {}", runs);
    work();
    std::vector<double> seconds;
    for (int i = 0; i < runs; ++i) {
        const double start = now();
        work();
        seconds.push_back(seconds_since(start));
    }
    return median(seconds);
}

/// Times of two alternatives that ran in alternation.
struct Comparison {
    double first;   ///< Median seconds of the first alternative.
    double second;  ///< Median seconds of the second alternative.
    double ratio;   ///< Median of first / second over all pairs: how many times faster the second is.
};

/// Runs `first` and `second` in turn, `runs` times each after a warm-up call.
template <class First, class Second>
Comparison compare_seconds(First&& first, Second&& second, int runs = 5) {
    check(runs >= 1, "compare_seconds: wanted at least one run, got {}", runs);
    first();
    second();
    std::vector<double> a, b, ratios;
    for (int i = 0; i < runs; ++i) {
        const double start = now();
        first();
        const double middle = now();
        second();
        const double end = now();
        a.push_back(middle - start);
        b.push_back(end - middle);
        ratios.push_back(a.back() / b.back());
    }
    return {median(a), median(b), median(ratios)};
}

}  // namespace RECTO::book
