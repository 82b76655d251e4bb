#include <recto/classic/lasso.hpp>

#include <algorithm>
#include <cmath>

#include <recto/classic/best_subset.hpp>
#include <recto/linalg/products.hpp>

namespace RECTO::classic {

Vector lasso(const Matrix& x, std::span<const double> y, double penalty, double tolerance) {
    check(Index(y.size()) == x.rows && x.rows >= 1, "lasso: {} rows want as many targets, got {}", x.rows, y.size());
    check(penalty >= 0, "lasso: wanted a penalty of at least 0, got {}", penalty);
    const Matrix columns = linalg::transpose(x);  // each column contiguous
    const auto column = [&](Index j) { return std::span<const double>(columns.row(j), y.size()); };
    const double n = double(x.rows);
    Vector w(std::size_t(x.cols), 0.0), residual(y.begin(), y.end());
    for (int sweep = 0; sweep < 100000; ++sweep) {
        double moved = 0;
        for (Index j = 0; j < x.cols; ++j) {
            const double square = linalg::dot(column(j), column(j)) / n, old = w[std::size_t(j)];
            if (square == 0) continue;  // a column of zeros keeps weight 0
            const double pull = linalg::dot(column(j), residual) / n + square * old;
            const double now = std::copysign(std::max(std::abs(pull) - penalty, 0.0), pull) / square;  // soft threshold
            if (now == old) continue;
            linalg::add_scaled(residual, old - now, column(j));
            w[std::size_t(j)] = now;
            moved = std::max(moved, std::abs(now - old));
        }
        if (moved <= tolerance) return w;
    }
    throw Error("lasso: 100000 sweeps did not settle the weights");
}

double lasso_penalty(const Matrix& x, std::span<const double> y, double risk) {
    check(risk > 0 && risk <= 1, "lasso_penalty: wanted a risk above 0 and at most 1, got {}", risk);
    return std::sqrt(noise_variance(x, y) * 2 * std::log(double(x.cols) / risk) / double(x.rows));
}

std::vector<Index> support(std::span<const double> w) {
    std::vector<Index> where;
    for (std::size_t j = 0; j < w.size(); ++j)
        if (w[j] != 0) where.push_back(Index(j));
    return where;
}

}  // namespace RECTO::classic
