#pragma once
/// @file
/// The tape. An operation computes its result, then calls record() with a rule that turns the gradient
/// of the result into the gradients of its inputs. What the rule reads, it captures as Saved (autograd/saved.hpp).
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <recto/autograd/saved.hpp>

namespace RECTO {

using Grads = std::vector<Tensor>;                    ///< One per input; an undefined Tensor is no gradient.
using Rule = std::function<Grads(const Tensor& dy)>;  ///< Gradient of the result in, gradients of the inputs out.

/// Returns `y`, remembering how to differentiate it when any input wants a gradient.
///
/// The rule captures what it reads as `Saved(x)`, which drops the tape and refuses numbers that were changed in the
/// meantime. It must not capture a tensor with its tape: the node keeps its inputs alive.
/// @param name    the operation's name: what messages, diagrams and the gradient tests call it
/// @param y       the result
/// @param inputs  what it was computed from, in the order in which the rule answers
/// @param rule    the backward pass
Tensor record(const char* name, Tensor y, std::initializer_list<Tensor> inputs, Rule rule);

/// The same for any number of inputs.
Tensor record(const char* name, Tensor y, std::vector<Tensor> inputs, Rule rule);

/// Returns `y` with a rule that refuses: `name: has no derivative`.
Tensor record_without_derivative(const char* name, Tensor y, const Tensor& input);

/// Where a rule may write a gradient of dy's shape: over dy itself where nobody else holds its numbers, which saves
/// fetching other memory; else new memory. For rules that write an element only after they read it for the last time.
/// @param dy     what the rule was given
/// @param dense  the same, dense
Tensor over(const Tensor& dy, const Tensor& dense);

/// While one of these lives, record() on this thread remembers nothing.
class NoGrad {
public:
    NoGrad();
    ~NoGrad();
    NoGrad(const NoGrad&) = delete;
    NoGrad& operator=(const NoGrad&) = delete;

private:
    bool before_;
};

/// While one of these lives, backward() on this thread tells it of every operation that it comes to, before the rule
/// of that operation runs. One that is made meanwhile takes its place.
class BackwardWatch {
public:
    /// Is told the name of the operation, the id of its step, and the gradient of its result.
    using See = std::function<void(std::string_view name, std::uint64_t id, const Tensor& dy)>;
    explicit BackwardWatch(See see);  ///< Begins to watch.
    ~BackwardWatch();
    BackwardWatch(const BackwardWatch&) = delete;
    BackwardWatch& operator=(const BackwardWatch&) = delete;

private:
    See see_;
    const See* before_;
};

/// One step on the tape, for those who draw or count it.
struct Step {
    std::string_view name;              ///< the operation, or `leaf`
    std::uint64_t id;                   ///< unique, growing with time
    std::vector<std::uint64_t> inputs;  ///< ids of the steps it was computed from; 0 is a constant
    std::vector<Shape> input_shapes;    ///< their shapes, in the same order
    Shape shape;                        ///< of its result
    bool view;  ///< are the numbers of its result those of an input, seen through another shape?
};

/// Everything that `y` was computed from, earliest first.
std::vector<Step> steps(const Tensor& y);

}  // namespace RECTO
