#include <recto/data/degrade.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace RECTO::data {
namespace {

constexpr Index side = 8;  // of a block of compressed()

/// The numbers of images, in row-major order.
std::vector<Real> pixels_of(const Tensor& x, const char* who, int least_rank) {
    check(x.defined() && x.dim() >= least_rank, "{}: wanted at least {} axes, got {}", who, least_rank,
          x.defined() ? x.dim() : 0);
    check(x.device() == Device::cpu, "{}: wanted images on cpu, got them on {}", who, x.device());
    return x.values();
}

/// A copy of an image's shape with other last two extents.
Shape resized(const Shape& shape, Index height, Index width) {
    std::vector<Index> extents;
    for (int axis = 0; axis < shape.dim(); ++axis) extents.push_back(shape[axis]);
    extents[extents.size() - 2] = height, extents[extents.size() - 1] = width;
    return Shape{std::span<const Index>(extents)};
}

using Block = std::array<std::array<double, side>, side>;

/// The orthonormal discrete cosine transform of 8 numbers, a row for each wave.
Block cosines() {
    Block c{};
    for (Index k = 0; k < side; ++k)
        for (Index i = 0; i < side; ++i)
            c[std::size_t(k)][std::size_t(i)] = std::sqrt((k == 0 ? 1.0 : 2.0) / double(side)) *
                                                std::cos(std::numbers::pi * double(k * (2 * i + 1)) / (2.0 * side));
    return c;
}

/// The product of a and b, each transposed on request.
Block product(const Block& a, const Block& b, bool transposed_a, bool transposed_b) {
    Block y{};
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j)
            for (std::size_t k = 0; k < side; ++k)
                y[i][j] += (transposed_a ? a[k][i] : a[i][k]) * (transposed_b ? b[j][k] : b[k][j]);
    return y;
}

/// Table K.1 of the JPEG standard, ITU-T T.81.
constexpr std::array<std::array<int, side>, side> brightness = {{{16, 11, 10, 16, 24, 40, 51, 61},
                                                                 {12, 12, 14, 19, 26, 58, 60, 55},
                                                                 {14, 13, 16, 24, 40, 57, 69, 56},
                                                                 {14, 17, 22, 29, 51, 87, 80, 62},
                                                                 {18, 22, 37, 56, 68, 109, 103, 77},
                                                                 {24, 35, 55, 64, 81, 104, 113, 92},
                                                                 {49, 64, 78, 87, 103, 121, 120, 101},
                                                                 {72, 92, 95, 98, 112, 100, 103, 99}}};

Block steps_of(Index quality) {
    const Index scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
    Block steps{};
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j)
            steps[i][j] = double(std::clamp((brightness[i][j] * scale + 50) / 100, Index(1), Index(255))) / 255;
    return steps;
}

/// A number with the Poisson distribution: how many factors, uniform from 0 to 1, a product takes to fall below
/// exp(-mean). Large means are drawn in parts, whose exp does not vanish.
double poisson(double mean, Generator& random) {
    double count = 0;
    while (mean > 0) {
        const double part = std::min(mean, 16.0), least = std::exp(-part);
        for (double p = random.next_uniform(); p > least; p *= random.next_uniform()) count += 1;
        mean -= part;
    }
    return count;
}

}  // namespace

Tensor grayscale(const Tensor& x) {
    const std::vector<Real> from = pixels_of(x, "grayscale", 4);
    check(x.dim() == 4 && x.size(1) == 3, "grayscale: wanted (n, 3, height, width), got {}", x.shape());
    const std::size_t plane = std::size_t(x.size(2) * x.size(3));
    std::vector<Real> made;
    for (std::size_t image = 0; image < std::size_t(x.size(0)); ++image)
        for (std::size_t i = 0; i < plane; ++i) {
            double sum = 0;
            for (std::size_t c = 0; c < 3; ++c) sum += gray_weights[c] * double(from[(3 * image + c) * plane + i]);
            made.push_back(Real(sum));
        }
    return Tensor({x.size(0), 1, x.size(2), x.size(3)}, made);
}

Tensor downsized(const Tensor& x, Index factor) {
    const std::vector<Real> from = pixels_of(x, "downsized", 2);
    const Index height = x.size(-2), width = x.size(-1);
    check(factor >= 1 && height % factor == 0 && width % factor == 0,
          "downsized: wanted a factor of at least 1 that divides height and width, got {} for {}", factor, x.shape());
    const Index down = height / factor, across = width / factor;
    const Shape shape = resized(x.shape(), down, across);
    std::vector<Real> made(std::size_t(shape.numel()));
    for (Index i = 0; i < shape.numel(); ++i) {
        const Index column = i % across, row = i / across % down, image = i / across / down;
        double sum = 0;
        for (Index r = 0; r < factor; ++r)
            for (Index c = 0; c < factor; ++c)
                sum += double(from[std::size_t((image * height + row * factor + r) * width + column * factor + c)]);
        made[std::size_t(i)] = Real(sum / double(factor * factor));
    }
    return Tensor(shape, made);
}

Tensor blurred(const Tensor& x, double deviation) {
    check(deviation >= 0 && std::isfinite(deviation), "blurred: wanted a finite deviation of at least 0, got {}",
          deviation);
    std::vector<Real> numbers = pixels_of(x, "blurred", 2);
    if (deviation == 0 || numbers.empty()) return Tensor(x.shape(), numbers);
    const Index height = x.size(-2), width = x.size(-1), reach = Index(std::min(3 * deviation, 1e6));
    std::vector<double> weights;
    for (Index d = 0; d <= reach; ++d) weights.push_back(std::exp(-double(d * d) / (2 * deviation * deviation)));
    const auto pass = [&](Index stride, Index count) {  // along one axis
        const std::vector<Real> before = numbers;
        for (Index i = 0; i < Index(numbers.size()); ++i) {
            const Index at = i / stride % count;
            double sum = 0, total = 0;
            for (Index j = std::max(Index(0), at - reach); j <= std::min(count - 1, at + reach); ++j) {
                const double w = weights[std::size_t(j < at ? at - j : j - at)];
                sum += w * double(before[std::size_t(i + (j - at) * stride)]), total += w;
            }
            numbers[std::size_t(i)] = Real(sum / total);
        }
    };
    pass(1, width), pass(width, height);
    return Tensor(x.shape(), numbers);
}

Tensor compressed(const Tensor& x, Index quality) {
    check(quality >= 1 && quality <= 100, "compressed: wanted a quality from 1 to 100, got {}", quality);
    const std::vector<Real> from = pixels_of(x, "compressed", 2);
    const Index height = x.size(-2), width = x.size(-1);
    check(height > 0 && width > 0, "compressed: wanted at least one pixel, got shape {}", x.shape());
    std::vector<Real> made(from.size());
    const Block steps = steps_of(quality), c = cosines();
    for (Index image = 0; image < x.numel() / (height * width); ++image)
        for (Index top = 0; top < height; top += side)
            for (Index left = 0; left < width; left += side) {
                const auto at = [&](Index r, Index k) {
                    return std::size_t((image * height + std::min(top + r, height - 1)) * width +
                                       std::min(left + k, width - 1));
                };
                Block block{};
                for (Index r = 0; r < side; ++r)
                    for (Index k = 0; k < side; ++k)
                        block[std::size_t(r)][std::size_t(k)] = double(from[at(r, k)]) - 128.0 / 255;
                Block waves = product(product(c, block, false, false), c, false, true);
                for (std::size_t r = 0; r < side; ++r)
                    for (std::size_t k = 0; k < side; ++k)
                        waves[r][k] = std::round(waves[r][k] / steps[r][k]) * steps[r][k];
                block = product(product(c, waves, true, false), c, false, false);
                for (Index r = 0; r < std::min(side, height - top); ++r)
                    for (Index k = 0; k < std::min(side, width - left); ++k)
                        made[at(r, k)] =
                            Real(std::clamp(block[std::size_t(r)][std::size_t(k)] + 128.0 / 255, 0.0, 1.0));
            }
    return Tensor(x.shape(), made);
}

Tensor low_light(const Tensor& x, double photons, Generator& random) {
    check(photons > 0 && std::isfinite(photons), "low_light: wanted a finite number of photons above 0, got {}",
          photons);
    std::vector<Real> numbers = pixels_of(x, "low_light", 0);
    for (Real& v : numbers) {
        check(v >= 0 && std::isfinite(v), "low_light: wanted finite numbers of at least 0, got {}", v);
        v = Real(poisson(double(v) * photons, random) / photons);
    }
    return Tensor(x.shape(), numbers);
}

}  // namespace RECTO::data
