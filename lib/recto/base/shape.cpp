#include <recto/base/shape.hpp>

#include <algorithm>
#include <string_view>

namespace RECTO {

Index checked_product(Index a, Index b, std::string_view what) {
    Index product = 0;
    check(!__builtin_mul_overflow(a, b, &product), "{}: {} times {} elements do not fit in memory", what, a, b);
    return product;
}

Shape::Shape(std::span<const Index> extents) : dim_(int(std::min<std::size_t>(extents.size(), max_rank))) {
    check(extents.size() <= max_rank, "Shape: wanted at most {} axes, got {}", max_rank, extents.size());
    std::copy(extents.begin(), extents.end(), extents_.begin());
    // The product over the non-zero extents is checked too: (2^61, 8, 0) is a mistake, not an empty tensor.
    Index whole = 1;
    for (const Index n : extents) {
        check(n >= 0, "Shape: wanted extents of at least 0, got {}", n);
        if (n > 0) whole = checked_product(whole, n, "Shape");
        numel_ = n == 0 ? 0 : numel_ * n;
    }
}

int Shape::axis(int axis, std::string_view op) const {
    const int found = axis < 0 ? axis + dim_ : axis;
    check(dim_ > 0, "{}: wanted at least one axis, got shape ()", op);
    check(found >= 0 && found < dim_, "{}: wanted an axis from {} to {} of shape {}, got {}", op, -dim_, dim_ - 1,
          *this, axis);
    return found;
}

Shape Shape::with(int axis, Index extent) const {
    PerAxis changed = extents_;
    changed[std::size_t(this->axis(axis, "with"))] = extent;
    return Shape(std::span<const Index>(changed.data(), std::size_t(dim_)));
}

Shape Shape::without(int axis) const {
    PerAxis kept{};
    std::size_t n = 0;
    for (int i = 0; i < dim_; ++i)
        if (i != this->axis(axis, "without")) kept[n++] = extents_[std::size_t(i)];
    return Shape(std::span<const Index>(kept.data(), n));
}

PerAxis Shape::strides() const {
    PerAxis strides{};
    Index step = 1;
    for (int i = dim_ - 1; i >= 0; --i) {
        strides[std::size_t(i)] = step;
        step *= std::max<Index>((*this)[i], 1);
    }
    return strides;
}

std::string to_string(const Shape& shape) {
    std::string text = "(";
    for (int i = 0; i < shape.dim(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + ")";
}

Shape broadcast(const Shape& a, const Shape& b, std::string_view op) {
    const int rank = std::max(a.dim(), b.dim());
    PerAxis extents{};
    for (int i = 1; i <= rank; ++i) {
        const Index m = i <= a.dim() ? a[a.dim() - i] : 1, n = i <= b.dim() ? b[b.dim() - i] : 1;
        check(m == n || m == 1 || n == 1, "{}: shapes {} and {} do not stretch to one another", op, a, b);
        extents[std::size_t(rank - i)] = m == 1 ? n : m;
    }
    return Shape(std::span<const Index>(extents.data(), std::size_t(rank)));
}

}  // namespace RECTO
