#pragma once
#include <utility>
#include <vector>

#include "matrix.hpp"

// A matrix in slow memory. Every number that is read is noted: the judge counts what had to be fetched.
class SlowMatrix {
public:
    // The numbers of this matrix get the addresses from `first` on, and reading one adds its address to `reads`.
    SlowMatrix(Matrix numbers, int first, std::vector<int>& reads)
        : numbers_(std::move(numbers)), first_(first), reads_(&reads) {}

    int rows() const { return numbers_.rows; }
    int cols() const { return numbers_.cols; }
    double operator()(int row, int col) const {
        const double value = numbers_(row, col);  // throws if there is no such element
        reads_->push_back(first_ + row * numbers_.cols + col);
        return value;
    }

private:
    Matrix numbers_;
    int first_;
    std::vector<int>* reads_;
};

// The matrix product of a, (rows, inner), and b, (inner, columns), computed in blocks of at most block x block numbers.
Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block);
