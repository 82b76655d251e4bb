#pragma once
/// @file
/// Boxes around objects in an image: their overlap, the suppression of those found twice, the cells of a detector that
/// they fall in, and the average precision of a detector.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

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

/// Intersection over union: the area that two boxes share over the area that they cover together. From 0 to 1; 0 if both
/// are empty.
double iou(const Box& a, const Box& b);

/// Greedy non-maximum suppression: takes the boxes in decreasing order of score, equal scores in order of index, and
/// keeps each one that overlaps none of those kept before by more than `threshold`.
/// @return  indices of the kept boxes, in decreasing order of score
/// @throws Error unless there is a score for each box, none of them NaN
std::vector<std::size_t> suppress(std::span<const Box> boxes, std::span<const double> scores, double threshold);

/// A place of a detector's output: one box of one cell of one map.
struct BoxCell {
    Index map = 0;                                          ///< number of the map
    Index row = 0;                                          ///< row of the cell, from the top
    Index col = 0;                                          ///< column of the cell
    Index slot = 0;                                         ///< number of the box in the cell
    bool operator==(const BoxCell& other) const = default;  ///< The same place.
};

/// The cells of a multi-scale detector. Each map divides the image into cells x cells squares; its cells stand for boxes
/// that are centred in them and whose larger side is about as long as a cell.
///
/// Map s is for boxes from `fill` times the side of its cells up to `fill` times that of the next map's; the first map
/// also takes smaller ones, and the last larger ones. The boxes of a cell, its slots, divide this range geometrically.
struct BoxGrid {
    double side = 64;                        ///< pixels along each side of the image
    std::vector<Index> maps = {8, 4, 2, 1};  ///< cells along each side of each map, decreasing
    Index slots = 1;                         ///< boxes in each cell
    double fill = 0.85;                      ///< smallest box of a map, in sides of its cells

    /// @throws Error when maps do not decrease, or a number is not positive
    void check_grid() const;

    Index size() const;                       ///< Number of places, over all maps.
    double pitch(Index map) const;            ///< Side of a cell, in pixels.
    double nominal(const BoxCell& at) const;  ///< Side of the box that a place stands for, in pixels.
    Box square(const BoxCell& at) const;      ///< The square of a cell.
    BoxCell place(Index number) const;        ///< The place of a number: map by map, row by row, slots last.
    Index number(const BoxCell& at) const;    ///< The number of a place, from 0 to size() - 1.

    /// The one place of a box: map and slot follow from the larger side, row and column from the centre.
    /// @throws Error when the centre is outside the image, or the box is empty
    BoxCell assign(const Box& box) const;

    /// A box as four numbers of its place: the distance of its centre from that of the cell, in cells, horizontally and
    /// vertically; and the logarithms of its width and height over nominal().
    std::array<double, 4> encode(const Box& box, const BoxCell& at) const;
    /// The inverse of encode().
    Box decode(const std::array<double, 4>& numbers, const BoxCell& at) const;
};

/// A box with a class in one of several images: a true one, or one that a detector found.
struct LabelledBox {
    Index image = 0;   ///< number of the image
    Index label = 0;   ///< its class
    Box box;           ///< where it is
    double score = 1;  ///< how sure the detector is
};

/// A curve of precision against recall, one point for each detection.
struct PrecisionRecall {
    std::vector<double> recall;     ///< the share of true boxes that are found, increasing
    std::vector<double> precision;  ///< the share of detections that are right
    double average = 0;             ///< the average precision
};

/// Precision and recall of one class, its detections taken in decreasing order of score.
///
/// A detection is right if, among the true boxes of its class and image, the one that it overlaps most is overlapped by
/// at least `threshold` and has not been found before. Average precision is the area under the curve after each
/// precision is replaced by the largest at the same or a higher recall (Everingham et al., 2010).
/// @throws Error when there is no true box of this class
PrecisionRecall precision_recall(std::span<const LabelledBox> found, std::span<const LabelledBox> truth, Index label,
                                 double threshold = 0.5);

/// The mean of the average precisions of all classes that have a true box (mAP). @throws Error without a true box
double mean_average_precision(std::span<const LabelledBox> found, std::span<const LabelledBox> truth,
                              double threshold = 0.5);

}  // namespace RECTO::data
