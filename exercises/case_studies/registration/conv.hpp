#pragma once
// A convolutional layer, made of operations of the library.
#include <cmath>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/core/random.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>

// Kernels of `size` x `size` pixels, an odd number, with zeros around the image: (n, in, rows, columns) to
// (n, out, rows, columns).
struct Conv {
    recto::Tensor weight;  // (out, size * size * in)
    recto::Tensor bias;    // (out, 1)
    recto::Index size;

    // Random weights with variance 2 / inputs, and biases of 0.
    Conv(recto::Index in, recto::Index out, recto::Index size_, recto::Generator& random) : size(size_) {
        const double inputs = double(size * size * in);
        weight = random.normal({out, size * size * in}, 0, recto::Real(std::sqrt(2 / inputs))).requires_grad_();
        bias = recto::zeros({out, 1}).requires_grad_();
    }
    recto::Tensor operator()(const recto::Tensor& x) const {
        const recto::Index n = x.size(0), rows = x.size(2), cols = x.size(3), border = size / 2;
        const recto::Tensor wide = recto::pad(x, {{border, border}, {border, border}});
        std::vector<recto::Tensor> moved;
        for (recto::Index row = 0; row < size; ++row) {
            const recto::Tensor lines = recto::slice(wide, 2, row, row + rows);
            for (recto::Index col = 0; col < size; ++col) moved.push_back(recto::slice(lines, 3, col, col + cols));
        }
        const recto::Tensor inputs = recto::reshape(recto::concat(moved, 1), {n, weight.size(1), rows * cols});
        return recto::reshape(recto::matmul(weight, inputs) + bias, {n, weight.size(0), rows, cols});
    }
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};
