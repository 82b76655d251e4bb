#include <recto/nn/contrastive.hpp>

#include <cmath>
#include <numeric>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

Tensor unit_rows(const Tensor& x) {
    check(x.dim() >= 1, "unit_rows: wanted at least one axis, got shape {}", x.shape());
    return x / sqrt(sum(square(x), {-1}, Keep::yes));
}

Tensor cosine_similarities(const Tensor& a, const Tensor& b) {
    check(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(1),
          "cosine_similarities: wanted two matrices of the same width, got shapes {} and {}", a.shape(), b.shape());
    return matmul(unit_rows(a), transpose(unit_rows(b)));
}

Tensor symmetric_cross_entropy(const Tensor& scores) {
    check(scores.dim() == 2 && scores.size(0) == scores.size(1) && scores.size(0) > 0,
          "symmetric_cross_entropy: wanted a square matrix with at least one row, got shape {}", scores.shape());
    std::vector<Index> own(std::size_t(scores.size(0)));
    std::iota(own.begin(), own.end(), Index(0));
    const Integers labels({scores.size(0)}, own, scores.device());
    return 0.5 * (cross_entropy(scores, labels) + cross_entropy(transpose(scores), labels));
}

ContrastiveHead::ContrastiveHead(double factor, double most, Device device) : most(most) {
    check(factor > 0 && std::isfinite(factor) && factor <= most && std::isfinite(most),
          "ContrastiveHead: wanted a factor above 0 and at most {}, got {}", most, factor);
    log_factor = full({}, Real(std::log(factor)), device).requires_grad_();
}

Tensor ContrastiveHead::factor() const { return minimum(exp(log_factor), most); }

Tensor ContrastiveHead::scores(const Tensor& a, const Tensor& b) const { return factor() * cosine_similarities(a, b); }

Tensor ContrastiveHead::loss(const Tensor& a, const Tensor& b) const {
    check(a.shape() == b.shape(), "ContrastiveHead: wanted as many rows of both kinds, got shapes {} and {}", a.shape(),
          b.shape());
    return symmetric_cross_entropy(scores(a, b));
}

}  // namespace RECTO::nn
