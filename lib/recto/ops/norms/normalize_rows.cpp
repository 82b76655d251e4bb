#include <recto/ops/norms/normalize_rows.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO {

Tensor normalize_rows(const Tensor& x) {
    check(x.dim() >= 1, "normalize_rows: wanted at least one axis, got shape {}", x.shape());
    return normalize_rows(x, sum(x, {-1}, Keep::yes));
}

Tensor normalize_rows(const Tensor& x, const Tensor& sums) {
    check_defined("normalize_rows", x, sums);
    check(x.dim() >= 1, "normalize_rows: wanted at least one axis, got shape {}", x.shape());
    check(sums.shape() == x.shape().with(-1, 1),
          "normalize_rows: x of shape {} wants sums of shape {}, one per row, got {}; reduce with Keep::yes", x.shape(),
          x.shape().with(-1, 1), sums.shape());
    check(x.device() == sums.device(), "normalize_rows: wanted both on one device, got {} and {}", x.device(),
          sums.device());
    return div(x, sums);
}

}  // namespace RECTO
