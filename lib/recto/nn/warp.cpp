#include <recto/nn/warp.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/core/integers.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

void check_flow(const char* op, const Tensor& flow) {
    check_defined(op, flow);
    check(flow.dim() == 4 && flow.size(1) == 2, "{}: wanted a flow (batch, 2, height, width), got shape {}", op,
          flow.shape());
}

/// 0, 1, 2 and so on.
Tensor counted(Index size, Device device) {
    std::vector<Real> numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), Real(0));
    return Tensor({size}, numbers, device);
}

/// One coordinate of every position, and the two pixels between which it lies.
struct Between {
    Tensor share;                  ///< how far it is from `low` to `high`, 0 to 1; (pixels, 1)
    std::vector<Index> low = {};   ///< the pixel before
    std::vector<Index> high = {};  ///< the pixel after; the same if there is only one
};

/// @param at    (batch, height, width): a coordinate, still without a limit
/// @param size  pixels along this axis
Between between(const Tensor& at, Index size) {
    const Tensor inside = clamp(at, 0, double(size - 1));
    const std::vector<Real> places = inside.values();
    std::vector<Real> whole(places.size());
    Between found;
    for (std::size_t i = 0; i < places.size(); ++i) {
        // The last pixel belongs to the cell before it; a NaN to the first one.
        const Index low = places[i] > 0 ? std::min(Index(places[i]), std::max<Index>(size - 2, 0)) : 0;
        whole[i] = Real(low);
        found.low.push_back(low), found.high.push_back(std::min(low + 1, size - 1));
    }
    found.share = reshape(inside - Tensor(inside.shape(), whole, inside.device()), {inside.numel(), 1});
    return found;
}

}  // namespace

Tensor warp(const Tensor& x, const Tensor& flow) {
    check_defined("warp", x);
    check_flow("warp", flow);
    check(x.dim() == 4 && x.size(0) == flow.size(0) && x.size(2) == flow.size(2) && x.size(3) == flow.size(3),
          "warp: wanted images (batch, channels, height, width) of the size of the flow, got shapes {} and {}",
          x.shape(), flow.shape());
    check(x.device() == flow.device(), "warp: wanted all on one device, got {} and {}", x.device(), flow.device());
    const Index count = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
    check(height > 0 && width > 0, "warp: wanted at least one pixel, got shape {}", x.shape());

    const Tensor rows = reshape(counted(height, x.device()), {height, 1}), columns = counted(width, x.device());
    const Between down = between(select(flow, 1, 1) + rows, height);
    const Between right = between(select(flow, 1, 0) + columns, width);

    // A row for each pixel, with its channels.
    const Tensor pixels = reshape(permute(x, {0, 2, 3, 1}), {count * height * width, channels});
    const auto read = [&](const std::vector<Index>& row, const std::vector<Index>& column) {
        std::vector<Index> places(row.size());
        for (std::size_t i = 0; i < places.size(); ++i)
            places[i] = (Index(i) / (height * width) * height + row[i]) * width + column[i];
        return index_rows(pixels, Integers({Index(places.size())}, places, x.device()));
    };
    const auto along_row = [&](const std::vector<Index>& row) {
        const Tensor left = read(row, right.low);
        return left + right.share * (read(row, right.high) - left);
    };
    const Tensor above = along_row(down.low);
    const Tensor found = above + down.share * (along_row(down.high) - above);
    return contiguous(permute(reshape(found, {count, height, width, channels}), {0, 3, 1, 2}));
}

Tensor resize_flow(const Tensor& flow, Pair size) {
    check_flow("resize_flow", flow);
    const Tensor factors(
        {2, 1, 1}, {Real(double(size.width) / double(flow.size(3))), Real(double(size.height) / double(flow.size(2)))},
        flow.device());
    return resize_bilinear(flow, size) * factors;
}

Tensor end_point_errors(const Tensor& flow, const Tensor& truth) {
    check_flow("end_point_errors", flow);
    check_flow("end_point_errors", truth);
    check(flow.shape() == truth.shape(), "end_point_errors: wanted two flows of one shape, got {} and {}", flow.shape(),
          truth.shape());
    const NoGrad only_asking;
    return sqrt(sum(square(flow - truth), {1}));
}

}  // namespace RECTO::nn
