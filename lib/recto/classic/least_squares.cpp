#include <recto/classic/least_squares.hpp>

#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>

namespace RECTO::classic {
namespace {

using namespace linalg;

void check_samples(const Matrix& phi, Index targets, const char* who) {
    check(phi.rows >= 1, "{}: wanted at least one sample, got none", who);
    check(phi.rows == targets, "{}: {} samples want as many targets, got {}", who, phi.rows, targets);
}

/// Returns phi w - y.
Vector residual(const Matrix& phi, std::span<const double> y, std::span<const double> w, const char* who) {
    check_samples(phi, Index(y.size()), who);
    check(Index(w.size()) == phi.cols, "{}: {} columns want as many weights, got {}", who, phi.cols, w.size());
    Vector r = matvec(phi, w);
    add_scaled(r, -1, y);
    return r;
}

Matrix as_column(std::span<const double> y) { return {Index(y.size()), 1, Vector(y.begin(), y.end())}; }

}  // namespace

double squared_error(const Matrix& phi, std::span<const double> y, std::span<const double> w) {
    const Vector r = residual(phi, y, w, "squared_error");
    return dot(r, r) / double(phi.rows);
}

Vector squared_error_gradient(const Matrix& phi, std::span<const double> y, std::span<const double> w) {
    Vector g = transpose_matvec(phi, residual(phi, y, w, "squared_error_gradient"));
    for (double& v : g) v *= 2 / double(phi.rows);
    return g;
}

Matrix normal_equations(const Matrix& phi, const Matrix& y) {
    check_samples(phi, y.rows, "normal_equations");
    check(phi.rows >= phi.cols, "normal_equations: wanted at least as many samples as weights, got {} and {}", phi.rows,
          phi.cols);
    return cholesky_solve(gram(phi), transpose_matmul(phi, y));
}
Vector normal_equations(const Matrix& phi, std::span<const double> y) {
    return normal_equations(phi, as_column(y)).values;
}

Matrix least_norm(const Matrix& phi, const Matrix& y, double cutoff) {
    check_samples(phi, y.rows, "least_norm");
    return svd_least_squares(phi, y, cutoff);
}
Vector least_norm(const Matrix& phi, std::span<const double> y, double cutoff) {
    return least_norm(phi, as_column(y), cutoff).values;
}

Matrix ridge(const Matrix& phi, const Matrix& y, double penalty) {
    check_samples(phi, y.rows, "ridge");
    check(penalty > 0, "ridge: wanted a penalty above 0, got {}", penalty);
    Matrix a = gram(phi);
    for (Index k = 0; k < a.rows; ++k) a(k, k) += penalty;
    return cholesky_solve(a, transpose_matmul(phi, y));
}
Vector ridge(const Matrix& phi, std::span<const double> y, double penalty) {
    return ridge(phi, as_column(y), penalty).values;
}

Descent conjugate_gradients(const Matrix& phi, std::span<const double> y, double tolerance, Index most) {
    check_samples(phi, Index(y.size()), "conjugate_gradients");
    Vector w(std::size_t(phi.cols), 0.0), r(y.begin(), y.end());  // r = y - phi w
    Vector s = transpose_matvec(phi, r), direction = s;           // s = phi' r: the direction of steepest descent
    const double start = dot(s, s);
    double now = start;
    Index step = 0;
    for (; step < most && now > tolerance * tolerance * start; ++step) {
        const Vector q = matvec(phi, direction);
        const double length = now / dot(q, q);
        add_scaled(w, length, direction);
        add_scaled(r, -length, q);
        s = transpose_matvec(phi, r);
        const double next = dot(s, s);
        for (std::size_t k = 0; k < s.size(); ++k) direction[k] = s[k] + next / now * direction[k];
        now = next;
    }
    return {w, step};
}

Descent gradient_descent(const Matrix& phi, std::span<const double> y, Index steps, double rate) {
    check_samples(phi, Index(y.size()), "gradient_descent");
    if (rate == 0) {
        const double most = singular_values(phi).at(0);
        rate = double(phi.rows) / (2 * most * most);
    }
    Vector w(std::size_t(phi.cols), 0.0);
    for (Index step = 0; step < steps; ++step) add_scaled(w, -rate, squared_error_gradient(phi, y, w));
    return {w, steps};
}

}  // namespace RECTO::classic
