#include "attention_heads.hpp"

using namespace recto;

namespace {

// (time, time): 1 where the place of the row sees the place of the column.
Tensor causal_mask(Index time) {
    Tensor mask = zeros({time, time});
    Real* at = mask.write();
    for (Index t = 0; t < time; ++t)
        for (Index s = 0; s <= t; ++s) at[t * time + s] = 1;
    return mask;
}

}  // namespace

Tensor head_weights(const Tensor& x, const Tensor& query, const Tensor& key) {
    const Tensor q = matmul(x, query), k = matmul(x, key);
    const Tensor scores = matmul(q, transpose(k)) / std::sqrt(double(query.size(1)));
    const Tensor low = full({}, -std::numeric_limits<Real>::infinity());
    return softmax(where(causal_mask(x.size(1)), scores, low));
}

Tensor head(const Tensor& x, const Tensor& query, const Tensor& key, const Tensor& value) {
    return matmul(head_weights(x, query, key), matmul(x, value));
}

Tensor attention(const Attention& a, const Tensor& x) {
    const Index batch = x.size(0), time = x.size(1), width = x.size(2), size = width / a.heads;
    // (batch, heads, time, size)
    const auto own = [&](const Tensor& matrix) {
        return permute(reshape(matmul(x, matrix), {batch, time, a.heads, size}), {0, 2, 1, 3});
    };
    const Tensor scores = matmul(own(a.query), transpose(own(a.key))) / std::sqrt(double(size));
    const Tensor low = full({}, -std::numeric_limits<Real>::infinity());
    const Tensor weights = softmax(where(causal_mask(time), scores, low));
    return matmul(reshape(permute(matmul(weights, own(a.value)), {0, 2, 1, 3}), {batch, time, width}), a.output);
}
