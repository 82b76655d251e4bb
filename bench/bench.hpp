#pragma once
/// @file
/// What a workload is: something that prepares itself and then makes one step, again and again.
#include <functional>
#include <string>
#include <vector>

#include <recto/device/device.hpp>

namespace RECTO::bench {

/// Where a workload runs, and how much of it.
struct Setting {
    Device device = Device::cpu;  ///< where
    bool captured = false;        ///< training steps are recorded and replayed (autograd/captured.hpp)
    bool small = false;           ///< a small model and little data, to see that it runs at all
};

/// A workload that is ready to run.
struct Ready {
    std::function<void()> step;  ///< asks for one step; a GPU may still be at it afterwards
    double per_step = 1;         ///< samples in a step
    double flops = 0;            ///< floating-point operations of the products in a step; 0: not counted
    bool captured = false;       ///< is the step recorded and replayed?
};

/// A workload by name.
struct Workload {
    std::string name;                              ///< as in the table of *How fast is it*
    std::string unit;                              ///< what a sample is
    std::function<Ready(const Setting&)> prepare;  ///< builds the model and the data
    std::string cpu_only = {};                     ///< why it runs nowhere else, or empty
};

std::vector<Workload> perceptrons();     ///< Fully connected networks, training and inference.
std::vector<Workload> image_networks();  ///< Convolutional networks, training.
std::vector<Workload> transformers();    ///< GPTs, training and writing.
std::vector<Workload> scalars();         ///< A network of single numbers.
std::vector<Workload> files();           ///< Checkpoints.

/// How many multiply-adds in registers the CPU does in a nanosecond, twice: GFLOP/s.
double multiply_add_rate();

/// What the device can do at most, as lines of JSON: on the CPU multiply-adds in registers, everywhere the product (on a
/// GPU that of cuBLAS) and the memory.
void print_limits(Device device);

}  // namespace RECTO::bench
