#include <recto/data/karate_club.hpp>

#include <algorithm>
#include <set>

#include <recto/testing/testing.hpp>

using namespace recto;

TEST_CASE("karate_club: the published numbers of friends", "[data]") {
    const data::KarateClub& club = data::karate_club();
    std::vector<Index> degrees(34);
    for (const auto& [a, b] : club.friends) {
        CHECK(a < b);
        ++degrees[std::size_t(a)], ++degrees[std::size_t(b)];
    }
    CHECK(std::set(club.friends.begin(), club.friends.end()).size() == 78);
    CHECK(degrees == std::vector<Index>{16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2,  2,
                                        2,  2, 3,  2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17});
    CHECK(club.sides.size() == 34);
    CHECK(std::ranges::count(club.sides, 0) == 17);
    CHECK(club.sides[0] == 0);
    CHECK(club.sides[33] == 1);
    CHECK(club.x.size() == 34);
    CHECK(club.y.size() == 34);
}
