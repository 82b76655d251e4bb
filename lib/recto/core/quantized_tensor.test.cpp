#include <recto/core/quantized_tensor.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("QuantizedTensor: bytes there and back, on every device", "[core][quantized][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{32}, Shape{0, 64}, Shape{3, 2, 96});
    for (const BlockFormat f : block_formats) {
        CAPTURE(device, shape, f.name);
        std::vector<std::uint8_t> bytes(std::size_t(shape.numel() / block_size * f.bytes()));
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::uint8_t(i * 37);
        const QuantizedTensor q(shape, f, bytes, device);
        CHECK(q.bytes() == bytes);
        CHECK(q.to(Device::cpu).bytes() == bytes);
        CHECK(q.nbytes() == Index(bytes.size()));
        CHECK(q.shape() == shape);
        CHECK(q.format() == f);
        CHECK(q.device() == device);
    }
}

TEST_CASE("QuantizedTensor: messages", "[core][quantized]") {
    const std::vector<std::uint8_t> bytes(18);
    CHECK_THROWS_WITH(QuantizedTensor(Shape{3, 31}, q4_0, bytes),
                      "QuantizedTensor: wanted a last axis of whole blocks of 32 numbers, got shape (3, 31)");
    CHECK_THROWS_WITH(QuantizedTensor(Shape{}, q4_0, bytes), "QuantizedTensor: wanted at least one axis, got shape ()");
    CHECK_THROWS_WITH(QuantizedTensor(Shape{32}, q8_0, bytes),
                      "QuantizedTensor: shape (32) wants 34 bytes in Q8_0, got 18");
    CHECK_THROWS_WITH(QuantizedTensor().bytes(), "bytes: wanted a quantized tensor, got an undefined one");
    CHECK_THROWS_WITH(QuantizedTensor().device(), "device: wanted a quantized tensor, got an undefined one");
}
