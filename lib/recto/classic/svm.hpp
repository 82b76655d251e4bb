#pragma once
/// @file
/// Preferring the separator furthest from the data: the linear support vector machine (Cortes and Vapnik, 1995).
#include <recto/core/random.hpp>
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// A separating plane w x + bias = 0 and the multipliers that prove it the best.
struct Svm {
    Vector w;      ///< one weight per input
    double bias;   ///< the plane's offset
    Vector alpha;  ///< one multiplier per sample, from 0 to c; the support vectors are where it is above 0
    Index sweeps;  ///< how many passes it took

    double score(std::span<const double> x) const;  ///< w x + bias.
    double margin() const;                          ///< Distance from the plane at which |score| is 1: 1 / |w|.
};

/// Minimises \f$ \frac12 |w|^2 + c \sum_n \max(0, 1 - s_n (w x_n + b)) \f$ over w and b, for sides s of +1 and -1.
///
/// Dual coordinate descent: one multiplier at a time takes its best value, in random order (Hsieh et al., 2008). The
/// bias carries no price; the condition it imposes on the multipliers, \f$\sum_n s_n \alpha_n = 0\f$, is met by the
/// method of multipliers. A large c hardly lets any sample inside the margin.
/// @param x          (samples, inputs)
/// @param tolerance  largest violation of the optimality conditions allowed, as kkt_violation() measures it
/// @param most       gives up after so many passes
/// @throws Error when sizes do not fit, a side is neither +1 nor -1, one side is missing, or it does not settle
Svm linear_svm(const Matrix& x, std::span<const Index> sides, double c, Generator& random, double tolerance = 1e-5,
               Index most = 100000);

/// How far a solution is from meeting the Karush-Kuhn-Tucker conditions, at worst: samples with alpha = 0 lie
/// outside the margin, those with alpha = c inside it, all others on its edge, and the multipliers balance.
double kkt_violation(const Svm& svm, const Matrix& x, std::span<const Index> sides, double c);

/// One machine per class against all others; the highest score wins.
struct OneVsRest {
    std::vector<Svm> machines;  ///< one per class

    /// The class of every row of x.
    std::vector<Index> predict(const Matrix& x) const;
};

/// Trains one machine per class. @throws Error when a class has no sample; see linear_svm()
OneVsRest one_vs_rest(const Matrix& x, std::span<const Index> labels, Index classes, double c, Generator& random,
                      double tolerance = 1e-3);

}  // namespace RECTO::classic
