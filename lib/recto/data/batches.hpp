#pragma once
/// @file
/// Mini-batches: a data set divided into parts, in order or shuffled.
#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>

namespace RECTO::data {

/// One epoch: a pass over a set in mini-batches of `size` examples; the last may be smaller.
///
///     for (const Examples& batch : Batches(train, 100, random)) step(batch.x, batch.labels);
///
/// In order, mini-batches are views of the set and cost nothing; shuffled, they are copies, made one at a time. Batches
/// keeps the set's tensors alive; shuffling requires them on cpu. @throws Error unless size >= 1
class Batches {
public:
    /// Batches in the order of the set.
    Batches(Examples set, Index size, Device device = Device::cpu);
    /// Batches in a random order, drawn now.
    Batches(Examples set, Index size, Generator& random, Device device = Device::cpu);

    Index count() const { return (set_.size() + size_ - 1) / size_; }  ///< Number of mini-batches.
    Examples operator[](Index i) const;                                ///< Batch i. @throws Error when out of range

    /// Iterates over the mini-batches.
    struct Iterator {
        const Batches* batches;  ///< the mini-batches
        Index at;                ///< index of the current one

        Examples operator*() const { return (*batches)[at]; }                    ///< The current mini-batch.
        Iterator& operator++() { return ++at, *this; }                           ///< Advances to the next.
        bool operator==(const Iterator& other) const { return at == other.at; }  ///< Same mini-batch?
    };
    Iterator begin() const { return {this, 0}; }      ///< The first mini-batch.
    Iterator end() const { return {this, count()}; }  ///< Past the last mini-batch.

private:
    Examples set_;
    Index size_;
    Device device_;
    std::vector<Index> order_;  // empty for the order of the set
};

/// An endless sequence of mini-batches: one epoch after another, each in its own random order. The order of a pass
/// depends only on the seed and the number of the pass, so that a checkpoint (io/checkpoint.hpp) stores its position in
/// two numbers.
class Passes {
public:
    /// Draws a seed, which determines all orders. @throws Error unless size >= 1 and the set has an example
    Passes(Examples set, Index size, Generator& random, Device device = Device::cpu);

    Examples next();                                           ///< The next batch.
    Index taken() const { return taken_; }                     ///< Number of batches taken.
    Index pass() const { return taken_ / in_order_.count(); }  ///< The pass of the next batch, from 0.
    Index count() const { return in_order_.count(); }          ///< Number of batches in a pass.
    /// Names its state.
    void visit(auto&& part) {
        part("seed", seed_), part("taken", taken_);
        drawn_ = -1;  // the visitor may change the position
    }

private:
    Examples set_;
    Batches in_order_, shuffled_;
    std::uint64_t seed_;
    Index taken_ = 0, drawn_ = -1;  // drawn_: the pass whose order shuffled_ has
    Index size_;
    Device device_;
};

}  // namespace RECTO::data
