#include <recto/kernels/along_axis.hpp>

#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

struct Pick {
    const Real* x;
    const Index* places;
    Real* y;
    Lines from, to;
    RECTO_HD void operator()(Index line) const {
        for (Index i = 0; i < to.n; ++i) {
            const Index at = to(line, i);
            y[at] = from.holds(places[at]) ? x[from(line, places[at])] : not_a_number;
        }
    }
};

/// One lane processes one line from first to last, so no two lanes add to the same place.
struct AddAt {
    const Real* values;
    const Index* places;
    Real* y;
    Lines from, to;
    RECTO_HD void operator()(Index line) const {
        for (Index i = 0; i < from.n; ++i) {
            const Index at = from(line, i);
            if (to.holds(places[at])) y[to(line, places[at])] += values[at];
        }
    }
};

}  // namespace

AlongAxis::AlongAxis(const Shape& x, const Shape& places, int axis) {
    Index outer = 1, inner = 1;
    for (int i = 0; i < x.dim(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : x[i];
    lines = outer * inner;
    whole = {x[axis], inner};
    part = {places[axis], inner};
}

Tensor picked(const Tensor& x, const Integers& places, const AlongAxis& along) {
    Tensor y = empty(places.shape(), x.device());
    each(x.device(), along.lines, Pick{x.data(), places.data(), y.write(), along.whole, along.part});
    return y;
}

Tensor added(Tensor y, const Integers& places, const Tensor& values, const AlongAxis& along) {
    each(y.device(), along.lines, AddAt{values.data(), places.data(), y.write(), along.part, along.whole});
    return y;
}

}  // namespace RECTO
