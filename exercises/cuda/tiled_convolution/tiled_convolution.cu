#include "tiled_convolution.hpp"

#include "not_written.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    // A tile of x with its halo, the weights of the channel, and one sum for each thread. Delete the next line.
    (void)x, (void)w, (void)y, (void)channels, (void)height, (void)width;
}
