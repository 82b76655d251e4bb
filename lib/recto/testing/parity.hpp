#pragma once
/// @file
/// Compares a device with the CPU: for every operation, forward and backward, within the bound that its line of the
/// table states; in fresh memory that is full of NaN, between guards.
#include <string>
#include <vector>

#include <recto/testing/every_op.hpp>

namespace RECTO::testing {

/// How one comparison came out.
struct Parity {
    std::string name;          ///< the operation's, or the tripwire's
    double share = 0;          ///< the worst error as a part of its bound: up to 1 all is well
    double error = 0;          ///< that error ...
    double bound = 0;          ///< ... and its bound
    std::string setting = {};  ///< where it was: `n = 7, m = 17, result 0, at 3`
    std::string fault = {};    ///< what is wrong, empty when the device agrees
    Index numbers = 0;         ///< how many were compared
};

/// Runs an operation on the device and on the CPU for all sizes, with normal numbers and with some that are 0,
/// infinite or NaN, and compares results and gradients.
Parity compare(const Op& op, Device device);

/// A product of two matrices.
using Product = Tensor (*)(const Tensor& a, const Tensor& b);

/// A product with the identity changes nothing; numbers that were rounded to tf32 would show.
Parity identity(Device device, Product product);

/// The generator draws on the device what it draws on the CPU, to the bit.
Parity draws(Device device);

/// What is copied to the device, there, and back is the same, to the bit, at every size up to some thousand.
Parity copies(Device device);

/// Some steps of every optimiser, after clipping, end at the same weights.
Parity steps(Device device);

/// What can be compared: the operations of the table, then `identity`, `draws`, `copies` and `steps`.
std::vector<std::string> parity_names();

/// Compares one of them; where several lines of the table have the name, the worst one is returned.
/// @throws Error when no comparison has that name, or the device is missing
Parity parity(const std::string& name, Device device);

}  // namespace RECTO::testing
