#pragma once
/// @file
/// Cuts a set in three: to learn from, to choose by, and to be judged by, once and at the end.
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// Keeps a test set under lock until the choice it is to judge has been declared: reading it earlier would let the
/// judge influence the choice.
template <class Set>
class Guarded {
public:
    /// Locks the set away.
    explicit Guarded(Set set) : set_(std::move(set)) {}

    /// Declares what was chosen; from now on the set may be read. @throws Error when it was declared before
    void declare(std::string choice) {
        check(!choice_, "test set: the choice is \"{}\" already and cannot become \"{}\"", choice_.value_or(""),
              choice);
        choice_ = std::move(choice);
    }

    /// The set. @throws Error before a choice was declared
    const Set& read() const {
        check(choice_.has_value(), "test set: wanted a declared choice before the first look, got none");
        return set_;
    }

    const std::optional<std::string>& choice() const { return choice_; }  ///< What was declared, if anything.

private:
    Set set_;
    std::optional<std::string> choice_;
};

/// Rows of a set, every one in exactly one of three parts; each part in ascending order.
struct Split {
    std::vector<Index> train;          ///< to learn from
    std::vector<Index> validation;     ///< to choose by
    Guarded<std::vector<Index>> test;  ///< to judge the choice by
};

/// Deals n rows out at random. @throws Error unless the parts are at least 0 and leave one to learn from
Split split(Index n, Index validation, Index test, Generator& random);

/// Deals rows out at random so that every class has its share of every part: of n_c rows of a class, a part of m out of n
/// gets m n_c / n, rounded up or down (or one more where that is a whole number).
/// @param labels  the class of every row; any numbers
/// @throws Error as split() does
Split stratified_split(std::span<const Index> labels, Index validation, Index test, Generator& random);

}  // namespace RECTO::data
