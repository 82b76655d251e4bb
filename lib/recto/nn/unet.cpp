#include <recto/nn/unet.hpp>

#include <algorithm>
#include <utility>

#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/adaptive_pool.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/shapes/concat.hpp>

namespace RECTO::nn {
namespace {

ConvLayerOptions same_size(Index kernel, Device device) {
    return {.padding = kernel / 2, .weights = he_init, .device = device};
}

Index finest(const UNetSize& size) {
    check(!size.channels.empty(), "UNet: wanted channels for at least one resolution, got none");
    return size.channels.front();
}

}  // namespace

UNet::UNet(const UNetSize& size, Generator& random, Device device)
    : leave(finest(size), size.out, 1, random, {.device = device}), skips(size.skips) {
    Index in = size.in;
    for (const Index out : size.channels) {
        down.emplace_back(in, out, 3, random, same_size(3, device));
        in = out;
    }
    for (std::size_t k = size.channels.size() - 1; k > 0; --k) {
        const Index out = size.channels[k - 1];
        up.emplace_back(size.channels[k], out, 2, random, ConvLayerOptions{.stride = 2, .device = device});
        join.emplace_back(2 * out, out, 3, random, same_size(3, device));
    }
}

Tensor UNet::operator()(const Tensor& images) const {
    const Index block = Index(1) << up.size();
    check(images.dim() == 4 && images.size(2) % block == 0 && images.size(3) % block == 0,
          "UNet: wanted (batch, channels, height, width) with multiples of {}, got shape {}", block, images.shape());
    std::vector<Tensor> seen;
    Tensor x = images;
    for (const Conv2d& layer : down) {
        if (!seen.empty()) x = max_pool2d(x, 2);
        x = relu(layer(x));
        seen.push_back(x);
    }
    for (std::size_t k = 0; k < up.size(); ++k) {
        x = up[k](x);
        x = relu(join[k](concat({x, skips ? seen[up.size() - 1 - k] : x}, 1)));
    }
    return leave(x);
}

PyramidPooling::PyramidPooling(Index in, Index out, Generator& random, std::vector<Index> grids, Device device)
    : grids(std::move(grids)) {
    check(!this->grids.empty() && std::ranges::min(this->grids) >= 1,
          "PyramidPooling: wanted at least one grid, each of 1 or more rows, got {} grids", this->grids.size());
    for (std::size_t k = 0; k < this->grids.size(); ++k) narrow.emplace_back(in, out, 1, random, same_size(1, device));
}

std::vector<Tensor> PyramidPooling::branches(const Tensor& x) const {
    check(x.dim() == 4, "PyramidPooling: wanted (batch, channels, rows, columns), got shape {}", x.shape());
    std::vector<Tensor> found;
    const Pair size = {x.size(2), x.size(3)};
    for (std::size_t k = 0; k < grids.size(); ++k) {
        const Tensor cells = relu(narrow[k](adaptive_avg_pool2d(x, grids[k])));
        found.push_back(grids[k] == 1 ? resize_nearest(cells, size) : resize_bilinear(cells, size));
    }
    return found;
}

Tensor PyramidPooling::operator()(const Tensor& x) const {
    std::vector<Tensor> all = branches(x);
    all.insert(all.begin(), x);
    return concat(all, 1);
}

}  // namespace RECTO::nn
