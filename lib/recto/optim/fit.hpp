#pragma once
/// @file
/// fit(): the training loop of the whole book.
///
/// \f[ w^* = \operatorname{argmin}_w \mathscr L(w) \f]
///
///     optim::Adam adam(nn::parameters(model), {.lr = 1e-3});
///     optim::fit(adam, [&] { return mse_loss(model(x), y); }, {.steps = 500});
///     const auto batches = [&] { return data::Batches(train, 128, random); };
///     optim::fit(adam, batches, [&](const auto& batch) { return cross_entropy(model(batch.x), batch.labels); },
///                {.epochs = 5}, [&](const optim::Progress& now) { if (now.epoch_ends) say(...); });
#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>

#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// An optimiser that fit() accepts, such as Sgd or Adam.
template <class T>
concept Optimiser = requires(T& optimiser) {
    optimiser.step();
    optimiser.zero_grad();
    optimiser.options.lr = 0.1;
    { optimiser.parameters() } -> std::convertible_to<const NamedTensors&>;
};

/// Options of fit(): when to stop, and the learning-rate schedule. An epoch is one pass over the data: a single step if
/// every step uses all data, otherwise one step for every batch.
struct FitOptions {
    std::optional<Index> steps = {};   ///< maximum number of steps; 1000 on all data if `epochs` is not set either
    std::optional<Index> epochs = {};  ///< maximum number of epochs; 1 on batches if `steps` is not set either
    double tolerance = 0;  ///< stop when no number of the gradient on all data exceeds this; 0 does not check
    std::function<double(Index step)> lr = {};  ///< the learning rate of step 0, 1, ...; the optimiser's own if empty
};

/// The progress that a callback receives after every step.
struct Progress {
    Index step;         ///< 1 for the first
    Index epoch;        ///< 1 for the first; if every step uses all data, every step is an epoch
    double loss;        ///< before this step, on the data of the step
    bool epoch_ends;    ///< whether this is the last step of its epoch, even if `steps` cuts the epoch short
    double epoch_loss;  ///< mean of the losses since the start of the epoch
};

/// The result of fit(); the parameters are trained in place.
struct Fitted {
    Index steps = 0;         ///< number of steps
    double loss = 0;         ///< before the last step; with batches, the mean over the last epoch
    bool converged = false;  ///< whether the gradient fell to the tolerance
};

using Callback = std::function<void(const Progress&)>;  ///< Called after every step.

/// The largest magnitude in the gradients; 0 without gradients, NaN if any is NaN.
double largest_gradient(const NamedTensors& parameters);

/// One training step: clears the gradients, then forward pass, backward pass, update. Returns the loss before the
/// update, without a tape: its item() waits for the device. If the gradient does not exceed the tolerance, nothing is
/// changed and `converged` is set.
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

/// The losses of one call of fit(). Reading a loss waits for its device. On cpu this costs nothing and happens at once;
/// on other devices it happens when an epoch ends, when a callback needs the loss, or when 256 losses are pending.
class Losses {
public:
    void begin_epoch() { total_ = 0, count_ = 0; }  ///< Starts a new mean.
    /// Takes the loss of the next step. @throws Error as read() does
    void add(const Tensor& loss);
    /// Reads pending losses. @throws Error when a loss is NaN, naming its step
    void read();
    double last() const { return last_; }                    ///< The last loss that was read; 0 before the first.
    double mean() const { return total_ / double(count_); }  ///< The mean of this epoch's losses that were read.

private:
    std::vector<Tensor> unread_;
    Index steps_ = 0, count_ = 0;  // losses read in total, and in this epoch
    double total_ = 0, last_ = 0;
};

/// Restores the learning rate of an optimiser on destruction.
template <Optimiser O>
class KeptRate {
public:
    explicit KeptRate(O& optimiser) : optimiser_(optimiser), rate_(optimiser.options.lr) {}  ///< Stores the rate.
    ~KeptRate() { optimiser_.options.lr = rate_; }                                           ///< Restores the rate.
    KeptRate(const KeptRate&) = delete;
    KeptRate& operator=(const KeptRate&) = delete;

private:
    O& optimiser_;
    decltype(O::options.lr) rate_;
};

/// Throws an Error for negative numbers of steps or epochs, and for a tolerance that is negative or NaN.
void check_options(const FitOptions& options);

/// Trains on all data in every step. After a schedule, the optimiser has its own rate again.
/// @param loss  `Tensor()`: the loss of the present parameters
/// @throws Error when a loss is NaN. On cpu the parameters are those with this loss; on other devices, which are read
///         late, up to 256 more steps may have changed them
template <Optimiser O, std::invocable Loss>
Fitted fit(O& optimiser, const Loss& loss, const FitOptions& options, const Callback& callback = {}) {
    check_options(options);
    constexpr Index any = std::numeric_limits<Index>::max();
    const Index most = std::min(options.steps.value_or(options.epochs ? any : 1000), options.epochs.value_or(any));
    std::optional<KeptRate<O>> kept;
    if (options.lr) kept.emplace(optimiser);
    Fitted done;
    Losses losses;
    const auto watched = [&] {
        const Tensor value = loss();
        losses.add(value);
        return value;
    };
    while (done.steps < most) {
        if (options.lr) optimiser.options.lr = options.lr(done.steps);
        train_step(optimiser, watched, options.tolerance, &done.converged);
        if (done.converged) break;
        ++done.steps;
        if (!callback) continue;
        losses.read();
        callback({done.steps, done.steps, losses.last(), true, losses.last()});
    }
    losses.read();
    done.loss = losses.last();
    return done;
}

/// Trains on one batch in every step. After a schedule, the optimiser has its own rate again. A tolerance is rejected:
/// the gradient of a single batch can vanish anywhere.
/// @param batches  a range of batches; or a function that returns one for every epoch, such as
///                 `[&] { return data::Batches(train, 128, random); }` for a new order in every epoch
/// @param loss     `Tensor(const auto& batch)`: the loss of the present parameters on that batch
/// @throws Error when a loss is NaN, as above; when an epoch has no batch, or there is a tolerance
template <Optimiser O, class Batches, class Loss>
Fitted fit(O& optimiser, Batches&& batches, const Loss& loss, const FitOptions& options,
           const Callback& callback = {}) {
    check_options(options);
    check(options.tolerance == 0, "fit: wanted no tolerance where every step sees one batch, got {}",
          options.tolerance);
    constexpr Index any = std::numeric_limits<Index>::max();
    const Index most_steps = options.steps.value_or(any),
                most_epochs = options.epochs.value_or(options.steps ? any : 1);
    std::optional<KeptRate<O>> kept;
    if (options.lr) kept.emplace(optimiser);
    Fitted done;
    Losses losses;
    for (Index epoch = 1; epoch <= most_epochs && done.steps < most_steps; ++epoch) {
        const Index before = done.steps;
        losses.begin_epoch();
        const auto tell = [&](bool epoch_ends) {
            if (callback) callback({done.steps, epoch, losses.last(), epoch_ends, losses.mean()});
        };
        const auto one_epoch = [&](auto&& range) {
            for (const auto& batch : range) {
                if (done.steps > before) tell(false);  // one step late, when it is known not to be the epoch's last
                if (options.lr) optimiser.options.lr = options.lr(done.steps);
                const auto watched = [&] {
                    const Tensor value = loss(batch);
                    losses.add(value);
                    return value;
                };
                train_step(optimiser, watched);
                ++done.steps;
                if (callback) losses.read();
                if (done.steps == most_steps) break;
            }
        };
        if constexpr (std::invocable<Batches&>)
            one_epoch(batches());
        else
            one_epoch(batches);
        check(done.steps > before, "fit: wanted at least one batch, got none");
        losses.read();
        done.loss = losses.mean();
        tell(true);
    }
    return done;
}

}  // namespace RECTO::optim
