#pragma once
/// @file
/// What a workload is: something that prepares itself and then makes one step, again and again.
#include <functional>
#include <string>
#include <vector>

#include <recto/core/device.hpp>

namespace RECTO::bench {

/// A workload that is ready to run.
struct Ready {
    std::function<void()> step;  ///< one step, to its end
    double per_step = 1;         ///< samples in a step
    double flops = 0;            ///< floating-point operations of its products in a step, 0 when nobody counts them
};

/// A workload by name.
struct Workload {
    std::string name;                      ///< as in the table of *How fast is it*
    std::string unit;                      ///< what a sample is
    std::function<Ready(Device)> prepare;  ///< builds the model and the data
};

std::vector<Workload> perceptrons();     ///< Fully connected networks, training and inference.
std::vector<Workload> image_networks();  ///< Convolutional networks, training.
std::vector<Workload> transformers();    ///< GPTs, training and writing.
std::vector<Workload> scalars();         ///< A network of single numbers.
std::vector<Workload> files();           ///< Checkpoints.

/// What this machine can do at most, as lines of JSON: multiply-adds in registers, the product, the memory.
void print_limits();

}  // namespace RECTO::bench
