#pragma once
#include <cmath>
#include <vector>

using Vector = std::vector<double>;
using Function = double (*)(const Vector& x);  // f(x)
using Gradient = Vector (*)(const Vector& x);  // the claimed gradient of f: df(x)[i] is the derivative along x[i]

// True if df(x) is the gradient of f at this x, false if not.
bool gradient_is_right(Function f, Gradient df, const Vector& x);
