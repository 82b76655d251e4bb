#include <recto/nn/embedding.hpp>

#include <recto/ops/indexing/index.hpp>

namespace RECTO::nn {

Embedding::Embedding(Index tokens, Index width, Generator& random, EmbeddingOptions options) {
    check(tokens >= 0 && width >= 0, "Embedding: wanted sizes of at least 0, got {} tokens of width {}", tokens, width);
    weight = random.normal({tokens, width}, 0, Real(options.deviation), options.device).requires_grad_();
}

Tensor Embedding::operator()(const Integers& tokens) const { return index_rows(weight, tokens); }

}  // namespace RECTO::nn
