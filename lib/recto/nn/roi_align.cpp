#include <recto/nn/roi_align.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <recto/core/integers.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

/// The integral of max(0, 1 - |t|) from minus infinity to t.
double below_hat(double t) {
    t = std::clamp(t, -1.0, 1.0);
    return t < 0 ? (1 + t) * (1 + t) / 2 : 1 - (1 - t) * (1 - t) / 2;
}

/// Appends the weights of one axis: for each of `cells` equal parts of low to high, the share of each of `pixels`.
void append_weights(double low, double high, Index cells, Index pixels, std::vector<Real>& weights) {
    const double part = (high - low) / double(cells), last = double(pixels - 1);
    for (Index cell = 0; cell < cells; ++cell) {
        const double from = low + double(cell) * part, to = from + part;
        const double start = std::clamp(from, 0.0, last), end = std::clamp(to, 0.0, last);
        for (Index i = 0; i < pixels; ++i) {
            double share = below_hat(end - double(i)) - below_hat(start - double(i));
            if (i == 0) share += std::min(to, 0.0) - std::min(from, 0.0);
            if (i == pixels - 1) share += std::max(to, last) - std::max(from, last);
            weights.push_back(Real(share / part));
        }
    }
}

/// a x b^T for each region and channel. The columns of all channels are read in one product, then the rows.
/// @param x  (regions or 1, channels, height, width)   @param a  (regions, rows, height)   @param b  (regions, columns, width)
/// @return   (regions, channels, rows, columns)
Tensor read_regions(const Tensor& x, const Tensor& a, const Tensor& b) {
    const Index count = a.size(0), channels = x.size(1), height = x.size(2), columns = b.size(1);
    const Tensor narrow = matmul(reshape(x, {x.size(0), channels * height, x.size(3)}), transpose(b));
    const Tensor rows_first = permute(reshape(narrow, {count, channels, height, columns}), {0, 2, 1, 3});
    const Tensor found = matmul(a, reshape(rows_first, {count, height, channels * columns}));
    return contiguous(permute(reshape(found, {count, a.size(1), channels, columns}), {0, 2, 1, 3}));
}

}  // namespace

Tensor roi_align(const Tensor& maps, std::span<const data::LabelledBox> regions, Pair size, double stride) {
    check_defined("roi_align", maps);
    check(maps.dim() == 4 && maps.size(2) > 0 && maps.size(3) > 0,
          "roi_align: wanted maps (images, channels, height, width) with at least one pixel, got shape {}",
          maps.shape());
    check(size.height > 0 && size.width > 0 && stride > 0,
          "roi_align: wanted a grid of at least one cell and a positive stride, got {} x {} and {}", size.height,
          size.width, stride);
    const Index count = Index(regions.size()), height = maps.size(2), width = maps.size(3);
    std::vector<Index> images;
    std::vector<Real> down, across;
    for (const data::LabelledBox& region : regions) {
        const data::Box& box = region.box;
        check(region.image >= 0 && region.image < maps.size(0), "roi_align: wanted images from 0 to {}, got {}",
              maps.size(0) - 1, region.image);
        check(box.width() > 0 && box.height() > 0 && std::isfinite(box.width()) && std::isfinite(box.height()),
              "roi_align: wanted boxes with a width and a height, got ({}, {}) to ({}, {})", box.x1, box.y1, box.x2,
              box.y2);
        images.push_back(region.image);
        append_weights(box.y1 / stride - 0.5, box.y2 / stride - 0.5, size.height, height, down);
        append_weights(box.x1 / stride - 0.5, box.x2 / stride - 0.5, size.width, width, across);
    }
    const Device device = maps.device();
    const Tensor x = maps.size(0) == 1 ? maps : index_rows(maps, Integers({count}, images, device));
    return read_regions(x, Tensor({count, size.height, height}, down, device),
                        Tensor({count, size.width, width}, across, device));
}

}  // namespace RECTO::nn
