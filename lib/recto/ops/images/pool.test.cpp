#include <recto/ops/images/pool.hpp>

#include <algorithm>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

struct Setting {
    Shape shape;
    Pair kernel, stride, padding, dilation = 1;
};

const Setting settings[] = {
    {{2, 3, 6, 6}, 2, 2, 0},
    {{2, 3, 24, 24}, 3, 3, 0},
    {{1, 2, 7, 9}, 3, 2, 1},
    {{2, 1, 5, 8}, {2, 3}, {1, 3}, 0},
    {{1, 1, 4, 3}, {4, 3}, 1, 0},
    {{3, 9, 8}, {3, 2}, {4, 5}, 1},
    {{127, 3}, {2, 1}, 1, 0},
    {{1, 1, 1, 128}, {1, 5}, 1, {0, 2}},
    {{2, 129, 2}, {4, 2}, {3, 1}, {2, 1}},
    {{2, 2, 10, 10}, 5, 1, 2},
    {{1, 1, 1, 1}, 1, 7, 0},
    {{2, 2, 9, 11}, 3, 1, 1, 2},
    {{1, 2, 12, 40}, {2, 3}, {2, 1}, {1, 0}, {3, 4}},
};

/// Random options that fit the image.
Setting drawn(Generator& random, bool series) {
    for (;;) {
        const auto pair = [&](Index low, Index high) {
            const Index first = series ? low : random.next_integer(low, high);
            return Pair(first, random.next_integer(low, high));
        };
        const Shape shape{2, series ? 1 : random.next_integer(1, 12), random.next_integer(1, 40)};
        const Setting s{shape, pair(1, 5), pair(1, 5), pair(0, 3), pair(1, 4)};
        const auto fits = [](Index size, Index k, Index p, Index by) {
            return p <= k / 2 && (k - 1) * by + 1 <= size + 2 * p && (p == 0 || by <= size);
        };
        if (fits(shape[1], s.kernel.height, s.padding.height, s.dilation.height) &&
            fits(shape[2], s.kernel.width, s.padding.width, s.dilation.width))
            return s;
    }
}

/// The definition of both kinds of pooling: calls use(result, pixel) for every pixel in every window, in row-major
/// order.
template <class Use>
Shape walk(const Setting& s, const Use& use) {
    const Index h = s.shape.size(-2), w = s.shape.size(-1), planes = s.shape.numel() / (h * w);
    const Index tall = (s.kernel.height - 1) * s.dilation.height + 1,
                wide = (s.kernel.width - 1) * s.dilation.width + 1;
    const Index rows = (h + 2 * s.padding.height - tall) / s.stride.height + 1;
    const Index columns = (w + 2 * s.padding.width - wide) / s.stride.width + 1;
    for (Index at = 0; at < planes * rows * columns; ++at)
        for (Index a = 0; a < s.kernel.height; ++a)
            for (Index b = 0; b < s.kernel.width; ++b) {
                const Index i = at / columns % rows * s.stride.height - s.padding.height + a * s.dilation.height;
                const Index j = at % columns * s.stride.width - s.padding.width + b * s.dilation.width;
                if (i < 0 || i >= h || j < 0 || j >= w) continue;
                use(std::size_t(at), std::size_t((at / (rows * columns) * h + i) * w + j));
            }
    return s.shape.with(-2, rows).with(-1, columns);
}

/// Integers, few enough that windows have several largest numbers.
Tensor whole(Generator& random, const Shape& shape, Device device) {
    Values values;
    for (Index i = 0; i < shape.numel(); ++i) values.push_back(Real(random.next_integer(-3, 4)));
    return Tensor(shape, values, device);
}

/// Numbers with gaps between them: a small step makes no other number the largest.
[[maybe_unused]] Tensor apart(Generator& random, const Shape& shape) {
    Values values;
    for (const Index place : random.permutation(shape.numel())) values.push_back(Real(place) * Real(0.01));
    return Tensor(shape, values);
}

Pair pair_of(const Golden& g, const std::string& option) {
    const std::string& text = g.word(option);
    const std::size_t comma = text.find(',');
    const Index first = std::stoll(text);
    return comma == std::string::npos ? Pair(first) : Pair(first, std::stoll(text.substr(comma + 1)));
}

}  // namespace

TEST_CASE("pool: definition, forward and back", "[ops][pool][devices][row:sys-max-pool/c]") {
    const Device device = GENERATE(from_range(devices()));
    for (const Setting& s : settings) {
        CAPTURE(device, s.shape, s.kernel.height, s.kernel.width);
        Generator random(1);
        Tensor x = whole(random, s.shape, device).requires_grad_();
        const std::vector<double> from = doubles(x);
        std::vector<double> most, total;
        std::vector<std::size_t> first;
        const Shape shape = walk(s, [&](std::size_t at, std::size_t pixel) {
            if (at == most.size()) most.push_back(from[pixel]), first.push_back(pixel), total.push_back(0);
            if (from[pixel] > most[at]) most[at] = from[pixel], first[at] = pixel;
            total[at] += from[pixel];
        });
        const Tensor dy = whole(random, shape, device);
        const std::vector<double> up = doubles(dy);
        const double area = double(s.kernel.height * s.kernel.width);
        std::vector<double> back_max(from.size()), back_avg(from.size());
        for (std::size_t at = 0; at < up.size(); ++at) back_max[first[at]] += up[at];
        walk(s, [&](std::size_t at, std::size_t pixel) { back_avg[pixel] += up[at] / area; });
        for (double& t : total) t /= area;

        const PoolOptions options{s.stride, s.padding, s.dilation};
        const Tensor largest = max_pool2d(x, s.kernel, options);
        CHECK(largest.shape() == shape);
        CHECK(close(largest, most, 0));
        CHECK(same_bits(max_pool2d(x.detach(), s.kernel, options), largest));
        sum(largest * dy).backward();
        CHECK(close(x.grad(), back_max, 0));
        x.zero_grad();
        const Tensor mean = avg_pool2d(x, s.kernel, options);
        CHECK(close(mean, total));
        sum(mean * dy).backward();
        CHECK(close(x.grad(), back_avg));
    }
}

TEST_CASE("pool: the definition with options at random",
          "[ops][pool][devices][row:sys-max-pool/a][row:sys-max-pool/d][row:sys-padding/c]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(4);
    for (int trial = 0; trial < 200; ++trial) {
        const bool series = trial % 2 == 1;
        const Setting s = drawn(random, series);
        CAPTURE(device, s.shape, s.kernel.width, s.stride.width, s.padding.width, s.dilation.width);
        const Tensor x = whole(random, s.shape, device);
        const std::vector<double> from = doubles(x);
        std::vector<double> most;
        const Shape shape = walk(s, [&](std::size_t at, std::size_t pixel) {
            if (at == most.size()) most.push_back(from[pixel]);
            most[at] = std::max(most[at], from[pixel]);
        });
        const PoolOptions options{s.stride, s.padding, s.dilation};
        const Tensor y = series ? max_pool1d(reshape(x, {2, s.shape[2]}), s.kernel.width,
                                             {s.stride.width, s.padding.width, s.dilation.width})
                                : max_pool2d(x, s.kernel, options);
        CHECK(y.shape() == (series ? Shape{2, shape[2]} : shape));
        CHECK(close(y, most, 0));
    }
}

TEST_CASE("pool: a spike may move inside its window", "[ops][pool][devices][row:claim-maxpool-local-invariance/b]") {
    const Device device = GENERATE(from_range(devices()));
    for (Index row = 0; row < 3; ++row)
        for (Index column = 0; column < 3; ++column) {
            Tensor x = zeros({6, 6}, device);
            x.set({3 + row, column}, 7);
            CHECK(max_pool2d(x, 3).values() == Values{0, 0, 7, 0});
        }
}

TEST_CASE("pool: edges", "[ops][pool][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({1, 4}, {1, not_a_number, 3, 2}, device);
    CHECK(is_nan(max_pool2d(x, {1, 2}).values()[0]));
    CHECK(max_pool2d(x, {1, 2}).values()[1] == 3);
    CHECK(max_pool2d(full({2, 2}, -infinity, device), 2).item() == -infinity);
    CHECK(max_pool2d(full({2, 2}, -1, device), 2, {.padding = 1}).values() == Values(4, -1));
    CHECK(avg_pool2d(full({2, 2}, 4, device), 2, {.padding = 1}).values() == Values(4, 1));
    CHECK(max_pool2d(empty({0, 3, 4, 4}, device), 2).shape() == Shape{0, 3, 2, 2});
    CHECK(avg_pool2d(empty({2, 0, 4, 4}, device), 2).shape() == Shape{2, 0, 2, 2});
    CHECK(max_pool1d(Tensor({5}, {1, 5, 2, 4, 3}, device), 2).values() == Values{5, 4});
    CHECK(avg_pool1d(Tensor({2, 3}, {1, 3, 5, 2, 4, 6}, device), 2, {.stride = 1}).values() == Values{2, 4, 3, 5});
    // The first of several largest elements gets the whole gradient; so does the first of several NaNs.
    Tensor same({2, 2}, {7, 7, 7, 7}, device);
    sum(max_pool2d(same.requires_grad_(), 2)).backward();
    CHECK(same.grad().values() == Values{1, 0, 0, 0});
    Tensor bad({2, 2}, {7, not_a_number, not_a_number, 9}, device);
    sum(max_pool2d(bad.requires_grad_(), 2)).backward();
    CHECK(bad.grad().values() == Values{0, 1, 0, 0});
    Tensor many = full({2, 16}, not_a_number, device);  // enough windows for vectors on the CPU
    sum(max_pool2d(many.requires_grad_(), 2)).backward();
    for (Index i = 0; i < 32; ++i) CHECK(many.grad().values()[std::size_t(i)] == (i < 16 && i % 2 == 0));
}

TEST_CASE("pool: a window may be wider than the image", "[ops][pool][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor x({1, 4, 1}, {1, 4, 3, 2}, device);
    x.requires_grad_();
    const Tensor y = max_pool2d(x, {2, 3}, {.stride = {1, 1}, .padding = {0, 1}});
    CHECK(close(y, {4, 4, 3}));
    sum(y * Tensor({1, 3, 1}, {1, 10, 100}, device)).backward();
    CHECK(close(x.grad(), {0, 11, 100, 0}));
}

TEST_CASE("pool: inputs in other orders, and whole images", "[ops][pool][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = permute(Generator(2).normal({6, 7, 2, 3}, 0, 1, device), {2, 3, 1, 0});
    CHECK(same_bits(max_pool2d(x, 3, {.stride = 2}), max_pool2d(clone(x), 3, {.stride = 2})));
    CHECK(same_bits(avg_pool2d(x, 2), avg_pool2d(clone(x), 2)));
    CHECK(close(avg_pool2d(x, {7, 6}), doubles(mean(x, {2, 3}))));  // global average pooling
    CHECK(close(max_pool2d(x, {7, 6}), doubles(max(x, {2, 3})), 0));
}

TEST_CASE("pool: the same bits for any number of threads", "[ops][pool][threads]") {
    const int before = threads();
    Generator random(3);
    const Tensor from = random.normal({8, 8, 40, 40}), dy = random.normal({8, 8, 20, 20});
    Tensor first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        Tensor x = clone(from).requires_grad_();
        const PoolOptions overlapping{.stride = 2, .padding = 1};
        sum((max_pool2d(x, 3, overlapping) + avg_pool2d(x, 3, overlapping)) * dy).backward();
        if (!first.defined()) first = x.grad();
        CHECK(same_bits(x.grad(), first));
    }
    set_threads(before);
}

TEST_CASE("pool: agrees with PyTorch", "[ops][pool][golden][devices]") {
    check_golden("pool", [](const Golden& g) {
        const Pair kernel = pair_of(g, "kernel"), stride = pair_of(g, "stride"), padding = pair_of(g, "padding");
        const std::string& op = g.word("op");
        const PoolOptions options{stride, padding};
        if (op == "max_pool2d") return max_pool2d(g["x"], kernel, options);
        if (op == "avg_pool2d") return avg_pool2d(g["x"], kernel, options);
        return op == "max_pool1d" ? max_pool1d(g["x"], kernel.width, options)
                                  : avg_pool1d(g["x"], kernel.width, options);
    });
}

GRADIENT_TEST("max_pool2d") {
    check_gradient(
        [](const Inputs& x) {
            return max_pool2d(x[0], 2, {.stride = {2, 1}, .padding = {0, 1}});
        },
        [](Generator& random) {
            return Inputs{apart(random, {2, random.next_integer(2, 6), 5})};
        });
}
GRADIENT_TEST("max_pool1d") {
    check_gradient([](const Inputs& x) { return max_pool1d(x[0], 3, {.stride = 2, .padding = 1}); },
                   [](Generator& random) {
                       return Inputs{apart(random, {2, random.next_integer(2, 130)})};
                   });
}
GRADIENT_TEST("avg_pool2d") {
    check_gradient(
        [](const Inputs& x) {
            return avg_pool2d(x[0], {2, 3}, {.stride = {2, 1}, .padding = 1});
        },
        [](Generator& random) {
            return Inputs{random.normal({2, random.next_integer(2, 6), 5})};
        });
}
GRADIENT_TEST("avg_pool1d") {
    check_gradient([](const Inputs& x) { return avg_pool1d(x[0], 3); },
                   [](Generator& random) {
                       return Inputs{random.normal({2, random.next_integer(3, 130)})};
                   });
}

TEST_CASE("pool: messages", "[ops][pool]") {
    const Tensor x = empty({2, 4, 5});
    CHECK_THROWS_WITH(max_pool2d(empty({5}), 2), "max_pool2d: wanted at least 2 axes, got shape (5)");
    CHECK_THROWS_WITH(avg_pool1d(Tensor({}, {1}), 2), "avg_pool1d: wanted at least 1 axes, got shape ()");
    CHECK_THROWS_WITH(avg_pool2d(x, {0, 2}), "avg_pool2d: wanted a kernel of at least 1, got 0");
    CHECK_THROWS_WITH(max_pool2d(x, 2, {.stride = 0}), "max_pool2d: wanted a stride of at least 1, got 0");
    CHECK_THROWS_WITH(max_pool2d(x, 3, {.padding = 2}),
                      "max_pool2d: wanted a padding from 0 to half the kernel of 3, got 2");
    CHECK_THROWS_WITH(max_pool2d(x, {2, 6}),
                      "max_pool2d: a kernel of 6 does not fit into 5 with a padding of 0, got shape (2, 4, 5)");
    CHECK_THROWS_WITH(max_pool2d(x, 2, {.dilation = {1, 0}}), "max_pool2d: wanted a dilation of at least 1, got 0");
    CHECK_THROWS_WITH(max_pool2d(x, 2, {.dilation = {4, 1}}),
                      "max_pool2d: a kernel of 5 does not fit into 4 with a padding of 0, got shape (2, 4, 5)");
    CHECK_THROWS_WITH(max_pool1d(empty({2}), 2, {.padding = 1, .dilation = 3}),
                      "max_pool1d: wanted a pixel in every window, got shape (2)");
    CHECK_THROWS_WITH(max_pool2d(empty({0, 5}), 2),
                      "max_pool2d: a kernel of 2 does not fit into 0 with a padding of 0, got shape (0, 5)");
    CHECK_THROWS_WITH(max_pool2d(empty({3, 0, 5}), 2, {.padding = 1}),
                      "max_pool2d: wanted at least one pixel, got shape (3, 0, 5)");
    CHECK_THROWS_WITH(avg_pool1d(empty({3, 0}), 2, {.padding = 1}),
                      "avg_pool1d: wanted at least one pixel, got shape (3, 0)");
    CHECK_THROWS_WITH(max_pool1d(x, 2, {.stride = {1, 2}}), "max_pool1d: wanted one stride for a series, got (1, 2)");
    CHECK_THROWS_WITH(avg_pool1d(x, 2, {.padding = {1, 0}}), "avg_pool1d: wanted one padding for a series, got (1, 0)");
    CHECK_THROWS_WITH(max_pool1d(empty({1 << 24}), 2),
                      "max_pool1d: wanted less than 2^24 pixels in the rows of a kernel, got 1 by 16777216");
}
