#include <recto/optim/rmsprop.hpp>

#include <recto/device/launch.hpp>
#include <recto/optim/parameters.hpp>

namespace RECTO::optim {
namespace {

/// The numbers of one step.
struct RmsPropNumbers {
    Real alpha, rest, rate, eps, momentum, decay;
};

/// Updates means and weights in one pass over memory; without momentum `u` is null.
struct RmsPropStep {
    Real *w, *v, *u;
    const Real* g;
    RmsPropNumbers late;
    RECTO_HD void operator()(Index i) const {
        const auto [alpha, rest, rate, eps, momentum, decay] = late;
        const Real slope = g[i] + decay * w[i], square = alpha * v[i] + rest * (slope * slope);
        v[i] = square;
        Real step = slope / (sqrt(square) + eps);
        if (u) u[i] = step = momentum * u[i] + step;
        w[i] -= rate * step;
    }
};

}  // namespace

RmsProp::RmsProp(NamedTensors parameters, RmsPropOptions options)
    : options(options),
      parameters_(trainable(std::move(parameters), "RmsProp")),
      squares_(parameters_.size()),
      velocities_(parameters_.size()) {}

void RmsProp::step() {
    const auto numbers = later([this] {
        check_rate(options.lr, "RmsProp");
        check_share(options.alpha, "an alpha", "RmsProp");
        check_share(options.momentum, "a momentum", "RmsProp");
        check_not_negative(options.eps, "eps", "RmsProp");
        check_not_negative(options.weight_decay, "a weight decay", "RmsProp");
        return RmsPropNumbers{Real(options.alpha), Real(1 - options.alpha), Real(options.lr),
                              Real(options.eps),   Real(options.momentum),  Real(options.weight_decay)};
    });
    step_all(parameters_, "RmsProp", [&](std::size_t i, Tensor& w, const Tensor& g) {
        Tensor &v = squares_[i], &u = velocities_[i];
        if (!v.defined()) v = zeros(w.shape(), w.device());
        if (options.momentum != 0 && !u.defined()) u = zeros(w.shape(), w.device());
        each(w.device(), w.numel(),
             RmsPropStep{w.write(), v.write(), options.momentum != 0 ? u.write() : nullptr, g.data(), {}}, numbers);
    });
}

void RmsProp::zero_grad() {
    for (const NamedTensor& p : parameters_) p.tensor.zero_grad();
}

}  // namespace RECTO::optim
