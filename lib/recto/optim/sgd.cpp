#include <recto/optim/sgd.hpp>

#include <recto/device/launch.hpp>
#include <recto/optim/parameters.hpp>

namespace RECTO::optim {
namespace {

/// The numbers of one step.
struct SgdNumbers {
    Real rate, decay, momentum;
};

struct Descend {
    Real* w;
    const Real* g;
    SgdNumbers late;
    RECTO_HD void operator()(Index i) const { w[i] -= late.rate * (g[i] + late.decay * w[i]); }
};

struct DescendWithMomentum {
    Real *w, *v;
    const Real* g;
    bool nesterov;
    SgdNumbers late;
    RECTO_HD void operator()(Index i) const {
        const auto [rate, decay, momentum] = late;
        const Real slope = g[i] + decay * w[i], velocity = momentum * v[i] + slope;
        v[i] = velocity;
        w[i] -= rate * (nesterov ? slope + momentum * velocity : velocity);
    }
};

}  // namespace

Sgd::Sgd(NamedTensors parameters, SgdOptions options)
    : options(options), parameters_(trainable(std::move(parameters), "Sgd")), velocities_(parameters_.size()) {}

void Sgd::step() {
    const auto numbers = later([this] {
        check_rate(options.lr, "Sgd");
        check_share(options.momentum, "a momentum", "Sgd");
        check_not_negative(options.weight_decay, "a weight decay", "Sgd");
        return SgdNumbers{Real(options.lr), Real(options.weight_decay), Real(options.momentum)};
    });
    step_all(parameters_, "Sgd", [&](std::size_t i, Tensor& w, const Tensor& g) {
        if (options.momentum == 0) return each(w.device(), w.numel(), Descend{w.write(), g.data(), {}}, numbers);
        Tensor& v = velocities_[i];
        if (!v.defined()) v = zeros(w.shape(), w.device());
        each(w.device(), w.numel(), DescendWithMomentum{w.write(), v.write(), g.data(), options.nesterov, {}}, numbers);
    });
}

void Sgd::zero_grad() {
    for (const NamedTensor& p : parameters_) p.tensor.zero_grad();
}

}  // namespace RECTO::optim
