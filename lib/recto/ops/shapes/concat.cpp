#include <recto/ops/shapes/concat.hpp>

#include <algorithm>

#include <recto/autograd/tape.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO {

Tensor concat(const std::vector<Tensor>& parts, int axis) {
    check(!parts.empty(), "concat: wanted at least one tensor, got none");
    for (const Tensor& x : parts) check_defined("concat", x);
    const Tensor& first = parts.front();
    const int a = first.shape().axis(axis, "concat");
    Index whole = 0;
    for (const Tensor& x : parts) {
        check(x.dim() == first.dim() && x.shape().with(a, 0) == first.shape().with(a, 0),
              "concat: wanted shapes that differ in axis {} only, got {} and {}", a, first.shape(), x.shape());
        check(x.device() == first.device(), "concat: wanted all on one device, got {} and {}", first.device(),
              x.device());
        whole += x.shape()[a];
    }
    Tensor y = empty(first.shape().with(a, whole), first.device());
    std::vector<Index> ends;
    for (Index begin = 0; const Tensor& x : parts) {
        slice(y, a, begin, begin + x.shape()[a]).copy_(x);
        ends.push_back(begin += x.shape()[a]);
    }
    return record("concat", y, parts, [ends, a](const Tensor& dy) {
        Grads grads;
        for (Index begin = 0; const Index end : ends) {
            grads.push_back(slice(dy, a, begin, end));
            begin = end;
        }
        return grads;
    });
}

Tensor stack(const std::vector<Tensor>& parts, int axis) {
    check(!parts.empty(), "stack: wanted at least one tensor, got none");
    const Shape shape = parts.front().shape();
    const int rank = shape.dim() + 1, a = axis < 0 ? axis + rank : axis;
    check(a >= 0 && a < rank && rank <= max_rank, "stack: there can be no axis {} in {} tensors of shape {}", axis,
          parts.size(), shape);
    PerAxis extents{};
    std::copy(shape.begin(), shape.begin() + a, extents.begin());
    extents[std::size_t(a)] = 1;
    std::copy(shape.begin() + a, shape.end(), extents.begin() + a + 1);
    const Shape thin(std::span<const Index>(extents.data(), std::size_t(rank)));
    std::vector<Tensor> thicker;
    for (const Tensor& x : parts) {
        check_defined("stack", x);
        check(x.shape() == shape, "stack: wanted tensors of one shape, got {} and {}", shape, x.shape());
        check(x.device() == parts.front().device(), "stack: wanted all on one device, got {} and {}",
              parts.front().device(), x.device());
        thicker.push_back(reshape(x, thin));
    }
    return concat(thicker, a);
}

std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& extents, int axis) {
    const int a = x.shape().axis(axis, "split");
    Index left = x.shape()[a];
    for (const Index n : extents) {
        check(n >= 0 && n <= left, "split: wanted parts of axis {} of shape {}, got {} where {} are left", a, x.shape(),
              n, left);
        left -= n;
    }
    check(left == 0, "split: wanted parts that make up axis {} of shape {}, got {} less", a, x.shape(), left);
    std::vector<Tensor> parts;
    for (Index begin = 0; const Index n : extents) {
        parts.push_back(slice(x, a, begin, begin + n));
        begin += n;
    }
    return parts;
}

}  // namespace RECTO
