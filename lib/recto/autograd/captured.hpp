#pragma once
/// @file
/// A training step without the host: a CUDA graph, recorded once, then started as a whole. In short steps a GPU would
/// otherwise wait for the host to launch one kernel after another.
///
///     Captured step(device, [&] {
///         adam.zero_grad();
///         const Tensor loss = cross_entropy(model(x), labels);
///         loss.backward();
///         adam.step();
///         return loss;
///     });
///     for (const auto& batch : batches) {
///         x.copy_(batch.x), labels.copy_(batch.labels);
///         const Tensor loss = step.replay();   // only loss.item() waits for the GPU
///     }
#include <functional>
#include <memory>

#include <recto/core/tensor.hpp>

namespace RECTO {

namespace detail {
class Recording;
}

/// A step that is repeated with the same shapes, and is replayed as a CUDA graph.
///
/// On cpu every replay calls the function. On cuda the first replay calls the function, so that everything that is
/// allocated once exists; the second replay records the function's kernels in a CUDA graph; later replays only start
/// this graph. Device `sim` records and plays its kernels in the same way. The host still passes a few small numbers in
/// every step: the optimisers' learning rates and step counts, and the generators' positions, so that the random
/// numbers are those of uncaptured steps.
///
/// Inputs and outputs must be the same tensors in every step: write mini-batches into them with copy_(). Everything the
/// function uses, optimisers and generators included, must live as long as the Captured and keep its address. Memory
/// that the function allocates and frees stays reserved for it.
class Captured {
public:
    /// @param step  returns the loss, or an undefined tensor
    Captured(Device device, std::function<Tensor()> step);
    ~Captured();
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;

    /// Runs one step and returns its loss: from the second replay on always the same tensor, without tape.
    /// @throws Error when the step reads numbers on the host, writes them there, or draws there
    Tensor replay();

private:
    Device device_;
    std::function<Tensor()> step_;
    bool warm_ = false;
    std::unique_ptr<detail::Recording> recording_;
    Tensor result_;
};

}  // namespace RECTO
