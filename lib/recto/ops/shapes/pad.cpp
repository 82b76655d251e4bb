#include <recto/ops/shapes/pad.hpp>

#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO {

Tensor pad(const Tensor& x, std::initializer_list<Border> borders, Real value) {
    return pad(x, std::span(borders.begin(), borders.size()), value);
}

Tensor pad(const Tensor& x, std::span<const Border> borders, Real value) {
    check(borders.size() <= std::size_t(x.dim()), "pad: wanted at most one border for each axis of shape {}, got {}",
          x.shape(), borders.size());
    const int first = x.dim() - int(borders.size());
    PerAxis begin{};
    Shape shape = x.shape();
    for (int axis = first; const auto [before, after] : borders) {
        check(before >= 0 && after >= 0, "pad: wanted borders of at least 0, got {} before and {} after axis {}",
              before, after, axis);
        Index extent = 0;
        check(!__builtin_add_overflow(before, after, &extent) && !__builtin_add_overflow(extent, shape[axis], &extent),
              "pad: borders of {} and {} around axis {} of shape {} are too wide", before, after, axis, x.shape());
        begin[std::size_t(axis)] = before;
        shape = shape.with(axis++, extent);
    }
    const auto inside = [first, begin, from = x.shape()](Tensor y) {
        for (int axis = first; axis < from.dim(); ++axis) {
            const Index before = begin[std::size_t(axis)];
            y = slice(y, axis, before, before + from[axis]);
        }
        return y;
    };
    Tensor y = full(shape, value, x.device());
    inside(y).copy_(x);
    return record("pad", y, {x}, [inside](const Tensor& dy) { return Grads{inside(dy)}; });
}

Tensor flip(const Tensor& x, std::initializer_list<int> axes) {
    PerAxis strides = x.strides();
    std::array<bool, max_rank> named{};
    Index offset = 0;
    for (const int axis : axes) {
        const int a = x.shape().axis(axis, "flip");
        check(!std::exchange(named[std::size_t(a)], true), "flip: axis {} is named twice", axis);
        if (x.numel() > 0) offset += (x.shape()[a] - 1) * strides[std::size_t(a)];
        strides[std::size_t(a)] = -strides[std::size_t(a)];
    }
    return record("flip", x.view(x.shape(), strides, offset), {x}, [axes = std::vector<int>(axes)](const Tensor& dy) {
        Tensor dx = dy;
        for (const int axis : axes) dx = flip(dx, {axis});
        return Grads{dx};
    });
}

}  // namespace RECTO
