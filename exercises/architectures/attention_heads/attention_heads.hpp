#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

// `x` is (batch, time, width): a batch of sequences, each with a vector of `width` numbers at every place. Place t sees the
// places 0 to t of its own sequence.

// The weights of one head, (batch, time, time): row t says how much place t reads of each place. `query` and `key` are
// (width, size).
recto::Tensor head_weights(const recto::Tensor& x, const recto::Tensor& query, const recto::Tensor& key);

// The output of one head, (batch, time, size): the values, averaged with these weights. `value` is (width, size).
recto::Tensor head(const recto::Tensor& x, const recto::Tensor& query, const recto::Tensor& key, const recto::Tensor& value);

// Several heads of the same size. All four matrices are (width, width).
struct Attention {
    recto::Index heads = 1;           // divides the width: size = width / heads
    recto::Tensor query, key, value;  // columns h * size to (h + 1) * size - 1 belong to head h
    recto::Tensor output;             // mixes what the heads have found
};

// The outputs of the heads side by side, times the output matrix: (batch, time, width).
recto::Tensor attention(const Attention& a, const recto::Tensor& x);
