// Integers whose sums fit into a float: every order of additions gives the same bits, and so must every kernel, device
// and number of threads. tests/CMakeLists.txt runs [exact] again on other classes of processor.
#include <recto/ops/ops.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <recto/autograd/tape.hpp>
#include <recto/device/cpu_class.hpp>
#include <recto/device/threads.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

Tensor whole(Generator& random, const Shape& shape) {
    std::vector<Real> values;
    for (const Index v : random.integers(shape, -4, 5).values()) values.push_back(Real(v));
    return Tensor(shape, values);
}

/// The exact results of `f` for `x`, and the exact gradients of `x` for the gradient `dy` of the result.
struct Case {
    std::function<Tensor(const Inputs&)> f;
    Inputs x;
    Tensor dy;
    std::vector<double> y;
    std::vector<std::vector<double>> dx;
};

/// Checks on every device, and on the CPU with 1, 2 and 4 threads.
void check_exactly(const Case& c) {
    const int before = threads();
    for (const Device device : devices())
        for (const int count : {1, 2, 4}) {
            if (device != Device::cpu && count > 1) continue;
            set_threads(count);
            CAPTURE(device, count);
            Inputs x;
            for (const Tensor& t : c.x) x.push_back(clone(t).to(device).requires_grad_());
            const Tensor y = c.f(x);
            CHECK(close(y, c.y, 0));
            sum(y * c.dy.to(device)).backward();
            for (std::size_t i = 0; i < x.size(); ++i) {
                CAPTURE(i);
                CHECK(close(x[i].grad(), c.dx[i], 0));
            }
        }
    set_threads(before);
}

/// A bilinear operation by its definition: `walk` calls use(y, a, b) with the flat indices of every product.
using Use = std::function<void(std::size_t, std::size_t, std::size_t)>;
Case by_definition(const std::function<Tensor(const Inputs&)>& f, const Inputs& x, const Shape& result,
                   const std::function<void(const Use&)>& walk) {
    Generator random(9);
    Case c{f, x, whole(random, result), {}, {}};
    const std::vector<double> a = doubles(x[0]), b = doubles(x[1]), dy = doubles(c.dy);
    c.y.resize(dy.size()), c.dx = {std::vector<double>(a.size()), std::vector<double>(b.size())};
    walk([&](std::size_t to, std::size_t i, std::size_t j) {
        c.y[to] += a[i] * b[j], c.dx[0][i] += dy[to] * b[j], c.dx[1][j] += dy[to] * a[i];
    });
    return c;
}

/// Adds a bias along the axis with stride `step`.
void add_bias(Case& c, const Tensor& bias, std::size_t step) {
    const std::vector<double> b = doubles(bias), dy = doubles(c.dy);
    c.x.push_back(bias), c.dx.emplace_back(b.size());
    for (std::size_t i = 0; i < dy.size(); ++i) c.y[i] += b[i / step % b.size()], c.dx[2][i / step % b.size()] += dy[i];
}

/// The extents and options of a convolution along one axis.
struct Along {
    Index size, kernel, stride = 1, padding = 0, dilation = 1;
    Index result() const { return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1; }
    Index from(Index place, Index tap) const { return place * stride - padding + tap * dilation; }
};

/// Calls use(small, large, weight) for every product of a convolution that maps the large images to the small ones.
void convolve(Index batch, Index in, Index out, Index groups, const Along& rows, const Along& columns, const Use& use) {
    const Index per_group = in / groups;
    for (Index n = 0; n < batch; ++n)
        for (Index k = 0; k < out; ++k)
            for (Index i = 0; i < per_group; ++i)
                for (Index r = 0; r < rows.result(); ++r)
                    for (Index a = 0; a < rows.kernel; ++a)
                        for (Index q = 0; q < columns.result(); ++q)
                            for (Index b = 0; b < columns.kernel; ++b) {
                                const Index row = rows.from(r, a), column = columns.from(q, b);
                                if (row < 0 || row >= rows.size || column < 0 || column >= columns.size) continue;
                                const Index channel = n * in + k / (out / groups) * per_group + i;
                                use(std::size_t(((n * out + k) * rows.result() + r) * columns.result() + q),
                                    std::size_t((channel * rows.size + row) * columns.size + column),
                                    std::size_t(((k * per_group + i) * rows.kernel + a) * columns.kernel + b));
                            }
}

}  // namespace

TEST_CASE("exact: the kernels that were asked for are those that run", "[exact]") {
    const char* cpu = std::getenv("RECTO_CPU");
    CAPTURE(cpu_class_name());
    CHECK((!cpu || !*cpu || !std::strcmp(cpu, cpu_class_name())));
}

TEST_CASE("exact: products in every transposition, alone and in batches", "[ops][exact][devices]") {
    struct Sizes {
        Index batch, m, k, n;
    };
    // Edges of tiles and vectors; a matrix times a vector; long sums; several tiles.
    const auto [batch, m, k, n] =
        GENERATE(Sizes{0, 1, 1, 1}, Sizes{0, 7, 17, 5}, Sizes{0, 1, 300, 129}, Sizes{0, 129, 65, 1},
                 Sizes{0, 127, 31, 128}, Sizes{0, 3, 2100, 5}, Sizes{0, 70, 9, 530}, Sizes{3, 17, 33, 15});
    CAPTURE(batch, m, k, n);
    Generator random(1);
    const auto shape = [batch = batch](Index rows, Index columns) {
        return batch ? Shape{batch, rows, columns} : Shape{rows, columns};
    };
    const auto walk = [&, batch = batch, m = m, k = k, n = n](const Use& use) {
        for (Index c = 0; c < std::max<Index>(batch, 1); ++c)
            for (Index i = 0; i < m; ++i)
                for (Index p = 0; p < k; ++p)
                    for (Index j = 0; j < n; ++j)
                        use(std::size_t((c * m + i) * n + j), std::size_t((c * m + i) * k + p),
                            std::size_t((c * k + p) * n + j));
    };
    const Inputs x{whole(random, shape(m, k)), whole(random, shape(k, n))};
    Case c = by_definition([](const Inputs& in) { return matmul(in[0], in[1]); }, x, shape(m, n), walk);
    check_exactly(c);
    const auto turned = [](const Tensor& t) { return transpose(contiguous(transpose(t))); };
    c.f = [&](const Inputs& in) { return matmul(turned(in[0]), in[1]); };
    check_exactly(c);
    c.f = [&](const Inputs& in) { return matmul(in[0], turned(in[1])); };
    check_exactly(c);
    c.f = [&](const Inputs& in) { return matmul(turned(in[0]), turned(in[1])); };
    check_exactly(c);
    if (batch) return;
    add_bias(c, whole(random, {n}), 1);
    c.f = [](const Inputs& in) { return linear(in[0], transpose(in[1]), in[2]); };
    check_exactly(c);
}

TEST_CASE("exact: convolutions and transposed ones", "[ops][exact][devices]") {
    struct Setting {
        Index batch, in, out, groups;
        Along rows, columns;
    };
    const Setting settings[] = {
        {2, 3, 5, 1, {9, 3}, {8, 3}},
        {3, 16, 17, 1, {14, 3, 1, 1}, {13, 3, 1, 1}},      // one channel more than two tiles
        {2, 1, 8, 1, {28, 5}, {28, 5}},                    // a single channel
        {2, 4, 6, 1, {5, 1}, {17, 1}},                     // a kernel of one pixel
        {2, 3, 4, 1, {11, 3, 2, 1}, {10, 3, 3, 2}},        // stride
        {1, 3, 8, 1, {12, 3, 1, 2, 2}, {13, 3, 1, 3, 3}},  // dilation
        {2, 6, 12, 3, {9, 3, 1, 1}, {7, 2}},               // groups
        {2, 129, 129, 129, {6, 3, 1, 1}, {5, 3, 1, 1}},    // depthwise
        {2, 5, 10, 5, {7, 3, 2}, {6, 3, 2, 1}},            // depthwise, two of each
        {2, 4, 7, 1, {1, 1}, {129, 7, 1, 3}},              // series, as in the cases below
        {3, 4, 6, 2, {1, 1}, {127, 4, 3, 2, 2}},
    };
    for (const Setting& s : settings) {
        const Index batch = s.batch, in = s.in, out = s.out, groups = s.groups;
        const Along &rows = s.rows, &columns = s.columns;
        CAPTURE(in, out, groups, rows.size, rows.kernel, columns.size, columns.kernel);
        Generator random(2);
        const Shape large{batch, in, rows.size, columns.size}, small{batch, out, rows.result(), columns.result()};
        const Tensor w = whole(random, {out, in / groups, rows.kernel, columns.kernel});
        const ConvOptions o{.stride = {rows.stride, columns.stride},
                            .padding = {rows.padding, columns.padding},
                            .dilation = {rows.dilation, columns.dilation},
                            .groups = groups};
        const auto rest = [](const Along& a) {
            return a.size - 1 - ((a.result() - 1) * a.stride - 2 * a.padding + a.dilation * (a.kernel - 1));
        };
        const ConvOptions t{o.stride, o.padding, {rest(rows), rest(columns)}, o.dilation, groups};
        const auto walk = [&](const Use& use) { convolve(batch, in, out, groups, rows, columns, use); };

        Case c = by_definition([&](const Inputs& x) { return conv2d(x[0], x[1], x[2], o); }, {whole(random, large), w},
                               small, walk);
        add_bias(c, whole(random, {out}), std::size_t(small[2] * small[3]));
        check_exactly(c);
        Case d = by_definition(
            [&](const Inputs& x) { return conv_transpose2d(x[0], x[1], x[2], t); }, {whole(random, small), w}, large,
            [&](const Use& use) { walk([&](std::size_t y, std::size_t x, std::size_t k) { use(x, y, k); }); });
        add_bias(d, whole(random, {in}), std::size_t(large[2] * large[3]));
        check_exactly(d);
        if (rows.size > 1) continue;
        const auto flat = [](const Tensor& x) { return flatten(x, 2); };
        c.f = [&](const Inputs& x) {
            const ConvOptions along{columns.stride, columns.padding, 0, columns.dilation, groups};
            return reshape(conv1d(flat(x[0]), flat(x[1]), x[2], along), small);
        };
        check_exactly(c);
        d.f = [&](const Inputs& x) {
            const ConvOptions along{columns.stride, columns.padding, rest(columns), columns.dilation, groups};
            return reshape(conv_transpose1d(flat(x[0]), flat(x[1]), x[2], along), large);
        };
        check_exactly(d);
    }
}

TEST_CASE("exact: 200 random convolutions", "[ops][exact][devices][row:sys-conv2d/a][row:sys-conv2d/d]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(4);
    for (int n = 0; n < 200; ++n) {
        const auto up_to = [&](Index most) { return random.next_integer(1, most + 1); };
        const auto along = [&] {
            const Along a{up_to(9), up_to(4), up_to(3), up_to(4) - 1, up_to(3)};
            return a.size + 2 * a.padding > a.dilation * (a.kernel - 1) ? a : Along{a.size, 1, a.stride};
        };
        const Index groups = up_to(3), batch = up_to(3), in = groups * up_to(6), out = groups * up_to(9);
        const Along rows = along(), columns = along();
        CAPTURE(device, n, batch, in, out, groups);
        const ConvOptions o{.stride = {rows.stride, columns.stride},
                            .padding = {rows.padding, columns.padding},
                            .dilation = {rows.dilation, columns.dilation},
                            .groups = groups};
        const Inputs x{whole(random, {batch, in, rows.size, columns.size}).to(device),
                       whole(random, {out, in / groups, rows.kernel, columns.kernel}).to(device)};
        const Case c =
            by_definition([](const Inputs& i) { return i[0]; }, x, {batch, out, rows.result(), columns.result()},
                          [&](const Use& use) { convolve(batch, in, out, groups, rows, columns, use); });
        CHECK(close(conv2d(x[0], x[1], {}, o), c.y, 0));
    }
}

TEST_CASE("exact: sums, and means of a power of two numbers", "[ops][exact][devices]") {
    const Shape shape =
        GENERATE(Shape{1, 1, 1}, Shape{7, 8, 17}, Shape{16, 129, 4}, Shape{2, 32768, 3}, Shape{64, 1, 512});
    CAPTURE(shape);
    Generator random(3);
    const Tensor x = whole(random, shape);
    const std::vector<double> values = doubles(x);
    static const std::initializer_list<int> lists[] = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}};
    for (const std::initializer_list<int> axes : lists) {
        PerAxis kept{shape[0], shape[1], shape[2]};
        for (const int axis : axes) kept[std::size_t(axis)] = 1;
        const Shape result{kept[0], kept[1], kept[2]};
        const PerAxis strides = stretched_strides(empty(result), shape);
        CAPTURE(result);
        Case c{[axes](const Inputs& in) { return sum(in[0], axes, Keep::yes); }, {x}, whole(random, result), {}, {{}}};
        c.y.resize(std::size_t(result.numel()));
        const std::vector<double> dy = doubles(c.dy);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Index place[] = {Index(i) / shape[2] / shape[1], Index(i) / shape[2] % shape[1], Index(i) % shape[2]};
            const auto to = std::size_t(place[0] * strides[0] + place[1] * strides[1] + place[2] * strides[2]);
            c.y[to] += values[i], c.dx[0].push_back(dy[to]);
        }
        check_exactly(c);
        const Index n = shape.numel() / result.numel();
        if ((n & (n - 1)) != 0) continue;
        c.f = [axes](const Inputs& in) { return mean(in[0], axes, Keep::yes); };
        for (std::vector<double>* v : {&c.y, &c.dx[0]})
            for (double& number : *v) number /= double(n);
        check_exactly(c);
    }
}
