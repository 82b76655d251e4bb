#pragma once
// A matrix of doubles for exercises, with bounds checks on every element.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

struct Matrix {
    int rows = 0, cols = 0;
    std::vector<double> numbers;  // row after row

    Matrix() = default;
    Matrix(int rows_, int cols_, double fill = 0)
        : rows(rows_), cols(cols_), numbers(std::size_t(rows_) * std::size_t(cols_), fill) {}
    Matrix(std::initializer_list<std::initializer_list<double>> lines)
        : rows(int(lines.size())), cols(lines.size() ? int(lines.begin()->size()) : 0) {
        for (const auto& line : lines) numbers.insert(numbers.end(), line.begin(), line.end());
    }

    double& operator()(int row, int col) { return numbers[place(row, col)]; }
    double operator()(int row, int col) const { return numbers[place(row, col)]; }

private:
    std::size_t place(int row, int col) const {
        if (row < 0 || row >= rows || col < 0 || col >= cols)
            throw std::out_of_range("matrix: there is no element (" + std::to_string(row) + ", " + std::to_string(col) +
                                    ") in " + std::to_string(rows) + " x " + std::to_string(cols));
        return std::size_t(row) * std::size_t(cols) + std::size_t(col);
    }
};
