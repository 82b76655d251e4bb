#pragma once
/// @file
/// Compares a device with the CPU: for every operation, forward and backward, within the bound in its entry of the
/// table; in fresh memory that is full of NaN, between guards.
#include <string>
#include <vector>

#include <recto/testing/every_op.hpp>

namespace RECTO::testing {

/// The result of one comparison.
struct Parity {
    std::string name;          ///< the name of the operation or of the extra check
    double share = 0;          ///< the worst error divided by its bound: up to 1 passes
    double error = 0;          ///< that error ...
    double bound = 0;          ///< ... and its bound
    std::string setting = {};  ///< where it was: `n = 7, m = 17, result 0, at 3`
    std::string fault = {};    ///< what is wrong; empty if the device agrees
    Index numbers = 0;         ///< how many numbers were compared
};

/// Runs an operation on the device and on the CPU for all sizes, with normal numbers and with some that are 0, infinite
/// or NaN, and compares results and gradients.
Parity compare(const Op& op, Device device);

/// A product of two matrices.
using Product = Tensor (*)(const Tensor& a, const Tensor& b);

/// Compares a product with the identity, which must change nothing; numbers rounded to tf32 would differ.
Parity identity(Device device, Product product);

/// Compares random draws on the device with those on the CPU, bit by bit.
Parity draws(Device device);

/// Copies numbers to the device, within it, and back, and compares bits, for every size up to some thousand.
Parity copies(Device device);

/// Compares the weights after some steps of every optimiser, with clipping.
Parity steps(Device device);

/// All comparisons: the operations of the table, then `identity`, `draws`, `copies` and `steps`.
std::vector<std::string> parity_names();

/// Runs one comparison; if several entries of the table have the name, the worst result is returned.
/// @throws Error when no comparison has that name, or the device is missing
Parity parity(const std::string& name, Device device);

}  // namespace RECTO::testing
