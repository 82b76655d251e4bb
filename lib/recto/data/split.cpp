#include <recto/data/split.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace RECTO::data {
namespace {
void check_parts(Index n, Index validation, Index test, const char* who) {
    check(validation >= 0 && test >= 0 && validation < n && test < n - validation,
          "{}: wanted parts that leave some of {} to learn from, got {} and {}", who, n, validation, test);
}
}  // namespace

Split split(Index n, Index validation, Index test, Generator& random) {
    check_parts(n, validation, test, "split");
    const std::vector<Index> order = random.permutation(n);
    const auto part = [&](Index begin, Index end) {
        std::vector<Index> rows(order.begin() + begin, order.begin() + end);
        std::ranges::sort(rows);
        return rows;
    };
    return {part(validation + test, n), part(0, validation), Guarded(part(validation, validation + test))};
}

Split stratified_split(std::span<const Index> labels, Index validation, Index test, Generator& random) {
    const auto n = Index(labels.size());
    check_parts(n, validation, test, "stratified_split");
    const std::array<Index, 3> sizes = {n - validation - test, validation, test};
    std::map<Index, std::vector<Index>> classes;  // rows of each class, in random order
    for (const Index i : random.permutation(n)) classes[labels[std::size_t(i)]].push_back(i);

    // Every class gives each part its share, rounded down. The remaining rows of a class go, one each, to the parts
    // that lack most: then no part has too few rows at the end (Ryser, 1957).
    const auto share = [&](std::size_t part, const std::vector<Index>& rows) {
        return sizes[part] * Index(rows.size()) / n;
    };
    std::array<Index, 3> lacks = sizes;
    for (const auto& [label, rows] : classes)
        for (std::size_t part = 0; part < 3; ++part) lacks[part] -= share(part, rows);
    std::array<std::vector<Index>, 3> parts;
    for (const auto& [label, rows] : classes) {
        std::array<std::size_t, 3> neediest = {0, 1, 2};
        std::ranges::stable_sort(neediest, std::greater(), [&](std::size_t part) { return lacks[part]; });
        auto next = rows.begin();
        const auto give = [&](std::size_t part, Index count) {
            parts[part].insert(parts[part].end(), next, next + count);
            next += count;
        };
        for (std::size_t part = 0; part < 3; ++part) give(part, share(part, rows));
        for (std::size_t i = 0; next != rows.end(); ++i) --lacks[neediest[i]], give(neediest[i], 1);
    }
    for (auto& rows : parts) std::ranges::sort(rows);
    return {std::move(parts[0]), std::move(parts[1]), Guarded(std::move(parts[2]))};
}

}  // namespace RECTO::data
