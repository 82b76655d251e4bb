#pragma once
/// @file
/// Gradients against finite differences, and a check of the check itself.
#include <functional>

#include <recto/autograd/tape.hpp>
#include <recto/testing/testing.hpp>

/// Declares the gradient test of one operation; `op` is the name that the operation records. The test exists only in
/// the double build, whose precision finite differences need, and under AddressSanitizer. Further tags may follow.
/// Every operation has such a test: two rows of the register require it.
#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
#define GRADIENT_TEST(op, ...)                                                     \
    TEST_CASE(op ": gradient",                                                     \
              "[gradient][devices][row:sys-layer/b][row:eq-backward-parameters/a]" \
              "[row:eq-backward-parameters/b]" __VA_ARGS__)
#else
#define GRADIENT_TEST(op, ...) GRADIENT_TEST_UNUSED(__COUNTER__)
/// Creates the unused name below; the counter must be expanded first.
#define GRADIENT_TEST_UNUSED(n) GRADIENT_TEST_NAME(n)
/// An unused function with a unique name.
#define GRADIENT_TEST_NAME(n) [[maybe_unused]] static void gradient_test_in_double_only_##n()
#endif

namespace RECTO::testing {

using Inputs = std::vector<Tensor>;  ///< The inputs of an operation under test.

/// Compares the full Jacobian of `f` with respect to every input with a 4-point stencil, for 64 random inputs on every
/// device: |numeric - analytic| <= 1e-8 (1 + |analytic|). In float, only the forward and backward passes run.
///
/// Then it tests itself: with one input's gradient zeroed, or scaled by 1.0001, the comparison must fail wherever that
/// input matters, and the input must matter in at least one case.
/// @param f     the operation
/// @param make  draws the inputs; keeps them away from kinks
void check_gradient(const std::function<Tensor(const Inputs&)>& f, const std::function<Inputs(Generator&)>& make,
                    int cases = 64);

/// The same check for an operation of one input, whose shape is random with 1 to 3 axes.
void check_gradient(const std::function<Tensor(const Tensor&)>& f, int cases = 64);

}  // namespace RECTO::testing
