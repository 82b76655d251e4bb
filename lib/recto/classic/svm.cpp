#include <recto/classic/svm.hpp>

#include <algorithm>
#include <cmath>

#include <recto/linalg/products.hpp>

namespace RECTO::classic {
namespace {

void check_sides(const Matrix& x, std::span<const Index> sides) {
    check(Index(sides.size()) == x.rows, "linear_svm: {} samples want as many sides, got {}", x.rows, sides.size());
    for (const Index side : sides) check(side == 1 || side == -1, "linear_svm: wanted sides of 1 and -1, got {}", side);
    for (const Index side : {1, -1})
        check(std::ranges::count(sides, side) > 0, "linear_svm: wanted samples on both sides, got none on side {}",
              side);
}

}  // namespace

double Svm::score(std::span<const double> x) const { return linalg::dot(w, x) + bias; }
double Svm::margin() const { return 1 / linalg::norm(w); }

double kkt_violation(const Svm& svm, const Matrix& x, std::span<const Index> sides, double c) {
    double worst = 0, balance = 0;
    for (Index n = 0; n < x.rows; ++n) {
        const double s = double(sides[std::size_t(n)]), a = svm.alpha[std::size_t(n)];
        const double short_of = 1 - s * svm.score({x.row(n), std::size_t(x.cols)});  // above 0: inside the margin
        const double violation = a <= 0   ? std::max(short_of, 0.0)
                                 : a >= c ? std::max(-short_of, 0.0)
                                          : std::abs(short_of);
        if (!(violation <= worst)) worst = violation;
        balance += s * a;
    }
    return std::abs(balance) > worst ? std::abs(balance) : worst;
}

Svm linear_svm(const Matrix& x, std::span<const Index> sides, double c, Generator& random, double tolerance,
               Index most) {
    check_sides(x, sides);
    check(c > 0, "linear_svm: wanted c above 0, got {}", c);
    const auto sample = [&](Index n) { return std::span<const double>(x.row(n), std::size_t(x.cols)); };
    Svm svm{Vector(std::size_t(x.cols), 0.0), 0, Vector(sides.size(), 0.0), 0};
    Vector squares;
    for (Index n = 0; n < x.rows; ++n) squares.push_back(linalg::dot(sample(n), sample(n)));
    // The constraint on the multipliers is enforced by a quadratic penalty of this stiffness, and by the bias, which
    // takes over the force of the penalty after every pass until the penalty is 0.
    const double stiffness = std::max(1e-12, linalg::dot(squares, Vector(squares.size(), 1)) / double(x.rows));
    double carried = 0, balance = 0;
    while (svm.sweeps < most) {
        ++svm.sweeps;
        for (const Index n : random.permutation(x.rows)) {
            const double s = double(sides[std::size_t(n)]);
            const double slope = s * (linalg::dot(svm.w, sample(n)) + carried + stiffness * balance) - 1;
            double& a = svm.alpha[std::size_t(n)];
            const double now = std::clamp(a - slope / (squares[std::size_t(n)] + stiffness), 0.0, c);
            linalg::add_scaled(svm.w, s * (now - a), sample(n));
            balance += s * (now - a);
            a = now;
        }
        carried += stiffness * balance;
        svm.bias = carried;
        if (svm.sweeps % 10 == 0 && kkt_violation(svm, x, sides, c) <= tolerance) return svm;
    }
    throw Error(fmt::format("linear_svm: {} passes left a violation of {:.2g}, wanted {:.2g}", most,
                            kkt_violation(svm, x, sides, c), tolerance));
}

OneVsRest one_vs_rest(const Matrix& x, std::span<const Index> labels, Index classes, double c, Generator& random,
                      double tolerance) {
    OneVsRest all;
    for (Index k = 0; k < classes; ++k) {
        std::vector<Index> sides;
        for (const Index label : labels) sides.push_back(label == k ? 1 : -1);
        all.machines.push_back(linear_svm(x, sides, c, random, tolerance));
    }
    return all;
}

std::vector<Index> OneVsRest::predict(const Matrix& x) const {
    std::vector<Index> labels;
    for (Index n = 0; n < x.rows; ++n) {
        std::vector<double> scores;
        for (const Svm& machine : machines) scores.push_back(machine.score({x.row(n), std::size_t(x.cols)}));
        labels.push_back(std::ranges::max_element(scores) - scores.begin());
    }
    return labels;
}

}  // namespace RECTO::classic
