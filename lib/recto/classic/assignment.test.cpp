#include <recto/classic/assignment.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using linalg::Matrix;

namespace {

double total(const Matrix& gain, const std::vector<Index>& columns) {
    double sum = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) sum += gain(Index(i), columns[i]);
    return sum;
}

double best_of_all(const Matrix& gain) {
    std::vector<Index> order(std::size_t(gain.rows));
    std::iota(order.begin(), order.end(), Index(0));
    double best = -std::numeric_limits<double>::infinity();
    do best = std::max(best, total(gain, order));
    while (std::next_permutation(order.begin(), order.end()));
    return best;
}

}  // namespace

TEST_CASE("best_assignment: against all permutations", "[classic][assignment]") {
    Generator random(1);
    for (int trial = 0; trial < 200; ++trial) {
        const Index n = 1 + trial % 6;
        Matrix gain(n, n);
        const bool whole = trial % 3 == 0;  // with many equal sums
        for (double& v : gain.values) v = whole ? double(random.next_integer(-2, 3)) : random.next_normal();
        const std::vector<Index> columns = classic::best_assignment(gain);
        std::vector<Index> sorted = columns;
        std::ranges::sort(sorted);
        for (Index i = 0; i < n; ++i) CHECK(sorted[std::size_t(i)] == i);
        CHECK(std::abs(total(gain, columns) - best_of_all(gain)) <= 1e-12);
    }
}

TEST_CASE("best_assignment: a hidden permutation is found", "[classic][assignment]") {
    Generator random(2);
    for (const Index n : {127, 128, 129}) {
        const std::vector<Index> hidden = random.permutation(n);
        Matrix gain(n, n);
        for (double& v : gain.values) v = random.next_uniform();
        for (Index i = 0; i < n; ++i) gain(i, hidden[std::size_t(i)]) += 1;
        CHECK(classic::best_assignment(gain) == hidden);
    }
}

TEST_CASE("best_assignment: edges and messages", "[classic][assignment]") {
    CHECK(classic::best_assignment(Matrix()).empty());
    CHECK(classic::best_assignment(Matrix(1, 1, -5.0)) == std::vector<Index>{0});
    CHECK_THROWS_WITH(classic::best_assignment(Matrix(2, 3)), "best_assignment: wanted a square matrix, got 2 x 3");
    CHECK_THROWS_WITH(classic::best_assignment(Matrix(1, 1, NAN)),
                      "best_assignment: wanted finite numbers, got a NaN or an infinity");
}
