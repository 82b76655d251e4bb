#pragma once
/// @file
/// Pooling layers.
#include <recto/ops/images/pool.hpp>

namespace RECTO::nn {

/// max_pool2d() as a module.
struct MaxPool2d {
    Pair kernel;               ///< rows and columns of a window
    PoolOptions options = {};  ///< how the window moves

    Tensor operator()(const Tensor& x) const { return max_pool2d(x, kernel, options); }  ///< (..., rows, columns)
    void visit(auto&&) {}                                                                ///< Has no parameters.
};

/// avg_pool2d() as a module.
struct AvgPool2d {
    Pair kernel;               ///< rows and columns of a window
    PoolOptions options = {};  ///< how the window moves

    Tensor operator()(const Tensor& x) const { return avg_pool2d(x, kernel, options); }  ///< (..., rows, columns)
    void visit(auto&&) {}                                                                ///< Has no parameters.
};

}  // namespace RECTO::nn
