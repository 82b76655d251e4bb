#pragma once
/// @file
/// The separating plane furthest from the data: the linear support vector machine (Cortes and Vapnik, 1995).
#include <recto/core/random.hpp>
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// A separating plane w x + bias = 0 and the multipliers that prove its optimality.
struct Svm {
    Vector w;      ///< one weight per input
    double bias;   ///< the plane's offset
    Vector alpha;  ///< one multiplier per sample, from 0 to c; above 0 for support vectors
    Index sweeps;  ///< number of passes

    double score(std::span<const double> x) const;  ///< w x + bias.
    double margin() const;                          ///< Distance from the plane at which |score| is 1: 1 / |w|.
};

/// Minimises \f$ \frac12 |w|^2 + c \sum_n \max(0, 1 - s_n (w x_n + b)) \f$ over w and b, for sides s of +1 and -1.
///
/// Dual coordinate descent: one multiplier at a time is set to its best value, in random order (Hsieh et al., 2008).
/// The bias is not penalised; the constraint that it imposes on the multipliers, \f$\sum_n s_n \alpha_n = 0\f$, is
/// satisfied by the method of multipliers. A large c leaves hardly any sample inside the margin.
/// @param x          (samples, inputs)
/// @param tolerance  largest violation of the optimality conditions allowed, as measured by kkt_violation()
/// @param most       maximum number of passes
/// @throws Error when sizes do not fit, a side is neither +1 nor -1, one side is missing, or it does not converge
Svm linear_svm(const Matrix& x, std::span<const Index> sides, double c, Generator& random, double tolerance = 1e-5,
               Index most = 100000);

/// The largest violation of the Karush-Kuhn-Tucker conditions: samples with alpha = 0 are outside the margin, those
/// with alpha = c inside it, all others on its edge, and the constraint on the multipliers holds.
double kkt_violation(const Svm& svm, const Matrix& x, std::span<const Index> sides, double c);

/// One machine per class against all others; the class with the highest score wins.
struct OneVsRest {
    std::vector<Svm> machines;  ///< one per class

    /// The class of every row of x.
    std::vector<Index> predict(const Matrix& x) const;
};

/// Trains one machine per class. @throws Error when a class has no sample; see linear_svm()
OneVsRest one_vs_rest(const Matrix& x, std::span<const Index> labels, Index classes, double c, Generator& random,
                      double tolerance = 1e-3);

}  // namespace RECTO::classic
