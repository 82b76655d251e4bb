#pragma once
/// @file
/// Iterates over several tensors of one shape together, with any strides.
#include <algorithm>

#include <recto/base/shape.hpp>

namespace RECTO {

/// An iteration over N tensors of one shape, in pieces of rows.
///
/// Axes that are contiguous in all tensors are merged first, so that dense tensors become one long row. Rows are cut
/// into pieces that threads can share. Index arithmetic costs one division per piece, not one per element.
template <int N>
class Walk {
public:
    /// The offset of a piece in each tensor, and its length.
    struct Piece {
        Index at[N];  ///< offset from the tensor's first element
        Index count;  ///< elements in this piece
    };

    /// @param strides  strides of each tensor; 0 along a broadcast axis
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

    Index pieces() const { return pieces_; }                                ///< Number of pieces.
    Index width() const { return std::min(longest, extents_[rank_ - 1]); }  ///< Elements in most pieces.
    RECTO_HD Index step(int k) const { return strides_[k][rank_ - 1]; }     ///< Stride within a piece in tensor k.

    /// The piece with index p, from 0.
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
