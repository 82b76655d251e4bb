#pragma once
/// @file
/// Boxes around objects in an image.
#include <recto/base/shape.hpp>

namespace RECTO::data {

/// A box whose sides are parallel to those of the image, in pixels: x to the right, y down, and pixel (row, col) covers
/// [col, col + 1) x [row, row + 1).
struct Box {
    double x1 = 0;  ///< left side
    double y1 = 0;  ///< upper side
    double x2 = 0;  ///< right side
    double y2 = 0;  ///< lower side

    double width() const { return x2 - x1; }            ///< Horizontal extent.
    double height() const { return y2 - y1; }           ///< Vertical extent.
    double area() const { return width() * height(); }  ///< Width times height.
    double x() const { return (x1 + x2) / 2; }          ///< Horizontal position of the centre.
    double y() const { return (y1 + y2) / 2; }          ///< Vertical position of the centre.
    bool operator==(const Box& other) const = default;  ///< The same four sides.
};

}  // namespace RECTO::data
