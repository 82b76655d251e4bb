#pragma once
/// @file
/// Splits a set into three parts: for training, for choosing a model, and for testing it once at the end.
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// Locks a test set until the choice that it tests has been declared: reading it earlier would let the test influence
/// the choice.
template <class Set>
class Guarded {
public:
    /// Locks the set away.
    explicit Guarded(Set set) : set_(std::move(set)) {}

    /// Declares the choice; from now on the set may be read. @throws Error when a choice was declared before
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

    const std::optional<std::string>& choice() const { return choice_; }  ///< The declared choice, if any.

private:
    Set set_;
    std::optional<std::string> choice_;
};

/// The rows of a set, each in exactly one of three parts; each part in ascending order.
struct Split {
    std::vector<Index> train;          ///< for training
    std::vector<Index> validation;     ///< for choosing a model
    Guarded<std::vector<Index>> test;  ///< for testing the choice
};

/// Splits n rows at random. @throws Error unless the parts are at least 0 and leave a row for training
Split split(Index n, Index validation, Index test, Generator& random);

/// Splits rows at random so that every class has its share of every part: of n_c rows of a class, a part of m out of n
/// gets m n_c / n, rounded up or down (or one more if that is an integer).
/// @param labels  the class of every row; any numbers
/// @throws Error as split()
Split stratified_split(std::span<const Index> labels, Index validation, Index test, Generator& random);

}  // namespace RECTO::data
