#pragma once
/// @file
/// Checks shared by all optimisers.
#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// The parameters that an optimiser steps: each once, under its first name, even if tied weights have several names.
/// @param who  the optimiser, for the message
/// @throws Error when there are no parameters, or one requires no gradient, is a view with gaps, or overlaps another
NamedTensors trainable(NamedTensors parameters, const char* who);

/// Throws an Error for a learning rate that is negative, infinite or NaN, which would ruin every parameter.
void check_rate(double rate, const char* who);

/// Throws an Error for a share, such as a momentum, outside [0, 1).
/// @param what  its name with an article, for the message
void check_share(double share, const char* what, const char* who);

/// Throws an Error for a value that is negative, infinite or NaN, such as a weight decay.
void check_not_negative(double value, const char* what, const char* who);

/// Calls `step(i, parameter, gradient)` for every parameter that has a gradient. @throws Error when none has
template <class Step>
void step_all(NamedTensors& parameters, const char* who, const Step& step) {
    bool any = false;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Tensor gradient = parameters[i].tensor.grad();
        if (!gradient.defined()) continue;
        any = true;
        step(i, parameters[i].tensor, dense(gradient));
    }
    check(any, "{}: wanted a gradient of at least one parameter, got none; was backward() called?", who);
}

}  // namespace RECTO::optim
