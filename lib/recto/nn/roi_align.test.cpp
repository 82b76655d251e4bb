#include <recto/nn/roi_align.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;
using data::Box, data::LabelledBox;

namespace {

/// The bilinear interpolation of an image at one place, whose coordinates are 0 at the centre of the first pixel.
double read_at(const std::vector<double>& image, Index height, Index width, double row, double column) {
    row = std::fmin(std::fmax(row, 0), double(height - 1)), column = std::fmin(std::fmax(column, 0), double(width - 1));
    double found = 0;
    for (Index r = 0; r < height; ++r)
        for (Index c = 0; c < width; ++c)
            found += std::fmax(0, 1 - std::abs(row - double(r))) * std::fmax(0, 1 - std::abs(column - double(c))) *
                     image[std::size_t(r * width + c)];
    return found;
}

/// The places where the interpolation between low and high has a kink, with both ends.
std::vector<double> pieces(double low, double high) {
    std::vector<double> cuts = {low};
    for (double whole = std::floor(low) + 1; whole < high; ++whole) cuts.push_back(whole);
    cuts.push_back(high);
    return cuts;
}

/// The mean over a rectangle. Between kinks the interpolation is a + b u + c v + d u v, whose mean is its middle value.
double mean_over(const std::vector<double>& image, Index height, Index width, const Box& part) {
    const std::vector<double> rows = pieces(part.y1, part.y2), columns = pieces(part.x1, part.x2);
    double total = 0;
    for (std::size_t r = 1; r < rows.size(); ++r)
        for (std::size_t c = 1; c < columns.size(); ++c)
            total += (rows[r] - rows[r - 1]) * (columns[c] - columns[c - 1]) *
                     read_at(image, height, width, (rows[r] + rows[r - 1]) / 2, (columns[c] + columns[c - 1]) / 2);
    return total / part.area();
}

}  // namespace

TEST_CASE("roi_align: the mean of the interpolation, piece by piece", "[nn][roi_align][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    for (const auto& [height, width] : {std::pair<Index, Index>{5, 6}, {1, 6}, {7, 1}, {1, 1}}) {
        const Tensor maps = random.normal({2, 3, height, width}, 0, 1, device);
        const std::vector<double> values = doubles(maps);
        std::vector<LabelledBox> regions;
        std::vector<double> want;
        const double stride = 4;
        for (Index n = 0; n < 6; ++n) {  // many reach beyond the map, and the last lies outside
            const double x = n == 5 ? -40 : 30 * random.next_uniform() - 5, y = 30 * random.next_uniform() - 5,
                         w = 1 + 20 * random.next_uniform(), h = 1 + 20 * random.next_uniform();
            regions.push_back({n % 2, 0, {x, y, x + w, y + h}});
            for (Index c = 0; c < 3; ++c) {
                const auto first = values.begin() + (n % 2 * 3 + c) * height * width;
                const std::vector<double> image(first, first + height * width);
                for (Index i = 0; i < 2 * 3; ++i) {
                    const double top = y + double(i / 3) * h / 2, left = x + double(i % 3) * w / 3;
                    want.push_back(mean_over(image, height, width,
                                             {left / stride - 0.5, top / stride - 0.5, (left + w / 3) / stride - 0.5,
                                              (top + h / 2) / stride - 0.5}));
                }
            }
        }
        const Tensor found = nn::roi_align(maps, regions, {2, 3}, stride);
        CHECK(found.shape() == Shape{6, 3, 2, 3});
        CHECK(close(found, want, 20 * usual));
    }
}

TEST_CASE("roi_align: the worked example, a constant, and no region", "[nn][roi_align]") {
    const Tensor row({1, 1, 1, 3}, {0, 4, 2});  // centres at 0.5, 1.5 and 2.5
    const std::vector<LabelledBox> middle = {{0, 0, {1, 0, 2, 1}}};
    CHECK(close(nn::roi_align(row, middle, 1), {3.25}));
    const std::vector<LabelledBox> anywhere = {{0, 0, {-3, 0.7, 5.5, 9}}};
    CHECK(close(nn::roi_align(full({1, 1, 4, 4}, 7), anywhere, 2), {7, 7, 7, 7}, 10 * usual));
    CHECK(nn::roi_align(row, {}, 2).shape() == Shape{0, 1, 2, 2});
}

TEST_CASE("roi_align: messages", "[nn][roi_align]") {
    const Tensor maps = ones({2, 1, 4, 4});
    const std::vector<LabelledBox> good = {{0, 0, {0, 0, 2, 2}}}, far = {{2, 0, {0, 0, 2, 2}}},
                                   flat = {{0, 0, {1, 0, 1, 2}}},
                                   endless = {{0, 0, {0, 0, std::numeric_limits<double>::infinity(), 2}}};
    CHECK_THROWS_WITH(
        nn::roi_align(ones({4, 4}), good, 2),
        "roi_align: wanted maps (images, channels, height, width) with at least one pixel, got shape (4, 4)");
    CHECK_THROWS_WITH(nn::roi_align(maps, good, {0, 2}),
                      "roi_align: wanted a grid of at least one cell and a positive stride, got 0 x 2 and 1");
    CHECK_THROWS_WITH(nn::roi_align(maps, good, 2, 0),
                      "roi_align: wanted a grid of at least one cell and a positive stride, got 2 x 2 and 0");
    CHECK_THROWS_WITH(nn::roi_align(maps, far, 2), "roi_align: wanted images from 0 to 1, got 2");
    CHECK_THROWS_WITH(nn::roi_align(maps, flat, 2),
                      "roi_align: wanted boxes with a width and a height, got (1, 0) to (1, 2)");
    CHECK_THROWS_WITH(nn::roi_align(maps, endless, 2),
                      "roi_align: wanted boxes with a width and a height, got (0, 0) to (inf, 2)");
}

GRADIENT_TEST("roi_align") {
    const std::vector<LabelledBox> regions = {
        {0, 0, {0.3, 0.2, 3.1, 2.9}}, {1, 0, {-1, 1.5, 2, 6}}, {0, 0, {1, 1, 3, 2}}};
    check_gradient(
        [&](const Inputs& x) {
            return nn::roi_align(x[0], regions, {2, 3}, 1.5);
        },
        [](Generator& random) {
            return Inputs{random.normal({2, 2, 3, 4})};
        });
}
