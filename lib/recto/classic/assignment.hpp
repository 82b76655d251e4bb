#pragma once
/// @file
/// The assignment problem: pairs of rows and columns with the largest sum.
#include <vector>

#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

/// A column for each row, each column once, so that the sum of the chosen gains is as large as possible (Kuhn, 1955). In the
/// form with shortest augmenting paths it takes O(n^3) operations.
/// @param gain  (n, n); any finite numbers
/// @return      the column of each row
/// @throws Error when the matrix is not square or a number is not finite
std::vector<Index> best_assignment(const linalg::Matrix& gain);

}  // namespace RECTO::classic
