#include <recto/ops/indexing/index.hpp>

#include <algorithm>
#include <numeric>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/sum_listed_rows.hpp>

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
    Index count, cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index from = places[row];
        const Real* in = x + from * cols;
        if (from < 0 || from >= count)  // check_labels reports asynchronously
            team.each(cols, [&](Index j) { y[row * cols + j] = not_a_number; });
        else
            team.each(cols, [&](Index j) { y[row * cols + j] = in[j]; });
    }
};

/// The first step of a merge sort of the uses by their place, on devices where the host cannot read the places: sorts
/// every run of `run` uses. Use i comes after the uses of smaller places, and after earlier uses of its own place.
struct SortRun {
    const Index* places;
    Index* uses;
    Index n, run;
    RECTO_HD void operator()(Index i) const {
        const Index begin = i / run * run, end = begin + run < n ? begin + run : n, mine = places[i];
        Index before = begin;
        for (Index k = begin; k < end; ++k) before += places[k] < mine || (places[k] == mine && k < i);
        uses[before] = i;
    }
};

/// The other steps: merge two runs each. Use i of one run moves behind the uses that precede it in the other run; for
/// equal places the left run comes first.
struct MergeRuns {
    const Index *places, *from;
    Index* to;
    Index n, run;
    RECTO_HD void operator()(Index i) const {
        const Index mine = places[from[i]], own = i / run, other = own ^ 1;
        const bool left = own < other;
        const Index begin = other * run < n ? other * run : n;
        Index low = begin, high = begin + run < n ? begin + run : n;
        while (low < high) {
            const Index middle = (low + high) / 2, place = places[from[middle]];
            if (place < mine || (place == mine && !left))
                low = middle + 1;
            else
                high = middle;
        }
        to[(left ? i : i - run) + low - begin] = from[i];
    }
};

/// starts[row]: how many of the sorted uses precede those of place `row`.
struct Start {
    const Index *places, *uses;
    Index* starts;
    Index n;
    RECTO_HD void operator()(Index row) const {
        Index low = 0, high = n;
        while (low < high) {
            const Index middle = (low + high) / 2;
            if (places[uses[middle]] < row)
                low = middle + 1;
            else
                high = middle;
        }
        starts[row] = low;
    }
};

/// The shape of `places` followed by the shape of a row of `x`.
Shape gathered(const Shape& places, const Shape& x) {
    check(places.dim() + x.dim() - 1 <= max_rank, "index_rows: places {} and rows of {} make too many axes", places, x);
    PerAxis extents{};
    std::copy(x.begin() + 1, x.end(), std::copy(places.begin(), places.end(), extents.begin()));
    return Shape(std::span<const Index>(extents.data(), std::size_t(places.dim() + x.dim() - 1)));
}

/// The uses of every place, one place after another, and where the uses of each place begin.
struct Uses {
    Integers starts, uses;
};

/// A counting sort on the host.
Uses uses_on_host(const Integers& places, Index count) {
    Uses sorted{Integers(Shape{count + 1}), Integers(Shape{places.numel()})};
    const Index* at = places.data();
    Index *starts = sorted.starts.write(), *uses = sorted.uses.write();
    std::fill_n(starts, count + 1, 0);
    for (Index i = 0; i < places.numel(); ++i) ++starts[at[i] + 1];
    std::partial_sum(starts, starts + count + 1, starts);
    std::vector<Index> next(starts, starts + count + 1);
    for (Index i = 0; i < places.numel(); ++i) uses[next[std::size_t(at[i])]++] = i;
    return sorted;
}

/// The uses sorted on the device, without the host.
Uses uses_on_device(const Integers& places, Index count) {
    const Index n = places.numel();
    Uses sorted{Integers(Shape{count + 1}, places.device()), Integers(Shape{n}, places.device())};
    Index run = 64;
    each(places.device(), n, SortRun{places.data(), sorted.uses.write(), n, run});
    for (; run < n; run *= 2) {
        Integers merged(Shape{n}, places.device());
        each(places.device(), n, MergeRuns{places.data(), sorted.uses.data(), merged.write(), n, run});
        sorted.uses = merged;
    }
    each(places.device(), count + 1, Start{places.data(), sorted.uses.data(), sorted.starts.write(), n});
    return sorted;
}

/// Computes dx of index_rows.
Tensor scatter_rows(const Tensor& dy, const Integers& places, const Shape& shape) {
    const Device device = dy.device();
    const Uses sorted = device == Device::cpu ? uses_on_host(places, shape[0]) : uses_on_device(places, shape[0]);
    Tensor dx = empty(shape, device);
    const Index cols = shape[0] ? shape.numel() / shape[0] : 0;
    rows(device, shape[0], cols, SumListedRows{dy.data(), sorted.starts.data(), sorted.uses.data(), dx.write(), cols});
    return dx;
}

}  // namespace

Tensor one_hot(const Integers& labels, Index classes) {
    check_defined("one_hot", labels);
    check(classes >= 0, "one_hot: wanted at least 0 classes, got {}", classes);
    check(labels.dim() < max_rank, "one_hot: wanted labels of at most {} axes, got shape {}", max_rank - 1,
          labels.shape());
    check_labels(labels, classes, "one_hot");
    Tensor y = empty(gathered(labels.shape(), {1, classes}), labels.device());
    rows(labels.device(), labels.numel(), classes, OneHot{labels.data(), y.write(), classes});
    return y;
}

Tensor index_rows(const Tensor& x, const Integers& places) {
    check_defined("index_rows", x, places);
    check(x.dim() >= 1, "index_rows: wanted at least one axis, got shape {}", x.shape());
    check(x.device() == places.device(), "index_rows: wanted both on one device, got {} and {}", x.device(),
          places.device());
    check_labels(places, x.size(0), "index_rows");
    const Tensor in = dense(x);
    const Index cols = x.size(0) ? x.numel() / x.size(0) : 0;
    Tensor y = empty(gathered(places.shape(), x.shape()), x.device());
    rows(x.device(), places.numel(), cols, CopyRow{in.data(), places.data(), y.write(), x.size(0), cols});
    return record("index_rows", y, {x}, [places = Saved(places), shape = x.shape()](const Tensor& dy) {
        return Grads{scatter_rows(dense(dy), *places, shape)};
    });
}

}  // namespace RECTO
