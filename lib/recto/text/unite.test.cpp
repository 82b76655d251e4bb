#include <recto/text/unite.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <recto/core/random.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;

TEST_CASE("unite: as by its definition, one union after another", "[text][unite]") {
    Generator random(1);
    for (int round = 0; round < 300; ++round) {
        std::vector<Index> symbols = random.integers({round % 30}, 0, 3).values(), want = symbols;
        const auto united = [&](Index left, Index right) {  // costs that repeat, and pairs without a union
            const Index sum = left + right;
            return sum % 3 == 1 || sum > 40 ? std::nullopt : std::optional(std::pair(sum * 7 % 5, sum));
        };
        while (true) {
            std::size_t best = want.size();
            for (std::size_t i = 0; i + 1 < want.size(); ++i)
                if (const auto found = united(want[i], want[i + 1]))
                    if (best == want.size() || found->first < united(want[best], want[best + 1])->first) best = i;
            if (best == want.size()) break;
            want[best] += want[best + 1];
            want.erase(want.begin() + std::ptrdiff_t(best) + 1);
        }
        text::unite(symbols, united);
        CHECK(symbols == want);
    }
}
