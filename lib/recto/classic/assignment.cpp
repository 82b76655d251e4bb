#include <recto/classic/assignment.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace RECTO::classic {

std::vector<Index> best_assignment(const linalg::Matrix& gain) {
    check(gain.rows == gain.cols, "best_assignment: wanted a square matrix, got {} x {}", gain.rows, gain.cols);
    check(std::ranges::all_of(gain.values, [](double v) { return std::isfinite(v); }),
          "best_assignment: wanted finite numbers, got a NaN or an infinity");
    // Row n and column n are a start that belongs to no pair. Costs are -gain; a cost minus both prices is never negative, and
    // zero for every pair that is chosen.
    const std::size_t n = std::size_t(gain.rows), none = n;
    std::vector<double> row_price(n + 1, 0.0), column_price(n + 1, 0.0);
    std::vector<std::size_t> row_of(n + 1, none);  // the row that has this column
    for (std::size_t row = 0; row < n; ++row) {
        // The shortest path from a new row to a free column, by way of pairs that change their partner.
        std::vector<double> distance(n, std::numeric_limits<double>::infinity());
        std::vector<std::size_t> before(n, none);
        std::vector<bool> done(n + 1, false);
        std::size_t column = none;
        row_of[none] = row;
        do {
            done[column] = true;
            const std::size_t from = row_of[column];
            double least = std::numeric_limits<double>::infinity();
            std::size_t next = none;
            for (std::size_t j = 0; j < n; ++j) {
                if (done[j]) continue;
                const double step = -gain(Index(from), Index(j)) - row_price[from] - column_price[j];
                if (step < distance[j]) distance[j] = step, before[j] = column;
                if (distance[j] < least) least = distance[j], next = j;
            }
            for (std::size_t j = 0; j <= n; ++j)
                if (done[j])
                    row_price[row_of[j]] += least, column_price[j] -= least;
                else
                    distance[j] -= least;
            column = next;
        } while (row_of[column] != none);
        while (column != none) {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    std::vector<Index> column_of(n);
    for (std::size_t j = 0; j < n; ++j) column_of[row_of[j]] = Index(j);
    return column_of;
}

}  // namespace RECTO::classic
