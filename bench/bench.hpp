#pragma once
/// @file
/// A workload: prepares itself, then makes steps.
#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <recto/book/stopwatch.hpp>
#include <recto/device/device.hpp>

namespace RECTO::bench {

/// The device and the size of a workload.
struct Setting {
    Device device = Device::cpu;  ///< device of the model
    bool captured = false;        ///< whether training steps are recorded and replayed (autograd/captured.hpp)
    bool small = false;           ///< a small model and little data, to test that it runs
};

/// A prepared workload.
struct Ready {
    std::function<void()> step;  ///< starts a step, which may still run on a GPU afterwards
    double per_step = 1;         ///< samples in a step
    double flops = 0;            ///< floating-point operations of the products in a step; 0 if not counted
    bool captured = false;       ///< whether the step is recorded and replayed
};

/// A workload by name.
struct Workload {
    std::string name;                              ///< its name in the table of *How fast is it*
    std::string unit;                              ///< the unit of a sample
    std::function<Ready(const Setting&)> prepare;  ///< builds the model and the data
    std::string cpu_only = {};                     ///< why it runs only on the CPU, or empty
};

std::vector<Workload> perceptrons();     ///< Fully connected networks, training and inference.
std::vector<Workload> image_networks();  ///< Convolutional networks, training.
std::vector<Workload> transformers();    ///< GPTs, training and generation.
std::vector<Workload> scalars();         ///< A network of scalars.
std::vector<Workload> files();           ///< Checkpoints.

/// The shortest time of some runs after a warm-up, in seconds: for a limit, what disturbs the machine must not count.
template <class Work>
double least_seconds(const Work& work, int runs = 15) {
    work();
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < runs; ++i) {
        const double start = book::now();
        work();
        least = std::min(least, book::seconds_since(start));
    }
    return least;
}

/// The multiply-adds in registers that the CPU does in a nanosecond, times two: GFLOP/s.
double multiply_add_rate();

/// The limits of the device as lines of JSON: on the CPU multiply-adds in registers, on every device the matrix product
/// (on a GPU that of cuBLAS) and the memory bandwidth; on the CPU also the rate of the same loop over less data, which
/// the caches hold.
void print_limits(Device device);

}  // namespace RECTO::bench
