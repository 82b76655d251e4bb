#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Numbers with four axes, with bounds checks on every element. Images are (images, channels, rows, columns); the weights of a
// convolution are (filters, channels, rows, columns).
struct Tensor {
    std::array<int, 4> shape{};
    std::vector<double> numbers;  // the last axis varies fastest

    Tensor() = default;
    Tensor(int images, int channels, int rows, int cols, double fill = 0)
        : shape{images, channels, rows, cols},
          numbers(std::size_t(images) * std::size_t(channels) * std::size_t(rows) * std::size_t(cols), fill) {}

    double& operator()(int image, int channel, int row, int col) { return numbers[place({image, channel, row, col})]; }
    double operator()(int image, int channel, int row, int col) const { return numbers[place({image, channel, row, col})]; }

private:
    static std::string in_words(const std::array<int, 4>& four, const char* between) {
        std::string words;
        for (const int number : four) words += (words.empty() ? "" : between) + std::to_string(number);
        return words;
    }
    std::size_t place(const std::array<int, 4>& at) const {
        std::size_t flat = 0;
        for (std::size_t axis = 0; axis < 4; ++axis) {
            if (at[axis] < 0 || at[axis] >= shape[axis])
                throw std::out_of_range("tensor: there is no element (" + in_words(at, ", ") + ") in " + in_words(shape, " x "));
            flat = flat * std::size_t(shape[axis]) + std::size_t(at[axis]);
        }
        return flat;
    }
};

// The settings of a convolution; rows and columns have the same.
struct Options {
    int stride = 1;    // pixels from one window to the next, at least 1
    int padding = 0;   // rows or columns of zeros on each side, at least 0
    int dilation = 1;  // pixels from one tap of the kernel to the next, at least 1
};

// The number of windows of a kernel along one axis. Throws std::invalid_argument if not even one window fits.
int output_size(int size, int kernel, const Options& options);

// The convolution, without flipping the kernel, of images x (images, channels, rows, columns) with the filters of `weight`
// (filters, channels, kernel rows, kernel columns) and one bias for each filter: (images, filters, output rows, output
// columns). Throws std::invalid_argument if not even one window fits.
Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options);
