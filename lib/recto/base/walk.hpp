#pragma once
/// @file
/// Walks several tensors of one shape together, whatever their strides.
#include <algorithm>

#include <recto/base/shape.hpp>

namespace RECTO {

/// The way through N tensors of one shape, in pieces of rows.
///
/// Axes that lie end to end in all of them are merged first, so that dense tensors become one long row. Rows
/// are cut into pieces that threads can share. Places are divided out once for a piece, not once for a number.
template <int N>
class Walk {
public:
    /// Where a piece starts in each tensor, and how many numbers it has.
    struct Piece {
        Index at[N];  ///< distance from the tensor's first number
        Index count;  ///< numbers in this piece
    };

    /// @param strides  of each tensor; 0 along an axis where it is stretched
    Walk(const Shape& shape, const std::array<PerAxis, N>& strides) {
        for (std::size_t axis = 0; axis < std::size_t(shape.dim()); ++axis) {
            const Index n = shape[int(axis)];
            if (n == 1) continue;
            bool merge = rank_ > 0;
            for (int k = 0; k < N && merge; ++k) merge = strides_[k][rank_ - 1] == n * strides[std::size_t(k)][axis];
            if (!merge) extents_[rank_++] = 1;
            extents_[rank_ - 1] *= n;
            for (int k = 0; k < N; ++k) strides_[k][rank_ - 1] = strides[std::size_t(k)][axis];
        }
        if (rank_ == 0) extents_[rank_++] = 1;
        per_row_ = (extents_[rank_ - 1] + longest - 1) / longest;
        pieces_ = per_row_;
        for (int axis = 0; axis + 1 < rank_; ++axis) pieces_ *= extents_[axis];
    }

    Index pieces() const { return pieces_; }                                ///< How many there are.
    Index width() const { return std::min(longest, extents_[rank_ - 1]); }  ///< How many numbers most have.
    RECTO_HD Index step(int k) const { return strides_[k][rank_ - 1]; }     ///< From number to number in tensor k.

    /// Piece number p.
    RECTO_HD Piece piece(Index p) const {
        Piece found{};
        Index row = p, begin = 0;
        if (per_row_ > 1) {
            row = p / per_row_;
            begin = (p - row * per_row_) * longest;
        }
        const Index left = extents_[rank_ - 1] - begin;
        found.count = left < longest ? left : longest;
        for (int k = 0; k < N; ++k) found.at[k] = begin * step(k);
        for (int axis = rank_ - 2; axis >= 0; --axis) {
            const Index rest = axis == 0 ? 0 : row / extents_[axis], place = row - rest * extents_[axis];
            for (int k = 0; k < N; ++k) found.at[k] += place * strides_[k][axis];
            row = rest;
        }
        return found;
    }

private:
    static constexpr Index longest = 4096;
    Index extents_[max_rank] = {}, strides_[N][max_rank] = {};
    Index per_row_ = 0, pieces_ = 0;
    int rank_ = 0;
};

}  // namespace RECTO
