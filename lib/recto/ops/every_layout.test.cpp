// Every operation on views: what it gives, and the gradients of its inputs, are to the bit those of dense copies.
// tests/check_rooms.py refuses a function of ops/*.hpp that has no line in the table.
#include <recto/ops/ops.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include <recto/autograd/tape.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// What an operation gives, whatever it gives.
struct Results {
    std::vector<Tensor> all;
    Results(const Tensor& y) : all{y} {}
    Results(const std::vector<Tensor>& y) : all(y) {}
    Results(const Recurrent& y) : all{y.y, y.h} {
        if (y.c.defined()) all.push_back(y.c);
    }
    Results(const Integers& y) {
        std::vector<Real> values;
        for (const Index i : y.values()) values.push_back(Real(i));
        all = {Tensor(y.shape(), values)};
    }
    Results(const TopK& y) : all{y.values, Results(y.places).all[0]} {}
};

using X = const Inputs&;
using R = Results;

/// An operation and its inputs. In a shape a digit is an extent; n and m take all the sizes below.
struct Op {
    const char* name;
    const char* shapes;
    Results (*f)(X);
    bool whole = false;  ///< inputs are whole numbers, for what reads views where they lie and may add in another order
};

/// Whole numbers from 0 to below - 1 in some order, some of them more than once.
Integers places(const Shape& shape, Index below, Device device) {
    std::vector<Index> values;
    for (Index i = 0; i < shape.count(); ++i) values.push_back(i * i % std::max<Index>(below, 1));
    return Integers(shape, values, device);
}

Neighbours ring(X x) {
    const Index n = x[0].dim(0);
    return {Integers({4}, {0, n, n, 2 * n}, x[0].device()), places({2 * n}, n, x[0].device()), n};
}

RecurrentWeights weights(X x) { return {x[1], x[2], x[3], x[4]}; }

Results normed(X x, bool training) {
    Tensor mean = full({x[0].dim(1)}, 0.5, x[0].device()), variance = full({x[0].dim(1)}, 2, x[0].device());
    const Tensor y = batch_norm(x[0], x[1], x[2], mean, variance, {.training = training});
    return std::vector{y, mean, variance};
}

Tensor dropped(Tensor (*drop)(const Tensor&, double, Generator&, bool), X x) {
    Generator random(1);
    return drop(x[0], 0.4, random, true);
}

// Lists, named so that a line of the table stays a line.
const std::initializer_list<int> outer = {0, 2}, round = {2, 0, 1};
const std::initializer_list<Border> borders = {{1, 0}, {2, 3}};
const std::vector<Index> cut = {1, 0, 4};
const Shape two_by_nine = {2, 9};

const Op ops[] = {
    {"exp", "nm", [](X x) { return R(exp(x[0])); }},
    {"log", "nm", [](X x) { return R(log(x[0])); }},
    {"sqrt", "nm", [](X x) { return R(sqrt(x[0])); }},
    {"square", "nm", [](X x) { return R(square(x[0])); }},
    {"abs", "nm", [](X x) { return R(abs(x[0])); }},
    {"negative", "nm", [](X x) { return R(negative(x[0])); }},
    {"tanh", "nm", [](X x) { return R(tanh(x[0])); }},
    {"sigmoid", "nm", [](X x) { return R(sigmoid(x[0])); }},
    {"relu", "nm", [](X x) { return R(relu(x[0])); }},
    {"softplus", "nm", [](X x) { return R(softplus(x[0])); }},
    {"leaky_relu", "nm", [](X x) { return R(leaky_relu(x[0])); }},
    {"gelu", "nm", [](X x) { return R(gelu(x[0])); }},
    {"gelu_tanh", "nm", [](X x) { return R(gelu_tanh(x[0])); }},
    {"silu", "nm", [](X x) { return R(silu(x[0])); }},
    {"clamp", "nm", [](X x) { return R(clamp(x[0], -0.5, 1)); }},
    {"round_to", "nm", [](X x) { return R(round_to(x[0], fp16)); }},

    {"add", "3nm n1", [](X x) { return R(add(x[0], x[1])); }},
    {"sub", "3nm m", [](X x) { return R(sub(x[0], x[1])); }},
    {"mul", "n1m 31", [](X x) { return R(mul(x[0], x[1])); }},
    {"div", "nm nm", [](X x) { return R(div(x[0], x[1])); }},
    {"maximum", "nm 1m", [](X x) { return R(maximum(x[0], x[1])); }},
    {"minimum", "nm nm", [](X x) { return R(minimum(x[0], x[1])); }},
    {"where", "n1 nm 3nm", [](X x) { return R(where(relu(x[0].detach()), x[1], x[2])); }},
    {"where", "nm nm m", [](X x) { return R(where(x[0].detach(), x[1], x[2])); }},

    {"sum", "nm", [](X x) { return R(sum(x[0])); }},
    {"sum", "3nm", [](X x) { return R(sum(x[0], outer)); }},
    {"sum", "n3m", [](X x) { return R(sum(x[0], {1}, Keep::yes)); }},
    {"mean", "3nm", [](X x) { return R(mean(x[0], outer)); }},
    {"max", "3nm", [](X x) { return R(max(x[0], outer)); }},
    {"min", "3nm", [](X x) { return R(min(x[0], {1})); }},
    {"argmax", "3nm", [](X x) { return R(argmax(x[0], 1)); }},
    {"argmin", "3nm", [](X x) { return R(argmin(x[0])); }},
    {"logsumexp", "3nm", [](X x) { return R(logsumexp(x[0], outer)); }},
    {"sum_to", "3nm", [](X x) { return R(sum_to(x[0], select(x[0], 0, 0).shape().with(1, 1))); }},
    {"variance", "3nm", [](X x) { return R(variance(x[0], outer)); }},
    {"norm", "3nm", [](X x) { return R(norm(x[0], {1})); }},

    {"reshape", "n3m", [](X x) { return R(reshape(x[0], x[0].shape().without(1).with(1, 3 * x[0].dim(2)))); }},
    {"flatten", "n3m", [](X x) { return R(flatten(x[0])); }},
    {"permute", "n3m", [](X x) { return R(permute(x[0], round)); }},
    {"transpose", "n3m", [](X x) { return R(transpose(x[0])); }},
    {"slice", "9nm", [](X x) { return R(slice(x[0], 0, 1, 9, 3)); }},
    {"select", "n5m", [](X x) { return R(select(x[0], 1, 3)); }},
    {"expand", "n1m", [](X x) { return R(expand(x[0], x[0].shape().with(1, 4))); }},
    {"contiguous", "n3m", [](X x) { return R(contiguous(x[0])); }},
    {"concat", "nm n3", [](X x) { return R(concat(x, 1)); }},
    {"stack", "nm nm", [](X x) { return R(stack(x, 1)); }},
    {"split", "5nm", [](X x) { return R(split(x[0], cut)); }},
    {"pad", "3nm", [](X x) { return R(pad(x[0], borders, 7)); }},
    {"flip", "3nm", [](X x) { return R(flip(x[0], outer)); }},
    {"channels_last", "3nm", [](X x) { return R(channels_last(x[0])); }},
    {"channels_first", "2nm3", [](X x) { return R(channels_first(x[0])); }},
    {"time_last", "3nm", [](X x) { return R(time_last(x[0])); }},
    {"time_first", "nm", [](X x) { return R(time_first(x[0])); }},

    {"gather", "n5m", [](X x) { return R(gather(x[0], 1, places(x[0].shape().with(1, 7), 5, x[0].device()))); }},
    {"scatter_add", "n5m n7m",
     [](X x) { return R(scatter_add(x[0], 1, places(x[1].shape(), 5, x[0].device()), x[1])); }},
    {"top_k", "n5m", [](X x) { return R(top_k(x[0], 3, 1)); }},
    {"index_rows", "n3m", [](X x) { return R(index_rows(x[0], places(two_by_nine, x[0].dim(0), x[0].device()))); }},
    {"sum_neighbours", "n2m", [](X x) { return R(sum_neighbours(x[0], ring(x))); }},

    {"softmax", "3nm", [](X x) { return R(softmax(x[0])); }},
    {"log_softmax", "3nm", [](X x) { return R(log_softmax(x[0])); }},
    {"normalize_rows", "nm", [](X x) { return R(normalize_rows(x[0])); }},
    {"normalize_rows", "nm n1", [](X x) { return R(normalize_rows(x[0], x[1])); }},
    {"cross_entropy", "n3m",
     [](X x) { return R(cross_entropy(x[0], places(x[0].shape().without(2), x[0].dim(2), x[0].device()))); }},
    {"binary_cross_entropy", "nm nm", [](X x) { return R(binary_cross_entropy(x[0], x[1])); }},
    {"mse_loss", "nm nm", [](X x) { return R(mse_loss(x[0], x[1])); }},
    {"l1_loss", "nm nm", [](X x) { return R(l1_loss(x[0], x[1])); }},
    {"huber_loss", "nm nm", [](X x) { return R(huber_loss(x[0], x[1])); }},
    {"kl_divergence", "n2m n2m", [](X x) { return R(kl_divergence(x[0], x[1])); }},
    {"triplet_loss", "n2m n2m n2m", [](X x) { return R(triplet_loss(x[0], x[1], x[2])); }},

    {"layer_norm", "n3m 3m 3m", [](X x) { return R(layer_norm(x[0], 2, x[1], x[2])); }},
    {"rms_norm", "2nm m", [](X x) { return R(rms_norm(x[0], 1, x[1])); }},
    {"group_norm", "n6m 6 6", [](X x) { return R(group_norm(x[0], 2, x[1], x[2])); }},
    {"batch_norm", "9m m m", [](X x) { return normed(x, true); }},
    {"batch_norm", "3n2m n n", [](X x) { return normed(x, true); }},
    {"batch_norm", "3nm n n", [](X x) { return normed(x, false); }},
    {"batch_norm_relu", "9m m m", [](X x) { return R(batch_norm_relu(x[0], x[1], x[2], {}, {})); }},
    {"batch_norm_relu", "3n2m n n 3n2m", [](X x) { return R(batch_norm_relu(x[0], x[1], x[2], {}, {}, {}, x[3])); }},
    {"dropout", "3nm", [](X x) { return R(dropped(dropout, x)); }},
    {"spatial_dropout", "3nm", [](X x) { return R(dropped(spatial_dropout, x)); }},

    {"matmul", "nm m5", [](X x) { return R(matmul(x[0], x[1])); }, true},
    {"matmul", "235n 23nm", [](X x) { return R(matmul(x[0], x[1])); }, true},
    {"linear", "2nm 5m 5", [](X x) { return R(linear(x[0], x[1], x[2])); }},
    {"conv1d", "34n 623 6", [](X x) { return R(conv1d(x[0], x[1], x[2], {.padding = 1, .groups = 2})); }},
    {"conv1d", "2nm 7n2", [](X x) { return R(conv1d(x[0], x[1], {}, {.stride = 2, .padding = 1})); }},
    {"conv2d", "23nm 5332 5", [](X x) { return R(conv2d(x[0], x[1], x[2], {.padding = 1})); }},
    {"conv2d", "2n4m n122", [](X x) { return R(conv2d(x[0], x[1], {}, {.padding = 1, .groups = x[0].dim(1)})); }},
    {"conv_transpose1d", "24n 423 4", [](X x) { return R(conv_transpose1d(x[0], x[1], x[2], {.groups = 2})); }},
    {"conv_transpose2d", "23nm 3422 4", [](X x) { return R(conv_transpose2d(x[0], x[1], x[2], {.stride = 2})); }},
    {"max_pool1d", "2nm", [](X x) { return R(max_pool1d(x[0], 3, {.stride = 1, .padding = 1})); }},
    {"max_pool2d", "2nm", [](X x) { return R(max_pool2d(x[0], 2, {.padding = 1})); }},
    {"avg_pool1d", "2nm", [](X x) { return R(avg_pool1d(x[0], 2, {.padding = 1})); }},
    {"avg_pool2d", "2nm", [](X x) { return R(avg_pool2d(x[0], {3, 2}, {.stride = 1, .padding = 1})); }},
    {"resize_nearest", "2nm", [](X x) { return R(resize_nearest(x[0], {5, 8})); }},
    {"resize_bilinear", "2nm", [](X x) { return R(resize_bilinear(x[0], {8, 5})); }},
    {"upsample_nearest", "2nm", [](X x) { return R(upsample_nearest(x[0], {2, 3})); }},
    {"upsample_bilinear", "2nm", [](X x) { return R(upsample_bilinear(x[0], {3, 2})); }},

    {"attention", "22n3 22m3 22m5", [](X x) { return R(attention(x[0], x[1], x[2])); }},
    {"attention", "31n4 31n4 31n4", [](X x) { return R(attention(x[0], x[1], x[2], {.causal = true})); }},
    {"attention", "12nm 127m 127m n7", [](X x) { return R(attention(x[0], x[1], x[2], {.mask = x[3]})); }},
    {"self_attention", "2n6 2nn", [](X x) { return R(self_attention(x[0], 2, {.mask = select(x[1], 0, 1)})); }},
    {"rotary", "2n8 n4", [](X x) { return R(rotary(x[0], x[1].detach())); }},
    {"affine_scan", "2nm 2nm 2m", [](X x) { return R(affine_scan(x[0], x[1], x[2])); }},
    {"affine_scan", "nm nm", [](X x) { return R(affine_scan(x[0], x[1])); }},
    {"rnn", "2nm 3m 33 3 3 23", [](X x) { return R(rnn(x[0], weights(x), x[5])); }},
    {"lstm", "n2m 8m 82 8 8 n2 n2", [](X x) { return R(lstm(x[0], weights(x), x[5], x[6])); }},
    {"gru", "2nm 6m 62 6 6 22", [](X x) { return R(gru(x[0], weights(x), x[5])); }},
};

/// How a view lies in memory.
struct Layout {
    const char* name;
    bool turned = false;       ///< the first axis is the fastest
    bool swapped = false;      ///< the last two axes have changed places
    bool flipped = false;      ///< every axis runs backwards
    Index step = 1;            ///< from number to number along every axis; one more along the last
    Index margin = 0;          ///< numbers on either side that do not belong to it
    int stretched = max_rank;  ///< this axis is one number long and repeated
};

const Layout layouts[] = {
    {.name = "turned", .turned = true},
    {.name = "swapped", .swapped = true},
    {.name = "flipped", .flipped = true},
    {.name = "sliced", .margin = 1},
    {.name = "stepped", .step = 2, .margin = 1},
    {.name = "all of these", .turned = true, .swapped = true, .flipped = true, .step = 3, .margin = 2},
    {.name = "first axis stretched", .stretched = 0},
    {.name = "last axis stretched", .stretched = -1}};

/// The numbers of `x` (of its first place along a stretched axis) as a view into memory that is NaN elsewhere.
Tensor laid(const Tensor& x, const Layout& how) {
    if (x.size() == 0) return x;
    std::vector<std::size_t> order;  // the fastest axis first
    for (int i = x.rank() - 1; i >= 0; --i) order.push_back(std::size_t(i));
    if (how.turned) std::ranges::reverse(order);
    if (how.swapped && order.size() > 1) std::swap(order[0], order[1]);
    const int repeated = how.stretched == max_rank || x.rank() == 0 ? max_rank : x.shape().axis(how.stretched);
    const Shape once = repeated == max_rank ? x.shape() : x.shape().with(repeated, 1);
    PerAxis strides{};
    Index width = 1, first = 0;
    for (const std::size_t axis : order) {
        const Index n = once[int(axis)], step = how.step > 1 && int(axis) + 1 == x.rank() ? how.step + 1 : how.step;
        strides[axis] = how.flipped ? -step * width : step * width;
        first += (how.margin + (how.flipped ? (n - 1) * step : 0)) * width;
        width *= n * step + 2 * how.margin;
    }
    const Tensor memory = full({width}, not_a_number, x.device());
    memory.view(once, strides, first).assign(repeated == max_rank ? x : slice(x, repeated, 0, 1));
    if (repeated != max_rank) strides[std::size_t(repeated)] = 0;
    return memory.view(x.shape(), strides, first);
}

/// Normal numbers, or whole ones.
Tensor numbers(Generator& random, const Shape& shape, bool whole, Device device) {
    std::vector<Real> values = random.normal(shape, 0, whole ? 3 : 1).values();
    for (Real& v : values) v = whole ? std::round(v) : v;
    return Tensor(shape, values, device);
}

Inputs inputs(const Op& op, Index n, Index m, Device device) {
    Generator random(3);
    Inputs x;
    std::istringstream words(op.shapes);
    for (std::string word; words >> word;) {
        std::vector<Index> extents;
        for (const char c : word) extents.push_back(c == 'n' ? n : c == 'm' ? m : c - '0');
        x.push_back(numbers(random, Shape(std::span<const Index>(extents)), op.whole, device));
    }
    return x;
}

/// What an operation gives for these inputs and the gradients of the inputs; or the message with which it refuses.
struct Outcome {
    std::vector<Tensor> tensors;
    std::string refusal;
};

Outcome outcome(const Op& op, Inputs x) {
    Generator random(5);
    for (Tensor& t : x) t.requires_grad();
    Outcome out;
    try {
        out.tensors = op.f(x).all;
    } catch (const Error& error) {
        out.refusal = error.what();
        return out;
    }
    Grads slopes;
    bool wanted = false;
    for (const Tensor& y : out.tensors) {
        slopes.push_back(numbers(random, y.shape(), op.whole, y.device()));
        wanted = wanted || y.wants_grad();
    }
    if (!wanted) return out;
    record("sweep", Tensor(Shape{}, {0}, x[0].device()), out.tensors, [&](const Tensor&) { return slopes; }).backward();
    for (const Tensor& t : x) out.tensors.push_back(t.grad());
    return out;
}

}  // namespace

TEST_CASE("layouts: every operation gives on views the bits that it gives on dense copies", "[ops][layouts][devices]") {
    const Device device = GENERATE(from_range(devices()));
    for (const Op& op : ops) {
        int refused = 0;
        for (const auto& [n, m] :
             {std::pair<Index, Index>{1, 1}, {1, 7}, {7, 1}, {17, 7}, {7, 17}, {129, 2}, {2, 129}, {0, 3}, {3, 0}}) {
            const Inputs x = inputs(op, n, m, device);
            for (const Layout& layout : layouts) {
                INFO(op.name << " on " << name(device) << ", n = " << n << ", m = " << m << ", " << layout.name);
                Inputs views, copies;
                for (const Tensor& t : x) views.push_back(laid(t, layout)), copies.push_back(copy_of(views.back()));
                const Outcome got = outcome(op, views), want = outcome(op, copies);
                CHECK(got.refusal == want.refusal);
                REQUIRE(got.tensors.size() == want.tensors.size());
                for (std::size_t i = 0; i < want.tensors.size(); ++i) {
                    CAPTURE(i);
                    REQUIRE(got.tensors[i].defined() == want.tensors[i].defined());
                    if (got.tensors[i].defined()) CHECK(same_bits(got.tensors[i], want.tensors[i]));
                }
                refused += !want.refusal.empty() && n * m > 0;
            }
        }
        INFO(op.name);
        CHECK(refused == 0);  // or the table would show nothing
    }
}
