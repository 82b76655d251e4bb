#include <recto/core/tensor.hpp>

#include <cmath>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

using Values = std::vector<Real>;

TEST_CASE("tensor: makers", "[core][tensor][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(Tensor({2, 2}, {1, 2, 3, 4}, device).values() == Values{1, 2, 3, 4});
    CHECK(full({3}, Real(2.5), device).values() == Values{2.5, 2.5, 2.5});
    CHECK(zeros({2}, device).values() == Values{0, 0});
    CHECK(ones({2, 1}, device).shape() == Shape{2, 1});
    CHECK(empty({0, 3}, device).values().empty());
    CHECK(empty_like(ones({2, 3}, device)).device() == device);
    CHECK(Tensor({}, {7}, device).item() == 7);
    CHECK(std::isnan(empty({3}).values()[2]));  // tests fill new memory with NaN
    CHECK_FALSE(Tensor().defined());
}

TEST_CASE("tensor: there and back the bits are the same", "[core][tensor][devices][row:sys-tensor/b]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(1).normal({7, 129});
    CHECK(x.to(device).device() == device);
    CHECK(same_bits(x.to(device).to(Device::cpu), x));
    CHECK(x.to(Device::cpu).data() == x.data());
}

TEST_CASE("tensor: a tensor copied to the GPU and back is the same", "[core][tensor][cuda][row:sys-tensor/b]") {
    if (!missing(Device::cuda).empty()) SKIP(missing(Device::cuda));
    const Tensor x = Generator(1).normal({70, 1290});
    CHECK(same_bits(x.to(Device::cuda).to(Device::cpu), x));
}

TEST_CASE("tensor: handles share, copies do not", "[core][tensor][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor x({2}, {1, 2}, device);
    const Tensor same = x, copy = clone(x);
    x.set({1}, 9);
    CHECK(same.values() == Values{1, 9});
    CHECK(copy.values() == Values{1, 2});
    CHECK(dense(x).data() == x.data());
    x.copy_(copy);
    CHECK(same.values() == Values{1, 2});
    x.copy_(ones({2}));  // also from another device
    CHECK(same.values() == Values{1, 1});
}

TEST_CASE("tensor: views through strides", "[core][tensor][devices][row:sys-tensor/c]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6}, device);
    const Tensor turned = x.view({3, 2}, {1, 3}, 0);
    CHECK(turned.values() == Values{1, 4, 2, 5, 3, 6});
    CHECK_FALSE(turned.is_contiguous());
    CHECK(dense(turned).is_contiguous());
    CHECK(x.view({2}, {3}, 1).values() == Values{2, 5});
    CHECK(x.view({2, 2}, {0, 1}, 4).values() == Values{5, 6, 5, 6});
    CHECK(x.view({1, 3}, {99, 1}, 0).is_contiguous());  // the stride of a single element does not matter
    CHECK(turned.view({2}, {3}, 2).at({1}) == 6);
    Tensor(turned).copy_(Tensor({3, 2}, {10, 40, 20, 50, 30, 60}, device));
    CHECK(x.values() == Values{10, 20, 30, 40, 50, 60});
    CHECK(x.view({0, 2}, {1, 1}, 1000).numel() == 0);
}

TEST_CASE("tensor: a large view with gaps is copied element by element", "[core][tensor][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(1).normal({130, 300, 3}, 0, 1, device);
    const Values from = x.values(), to = clone(x.view({3, 300, 130}, {1, 3, 900}, 0)).values();
    bool same = true;
    for (Index c = 0; c < 3; ++c)
        for (Index i = 0; i < 300; ++i)
            for (Index j = 0; j < 130; ++j)
                same = same && to[std::size_t((c * 300 + i) * 130 + j)] == from[std::size_t((j * 300 + i) * 3 + c)];
    CHECK(same);
}

TEST_CASE("tensor: a view ends where the numbers asked for end", "[core][tensor][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool before = guard_new_memory(false);  // with guards, sizes are not rounded up
    const Tensor x({3}, {1, 2, 3}, device);
    guard_new_memory(before);
    CHECK_THROWS_WITH(x.view({16}, {1}, 0), "view: shape (16) reaches outside the storage of shape (3)");
    CHECK_THROWS_WITH(x.view({4}, {1}, 0), "view: shape (4) reaches outside the storage of shape (3)");
    CHECK(x.view({3}, {1}, 0).values() == Values{1, 2, 3});
}

TEST_CASE("tensor: assignment between overlapping views gives what a copy would give", "[core][tensor][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor x({4}, {1, 2, 3, 4}, device);
    x.view({4}, {-1}, 3).copy_(x);
    CHECK(x.values() == Values{4, 3, 2, 1});
    Tensor m({2, 2}, {1, 2, 3, 4}, device);
    m.view({2, 2}, {1, 2}, 0).copy_(m);
    CHECK(m.values() == Values{1, 3, 2, 4});
    m.copy_(m.view({2, 2}, {1, 2}, 0));
    CHECK(m.values() == Values{1, 2, 3, 4});
    x.view({3}, {1}, 1).copy_(x.view({3}, {1}, 0));
    CHECK(x.values() == Values{4, 4, 3, 2});
    x.copy_(x);
    CHECK(x.values() == Values{4, 4, 3, 2});
}

TEST_CASE("tensor: a view that shows one number in several places is not assigned to", "[core][tensor][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({3}, {1, 2, 3}, device);
    CHECK_THROWS_WITH(
        x.view({2, 3}, {0, 1}, 0).copy_(ones({2, 3}, device)),
        "copy_: wanted a place of its own for each number, got a view of shape (2, 3) that shows some in several");
    CHECK_THROWS_WITH(
        x.view({2, 2}, {1, 1}, 0).copy_(ones({2, 2}, device)),
        "copy_: wanted a place of its own for each number, got a view of shape (2, 2) that shows some in several");
    x.view({1, 3}, {0, 1}, 0).copy_(zeros({1, 3}, device));  // a broadcast axis of extent 1 repeats nothing
    x.view({2, 0}, {0, 1}, 0).copy_(zeros({2, 0}, device));
    CHECK(x.values() == Values{0, 0, 0});
}

TEST_CASE("tensor: messages", "[core][tensor]") {
    const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6}), far = x.to(Device::sim);
    CHECK_THROWS_WITH(Tensor({2}, {1, 2, 3}), "Tensor: shape (2) wants 2 values, got 3");
    CHECK_THROWS_WITH(Tensor().values(), "device: wanted a tensor, got an undefined one");
    CHECK_THROWS_WITH(Tensor().data(), "data: wanted a tensor, got an undefined one");
    CHECK_THROWS_WITH(Tensor().write(), "write: wanted a tensor, got an undefined one");
    CHECK_THROWS_WITH(x.item(), "item: wanted exactly one number, got shape (2, 3)");
    CHECK_THROWS_WITH(x.at({0, 3}), "at: index 3 is outside axis 1 of shape (2, 3)");
    CHECK_THROWS_WITH(x.at({0, -1}), "at: index -1 is outside axis 1 of shape (2, 3)");
    CHECK_THROWS_WITH(Tensor(x).set({1}, 0), "set: shape (2, 3) wants 2 indices, got 1");
    CHECK_THROWS_WITH(Tensor(x).copy_(ones({3, 2})), "copy_: wanted shape (2, 3), got (3, 2)");
    CHECK_THROWS_WITH(far.host(), "host: the numbers are on sim; call .to(Device::cpu) first");
    CHECK_THROWS_WITH(x.view({3, 2}, {1, 3}, 0).host(),
                      "host: the numbers of shape (3, 2) have gaps; call dense() first");
    CHECK_THROWS_WITH(x.view({1000}, {1}, 0), "view: shape (1000) reaches outside the storage of shape (2, 3)");
    CHECK_THROWS_WITH(x.view({2}, {-1}, 0), "view: shape (2) reaches outside the storage of shape (2, 3)");
    CHECK_THROWS_WITH(x.view({2}, {Index(1) << 61}, 0), "view: shape (2) reaches outside the storage of shape (2, 3)");
    CHECK_THROWS_WITH(empty({Index(1) << 47}), fmt::format("Storage: no machine has {} bytes", sizeof(Real) << 47));
    CHECK_THROWS_WITH(empty({Index(1) << 61}),
                      fmt::format("Tensor: 2305843009213693952 times {} elements do not fit in memory", sizeof(Real)));
    if (!missing(Device::cuda).empty())
        CHECK_THROWS_WITH(empty({1}, Device::cuda), fmt::format("device cuda: {}", missing(Device::cuda)));
}
