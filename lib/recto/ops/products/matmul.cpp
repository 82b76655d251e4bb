#include <recto/ops/products/matmul.hpp>

#include <algorithm>
#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO {
namespace {

/// How the last two axes lie in memory: row after row, column after column, or neither.
struct Layout {
    bool known;
    bool transposed;
    Index stride;
};

Layout layout_of(const Tensor& x) {
    const Index m = x.dim(-2), n = x.dim(-1);
    const Index down = x.strides()[std::size_t(x.rank() - 2)], right = x.strides()[std::size_t(x.rank() - 1)];
    if ((n == 1 || right == 1) && (m == 1 || down >= n)) return {true, false, m == 1 ? std::max<Index>(n, 1) : down};
    if ((m == 1 || down == 1) && (n == 1 || right >= m)) return {true, true, n == 1 ? std::max<Index>(m, 1) : right};
    return {false, false, 0};
}

Tensor transposed(const Tensor& x) {
    PerAxis extents{}, strides = x.strides();
    std::ranges::copy(x.shape(), extents.begin());
    const std::size_t last = std::size_t(x.rank() - 1);
    std::swap(extents[last], extents[last - 1]);
    std::swap(strides[last], strides[last - 1]);
    return x.view(Shape(std::span<const Index>(extents.data(), last + 1)), strides, 0);
}

/// The product without the tape.
Tensor product(Tensor a, Tensor b) {
    if (!layout_of(a).known) a = copy_of(a);
    if (!layout_of(b).known) b = copy_of(b);
    const Layout la = layout_of(a), lb = layout_of(b);
    const Index m = a.dim(-2), k = a.dim(-1), n = b.dim(-1);
    Tensor y = empty(a.shape().with(-1, n), a.device());
    if (y.size() == 0) return y;
    const ProductBatch batch{y.shape().without(-1).without(-1), a.strides(), b.strides(), y.strides()};
    gemm(y.device(), batch, m, n, k, {a.data(), la.stride, la.transposed}, {b.data(), lb.stride, lb.transposed},
         y.write(), n);
    return y;
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
    const bool paired = a.rank() >= 2 && a.rank() == b.rank();
    check(paired, "matmul: wanted two shapes with equally many axes, at least 2, got {} and {}", a.shape(), b.shape());
    for (int axis = 0; axis < a.rank() - 2; ++axis)
        check(a.shape()[axis] == b.shape()[axis], "matmul: wanted the same leading axes, got shapes {} and {}",
              a.shape(), b.shape());
    check(a.dim(-1) == b.dim(-2),
          "matmul: wanted as many columns on the left as rows on the right, got shapes {} and {}", a.shape(),
          b.shape());
    check(a.device() == b.device(), "matmul: wanted both on one device, got {} and {}", a.device(), b.device());
    const bool need_da = a.wants_grad(), need_db = b.wants_grad();
    return record("matmul", product(a.detach(), b.detach()), {a, b},
                  [a = Saved(a), b = Saved(b), need_da, need_db](const Tensor& dy) {
                      return Grads{need_da ? product(dy, transposed(*b)) : Tensor(),
                                   need_db ? product(transposed(*a), dy) : Tensor()};
                  });
}

}  // namespace RECTO
