#pragma once
/// @file
/// Training: one loop for the whole book.
///
/// \f[ w^* = \operatorname{argmin}_w \mathscr L(w) \f]
///
///     optim::Adam adam(nn::parameters(model), {.rate = 1e-3});
///     optim::fit(adam, [&] { return mse_loss(model(x), y); }, {.steps = 500});
///     const auto batches = [&] { return data::Batches(train, 128, random); };
///     optim::fit(adam, batches, [&](const auto& batch) { return cross_entropy(model(batch.x), batch.labels); },
///                {.epochs = 5}, [&](const optim::Progress& now) { if (now.epoch_ends) say(...); });
#include <concepts>
#include <functional>

#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// What fit() needs of an optimiser; Sgd and Adam are two.
template <class T>
concept Optimiser = requires(T& optimiser) {
    optimiser.step();
    optimiser.zero_grad();
    optimiser.options.rate = 0.1;
    { optimiser.parameters() } -> std::convertible_to<const NamedTensors&>;
};

/// When to stop, and how large the steps are meanwhile.
struct FitOptions {
    Index steps = 1000;                           ///< at most so many, when every step sees all data
    Index epochs = 1;                             ///< so many, when every step sees one batch
    double tolerance = 0;                         ///< stop when no number of the gradient exceeds this; 0 does not look
    std::function<double(Index step)> rate = {};  ///< the rate of step 0, 1, ...; the optimiser's own if empty
};

/// What a callback is told after every step.
struct Progress {
    Index step;         ///< 1 for the first
    Index epoch;        ///< 1 for the first; when every step sees all data, every step is an epoch
    double loss;        ///< before this step, on the data it saw
    bool epoch_ends;    ///< is this the last step of its epoch?
    double epoch_loss;  ///< mean of the losses since the epoch began
};

/// What came out; the parameters themselves were trained in place.
struct Fitted {
    Index steps = 0;         ///< how many were made
    double loss = 0;         ///< before the last one; with batches the mean over the last epoch
    bool converged = false;  ///< did the gradient fall below the tolerance?
};

using Callback = std::function<void(const Progress&)>;  ///< Called after every step.

/// The largest magnitude in the gradients, 0 when there are none, NaN when one is.
double largest_gradient(const NamedTensors& parameters);

/// One step: forget the gradients, compute the loss, sweep back, change the parameters. Returns the loss before
/// the change, without tape: item() is its number, and waits for the device. With a tolerance that the gradient does not
/// exceed nothing is changed and `converged` is set.
/// @param loss  returns a single number that depends on the parameters
template <Optimiser O, class Loss>
Tensor train_step(O& optimiser, const Loss& loss, double tolerance = 0, bool* converged = nullptr) {
    optimiser.zero_grad();
    const Tensor value = loss();
    value.backward();
    const bool enough = tolerance > 0 && largest_gradient(optimiser.parameters()) <= tolerance;
    if (converged) *converged = enough;
    if (!enough) optimiser.step();
    return value.detach();
}

/// Trains on all data in every step.
/// @param loss  `Tensor()`: the loss of the parameters as they are
template <Optimiser O, std::invocable Loss>
Fitted fit(O& optimiser, const Loss& loss, const FitOptions& options, const Callback& callback = {}) {
    check(options.steps >= 0, "fit: wanted a number of steps of at least 0, got {}", options.steps);
    Fitted done;
    Tensor last;
    while (done.steps < options.steps) {
        if (options.rate) optimiser.options.rate = options.rate(done.steps);
        last = train_step(optimiser, loss, options.tolerance, &done.converged);
        if (done.converged) break;
        ++done.steps;
        if (!callback) continue;
        const auto value = double(last.item());
        callback({done.steps, done.steps, value, true, value});
    }
    if (last.defined()) done.loss = double(last.item());
    return done;
}

/// Trains on one batch in every step.
/// @param batches  a range of batches; or a function that returns one for every epoch, such as
///                 `[&] { return data::Batches(train, 128, random); }` for an order drawn anew
/// @param loss     `Tensor(const auto& batch)`: the loss of the parameters on that batch
template <Optimiser O, class Batches, class Loss>
Fitted fit(O& optimiser, Batches&& batches, const Loss& loss, const FitOptions& options,
           const Callback& callback = {}) {
    check(options.epochs >= 0, "fit: wanted a number of epochs of at least 0, got {}", options.epochs);
    Fitted done;
    for (Index epoch = 1; epoch <= options.epochs; ++epoch) {
        const Index before = done.steps;
        double total = 0;
        Progress now{};
        std::vector<Tensor> unread;  // losses: to read one waits for the device, so that is done late
        const auto read = [&] {
            for (const Tensor& value : unread) total += now.loss = double(value.item());
            unread.clear();
            now.epoch_loss = total / double(done.steps - before);
        };
        const auto one_epoch = [&](auto&& range) {
            for (const auto& batch : range) {
                if (callback && done.steps > before) callback(now);  // one late: only now it is not the epoch's last
                if (options.rate) optimiser.options.rate = options.rate(done.steps);
                unread.push_back(train_step(optimiser, [&] { return loss(batch); }));
                ++done.steps;
                now.step = done.steps, now.epoch = epoch;
                if (callback || unread.size() == 256) read();
            }
        };
        if constexpr (std::invocable<Batches&>)
            one_epoch(batches());
        else
            one_epoch(batches);
        check(done.steps > before, "fit: wanted at least one batch, got none");
        read();
        done.loss = now.epoch_loss;
        now.epoch_ends = true;
        if (callback) callback(now);
    }
    return done;
}

}  // namespace RECTO::optim
