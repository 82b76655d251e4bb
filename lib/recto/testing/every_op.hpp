#pragma once
/// @file
/// Every operation, once: how to call it, with which inputs, and how near the devices must come to each other.
/// tests/check_rooms.py refuses a function of ops/*.hpp that has no line in the table (every_op.cpp).
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

/// What an operation gives, whatever it gives, as tensors.
struct Results {
    std::vector<Tensor> all;                           ///< in the order of its members
    Results(const Tensor& y) : all{y} {}               ///< One.
    Results(const std::vector<Tensor>& y) : all(y) {}  ///< Several.
    Results(const Recurrent& y);                       ///< The states, and the cells where there are any.
    Results(const Integers& y);                        ///< As numbers.
    Results(const TopK& y) : all{y.values, Results(y.places).all[0]} {}  ///< Values, then places.
};

/// How far an operation on another device may be from the CPU, in every number that it gives and in the gradients of
/// its inputs. NaN must meet NaN, and infinities each other.
struct Nearness {
    /// Where the bound comes from.
    enum Rule {
        equal,      ///< Numbers are moved or chosen: the same bits.
        pointwise,  ///< Each by itself: 1e-6 of its size in float, and no less than `absolute`.
        sums,       ///< Sums of products: 4 eps sqrt(K) |A||B|, where |A||B| is the operation on absolute values.
        chain,      ///< Sums between other functions: 4 eps sqrt(K) S, where S is how far the number follows when every
                    ///< input changes by its own size (found with small changes), or the average over the tensor.
    };
    Rule rule = pointwise;    ///< which of them
    const char* terms = "1";  ///< the longest sums, forward or backward, as products of extents; K is the longest
    double absolute = 0;      ///< for what rounds beside 1 and is small
    bool finite = false;      ///< no NaN and infinities among the inputs: their extent is not specified
};

/// An operation and its inputs. In `shapes` and `terms` a digit is an extent; n and m take all sizes.
struct Op {
    const char* name;                            ///< the function's
    const char* shapes;                          ///< of the inputs: `3nm m`
    Results (*f)(const std::vector<Tensor>& x);  ///< calls it
    Nearness near = {};                          ///< how near other devices come
    bool whole = false;  ///< on views its sums may run in another order: those tests give it whole numbers
};

/// The table.
std::span<const Op> every_op();

/// What happens to each number that is drawn: nothing, rounding, a small change.
using Change = std::function<Real(Real)>;

/// The inputs of an operation for these n and m: normal numbers, always the same, each changed.
std::vector<Tensor> inputs(const Op& op, Index n, Index m, Device device, const Change& change);

/// What an operation gives for these inputs, then the gradients of the inputs (undefined without a gradient), for
/// result gradients drawn and changed like inputs; or the message of its Error.
struct Outcome {
    std::vector<Tensor> tensors;  ///< results, then gradients
    std::size_t results = 0;      ///< how many are results
    std::string refusal;          ///< the message, if it refused
};
Outcome outcome(const Op& op, std::vector<Tensor> x, const Change& change);  ///< Runs it, forward and backward.

/// The longest of the sums that `terms` names: `3n m` at n = 2, m = 7 is 7.
Index longest_sum(const char* terms, Index n, Index m);

}  // namespace RECTO::testing
