#pragma once
/// @file
/// Early stopping: keeps the weights with the lowest validation loss.
///
///     optim::EarlyStopping best(nn::state(model), {.patience = 5});
///     while (!best.enough()) {
///         optim::fit(adam, data::Batches(train, 50, random), loss, {});
///         best.look(validation_loss());
///     }
///     best.restore();
#include <limits>

#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// Options of EarlyStopping.
struct EarlyStoppingOptions {
    Index patience = std::numeric_limits<Index>::max();  ///< enough() after this many looks without improvement
};

/// Keeps a copy of the weights that had the lowest loss so far, usually a validation loss.
class EarlyStopping {
public:
    /// @param weights  everything that training changes, such as nn::state(model), which includes running statistics
    /// @throws Error when there are no weights, or the patience is below 1
    explicit EarlyStopping(NamedTensors weights, EarlyStoppingOptions options = {});

    /// Reports the loss of the present weights; copies the weights if the loss is lower than all before. A NaN never
    /// is.
    /// @return whether the loss was the lowest
    bool look(double loss);
    /// Whether the last `patience` calls of look() brought no improvement.
    bool enough() const { return looks_ - best_look_ >= options_.patience; }
    /// Restores the best weights, bit for bit. @throws Error before any finite loss
    void restore() const;

    double best() const { return best_; }           ///< The lowest loss; infinity before the first.
    Index best_look() const { return best_look_; }  ///< The look with the lowest loss, from 1; 0 before the first.
    Index looks() const { return looks_; }          ///< The number of calls of look().

private:
    NamedTensors weights_;
    std::vector<Tensor> kept_;
    EarlyStoppingOptions options_;
    double best_ = std::numeric_limits<double>::infinity();
    Index looks_ = 0, best_look_ = 0;
};

}  // namespace RECTO::optim
