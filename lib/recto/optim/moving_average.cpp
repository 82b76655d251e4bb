#include <recto/optim/moving_average.hpp>

#include <utility>

#include <recto/device/launch.hpp>
#include <recto/optim/parameters.hpp>

namespace RECTO::optim {
namespace {

struct Follow {
    Real* average;
    const Real* w;
    Real keep, take;
    RECTO_HD void operator()(Index i) const { average[i] = keep * average[i] + take * w[i]; }
};

}  // namespace

MovingAverage::MovingAverage(NamedTensors weights, double beta) : weights_(std::move(weights)), beta_(beta) {
    check(!weights_.empty(), "MovingAverage: wanted at least one tensor, got none");
    check_share(beta, "beta", "MovingAverage");
    for (const NamedTensor& w : weights_) averages_.push_back({w.name, clone(w.tensor.detach())});
}

void MovingAverage::update() {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        const Tensor w = dense(weights_[i].tensor);
        each(w.device(), w.numel(), Follow{averages_[i].tensor.write(), w.data(), Real(beta_), Real(1 - beta_)});
    }
}

}  // namespace RECTO::optim
