#pragma once
/// @file
/// ROI align: rectangles of an image or of a feature map, resized to one fixed size.
#include <span>

#include <recto/base/pair.hpp>
#include <recto/core/tensor.hpp>
#include <recto/data/boxes.hpp>

namespace RECTO::nn {

/// Resizes each region of interest (ROI) to a grid of fixed size. A cell of the grid holds the mean, over its part of
/// the region, of the bilinear interpolation of the map:
///
/// \f[ y_{rs} = \sum_{ij} a_{ri}\, b_{sj}\, x_{ij} \f]
///
/// where \f$ a_{ri} \f$ is the mean of the hat function \f$ \max(0, 1 - |t - i|) \f$ over the rows of cell r, and
/// \f$ b_{sj} \f$ that over its columns. This mean is exact (Jiang et al., 2018, *Acquisition of localization confidence
/// for accurate object detection*); He et al., 2017, *Mask R-CNN*, average a few samples instead.
///
/// Pixel (i, j) of the map has its centre at row (i + 1/2) `stride` and column (j + 1/2) `stride` of the image. Beyond the
/// centres of the outermost pixels the map continues with their values. The gradient goes to the map, not to the boxes.
/// @param maps     (images, channels, height, width)
/// @param regions  the box of each region in pixels of the image, and the number of its image; no other field is read
/// @param size     rows and columns of the grid
/// @param stride   pixels of the image per pixel of the map
/// @return         (regions, channels, rows, columns)
/// @throws Error when an image is out of range, a box is empty or not finite, the grid or the maps are empty, or `stride`
/// is not positive
Tensor roi_align(const Tensor& maps, std::span<const data::LabelledBox> regions, Pair size, double stride = 1);

}  // namespace RECTO::nn
