#pragma once
/// @file
/// Which axes of a tensor an operation reduces.
#include <utility>
#include <vector>

#include <recto/base/shape.hpp>

namespace RECTO {

/// Some neighbouring axes that are reduced together: x is (outer, n, inner), the result (outer, inner).
struct Run {
    Index outer;  ///< how many numbers the axes before them have
    Index n;      ///< how many they have together
    Index inner;  ///< how many those after them have
};

/// The axes of one tensor that an operation reduces.
struct ChosenAxes {
    std::array<bool, max_rank> axis{};  ///< is this one reduced?

    /// Every axis of any tensor.
    static ChosenAxes all() {
        ChosenAxes chosen;
        chosen.axis.fill(true);
        return chosen;
    }
    ChosenAxes() = default;  ///< None.
    /// Those that the caller of `op` named. @throws Error for an axis that is not there or is named twice
    ChosenAxes(const char* op, const Shape& shape, std::span<const int> axes) {
        for (const int a : axes) {
            check(a >= -shape.dim() && a < shape.dim(), "{}: axis {} is not there in shape {}", op, a, shape);
            check(!std::exchange(axis[std::size_t(shape.axis(a))], true), "{}: axis {} is named twice for shape {}", op,
                  a, shape);
        }
    }
    /// `shape` with the chosen axes gone, or of extent 1.
    Shape result(const Shape& shape, bool keep) const {
        PerAxis extents{};
        std::size_t rank = 0;
        for (int i = 0; i < shape.dim(); ++i)
            if (!axis[std::size_t(i)] || keep) extents[rank++] = axis[std::size_t(i)] ? 1 : shape[i];
        return Shape(std::span<const Index>(extents.data(), rank));
    }
    /// How many numbers become one.
    Index together(const Shape& shape) const {
        Index n = 1;
        for (int i = 0; i < shape.dim(); ++i)
            if (axis[std::size_t(i)]) n *= shape[i];
        return n;
    }
    /// The runs of neighbouring chosen axes, the last first: by the time of one, those after it are gone.
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
