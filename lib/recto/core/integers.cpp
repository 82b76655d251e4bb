#include <recto/core/integers.hpp>

#include <recto/device/fault.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// One team checks all values and reports the first one that is out of range.
struct FindOutside {
    const Index* values;
    Index n, end, ignored;
    bool ignores;
    const char *text, *op;
    Fault* fault;
    RECTO_HD bool outside(Index i) const {
        return (values[i] < 0 || values[i] >= end) && !(ignores && values[i] == ignored);
    }
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index) const {
        if (team.sum(n, [&](Index i) { return outside(i) ? Real(1) : Real(0); }) == 0) return;
        team.each(1, [&](Index) {
            if (fault->text) return;  // an earlier error is reported first
            Index at = 0;
            while (!outside(at)) ++at;
            fault->op = op, fault->most = end - 1, fault->value = values[at], fault->position = at;
            fault->text = text;
        });
    }
};

std::size_t bytes_of(Index count) { return std::size_t(checked_product(count, sizeof(Index), "Integers")); }
}  // namespace

Integers::Integers(Shape shape, Device device)
    : storage_(std::make_shared<Storage>(bytes_of(shape.numel()), device)), shape_(shape) {}

Integers::Integers(Shape shape, std::span<const Index> values, Device device) : Integers(shape, device) {
    check(Index(values.size()) == numel(), "Integers: shape {} wants {} values, got {}", shape_, numel(),
          values.size());
    copy_bytes(write(), device, values.data(), Device::cpu, bytes_of(numel()), "Integers");
}

Device Integers::device() const {
    check(defined(), "device: wanted integers, got undefined ones");
    return storage_->device();
}
const Index* Integers::data() const {
    check(defined(), "data: wanted integers, got undefined ones");
    return static_cast<const Index*>(storage_->data());
}
Index* Integers::write() {
    check(defined(), "write: wanted integers, got undefined ones");
    storage_->changed(0, storage_->bytes());
    return static_cast<Index*>(storage_->data());
}
std::uint64_t Integers::version() const { return storage_ ? storage_->version() : 0; }
bool Integers::changed_since(std::uint64_t version) const { return this->version() != version; }
std::vector<Index> Integers::values() const {
    std::vector<Index> out(static_cast<std::size_t>(numel()));
    copy_bytes(out.data(), Device::cpu, data(), device(), bytes_of(numel()), "values");
    return out;
}
std::shared_ptr<Storage> storage_of(const Integers& x) { return x.storage_; }

Integers Integers::to(Device device) const {
    if (device == this->device()) return *this;
    Integers y(shape_, device);
    copy_bytes(y.write(), device, data(), this->device(), bytes_of(numel()), "to");
    return y;
}
Integers Integers::reshape(Shape shape) const {
    check(shape.numel() == numel(), "reshape: {} has {} elements, {} wants {}", shape_, numel(), shape, shape.numel());
    Integers y = *this;
    y.shape_ = shape;
    return y;
}
void Integers::copy_(const Integers& from) {
    check(shape_ == from.shape(), "copy_: wanted shape {}, got {}", shape_, from.shape());
    copy_bytes(write(), device(), from.data(), from.device(), bytes_of(numel()));
}
Integers Integers::slice(Index begin, Index end) const {
    check(dim() >= 1 && 0 <= begin && begin <= end && end <= size(0), "slice: [{}, {}) is outside axis 0 of shape {}",
          begin, end, shape_);
    Integers y(shape_.with(0, end - begin), device());
    const Index row = size(0) ? numel() / size(0) : 0;
    copy_bytes(y.write(), device(), data() + begin * row, device(), bytes_of(y.numel()));
    return y;
}

void check_range(const Integers& values, Index end, const char* op, const char* text, std::optional<Index> ignored) {
    const Device device = values.device();
    Fault here;
    rows(device, values.numel() > 0 ? 1 : 0, values.numel(),
         FindOutside{values.data(), values.numel(), end, ignored.value_or(0), ignored.has_value(), text, op,
                     device == Device::cpu ? &here : fault_of(device)});
    if (device == Device::cpu) raise_fault(here);
    if (device == Device::sim && !detail::capturing()) raise_fault(*fault_of(device));
}

void check_labels(const Integers& labels, Index classes, const char* op, std::optional<Index> ignored) {
    check_range(labels, classes, op,
                classes > 0 ? "{0}: wanted labels from 0 to {1}, got {2} at position {3}"
                            : "{0}: wanted at least one class to choose from, got none for label {2}",
                ignored);
}

}  // namespace RECTO
