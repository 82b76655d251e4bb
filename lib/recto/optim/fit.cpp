#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>

namespace RECTO::optim {

double largest_gradient(const NamedTensors& parameters) {
    double most = 0;
    for (const NamedTensor& p : parameters) {
        const Tensor gradient = p.tensor.grad();
        if (!gradient.defined()) continue;
        for (const Real g : gradient.values()) {
            if (std::isnan(g)) return double(g);
            most = std::max(most, std::abs(double(g)));
        }
    }
    return most;
}

void Losses::add(const Tensor& loss) {
    check(loss.defined() && loss.numel() == 1, "fit: wanted a loss of a single number, got {}",
          loss.defined() ? "shape " + to_string(loss.shape()) : "an undefined tensor");
    unread_.push_back(loss.detach());
    if (loss.device() == Device::cpu || unread_.size() == 256) read();
}

void Losses::read() {
    for (const Tensor& loss : unread_) {
        const auto value = double(loss.item());
        ++steps_, ++count_;
        if (std::isnan(value)) {
            const std::string before = steps_ > 1 ? fmt::format("; at step {} it was {}", steps_ - 1, last_) : "";
            throw Error(fmt::format("fit: wanted a loss that is a number, got NaN at step {}{}", steps_, before));
        }
        total_ += last_ = value;
    }
    unread_.clear();
}

void check_options(const FitOptions& options) {
    check(options.steps.value_or(0) >= 0, "fit: wanted a number of steps of at least 0, got {}",
          options.steps.value_or(0));
    check(options.epochs.value_or(0) >= 0, "fit: wanted a number of epochs of at least 0, got {}",
          options.epochs.value_or(0));
    check(options.tolerance >= 0, "fit: wanted a tolerance of at least 0, got {}", options.tolerance);
}

}  // namespace RECTO::optim
