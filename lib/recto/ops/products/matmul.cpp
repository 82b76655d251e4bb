#include <recto/ops/products/matmul.hpp>

#include <algorithm>
#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/kernels/gemm.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO {
namespace {

/// The layout of the last two axes: rows contiguous, columns contiguous, or neither.
struct Layout {
    bool known;
    bool transposed;
    Index stride;
};

Layout layout_of(const Tensor& x) {
    const Index m = x.size(-2), n = x.size(-1);
    const Index down = x.strides()[std::size_t(x.dim() - 2)], right = x.strides()[std::size_t(x.dim() - 1)];
    if ((n == 1 || right == 1) && (m == 1 || down >= n)) return {true, false, m == 1 ? std::max<Index>(n, 1) : down};
    if ((m == 1 || down == 1) && (n == 1 || right >= m)) return {true, true, n == 1 ? std::max<Index>(m, 1) : right};
    return {false, false, 0};
}

Tensor transposed(const Tensor& x) {
    PerAxis extents{}, strides = x.strides();
    std::ranges::copy(x.shape(), extents.begin());
    const std::size_t last = std::size_t(x.dim() - 1);
    std::swap(extents[last], extents[last - 1]);
    std::swap(strides[last], strides[last - 1]);
    return x.view(Shape(std::span<const Index>(extents.data(), last + 1)), strides, 0);
}

/// `batch` followed by the axes of a matrix.
Shape behind(const Shape& batch, Index rows, Index cols) {
    PerAxis extents{};
    const auto end = std::ranges::copy(batch, extents.begin()).out;
    end[0] = rows, end[1] = cols;
    return Shape(std::span<const Index>(extents.data(), std::size_t(batch.dim()) + 2));
}

/// The product without a tape.
Tensor product(Tensor a, Tensor b) {
    if (!layout_of(a).known) a = clone(a.detach());
    if (!layout_of(b).known) b = clone(b.detach());
    const Layout la = layout_of(a), lb = layout_of(b);
    const Index m = a.size(-2), k = a.size(-1), n = b.size(-1);
    const Shape batch =
        broadcast(a.shape().without(-1).without(-1), b.shape().without(-1).without(-1), "matmul: leading axes");
    Tensor y = empty(behind(batch, m, n), a.device());
    if (y.numel() == 0) return y;
    // With a stride of 0, every matrix along an axis of the batch is the same.
    const PerAxis step_a = stretched_strides(a, behind(batch, m, k)),
                  step_b = stretched_strides(b, behind(batch, k, n));
    gemm(y.device(), {batch, step_a, step_b, y.strides()}, m, n, k, {a.data(), la.stride, la.transposed},
         {b.data(), lb.stride, lb.transposed}, y.write(), n);
    return y;
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
    check_defined("matmul", a, b);
    check(a.dim() >= 2 && b.dim() >= 2, "matmul: wanted shapes with at least 2 axes, got {} and {}", a.shape(),
          b.shape());
    check(a.size(-1) == b.size(-2),
          "matmul: wanted as many columns on the left as rows on the right, got shapes {} and {}", a.shape(),
          b.shape());
    check(a.device() == b.device(), "matmul: wanted both on one device, got {} and {}", a.device(), b.device());
    // One matrix for a whole batch: all rows form a single product, and db is one product instead of many.
    if (b.dim() == 2 && a.dim() > 2 && a.is_contiguous()) {
        const Tensor together = reshape(a, {a.shape().without(-1).numel(), a.size(-1)});
        return reshape(matmul(together, b), a.shape().with(-1, b.size(-1)));
    }
    const bool need_da = a.requires_grad(), need_db = b.requires_grad();
    return record("matmul", product(a.detach(), b.detach()), {a, b},
                  [a = Saved(a), b = Saved(b), need_da, need_db](const Tensor& dy) {
                      return Grads{need_da ? sum_to(product(dy, transposed(*b)), a->shape()) : Tensor(),
                                   need_db ? sum_to(product(transposed(*a), dy), b->shape()) : Tensor()};
                  });
}

}  // namespace RECTO
