#include <recto/ops/images/upsample.hpp>

#include <algorithm>
#include <cmath>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

/// The position of row r of the result among `in` rows, and its two neighbours.
struct Place {
    std::size_t low, high;
    double share;
};
Place place(Index r, Index in, Index out) {
    const double at = std::max(0.0, (double(r) + 0.5) * double(in) / double(out) - 0.5);
    const double low = std::min(std::floor(at), double(in - 1));
    return {std::size_t(low), std::size_t(std::min(low + 1, double(in - 1))), at - low};
}

}  // namespace

TEST_CASE("upsample: definition", "[ops][upsample][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1, 1}, Shape{2, 3, 4, 5}, Shape{2, 127, 3}, Shape{1, 1, 128}, Shape{129, 2});
    const Pair size = GENERATE(Pair(1, 1), Pair(8, 10), Pair(3, 127), Pair(130, 4));
    CAPTURE(device, shape, size.height, size.width);
    const Tensor x = Generator(1).normal(shape, 0, 1, device);
    const std::vector<double> from = doubles(x);
    const Index h = x.size(-2), w = x.size(-1);
    std::vector<double> nearest, bilinear;
    for (std::size_t plane = 0; plane < from.size(); plane += std::size_t(h * w))
        for (Index r = 0; r < size.height; ++r)
            for (Index c = 0; c < size.width; ++c) {
                const auto pixel = [&](std::size_t i, std::size_t j) { return from[plane + i * std::size_t(w) + j]; };
                nearest.push_back(pixel(std::size_t(r * h / size.height), std::size_t(c * w / size.width)));
                const Place i = place(r, h, size.height), j = place(c, w, size.width);
                bilinear.push_back((1 - i.share) *
                                       ((1 - j.share) * pixel(i.low, j.low) + j.share * pixel(i.low, j.high)) +
                                   i.share * ((1 - j.share) * pixel(i.high, j.low) + j.share * pixel(i.high, j.high)));
            }
    CHECK(resize_nearest(x, size).shape() == shape.with(-2, size.height).with(-1, size.width));
    CHECK(close(resize_nearest(x, size), nearest, 0));
    CHECK(close(resize_bilinear(x, size), bilinear));
    const Tensor turned = transpose(x);
    CHECK(same_bits(resize_bilinear(turned, size), resize_bilinear(clone(turned), size)));
    CHECK(same_bits(resize_nearest(turned, size), resize_nearest(clone(turned), size)));
}

TEST_CASE("upsample: the nearest pixel gets back what it gave, for all small sizes", "[ops][upsample][devices]") {
    const Device device = GENERATE(from_range(devices()));
    for (Index in = 1; in <= 7; ++in)
        for (Index out = 1; out <= 16; ++out) {
            CAPTURE(device, in, out);
            Values from, up;
            for (Index i = 0; i < in; ++i) from.push_back(Real(i));
            for (Index r = 0; r < out; ++r) up.push_back(Real(1 << r));
            std::vector<double> want(static_cast<std::size_t>(out)), back(static_cast<std::size_t>(in));
            for (Index r = 0; r < out; ++r) {
                const Index i = r * in / out;
                want[std::size_t(r)] = double(i), back[std::size_t(i)] += double(1 << r);
            }
            for (const bool down : {false, true}) {
                const Shape shape = down ? Shape{in, 1} : Shape{1, in}, size = down ? Shape{out, 1} : Shape{1, out};
                const Tensor x = Tensor(shape, from, device).requires_grad_();
                const Tensor y = resize_nearest(x, {size[0], size[1]});
                CHECK(close(y, want, 0));
                sum(y * Tensor(size, up, device)).backward();
                CHECK(close(x.grad(), back, 0));
            }
        }
}

TEST_CASE("upsample: by whole factors", "[ops][upsample][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({2, 2}, {1, 2, 3, 4}, device);
    CHECK(upsample_nearest(x, {1, 2}).values() == Values{1, 1, 2, 2, 3, 3, 4, 4});
    CHECK(upsample_bilinear(x, {1, 2}).values() == Values{1, Real(1.25), Real(1.75), 2, 3, Real(3.25), Real(3.75), 4});
    CHECK(same_bits(upsample_nearest(x, 3), resize_nearest(x, 6)));
    CHECK(same_bits(upsample_bilinear(x, 1), x));
}

TEST_CASE("upsample: edges", "[ops][upsample][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CHECK(upsample_nearest(empty({0, 2, 2}, device), 2).shape() == Shape{0, 4, 4});
    CHECK(resize_bilinear(empty({2, 0, 2, 2}, device), {1, 3}).shape() == Shape{2, 0, 1, 3});
    CHECK(resize_bilinear(full({1, 1}, 5, device), {2, 3}).values() == Values(6, 5));
    const Tensor y = upsample_nearest(Tensor({1, 2}, {not_a_number, 1}, device), {1, 2});
    CHECK(is_nan(y.values()[1]));
    CHECK(y.values()[2] == 1);
}

TEST_CASE("upsample: agrees with PyTorch", "[ops][upsample][golden][devices]") {
    check_golden("upsample", [](const Golden& g) {
        const std::string& text = g.word("size");
        const Pair size(std::stoll(text), std::stoll(text.substr(text.find(',') + 1)));
        return g.word("mode") == "nearest" ? resize_nearest(g["x"], size) : resize_bilinear(g["x"], size);
    });
}

GRADIENT_TEST("resize_nearest") {
    check_gradient(
        [](const Inputs& x) {
            return resize_nearest(x[0], {5, 3});
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random, 2, 3))}; });
}
GRADIENT_TEST("resize_bilinear") {
    check_gradient(
        [](const Inputs& x) {
            return resize_bilinear(x[0], {5, 3});
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random, 2, 3))}; });
    check_gradient(
        [](const Inputs& x) {
            return upsample_bilinear(x[0], {2, 3});
        },
        [](Generator& random) {
            return Inputs{random.normal({2, random.next_integer(1, 4), random.next_integer(1, 5)})};
        },
        16);
}

TEST_CASE("upsample: messages", "[ops][upsample]") {
    CHECK_THROWS_WITH(resize_nearest(empty({3}), 2), "resize_nearest: wanted at least 2 axes, got shape (3)");
    CHECK_THROWS_WITH(resize_bilinear(empty({3, 3}), {0, 2}),
                      "resize_bilinear: wanted a size of at least 1 x 1, got (0, 2)");
    CHECK_THROWS_WITH(resize_nearest(empty({0, 3}), 2),
                      "resize_nearest: wanted images with at least one pixel, got shape (0, 3)");
    CHECK_THROWS_WITH(upsample_bilinear(empty({3, 3}), {2, 0}),
                      "upsample_bilinear: wanted factors of at least 1, got (2, 0)");
    CHECK_THROWS_WITH(upsample_nearest(empty({3}), 2), "upsample_nearest: wanted at least 2 axes, got shape (3)");
}
