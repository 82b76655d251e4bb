#pragma once
/// @file
/// Zachary's karate club: a small graph of friends, and the two clubs into which it split.
#include <utility>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::data {

/// The friendships in a karate club, observed for three years until the club split over a conflict between its
/// instructor (vertex 0) and its officer (vertex 33). Zachary 1977, *An information flow model for conflict and fission in
/// small groups*, numbers the members from 1.
struct KarateClub {
    std::vector<std::pair<Index, Index>> friends;  ///< 78 pairs of members, each once, the smaller number first
    std::vector<Index> sides;  ///< of 34 members: 0 if in the instructor's new club, 1 in the officer's
    std::vector<double> x;     ///< a place for each member in a drawing, from 0 to 100
    std::vector<double> y;     ///< the other coordinate of this place
};

/// Zachary's karate club: 34 members, 78 friendships.
const KarateClub& karate_club();

}  // namespace RECTO::data
