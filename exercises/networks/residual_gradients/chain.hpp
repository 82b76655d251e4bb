#pragma once
// A chain of blocks with optional skip connections and optional batch normalisation. N images, P pixels, m units, K classes,
// D blocks.
#include <vector>

#include "matrix.hpp"

struct Chain {
    bool skips = true;           // whether the input of a block is added to what its layer computes
    bool normalised = true;      // whether batch normalisation follows each block's product
    Matrix enter;                // (P, m)
    std::vector<Matrix> blocks;  // D matrices (m, m)
    Matrix leave;                // (m, K)
};

// The results of the forward pass.
struct Pass {
    std::vector<Matrix> signals;  // D + 1 matrices (N, m): what the first block reads, then what each block returns
    Matrix scores;                // (N, K)
};

// Batch normalisation: every column of z (N, m) gets the mean 0 and, up to epsilon, the variance 1.
constexpr double epsilon = 1e-5;
Matrix normalise(const Matrix& z);

// The derivative of a loss with respect to z, given its derivative dy with respect to normalise(z).
Matrix normalise_backward(const Matrix& z, const Matrix& dy);

// The forward pass for the images x (N, P).
Pass forward(const Chain& net, const Matrix& x);

// The gradients of the loss, the mean cross-entropy of the scores, with respect to the matrix of each block.
std::vector<Matrix> gradients(const Chain& net, const Matrix& x, const std::vector<int>& labels);

// The norms of these gradients, (4, D): a row for each kind of chain with the matrices of `net`, in the order neither,
// normalisation alone, skips alone, both; a column for each block.
Matrix table(const Chain& net, const Matrix& x, const std::vector<int>& labels);
