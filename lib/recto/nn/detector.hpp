#pragma once
/// @file
/// A single-shot detector: one convolutional network predicts the boxes of all objects of an image at once, at several
/// scales.
#include <span>
#include <vector>

#include <recto/core/integers.hpp>
#include <recto/data/boxes.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/norm.hpp>

namespace RECTO::nn {

/// Convolution, normalisation and relu().
struct ConvUnit {
    Conv2d conv;     ///< without a bias, which the normalisation has
    BatchNorm norm;  ///< over the mini-batch

    /// Halves both sides if `halve`, by a kernel of 4 x 4 pixels that stays centred; else keeps them, by 3 x 3.
    ConvUnit(Index in, Index out, bool halve, Generator& random, Device device = Device::cpu);

    Tensor operator()(const Tensor& x) const;  ///< (batch, in, height, width) to (batch, out, ...)
    /// Names its parts.
    void visit(auto&& part) { part("conv", conv), part("norm", norm); }
};

/// A convolutional network that returns all of its maps, each half the size of the one before.
///
/// With width w the maps have w, 2w, 3w, 4w, 4w, ... channels. A second convolution without stride follows in the second
/// and the third map. Every kernel is centred on the cell that it computes.
struct Backbone {
    std::vector<std::vector<ConvUnit>> stages;  ///< the layers of each map

    /// @param channels  of the image
    /// @param maps      number of maps; the image's sides are multiples of 2 to this power
    /// @throws Error unless all three are at least 1
    Backbone(Index channels, Index maps, Index width, Generator& random, Device device = Device::cpu);

    std::vector<Tensor> operator()(Tensor x) const;  ///< (batch, channels, side, side) to all maps, the largest first
    Index channels(std::size_t map) const { return stages[map].back().norm.weight.numel(); }  ///< Channels of a map.
    /// Names its parts.
    void visit(auto&& part) {
        for (std::size_t i = 0; i < stages.size(); ++i) part(fmt::format("stages.{}", i), stages[i]);
    }
};

/// Options of a Detector.
struct DetectorOptions {
    Index channels = 3;           ///< of the image
    Index classes = 3;            ///< C: classes of objects
    Index slots = 1;              ///< k: boxes in each cell
    Index side = 64;              ///< pixels along each side of the image, a power of 2, at least 16
    Index width = 16;             ///< of the Backbone
    Device device = Device::cpu;  ///< device of its parameters
};

/// The single-shot detector (Liu et al., 2016), with one unambiguous place for each box: a backbone, and on each of its
/// maps from an eighth of the image down to 1 x 1 a convolution that predicts, for each box of each cell, its four
/// numbers (see data::BoxGrid) and C + 1 scores, the first of which is for *no object*.
struct Detector {
    data::BoxGrid grid;         ///< the places of its boxes
    Backbone backbone;          ///< computes the maps
    std::vector<Conv2d> heads;  ///< of each map with boxes: to slots (4 + C + 1) channels
    Index classes;              ///< C

    /// @throws Error when an option is out of range
    Detector(Generator& random, const DetectorOptions& options = {});

    /// (batch, channels, side, side) to (batch, places, 4 + C + 1), the places as the grid numbers them.
    Tensor operator()(const Tensor& images) const;
    /// Names its parts.
    void visit(auto&& part) { part("backbone", backbone), part("heads", heads); }
};

/// What a detector should predict.
struct DetectionTargets {
    Integers labels;  ///< (batch, places): the class of the box at each place, 0 for no object
    Tensor numbers;   ///< (batch, places, 4): its four numbers, 0 without one
};

/// Puts each true box in its place. Of two boxes with the same place the later one is kept.
/// @param images  number of images
/// @throws Error when an image or a label is out of range
DetectionTargets detection_targets(const data::BoxGrid& grid, std::span<const data::LabelledBox> truth, Index images,
                                   Index classes, Device device = Device::cpu);

/// Options of detection_loss().
struct DetectionLossOptions {
    double negatives = 3;    ///< kept places without an object for each one with an object, the hardest; 0 keeps all
    double coordinates = 1;  ///< factor of the coordinates
};

/// The places without an object that the detector gets most wrong: those with the largest cross-entropy, equal ones in
/// order, `negatives` for each place with an object, or for one if no place has one.
/// @param scores  (batch, places, classes + 1)   @param labels  (batch, places)
/// @return        numbers of places, counted through the batch, increasing
std::vector<Index> hardest_negatives(const Tensor& scores, const Integers& labels, double negatives);

/// The loss of detection: over M places with an object (at least 1), and the places N that are kept without,
///
/// \f[ \frac1M \Bigl( \sum_{n \in M \cup N} -\log \mathrm{softmax}(s_n)_{c_n} + \gamma \sum_{n \in M} \lVert \hat b_n -
/// b_n \rVert^2 \Bigr) \f]
///
/// @param predicted  (batch, places, 4 + C + 1), as from a Detector
/// @throws Error when the shapes do not fit
Tensor detection_loss(const Tensor& predicted, const DetectionTargets& targets,
                      const DetectionLossOptions& options = {});

/// Options of found_boxes().
struct FoundOptions {
    double score = 0.5;     ///< least probability of the class
    double overlap = 0.45;  ///< more overlap with a better box of the same class suppresses a box
    Index first_image = 0;  ///< number of the first image
};

/// Boxes from predictions: every place and class whose probability is high enough, without those that are suppressed.
/// @throws Error when the shape does not fit the grid
std::vector<data::LabelledBox> found_boxes(const Tensor& predicted, const data::BoxGrid& grid,
                                           const FoundOptions& options = {});

/// The overlap (IoU) of every box of `a` with every box of `b`: (n, 4) and (m, 4) as x1, y1, x2, y2, to (n, m).
/// @throws Error unless both have four columns
Tensor overlaps(const Tensor& a, const Tensor& b);

/// data::suppress() for boxes on any device; their overlaps are computed there.
/// @param boxes   (n, 4): x1, y1, x2, y2
/// @param scores  (n)
/// @return        indices of the kept boxes, in decreasing order of score
/// @throws Error when the shapes do not fit, or a score is NaN
std::vector<Index> suppress(const Tensor& boxes, const Tensor& scores, double threshold);

}  // namespace RECTO::nn
