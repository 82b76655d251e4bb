#include <recto/data/turned.hpp>

#include <set>
#include <vector>

#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;

TEST_CASE("turned: quarter turns and a roll, pixel by pixel", "[data][turned]") {
    const Tensor x({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(data::turned(x).shape() == Shape{1, 1, 3, 2});
    CHECK(data::turned(x).values() == std::vector<Real>{3, 6, 2, 5, 1, 4});
    CHECK(data::turned_back(x).values() == std::vector<Real>{4, 1, 5, 2, 6, 3});
    CHECK(data::turned_back(data::turned(x)).values() == x.values());
    CHECK(data::upright(x).values() == x.values());
    const Tensor tall({1, 1, 8, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(data::rolled_down(tall).values() == std::vector<Real>{2, 3, 4, 5, 6, 7, 0, 1});
    CHECK_THROWS_WITH(data::rolled_down(x), "rolled_down: wanted images of at least 6 rows, got shape (1, 1, 2, 3)");
}

TEST_CASE("turned: a set with a few of each task", "[data][turned]") {
    std::vector<Real> numbers;
    std::vector<Index> labels;
    for (Index i = 0; i < 50; ++i) {
        labels.push_back(i);
        for (Index p = 0; p < 36; ++p) numbers.push_back(Real(36 * i + p));
    }
    const data::Examples all{Tensor({50, 1, 6, 6}, numbers), Integers({50}, labels), {}, "made"};
    const std::vector<data::ImageTask> tasks = {data::turned, data::rolled_down};
    Generator random(1);
    const data::Examples some = data::mostly_upright(all, tasks, 10, random);
    CHECK(some.size() == 60);
    const std::vector<Index> which = some.labels.values();
    CHECK(std::vector<Index>(which.begin(), which.begin() + 50) == labels);
    CHECK(slice(some.x, 0, 0, 50).values() == all.x.values());
    for (std::size_t task = 0; task < 2; ++task) {
        std::set<Index> once;
        for (Index i = 0; i < 5; ++i) {
            const Index row = 50 + 5 * Index(task) + i, from = which[std::size_t(row)];
            once.insert(from);
            CHECK(slice(some.x, 0, row, row + 1).values() == tasks[task](slice(all.x, 0, from, from + 1)).values());
        }
        CHECK(once.size() == 5);
    }
    CHECK(data::mostly_upright(all, tasks, 0, random).size() == 50);
    CHECK_THROWS_WITH(data::mostly_upright(all, tasks, 101, random),
                      "mostly_upright: wanted from 0 to 100 per cent, got 101");
}
