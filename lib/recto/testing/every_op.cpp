#include <recto/testing/every_op.hpp>

#include <algorithm>
#include <sstream>

#include <recto/autograd/tape.hpp>
#include <recto/core/random.hpp>
#include <recto/ops/ops.hpp>

namespace RECTO::testing {
namespace {

using X = const std::vector<Tensor>&;
using R = Results;

constexpr Nearness bits{Nearness::equal};
constexpr Nearness near_one{Nearness::pointwise, "1", 8 * std::numeric_limits<Real>::epsilon()};
constexpr Nearness sums(const char* terms) { return {Nearness::sums, terms}; }
constexpr Nearness convolution(const char* terms) { return {Nearness::sums, terms, 0, true}; }
constexpr Nearness chain(const char* terms) { return {Nearness::chain, terms}; }
/// The sums of chain, but without NaN and infinity: if a probability underflows and multiplies an infinity, rounding
/// decides whether the result is NaN.
constexpr Nearness finite_chain(const char* terms) { return {Nearness::chain, terms, 0, true}; }

/// Integers from 0 to below - 1 in a fixed order, some of them repeated.
Integers places(const Shape& shape, Index below, Device device) {
    std::vector<Index> values;
    for (Index i = 0; i < shape.numel(); ++i) values.push_back(i * i % std::max<Index>(below, 1));
    return Integers(shape, values, device);
}

Neighbours ring(X x) {
    const Index n = x[0].size(0);
    return {Integers({4}, {0, n, n, 2 * n}, x[0].device()), places({2 * n}, n, x[0].device()), n};
}

RecurrentWeights weights(X x) { return {x[1], x[2], x[3], x[4]}; }

Results normed(X x, bool training) {
    Tensor mean = full({x[0].size(1)}, 0.5, x[0].device()), variance = full({x[0].size(1)}, 2, x[0].device());
    const Tensor y = batch_norm(x[0], x[1], x[2], mean, variance, {.training = training});
    return std::vector{y, mean, variance};
}

Tensor dropped(Tensor (*drop)(const Tensor&, double, Generator&, bool), X x) {
    Generator random(1);
    return drop(x[0], 0.4, random, true);
}

/// Zeros behind every row, up to whole blocks.
Tensor whole_blocks(const Tensor& x) {
    const std::initializer_list<Border> behind = {{0, (block_size - x.size(-1) % block_size) % block_size}};
    return pad(x, behind);
}

// Named lists, so that each entry of the table fits on a line.
const std::initializer_list<int> outer = {0, 2}, round = {2, 0, 1};
const std::initializer_list<Border> borders = {{1, 0}, {2, 3}};
const std::vector<Index> cut = {1, 0, 4};
const Shape two_by_nine = {2, 9};

const Op ops[] = {
    {"exp", "nm", [](X x) { return R(exp(x[0])); }},
    {"log", "nm", [](X x) { return R(log(x[0])); }},
    {"sqrt", "nm", [](X x) { return R(sqrt(x[0])); }},
    {"square", "nm", [](X x) { return R(square(x[0])); }},
    {"abs", "nm", [](X x) { return R(abs(x[0])); }, bits},
    {"negative", "nm", [](X x) { return R(negative(x[0])); }, bits},
    {"tanh", "nm", [](X x) { return R(tanh(x[0])); }, near_one},
    {"sigmoid", "nm", [](X x) { return R(sigmoid(x[0])); }, near_one},
    {"relu", "nm", [](X x) { return R(relu(x[0])); }, bits},
    {"softplus", "nm", [](X x) { return R(softplus(x[0])); }},
    {"leaky_relu", "nm", [](X x) { return R(leaky_relu(x[0])); }},
    {"elu", "nm", [](X x) { return R(elu(x[0], 0.5)); }, near_one},
    {"selu", "nm", [](X x) { return R(selu(x[0])); }, near_one},
    {"gelu", "nm", [](X x) { return R(gelu(x[0])); }, near_one},
    {"gelu_tanh", "nm", [](X x) { return R(gelu_tanh(x[0])); }, near_one},
    {"silu", "nm", [](X x) { return R(silu(x[0])); }, near_one},
    {"clamp", "nm", [](X x) { return R(clamp(x[0], -0.5, 1)); }, bits},
    {"round_to", "nm", [](X x) { return R(round_to(x[0], fp16)); }, bits},
    {"quantize", "nm", [](X x) { return R(dequantize(quantize(whole_blocks(x[0]), q5_0))); }, bits},
    {"dequantize", "nm", [](X x) { return R(dequantize(quantize(whole_blocks(x[0]), q8_0))); }, bits},
    {"fake_quantize", "3nm", [](X x) { return R(fake_quantize(x[0], 16, 32)); }, bits},

    {"add", "3nm n1", [](X x) { return R(add(x[0], x[1])); }, sums("3m")},
    {"sub", "3nm m", [](X x) { return R(sub(x[0], x[1])); }, sums("3n")},
    {"mul", "n1m 31", [](X x) { return R(mul(x[0], x[1])); }, sums("nm 3")},
    {"div", "nm nm", [](X x) { return R(div(x[0], x[1])); }},
    {"maximum", "nm 1m", [](X x) { return R(maximum(x[0], x[1])); }, chain("n")},
    {"minimum", "nm nm", [](X x) { return R(minimum(x[0], x[1])); }, bits},
    {"prelu", "nm 1", [](X x) { return R(prelu(x[0], x[1])); }, chain("nm")},
    {"prelu", "3nm n", [](X x) { return R(prelu(x[0], x[1])); }, chain("3m")},
    {"where", "n1 nm 3nm", [](X x) { return R(where(relu(x[0].detach()), x[1], x[2])); }, chain("3")},
    {"where", "nm nm m", [](X x) { return R(where(x[0].detach(), x[1], x[2])); }, chain("n")},

    {"sum", "nm", [](X x) { return R(sum(x[0])); }, sums("nm")},
    {"sum", "3nm", [](X x) { return R(sum(x[0], outer)); }, sums("3m")},
    {"sum", "n3m", [](X x) { return R(sum(x[0], {1}, Keep::yes)); }, sums("3")},
    {"mean", "3nm", [](X x) { return R(mean(x[0], outer)); }, sums("3m")},
    {"max", "3nm", [](X x) { return R(max(x[0], outer)); }, bits},
    {"min", "3nm", [](X x) { return R(min(x[0], {1})); }, bits},
    {"argmax", "3nm", [](X x) { return R(argmax(x[0], 1)); }, bits},
    {"argmin", "3nm", [](X x) { return R(argmin(x[0])); }, bits},
    {"logsumexp", "3nm", [](X x) { return R(logsumexp(x[0], outer)); }, chain("3m")},
    {"sum_to", "3nm", [](X x) { return R(sum_to(x[0], select(x[0], 0, 0).shape().with(1, 1))); }, sums("3m")},
    {"variance", "3nm", [](X x) { return R(variance(x[0], outer)); }, chain("3m")},
    {"norm", "3nm", [](X x) { return R(norm(x[0], {1})); }, chain("3")},

    {"reshape", "n3m", [](X x) { return R(reshape(x[0], x[0].shape().without(1).with(1, 3 * x[0].size(2)))); }, bits},
    {"flatten", "n3m", [](X x) { return R(flatten(x[0])); }, bits},
    {"permute", "n3m", [](X x) { return R(permute(x[0], round)); }, bits},
    {"transpose", "n3m", [](X x) { return R(transpose(x[0])); }, bits},
    {"slice", "9nm", [](X x) { return R(slice(x[0], 0, 1, 9, 3)); }, bits},
    {"select", "n5m", [](X x) { return R(select(x[0], 1, 3)); }, bits},
    {"expand", "n1m", [](X x) { return R(expand(x[0], x[0].shape().with(1, 4))); }, sums("4")},
    {"clone", "n3m", [](X x) { return R(clone(x[0])); }, bits},
    {"contiguous", "n3m", [](X x) { return R(contiguous(x[0])); }, bits},
    {"concat", "nm n3", [](X x) { return R(concat(x, 1)); }, bits},
    {"stack", "nm nm", [](X x) { return R(stack(x, 1)); }, bits},
    {"split", "5nm", [](X x) { return R(split(x[0], cut)); }, bits},
    {"pad", "3nm", [](X x) { return R(pad(x[0], borders, 7)); }, bits},
    {"flip", "3nm", [](X x) { return R(flip(x[0], outer)); }, bits},
    {"channels_last", "3nm", [](X x) { return R(channels_last(x[0])); }, bits},
    {"channels_first", "2nm3", [](X x) { return R(channels_first(x[0])); }, bits},
    {"time_last", "3nm", [](X x) { return R(time_last(x[0])); }, bits},
    {"time_first", "nm", [](X x) { return R(time_first(x[0])); }, bits},

    {"gather", "n5m", [](X x) { return R(gather(x[0], 1, places(x[0].shape().with(1, 7), 5, x[0].device()))); },
     sums("7")},
    {"scatter_add", "n5m n7m",
     [](X x) { return R(scatter_add(x[0], 1, places(x[1].shape(), 5, x[0].device()), x[1])); }, sums("7")},
    {"top_k", "n5m", [](X x) { return R(top_k(x[0], 3, 1)); }, bits},
    {"index_rows", "n3m", [](X x) { return R(index_rows(x[0], places(two_by_nine, x[0].size(0), x[0].device()))); },
     sums("29")},
    {"sum_neighbours", "n2m", [](X x) { return R(sum_neighbours(x[0], ring(x))); }, sums("n")},

    {"softmax", "3nm", [](X x) { return R(softmax(x[0])); }, chain("m")},
    {"log_softmax", "3nm", [](X x) { return R(log_softmax(x[0])); }, chain("m")},
    {"normalize_rows", "nm", [](X x) { return R(normalize_rows(x[0])); }, chain("m")},
    {"normalize_rows", "nm n1", [](X x) { return R(normalize_rows(x[0], x[1])); }, chain("m")},
    {"cross_entropy", "n3m",
     [](X x) { return R(cross_entropy(x[0], places(x[0].shape().without(2), x[0].size(2), x[0].device()))); },
     chain("3n m")},
    {"cross_entropy", "n3m m",
     [](X x) {
         const Integers labels = places(x[0].shape().without(2), x[0].size(2), x[0].device());
         return R(
             cross_entropy(x[0], labels, {.smoothing = 0.1, .weight = x[1].detach(), .reduction = Reduction::none}));
     },
     chain("m")},
    {"binary_cross_entropy", "nm nm", [](X x) { return R(binary_cross_entropy(x[0], x[1])); }, chain("nm")},
    {"mse_loss", "nm nm", [](X x) { return R(mse_loss(x[0], x[1])); }, chain("nm")},
    {"l1_loss", "nm nm", [](X x) { return R(l1_loss(x[0], x[1])); }, chain("nm")},
    {"huber_loss", "nm nm", [](X x) { return R(huber_loss(x[0], x[1])); }, chain("nm")},
    {"kl_divergence", "n2m n2m", [](X x) { return R(kl_divergence(x[0], x[1])); }, chain("2nm")},
    {"triplet_loss", "n2m n2m n2m", [](X x) { return R(triplet_loss(x[0], x[1], x[2])); }, chain("2nm")},

    {"layer_norm", "n3m 3m 3m", [](X x) { return R(layer_norm(x[0], 2, x[1], x[2])); }, chain("3m n")},
    {"rms_norm", "2nm m", [](X x) { return R(rms_norm(x[0], 1, x[1])); }, chain("m 2n")},
    {"group_norm", "n6m 6 6", [](X x) { return R(group_norm(x[0], 2, x[1], x[2])); }, chain("3m nm")},
    {"batch_norm", "9m m m", [](X x) { return normed(x, true); }, chain("9")},
    {"batch_norm", "3n2m n n", [](X x) { return normed(x, true); }, chain("32m")},
    {"batch_norm", "3nm n n", [](X x) { return normed(x, false); }, chain("3m")},
    {"batch_norm_relu", "9m m m", [](X x) { return R(batch_norm_relu(x[0], x[1], x[2], {}, {})); }, chain("9")},
    {"batch_norm_relu", "3n2m n n 3n2m", [](X x) { return R(batch_norm_relu(x[0], x[1], x[2], {}, {}, {}, x[3])); },
     chain("32m")},
    {"dropout", "3nm", [](X x) { return R(dropped(dropout, x)); }, bits},
    {"spatial_dropout", "3nm", [](X x) { return R(dropped(spatial_dropout, x)); }, bits},

    {"matmul", "nm m5", [](X x) { return R(matmul(x[0], x[1])); }, sums("n m 5"), true},
    {"matmul", "235n 23nm", [](X x) { return R(matmul(x[0], x[1])); }, sums("n m 5"), true},
    {"matmul", "2nm m5", [](X x) { return R(matmul(x[0], x[1])); }, sums("2n m 5"), true},
    {"matmul", "2135n 3nm", [](X x) { return R(matmul(x[0], x[1])); }, sums("2m 25m n 5m"), true},
    {"linear", "2nm 5m 5", [](X x) { return R(linear(x[0], x[1], x[2])); }, sums("2n m 5")},
    {"int8_linear", "7m 5m 5",
     [](X x) { return R(int8_linear(whole_blocks(x[0]), quantize(whole_blocks(x[1]), q8_0), 3, x[2])); }, sums("m")},
    {"quantized_linear", "7m 5m 5",
     [](X x) { return R(quantized_linear(whole_blocks(x[0]), quantize(whole_blocks(x[1]), q4_1), x[2])); },
     sums("m 5 7")},
    {"conv1d", "34n 623 6", [](X x) { return R(conv1d(x[0], x[1], x[2], {.padding = 1, .groups = 2})); },
     convolution("33 3n")},
    {"conv1d", "2nm 7n2", [](X x) { return R(conv1d(x[0], x[1], {}, {.stride = 2, .padding = 1})); },
     convolution("2n 72 2m")},
    {"conv2d", "23nm 5332 5", [](X x) { return R(conv2d(x[0], x[1], x[2], {.padding = 1})); },
     convolution("332 532 2nm")},
    {"conv2d", "2n4m n122", [](X x) { return R(conv2d(x[0], x[1], {}, {.padding = 1, .groups = x[0].size(1)})); },
     convolution("4 25m")},
    {"conv_transpose1d", "24n 423 4", [](X x) { return R(conv_transpose1d(x[0], x[1], x[2], {.groups = 2})); },
     convolution("23 2n")},
    {"conv_transpose2d", "23nm 3422 4", [](X x) { return R(conv_transpose2d(x[0], x[1], x[2], {.stride = 2})); },
     convolution("344 422 8nm")},
    {"max_pool1d", "2nm", [](X x) { return R(max_pool1d(x[0], 3, {.stride = 1, .padding = 1})); }, chain("3")},
    {"max_pool2d", "2nm", [](X x) { return R(max_pool2d(x[0], 2, {.padding = 1})); }, bits},
    {"avg_pool1d", "2nm", [](X x) { return R(avg_pool1d(x[0], 2, {.padding = 1})); }, sums("2")},
    {"avg_pool2d", "2nm", [](X x) { return R(avg_pool2d(x[0], {3, 2}, {.stride = 1, .padding = 1})); }, sums("32")},
    {"adaptive_avg_pool1d", "2nm", [](X x) { return R(adaptive_avg_pool1d(x[0], 5)); }, sums("m")},
    {"adaptive_avg_pool2d", "2nm", [](X x) { return R(adaptive_avg_pool2d(x[0], {2, 3})); }, sums("nm")},
    {"adaptive_max_pool1d", "2nm", [](X x) { return R(adaptive_max_pool1d(x[0], 5)); }, chain("5")},
    {"adaptive_max_pool2d", "2nm", [](X x) { return R(adaptive_max_pool2d(x[0], {2, 3})); }, chain("6")},
    {"resize_nearest", "2nm", [](X x) { return R(resize_nearest(x[0], {5, 8})); }, sums("58")},
    {"resize_bilinear", "2nm", [](X x) { return R(resize_bilinear(x[0], {8, 5})); }, sums("85")},
    {"upsample_nearest", "2nm", [](X x) { return R(upsample_nearest(x[0], {2, 3})); }, sums("23")},
    {"upsample_bilinear", "2nm", [](X x) { return R(upsample_bilinear(x[0], {3, 2})); }, sums("64")},

    {"attention", "22n3 22m3 22m5", [](X x) { return R(attention(x[0], x[1], x[2])); }, finite_chain("n m 5")},
    {"attention", "31n4 31n4 31n4", [](X x) { return R(attention(x[0], x[1], x[2], {.causal = true})); },
     finite_chain("n 4")},
    {"attention", "12nm 127m 127m n7", [](X x) { return R(attention(x[0], x[1], x[2], {.mask = x[3]})); },
     finite_chain("n m 7")},
    {"self_attention", "2n6 2nn", [](X x) { return R(self_attention(x[0], 2, {.mask = select(x[1], 0, 1)})); },
     finite_chain("n 6")},
    {"rotary", "2n8 n4", [](X x) { return R(rotary(x[0], x[1].detach())); }, chain("2")},
    {"affine_scan", "2nm 2nm 2m", [](X x) { return R(affine_scan(x[0], x[1], x[2])); }, chain("2n m")},
    {"affine_scan", "nm nm", [](X x) { return R(affine_scan(x[0], x[1])); }, chain("n m")},
    {"rnn", "2nm 3m 33 3 3 23", [](X x) { return R(rnn(x[0], weights(x), x[5])); }, chain("2n m 3")},
    {"lstm", "n2m 8m 82 8 8 n2 n2", [](X x) { return R(lstm(x[0], weights(x), x[5], x[6])); }, chain("2n m")},
    {"gru", "2nm 6m 62 6 6 22", [](X x) { return R(gru(x[0], weights(x), x[5])); }, chain("2n m 6")},
};

Tensor numbers(Generator& random, const Shape& shape, Device device, const Change& change) {
    std::vector<Real> values = random.normal(shape).values();
    for (Real& v : values) v = change(v);
    return Tensor(shape, values, device);
}

/// The extent that a letter or a digit means.
Index extent(char c, Index n, Index m) { return c == 'n' ? n : c == 'm' ? m : c - '0'; }

}  // namespace

Results::Results(const Recurrent& y) : all{y.y, y.h} {
    if (y.c.defined()) all.push_back(y.c);
}

Results::Results(const Integers& y) {
    std::vector<Real> values;
    for (const Index i : y.values()) values.push_back(Real(i));
    all = {Tensor(y.shape(), values)};
}

std::span<const Op> every_op() { return ops; }

std::vector<Tensor> inputs(const Op& op, Index n, Index m, Device device, const Change& change) {
    Generator random(3);
    std::vector<Tensor> x;
    std::istringstream words(op.shapes);
    for (std::string word; words >> word;) {
        std::vector<Index> extents;
        for (const char c : word) extents.push_back(extent(c, n, m));
        x.push_back(numbers(random, Shape(std::span<const Index>(extents)), device, change));
    }
    return x;
}

Outcome outcome(const Op& op, std::vector<Tensor> x, const Change& change) {
    Generator random(5);
    for (Tensor& t : x) t.requires_grad_();
    Outcome out;
    try {
        out.tensors = op.f(x).all;
    } catch (const Error& error) {
        out.refusal = error.what();
        return out;
    }
    out.results = out.tensors.size();
    Grads slopes;
    bool wanted = false;
    for (const Tensor& y : out.tensors) {
        slopes.push_back(numbers(random, y.shape(), y.device(), change));
        wanted = wanted || y.requires_grad();
    }
    if (!wanted) return out;
    record("sweep", Tensor(Shape{}, {0}, x[0].device()), out.tensors, [&](const Tensor&) { return slopes; }).backward();
    for (const Tensor& t : x) out.tensors.push_back(t.grad());
    return out;
}

Index longest_sum(const char* terms, Index n, Index m) {
    Index longest = 1;
    std::istringstream words(terms);
    for (std::string word; words >> word;) {
        Index terms_in_it = 1;
        for (const char c : word) terms_in_it *= extent(c, n, m);
        longest = std::max(longest, terms_in_it);
    }
    return longest;
}

}  // namespace RECTO::testing
