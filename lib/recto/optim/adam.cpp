#include <recto/optim/adam.hpp>

#include <cmath>

#include <recto/device/launch.hpp>
#include <recto/optim/parameters.hpp>

namespace RECTO::optim {
namespace {

/// The numbers of one step.
struct AdamNumbers {
    Real beta1, beta2, rest1, rest2, l2, keep, rate, scale, eps;  // rate and scale include the corrections of m and v
};

/// Updates means and weights in one pass over memory.
struct AdamStep {
    Real *w, *m, *v;
    const Real* g;
    AdamNumbers late;
    RECTO_HD void operator()(Index i) const {
        const auto [beta1, beta2, rest1, rest2, l2, keep, rate, scale, eps] = late;
        const Real gradient = g[i] + l2 * w[i];
        const Real mean = beta1 * m[i] + rest1 * gradient;
        const Real square = beta2 * v[i] + rest2 * (gradient * gradient);
        m[i] = mean;
        v[i] = square;
        w[i] = keep * w[i] - rate * mean / (sqrt(square) * scale + eps);
    }
};

}  // namespace

Adam::Adam(NamedTensors parameters, AdamOptions options, const char* name, Decay decay)
    : options(options),
      name_(name),
      decay_(decay),
      parameters_(trainable(std::move(parameters), name)),
      means_(parameters_.size()),
      squares_(parameters_.size()),
      steps_(parameters_.size()) {}

void Adam::step() {
    step_all(parameters_, name_, [this](std::size_t i, Tensor& w, const Tensor& g) {
        if (!means_[i].defined()) means_[i] = zeros(w.shape(), w.device()), squares_[i] = zeros(w.shape(), w.device());
        const auto numbers = later([this, i] {
            const auto [beta1, beta2] = options.betas;
            check_rate(options.lr, name_);
            check_share(beta1, "betas[0]", name_);
            check_share(beta2, "betas[1]", name_);
            check_not_negative(options.eps, "eps", name_);
            check_not_negative(options.weight_decay, "a weight decay", name_);
            const double t = double(++steps_[i]);
            const double rate = options.lr / (1 - std::pow(beta1, t));
            const double scale = 1 / std::sqrt(1 - std::pow(beta2, t));
            const bool decoupled = decay_ == Decay::weights;
            return AdamNumbers{Real(beta1),
                               Real(beta2),
                               Real(1 - beta1),
                               Real(1 - beta2),
                               Real(decoupled ? 0 : options.weight_decay),
                               Real(decoupled ? 1 - options.lr * options.weight_decay : 1),
                               Real(rate),
                               Real(scale),
                               Real(options.eps)};
        });
        each(w.device(), w.numel(), AdamStep{w.write(), means_[i].write(), squares_[i].write(), g.data(), {}}, numbers);
    });
}

void Adam::zero_grad() {
    for (const NamedTensor& p : parameters_) p.tensor.zero_grad();
}

}  // namespace RECTO::optim
