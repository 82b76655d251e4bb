#include <recto/ops/products/matmul.hpp>

#include <algorithm>
#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/kernels/gemm.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO {
namespace {

/// How the last two axes lie in memory: row after row, column after column, or neither.
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

/// The leading axes of the result: those of `a` and `b`, stretched to one another.
Shape batch_of(const Tensor& a, const Tensor& b) {
    const int rank = std::max(a.dim(), b.dim());
    PerAxis extents{};
    for (int i = 3; i <= rank; ++i) {
        const Index m = i <= a.dim() ? a.size(-i) : 1, n = i <= b.dim() ? b.size(-i) : 1;
        check(m == n || m == 1 || n == 1,
              "matmul: wanted leading axes that stretch to one another, got shapes {} and {}", a.shape(), b.shape());
        extents[std::size_t(rank - i)] = m == 1 ? n : m;
    }
    return Shape(std::span<const Index>(extents.data(), std::size_t(rank - 2)));
}

/// From matrix to matrix of `x` along each axis of the batch; 0 where one matrix serves for all.
PerAxis steps(const Tensor& x, const Shape& batch) {
    PerAxis found{};
    const int missing = batch.dim() + 2 - x.dim();
    for (int i = missing; i < batch.dim(); ++i)
        if (x.shape()[i - missing] == batch[i]) found[std::size_t(i)] = x.strides()[std::size_t(i - missing)];
    return found;
}

/// The product without the tape.
Tensor product(Tensor a, Tensor b) {
    if (!layout_of(a).known) a = clone(a.detach());
    if (!layout_of(b).known) b = clone(b.detach());
    const Layout la = layout_of(a), lb = layout_of(b);
    const Index m = a.size(-2), k = a.size(-1), n = b.size(-1);
    const Shape batch = batch_of(a, b);
    PerAxis extents{};
    std::ranges::copy(batch, extents.begin());
    extents[std::size_t(batch.dim())] = m, extents[std::size_t(batch.dim()) + 1] = n;
    Tensor y = empty(Shape(std::span<const Index>(extents.data(), std::size_t(batch.dim()) + 2)), a.device());
    if (y.numel() == 0) return y;
    gemm(y.device(), {batch, steps(a, batch), steps(b, batch), y.strides()}, m, n, k,
         {a.data(), la.stride, la.transposed}, {b.data(), lb.stride, lb.transposed}, y.write(), n);
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
    // One matrix for a whole batch: all rows together are one product, and db is one sum instead of many.
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
