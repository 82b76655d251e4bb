#include <recto/core/integers.hpp>

namespace RECTO {
namespace {
std::size_t bytes_of(Index count) { return std::size_t(checked_product(count, sizeof(Index), "Integers")); }
}  // namespace

Integers::Integers(Shape shape, Device device)
    : storage_(std::make_shared<Storage>(bytes_of(shape.count()), device)), shape_(shape) {}

Integers::Integers(Shape shape, std::span<const Index> values, Device device) : Integers(shape, device) {
    check(Index(values.size()) == size(), "Integers: shape {} wants {} values, got {}", shape_, size(), values.size());
    copy_bytes(write(), device, values.data(), Device::cpu, bytes_of(size()), "Integers");
}

Device Integers::device() const {
    check(defined(), "device: these integers are undefined");
    return storage_->device();
}
const Index* Integers::data() const {
    check(defined(), "data: these integers are undefined");
    return static_cast<const Index*>(storage_->data());
}
Index* Integers::write() {
    check(defined(), "write: these integers are undefined");
    storage_->changed();
    return static_cast<Index*>(storage_->data());
}
std::vector<Index> Integers::values() const {
    std::vector<Index> out(static_cast<std::size_t>(size()));
    copy_bytes(out.data(), Device::cpu, data(), device(), bytes_of(size()), "values");
    return out;
}
Integers Integers::to(Device device) const {
    if (device == this->device()) return *this;
    Integers y(shape_, device);
    copy_bytes(y.write(), device, data(), this->device(), bytes_of(size()), "to");
    return y;
}
Integers Integers::reshape(Shape shape) const {
    check(shape.count() == size(), "reshape: {} has {} elements, {} wants {}", shape_, size(), shape, shape.count());
    Integers y = *this;
    y.shape_ = shape;
    return y;
}
Integers Integers::slice(Index begin, Index end) const {
    check(rank() >= 1 && 0 <= begin && begin <= end && end <= dim(0), "slice: [{}, {}) is outside axis 0 of shape {}",
          begin, end, shape_);
    Integers y(shape_.with(0, end - begin), device());
    const Index row = dim(0) ? size() / dim(0) : 0;
    copy_bytes(y.write(), device(), data() + begin * row, device(), bytes_of(y.size()));
    return y;
}

Index check_labels(const Integers& labels, Index classes, std::string_view op, std::optional<Index> ignored) {
    const std::vector<Index> values = labels.values();
    Index counted = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == ignored) continue;
        ++counted;
        check(classes > 0, "{}: wanted at least one class to choose from, got none for label {}", op, values[i]);
        check(values[i] >= 0 && values[i] < classes, "{}: wanted labels from 0 to {}, got {} at position {}", op,
              classes - 1, values[i], i);
    }
    return counted;
}

}  // namespace RECTO
