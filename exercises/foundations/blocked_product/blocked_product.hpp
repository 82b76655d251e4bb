#pragma once
#include "matrix.hpp"

// A matrix in slow memory, which the driver keeps. The driver records every read: the judge counts the numbers that had to
// be fetched.
class SlowMatrix {
public:
    // The matrix that the driver keeps under this number.
    SlowMatrix(int number, int rows, int cols) : number_(number), rows_(rows), cols_(cols) {}

    int rows() const { return rows_; }
    int cols() const { return cols_; }
    double operator()(int row, int col) const;  // throws if there is no such element

private:
    int number_, rows_, cols_;
};

// The matrix product of a, (rows, inner), and b, (inner, columns), computed in blocks of at most block x block numbers.
Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block);
