#include <recto/classic/random_features.hpp>

#include <recto/base/math.hpp>
#include <recto/device/threads.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO::classic {

RandomFeatures::RandomFeatures(Index inputs, Index features, Generator& random)
    : weights(random.normal({inputs, features}, 0, 1 / sqrt(Real(inputs)))) {
    check(inputs >= 1 && features >= 1, "RandomFeatures: wanted at least one input and one feature, got {} and {}",
          inputs, features);
}

Tensor RandomFeatures::operator()(const Tensor& x) const {
    check(x.dim() == 2 && x.size(1) == weights.size(0), "RandomFeatures: wanted shape (rows, {}), got {}",
          weights.size(0), x.shape());
    check(x.device() == Device::cpu, "RandomFeatures: wanted rows on cpu, got them on {}", x.device());
    const Tensor in = dense(x);
    const Index n = x.size(0), features = weights.size(1);
    Tensor y = empty({n, features});
    Real* out = y.write();
    gemm(Device::cpu, n, features, x.size(1), {in.data(), x.size(1)}, {weights.data(), features}, out, features);
    parallel(y.numel(), 65536, [out](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) out[i] = out[i] < 0 ? 0 : out[i];  // NaN stays NaN
    });
    return y;
}

}  // namespace RECTO::classic
