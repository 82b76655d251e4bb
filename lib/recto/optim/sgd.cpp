#include <recto/optim/sgd.hpp>

#include <recto/core/launch.hpp>
#include <recto/optim/parameters.hpp>

namespace RECTO::optim {
namespace {

struct Descend {
    Real* w;
    const Real* g;
    Real rate, decay;
    RECTO_HD void operator()(Index i) const { w[i] -= rate * (g[i] + decay * w[i]); }
};

struct DescendWithMomentum {
    Real *w, *v;
    const Real* g;
    Real rate, decay, momentum;
    bool nesterov;
    RECTO_HD void operator()(Index i) const {
        const Real slope = g[i] + decay * w[i], velocity = momentum * v[i] + slope;
        v[i] = velocity;
        w[i] -= rate * (nesterov ? slope + momentum * velocity : velocity);
    }
};

}  // namespace

Sgd::Sgd(NamedTensors parameters, SgdOptions options)
    : options(options), parameters_(std::move(parameters)), velocities_(parameters_.size()) {
    check_parameters(parameters_, "Sgd");
}

void Sgd::step() {
    check_rate(options.rate, "Sgd");
    check_share(options.momentum, "a momentum", "Sgd");
    check_not_negative(options.weight_decay, "a weight decay", "Sgd");
    const Real rate = Real(options.rate), decay = Real(options.weight_decay), momentum = Real(options.momentum);
    step_all(parameters_, "Sgd", [&](std::size_t i, Tensor& w, const Tensor& g) {
        if (momentum == 0) return each(w.device(), w.size(), Descend{w.write(), g.data(), rate, decay});
        Tensor& v = velocities_[i];
        if (!v.defined()) v = zeros(w.shape(), w.device());
        each(w.device(), w.size(),
             DescendWithMomentum{w.write(), v.write(), g.data(), rate, decay, momentum, options.nesterov});
    });
}

void Sgd::zero_grad() {
    for (const NamedTensor& p : parameters_) p.tensor.zero_grad();
}

}  // namespace RECTO::optim
