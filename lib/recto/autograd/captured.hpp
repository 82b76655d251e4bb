#pragma once
/// @file
/// A training step without the host: recorded once, then started as a whole. Where steps are short, a GPU would
/// otherwise wait for the host to ask for one kernel after another.
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
///         const Tensor loss = step.replay();   // loss.item() waits for the GPU; not asking does not
///     }
#include <functional>
#include <memory>

#include <recto/core/tensor.hpp>

namespace RECTO {

namespace detail {
class Recording;
}

/// A step that is done again and again with the same shapes.
///
/// On cpu every replay calls the function. On cuda the first replay calls it too, so that all that is made once is made;
/// the second records what it asks of the device, in a CUDA graph, and from then on the host only starts that. Device
/// `sim` records and plays its kernels in the same way. What still comes from the host in every step are small numbers:
/// the optimisers' rates and counts, and the generators' draws, which are those of uncaptured steps.
///
/// What goes in and comes out must be the same tensors every time: write batches into them with copy_(). Everything
/// the function uses, optimisers and generators too, must live as long as this and stay where it is. Memory that the
/// function takes and frees stays its own.
class Captured {
public:
    /// @param step  returns the loss, or an undefined tensor
    Captured(Device device, std::function<Tensor()> step);
    ~Captured();
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;

    /// One step. The loss is the same tensor every time but the first, and has no tape.
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
