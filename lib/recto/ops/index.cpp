#include <recto/ops/index.hpp>

#include <algorithm>
#include <numeric>

#include <recto/autograd/tape.hpp>
#include <recto/core/launch.hpp>

namespace RECTO {
namespace {

struct OneHot {
    const Index* labels;
    Real* y;
    Index classes;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index label = labels[row];
        team.each(classes, [&](Index j) { y[row * classes + j] = j == label ? 1 : 0; });
    }
};

struct CopyRow {
    const Real* x;
    const Index* places;
    Real* y;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real* in = x + places[row] * cols;
        team.each(cols, [&](Index j) { y[row * cols + j] = in[j]; });
    }
};

/// Row r of dx is the sum of the rows uses[starts[r]], ..., uses[starts[r + 1] - 1] of dy: each row has one
/// team and its order, so that no two ever add to one place.
struct AddUses {
    const Real* dy;
    const Index *starts, *uses;
    Real* dx;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        Real* out = dx + row * cols;
        team.each(cols, [&](Index j) { out[j] = 0; });
        for (Index u = starts[row]; u < starts[row + 1]; ++u) {
            const Real* in = dy + uses[u] * cols;
            team.each(cols, [&](Index j) { out[j] += in[j]; });
        }
    }
};

/// The shape of `places` followed by that of a row of `x`.
Shape gathered(const Shape& places, const Shape& x) {
    check(places.rank() + x.rank() - 1 <= max_rank, "index_rows: places {} and rows of {} make too many axes", places,
          x);
    PerAxis extents{};
    std::copy(x.begin() + 1, x.end(), std::copy(places.begin(), places.end(), extents.begin()));
    return Shape(std::span<const Index>(extents.data(), std::size_t(places.rank() + x.rank() - 1)));
}

/// dx of index_rows, by a counting sort of the places on the host.
Tensor scatter_rows(const Tensor& dy, const Integers& places, const Shape& shape) {
    const std::vector<Index> at = places.values();
    std::vector<Index> starts(std::size_t(shape[0]) + 1), uses(at.size());
    for (const Index p : at) ++starts[std::size_t(p) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<Index> next = starts;
    for (std::size_t i = 0; i < at.size(); ++i) uses[std::size_t(next[std::size_t(at[i])]++)] = Index(i);
    const Integers s({Index(starts.size())}, starts, dy.device()), u({Index(uses.size())}, uses, dy.device());
    Tensor dx = empty(shape, dy.device());
    const Index cols = shape[0] ? shape.count() / shape[0] : 0;
    rows(dy.device(), shape[0], cols, AddUses{dy.data(), s.data(), u.data(), dx.write(), cols});
    return dx;
}

}  // namespace

Tensor one_hot(const Integers& labels, Index classes) {
    check(classes >= 0, "one_hot: wanted at least 0 classes, got {}", classes);
    check_labels(labels, classes, "one_hot");
    Tensor y = empty(gathered(labels.shape(), {1, classes}), labels.device());
    rows(labels.device(), labels.size(), classes, OneHot{labels.data(), y.write(), classes});
    return y;
}

Tensor index_rows(const Tensor& x, const Integers& places) {
    check(x.rank() >= 1, "index_rows: wanted at least one axis, got shape {}", x.shape());
    check(x.device() == places.device(), "index_rows: wanted both on one device, got {} and {}", x.device(),
          places.device());
    check_labels(places, x.dim(0), "index_rows");
    const Tensor in = dense(x);
    const Index cols = x.dim(0) ? x.size() / x.dim(0) : 0;
    Tensor y = empty(gathered(places.shape(), x.shape()), x.device());
    rows(x.device(), places.size(), cols, CopyRow{in.data(), places.data(), y.write(), cols});
    return record("index_rows", y, {x}, [places, shape = x.shape()](const Tensor& dy) {
        return Grads{scatter_rows(dense(dy), places, shape)};
    });
}

}  // namespace RECTO
