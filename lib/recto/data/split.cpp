#include <recto/data/split.hpp>

#include <algorithm>

namespace RECTO::data {

Split split(Index n, Index validation, Index test, Generator& random) {
    check(validation >= 0 && test >= 0 && validation + test < n,
          "split: wanted parts that leave some of {} to learn from, got {} and {}", n, validation, test);
    const std::vector<Index> order = random.permutation(n);
    const auto part = [&](Index begin, Index end) {
        std::vector<Index> rows(order.begin() + begin, order.begin() + end);
        std::ranges::sort(rows);
        return rows;
    };
    return {part(validation + test, n), part(0, validation), Guarded(part(validation, validation + test))};
}

}  // namespace RECTO::data
