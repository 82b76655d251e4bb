#pragma once
/// @file
/// Every operation, once: how to call it, with which inputs, and how closely the devices must agree.
/// tests/check_rooms.py rejects a function of ops/*.hpp that has no entry in the table (every_op.cpp).
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <recto/base/math.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>
#include <recto/ops/indexing/top_k.hpp>
#include <recto/ops/sequences/recurrent.hpp>

namespace RECTO::testing {

/// The results of an operation, of whatever type, as tensors.
struct Results {
    std::vector<Tensor> all;                           ///< in the order of its members
    Results(const Tensor& y) : all{y} {}               ///< A single result.
    Results(const std::vector<Tensor>& y) : all(y) {}  ///< Several results.
    Results(const Recurrent& y);                       ///< The states, and the cells if there are any.
    Results(const Integers& y);                        ///< Integers as numbers.
    Results(const TopK& y) : all{y.values, Results(y.places).all[0]} {}  ///< Values, then places.
};

/// The bound on the difference between an operation on another device and on the CPU, for every number of the results
/// and of the inputs' gradients. NaN must match NaN, and infinities must be equal.
struct Nearness {
    /// The rules for the bound.
    enum Rule {
        equal,      ///< Numbers are moved or chosen: the same bits.
        pointwise,  ///< Each number by itself: 1e-6 of its size in float, but at least `absolute`.
        sums,       ///< Sums of products: 4 eps sqrt(K) |A||B|, where |A||B| is the operation on absolute values.
        /// Sums between other functions: 4 eps sqrt(K) S, where S is how far the number changes when all inputs change
        /// by their own size (found with small changes), or the average over the tensor.
        chain,
    };
    Rule rule = pointwise;    ///< the rule
    const char* terms = "1";  ///< the longest sums, forward or backward, as products of extents; K is the longest
    double absolute = 0;      ///< for results that are small differences of numbers near 1
    bool finite = false;      ///< excludes NaN and infinities from the inputs: how far they spread is not specified
};

/// An operation and its inputs. In `shapes` and `terms` a digit is an extent; n and m take several sizes.
struct Op {
    const char* name;                            ///< the function's name
    const char* shapes;                          ///< of the inputs: `3nm m`
    Results (*f)(const std::vector<Tensor>& x);  ///< calls it
    Nearness near = {};                          ///< how closely other devices must agree
    bool whole = false;  ///< whether tests on views use integers: there, sums may run in another order
};

/// All operations.
std::span<const Op> every_op();

/// Applied to each drawn number: no change, rounding, or a small change.
using Change = std::function<Real(Real)>;

/// The inputs of an operation for these n and m: the same normal numbers each time, with `change` applied to each.
std::vector<Tensor> inputs(const Op& op, Index n, Index m, Device device, const Change& change);

/// The results of an operation for these inputs, then the gradients of the inputs (undefined without a gradient), for
/// result gradients drawn and changed like inputs; or the message of its Error.
struct Outcome {
    std::vector<Tensor> tensors;  ///< results, then gradients
    std::size_t results = 0;      ///< the number of results
    std::string refusal;          ///< the message of its Error, or empty
};
Outcome outcome(const Op& op, std::vector<Tensor> x, const Change& change);  ///< Runs it, forward and backward.

/// The longest of the sums that `terms` names: `3n m` at n = 2, m = 7 is 7.
Index longest_sum(const char* terms, Index n, Index m);

}  // namespace RECTO::testing
