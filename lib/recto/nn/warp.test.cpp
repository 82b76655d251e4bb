#include <recto/nn/warp.hpp>

#include <cmath>
#include <limits>

#include <recto/data/buildings.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// One number of the result, in double, from the definition.
double read_at(const std::vector<double>& image, Index height, Index width, double row, double column) {
    row = std::fmin(std::fmax(row, 0), double(height - 1)), column = std::fmin(std::fmax(column, 0), double(width - 1));
    double found = 0;
    for (Index r = 0; r < height; ++r)
        for (Index c = 0; c < width; ++c)
            found += std::fmax(0, 1 - std::abs(row - double(r))) * std::fmax(0, 1 - std::abs(column - double(c))) *
                     image[std::size_t(r * width + c)];
    return found;
}

}  // namespace

TEST_CASE("warp: weights of nearness, and the border beyond the border", "[nn][warp][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    for (const auto& [height, width] : {std::pair<Index, Index>{4, 5}, {1, 6}, {7, 1}, {1, 1}, {2, 2}}) {
        const Tensor x = random.normal({2, 3, height, width}, 0, 1, device),
                     flow = random.normal({2, 2, height, width}, 0, 3, device);
        const std::vector<double> image = doubles(x), arrow = doubles(flow);
        std::vector<double> want;
        const Index size = height * width;
        for (Index n = 0; n < 2; ++n)
            for (Index c = 0; c < 3; ++c) {
                const auto first = image.begin() + (n * 3 + c) * size;
                for (Index i = 0; i < size; ++i)
                    want.push_back(read_at({first, first + size}, height, width,
                                           double(i / width) + arrow[std::size_t((2 * n + 1) * size + i)],
                                           double(i % width) + arrow[std::size_t(2 * n * size + i)]));
            }
        CHECK(close(nn::warp(x, flow), want, 10 * usual));
    }
}

TEST_CASE("warp: no arrows change nothing, whole arrows move pixels", "[nn][warp]") {
    Generator random(2);
    const Tensor x = random.normal({2, 3, 5, 6});
    CHECK(close(nn::warp(x, zeros({2, 2, 5, 6})), doubles(x), usual));  // the last pixels are interpolated, too
    const Tensor image({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(close(nn::warp(image, Tensor({1, 2, 2, 3}, {1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0})), {2, 3, 3, 5, 6, 6}));
    CHECK(close(nn::warp(image, Tensor({1, 2, 2, 3}, {0, 0, 0, 0, 0, 0, 1, 1, 1, -1, -1, -1})), {4, 5, 6, 1, 2, 3}));
}

TEST_CASE("warp: the derivative at whole positions and at the border", "[nn][warp]") {
    Tensor image({1, 1, 1, 4}, {1, 2, 4, 8}), flow = zeros({1, 2, 1, 4});
    flow.requires_grad_();
    sum(nn::warp(image, flow)).backward();
    CHECK(close(flow.grad(), {1, 2, 4, 4, 0, 0, 0, 0}));  // to the right, and in the last column from the left
    Tensor far({1, 2, 1, 4}, {-1, 0.5, 2, 1, 0, 0, 0, 0});
    far.requires_grad_();
    sum(nn::warp(image, far)).backward();
    CHECK(close(far.grad(), {0, 2, 0, 0, 0, 0, 0, 0}));
}

TEST_CASE("warp: an arrow that is not a number gives none, and is read nowhere", "[nn][warp]") {
    const Real nan = std::numeric_limits<Real>::quiet_NaN(), infinity = std::numeric_limits<Real>::infinity();
    const Tensor image({1, 1, 1, 3}, {1, 2, 4});
    CHECK(close(nn::warp(image, Tensor({1, 2, 1, 3}, {nan, infinity, -infinity, 0, 0, 0})),
                {std::numeric_limits<double>::quiet_NaN(), 4, 1}));
}

TEST_CASE("warp: the flow of buildings takes the deformed map back to the image", "[data][buildings][nn][warp]") {
    Generator random(3);
    const data::Buildings made = data::buildings(40, random);
    const std::vector<double> back = doubles(nn::warp(made.masks, made.flows)),
                              away = doubles(nn::warp(made.masks, -made.flows)), aligned = doubles(made.aligned),
                              masks = doubles(made.masks), flow = doubles(made.flows);
    double before = 0, after = 0, opposite = 0;
    for (std::size_t i = 0; i < back.size(); ++i) {
        const double x = double(i % 32) + flow[i / 1024 * 2048 + i % 1024],
                     y = double(i % 1024 / 32) + flow[i / 1024 * 2048 + 1024 + i % 1024];
        if (x < 0 || x > 31 || y < 0 || y > 31) continue;  // outside the map
        before += std::abs(masks[i] - aligned[i]), after += std::abs(back[i] - aligned[i]);
        opposite += std::abs(away[i] - aligned[i]);
    }
    CHECK(after < 0.2 * before);  // what is left is the interpolation of edges that are one pixel wide
    CHECK(opposite > 1.2 * before);
}

TEST_CASE("resize_flow: arrows grow with the image", "[nn][warp]") {
    Generator random(3);
    const Tensor same = nn::resize_flow(full({1, 2, 3, 4}, 1), {6, 12});
    const std::vector<double> all = doubles(same);
    for (std::size_t i = 0; i < 72; ++i) CHECK((all[i] == 3 && all[72 + i] == 2));
    const Tensor flow = random.normal({2, 2, 3, 4});
    CHECK(same_bits(nn::resize_flow(flow, {3, 4}), flow));
    CHECK(close(nn::resize_flow(flow, {6, 8}), doubles(resize_bilinear(full({2, 2, 3, 4}, 2) * flow, {6, 8}))));
}

TEST_CASE("end_point_errors: lengths", "[nn][warp]") {
    const Tensor flow({1, 2, 1, 2}, {3, 1, 4, 1}), truth({1, 2, 1, 2}, {0, 1, 0, 3});
    const Tensor found = nn::end_point_errors(flow, truth);
    CHECK(found.shape() == Shape{1, 1, 2});
    CHECK(close(found, {5, 2}));
}

TEST_CASE("warp: messages", "[nn][warp]") {
    CHECK_THROWS_WITH(nn::warp(ones({1, 1, 2, 2}), ones({1, 3, 2, 2})),
                      "warp: wanted a flow (batch, 2, height, width), got shape (1, 3, 2, 2)");
    CHECK_THROWS_WITH(nn::warp(ones({1, 1, 2, 2}), ones({1, 2, 2, 3})),
                      "warp: wanted images (batch, channels, height, width) of the size of the flow, got shapes "
                      "(1, 1, 2, 2) and (1, 2, 2, 3)");
    CHECK_THROWS_WITH(nn::warp(ones({1, 1, 0, 2}), ones({1, 2, 0, 2})),
                      "warp: wanted at least one pixel, got shape (1, 1, 0, 2)");
    CHECK_THROWS_WITH(nn::resize_flow(ones({2, 2, 2}), 4),
                      "resize_flow: wanted a flow (batch, 2, height, width), got shape (2, 2, 2)");
    CHECK_THROWS_WITH(nn::end_point_errors(ones({1, 2, 2, 2}), ones({1, 2, 2, 3})),
                      "end_point_errors: wanted two flows of one shape, got (1, 2, 2, 2) and (1, 2, 2, 3)");
}

GRADIENT_TEST("warp", "[row:sys-multiscale-registration/a]") {
    check_gradient([](const Inputs& x) { return nn::warp(x[0], x[1]); },
                   [](Generator& random) {
                       // Half of the arrows end outside the image; none ends within 0.1 of a whole position.
                       const Tensor image = random.normal({2, 2, 3, 4});
                       Tensor flow = random.uniform({2, 2, 3, 4}, Real(0.1), Real(0.9));
                       const std::vector<Index> whole = random.integers({48}, -3, 3).values();
                       for (std::size_t i = 0; i < 48; ++i) flow.write()[i] += Real(whole[i]);
                       return Inputs{image, flow};
                   });
}

GRADIENT_TEST("resize_flow") {
    check_gradient(
        [](const Inputs& x) {
            return nn::resize_flow(x[0], {5, 6});
        },
        [](Generator& random) {
            return Inputs{random.normal({1, 2, 3, 4})};
        },
        8);
}
