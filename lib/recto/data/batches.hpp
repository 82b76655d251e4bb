#pragma once
/// @file
/// Mini-batches: a set cut into pieces, in order or shuffled.
#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>

namespace RECTO::data {

/// One pass over a set in pieces of `size` examples; the last may be smaller.
///
///     for (const Examples& batch : Batches(train, 100, random)) step(batch.x, batch.labels);
///
/// In order, the pieces are views of the set and cost nothing; shuffled, they are copies, made one at a time. The set
/// must live as long as the pass; shuffling wants it on cpu. @throws Error unless size >= 1
class Batches {
public:
    /// In the order of the set.
    Batches(const Examples& set, Index size, Device device = Device::cpu);
    /// In an order drawn now.
    Batches(const Examples& set, Index size, Generator& random, Device device = Device::cpu);

    Index count() const { return (set_->size() + size_ - 1) / size_; }  ///< How many pieces there are.
    Examples operator[](Index i) const;                                 ///< Piece i. @throws Error when there is none

    /// Walks from piece to piece.
    struct Iterator {
        const Batches* batches;  ///< what it walks over
        Index at;                ///< where it is

        Examples operator*() const { return (*batches)[at]; }                    ///< This piece.
        Iterator& operator++() { return ++at, *this; }                           ///< The next.
        bool operator==(const Iterator& other) const { return at == other.at; }  ///< At the same place?
    };
    Iterator begin() const { return {this, 0}; }      ///< The first piece.
    Iterator end() const { return {this, count()}; }  ///< Past the last.

private:
    const Examples* set_;
    Index size_;
    Device device_;
    std::vector<Index> order_;  // empty: as they lie
};

}  // namespace RECTO::data
