#pragma once
/// @file
/// A random layer that is never trained: the linear model on top of it has a closed form at any width.
#include <recto/core/random.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO::classic {

/// Features max(0, x W) with a random W (Rahimi and Recht, 2008, with rectifiers).
struct RandomFeatures {
    Tensor weights;  ///< (inputs, features), normal with variance 1 / inputs

    /// Draws the weights. Features are nested: the first columns of a wider layer form a narrower layer.
    RandomFeatures(Index inputs, Index features, Generator& random);

    /// The features of every row. @param x  (rows, inputs) on cpu   @return (rows, features)
    Tensor operator()(const Tensor& x) const;
};

}  // namespace RECTO::classic
