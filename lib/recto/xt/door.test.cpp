#include <recto/xt/door.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;

TEST_CASE("xtensor door: a view is no copy", "[xt]") {
    Tensor t = Generator(1).normal({3, 4, 5});
    const auto seen = door::view(t);
    CHECK(seen.data() == t.data());
    CHECK(seen.dimension() == 3);
    CHECK(seen(2, 1, 4) == t.at({2, 1, 4}));
    t.set({2, 1, 4}, 7);
    CHECK(seen(2, 1, 4) == 7);

    const auto before = storage_of(t)->version();
    auto open = door::writable(t);
    open(0, 0, 0) = 9;
    CHECK(t.at({0, 0, 0}) == 9);
    CHECK(storage_of(t)->version() > before);
}

TEST_CASE("xtensor door: expressions come back as tensors", "[xt]") {
    const Tensor a = Generator(1).normal({6, 4}), b = Generator(2).normal({4});
    const Tensor sum = door::from(door::view(a) * 2 + door::view(b));  // broadcast
    CHECK(sum.shape() == Shape{6, 4});
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j < 4; ++j) CHECK(sum.at({i, j}) == a.at({i, j}) * 2 + b.at({j}));

    const xt::xarray<double> means = xt::mean(xt::cast<double>(door::view(a)), {0});
    CHECK(door::from(means).shape() == Shape{4});
    const Tensor corner = door::from(xt::view(door::view(a), xt::range(1, 3), xt::all()));
    CHECK(corner.shape() == Shape{2, 4});
    CHECK(corner.at({1, 3}) == a.at({2, 3}));
    const Tensor turned = door::from(xt::transpose(door::view(a)));
    CHECK(turned.shape() == Shape{4, 6});
    CHECK(turned.at({3, 5}) == a.at({5, 3}));
}

TEST_CASE("xtensor door: edges and messages", "[xt]") {
    const Tensor number(Shape{}, {3});
    CHECK(door::from(door::view(number) * 2).item() == 6);
    CHECK(door::from(xt::xarray<double>(std::vector<std::size_t>{0, 3})).shape() == Shape{0, 3});
    const xt::xarray<double> nine_axes = xt::zeros<double>(std::vector<std::size_t>(9, 1));
    CHECK_THROWS_AS(door::from(nine_axes), Error);
    const Tensor far = zeros({2}, Device::sim);
    CHECK_THROWS_WITH(door::view(far), "host: the numbers are on sim; call .to(Device::cpu) first");
    const Tensor gaps = zeros({4, 4}).view({4, 2}, {4, 1}, 0);
    CHECK_THROWS_WITH(door::view(gaps), "host: the numbers of shape (4, 2) have gaps; call dense() first");
}
