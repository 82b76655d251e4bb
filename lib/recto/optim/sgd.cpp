#include <recto/optim/sgd.hpp>

#include <recto/core/launch.hpp>
#include <recto/optim/parameters.hpp>

namespace RECTO::optim {
namespace {

struct Descend {
    Real* w;
    const Real* g;
    Real rate;
    RECTO_HD void operator()(Index i) const { w[i] -= rate * g[i]; }
};

struct DescendWithMomentum {
    Real *w, *v;
    const Real* g;
    Real rate, momentum;
    RECTO_HD void operator()(Index i) const {
        const Real velocity = momentum * v[i] + g[i];
        v[i] = velocity;
        w[i] -= rate * velocity;
    }
};

}  // namespace

Sgd::Sgd(NamedTensors parameters, SgdOptions options)
    : options(options), parameters_(std::move(parameters)), velocities_(parameters_.size()) {
    check_parameters(parameters_, "Sgd");
}

void Sgd::step() {
    step_all(parameters_, "Sgd", [&](std::size_t i, Tensor& w, const Tensor& g) {
        const Real rate = Real(options.rate), momentum = Real(options.momentum);
        if (momentum == 0) return each(w.device(), w.size(), Descend{w.write(), g.data(), rate});
        Tensor& v = velocities_[i];
        if (!v.defined()) v = zeros(w.shape(), w.device());
        each(w.device(), w.size(), DescendWithMomentum{w.write(), v.write(), g.data(), rate, momentum});
    });
}

void Sgd::zero_grad() {
    for (const NamedTensor& p : parameters_) p.tensor.zero_grad();
}

}  // namespace RECTO::optim
