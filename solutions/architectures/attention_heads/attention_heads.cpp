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
    const Index size = x.size(2) / a.heads;
    std::vector<Tensor> found;
    for (Index h = 0; h < a.heads; ++h) {
        const auto own = [&](const Tensor& matrix) { return slice(matrix, 1, h * size, (h + 1) * size); };
        found.push_back(head(x, own(a.query), own(a.key), own(a.value)));
    }
    return matmul(concat(found, 2), a.output);
}
