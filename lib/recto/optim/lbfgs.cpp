#include <recto/optim/lbfgs.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <recto/optim/parameters.hpp>

namespace RECTO::optim {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_scaled(std::vector<double>& to, double factor, const std::vector<double>& more) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * more[i];
}

}  // namespace

Lbfgs::Lbfgs(NamedTensors parameters, LbfgsOptions options)
    : parameters_(trainable(std::move(parameters), "Lbfgs")), options_(options) {
    check(options.memory >= 1, "Lbfgs: wanted a memory of at least 1, got {}", options.memory);
    check(options.tries >= 1, "Lbfgs: wanted at least 1 try, got {}", options.tries);
    check(0 < options.decrease && options.decrease < options.curvature && options.curvature < 1,
          "Lbfgs: wanted 0 < decrease < curvature < 1, got {} and {}", options.decrease, options.curvature);
}

Lbfgs::Point Lbfgs::look(const std::function<Tensor()>& loss) {
    for (const NamedTensor& p : parameters_) p.tensor.zero_grad();
    const Tensor value = loss();
    value.backward();
    ++evaluations_;
    Point point{double(value.item()), {}};
    for (const NamedTensor& p : parameters_) {
        const Tensor g = p.tensor.grad();
        if (g.defined()) {
            const std::vector<Real> numbers = g.values();
            point.gradient.insert(point.gradient.end(), numbers.begin(), numbers.end());
        } else {
            point.gradient.resize(point.gradient.size() + std::size_t(p.tensor.numel()));
        }
    }
    return point;
}

void Lbfgs::move(const Vector& to) {
    auto from = to.begin();
    for (const NamedTensor& p : parameters_) {
        const std::vector<Real> numbers(from, from + p.tensor.numel());
        from += p.tensor.numel();
        p.tensor.detach().copy_(Tensor(p.tensor.shape(), numbers, p.tensor.device()));
    }
}

// The two loops of Nocedal (1980): the estimated inverse Hessian times the gradient, with the sign turned.
Lbfgs::Vector Lbfgs::direction() const {
    Vector d = here_.gradient;
    for (double& v : d) v = -v;
    std::vector<double> shares(pairs_.size());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
        shares[k] = dot(pairs_[k].step, d) / pairs_[k].product;
        add_scaled(d, -shares[k], pairs_[k].change);
    }
    if (!pairs_.empty()) {
        const double scale = pairs_.back().product / dot(pairs_.back().change, pairs_.back().change);
        for (double& v : d) v *= scale;
    }
    for (std::size_t k = 0; k < pairs_.size(); ++k)
        add_scaled(d, shares[k] - dot(pairs_[k].change, d) / pairs_[k].product, pairs_[k].step);
    return d;
}

double Lbfgs::step(const std::function<Tensor()>& loss) {
    if (here_.gradient.empty()) {
        for (const NamedTensor& p : parameters_) {
            const std::vector<Real> numbers = p.tensor.values();
            at_.insert(at_.end(), numbers.begin(), numbers.end());
        }
        here_ = look(loss);
    }
    const double size = std::sqrt(dot(here_.gradient, here_.gradient));
    check(std::isfinite(here_.loss) && std::isfinite(size),
          "Lbfgs: wanted a finite loss and gradient, got {} and a gradient of length {}", here_.loss, size);
    Vector d = direction();
    double slope = dot(here_.gradient, d);
    if (!(slope < 0)) pairs_.clear(), d = direction(), slope = dot(here_.gradient, d);
    constexpr double any = std::numeric_limits<double>::infinity();
    double low = 0, high = any, t = pairs_.empty() ? std::min(1.0, 1 / size) : 1;
    double lowest = here_.loss;
    Vector best;
    Point there{0, {}};
    converged_ = true;
    for (Index n = 0; n < options_.tries && slope < 0; ++n) {
        Vector to = at_;
        add_scaled(to, t, d);
        move(to);
        Point point = look(loss);
        const bool enough = point.loss <= here_.loss + options_.decrease * t * slope,
                   flat = dot(point.gradient, d) >= options_.curvature * slope;
        if (enough && point.loss < lowest)
            lowest = point.loss, best = std::move(to), there = std::move(point), converged_ = false;
        if (enough && flat) break;
        (enough ? low : high) = t;
        t = high < any ? (low + high) / 2 : 2 * low;
    }
    if (converged_) {
        move(at_);
        if (pairs_.empty()) return here_.loss;
        pairs_.clear();  // the estimate may be wrong: once more, downhill, and only once, since there are no pairs then
        return step(loss);
    }
    Pair pair{best, there.gradient, 0};
    add_scaled(pair.step, -1, at_);
    add_scaled(pair.change, -1, here_.gradient);
    pair.product = dot(pair.step, pair.change);
    if (pair.product > 1e-10 * dot(pair.change, pair.change)) pairs_.push_back(std::move(pair));
    if (Index(pairs_.size()) > options_.memory) pairs_.pop_front();
    at_ = std::move(best), here_ = std::move(there);
    move(at_);
    return here_.loss;
}

}  // namespace RECTO::optim
