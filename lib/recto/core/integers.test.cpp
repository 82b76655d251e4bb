#include <recto/core/integers.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

using Indices = std::vector<Index>;

TEST_CASE("integers: making, copying, slicing", "[core][integers][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Integers x({2, 3}, {1, 2, 3, 4, 5, Index(1) << 60}, device);
    CHECK(x.values() == Indices{1, 2, 3, 4, 5, Index(1) << 60});
    CHECK(x.device() == device);
    CHECK(x.size(-1) == 3);
    CHECK(x.to(Device::cpu).values() == x.values());
    CHECK(x.to(device).data() == x.data());
    CHECK(x.reshape({3, 2}).shape() == Shape{3, 2});
    CHECK(x.slice(1, 2).values() == Indices{4, 5, Index(1) << 60});
    CHECK(x.slice(1, 1).shape() == Shape{0, 3});
    CHECK(Integers({0, 3}, device).slice(0, 0).numel() == 0);
    CHECK_FALSE(Integers().defined());
    Integers y({2, 3}, device);
    const Integers same_numbers = y.reshape({3, 2});
    y.copy_(x);
    CHECK(same_numbers.values() == x.values());
    y.copy_(Integers({2, 3}, {6, 5, 4, 3, 2, 1}));
    CHECK(y.values() == Indices{6, 5, 4, 3, 2, 1});
}

TEST_CASE("integers: labels are checked", "[core][integers][devices]") {
    const Device device = GENERATE(from_range(devices()));
    check_labels(Integers({2}, {0, 9}, device), 10, "t");
    check_labels(Integers({0}, device), 0, "t");
    CHECK_THROWS_WITH(check_labels(Integers({2}, {0, 10}, device), 10, "t"),
                      "t: wanted labels from 0 to 9, got 10 at position 1");
    CHECK_THROWS_WITH(check_labels(Integers({1}, {-1}, device), 10, "t"),
                      "t: wanted labels from 0 to 9, got -1 at position 0");
}

TEST_CASE("integers: messages", "[core][integers]") {
    const Integers x({2, 3});
    CHECK_THROWS_WITH(Integers({2}, {1}), "Integers: shape (2) wants 2 values, got 1");
    CHECK_THROWS_WITH(Integers().data(), "data: wanted integers, got undefined ones");
    CHECK_THROWS_WITH(Integers().write(), "write: wanted integers, got undefined ones");
    CHECK_THROWS_WITH(Integers().device(), "device: wanted integers, got undefined ones");
    CHECK_THROWS_WITH(x.reshape({4}), "reshape: (2, 3) has 6 elements, (4) wants 4");
    CHECK_THROWS_WITH(Integers({2, 3}).copy_(Integers({3, 2})), "copy_: wanted shape (2, 3), got (3, 2)");
    CHECK_THROWS_WITH(x.slice(1, 3), "slice: [1, 3) is outside axis 0 of shape (2, 3)");
    CHECK_THROWS_WITH(x.slice(-1, 1), "slice: [-1, 1) is outside axis 0 of shape (2, 3)");
    CHECK_THROWS_WITH(x.slice(2, 1), "slice: [2, 1) is outside axis 0 of shape (2, 3)");
}
