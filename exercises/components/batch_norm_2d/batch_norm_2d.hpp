#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "matrix.hpp"

// The feature maps of a mini-batch, with four axes: (batch, channels, height, width). Every element is bounds-checked.
struct Maps {
    int batch = 0, channels = 0, height = 0, width = 0;
    std::vector<double> numbers;  // sample after sample, channel after channel, row after row

    Maps() = default;
    Maps(int batch_, int channels_, int height_, int width_, double fill = 0)
        : batch(batch_),
          channels(channels_),
          height(height_),
          width(width_),
          numbers(std::size_t(batch_) * std::size_t(channels_) * std::size_t(height_) * std::size_t(width_), fill) {}

    double& operator()(int n, int c, int i, int j) { return numbers[place(n, c, i, j)]; }
    double operator()(int n, int c, int i, int j) const { return numbers[place(n, c, i, j)]; }

private:
    std::size_t place(int n, int c, int i, int j) const {
        if (n < 0 || n >= batch || c < 0 || c >= channels || i < 0 || i >= height || j < 0 || j >= width)
            throw std::out_of_range("maps: there is no element (" + std::to_string(n) + ", " + std::to_string(c) +
                                    ", " + std::to_string(i) + ", " + std::to_string(j) + ") in " +
                                    std::to_string(batch) + " x " + std::to_string(channels) + " x " +
                                    std::to_string(height) + " x " + std::to_string(width));
        return ((std::size_t(n) * std::size_t(channels) + std::size_t(c)) * std::size_t(height) + std::size_t(i)) *
                   std::size_t(width) +
               std::size_t(j);
    }
};

// A layer of batch normalisation: each vector holds one number for every channel.
struct BatchNorm {
    std::vector<double> weight, bias;                    // the scale and the shift, which are trained
    std::vector<double> running_mean, running_variance;  // the running statistics
    double momentum = 0.1;                               // how far the running statistics move, from 0 to 1
    double eps = 1e-5;                                   // added to every variance under the root
    bool training = true;                                // the mode
};

// The result of the layer, of the shape of x. In training mode it takes the statistics of x and moves the running ones;
// in evaluation mode it takes the running statistics and leaves the layer unchanged. In training mode it throws
// std::invalid_argument, and leaves the layer unchanged, if x has fewer than two numbers in a channel.
Maps forward(BatchNorm& norm, const Maps& x);

// A convolution: row c of the weight holds all weights of output channel c, and bias[c] is added to this channel.
struct Convolution {
    Matrix weight;
    std::vector<double> bias;
};

// The convolution that does in one step what `conv` and then `norm` do in evaluation mode.
Convolution fold(const Convolution& conv, const BatchNorm& norm);
