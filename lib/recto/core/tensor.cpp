#include <recto/core/tensor.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <recto/base/walk.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// Copies between two tensors of the same shape with different strides.
struct Copy {
    const Real* from;
    Real* to;
    Walk<2> walk;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index number) const {
        const auto piece = walk.piece(number);
        const Real* in = from + piece.at[0];
        Real* out = to + piece.at[1];
        const Index in_step = walk.step(0), out_step = walk.step(1);
        if (in_step == 1 && out_step == 1)
            team.each(piece.count, [&](Index j) { out[j] = in[j]; });
        else
            team.each(piece.count, [&](Index j) { out[j * out_step] = in[j * in_step]; });
    }
};

struct Fill {
    Real* y;
    Real value;
    RECTO_HD void operator()(Index i) const { y[i] = value; }
};

std::size_t bytes_of(Index count) { return std::size_t(checked_product(count, sizeof(Real), "Tensor")); }

/// Whether one element appears at several places. It does not if each axis steps over everything that the axes with
/// smaller steps reach.
bool repeats(const Tensor& x) {
    struct Axis {
        Index step, extent;
    };
    std::vector<Axis> axes;
    for (int i = 0; i < x.dim(); ++i)
        if (x.shape()[i] > 1) axes.push_back({std::abs(x.strides()[std::size_t(i)]), x.shape()[i]});
    std::ranges::sort(axes, {}, &Axis::step);
    Index reach = 0;
    for (const auto [step, extent] : axes) {
        if (step <= reach) return x.numel() > 0;
        reach += step * (extent - 1);
    }
    return false;
}

Index place_of(const Tensor& x, std::initializer_list<Index> place, const char* who) {
    check(int(place.size()) == x.dim(), "{}: shape {} wants {} indices, got {}", who, x.shape(), x.dim(), place.size());
    Index at = 0;
    int axis = 0;
    for (const Index i : place) {
        check(i >= 0 && i < x.shape()[axis], "{}: index {} is outside axis {} of shape {}", who, i, axis, x.shape());
        at += i * x.strides()[std::size_t(axis++)];
    }
    return at;
}

}  // namespace

Tensor::Tensor(Shape shape, std::span<const Real> values, Device device) : Tensor(empty(shape, device)) {
    check(Index(values.size()) == numel(), "Tensor: shape {} wants {} values, got {}", shape_, numel(), values.size());
    copy_bytes(write(), device, values.data(), Device::cpu, bytes_of(numel()), "Tensor");
}

Device Tensor::device() const {
    check(defined(), "device: wanted a tensor, got an undefined one");
    return storage_->device();
}

bool Tensor::is_contiguous() const {
    Index step = 1;
    for (int i = dim() - 1; i >= 0; --i) {
        if (shape_[i] != 1 && strides_[std::size_t(i)] != step) return numel() == 0;
        step *= shape_[i];
    }
    return true;
}

const Real* Tensor::data() const {
    check(defined(), "data: wanted a tensor, got an undefined one");
    return static_cast<const Real*>(storage_->data()) + offset_;
}
Real* Tensor::write() {
    check(defined(), "write: wanted a tensor, got an undefined one");
    const std::size_t all = storage_->bytes();
    const auto [begin, end] = std::size_t(numel()) * sizeof(Real) == all ? Bytes{0, all} : bytes();
    storage_->changed(begin, end);
    return static_cast<Real*>(storage_->data()) + offset_;
}

Tensor::Bytes Tensor::bytes() const {
    if (numel() == 0) return {0, 0};
    Index low = offset_, high = offset_ + 1;
    for (int i = 0; i < dim(); ++i) {
        const Index reach = (shape_[i] - 1) * strides_[std::size_t(i)];
        (reach < 0 ? low : high) += reach;
    }
    return {std::size_t(low) * sizeof(Real), std::size_t(high) * sizeof(Real)};
}
bool Tensor::changed_there(std::uint64_t version) const {
    const auto [begin, end] = bytes();
    return storage_->changed_since(version, begin, end);
}

const Real* Tensor::host() const {
    check(device() == Device::cpu, "host: the numbers are on {}; call .to(Device::cpu) first", device());
    check(is_contiguous(), "host: the numbers of shape {} have gaps; call dense() first", shape_);
    return data();
}

std::vector<Real> Tensor::values() const {
    const Device where = device();  // throws for an undefined tensor
    const Tensor from = dense(*this);
    std::vector<Real> out(static_cast<std::size_t>(numel()));
    copy_bytes(out.data(), Device::cpu, from.data(), where, bytes_of(numel()), "values");
    return out;
}
Real Tensor::item() const {
    check(numel() == 1, "item: wanted exactly one number, got shape {}", shape_);
    Real value = 0;
    copy_bytes(&value, Device::cpu, data(), device(), sizeof(Real), "item");
    return value;
}
Real Tensor::at(std::initializer_list<Index> place) const {
    Real value = 0;
    copy_bytes(&value, Device::cpu, data() + place_of(*this, place, "at"), device(), sizeof(Real), "at");
    return value;
}
void Tensor::set(std::initializer_list<Index> place, Real value) {
    const Index at = place_of(*this, place, "set");
    copy_bytes(write() + at, device(), &value, Device::cpu, sizeof(Real), "set");
}
void Tensor::copy_(const Tensor& from) {
    check_defined("copy_", *this, from);
    check(shape_ == from.shape(), "copy_: wanted shape {}, got {}", shape_, from.shape());
    check(is_contiguous() || !repeats(*this),
          "copy_: wanted a place of its own for each number, got a view of shape {} that shows some in several",
          shape_);
    Tensor source = from.detach().to(device());
    if (source.storage_ == storage_) {
        if (from.offset_ == offset_ && from.strides_ == strides_) return;  // a copy to itself
        source = clone(source);
    }
    const Walk<2> walk(shape_, {source.strides(), strides_});
    rows(device(), walk.pieces(), walk.width(), Copy{source.data(), write(), walk});
}

Tensor Tensor::view(const Shape& shape, const PerAxis& strides, Index offset) const {
    check(defined(), "view: wanted a tensor, got an undefined one");
    Index low = offset_ + offset, high = low, reach = 0;
    bool fits = true;
    for (int i = 0; i < shape.dim() && fits && shape.numel() > 0; ++i) {
        fits = !__builtin_mul_overflow(shape[i] - 1, strides[std::size_t(i)], &reach);
        Index& end = reach < 0 ? low : high;
        fits = fits && !__builtin_add_overflow(end, reach, &end);
    }
    check(shape.numel() == 0 || (fits && low >= 0 && high < Index(storage_->bytes() / sizeof(Real))),
          "view: shape {} reaches outside the storage of shape {}", shape, shape_);
    Tensor y = detach();
    y.shape_ = shape, y.strides_ = strides, y.offset_ = offset_ + offset;
    return y;
}

Tensor Tensor::detach() const {
    Tensor y = *this;
    y.node_ = nullptr;
    return y;
}

Tensor empty(const Shape& shape, Device device) {
    Tensor y;
    y.storage_ = std::make_shared<Storage>(bytes_of(shape.numel()), device);
    y.shape_ = shape;
    y.strides_ = shape.strides();
    return y;
}
Tensor full(const Shape& shape, Real value, Device device) {
    Tensor y = empty(shape, device);
    each(device, y.numel(), Fill{y.write(), value});
    return y;
}
Tensor zeros(const Shape& shape, Device device) { return full(shape, 0, device); }
Tensor ones(const Shape& shape, Device device) { return full(shape, 1, device); }
Tensor empty_like(const Tensor& x) { return empty(x.shape(), x.device()); }

Tensor dense(const Tensor& x) { return x.is_contiguous() ? x.detach() : clone(x.detach()); }

std::shared_ptr<Storage> storage_of(const Tensor& x) { return x.storage_; }

}  // namespace RECTO
