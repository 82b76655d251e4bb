#include <recto/data/context_table.hpp>

#include <cmath>

namespace RECTO::data {

/// Calls `use(context, next)` for every position.
template <class Use>
void ContextTable::each(const Contexts& places, const Use& use) const {
    check(places.before.dim() == 2 && places.before.size(1) == length_,
          "ContextTable: wanted contexts of shape (places, {}), got {}", length_, places.before.shape());
    const std::vector<Index> before = places.before.values(), next = places.next.values();
    auto window = before.begin();
    for (const Index symbol : next) {
        use(std::vector<Index>(window, window + length_), std::size_t(symbol));
        window += length_;
    }
}

ContextTable::ContextTable(const Contexts& seen, double smoothing)
    : length_(seen.before.size(1)), smoothing_(smoothing) {
    check(smoothing >= 0 && std::isfinite(smoothing), "ContextTable: wanted a smoothing of at least 0, got {}",
          smoothing);
    check_labels(seen.next, 27, "ContextTable");
    each(seen, [&](const auto& context, std::size_t next) { ++rows_[context][next]; });
}

double ContextTable::nll(const Contexts& places) const {
    check(places.size() > 0, "ContextTable: wanted at least one place, got none");
    check_labels(places.next, 27, "ContextTable");
    double total = 0;
    each(places, [&](const auto& context, std::size_t next) {
        const auto row = rows_.find(context);
        if (row == rows_.end()) {
            total += std::log(27.0);
            return;
        }
        double sum = 27 * smoothing_;
        for (const Index count : row->second) sum += double(count);
        total -= std::log((double(row->second[next]) + smoothing_) / sum);
    });
    return total / double(places.size());
}

double ContextTable::unseen(const Contexts& places) const {
    check(places.size() > 0, "ContextTable: wanted at least one place, got none");
    double fresh = 0;
    each(places, [&](const auto& context, std::size_t) { fresh += !rows_.contains(context); });
    return fresh / double(places.size());
}

}  // namespace RECTO::data
