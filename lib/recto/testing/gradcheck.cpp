#include <recto/testing/gradcheck.hpp>

#include <algorithm>
#include <cmath>

namespace RECTO::testing {
namespace {

using Matrix = std::vector<std::vector<double>>;  // one row per output element

/// Element `i` of y as a scalar, so that a backward pass can start there.
Tensor pick(const Tensor& y, Index i) {
    return record("pick", Tensor(Shape{}, {y.values()[std::size_t(i)]}, y.device()), {y},
                  [shape = y.shape(), device = y.device(), i](const Tensor&) {
                      std::vector<Real> one(static_cast<std::size_t>(shape.numel()));
                      one[std::size_t(i)] = 1;
                      return Grads{Tensor(shape, one, device)};
                  });
}

/// The Jacobian by backward(): for every input, d y_i / d x_j.
std::vector<Matrix> analytic(const std::function<Tensor(const Inputs&)>& f, const Inputs& at) {
    Inputs x;
    for (const Tensor& t : at) x.push_back(clone(t).requires_grad_());
    const Tensor y = f(x);
    std::vector<Matrix> jacobians(x.size(), Matrix(std::size_t(y.numel())));
    for (Index i = 0; i < y.numel(); ++i) {
        for (const Tensor& t : x) t.zero_grad();
        pick(y, i).backward();
        for (std::size_t k = 0; k < x.size(); ++k) {
            auto& row = jacobians[k][std::size_t(i)];
            if (x[k].grad().defined())
                row = doubles(x[k].grad());
            else
                row.assign(std::size_t(x[k].numel()), 0.0);
        }
    }
    return jacobians;
}

/// The Jacobian by finite differences, with four evaluations per input element.
std::vector<Matrix> numeric(const std::function<Tensor(const Inputs&)>& f, const Inputs& at) {
    const NoGrad guard;
    const double h = 1e-3;
    std::vector<Matrix> jacobians;
    for (std::size_t k = 0; k < at.size(); ++k) {
        Inputs x = at;
        const std::vector<Real> start = at[k].values();
        Matrix jacobian(std::size_t(f(at).numel()), std::vector<double>(start.size()));
        for (std::size_t j = 0; j < start.size(); ++j) {
            const auto moved = [&](double by) {
                std::vector<Real> v = start;
                v[j] = Real(v[j] + by);
                x[k] = Tensor(at[k].shape(), v, at[k].device());
                return doubles(f(x));
            };
            const auto a = moved(-2 * h), b = moved(-h), c = moved(h), d = moved(2 * h);
            for (std::size_t i = 0; i < a.size(); ++i) jacobian[i][j] = (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h);
        }
        jacobians.push_back(std::move(jacobian));
    }
    return jacobians;
}

/// Whether `factor` times the analytic Jacobian agrees with the numeric one.
bool agree(const Matrix& analytic, const Matrix& numeric, double factor, bool report) {
    for (std::size_t i = 0; i < analytic.size(); ++i)
        for (std::size_t j = 0; j < analytic[i].size(); ++j) {
            const double a = analytic[i][j] * factor, n = numeric[i][j];
            if (std::abs(n - a) <= 1e-8 * (1 + std::abs(a))) continue;
            if (report)
                UNSCOPED_INFO("d y[" << i << "] / d x[" << j << "]: backward says " << a << ", differences say " << n);
            return false;
        }
    return true;
}

#ifdef RECTO_REAL_IS_DOUBLE
constexpr bool compares = true;
#else
constexpr bool compares = false;  // under AddressSanitizer, one forward and one backward pass suffice
#endif

double largest(const Matrix& m) {
    double most = 0;
    for (const auto& row : m)
        for (const double v : row) most = std::max(most, std::abs(v));
    return most;
}

}  // namespace

void check_gradient(const std::function<Tensor(const Inputs&)>& f, const std::function<Inputs(Generator&)>& make,
                    int cases) {
    for (const Device device : devices()) {
        std::vector<int> told;
        for (int n = 0; n < cases; ++n) {
            Generator random(std::uint64_t(1000 + n));
            Inputs x = make(random);
            for (Tensor& t : x) t = t.to(device);
            told.resize(x.size());
            const auto a = analytic(f, x);
            if (!compares) continue;
            const auto b = numeric(f, x);
            for (std::size_t k = 0; k < x.size(); ++k) {
                CAPTURE(device, n, k, x[k].shape());
                REQUIRE(agree(a[k], b[k], 1, true));
                if (largest(b[k]) < 1e-3) continue;  // too flat to detect a relative error of 1e-4
                ++told[k];
                REQUIRE_FALSE(agree(a[k], b[k], 0, false));
                REQUIRE_FALSE(agree(a[k], b[k], 1.0001, false));
            }
        }
        for (std::size_t k = 0; compares && k < told.size(); ++k) {
            CAPTURE(device, k);
            REQUIRE(told[k] > 0);  // otherwise a wrong gradient of this input would have passed
        }
    }
}

void check_gradient(const std::function<Tensor(const Tensor&)>& f, int cases) {
    check_gradient([&](const Inputs& x) { return f(x[0]); },
                   [](Generator& random) { return Inputs{random.normal(random_shape(random))}; }, cases);
}

}  // namespace RECTO::testing
