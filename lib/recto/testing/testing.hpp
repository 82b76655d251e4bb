#pragma once
/// @file
/// What every test needs: Catch2, devices, random shapes and comparisons that NaN cannot pass.
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

/// Every device that this machine has: cpu, sim and, where there is one, cuda.
std::vector<Device> devices();

/// A shape of `low` to `high` axes with few elements, which now and then crosses 1 or 127 to 129 on one.
Shape random_shape(Generator& random, int low = 1, int high = 3);

/// Do all numbers agree, |got - want| <= tolerance (1 + |want|), NaN equal to NaN only? Says where not.
bool close(std::span<const Real> got, std::span<const double> want, double tolerance);

/// Half the digits of a Real in a loop of moderate length: 1e-12 in double, 2e-6 in float.
inline constexpr double usual = sizeof(Real) == 8 ? 1e-12 : 2e-6;

/// The same for a tensor's numbers against a plain double computation, row after row.
bool close(const Tensor& got, const std::vector<double>& want, double tolerance = usual);

/// Whether both have the same bits, NaN included.
bool same_bits(const Tensor& a, const Tensor& b);

/// A tensor's numbers in double, for oracles.
std::vector<double> doubles(const Tensor& x);

}  // namespace RECTO::testing

/// Lets Catch2 print what fmt can.
template <>
struct Catch::StringMaker<recto::Device> {
    /// The name.
    static std::string convert(recto::Device device) { return std::string(recto::name(device)); }
};
/// Lets Catch2 print what fmt can.
template <>
struct Catch::StringMaker<recto::Shape> {
    /// `(2, 3)`.
    static std::string convert(const recto::Shape& shape) { return recto::to_string(shape); }
};
