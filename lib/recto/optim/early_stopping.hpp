#pragma once
/// @file
/// Remembers the weights that were best on data they were not trained on.
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

/// How long EarlyStopping hopes.
struct EarlyStoppingOptions {
    Index patience = std::numeric_limits<Index>::max();  ///< enough() after so many looks in a row that were no better
};

/// Keeps a copy of the weights that had the lowest loss so far; the loss is a validation loss, or whatever chooses.
class EarlyStopping {
public:
    /// @param weights  everything that training changes, such as nn::state(model), which has running statistics too
    /// @throws Error when there are none, or the patience is below 1
    explicit EarlyStopping(NamedTensors weights, EarlyStoppingOptions options = {});

    /// Takes note of the loss of the weights as they are; copies them if it is lower than all before. A NaN never is.
    /// @return whether it was
    bool look(double loss);
    /// Was it in vain for as many looks as the patience has?
    bool enough() const { return looks_ - best_look_ >= options_.patience; }
    /// Puts the best weights back, bit for bit. @throws Error before any loss below infinity
    void restore() const;

    double best() const { return best_; }           ///< The lowest loss; infinity before the first.
    Index best_look() const { return best_look_; }  ///< Which look it was, 1 for the first; 0 before.
    Index looks() const { return looks_; }          ///< How many there were.

private:
    NamedTensors weights_;
    std::vector<Tensor> kept_;
    EarlyStoppingOptions options_;
    double best_ = std::numeric_limits<double>::infinity();
    Index looks_ = 0, best_look_ = 0;
};

}  // namespace RECTO::optim
