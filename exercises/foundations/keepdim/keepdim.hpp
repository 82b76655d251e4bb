#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

// An array of numbers with a shape: the last axis varies fastest. A tensor with an empty shape holds one number.
struct Tensor {
    std::vector<int> shape;
    std::vector<float> numbers;
};

// a / b, element by element, after both have been broadcast to a common shape.
// Throws std::invalid_argument if the two shapes do not fit.
Tensor divide(const Tensor& a, const Tensor& b);

// The sum of every row of a matrix: of shape (rows, 1) with keepdim, of shape (rows) without.
Tensor row_sums(const Tensor& p, bool keepdim);

// The matrix with every row divided by its sum; no row sums to zero.
Tensor normalize_rows(const Tensor& p);

// The wrong result if the sums are taken without keepdim: P / P.sum(1) in NumPy or PyTorch.
Tensor trapped(const Tensor& p);
