#include <recto/data/turned.hpp>

#include <numeric>
#include <vector>

#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::data {

Tensor upright(const Tensor& images) { return images; }
Tensor turned(const Tensor& images) { return flip(transpose(images), {-2}); }
Tensor turned_back(const Tensor& images) { return flip(transpose(images), {-1}); }
Tensor rolled_down(const Tensor& images) {
    const Index height = images.size(-2), rows = 6;
    check(height >= rows, "rolled_down: wanted images of at least {} rows, got shape {}", rows, images.shape());
    return concat({slice(images, -2, height - rows, height), slice(images, -2, 0, height - rows)}, -2);
}

Examples mostly_upright(const Examples& all, std::span<const ImageTask> tasks, Index per_cent, Generator& random) {
    check(per_cent >= 0 && per_cent <= 100, "mostly_upright: wanted from 0 to 100 per cent, got {}", per_cent);
    std::vector<Index> rows(std::size_t(all.size()));
    std::iota(rows.begin(), rows.end(), Index(0));
    std::vector<Tensor> x = {all.x};
    for (const ImageTask task : tasks) {
        std::vector<Index> few = random.permutation(all.size());
        few.resize(std::size_t(all.size() * per_cent / 100));
        x.push_back(task(select(all, few).x));
        rows.insert(rows.end(), few.begin(), few.end());
    }
    return {concat(x), select(all, rows).labels, {}, {}};
}

}  // namespace RECTO::data
