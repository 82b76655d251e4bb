#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

// A process with the steps 1 to T. All lists of a schedule have T + 1 numbers: element t belongs to step t, and
// element 0 to the data, before any step.

// The variances of the noise: 0 for step 0, then equally spaced numbers from `first` in step 1 to `last` in step
// `steps`. With a single step its variance is `first`.
std::vector<double> linear_schedule(int steps, double first, double last);

// For each step the product of 1 - beta over the steps up to it, and 1 for step 0.
std::vector<double> kept(const std::vector<double>& beta);

// The numbers x0 after t[i] steps each, from one draw of standard normal noise for each. `left` is the result of
// kept().
std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left);

// The reverse: the numbers x0, from the numbers x after t[i] steps each and the noise that went into them. Every t is
// at least 1.
std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left);

struct Normal {
    double mean = 0, variance = 0;
};

// The distribution of the number after t - 1 steps, given the number x after t steps and the number x0 at the
// beginning. t is at least 1.
Normal previous(double x, double x0, int t, const std::vector<double>& beta);
