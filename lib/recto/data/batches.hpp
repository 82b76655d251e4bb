#pragma once
/// @file
/// Mini-batches: a data set cut into pieces, in order or shuffled.
#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>

namespace RECTO::data {

/// One epoch: a pass over a set in mini-batches of `size` examples; the last may be smaller.
///
///     for (const Examples& batch : Batches(train, 100, random)) step(batch.x, batch.labels);
///
/// In order, mini-batches are views of the set and cost nothing; shuffled, they are copies, made one at a time. Batches
/// keeps the set's tensors alive; shuffling needs them on cpu. @throws Error unless size >= 1
class Batches {
public:
    /// In the order of the set.
    Batches(Examples set, Index size, Device device = Device::cpu);
    /// In an order drawn now.
    Batches(Examples set, Index size, Generator& random, Device device = Device::cpu);

    Index count() const { return (set_.size() + size_ - 1) / size_; }  ///< Number of mini-batches.
    Examples operator[](Index i) const;                                ///< Batch i. @throws Error when out of range

    /// Walks from piece to piece.
    struct Iterator {
        const Batches* batches;  ///< the mini-batches
        Index at;                ///< where it is

        Examples operator*() const { return (*batches)[at]; }                    ///< This mini-batch.
        Iterator& operator++() { return ++at, *this; }                           ///< The next.
        bool operator==(const Iterator& other) const { return at == other.at; }  ///< At the same batch?
    };
    Iterator begin() const { return {this, 0}; }      ///< The first piece.
    Iterator end() const { return {this, count()}; }  ///< Past the last.

private:
    Examples set_;
    Index size_;
    Device device_;
    std::vector<Index> order_;  // empty: as they lie
};

/// An endless sequence of mini-batches: one epoch after another, each in its own random order. The order of a pass
/// follows from the seed and the number of the pass, so that a checkpoint (io/checkpoint.hpp) keeps its place in two
/// numbers.
class Passes {
public:
    /// Draws a seed; the orders are drawn from that. @throws Error unless size >= 1 and the set has an example
    Passes(Examples set, Index size, Generator& random, Device device = Device::cpu);

    Examples next();                                           ///< The next batch.
    Index taken() const { return taken_; }                     ///< How many were taken.
    Index pass() const { return taken_ / in_order_.count(); }  ///< The pass that the next belongs to; 0 is the first.
    Index count() const { return in_order_.count(); }          ///< How many batches a pass has.
    /// Names what it goes on from.
    void visit(auto&& part) {
        part("seed", seed_), part("taken", taken_);
        drawn_ = -1;  // the visitor may have another place in mind
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
