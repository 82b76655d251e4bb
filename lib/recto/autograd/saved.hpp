#pragma once
/// @file
/// What a rule of the tape reads in the backward pass.
#include <cstdint>
#include <utility>

#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {
namespace detail {

/// Does a segment that will run again (autograd/checkpoint.hpp) want to know what its rules read?
inline constinit thread_local bool noting = false;
/// Tells that segment of a tensor which a rule saves.
void note_saved(const Tensor& x);
/// Tells that segment of integers which a rule saves.
void note_saved(const Integers& x);
/// Throws the Error of the rule that runs, for a tensor that was changed.
[[noreturn]] void refuse_changed(const Tensor& x);
/// Throws the Error of the rule that runs, for integers that were changed.
[[noreturn]] void refuse_changed(const Integers& x);

}  // namespace detail

/// Numbers that a rule reads: a Tensor, without its tape, or Integers. A rule captures a Saved of every input, result or
/// index that it reads, and reads it through `*` or `->`, which throw an Error when the numbers were changed since.
/// What the rule does not read it does not save, so that it may change. Numbers that only the operation knows, such as
/// the place of each maximum, cannot change and are captured as they are.
///
///     return record("exp", y, {x}, [y = Saved(y)](const Tensor& dy) { return Grads{dy * *y}; });
template <class Numbers>
class Saved {
public:
    /// Remembers numbers and how often they had been changed. They may be undefined.
    explicit Saved(const Numbers& numbers) : numbers_(without_tape(numbers)), version_(numbers.version()) {
        if (detail::noting) detail::note_saved(numbers_);
    }
    /// For a rule that reads the numbers by another handle. @throws Error when they were changed since they were saved
    void check() const {
        if (numbers_.changed_since(version_)) detail::refuse_changed(numbers_);
    }
    /// The numbers. @throws Error when they were changed since they were saved
    const Numbers& operator*() const { return check(), numbers_; }
    const Numbers* operator->() const { return &**this; }  ///< The same, for a member.

private:
    static Tensor without_tape(const Tensor& x) { return x.detach(); }
    static const Integers& without_tape(const Integers& x) { return x; }

    Numbers numbers_;
    std::uint64_t version_;
};

}  // namespace RECTO
