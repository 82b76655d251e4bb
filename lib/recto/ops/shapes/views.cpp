#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO {
namespace {

/// The strides of `x` as a view of `shape`, if the two differ only in axes of extent 1.
bool carry_strides(const Tensor& x, const Shape& shape, PerAxis& strides) {
    PerAxis carried = strides;  // if only some axes match, none are used
    int from = 0;
    for (int to = 0; to < shape.dim(); ++to) {
        if (shape[to] == 1) continue;
        while (from < x.dim() && x.shape()[from] == 1) ++from;
        if (from == x.dim() || x.shape()[from] != shape[to]) return false;
        carried[std::size_t(to)] = x.strides()[std::size_t(from++)];
    }
    strides = carried;
    return true;
}

/// Every `step`-th element of `x` along `axis`, without checks and without a tape.
Tensor part(const Tensor& x, int axis, Index begin, Index count, Index step) {
    PerAxis strides = x.strides();
    const Index stride = std::exchange(strides[std::size_t(axis)], strides[std::size_t(axis)] * step);
    return x.view(x.shape().with(axis, count), strides, count ? begin * stride : 0);
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
    check_defined("reshape", x);
    check(shape.numel() == x.numel(), "reshape: wanted {} elements as in shape {}, got shape {}", x.numel(), x.shape(),
          shape);
    PerAxis strides = shape.strides();
    const bool view = x.is_contiguous() || carry_strides(x, shape, strides);
    return record("reshape", (view ? x : dense(x)).view(shape, strides, 0), {x},
                  [from = x.shape()](const Tensor& dy) { return Grads{reshape(dy, from)}; });
}

Tensor flatten(const Tensor& x, int first) {
    const int from = x.shape().axis(first, "flatten");
    Index joined = 1;
    for (int axis = from; axis < x.dim(); ++axis) joined *= x.shape()[axis];
    PerAxis extents{};
    std::copy(x.shape().begin(), x.shape().begin() + from, extents.begin());
    extents[std::size_t(from)] = joined;
    return reshape(x, Shape(std::span<const Index>(extents.data(), std::size_t(from) + 1)));
}

Tensor permute(const Tensor& x, std::initializer_list<int> order) {
    return permute(x, std::span(order.begin(), order.size()));
}

Tensor permute(const Tensor& x, std::span<const int> order) {
    check_defined("permute", x);
    check(int(order.size()) == x.dim(), "permute: shape {} wants {} axes, got {}", x.shape(), x.dim(), order.size());
    PerAxis extents{}, strides{};
    std::array<int, max_rank> back{};
    std::array<bool, max_rank> named{};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto axis = std::size_t(x.shape().axis(order[i], "permute"));
        check(!std::exchange(named[axis], true), "permute: wanted every axis once, got axis {} twice", axis);
        extents[i] = x.shape()[int(axis)], strides[i] = x.strides()[axis];
        back[axis] = int(i);
    }
    const Shape shape{std::span<const Index>(extents.data(), order.size())};
    return record("permute", x.view(shape, strides, 0), {x}, [back, rank = order.size()](const Tensor& dy) {
        return Grads{permute(dy, std::span<const int>(back.data(), rank))};
    });
}

Tensor transpose(const Tensor& x, int first, int second) {
    std::array<int, max_rank> order{};
    for (int i = 0; i < x.dim(); ++i) order[std::size_t(i)] = i;
    std::swap(order[std::size_t(x.shape().axis(first, "transpose"))],
              order[std::size_t(x.shape().axis(second, "transpose"))]);
    return permute(x, std::span<const int>(order.data(), std::size_t(x.dim())));
}

Tensor slice(const Tensor& x, int axis, Index begin, Index end, Index step) {
    const int a = x.shape().axis(axis, "slice");
    check(0 <= begin && begin <= end && end <= x.shape()[a], "slice: [{}, {}) is outside axis {} of shape {}", begin,
          end, a, x.shape());
    check(step >= 1, "slice: wanted a step of at least 1, got {}", step);
    const Index count = end == begin ? 0 : (end - begin - 1) / step + 1;
    return record("slice", part(x, a, begin, count, step), {x},
                  [from = x.shape(), a, begin, count, step](const Tensor& dy) {
                      Tensor dx = zeros(from, dy.device());
                      part(dx, a, begin, count, step).copy_(dy);
                      return Grads{dx};
                  });
}

Tensor select(const Tensor& x, int axis, Index place) {
    const int a = x.shape().axis(axis, "select");
    check(0 <= place && place < x.shape()[a], "select: {} is outside axis {} of shape {}", place, a, x.shape());
    return reshape(slice(x, a, place, place + 1), x.shape().without(a));
}

PerAxis stretched_strides(const Tensor& x, const Shape& shape) {
    PerAxis strides{};
    for (int i = 1; i <= x.dim(); ++i)
        if (x.shape()[x.dim() - i] != 1) strides[std::size_t(shape.dim() - i)] = x.strides()[std::size_t(x.dim() - i)];
    return strides;
}

Tensor expand(const Tensor& x, const Shape& shape) {
    check_defined("expand", x);
    check(broadcast(x.shape(), shape, "expand") == shape, "expand: wanted a shape that {} stretches to, got {}",
          x.shape(), shape);
    return record("expand", x.view(shape, stretched_strides(x, shape), 0), {x},
                  [from = x.shape()](const Tensor& dy) { return Grads{sum_to(dy, from)}; });
}

Tensor contiguous(const Tensor& x) {
    check_defined("contiguous", x);
    return record("contiguous", dense(x), {x}, [](const Tensor& dy) { return Grads{dy}; });
}

}  // namespace RECTO
