#include <recto/nn/init.hpp>

#include <algorithm>
#include <cmath>

namespace RECTO::nn {
namespace {

Index after(const Shape& shape, int axis) {
    Index n = 1;
    for (; axis < shape.rank(); ++axis) n *= shape[axis];
    return n;
}

void refuse_vectors(const Shape& shape, const char* who) {
    check(shape.rank() >= 2, "{}: wanted weights (out, in, ...), got shape {}", who, shape);
}

}  // namespace

Index fan_in(const Shape& shape) {
    refuse_vectors(shape, "fan_in");
    return after(shape, 1);
}
Index fan_out(const Shape& shape) {
    refuse_vectors(shape, "fan_out");
    return shape[0] * after(shape, 2);
}

Tensor uniform_init(const Shape& shape, Generator& random, Device device) {
    refuse_vectors(shape, "uniform_init");
    const Real bound = Real(1 / std::sqrt(double(std::max<Index>(fan_in(shape), 1))));
    return random.uniform(shape, -bound, bound, device);
}
Tensor he_init(const Shape& shape, Generator& random, Device device) {
    refuse_vectors(shape, "he_init");
    return random.normal(shape, 0, Real(std::sqrt(2.0 / double(std::max<Index>(fan_in(shape), 1)))), device);
}
Tensor glorot_init(const Shape& shape, Generator& random, Device device) {
    refuse_vectors(shape, "glorot_init");
    const Index fans = std::max<Index>(fan_in(shape) + fan_out(shape), 1);
    return random.normal(shape, 0, Real(std::sqrt(2.0 / double(fans))), device);
}
Tensor zeros_init(const Shape& shape, Generator&, Device device) { return zeros(shape, device); }

}  // namespace RECTO::nn
