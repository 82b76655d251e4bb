#include <recto/ops/indexing/gather.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/kernels/along_axis.hpp>

namespace RECTO {
namespace {

/// Checks the arguments of gather() and scatter_add().
AlongAxis checked(const char* op, const Tensor& x, int axis, const Integers& places) {
    check_defined(op, x, places);
    check(x.dim() >= 1, "{}: wanted at least one axis, got shape {}", op, x.shape());
    const int a = x.shape().axis(axis, op);
    check(places.dim() == x.dim() && places.shape().with(a, 0) == x.shape().with(a, 0),
          "{}: wanted places of the shape {} but for axis {}, got {}", op, x.shape(), a, places.shape());
    check(x.device() == places.device(), "{}: wanted all on one device, got {} and {}", op, x.device(),
          places.device());
    check_labels(places, x.shape()[a], op);
    return {x.shape(), places.shape(), a};
}

}  // namespace

Tensor gather(const Tensor& x, int axis, const Integers& places) {
    const AlongAxis along = checked("gather", x, axis, places);
    return record("gather", picked(dense(x), places, along), {x},
                  [places = Saved(places), along, shape = x.shape()](const Tensor& dy) {
                      return Grads{added(zeros(shape, dy.device()), *places, dense(dy), along)};
                  });
}

Tensor scatter_add(const Tensor& x, int axis, const Integers& places, const Tensor& values) {
    check_defined("scatter_add", values);
    const AlongAxis along = checked("scatter_add", x, axis, places);
    check(values.shape() == places.shape(), "scatter_add: wanted as many values as places, got shapes {} and {}",
          values.shape(), places.shape());
    check(values.device() == x.device(), "scatter_add: wanted all on one device, got {} and {}", x.device(),
          values.device());
    return record("scatter_add", added(clone(x.detach()), places, dense(values), along), {x, values},
                  [places = Saved(places), along, wanted = values.requires_grad()](const Tensor& dy) {
                      return Grads{dy, wanted ? picked(dense(dy), *places, along) : Tensor()};
                  });
}

}  // namespace RECTO
