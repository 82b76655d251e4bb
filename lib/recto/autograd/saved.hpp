#pragma once
/// @file
/// Tensors that an operation saves for its backward pass, with a check that they are unchanged when it reads them.
#include <cstdint>
#include <utility>

#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {
namespace detail {

/// Whether a checkpointed segment (autograd/checkpoint.hpp) collects the tensors that its rules save.
inline constinit thread_local bool noting = false;
/// Reports a tensor that a rule saves to the checkpointed segment.
void note_saved(const Tensor& x);
/// Reports integers that a rule saves to the checkpointed segment.
void note_saved(const Integers& x);
/// Throws an Error for a tensor that was changed; its message names the operation whose rule runs.
[[noreturn]] void refuse_changed(const Tensor& x);
/// Throws an Error for integers that were changed; its message names the operation whose rule runs.
[[noreturn]] void refuse_changed(const Integers& x);

}  // namespace detail

/// A Tensor (without its tape) or Integers that a backward rule reads. A rule captures a Saved of every input, result
/// or index that it reads, and reads it through `*` or `->`, which throw an Error if the elements have been changed in
/// place since. An input that the rule does not save may change. Arrays that only the operation holds, such as the
/// index of each maximum, cannot change and are captured directly.
///
///     return record("exp", y, {x}, [y = Saved(y)](const Tensor& dy) { return Grads{dy * *y}; });
template <class Numbers>
class Saved {
public:
    /// Saves an array, which may be undefined, and its version.
    explicit Saved(const Numbers& numbers) : numbers_(without_tape(numbers)), version_(numbers.version()) {
        if (detail::noting) detail::note_saved(numbers_);
    }
    /// For a rule that reads the elements by another handle. @throws Error when the array has been changed since it was
    /// saved
    void check() const {
        if (numbers_.changed_since(version_)) detail::refuse_changed(numbers_);
    }
    /// The saved array. @throws Error when it has been changed since it was saved
    const Numbers& operator*() const { return check(), numbers_; }
    const Numbers* operator->() const { return &**this; }  ///< A member of the saved array. @throws Error as `*` does

private:
    static Tensor without_tape(const Tensor& x) { return x.detach(); }
    static const Integers& without_tape(const Integers& x) { return x; }

    Numbers numbers_;
    std::uint64_t version_;
};

}  // namespace RECTO
