#include <recto/data/karate_club.hpp>

namespace RECTO::data {

const KarateClub& karate_club() {
    static const KarateClub club = [] {
        // The friends of member 0, 1, ... that have larger numbers.
        const std::vector<std::vector<Index>> later = {{1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31},
                                                       {2, 3, 7, 13, 17, 19, 21, 30},
                                                       {3, 7, 8, 9, 13, 27, 28, 32},
                                                       {7, 12, 13},
                                                       {6, 10},
                                                       {6, 10, 16},
                                                       {16},
                                                       {},
                                                       {30, 32, 33},
                                                       {33},
                                                       {},
                                                       {},
                                                       {},
                                                       {33},
                                                       {32, 33},
                                                       {32, 33},
                                                       {},
                                                       {},
                                                       {32, 33},
                                                       {33},
                                                       {32, 33},
                                                       {},
                                                       {32, 33},
                                                       {25, 27, 29, 32, 33},
                                                       {25, 27, 31},
                                                       {31},
                                                       {29, 33},
                                                       {33},
                                                       {31, 33},
                                                       {32, 33},
                                                       {32, 33},
                                                       {32, 33},
                                                       {33},
                                                       {}};
        KarateClub made;
        for (std::size_t a = 0; a < later.size(); ++a)
            for (const Index b : later[a]) made.friends.emplace_back(Index(a), b);
        made.sides = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0,
                      0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        made.x = {39, 48, 59, 43, 21, 15, 14, 46, 63, 70,  22, 22, 32, 55, 95, 92, 0,
                  39, 93, 57, 87, 34, 81, 86, 73, 81, 100, 76, 72, 92, 67, 66, 80, 78};
        made.y = {36, 25, 49, 49, 35, 22, 36, 57,  29, 71, 16, 65, 66, 38, 32, 9,  25,
                  0,  21, 18, 3,  10, 0,  64, 100, 93, 50, 72, 52, 49, 15, 62, 30, 36};
        return made;
    }();
    return club;
}

}  // namespace RECTO::data
