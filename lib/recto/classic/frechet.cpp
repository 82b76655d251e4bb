#include <recto/classic/frechet.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>

namespace RECTO::classic {
namespace {

struct Moments {
    linalg::Vector mean;
    double trace = 0;     // of the covariance
    linalg::Matrix root;  // the symmetric root of the covariance
};

Moments moments(linalg::Matrix x) {
    const double share = 1 / double(x.rows);
    Moments found{linalg::Vector(std::size_t(x.cols)), 0, linalg::Matrix(x.cols, x.cols)};
    for (Index i = 0; i < x.rows; ++i)
        for (Index j = 0; j < x.cols; ++j) found.mean[std::size_t(j)] += x(i, j) * share;
    for (Index i = 0; i < x.rows; ++i)
        for (Index j = 0; j < x.cols; ++j) x(i, j) -= found.mean[std::size_t(j)];
    linalg::Svd of = linalg::svd(linalg::gram(x));
    linalg::Matrix scaled = of.vt;  // rows times the roots of their eigenvalues
    for (Index i = 0; i < x.cols; ++i) {
        const double variance = of.values[std::size_t(i)] * share;
        found.trace += variance;
        for (Index j = 0; j < x.cols; ++j) scaled(i, j) *= std::sqrt(variance);
    }
    found.root = linalg::transpose_matmul(of.vt, scaled);
    return found;
}

}  // namespace

double frechet_distance(const linalg::Matrix& a, const linalg::Matrix& b) {
    check(a.cols == b.cols && a.rows >= 2 && b.rows >= 2,
          "frechet_distance: wanted two sets of at least two points with as many numbers, got {} x {} and {} x {}",
          a.rows, a.cols, b.rows, b.cols);
    const Moments first = moments(a), second = moments(b);
    double square = first.trace + second.trace;
    for (std::size_t j = 0; j < first.mean.size(); ++j)
        square += (first.mean[j] - second.mean[j]) * (first.mean[j] - second.mean[j]);
    // The root of M M' has the trace of M's singular values, here with M = A^1/2 B^1/2.
    for (const double value : linalg::singular_values(linalg::matmul(first.root, second.root))) square -= 2 * value;
    return std::sqrt(std::max(0.0, square));
}

}  // namespace RECTO::classic
