#include <recto/nn/init.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace RECTO::nn {
namespace {

Index after(const Shape& shape, int axis) {
    Index n = 1;
    for (; axis < shape.dim(); ++axis) n *= shape[axis];
    return n;
}

void refuse_vectors(const Shape& shape, const char* who) {
    check(shape.dim() >= 2, "{}: wanted weights (out, in, ...), got shape {}", who, shape);
}

/// Makes the columns of a matrix orthonormal, one after the other: normalises a column, then subtracts its projection
/// from all later columns (Gram and Schmidt). Every loop runs along a row, so that it can be vectorised.
void orthonormalise(std::vector<double>& a, Index rows, Index cols) {
    std::vector<double> shares(static_cast<std::size_t>(cols));
    for (Index i = 0; i < cols; ++i) {
        std::ranges::fill(shares, 0);
        for (Index row = 0; row < rows; ++row) {
            const double* x = a.data() + row * cols;
            for (Index j = i; j < cols; ++j) shares[std::size_t(j)] += x[i] * x[j];
        }
        const double square = shares[std::size_t(i)], length = std::sqrt(square);
        for (Index row = 0; row < rows; ++row) {
            double* x = a.data() + row * cols;
            const double share = x[i] / square;
            for (Index j = i + 1; j < cols; ++j) x[j] -= share * shares[std::size_t(j)];
            x[i] /= length;
        }
    }
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
Tensor lecun_init(const Shape& shape, Generator& random, Device device) {
    refuse_vectors(shape, "lecun_init");
    return random.normal(shape, 0, Real(std::sqrt(1.0 / double(std::max<Index>(fan_in(shape), 1)))), device);
}
Tensor orthogonal_init(const Shape& shape, double gain, Generator& random, Device device) {
    refuse_vectors(shape, "orthogonal_init");
    check(std::isfinite(gain), "orthogonal_init: wanted a finite gain, got {}", gain);
    const Index out = shape[0], in = fan_in(shape), rows = std::max(out, in), cols = std::min(out, in);
    const std::vector<Real> drawn = random.normal({rows, cols}).values();
    // Of all QR decompositions, this is the one with a positive diagonal of R, for which Q is uniformly distributed.
    // The second pass removes the rounding errors of the first.
    std::vector<double> q(drawn.begin(), drawn.end());
    for (int time = 0; time < 2; ++time) orthonormalise(q, rows, cols);
    std::vector<Real> values(q.size());
    for (Index i = 0; i < out; ++i)
        for (Index j = 0; j < in; ++j)
            values[std::size_t(i * in + j)] = Real(gain * q[std::size_t(out >= in ? i * cols + j : j * cols + i)]);
    return Tensor(shape, values, device);
}
Tensor orthogonal_init(const Shape& shape, Generator& random, Device device) {
    return orthogonal_init(shape, 1, random, device);
}
Tensor zeros_init(const Shape& shape, Generator&, Device device) { return zeros(shape, device); }

}  // namespace RECTO::nn
