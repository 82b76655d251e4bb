#include <recto/optim/clip.hpp>

#include <cmath>

#include <recto/core/scaled_sum.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/parameters.hpp>

namespace RECTO::optim {
namespace {

struct SquareTerm {
    const Real* x;
    Real scale;
    RECTO_HD Real operator()(Index i) const { return x[i] * scale * (x[i] * scale); }
};
struct Scale {
    Real* x;
    Real by;
    RECTO_HD void operator()(Index i) const { x[i] *= by; }
};
struct Cut {
    Real* x;
    Real most;
    RECTO_HD void operator()(Index i) const { x[i] = max(-most, min(most, x[i])); }
};
struct Follow {
    Real* average;
    const Real* w;
    Real keep, take;
    RECTO_HD void operator()(Index i) const { average[i] = keep * average[i] + take * w[i]; }
};

std::vector<Tensor> gradients(const NamedTensors& parameters) {
    std::vector<Tensor> found;
    for (const NamedTensor& p : parameters)
        if (const Tensor g = p.tensor.grad(); g.defined()) found.push_back(g);
    return found;
}

/// The length of scale times the gradients.
double length(const std::vector<Tensor>& gradients, double scale) {
    std::vector<Tensor> sums;  // all are started before the first is waited for
    for (const Tensor& g : gradients)
        sums.push_back(scaled_sum(g.device(), g.size(), SquareTerm{g.data(), Real(scale)}, 1));
    double total = 0;
    for (const Tensor& s : sums) total += double(s.item());
    return std::sqrt(total);
}

}  // namespace

double clip_norm(const NamedTensors& parameters, double most) {
    check(most >= 0, "clip_norm: wanted a length of at least 0, got {}", most);
    std::vector<Tensor> all = gradients(parameters);
    double norm = length(all, 1);
    if (std::isinf(norm)) {  // squares overflow long before lengths do
        const double largest = largest_gradient(parameters);
        if (std::isfinite(largest)) norm = length(all, 1 / largest) * largest;
    }
    if (norm > most && std::isfinite(norm))
        for (Tensor& g : all) each(g.device(), g.size(), Scale{g.write(), Real(most / norm)});
    return norm;
}

void clip_value(const NamedTensors& parameters, double most) {
    check(most >= 0, "clip_value: wanted a bound of at least 0, got {}", most);
    for (Tensor& g : gradients(parameters)) each(g.device(), g.size(), Cut{g.write(), Real(most)});
}

MovingAverage::MovingAverage(NamedTensors weights, double beta) : weights_(std::move(weights)), beta_(beta) {
    check(!weights_.empty(), "MovingAverage: wanted at least one tensor, got none");
    check_share(beta, "beta", "MovingAverage");
    for (const NamedTensor& w : weights_) averages_.push_back({w.name, copy_of(w.tensor)});
}

void MovingAverage::update() {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        const Tensor w = dense(weights_[i].tensor);
        each(w.device(), w.size(), Follow{averages_[i].tensor.write(), w.data(), Real(beta_), Real(1 - beta_)});
    }
}

}  // namespace RECTO::optim
