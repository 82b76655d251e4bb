#pragma once
/// @file
/// Which axes of a tensor an operation reduces.
#include <utility>
#include <vector>

#include <recto/base/shape.hpp>

namespace RECTO {

/// A run of neighbouring axes that are reduced together: x is (outer, n, inner), the result (outer, inner).
struct Run {
    Index outer;  ///< product of the extents before the run
    Index n;      ///< product of the extents of the run
    Index inner;  ///< product of the extents after the run
};

/// The axes of a tensor that an operation reduces.
struct ChosenAxes {
    std::array<bool, max_rank> axis{};  ///< whether this axis is reduced

    /// Every axis of any tensor.
    static ChosenAxes all() {
        ChosenAxes chosen;
        chosen.axis.fill(true);
        return chosen;
    }
    ChosenAxes() = default;  ///< No axis.
    /// The axes that the caller of `op` named. @throws Error for an axis that does not exist or is named twice
    ChosenAxes(const char* op, const Shape& shape, std::span<const int> axes) {
        for (const int a : axes) {
            check(a >= -shape.dim() && a < shape.dim(), "{}: axis {} is not there in shape {}", op, a, shape);
            check(!std::exchange(axis[std::size_t(shape.axis(a))], true), "{}: axis {} is named twice for shape {}", op,
                  a, shape);
        }
    }
    /// `shape` without the chosen axes, or with extent 1 there if `keep`.
    Shape result(const Shape& shape, bool keep) const {
        PerAxis extents{};
        std::size_t rank = 0;
        for (int i = 0; i < shape.dim(); ++i)
            if (!axis[std::size_t(i)] || keep) extents[rank++] = axis[std::size_t(i)] ? 1 : shape[i];
        return Shape(std::span<const Index>(extents.data(), rank));
    }
    /// Number of elements that are reduced to one.
    Index together(const Shape& shape) const {
        Index n = 1;
        for (int i = 0; i < shape.dim(); ++i)
            if (axis[std::size_t(i)]) n *= shape[i];
        return n;
    }
    /// The runs of neighbouring chosen axes, the last first, so that a run is reduced after all runs behind it.
    std::vector<Run> runs(const Shape& shape) const {
        std::vector<Run> found;
        Index inner = 1;
        for (int i = shape.dim() - 1; i >= 0;) {
            if (!axis[std::size_t(i)]) {
                inner *= shape[i--];
                continue;
            }
            Index n = 1, outer = 1;
            while (i >= 0 && axis[std::size_t(i)]) n *= shape[i--];
            for (int j = 0; j <= i; ++j) outer *= shape[j];
            found.push_back({outer, n, inner});
        }
        return found;
    }
};

}  // namespace RECTO
