#include <recto/ops/indexing/neighbours.hpp>

#include <numeric>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/sum_listed_rows.hpp>

namespace RECTO {
namespace {

/// One row for each target: the sum of its neighbours' rows.
Tensor gather(const Tensor& x, const Integers& offsets, const Integers& places) {
    const Index targets = offsets.numel() - 1;
    Tensor y = empty(x.shape().with(0, targets), x.device());
    const Index cols = targets ? y.numel() / targets : 0, edges = targets ? places.numel() / targets : 0;
    rows(x.device(), targets, cols * (edges + 1),
         SumListedRows{x.data(), offsets.data(), places.data(), y.write(), cols});
    return y;
}

}  // namespace

Neighbours::Neighbours(const Integers& offsets, const Integers& places, Index sources) {
    check(offsets.dim() == 1 && places.dim() == 1 && offsets.numel() >= 1,
          "Neighbours: wanted offsets (targets + 1) and places, got shapes {} and {}", offsets.shape(), places.shape());
    check(offsets.device() == places.device(), "Neighbours: wanted both on one device, got {} and {}", offsets.device(),
          places.device());
    check(sources >= 0, "Neighbours: wanted at least 0 sources, got {}", sources);
    const std::vector<Index> ends = offsets.values(), at = places.values();
    offsets_ = Integers(offsets.shape(), ends, offsets.device());  // a copy that nothing else can change
    places_ = Integers(places.shape(), at, offsets.device());
    check(ends.front() == 0 && ends.back() == Index(at.size()), "Neighbours: wanted offsets from 0 to {}, got {} to {}",
          at.size(), ends.front(), ends.back());
    for (std::size_t i = 1; i < ends.size(); ++i)
        check(ends[i - 1] <= ends[i], "Neighbours: wanted offsets that never fall, got {} after {}", ends[i],
              ends[i - 1]);
    check_labels(places, sources, "Neighbours");

    // A counting sort of the edges by their source.
    std::vector<Index> starts(std::size_t(sources) + 1), targets(at.size());
    for (const Index p : at) ++starts[std::size_t(p) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<Index> next = starts;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
        for (Index e = ends[i]; e < ends[i + 1]; ++e)
            targets[std::size_t(next[std::size_t(at[std::size_t(e)])]++)] = Index(i);
    back_ = Integers({Index(starts.size())}, starts, offsets.device());
    back_places_ = Integers({Index(targets.size())}, targets, offsets.device());
}

Tensor sum_neighbours(const Tensor& x, const Neighbours& graph) {
    check_defined("sum_neighbours", x);
    check(x.dim() >= 1 && x.size(0) == graph.sources(), "sum_neighbours: wanted {} rows, got shape {}", graph.sources(),
          x.shape());
    check(x.device() == graph.offsets_.device(), "sum_neighbours: wanted both on one device, got {} and {}", x.device(),
          graph.offsets_.device());
    return record("sum_neighbours", gather(dense(x), graph.offsets_, graph.places_), {x},
                  [offsets = graph.back_, places = graph.back_places_](const Tensor& dy) {
                      return Grads{gather(dense(dy), offsets, places)};
                  });
}

}  // namespace RECTO
