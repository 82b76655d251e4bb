#include <recto/optim/early_stopping.hpp>

#include <utility>

namespace RECTO::optim {

EarlyStopping::EarlyStopping(NamedTensors weights, EarlyStoppingOptions options)
    : weights_(std::move(weights)), options_(options) {
    check(!weights_.empty(), "EarlyStopping: wanted at least one tensor to keep, got none");
    check(options.patience >= 1, "EarlyStopping: wanted a patience of at least 1, got {}", options.patience);
}

bool EarlyStopping::look(double loss) {
    ++looks_;
    if (!(loss < best_)) return false;
    best_ = loss, best_look_ = looks_;
    if (kept_.empty())
        for (const NamedTensor& w : weights_) kept_.push_back(clone(w.tensor.detach()));
    else
        for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i].copy_(weights_[i].tensor);
    return true;
}

void EarlyStopping::restore() const {
    check(!kept_.empty(), "EarlyStopping: wanted a loss below infinity before restoring, got none in {} looks", looks_);
    for (std::size_t i = 0; i < kept_.size(); ++i) Tensor(weights_[i].tensor).copy_(kept_[i]);
}

}  // namespace RECTO::optim
