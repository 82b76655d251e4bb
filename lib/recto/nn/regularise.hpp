#pragma once
/// @file
/// Dropout layers. set_training() switches them on and off.
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/dropout.hpp>

namespace RECTO::nn {

/// Sets random numbers to 0 in training, see dropout().
struct Dropout {
    double probability;    ///< of 0
    Generator* random;     ///< its generator, owned by the caller and not part of the layer's state
    bool training = true;  ///< whether to drop anything

    /// @param random  must exist as long as the module
    Dropout(double probability, Generator& random) : probability(probability), random(&random) {}
    Tensor operator()(const Tensor& x) const { return dropout(x, probability, *random, training); }  ///< Same shape.
    void visit(auto&&) {}                                                                            ///< No parts.
};

/// Sets random channels to 0 in training, see spatial_dropout().
struct SpatialDropout {
    double probability;    ///< of 0
    Generator* random;     ///< its generator, owned by the caller and not part of the layer's state
    bool training = true;  ///< whether to drop anything

    /// @param random  must exist as long as the module
    SpatialDropout(double probability, Generator& random) : probability(probability), random(&random) {}
    /// Same shape.
    Tensor operator()(const Tensor& x) const { return spatial_dropout(x, probability, *random, training); }
    void visit(auto&&) {}  ///< No parts.
};

}  // namespace RECTO::nn
