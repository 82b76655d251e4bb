#include <recto/ops/shapes/pad.hpp>

#include <algorithm>

#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

/// The definition for three axes: each element of y finds its source.
Values padded(const Tensor& x, const std::vector<Border>& b, Real value) {
    const Values from = x.values();
    const Index n0 = x.size(0), n1 = x.size(1), n2 = x.size(2);
    Values y;
    for (Index i = -b[0].before; i < n0 + b[0].after; ++i)
        for (Index j = -b[1].before; j < n1 + b[1].after; ++j)
            for (Index k = -b[2].before; k < n2 + b[2].after; ++k) {
                const bool inside = i >= 0 && i < n0 && j >= 0 && j < n1 && k >= 0 && k < n2;
                y.push_back(inside ? from[std::size_t((i * n1 + j) * n2 + k)] : value);
            }
    return y;
}

/// The options `borders=b,a,b,a` of a golden setting.
std::vector<Border> borders_of(const std::string& text) {
    std::vector<Index> all;
    for (std::size_t at = 0; at <= text.size(); at = std::min(text.find(',', at), text.size()) + 1)
        all.push_back(std::stoll(text.substr(at)));
    std::vector<Border> found;
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) found.push_back({all[i], all[i + 1]});
    return found;
}

}  // namespace

TEST_CASE("pad: definition", "[ops][pad][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1, 1, 1}, Shape{2, 3, 4}, Shape{3, 127, 2}, Shape{2, 1, 128}, Shape{129, 2, 1});
    CAPTURE(device, shape);
    const Tensor x = Generator(1).normal(shape, 0, 1, device);
    for (const std::vector<Border>& b :
         {std::vector<Border>{{0, 0}, {1, 2}, {3, 0}}, {{2, 1}, {0, 0}, {0, 1}}, {{0, 0}, {0, 0}, {0, 0}}}) {
        const Tensor y = pad(x, std::span(b), Real(0.5));
        CHECK(y.values() == padded(x, b, Real(0.5)));
        CHECK(pad(transpose(x, 0, 2), std::span(b)).values() == pad(clone(transpose(x, 0, 2)), std::span(b)).values());
        CHECK(y.is_contiguous());
    }
}

TEST_CASE("flip: definition", "[ops][pad][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6}, device);
    CHECK(flip(x, {1}).values() == Values{3, 2, 1, 6, 5, 4});
    CHECK(flip(x, {-2}).values() == Values{4, 5, 6, 1, 2, 3});
    CHECK(flip(x, {0, 1}).values() == Values{6, 5, 4, 3, 2, 1});
    CHECK(flip(x, {}).values() == x.values());
    CHECK(flip(flip(x, {1}), {1}).is_contiguous());
    CHECK(flip(transpose(x), {0}).values() == Values{3, 6, 2, 5, 1, 4});
    CHECK(slice(flip(x, {1}), 1, 1, 3).values() == Values{2, 1, 5, 4});
    CHECK(reshape(flip(x, {0, 1}), {6}).values() == Values{6, 5, 4, 3, 2, 1});
    Values rows(129), back;
    for (std::size_t i = 0; i < 129; ++i) rows[i] = Real(i), back.insert(back.begin(), Real(i));
    CHECK(flip(Tensor({129}, rows, device), {0}).values() == back);
}

TEST_CASE("pad: edges", "[ops][pad][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CHECK(pad(Tensor({}, {3}, device), {}).item() == 3);
    CHECK(pad(empty({0}, device), {{1, 2}}, 7).values() == Values{7, 7, 7});
    CHECK(pad(empty({2, 0}, device), {{1, 0}, {0, 0}}).shape() == Shape{3, 0});
    CHECK(pad(ones({2, 1}, device), {{1, 0}}, not_a_number).values()[1] == 1);
    CHECK(pad(full({1}, not_a_number, device), {{1, 0}}).values()[0] == 0);
    CHECK(flip(empty({0, 3}, device), {0, 1}).shape() == Shape{0, 3});
    CHECK(flip(Tensor({}, {3}, device), {}).item() == 3);
}

TEST_CASE("pad: agrees with PyTorch", "[ops][pad][golden][devices]") {
    check_golden("pad", [](const Golden& g) {
        if (g.word("op") == "flip") {
            const std::string& axes = g.word("axes");
            return axes == "0" ? flip(g["x"], {0}) : axes == "1,2" ? flip(g["x"], {1, 2}) : flip(g["x"], {-1});
        }
        const std::vector<Border> borders = borders_of(g.word("borders"));
        return pad(g["x"], std::span(borders), Real(g.real("value")));
    });
}

GRADIENT_TEST("pad") {
    check_gradient(
        [](const Inputs& x) {
            return pad(x[0], {{1, 2}, {0, 3}}, 2);
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random, 2, 3))}; });
}
GRADIENT_TEST("flip") {
    check_gradient(
        [](const Inputs& x) {
            return flip(x[0], {-1, 0});
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random, 2, 3))}; });
}

TEST_CASE("pad: messages", "[ops][pad]") {
    CHECK_THROWS_WITH(pad(ones({2}), {{1, 1}, {1, 1}}),
                      "pad: wanted at most one border for each axis of shape (2), got 2");
    CHECK_THROWS_WITH(pad(ones({2, 3}), {{0, -1}}),
                      "pad: wanted borders of at least 0, got 0 before and -1 after axis 1");
    const Index huge = Index(1) << 62;
    CHECK_THROWS_WITH(
        pad(ones({2}), {{huge, huge}}),
        "pad: borders of 4611686018427387904 and 4611686018427387904 around axis 0 of shape (2) are too wide");
    CHECK_THROWS_AS(pad(ones({8, 2}), {{huge, 0}}), Error);
    CHECK_THROWS_WITH(flip(ones({2, 3}), {1, -1}), "flip: axis -1 is named twice");
    CHECK_THROWS_WITH(flip(ones({2}), {1}), "flip: wanted an axis from -1 to 0 of shape (2), got 1");
}
