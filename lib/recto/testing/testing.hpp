#pragma once
/// @file
/// For every test: Catch2, devices, random shapes and comparisons that NaN fails.
#include <catch2/catch_message.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <functional>

#include <recto/base/math.hpp>
#include <recto/core/random.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO::testing {

/// Every device of this machine: cpu, sim and, if there is one, cuda.
std::vector<Device> devices();

/// A random shape of `low` to `high` axes with few elements; sometimes one axis has extent 1 or 127 to 129.
Shape random_shape(Generator& random, int low = 1, int high = 3);

/// Whether all numbers agree: |got - want| <= tolerance (1 + |want|), NaN equal only to NaN. Reports the first
/// difference.
bool close(std::span<const Real> got, std::span<const double> want, double tolerance);

/// The tolerance for a loop of moderate length: 1e-12 in double, 2e-6 in float.
inline constexpr double usual = sizeof(Real) == 8 ? 1e-12 : 2e-6;

/// Compares a tensor's numbers with a computation in double, in row-major order.
bool close(const Tensor& got, const std::vector<double>& want, double tolerance = usual);

/// Whether both have the same bits, NaN included.
bool same_bits(const Tensor& a, const Tensor& b);

/// A tensor's numbers in double, for reference computations.
std::vector<double> doubles(const Tensor& x);

}  // namespace RECTO::testing

/// Lets Catch2 print a Device.
template <>
struct Catch::StringMaker<recto::Device> {
    /// The device's name.
    static std::string convert(recto::Device device) { return std::string(recto::name(device)); }
};
/// Lets Catch2 print a Shape.
template <>
struct Catch::StringMaker<recto::Shape> {
    /// The shape, `(2, 3)`.
    static std::string convert(const recto::Shape& shape) { return recto::to_string(shape); }
};
