#include <recto/ops/shapes/concat.hpp>

#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("concat: definition", "[ops][concat][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(1, 127, 128, 129);
    CAPTURE(device, n);
    Generator random(1);
    for (int axis = 0; axis < 3; ++axis) {
        const Shape shape{2, 3, n};
        std::vector<Tensor> parts;
        for (const Index extent : {Index(2), Index(0), Index(1)})
            parts.push_back(random.normal(shape.with(axis, extent), 0, 1, device));
        parts.push_back(transpose(random.normal(Shape{3, 2, n}, 0, 1, device), 0, 1));  // with gaps
        const Tensor y = concat(parts, axis - 3);
        REQUIRE(y.device() == device);
        Index begin = 0;
        for (const Tensor& part : parts) {
            CHECK(slice(y, axis, begin, begin + part.size(axis)).values() == part.values());
            begin += part.size(axis);
        }
        CHECK(y.shape() == shape.with(axis, begin));
    }
}

TEST_CASE("concat: stack adds an axis", "[ops][concat][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor a({2}, {1, 2}, device), b({2}, {3, 4}, device);
    CHECK(stack({a, b}).values() == std::vector<Real>{1, 2, 3, 4});
    CHECK(stack({a, b}, 1).values() == std::vector<Real>{1, 3, 2, 4});
    CHECK(stack({a, b}, -1).values() == std::vector<Real>{1, 3, 2, 4});
    CHECK(stack({a, b}, -2).values() == std::vector<Real>{1, 2, 3, 4});
    CHECK(stack({a, b, a}, -1).shape() == Shape{2, 3});
    CHECK(stack({a, b, a}, -2).shape() == Shape{3, 2});
    CHECK(stack({Tensor({}, {5}, device)}).shape() == Shape{1});
    CHECK(concat({a}).values() == a.values());
    CHECK(concat({empty({0}, device), empty({0}, device)}).shape() == Shape{0});
}

TEST_CASE("split: the opposite of concat", "[ops][concat][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const int axis = GENERATE(0, 1, -1);
    const Tensor x = Generator(1).normal({7, 7, 7}, 0, 1, device);
    const std::vector<Tensor> parts = split(x, {2, 0, 1, 4}, axis);
    CHECK(parts.size() == 4);
    CHECK(parts[1].size(axis) == 0);
    CHECK(same_bits(parts[3], slice(x, axis, 3, 7)));
    CHECK(same_bits(concat(parts, axis), x));
    CHECK(split(empty({0, 2}, device), {}).empty());
}

TEST_CASE("views and concat: agree with PyTorch", "[ops][concat][views][golden][devices]") {
    check_golden("views", [](const Golden& g) {
        const std::string& op = g.word("op");
        if (op == "concat") return concat({g["a"], g["b"]}, int(g.number("axis")));
        if (op == "stack") return stack({g["a"], g["b"]}, int(g.number("axis")));
        const Tensor& x = g["x"];
        if (op == "reshape") return reshape(x, {4, 1, 15});
        if (op == "flatten") return flatten(x);
        if (op == "permute") return permute(x, {2, 0, 1});
        if (op == "transpose") return transpose(x, 0, 2);
        if (op == "slice") return slice(x, 2, 1, 5, 2);
        if (op == "select") return select(x, 1, 2);
        if (op == "expand") return expand(reshape(x, {4, 1, 3, 5}), {4, 2, 3, 5});
        return split(x, {1, 3, 1}, 2)[1];
    });
}

GRADIENT_TEST("concat") {
    check_gradient([](const Inputs& x) { return concat(x, 1); },
                   [](Generator& random) {
                       const Shape shape = random_shape(random, 3, 3);
                       const Index n = random.next_integer(1, 4);
                       return Inputs{random.normal(shape), random.normal(shape.with(1, n)), random.normal(shape)};
                   });
    check_gradient([](const Inputs& x) { return stack(x, -1); },
                   [](Generator& random) {
                       const Shape shape = random_shape(random, 1, 2);
                       return Inputs{random.normal(shape), random.normal(shape)};
                   });
}

TEST_CASE("concat: messages", "[ops][concat]") {
    CHECK_THROWS_WITH(concat({}), "concat: wanted at least one tensor, got none");
    CHECK_THROWS_WITH(concat({ones({2, 3}), ones({2, 4})}),
                      "concat: wanted shapes that differ in axis 0 only, got (2, 3) and (2, 4)");
    CHECK_THROWS_WITH(concat({ones({2, 3}), ones({2})}),
                      "concat: wanted shapes that differ in axis 0 only, got (2, 3) and (2)");
    CHECK_THROWS_WITH(concat({ones({2}), ones({2}, Device::sim)}), "concat: wanted all on one device, got cpu and sim");
    CHECK_THROWS_WITH(stack({}), "stack: wanted at least one tensor, got none");
    CHECK_THROWS_WITH(stack({ones({2}), ones({3})}), "stack: wanted tensors of one shape, got (2) and (3)");
    CHECK_THROWS_WITH(stack({ones({2}), ones({2}, Device::sim)}), "stack: wanted all on one device, got cpu and sim");
    CHECK_THROWS_WITH(stack({ones({2})}, 2), "stack: there can be no axis 2 in 1 tensors of shape (2)");
    CHECK_THROWS_WITH(split(ones({2, 3}), {2, 2}, 1),
                      "split: wanted parts of axis 1 of shape (2, 3), got 2 where 1 are left");
    CHECK_THROWS_WITH(split(ones({2}), {-1}), "split: wanted parts of axis 0 of shape (2), got -1 where 2 are left");
    CHECK_THROWS_WITH(split(ones({2}), {1}), "split: wanted parts that make up axis 0 of shape (2), got 1 less");
}
