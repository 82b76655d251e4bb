#pragma once
#include <cmath>
#include <vector>

using Vector = std::vector<double>;
using Function = double (*)(const Vector& x);  // f(x)
using Gradient = Vector (*)(const Vector& x);  // what somebody says its gradient is: df(x)[i] is the slope along x[i]

// True if df(x) is the gradient of f at this x, false if not.
bool gradient_is_right(Function f, Gradient df, const Vector& x);
