#pragma once
/// @file
/// Dropout layers. set_training() switches them on and off.
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/dropout.hpp>

namespace RECTO::nn {

/// Zeros numbers at random in training, see dropout().
struct Dropout {
    double probability;    ///< of 0
    Generator* random;     ///< whom it asks; belongs to the caller, as does its state in a checkpoint
    bool training = true;  ///< does it do anything?

    /// @param random  must live as long as the module
    Dropout(double probability, Generator& random) : probability(probability), random(&random) {}
    Tensor operator()(const Tensor& x) const { return dropout(x, probability, *random, training); }  ///< Same shape.
    void visit(auto&&) {}                                                                            ///< No parts.
};

/// Zeros whole channels at random in training, see spatial_dropout().
struct SpatialDropout {
    double probability;    ///< of 0
    Generator* random;     ///< whom it asks; belongs to the caller, as does its state in a checkpoint
    bool training = true;  ///< does it do anything?

    /// @param random  must live as long as the module
    SpatialDropout(double probability, Generator& random) : probability(probability), random(&random) {}
    /// Same shape.
    Tensor operator()(const Tensor& x) const { return spatial_dropout(x, probability, *random, training); }
    void visit(auto&&) {}  ///< No parts.
};

}  // namespace RECTO::nn
