#pragma once
/// @file
/// The tape of automatic differentiation. An operation computes its result, then calls record() with a rule that turns
/// the gradient of the result into the gradients of its inputs. The rule captures the tensors that it reads as Saved
/// (autograd/saved.hpp).
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <recto/autograd/saved.hpp>

namespace RECTO {

using Grads = std::vector<Tensor>;                    ///< One gradient per input; undefined where it is zero.
using Rule = std::function<Grads(const Tensor& dy)>;  ///< Takes the result's gradient, returns the inputs'.

/// Returns `y`, with a node on the tape that holds its backward rule if any input requires a gradient.
///
/// The rule captures a tensor that it reads as `Saved(x)`, which detaches the tensor and throws an Error if it was
/// changed in the meantime. The rule must not capture an attached tensor: this would keep a second part of the tape
/// alive.
/// @param name    the operation's name in messages, diagrams and gradient tests
/// @param y       the result
/// @param inputs  what `y` was computed from, in the order of the gradients that the rule returns
/// @param rule    the backward pass
Tensor record(const char* name, Tensor y, std::initializer_list<Tensor> inputs, Rule rule);

/// Records an operation with any number of inputs.
Tensor record(const char* name, Tensor y, std::vector<Tensor> inputs, Rule rule);

/// Returns `y` with a backward rule that throws the Error `name: has no derivative`.
Tensor record_without_derivative(const char* name, Tensor y, const Tensor& input);

/// A buffer for a gradient of dy's shape: `dense` itself (in place) if no other handle shares its storage, which saves
/// memory traffic; otherwise an empty tensor. For rules that write an element only after reading it for the last time.
/// @param dy     the gradient that the rule received
/// @param dense  dense(dy)
Tensor over(const Tensor& dy, const Tensor& dense);

/// While a NoGrad exists, record() on this thread records nothing, as under torch.no_grad().
class NoGrad {
public:
    NoGrad();
    ~NoGrad();
    NoGrad(const NoGrad&) = delete;
    NoGrad& operator=(const NoGrad&) = delete;

private:
    bool before_;
};

/// While a BackwardWatch exists, backward() on this thread calls its function for every operation, before the backward
/// rule of this operation runs. A second BackwardWatch replaces the first while it exists.
class BackwardWatch {
public:
    /// Receives the name of the operation, the id of its step, and the gradient of its result.
    using See = std::function<void(std::string_view name, std::uint64_t id, const Tensor& dy)>;
    explicit BackwardWatch(See see);  ///< Begins to watch.
    ~BackwardWatch();
    BackwardWatch(const BackwardWatch&) = delete;
    BackwardWatch& operator=(const BackwardWatch&) = delete;

private:
    See see_;
    const See* before_;
};

/// One step on the tape, for code that draws or counts the steps.
struct Step {
    std::string_view name;              ///< the operation, or `leaf`
    std::uint64_t id;                   ///< unique; later steps have larger ids
    std::vector<std::uint64_t> inputs;  ///< ids of the steps that made its inputs; 0 is a constant
    std::vector<Shape> input_shapes;    ///< the inputs' shapes, in the same order
    Shape shape;                        ///< the result's shape
    bool view;                          ///< whether the result is a view of an input, sharing its storage
};

/// All steps that `y` was computed from, earliest first.
std::vector<Step> steps(const Tensor& y);

}  // namespace RECTO
