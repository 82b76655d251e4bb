#include <recto/ops/images/conv.hpp>

#include <recto/device/threads.hpp>
#include <recto/kernels/convolve.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// The options of a convolution and the shapes for which they are tested.
struct Setting {
    Shape x, weight;
    ConvOptions options;
};

/// Cases that every algorithm must handle: tiles and their remainders, borders, strides, gaps, groups.
const Setting settings[] = {
    {{2, 3, 9, 8}, {4, 3, 3, 3}, {}},
    {{2, 1, 28, 28}, {16, 1, 5, 5}, {}},                // whole tiles, taps in fives
    {{3, 16, 14, 13}, {17, 16, 3, 3}, {.padding = 1}},  // one channel more than two tiles
    {{9, 2, 8, 8}, {8, 2, 5, 5}, {}},                   // small results: several images in one product
    {{8, 2, 6, 6}, {70, 2, 3, 3}, {}},                  // several blocks of channels in one slice, one image a section
    {{19, 2, 23, 23}, {3, 2, 2, 2}, {.stride = 2}},     // more images in a section than one product takes
    {{2, 4, 5, 7}, {8, 4, 1, 1}, {}},                   // a kernel of one pixel
    {{1, 2, 3, 127}, {3, 2, 2, 4}, {.padding = {1, 3}}},  // lines of 127 to 130
    {{1, 2, 2, 129}, {9, 2, 1, 7}, {.padding = {0, 3}}},  // more taps than a tile holds
    {{2, 3, 11, 10}, {5, 3, 3, 3}, {.stride = {2, 3}, .padding = {1, 2}}},
    {{2, 3, 12, 13}, {8, 3, 3, 3}, {.padding = {2, 3}, .dilation = {2, 3}}},
    {{2, 6, 9, 9}, {12, 2, 3, 3}, {.padding = 1, .groups = 3}},
    {{2, 130, 6, 5}, {130, 1, 3, 3}, {.padding = 1, .groups = 130}},
    {{2, 8, 7, 6}, {16, 1, 3, 3}, {.stride = 2, .groups = 8}},
    {{1, 2, 3, 3}, {4, 2, 2, 2}, {.padding = 5}},  // borders wider than the kernel: results that read only padding
    {{2, 3, 4, 4}, {2, 3, 4, 4}, {}},              // a kernel as large as the image
    {{1, 2, 4, 5}, {3, 2, 2, 2}, {.stride = 9}},
};

Index along(const Pair& pair, int axis) { return axis == 0 ? pair.height : pair.width; }

/// The definition in double. Calls use(y, x, w) with the flat indices of every product.
template <class Use>
Shape walk(const Setting& s, const Use& use) {
    const ConvOptions& o = s.options;
    Index size[2];
    for (int i = 0; i < 2; ++i)
        size[i] = (s.x[i + 2] + 2 * along(o.padding, i) - along(o.dilation, i) * (s.weight[i + 2] - 1) - 1) /
                      along(o.stride, i) +
                  1;
    const Index channels = s.weight[0], per_group = s.weight[1];
    for (Index n = 0; n < s.x[0]; ++n)
        for (Index k = 0; k < channels; ++k)
            for (Index r = 0; r < size[0]; ++r)
                for (Index q = 0; q < size[1]; ++q)
                    for (Index i = 0; i < per_group; ++i)
                        for (Index a = 0; a < s.weight[2]; ++a)
                            for (Index b = 0; b < s.weight[3]; ++b) {
                                const Index row = r * o.stride.height - o.padding.height + a * o.dilation.height;
                                const Index column = q * o.stride.width - o.padding.width + b * o.dilation.width;
                                if (row < 0 || row >= s.x[2] || column < 0 || column >= s.x[3]) continue;
                                const Index from = k / (channels / o.groups) * per_group + i;
                                use(std::size_t(((n * channels + k) * size[0] + r) * size[1] + q),
                                    std::size_t(((n * s.x[1] + from) * s.x[2] + row) * s.x[3] + column),
                                    std::size_t(((k * per_group + i) * s.weight[2] + a) * s.weight[3] + b));
                            }
    return {s.x[0], channels, size[0], size[1]};
}

/// Small integers: sums are exact in any order.
Tensor whole(Generator& random, const Shape& shape, Device device) {
    std::vector<Real> values;
    for (Index i = 0; i < shape.numel(); ++i) values.push_back(Real(random.next_integer(-4, 5)));
    return Tensor(shape, values, device);
}

/// Gradients of y from a given dy.
void sweep(const Tensor& y, const Tensor& dy) {
    record("sweep", Tensor(Shape{}, {0}, y.device()), {y}, [dy](const Tensor&) { return Grads{dy}; }).backward();
}

/// All results of a setting: y, dx, dw, db.
std::vector<Tensor> everything(Tensor x, Tensor w, Tensor b, const Tensor& dy, const ConvOptions& options) {
    for (Tensor* t : {&x, &w, &b}) t->requires_grad_();
    const Tensor y = conv2d(x, w, b, options);
    sweep(y, dy);
    return {y.detach(), x.grad(), w.grad(), b.grad()};
}

/// Options of a golden setting: `stride=2` or `stride=2,3`.
Pair pair_of(const Golden& g, const std::string& option, Index otherwise) {
    if (!g.options.contains(option)) return otherwise;
    const std::string& text = g.word(option);
    const std::size_t comma = text.find(',');
    const Index first = std::stoll(text);
    return comma == std::string::npos ? Pair(first) : Pair(first, std::stoll(text.substr(comma + 1)));
}

}  // namespace

TEST_CASE("conv: definition, exact on whole numbers", "[ops][exact][conv][devices]") {
    const Device device = GENERATE(from_range(devices()));
    for (const Setting& s : settings) {
        Generator random(1);
        CAPTURE(device, s.x, s.weight);
        const Shape shape = walk(s, [](std::size_t, std::size_t, std::size_t) {});
        const Tensor x = whole(random, s.x, device), w = whole(random, s.weight, device);
        const Tensor b = whole(random, {s.weight[0]}, device), dy = whole(random, shape, device);
        const std::vector<double> from = doubles(x), weights = doubles(w), bias = doubles(b), up = doubles(dy);
        std::vector<double> y(up.size()), dx(from.size()), dw(weights.size()), db(bias.size());
        const std::size_t pixels = std::size_t(shape[2] * shape[3]);
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] = bias[i / pixels % bias.size()], db[i / pixels % bias.size()] += up[i];
        walk(s, [&](std::size_t at, std::size_t in, std::size_t k) {
            y[at] += from[in] * weights[k], dx[in] += up[at] * weights[k], dw[k] += up[at] * from[in];
        });
        const auto got = everything(x, w, b, dy, s.options);
        CHECK(got[0].shape() == shape);
        CHECK(close(got[0], y, 0));
        CHECK(close(got[1], dx, 0));
        CHECK(close(got[2], dw, 0));
        CHECK(close(got[3], db, 0));
    }
}

TEST_CASE("conv: agrees with PyTorch", "[ops][conv][golden][devices]") {
    const char* file = GENERATE("conv", "conv_transpose");
    check_golden(file, [](const Golden& g) {
        const ConvOptions options{.stride = pair_of(g, "stride", 1),
                                  .padding = pair_of(g, "padding", 0),
                                  .output_padding = pair_of(g, "output_padding", 0),
                                  .dilation = pair_of(g, "dilation", 1),
                                  .groups = pair_of(g, "groups", 1).width};
        const Tensor bias = g.has("bias") ? g["bias"] : Tensor();
        const std::string& op = g.word("op");
        if (op == "conv2d") return conv2d(g["x"], g["weight"], bias, options);
        if (op == "conv1d") return conv1d(g["x"], g["weight"], bias, options);
        if (op == "conv_transpose2d") return conv_transpose2d(g["x"], g["weight"], bias, options);
        return conv_transpose1d(g["x"], g["weight"], bias, options);
    });
}

TEST_CASE("conv: the transposed one is the backward pass", "[ops][conv][devices]") {
    const Device device = GENERATE(from_range(devices()));
    for (const Setting& s : settings) {
        Generator random(3);
        CAPTURE(device, s.x, s.weight);
        Tensor x = random.normal(s.x, 0, 1, device).requires_grad_();
        const Tensor w = random.normal(s.weight, 0, 1, device);
        const Tensor y = conv2d(x, w, {}, s.options), dy = random.normal(y.shape(), 0, 1, device);
        sweep(y, dy);
        const ConvOptions& o = s.options;
        const auto rest = [&](int i) {  // what the stride leaves out at the end
            const Index reach = along(o.dilation, i) * (s.weight[i + 2] - 1) + 1;
            return (s.x[i + 2] + 2 * along(o.padding, i) - reach) % along(o.stride, i);
        };
        const Tensor back =
            conv_transpose2d(dy, w, {}, {o.stride, o.padding, {rest(0), rest(1)}, o.dilation, o.groups});
        CHECK(same_bits(back, x.grad()));
    }
}

TEST_CASE("conv: edges", "[ops][conv][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor w = ones({2, 3, 2, 2}, device), b({2}, {5, 6}, device);
    CHECK(conv2d(empty({0, 3, 4, 4}, device), w).shape() == Shape{0, 2, 3, 3});
    CHECK(conv2d(empty({1, 3, 4, 4}, device), empty({0, 3, 2, 2}, device)).shape() == Shape{1, 0, 3, 3});
    CHECK(conv2d(empty({1, 0, 2, 2}, device), empty({2, 0, 2, 2}, device), b).values() == std::vector<Real>{5, 6});
    CHECK(conv_transpose2d(empty({0, 2, 4, 4}, device), w).shape() == Shape{0, 3, 5, 5});
    CHECK(conv1d(Tensor({1, 1, 1}, {3}, device), Tensor({1, 1, 1}, {2}, device)).values() == std::vector<Real>{6});
    const auto none = everything(empty({0, 3, 4, 4}, device), w, b, empty({0, 2, 3, 3}, device), {});
    CHECK(none[1].shape() == Shape{0, 3, 4, 4});
    CHECK(none[2].values() == std::vector<Real>(24));
    CHECK(none[3].values() == std::vector<Real>(2));
    // A NaN affects only the outputs that read it, in its own image.
    Tensor x = ones({2, 1, 4, 4}, device);
    x.set({0, 0, 0, 0}, not_a_number);
    const Tensor y = conv2d(x, ones({1, 1, 2, 2}, device));
    CHECK(is_nan(y.at({0, 0, 0, 0})));
    CHECK(y.at({0, 0, 0, 1}) == 4);
    CHECK(y.at({1, 0, 0, 0}) == 4);
}

TEST_CASE("conv: as many images at once as a GPU has room to unfold", "[ops][exact][conv][devices]") {
    const Device device = GENERATE(from_range(devices()));
    struct Room {
        Index before = detail::columns_at_once;
        ~Room() { detail::columns_at_once = before; }
    } const room;
    for (const Setting& s : settings) {
        Generator random(1);
        CAPTURE(device, s.x, s.weight);
        const Tensor x = whole(random, s.x, device), w = whole(random, s.weight, device);
        const Tensor b = whole(random, {s.weight[0]}, device);
        const Tensor dy = whole(random, walk(s, [](std::size_t, std::size_t, std::size_t) {}), device);
        detail::columns_at_once = room.before;
        const auto together = everything(x, w, b, dy, s.options);
        detail::columns_at_once = 1;
        const auto one_by_one = everything(x, w, b, dy, s.options);
        for (std::size_t i = 0; i < together.size(); ++i) CHECK(together[i].values() == one_by_one[i].values());
    }
}

TEST_CASE("conv: only the gradients that are wanted", "[ops][conv][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor x = ones({1, 2, 4, 4}, device), w = ones({3, 2, 3, 3}, device).requires_grad_();
    sweep(conv2d(x, w), ones({1, 3, 2, 2}, device));
    CHECK(w.grad().values() == std::vector<Real>(54, 4));
    CHECK_FALSE(x.requires_grad());
}

TEST_CASE("conv: the gradient of the bias sums all pixels of large images", "[ops][exact][conv][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index stride = GENERATE(1, 2);  // directly from the padded image, or as a matrix product
    Generator random(11);
    const Shape pixels{2, 3, 70, 70};
    const Tensor x = whole(random, {2, 1, 70 * stride, 70 * stride}, device), w = whole(random, {3, 1, 1, 1}, device),
                 dy = whole(random, pixels, device);
    const auto found = everything(x, w, zeros({3}, device), dy, {.stride = stride});
    std::vector<Real> want(3);
    const auto each = dy.values();
    for (std::size_t i = 0; i < each.size(); ++i) want[i / 4900 % 3] += each[i];
    CHECK(found[3].values() == want);
}

TEST_CASE("conv: the same bits for any number of threads", "[ops][conv][threads]") {
    const int before = threads();
    for (const Setting& s : {Setting{{9, 16, 14, 14}, {16, 16, 3, 3}, {.padding = 1}},
                             Setting{{35, 8, 8, 8}, {16, 8, 5, 5}, {}}, Setting{{1, 8, 30, 30}, {64, 8, 3, 3}, {}},
                             Setting{{9, 8, 15, 15}, {16, 4, 3, 3}, {.stride = 2, .groups = 2}}}) {
        Generator random(4);
        const Tensor x = random.normal(s.x), w = random.normal(s.weight), b = random.normal({s.weight[0]});
        const Tensor dy = random.normal(walk(s, [](std::size_t, std::size_t, std::size_t) {}));
        std::vector<Tensor> first;
        for (const int n : {1, 2, 4}) {
            set_threads(n);
            const auto now = everything(x, w, b, dy, s.options);
            if (first.empty()) first = now;
            for (std::size_t i = 0; i < now.size(); ++i) CHECK(same_bits(now[i], first[i]));
        }
    }
    set_threads(before);
}

namespace {
/// Random small problems: x, weights, bias.
[[maybe_unused]] Inputs small_images(Generator& random) {
    const Index in = random.next_integer(1, 4), out = random.next_integer(1, 6);
    return {random.normal({random.next_integer(1, 3), in, random.next_integer(3, 6), random.next_integer(3, 6)}),
            random.normal({out, in, random.next_integer(1, 4), random.next_integer(1, 4)}), random.normal({out})};
}
[[maybe_unused]] Inputs small_series(Generator& random) {
    const Index in = random.next_integer(1, 4), out = random.next_integer(1, 6);
    return {random.normal({random.next_integer(1, 3), in, random.next_integer(3, 20)}),
            random.normal({out, in, random.next_integer(1, 4)}), random.normal({out})};
}
/// The same problems with the weights in the order of transposed convolution.
[[maybe_unused]] Inputs turned(Inputs x) { return {x[0], clone(transpose(x[1], 0, 1)), x[2]}; }
}  // namespace

GRADIENT_TEST("conv2d", "[row:sys-conv2d/c]") {
    check_gradient([](const Inputs& x) { return conv2d(x[0], x[1], x[2], {.padding = {1, 0}}); }, small_images);
    check_gradient(
        [](const Inputs& x) {
            return conv2d(x[0], x[1], {}, {.stride = {2, 1}, .padding = 2, .dilation = 2});
        },
        [](Generator& random) {
            Inputs x = small_images(random);
            x.pop_back();
            return x;
        },
        16);
    check_gradient([](const Inputs& x) { return conv2d(x[0], x[1], {}, {.padding = 1, .groups = 4}); },
                   [](Generator& random) {
                       return Inputs{random.normal({2, 4, 4, 3}), random.normal({8, 1, 2, 3})};
                   },
                   4);
}
GRADIENT_TEST("conv1d", "[row:sys-conv1d/c]") {
    check_gradient([](const Inputs& x) { return conv1d(x[0], x[1], x[2], {.stride = 2, .padding = 1}); }, small_series);
}
GRADIENT_TEST("conv_transpose2d", "[row:sys-transposed-conv/c]") {
    check_gradient(
        [](const Inputs& x) { return conv_transpose2d(x[0], x[1], x[2], {.stride = 2, .output_padding = 1}); },
        [](Generator& random) { return turned(small_images(random)); });
}
GRADIENT_TEST("conv_transpose1d", "[row:sys-transposed-conv/c]") {
    check_gradient([](const Inputs& x) { return conv_transpose1d(x[0], x[1], x[2], {.stride = 2}); },
                   [](Generator& random) { return turned(small_series(random)); });
}

TEST_CASE("conv: messages", "[ops][conv]") {
    const Tensor x = empty({2, 3, 5, 5}), w = empty({4, 3, 3, 3});
    CHECK_THROWS_WITH(conv2d(empty({3, 5, 5}), w),
                      "conv2d: wanted an input (batch, channels, height, width), got shape (3, 5, 5)");
    CHECK_THROWS_WITH(conv1d(x, w), "conv1d: wanted an input (batch, channels, time), got shape (2, 3, 5, 5)");
    CHECK_THROWS_WITH(conv2d(x, empty({4, 3, 3})), "conv2d: wanted weights with 4 axes, got shape (4, 3, 3)");
    CHECK_THROWS_WITH(conv2d(x, empty({4, 2, 3, 3})),
                      "conv2d: weights (4, 2, 3, 3) in 1 groups want 2 channels, got an input of shape (2, 3, 5, 5)");
    CHECK_THROWS_WITH(
        conv2d(x, empty({4, 1, 3, 3}), {}, {.groups = 3}),
        "conv2d: 3 groups do not divide the 4 channels of weights (4, 1, 3, 3), got an input of shape (2, 3, 5, 5)");
    CHECK_THROWS_WITH(conv2d(x, w, {}, {.groups = 0}), "conv2d: wanted at least one group, got 0");
    CHECK_THROWS_WITH(conv2d(x, w, empty({3})), "conv2d: weights (4, 3, 3, 3) want a bias of shape (4), got (3)");
    CHECK_THROWS_WITH(conv2d(x, w, {}, {.stride = 0}), "conv2d: wanted a stride of at least 1, got 0");
    CHECK_THROWS_WITH(conv2d(x, w, {}, {.padding = {0, -1}}), "conv2d: wanted a padding of at least 0, got -1");
    CHECK_THROWS_WITH(conv2d(x, w, {}, {.dilation = 0}), "conv2d: wanted a dilation of at least 1, got 0");
    CHECK_THROWS_WITH(
        conv1d(empty({2, 3, 5}), empty({4, 3, 6})),
        "conv1d: a kernel that spans 6 does not fit into 5 with a padding of 0, got an input of shape (2, 3, 5)");
    CHECK_THROWS_WITH(conv_transpose2d(x, empty({3, 4, 3, 3}), {}, {.stride = {1, 0}}),
                      "conv_transpose2d: wanted a stride of at least 1, got 0");
    CHECK_THROWS_WITH(conv2d(x, empty({4, 3, 0, 3})),
                      "conv2d: wanted a kernel of at least 1, got weights (4, 3, 0, 3)");
    CHECK_THROWS_WITH(
        conv2d(x, w, {}, {.dilation = 3}),
        "conv2d: a kernel that spans 7 does not fit into 5 with a padding of 0, got an input of shape (2, 3, 5, 5)");
    CHECK_THROWS_WITH(conv2d(x, w.to(Device::sim)),
                      "conv2d: wanted input, weights and bias on one device, got cpu, sim and sim");
    CHECK_THROWS_WITH(conv2d(x, w, {}, {.output_padding = {0, 1}}),
                      "conv2d: wanted an output padding of 0, as in every convolution that is not transposed, got 1");
    CHECK_THROWS_WITH(conv1d(empty({2, 3, 5}), empty({4, 3, 3}), {}, {.stride = 2, .output_padding = 1}),
                      "conv1d: wanted an output padding of 0, as in every convolution that is not transposed, got 1");
    const Tensor v = empty({3, 4, 3, 3});
    CHECK_THROWS_WITH(conv_transpose2d(x, v, {}, {.stride = 2, .output_padding = 2}),
                      "conv_transpose2d: wanted an output padding below stride 2 or dilation 1, got 2");
    CHECK_THROWS_WITH(conv_transpose2d(x, v, {}, {.padding = 4}),
                      "conv_transpose2d: a padding of 4 leaves nothing of an input of shape (2, 3, 5, 5)");
    CHECK_THROWS_WITH(
        conv_transpose1d(empty({2, 4, 5}), empty({3, 2, 3})),
        "conv_transpose1d: weights (3, 2, 3) in 1 groups want 3 channels, got an input of shape (2, 4, 5)");
    const Tensor series = empty({2, 3, 5}), kernel = empty({3, 3, 3});
    const auto unequal = [&](const ConvOptions& options, const std::string& words) {
        CHECK_THROWS_WITH(conv1d(series, kernel, {}, options), "conv1d: wanted one " + words);
        CHECK_THROWS_WITH(conv_transpose1d(series, kernel, {}, options), "conv_transpose1d: wanted one " + words);
    };
    unequal({.stride = {1, 2}}, "stride for a series, got (1, 2)");
    unequal({.padding = {1, 0}}, "padding for a series, got (1, 0)");
    unequal({.output_padding = {0, 1}}, "output padding for a series, got (0, 1)");
    unequal({.dilation = {2, 1}}, "dilation for a series, got (2, 1)");
    CHECK_THROWS_AS(conv2d(x, w, {}, {.padding = Index(1) << 30}), Error);  // the result is too large for any machine
}
