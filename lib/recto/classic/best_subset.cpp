#include <recto/classic/best_subset.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

#include <recto/classic/least_squares.hpp>
#include <recto/linalg/products.hpp>

namespace RECTO::classic {
namespace {

/// Least squares on some columns, from the products of all columns: solves g w = c for them by Cholesky on the stack,
/// and returns c'w, the reduction of the squared error; -1 if the columns are dependent.
double explained(const Matrix& g, const Vector& c, const std::vector<Index>& columns, double* w) {
    constexpr std::size_t most = 20;
    double lower[most][most], z[most] = {};
    const std::size_t k = columns.size();
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double v = g(columns[i], columns[j]);
            for (std::size_t p = 0; p < j; ++p) v -= lower[i][p] * lower[j][p];
            if (i == j && !(v > 1e-12 * g(columns[i], columns[i]))) return -1;
            lower[i][j] = i == j ? std::sqrt(v) : v / lower[j][j];
        }
        z[i] = c[std::size_t(columns[i])];
        for (std::size_t p = 0; p < i; ++p) z[i] -= lower[i][p] * z[p];
        z[i] /= lower[i][i];
    }
    double gain = 0;
    for (std::size_t i = 0; i < k; ++i) gain += z[i] * z[i];
    for (std::size_t i = k; i-- > 0;) {
        w[i] = z[i];
        for (std::size_t p = i + 1; p < k; ++p) w[i] -= lower[p][i] * w[p];
        w[i] /= lower[i][i];
    }
    return gain;
}

}  // namespace

double noise_variance(const Matrix& x, std::span<const double> y) {
    check(x.rows > x.cols, "noise_variance: wanted more rows than columns, got {} and {}", x.rows, x.cols);
    return squared_error(x, y, normal_equations(x, y)) * double(x.rows) / double(x.rows - x.cols);
}

Subset best_subset(const Matrix& x, std::span<const double> y, double risk) {
    check(x.cols >= 1 && x.cols <= 20, "best_subset: wanted 1 to 20 columns, got {}", x.cols);
    check(risk > 0 && risk <= 1, "best_subset: wanted a risk above 0 and at most 1, got {}", risk);
    const double price = 2 * std::log(double(x.cols) / risk) * noise_variance(x, y);
    const Matrix g = linalg::gram(x);
    const Vector c = linalg::transpose_matvec(x, y);
    Subset best{{}, Vector(std::size_t(x.cols), 0.0), Index(1) << x.cols};
    double most = 0;  // reduction by the empty subset
    for (std::uint32_t mask = 1; mask < std::uint32_t(best.tried); ++mask) {
        std::vector<Index> columns;
        for (std::uint32_t rest = mask; rest; rest &= rest - 1) columns.push_back(std::countr_zero(rest));
        double w[20];
        const double gain = explained(g, c, columns, w) - price * double(columns.size());
        if (!(gain > most)) continue;
        most = gain;
        best.support = columns;
        best.w.assign(std::size_t(x.cols), 0.0);
        for (std::size_t i = 0; i < columns.size(); ++i) best.w[std::size_t(columns[i])] = w[i];
    }
    return best;
}

}  // namespace RECTO::classic
