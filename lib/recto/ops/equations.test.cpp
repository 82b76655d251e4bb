// Statements of the register about single operations, with the bounds that it states.
#include <recto/ops/ops.hpp>

#include <algorithm>
#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// The largest difference.
double gap(const Tensor& a, const Tensor& b) {
    REQUIRE(a.shape() == b.shape());
    double most = 0;
    const std::vector<double> x = doubles(a), y = doubles(b);
    for (std::size_t i = 0; i < x.size(); ++i)
        most = std::isnan(x[i] - y[i]) ? infinity : std::max(most, std::abs(x[i] - y[i]));
    return most;
}

/// The largest difference, relative to the largest number.
double relative(const Tensor& a, const Tensor& b) { return gap(a, b) / double(max(abs(b)).item()); }

/// The gradient of the sum of f(x), at x.
Tensor slope(const Tensor& at, const std::function<Tensor(const Tensor&)>& f) {
    const Tensor x = clone(at).requires_grad_();
    sum(f(x)).backward();
    return x.grad();
}
Tensor slope(const Tensor& at, Tensor (*f)(const Tensor&)) {
    return slope(at, std::function<Tensor(const Tensor&)>(f));
}

/// From -20 to 20 in equal steps, 0 among them.
Tensor line(Device device) {
    std::vector<Real> x;
    for (int i = -500; i <= 500; ++i) x.push_back(Real(i) / 25);
    return Tensor({1001}, x, device);
}

Tensor whole(Generator& random, const Shape& shape, Device device) {
    std::vector<Real> values;
    for (const Index v : random.integers(shape, -4, 5).values()) values.push_back(Real(v));
    return Tensor(shape, values, device);
}

bool finite(const Tensor& x) {
    return std::ranges::all_of(x.values(), [](Real v) { return std::isfinite(v); });
}

}  // namespace

TEST_CASE("equations: softmax",
          "[ops][devices][row:eq-softargmax/a][row:eq-softargmax/b][row:eq-softargmax/c][row:eq-softargmax/e]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(1).normal({200, 30}, 0, 5, device), p = softmax(x);
    CHECK(gap(sum(p, {1}), ones({200}, device)) <= 1e-6);
    CHECK(gap(softmax(x + 7.), p) <= 20 * usual);
    CHECK(softmax(Tensor({3}, {10'000, -10'000, 0}, device)).values() == std::vector<Real>{1, 0, 0});
}

#ifdef RECTO_REAL_IS_DOUBLE  // a difference of seven digits needs double precision
TEST_CASE("equations: the Jacobian of softmax",
          "[ops][devices][row:eq-softmax-gradient/a][row:eq-softmax-gradient/b]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(2).normal({5}, 0, 1, device), p = softmax(x);
    const double h = 1e-3;
    std::vector<double> rows(5), columns(5);
    for (Index i = 0; i < 5; ++i) {
        const Tensor tape = slope(x, [i](const Tensor& t) { return select(softmax(t), 0, i); });
        for (Index j = 0; j < 5; ++j) {
            const double by_hand = p.at({i}) * ((i == j) - p.at({j})), got = tape.at({j});
            const auto moved = [&](double by) {
                const Tensor z = clone(x);
                Tensor(z).set({j}, x.at({j}) + by);
                return double(softmax(z).at({i}));
            };
            CHECK(std::abs(got - by_hand) <= 1e-7);
            CHECK(std::abs((moved(-2 * h) - 8 * moved(-h) + 8 * moved(h) - moved(2 * h)) / (12 * h) - got) <= 1e-7);
            rows[std::size_t(i)] += got, columns[std::size_t(j)] += got;
        }
    }
    for (const double total : rows) CHECK(std::abs(total) <= 1e-7);
    for (const double total : columns) CHECK(std::abs(total) <= 1e-7);
}
#endif

TEST_CASE("equations: cross-entropy",
          "[ops][devices][row:eq-cross-entropy/a][row:eq-cross-entropy/b][row:eq-cross-entropy/c]"
          "[row:eq-cross-entropy/d]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(3);
    const Tensor x = random.normal({50, 7}, 0, 1, device);
    const Integers labels = random.integers({50}, 0, 7, device);
    const Tensor hot = one_hot(labels, 7), composed = -sum(log(softmax(x)) * hot) / 50.;
    CHECK(gap(cross_entropy(x, labels), composed) <= 1e-6);
    const Tensor dx = slope(x, [&](const Tensor& t) { return cross_entropy(t, labels); });
    CHECK(gap(dx, (softmax(x) - hot) / 50.) <= 1e-7);
    for (const Index classes : {2, 10, 1000})
        CHECK(close(cross_entropy(full({3, classes}, 5, device), Integers({3}, {0, 1, 0}, device)),
                    {std::log(double(classes))}));
}

TEST_CASE("equations: binary cross-entropy",
          "[ops][devices][row:eq-binary-cross-entropy/a][row:eq-binary-cross-entropy/b]"
          "[row:eq-binary-cross-entropy/c][row:eq-binary-cross-entropy/d]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor f = Generator(4).normal({100}, 0, 3, device);
    const Integers yes = Generator(5).integers({100}, 0, 2, device);
    const Tensor y = select(one_hot(yes, 2), 1, 1);
    CHECK(gap(binary_cross_entropy(f, y), cross_entropy(stack({zeros({100}, device), f}, 1), yes)) <= 1e-6);
    for (const Real target : {Real(0), Real(1)})
        for (const Real score : {Real(-10'000), Real(10'000)})
            CHECK(finite(binary_cross_entropy(full({1}, score, device), full({1}, target, device))));
    for (Index i = 0; i < 100; ++i) {
        const Tensor one = slice(f, 0, i, i + 1), target = slice(y, 0, i, i + 1);
        CHECK(same_bits(slope(one, [&](const Tensor& t) { return binary_cross_entropy(t, target); }),
                        sigmoid(one) - target));
    }
}

TEST_CASE("equations: activations",
          "[ops][devices][row:eq-relu/a][row:eq-relu/c][row:eq-tanh/a][row:eq-tanh/b][row:eq-tanh/c]"
          "[row:eq-leaky-relu/a][row:eq-leaky-relu/b][row:eq-gelu/e][row:eq-sigmoid/a][row:eq-sigmoid/b]"
          "[row:eq-sigmoid/c][row:eq-softplus/a][row:eq-softplus/b][row:eq-softplus/c][row:eq-softplus/d]"
          "[row:claim-relu-no-vanish/b][row:claim-relu-no-vanish/c]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = line(device), far = Tensor({2}, {-1000, 1000}, device);
    std::vector<double> largest, bent[2], hyperbolic;
    for (const double v : doubles(x)) {
        largest.push_back(std::max(v, 0.0)), hyperbolic.push_back(std::tanh(v));
        for (int i = 0; i < 2; ++i) bent[i].push_back(v < 0 ? (i ? 0.25 : 0.01) * v : v);
    }
    CHECK(close(relu(x), largest, 0));
    CHECK(close(leaky_relu(x, 0.01), bent[0], 1e-7));
    CHECK(close(leaky_relu(x, 0.25), bent[1], 1e-7));
    CHECK(same_bits(slope(slice(x, 0, 501, 1001), relu), ones({500}, device)));
    CHECK(gap(slope(x, tanh), 1. - square(tanh(x))) <= 1e-6);
    CHECK(close(tanh(x), hyperbolic, 5e-7));
    CHECK(std::abs(double(max(abs(gelu(x) - relu(x))).item()) - 0.170) <= 1e-3);
    CHECK(gap(tanh(x), 2. * sigmoid(2. * x) - 1.) <= 1e-6);
    CHECK(sigmoid(far).values() == std::vector<Real>{0, 1});
    CHECK(finite(slope(far, sigmoid)));
    CHECK(max(slope(x, sigmoid)).item() <= 0.25);
    CHECK(gap(slope(x, softplus), sigmoid(x)) <= 1e-6);
    CHECK(gap(softplus(x), relu(x)) <= 0.6932);
    CHECK(finite(softplus(far)));
    CHECK(finite(slope(far, softplus)));
}

TEST_CASE("equations: the fully connected layer",
          "[ops][devices][row:eq-fully-connected/a][row:eq-fully-connected/d][row:claim-linear-means-affine/a]"
          "[row:claim-linear-means-affine/b]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{7}, Shape{4, 7}, Shape{2, 3, 7}, Shape{2, 1, 5, 7});
    Generator random(6);
    const Tensor x = random.normal(shape, 0, 1, device), w = random.normal({5, 7}, 0, 1, device),
                 b = random.normal({5}, 0, 1, device), y = linear(x, w, b);
    Tensor looped = empty(shape.with(-1, 5), device);
    const Tensor rows = reshape(x, {shape.numel() / 7, 7});
    Tensor to = reshape(looped, {shape.numel() / 7, 5});
    for (Index i = 0; i < rows.size(0); ++i)
        for (Index j = 0; j < 5; ++j) {
            double total = b.at({j});
            for (Index p = 0; p < 7; ++p) total += double(rows.at({i, p})) * w.at({j, p});
            to.set({i, j}, Real(total));
        }
    CHECK(relative(y, looped) <= 1e-5);
    const auto f = [&](const Tensor& t) { return linear(t, w, b); };
    const Tensor other = random.normal(shape, 0, 1, device), nothing = zeros(shape, device);
    CHECK(gap(f(x + other) - f(x) - f(other) + f(nothing), zeros(y.shape(), device)) < 1e-5);
    CHECK(same_bits(f(nothing), contiguous(expand(b, y.shape()))));
    CHECK(min(abs(b)).item() > 0);
}

TEST_CASE("equations: convolutions of series",
          "[ops][devices][row:sys-conv1d/a][row:sys-conv1d/b][row:sys-conv1d/d][row:eq-conv-output-size/a]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(7);
    const Tensor x = random.normal({2, 3, 12}, 0, 1, device), w = random.normal({4, 3, 5}, 0, 1, device),
                 y = conv1d(x, w);
    std::vector<Tensor> windows;  // (2, 8, 15): every window of 5 as a row
    for (Index t = 0; t < 8; ++t) windows.push_back(reshape(slice(x, 2, t, t + 5), {2, 15}));
    CHECK(relative(time_last(linear(stack(windows, 1), reshape(w, {4, 15}))), y) <= 1e-5);
    Tensor banded = zeros({4, 8, 3, 12}, device);  // y = banded x
    for (Index t = 0; t < 8; ++t) slice(select(banded, 1, t), 2, t, t + 5).copy_(w);
    CHECK(relative(reshape(linear(flatten(x), reshape(banded, {32, 36})), {2, 4, 8}), y) <= 1e-5);
    if (device != Device::cpu) return;
    for (Index size = 1; size <= 40; ++size)
        for (Index kernel = 1; kernel <= std::min<Index>(size, 7); ++kernel)
            for (Index stride = 1; stride <= 4; ++stride) {
                Index count = 0;
                for (Index at = 0; at + kernel <= size; at += stride) ++count;
                CHECK((size - kernel) / stride + 1 == count);
                CHECK(conv1d(ones({1, 1, size}), ones({1, 1, kernel}), {}, {.stride = stride}).size(2) == count);
            }
}

TEST_CASE("equations: stride, padding and dilation",
          "[ops][devices][row:sys-stride/a][row:sys-stride/b][row:sys-padding/b][row:sys-dilation/a]"
          "[row:sys-dilation/c]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(8);
    const Tensor x = whole(random, {2, 3, 13, 14}, device), w = whole(random, {4, 3, 3, 3}, device), y = conv2d(x, w);
    for (const Index s : {2, 3, 4})
        CHECK(same_bits(conv2d(x, w, {}, {.stride = s}), contiguous(slice(slice(y, 2, 0, 11, s), 3, 0, 12, s))));
    for (const Index k : {1, 3, 5, 7})
        CHECK(conv2d(x, ones({2, 3, k, k}, device), {}, {.padding = (k - 1) / 2}).shape() == Shape{2, 2, 13, 14});
    const Tensor z = random.normal({2, 3, 13, 14}, 0, 1, device), v = random.normal({4, 3, 3, 3}, 0, 1, device);
    for (const Index d : {2, 3}) {
        const Tensor wide = zeros({4, 3, 2 * d + 1, 2 * d + 1}, device);
        slice(slice(wide, 2, 0, 2 * d + 1, d), 3, 0, 2 * d + 1, d).copy_(v);
        CHECK(relative(conv2d(z, v, {}, {.dilation = d}), conv2d(z, wide)) <= 1e-6);
    }
}

TEST_CASE("equations: transposed convolution",
          "[ops][devices][row:sys-transposed-conv/a][row:sys-transposed-conv/b][row:sys-transposed-conv/d]") {
    const Device device = GENERATE(from_range(devices()));
    const Index s = GENERATE(1, 2, 3);
    Generator random(9);
    const Tensor w = random.normal({4, 3, 5}, 0, 1, device), v = random.normal({4, 3, 2, 5}, 0, 1, device);
    const Tensor y = random.normal({2, 4, 6}, 0, 1, device), z = random.normal({2, 4, 5, 6}, 0, 1, device);
    const Tensor back = conv_transpose1d(y, w, {}, {.stride = s}), back2 = conv_transpose2d(z, v, {}, {.stride = s});
    CHECK(back.shape() == Shape{2, 3, 5 * s + 5});
    CHECK(back2.shape() == Shape{2, 3, 4 * s + 2, 5 * s + 5});
    const Tensor x = random.normal(back.shape(), 0, 1, device), u = random.normal(back2.shape(), 0, 1, device);
    CHECK(relative(sum(conv1d(x, w, {}, {.stride = s}) * y), sum(x * back)) <= 1e-5);
    CHECK(relative(sum(conv2d(u, v, {}, {.stride = s}) * z), sum(u * back2)) <= 1e-5);
}

TEST_CASE("equations: pooling",
          "[ops][devices][row:claim-maxpool-logical-or/a][row:sys-avg-pool/a][row:sys-avg-pool/b]"
          "[row:sys-avg-pool/c][row:sys-avg-pool/d][row:sys-max-pool/b]") {
    const Device device = GENERATE(from_range(devices()));
    std::vector<Real> bits;
    for (int pattern = 0; pattern < 512; ++pattern)
        for (int i = 0; i < 9; ++i) bits.push_back(Real(pattern >> i & 1));
    std::vector<double> any(512, 1.0);
    any[0] = 0;
    CHECK(close(max_pool2d(Tensor({512, 3, 3}, bits, device), 3), any, 0));
    Generator random(10);
    const Tensor a = random.normal({2, 1, 7, 9}, 0, 1, device), b = random.normal({2, 1, 7, 9}, 0, 1, device);
    CHECK(gap(avg_pool2d(a, 3), conv2d(a, full({1, 1, 3, 3}, Real(1) / 9, device), {}, {.stride = 3})) <= 1e-6);
    CHECK(gap(avg_pool2d(2. * a - b, 2), 2. * avg_pool2d(a, 2) - avg_pool2d(b, 2)) <= 1e-6);
    CHECK(gap(max_pool2d(2. * a - b, 2), 2. * max_pool2d(a, 2) - max_pool2d(b, 2)) > 0);
    for (const Index k : {1, 2, 3})
        for (const Index s : {1, 2, 3})
            for (const Index p : {Index(0), k / 2})
                CHECK(max_pool2d(a, k, {.stride = s, .padding = p}).shape() ==
                      conv2d(a, ones({1, 1, k, k}, device), {}, {.stride = s, .padding = p}).shape());
    CHECK(same_bits(max_pool2d(a, {2, 3}), max_pool2d(a, {2, 3}, {.stride = {2, 3}})));
}

TEST_CASE("equations: normalisation",
          "[ops][devices][row:eq-batchnorm/a][row:eq-batchnorm/b][row:eq-layernorm/a][row:eq-layernorm/b]"
          "[row:eq-layernorm/c][row:eq-layernorm/e][row:sys-layernorm/b][row:sys-instance-norm/a]"
          "[row:sys-instance-norm/b][row:sys-instance-norm/c]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(12).normal({64, 8, 5, 5}, 3, 2, device), none;
    const auto standard = [](const Tensor& z, std::initializer_list<int> axes) {
        const Tensor m = mean(z, axes), v = variance(z, axes, 0);
        CHECK(gap(m, zeros(m.shape(), m.device())) <= 1e-6);
        CHECK(gap(v, ones(v.shape(), v.device())) <= 1e-3);
    };
    standard(batch_norm(x, none, none, none, none), {0, 2, 3});
    const Tensor y = layer_norm(x, 3);
    standard(y, {1, 2, 3});
    CHECK(gap(layer_norm(x * 8., 3), y) <= 1e-4);
    CHECK(same_bits(layer_norm(slice(x, 0, 5, 6), 3), contiguous(slice(y, 0, 5, 6))));
    standard(group_norm(x, 8), {2, 3});
    standard(group_norm(x, 1), {1, 2, 3});
    CHECK(gap(group_norm(x, 1), y) <= 1e-5);
}

TEST_CASE("equations: linear attention", "[ops][devices][row:sys-linear-attention/e][row:eq-linear-attention/c]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(14);
    const Tensor q = random.normal({9, 4}, 0, 1, device), k = random.normal({7, 4}, 0, 1, device),
                 v = random.normal({7, 3}, 0, 1, device);
    const Tensor f = elu(q) + 1, g = elu(k) + 1, match = matmul(f, transpose(g));
    const Tensor pairs = matmul(match / sum(match, {1}, Keep::yes), v);
    const Tensor sums = matmul(transpose(g), v), total = sum(g, {0});
    CHECK(gap(matmul(f, sums) / matmul(f, reshape(total, {4, 1})), pairs) <= 1e-5);
    const auto on_cpu = [](const Tensor& x) { return x.to(Device::cpu); };
    const Tensor a = elu(on_cpu(q)) + 1, b = elu(on_cpu(k)) + 1, same = matmul(a, transpose(b));
    CHECK(gap(on_cpu(pairs), matmul(same / sum(same, {1}, Keep::yes), on_cpu(v))) <= 1e-5);
}

TEST_CASE("equations: attention",
          "[ops][devices][row:sys-causal-mask/a][row:claim-attention-permutation/a][row:eq-4.2/a]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(13);
    const Tensor x = random.normal({1, 2, 9, 4}, 0, 1, device);
    const Tensor y = attention(x, x, x, {.causal = true});
    for (Index t = 0; t < 9; ++t) {
        Tensor other = clone(x);
        slice(other, 2, t, t + 1).copy_(random.normal({1, 2, 1, 4}, 0, 5, device));
        const Tensor z = attention(other, other, other, {.causal = true});
        CHECK(same_bits(contiguous(slice(z, 2, 0, t)), contiguous(slice(y, 2, 0, t))));
        CHECK(gap(slice(z, 2, t, t + 1), slice(y, 2, t, t + 1)) > 0);
    }
    const Tensor unmasked = attention(x, x, x);
    CHECK(min(unmasked - min(x, {2}, Keep::yes)).item() >= 0);
    CHECK(max(unmasked - max(x, {2}, Keep::yes)).item() <= 0);
    const Integers order({9}, {3, 1, 8, 0, 6, 2, 7, 5, 4}, device);
    const auto permuted = [&](const Tensor& t) { return transpose(index_rows(transpose(t, 0, 2), order), 0, 2); };
    const Tensor p = permuted(x);
    CHECK(gap(attention(p, p, p), permuted(unmasked)) <= 1e-5);
}
