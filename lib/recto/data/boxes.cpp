#include <recto/data/boxes.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <set>

#include <recto/base/check.hpp>

namespace RECTO::data {
namespace {

std::vector<std::size_t> by_score(std::size_t count, auto score) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return score(a) > score(b); });
    return order;
}

}  // namespace

double iou(const Box& a, const Box& b) {
    const double width = std::max(0.0, std::min(a.x2, b.x2) - std::max(a.x1, b.x1)),
                 height = std::max(0.0, std::min(a.y2, b.y2) - std::max(a.y1, b.y1)), shared = width * height,
                 together = a.area() + b.area() - shared;
    return together > 0 ? shared / together : 0;
}

std::vector<std::size_t> suppress(std::span<const Box> boxes, std::span<const double> scores, double threshold) {
    check(boxes.size() == scores.size(), "suppress: wanted a score for each box, got {} boxes and {} scores",
          boxes.size(), scores.size());
    check(std::ranges::none_of(scores, [](double score) { return std::isnan(score); }), "suppress: a score is NaN");
    std::vector<std::size_t> kept;
    for (const std::size_t i : by_score(boxes.size(), [&](std::size_t at) { return scores[at]; }))
        if (std::ranges::none_of(kept, [&](std::size_t k) { return iou(boxes[k], boxes[i]) > threshold; }))
            kept.push_back(i);
    return kept;
}

void BoxGrid::check_grid() const {
    check(side > 0 && slots >= 1 && fill > 0 && !maps.empty() && maps.back() >= 1 &&
              std::adjacent_find(maps.begin(), maps.end(), std::less_equal<>()) == maps.end(),
          "BoxGrid: wanted a side, maps that decrease, slots and a fill above 0, got a side of {}, {} maps, {} slots "
          "and a "
          "fill of {}",
          side, maps.size(), slots, fill);
}

Index BoxGrid::size() const {
    Index count = 0;
    for (const Index cells : maps) count += cells * cells * slots;
    return count;
}

double BoxGrid::pitch(Index map) const { return side / double(maps[std::size_t(map)]); }

double BoxGrid::nominal(const BoxCell& at) const {
    const double low = fill * pitch(at.map),
                 high = at.map + 1 < Index(maps.size()) ? fill * pitch(at.map + 1) : 2 * low;
    return low * std::pow(high / low, (double(at.slot) + 0.5) / double(slots));
}

Box BoxGrid::square(const BoxCell& at) const {
    const double p = pitch(at.map), x = p * double(at.col), y = p * double(at.row);
    return {x, y, x + p, y + p};
}

BoxCell BoxGrid::place(Index number) const {
    check(number >= 0 && number < size(), "BoxGrid: wanted a place from 0 to {}, got {}", size() - 1, number);
    Index map = 0;
    for (; number >= maps[std::size_t(map)] * maps[std::size_t(map)] * slots; ++map)
        number -= maps[std::size_t(map)] * maps[std::size_t(map)] * slots;
    const Index cells = maps[std::size_t(map)];
    return {map, number / slots / cells, number / slots % cells, number % slots};
}

Index BoxGrid::number(const BoxCell& at) const {
    Index before = 0;
    for (Index map = 0; map < at.map; ++map) before += maps[std::size_t(map)] * maps[std::size_t(map)] * slots;
    return before + (at.row * maps[std::size_t(at.map)] + at.col) * slots + at.slot;
}

BoxCell BoxGrid::assign(const Box& box) const {
    const double longer = std::max(box.width(), box.height());
    check(box.width() > 0 && box.height() > 0 && box.x() >= 0 && box.x() <= side && box.y() >= 0 && box.y() <= side,
          "BoxGrid: wanted a box with its centre in the image, got {} by {} pixels around ({}, {})", box.width(),
          box.height(), box.x(), box.y());
    BoxCell at;
    while (at.map + 1 < Index(maps.size()) && longer >= fill * pitch(at.map + 1)) ++at.map;
    const double low = fill * pitch(at.map),
                 high = at.map + 1 < Index(maps.size()) ? fill * pitch(at.map + 1) : 2 * low,
                 part = std::log(longer / low) / std::log(high / low);
    at.slot = Index(std::clamp(std::floor(part * double(slots)), 0.0, double(slots - 1)));
    const auto cell = [&](double centre) {  // the right and lower sides of the image belong to the last cells
        return std::min(Index(centre / pitch(at.map)), maps[std::size_t(at.map)] - 1);
    };
    at.row = cell(box.y()), at.col = cell(box.x());
    return at;
}

std::array<double, 4> BoxGrid::encode(const Box& box, const BoxCell& at) const {
    const Box cell = square(at);
    const double size = nominal(at);
    return {(box.x() - cell.x()) / cell.width(), (box.y() - cell.y()) / cell.width(), std::log(box.width() / size),
            std::log(box.height() / size)};
}

Box BoxGrid::decode(const std::array<double, 4>& numbers, const BoxCell& at) const {
    const Box cell = square(at);
    const double size = nominal(at), x = cell.x() + cell.width() * numbers[0], y = cell.y() + cell.width() * numbers[1],
                 half_width = size * std::exp(numbers[2]) / 2, half_height = size * std::exp(numbers[3]) / 2;
    return {x - half_width, y - half_height, x + half_width, y + half_height};
}

PrecisionRecall precision_recall(std::span<const LabelledBox> found, std::span<const LabelledBox> truth, Index label,
                                 double threshold) {
    const auto total = std::ranges::count_if(truth, [&](const LabelledBox& one) { return one.label == label; });
    check(total > 0, "precision_recall: no true box has class {}", label);
    std::vector<bool> taken(truth.size());
    PrecisionRecall curve;
    double right = 0, all = 0;
    for (const std::size_t i : by_score(found.size(), [&](std::size_t at) { return found[at].score; })) {
        if (found[i].label != label) continue;
        double most = 0;
        std::size_t best = truth.size();
        for (std::size_t j = 0; j < truth.size(); ++j) {
            if (truth[j].label != label || truth[j].image != found[i].image) continue;
            const double overlap = iou(found[i].box, truth[j].box);
            if (overlap > most) most = overlap, best = j;
        }
        ++all;
        if (best < truth.size() && most >= threshold && !taken[best]) taken[best] = true, ++right;
        curve.recall.push_back(right / double(total));
        curve.precision.push_back(right / all);
    }
    double highest = 0;
    for (std::size_t i = curve.recall.size(); i-- > 0;) {
        highest = std::max(highest, curve.precision[i]);
        curve.average += highest * (curve.recall[i] - (i ? curve.recall[i - 1] : 0));
    }
    return curve;
}

double mean_average_precision(std::span<const LabelledBox> found, std::span<const LabelledBox> truth,
                              double threshold) {
    check(!truth.empty(), "mean_average_precision: wanted at least one true box");
    std::set<Index> labels;
    for (const LabelledBox& one : truth) labels.insert(one.label);
    double sum = 0;
    for (const Index label : labels) sum += precision_recall(found, truth, label, threshold).average;
    return sum / double(labels.size());
}

}  // namespace RECTO::data
