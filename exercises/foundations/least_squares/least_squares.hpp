#pragma once
#include <vector>

#include "matrix.hpp"

// The powers of every x: (samples, degree + 1), one row for each sample, the power 0 in column 0.
Matrix design(const std::vector<double>& x, int degree);

// The value of the polynomial at every x; w[k] is the weight of the power k.
std::vector<double> predict(const std::vector<double>& x, const std::vector<double>& w);

// The mean of the squared differences of y and f, which have the same length and are not empty.
double mean_squared_error(const std::vector<double>& y, const std::vector<double>& f);

// The degree + 1 weights with which the polynomial has the smallest mean squared error on the samples.
// More than `degree` of the x are distinct.
std::vector<double> fit(const std::vector<double>& x, const std::vector<double>& y, int degree);
