#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "matrix.hpp"

// A layer of dropout.
struct Dropout {
    double p = 0.5;          // the probability of a zero, from 0 to 1
    bool training = true;    // the mode
    std::mt19937_64 random;  // the generator from which the layer draws
    Matrix memory;           // yours: what backward has to know about the last call of forward
};

// The result of the layer, of the shape of x. In training mode it draws from layer.random.
Matrix forward(Dropout& layer, const Matrix& x);

// The derivative of a loss with respect to the x of the last call of forward. dy is the derivative with respect to the
// result of that call, of the same shape. The mode is still that of the call.
Matrix backward(const Dropout& layer, const Matrix& dy);
