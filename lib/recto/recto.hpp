#pragma once
/// @file
/// The library in one include: tensors, the tape, every operation, layers and optimisers.
#include <recto/autograd/tape.hpp>
#include <recto/core/random.hpp>
#include <recto/core/tensor.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/ops.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>
