#pragma once
/// @file
/// Gradients against differences, and a check of the check itself.
#include <functional>

#include <recto/autograd/tape.hpp>
#include <recto/testing/testing.hpp>

/// Declares the gradient test of one operation; `op` is the name that the operation records. It exists in
/// the double build only, where differences have the digits, and under AddressSanitizer. Further tags may follow. No
/// operation is without such a test: together they are what two rows of the register ask.
#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
#define GRADIENT_TEST(op, ...)                                                     \
    TEST_CASE(op ": gradient",                                                     \
              "[gradient][devices][row:sys-layer/b][row:eq-backward-parameters/a]" \
              "[row:eq-backward-parameters/b]" __VA_ARGS__)
#else
#define GRADIENT_TEST(op, ...) GRADIENT_TEST_UNUSED(__COUNTER__)
/// Makes the unused name below; the counter must be expanded first.
#define GRADIENT_TEST_UNUSED(n) GRADIENT_TEST_NAME(n)
/// An unused function with a unique name.
#define GRADIENT_TEST_NAME(n) [[maybe_unused]] static void gradient_test_in_double_only_##n()
#endif

namespace RECTO::testing {

using Inputs = std::vector<Tensor>;  ///< What an operation under test is given.

/// Compares the full Jacobian of `f` with respect to every input with a 4-point stencil, for 64 random
/// inputs on every device: |numeric - analytic| <= 1e-8 (1 + |analytic|). In float the inputs only go forward and
/// backward.
///
/// Then it doubts itself: with one input's gradient zeroed, or scaled by 1.0001, the comparison must fail
/// wherever that input matters, and it must matter in at least one case.
/// @param f     the operation
/// @param make  draws its inputs; keeps them away from kinks
void check_gradient(const std::function<Tensor(const Inputs&)>& f, const std::function<Inputs(Generator&)>& make,
                    int cases = 64);

/// The same for an operation of one input, whose shape is random with 1 to 3 axes.
void check_gradient(const std::function<Tensor(const Tensor&)>& f, int cases = 64);

}  // namespace RECTO::testing
