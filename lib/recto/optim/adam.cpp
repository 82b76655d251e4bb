#include <recto/optim/adam.hpp>

#include <cmath>

#include <recto/core/launch.hpp>
#include <recto/optim/parameters.hpp>

namespace RECTO::optim {
namespace {

/// What a step is made with.
struct AdamNumbers {
    Real beta1, beta2, rest1, rest2, keep, rate, scale, epsilon;  // rate and scale hold the corrections of m and v
};

/// Means and step in one pass over memory.
struct AdamStep {
    Real *w, *m, *v;
    const Real* g;
    AdamNumbers late;
    RECTO_HD void operator()(Index i) const {
        const auto [beta1, beta2, rest1, rest2, keep, rate, scale, epsilon] = late;
        const Real gradient = g[i];
        const Real mean = beta1 * m[i] + rest1 * gradient;
        const Real square = beta2 * v[i] + rest2 * (gradient * gradient);
        m[i] = mean;
        v[i] = square;
        w[i] = keep * w[i] - rate * mean / (sqrt(square) * scale + epsilon);
    }
};

}  // namespace

Adam::Adam(NamedTensors parameters, AdamOptions options)
    : options(options),
      parameters_(trainable(std::move(parameters), "Adam")),
      means_(parameters_.size()),
      squares_(parameters_.size()),
      steps_(parameters_.size()) {}

void Adam::step() {
    step_all(parameters_, "Adam", [this](std::size_t i, Tensor& w, const Tensor& g) {
        if (!means_[i].defined()) means_[i] = zeros(w.shape(), w.device()), squares_[i] = zeros(w.shape(), w.device());
        const auto numbers = later([this, i] {
            check_rate(options.rate, "Adam");
            check_share(options.beta1, "beta1", "Adam");
            check_share(options.beta2, "beta2", "Adam");
            check_not_negative(options.epsilon, "an epsilon", "Adam");
            check_not_negative(options.weight_decay, "a weight decay", "Adam");
            const double t = double(++steps_[i]);
            const double rate = options.rate / (1 - std::pow(options.beta1, t));
            const double scale = 1 / std::sqrt(1 - std::pow(options.beta2, t));
            return AdamNumbers{Real(options.beta1),
                               Real(options.beta2),
                               Real(1 - options.beta1),
                               Real(1 - options.beta2),
                               Real(1 - options.rate * options.weight_decay),
                               Real(rate),
                               Real(scale),
                               Real(options.epsilon)};
        });
        each(w.device(), w.size(), AdamStep{w.write(), means_[i].write(), squares_[i].write(), g.data(), {}}, numbers);
    });
}

void Adam::zero_grad() {
    for (const NamedTensor& p : parameters_) p.tensor.zero_grad();
}

}  // namespace RECTO::optim
