#include <recto/classic/cross_validation.hpp>

#include <algorithm>

#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>

namespace RECTO::classic {

std::vector<Fold> folds(Index count, Index parts, Generator& random) {
    check(parts >= 2 && parts <= count, "folds: wanted 2 to {} parts, got {}", count, parts);
    const std::vector<Index> order = random.permutation(count);
    std::vector<Fold> all;
    for (Index part = 0; part < parts; ++part) {
        Fold fold;
        for (Index i = 0; i < count; ++i) (i % parts == part ? fold.held : fold.train).push_back(order[std::size_t(i)]);
        std::ranges::sort(fold.train);
        std::ranges::sort(fold.held);
        all.push_back(std::move(fold));
    }
    return all;
}

double cross_validate(const std::vector<Fold>& folds, const Matrix& x, std::span<const double> y,
                      const std::function<Vector(const Matrix& x, const Vector& y, const Matrix& other)>& fit) {
    double total = 0;
    Index judged = 0;
    for (const Fold& fold : folds) {
        Vector known;
        for (const Index row : fold.train) known.push_back(y[std::size_t(row)]);
        const Vector guess = fit(linalg::rows_of(x, fold.train), known, linalg::rows_of(x, fold.held));
        check(guess.size() == fold.held.size(), "cross_validate: wanted {} predictions, got {}", fold.held.size(),
              guess.size());
        for (std::size_t i = 0; i < guess.size(); ++i, ++judged) {
            const double error = guess[i] - y[std::size_t(fold.held[i])];
            total += error * error;
        }
    }
    check(judged > 0, "cross_validate: wanted at least one row held out, got none");
    return total / double(judged);
}

double ridge_leave_one_out(const Matrix& phi, std::span<const double> y, double penalty) {
    check(penalty > 0, "ridge_leave_one_out: wanted a penalty above 0, got {}", penalty);
    check(Index(y.size()) == phi.rows && phi.rows >= 2, "ridge_leave_one_out: {} samples want as many targets, got {}",
          phi.rows, y.size());
    Matrix a = linalg::gram(phi);
    for (Index k = 0; k < a.rows; ++k) a(k, k) += penalty;
    const Matrix solved =
        linalg::transpose(linalg::cholesky_solve(a, linalg::transpose(phi)));  // phi (phi'phi + penalty)^-1
    const Vector c = linalg::transpose_matvec(solved, y);                      // the weights
    double total = 0;
    for (Index n = 0; n < phi.rows; ++n) {
        const std::span<const double> row(phi.row(n), std::size_t(phi.cols));
        const double leverage = linalg::dot({solved.row(n), row.size()}, row);
        const double error = (y[std::size_t(n)] - linalg::dot(row, c)) / (1 - leverage);
        total += error * error;
    }
    return total / double(phi.rows);
}

}  // namespace RECTO::classic
