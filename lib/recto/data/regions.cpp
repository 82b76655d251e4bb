#include <recto/data/regions.hpp>

#include <algorithm>
#include <cmath>

#include <recto/base/check.hpp>

namespace RECTO::data {

std::vector<LabelledBox> best_regions(std::vector<LabelledBox> regions, std::size_t most, double overlap) {
    check(std::ranges::none_of(regions, [](const LabelledBox& one) { return std::isnan(one.score); }),
          "best_regions: a score is NaN");
    std::ranges::stable_sort(regions, [](const LabelledBox& a, const LabelledBox& b) { return a.score > b.score; });
    std::vector<LabelledBox> kept;
    for (const LabelledBox& one : regions) {
        if (kept.size() == most) break;
        if (std::ranges::none_of(kept, [&](const LabelledBox& other) { return iou(one.box, other.box) > overlap; }))
            kept.push_back(one);
    }
    return kept;
}

std::vector<Nearest> nearest_objects(std::span<const LabelledBox> regions, std::span<const LabelledBox> truth) {
    std::vector<std::vector<std::size_t>> objects;  // of each image
    for (std::size_t k = 0; k < truth.size(); ++k) {
        check(truth[k].image >= 0, "nearest_objects: wanted images from 0, got {}", truth[k].image);
        objects.resize(std::max(objects.size(), std::size_t(truth[k].image) + 1));
        objects[std::size_t(truth[k].image)].push_back(k);
    }
    std::vector<Nearest> found;
    for (const LabelledBox& one : regions) {
        check(one.image >= 0, "nearest_objects: wanted images from 0, got {}", one.image);
        Nearest best;
        if (std::size_t(one.image) < objects.size())
            for (const std::size_t k : objects[std::size_t(one.image)])
                if (const double overlap = iou(one.box, truth[k].box); overlap > best.overlap) best = {k, overlap};
        found.push_back(best);
    }
    return found;
}

std::array<double, 4> move_between(const Box& from, const Box& to) {
    check(from.width() > 0 && from.height() > 0 && to.width() > 0 && to.height() > 0,
          "move_between: wanted boxes with a width and a height, got {} x {} and {} x {}", from.width(), from.height(),
          to.width(), to.height());
    return {(to.x() - from.x()) / from.width(), (to.y() - from.y()) / from.height(),
            std::log(to.width() / from.width()), std::log(to.height() / from.height())};
}

Box moved(const Box& from, const std::array<double, 4>& move) {
    const double x = from.x() + move[0] * from.width(), y = from.y() + move[1] * from.height(),
                 width = from.width() * std::exp(move[2]), height = from.height() * std::exp(move[3]);
    return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

}  // namespace RECTO::data
