#include <recto/core/quantized_tensor.hpp>

#include <utility>

#include <recto/base/check.hpp>

namespace RECTO {

Index quantized_bytes(const Shape& shape, BlockFormat format, std::string_view op) {
    check(shape.dim() >= 1, "{}: wanted at least one axis, got shape {}", op, shape);
    check(shape.size(-1) % block_size == 0, "{}: wanted a last axis of whole blocks of {} numbers, got shape {}", op,
          block_size, shape);
    return checked_product(shape.numel() / block_size, format.bytes(), op);
}

QuantizedTensor::QuantizedTensor(Shape shape, BlockFormat format, std::shared_ptr<Storage> storage)
    : storage_(std::move(storage)), shape_(shape), format_(format) {
    const Index wanted = quantized_bytes(shape, format, "QuantizedTensor");
    check(storage_ && Index(storage_->bytes()) == wanted, "QuantizedTensor: shape {} wants {} bytes in {}, got {}",
          shape, wanted, format.name, storage_ ? Index(storage_->bytes()) : 0);
}

QuantizedTensor::QuantizedTensor(Shape shape, BlockFormat format, std::span<const std::uint8_t> bytes, Device device)
    : QuantizedTensor(shape, format, std::make_shared<Storage>(bytes.size(), device)) {
    storage_->changed(0, bytes.size());
    copy_bytes(storage_->data(), device, bytes.data(), Device::cpu, bytes.size(), "QuantizedTensor");
}

Device QuantizedTensor::device() const {
    check(defined(), "device: wanted a quantized tensor, got an undefined one");
    return storage_->device();
}

const std::uint8_t* QuantizedTensor::data() const {
    check(defined(), "data: wanted a quantized tensor, got an undefined one");
    return static_cast<const std::uint8_t*>(storage_->data());
}

std::vector<std::uint8_t> QuantizedTensor::bytes() const {
    check(defined(), "bytes: wanted a quantized tensor, got an undefined one");
    std::vector<std::uint8_t> out(static_cast<std::size_t>(nbytes()));
    copy_bytes(out.data(), Device::cpu, data(), device(), out.size(), "bytes");
    return out;
}

QuantizedTensor QuantizedTensor::to(Device device) const {
    if (device == this->device()) return *this;
    const auto storage = std::make_shared<Storage>(storage_->bytes(), device);
    storage->changed(0, storage->bytes());
    copy_bytes(storage->data(), device, data(), this->device(), storage->bytes(), "to");
    return {shape_, format_, storage};
}

}  // namespace RECTO
