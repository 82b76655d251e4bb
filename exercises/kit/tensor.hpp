#pragma once
// A tensor of doubles with four axes for exercises, with bounds checks on every element. Images are (images, channels, rows,
// columns); the weights of a convolution are (filters, channels, rows, columns).
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

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
