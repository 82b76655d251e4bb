#pragma once
/// @file
/// Training steps on successive mini-batches, captured on request.
#include <memory>
#include <utility>

#include <recto/autograd/captured.hpp>
#include <recto/autograd/profile.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/fit.hpp>

#include "bench.hpp"

namespace RECTO::bench {

inline Tensor room_for(const Tensor& x) { return empty(x.shape(), x.device()); }  ///< Uninitialised, of the same shape.
/// Uninitialised, of the same shape.
inline Integers room_for(const Integers& x) { return Integers(x.shape(), x.device()); }
inline Tensor part_of(const Tensor& x, Index from, Index to) { return slice(x, 0, from, to); }  ///< Rows of x.
inline Integers part_of(const Integers& x, Index from, Index to) { return x.slice(from, to); }  ///< Rows of x.

/// An optimiser whose updates and clearing are phases of a profile.
template <class Optimiser>
struct InPhases {
    Optimiser& optimiser;                                       ///< what really steps
    decltype(Optimiser::options)& options = optimiser.options;  ///< its options

    explicit InPhases(Optimiser& optimiser) : optimiser(optimiser) {}
    const NamedTensors& parameters() const { return optimiser.parameters(); }
    void step() {
        const ProfilePhase phase("optimiser step");
        optimiser.step();
    }
    void zero_grad() {
        const ProfilePhase phase("zero_grad");
        optimiser.zero_grad();
    }
};

/// Training steps on successive mini-batches.
/// @param state  has the data `x` and `labels`, and the `optimiser`
/// @param loss   `Tensor(State&, const auto& x, const Integers& labels)`
template <class State, class Loss>
std::function<void()> train(const Setting& setting, const std::shared_ptr<State>& state, Index batch, Loss loss) {
    auto next = [state, batch, at = Index(0)]() mutable {
        const Index from = at;
        at = (from + batch) % (state->x.size(0) - batch + 1);
        return std::pair(part_of(state->x, from, from + batch), part_of(state->labels, from, from + batch));
    };
    if (!setting.captured)
        return [state, next, loss]() mutable {
            const auto now = [&] {
                const ProfilePhase phase("data");
                return next();
            }();
            InPhases optimiser(state->optimiser);
            optim::train_step(optimiser, [&] { return loss(*state, now.first, now.second); });
        };
    // The recording reads every batch from the same memory.
    const auto x = std::make_shared<decltype(state->x)>(room_for(part_of(state->x, 0, batch)));
    const auto labels = std::make_shared<Integers>(room_for(part_of(state->labels, 0, batch)));
    const auto captured = std::make_shared<Captured>(setting.device, [state, x, labels, loss] {
        return optim::train_step(state->optimiser, [&] { return loss(*state, *x, *labels); });
    });
    return [captured, x, labels, next]() mutable {
        const auto now = next();
        x->copy_(now.first), labels->copy_(now.second);
        captured->replay();
    };
}

}  // namespace RECTO::bench
