#pragma once
/// @file
/// Pooling layers.
#include <recto/ops/images/pool.hpp>

namespace RECTO::nn {

/// max_pool2d() as a module.
struct MaxPool2d {
    Pair kernel;               ///< rows and columns of a window
    PoolOptions options = {};  ///< how it moves

    Tensor operator()(const Tensor& x) const { return max_pool2d(x, kernel, options); }  ///< (..., rows, columns)
    void visit(auto&&) {}                                                                ///< It has nothing to train.
};

/// avg_pool2d() as a module.
struct AvgPool2d {
    Pair kernel;               ///< rows and columns of a window
    PoolOptions options = {};  ///< how it moves

    Tensor operator()(const Tensor& x) const { return avg_pool2d(x, kernel, options); }  ///< (..., rows, columns)
    void visit(auto&&) {}                                                                ///< It has nothing to train.
};

}  // namespace RECTO::nn
