#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/core/random.hpp>
#include <recto/data/buildings.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/warp.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>

#include "conv.hpp"

// Products of a map, (n, 1, rows, columns), with another one of this shape that is moved in nine ways. In the result,
// (n, 9, rows, columns), channel 3 i + j is own(row, column) times map(row + (i - 1) step, column + (j - 1) step).
// Outside the map is 0.
recto::Tensor compare(const recto::Tensor& own, const recto::Tensor& map, recto::Index step);

// The sum over the flows, (n, 2, size, size) with any sizes that divide `side`, of the mean length of the errors of
// their arrows in pixels: of the root of the squared length plus 0.01. `truth` is (n, 2, side, side). A tensor of shape
// (), on the tape of the flows.
recto::Tensor loss(const std::vector<recto::Tensor>& flows, const recto::Tensor& truth);

// A method that finds flows, with whatever it has learned.
class Model {
public:
    virtual ~Model() = default;

    // Trains it, if there is anything to train. recto::data::buildings(n, random) draws pairs to learn from. It is
    // called once at most.
    virtual void train(recto::Generator& random) = 0;

    // The flows, (n, 2, 32, 32), for images (n, 3, 32, 32) and moved maps (n, 1, 32, 32). For each pixel of an image it
    // says how far to the right (channel 0) and how far down (channel 1) the same place is in the map, in pixels.
    virtual recto::Tensor flow(const recto::Tensor& images, const recto::Tensor& maps) const = 0;
};

// Your model, before its training.
std::unique_ptr<Model> propose(recto::Generator& random);

namespace kit {
// Shows the progress of a training run, from 0 to 1, and its loss. Calling it is up to you.
void progress(double done, double loss);
}  // namespace kit
