#include <recto/nn/detector.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

constexpr std::size_t before = 2;  // maps of the backbone without boxes: a half and a quarter of the image

Index checked_maps(const DetectorOptions& options) {
    check(options.classes >= 1 && options.slots >= 1, "Detector: wanted at least one class and slot, got {} and {}",
          options.classes, options.slots);
    Index maps = 0;
    while ((Index(1) << maps) < options.side) ++maps;
    check(options.side >= 16 && (Index(1) << maps) == options.side,
          "Detector: wanted a side that is a power of 2, at least 16, got {}", options.side);
    return maps;
}

}  // namespace

ConvUnit::ConvUnit(Index in, Index out, bool halve, Generator& random, Device device)
    : conv(in, out, halve ? 4 : 3, random,
           {.stride = halve ? 2 : 1, .padding = 1, .bias = false, .weights = he_init, .device = device}),
      norm(out, {.device = device}) {}

Tensor ConvUnit::operator()(const Tensor& x) const { return norm.relu(conv(x)); }

Backbone::Backbone(Index channels, Index maps, Index width, Generator& random, Device device) {
    check(channels >= 1 && maps >= 1 && width >= 1,
          "Backbone: wanted at least one channel, map and unit of width, got {}, {} and {}", channels, maps, width);
    for (Index map = 0; map < maps; ++map) {
        const Index out = width * std::min<Index>(map + 1, 4);
        std::vector<ConvUnit>& stage = stages.emplace_back();
        stage.emplace_back(channels, out, true, random, device);
        if (map == 1 || map == 2) stage.emplace_back(out, out, false, random, device);
        channels = out;
    }
}

std::vector<Tensor> Backbone::operator()(Tensor x) const {
    std::vector<Tensor> maps;
    for (const std::vector<ConvUnit>& stage : stages) {
        for (const ConvUnit& unit : stage) x = unit(x);
        maps.push_back(x);
    }
    return maps;
}

Detector::Detector(Generator& random, const DetectorOptions& options)
    : grid{.side = double(options.side), .maps = {}, .slots = options.slots},
      backbone(options.channels, checked_maps(options), options.width, random, options.device),
      classes(options.classes) {
    for (std::size_t map = before; map < backbone.stages.size(); ++map) {
        grid.maps.push_back(options.side >> (map + 1));
        heads.emplace_back(backbone.channels(map), options.slots * (4 + classes + 1), 3, random,
                           ConvLayerOptions{.padding = 1, .device = options.device});
    }
    grid.check_grid();
}

Tensor Detector::operator()(const Tensor& images) const {
    const std::vector<Tensor> maps = backbone(images);
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const Tensor cells = channels_last(heads[i](maps[before + i]));
        parts.push_back(reshape(cells, {cells.size(0), cells.size(1) * cells.size(2) * grid.slots, 4 + classes + 1}));
    }
    return concat(parts, 1);
}

DetectionTargets detection_targets(const data::BoxGrid& grid, std::span<const data::LabelledBox> truth, Index images,
                                   Index classes, Device device) {
    const Index places = grid.size();
    std::vector<Index> labels(std::size_t(images * places), 0);
    std::vector<Real> numbers(std::size_t(4 * images * places), 0);
    for (const data::LabelledBox& one : truth) {
        check(one.image >= 0 && one.image < images && one.label >= 1 && one.label <= classes,
              "detection_targets: wanted images from 0 to {} and labels from 1 to {}, got {} and {}", images - 1,
              classes, one.image, one.label);
        const data::BoxCell at = grid.assign(one.box);
        const std::size_t place = std::size_t(one.image * places + grid.number(at));
        labels[place] = one.label;
        const std::array<double, 4> code = grid.encode(one.box, at);
        for (std::size_t i = 0; i < 4; ++i) numbers[4 * place + i] = Real(code[i]);
    }
    return {Integers({images, places}, labels, device), Tensor({images, places, 4}, numbers, device)};
}

std::vector<Index> hardest_negatives(const Tensor& scores, const Integers& labels, double negatives) {
    const std::vector<Index> label = labels.values();
    const NoGrad only_asking;
    const std::vector<Real> loss = cross_entropy(scores, labels, {.reduction = Reduction::none}).values();
    std::vector<Index> free;
    for (std::size_t i = 0; i < label.size(); ++i)
        if (label[i] == 0) free.push_back(Index(i));
    const double objects = std::max(1.0, double(label.size() - free.size()));
    const std::size_t count = std::size_t(std::min(double(free.size()), std::floor(negatives * objects)));
    std::ranges::stable_sort(free, [&](Index a, Index b) { return loss[std::size_t(a)] > loss[std::size_t(b)]; });
    free.resize(count);
    std::ranges::sort(free);
    return free;
}

Tensor detection_loss(const Tensor& predicted, const DetectionTargets& targets, const DetectionLossOptions& options) {
    check_defined("detection_loss", predicted, targets.labels, targets.numbers);
    check(predicted.dim() == 3 && predicted.size(2) >= 6 &&
              targets.labels.shape() == Shape{predicted.size(0), predicted.size(1)} &&
              targets.numbers.shape() == Shape{predicted.size(0), predicted.size(1), 4},
          "detection_loss: wanted (batch, places, 4 + C + 1) and targets for each place, got shapes {}, {} and {}",
          predicted.shape(), targets.labels.shape(), targets.numbers.shape());
    const Index places = predicted.size(0) * predicted.size(1), width = predicted.size(2);
    const Tensor rows = reshape(predicted, {places, width}), scores = slice(rows, 1, 4, width);
    const Integers labels = targets.labels.reshape({places});
    const std::vector<Index> label = labels.values();
    std::vector<Index> matched, kept;
    for (Index i = 0; i < places; ++i)
        if (label[std::size_t(i)] != 0) matched.push_back(i);
    const double objects = std::max(1.0, double(matched.size()));
    if (options.negatives > 0) {
        kept = hardest_negatives(scores, labels, options.negatives);
        kept.insert(kept.end(), matched.begin(), matched.end());
        std::ranges::sort(kept);
    } else {
        kept.resize(std::size_t(places));
        std::iota(kept.begin(), kept.end(), Index(0));
    }
    std::vector<Index> kept_labels;
    for (const Index i : kept) kept_labels.push_back(label[std::size_t(i)]);
    const Device device = predicted.device();
    Tensor loss = cross_entropy(index_rows(scores, Integers({Index(kept.size())}, kept, device)),
                                Integers({Index(kept.size())}, kept_labels, device), {.reduction = Reduction::sum});
    if (!matched.empty() && options.coordinates > 0) {
        const Integers at({Index(matched.size())}, matched, device);
        const Tensor miss =
            index_rows(slice(rows, 1, 0, 4), at) - index_rows(reshape(targets.numbers, {places, 4}), at);
        loss = loss + options.coordinates * sum(miss * miss);
    }
    return loss / objects;
}

std::vector<data::LabelledBox> found_boxes(const Tensor& predicted, const data::BoxGrid& grid,
                                           const FoundOptions& options) {
    check_defined("found_boxes", predicted);
    check(predicted.dim() == 3 && predicted.size(1) == grid.size() && predicted.size(2) >= 6,
          "found_boxes: wanted (batch, {}, 4 + C + 1), got shape {}", grid.size(), predicted.shape());
    const NoGrad only_asking;
    const Index places = predicted.size(1), width = predicted.size(2), classes = width - 5;
    const std::vector<Real> numbers = slice(predicted, 2, 0, 4).values(),
                            chances = softmax(slice(predicted, 2, 4, width)).values();
    std::vector<data::LabelledBox> found;
    for (Index image = 0; image < predicted.size(0); ++image)
        for (Index label = 1; label <= classes; ++label) {
            std::vector<data::Box> boxes;
            std::vector<double> scores;
            for (Index place = 0; place < places; ++place) {
                const std::size_t row = std::size_t(image * places + place);
                const double chance = double(chances[row * std::size_t(classes + 1) + std::size_t(label)]);
                if (!(chance >= options.score)) continue;
                std::array<double, 4> code;
                for (std::size_t i = 0; i < 4; ++i) code[i] = double(numbers[4 * row + i]);
                boxes.push_back(grid.decode(code, grid.place(place)));
                scores.push_back(chance);
            }
            for (const std::size_t i : data::suppress(boxes, scores, options.overlap))
                found.push_back({options.first_image + image, label, boxes[i], scores[i]});
        }
    return found;
}

Tensor overlaps(const Tensor& a, const Tensor& b) {
    check_defined("overlaps", a, b);
    check(a.dim() == 2 && b.dim() == 2 && a.size(1) == 4 && b.size(1) == 4,
          "overlaps: wanted (n, 4) and (m, 4), got shapes {} and {}", a.shape(), b.shape());
    const auto column = [&](Index i) { return slice(a, 1, i, i + 1); };
    const auto row = [&](Index i) { return transpose(slice(b, 1, i, i + 1)); };
    const auto shared = [&](Index i) {
        return maximum(minimum(column(i + 2), row(i + 2)) - maximum(column(i), row(i)), 0.0);
    };
    const Tensor both = shared(0) * shared(1), either = (column(2) - column(0)) * (column(3) - column(1)) +
                                                        (row(2) - row(0)) * (row(3) - row(1)) - both;
    return both / either;
}

std::vector<Index> suppress(const Tensor& boxes, const Tensor& scores, double threshold) {
    check_defined("suppress", boxes, scores);
    check(boxes.dim() == 2 && boxes.size(1) == 4 && scores.shape() == Shape{boxes.size(0)},
          "suppress: wanted (n, 4) and (n), got shapes {} and {}", boxes.shape(), scores.shape());
    const std::vector<Real> score = scores.values();
    check(std::ranges::none_of(score, [](Real s) { return std::isnan(s); }), "suppress: a score is NaN");
    const NoGrad only_asking;
    const std::size_t n = score.size();
    const std::vector<Real> overlap = n ? overlaps(boxes, boxes).values() : std::vector<Real>();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
    std::vector<Index> kept;
    for (const std::size_t i : order)
        if (std::ranges::none_of(kept, [&](Index k) { return double(overlap[std::size_t(k) * n + i]) > threshold; }))
            kept.push_back(Index(i));
    return kept;
}

}  // namespace RECTO::nn
