// The first code that a reader of the reference sees: an example for each family of operations. The reference shows the body of
// each test, every shows(EXPRESSION, "TEXT") as the expression and the text that this test compares (book/recto_book/examples.py).
#include <string>

#include <fmt/format.h>

#include <recto/autograd/tape.hpp>
#include <recto/core/integers.hpp>
#include <recto/ops/ops.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

// Numbers in the brackets of their shape, each with at most four digits: `[[1, 2], [3, 0.3333]]`.
template <class Array>
std::string text(const Array& x) {
    const auto numbers = x.values();
    std::string out;
    const auto write = [&](const auto& self, int axis, Index from, Index count) -> void {
        if (axis == x.shape().dim()) {
            out += fmt::format("{:.4g}", double(numbers[std::size_t(from)]));
            return;
        }
        const Index extent = x.shape().size(axis);
        out += '[';
        for (Index i = 0; i < extent; ++i) {
            if (i > 0) out += ", ";
            self(self, axis + 1, from + i * (count / extent), count / extent);
        }
        out += ']';
    };
    write(write, 0, 0, x.shape().numel());
    return out;
}

// Checks what an example's expression gives. The reference prints the line as the expression with this text behind it.
template <class Array>
void shows(const Array& x, const std::string& wanted) {
    CHECK(text(x) == wanted);
}

}  // namespace

TEST_CASE("example: elementwise", "[ops][example]") {
    const Tensor x({2, 3}, {-2, -1, 0, 1, 2, 3});
    const Tensor row({3}, {10, 20, 30});

    shows(relu(x), "[[0, 0, 0], [1, 2, 3]]");
    shows(2 * x + 1, "[[-3, -1, 1], [3, 5, 7]]");
    // The row is stretched over both rows of x.
    shows(x + row, "[[8, 19, 30], [11, 22, 33]]");
    shows(clamp(x, -1, 1), "[[-1, -1, 0], [1, 1, 1]]");
}

TEST_CASE("example: reductions", "[ops][example]") {
    const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});

    shows(sum(x), "21");
    shows(mean(x, {0}), "[2.5, 3.5, 4.5]");
    // The axis stays, with extent 1.
    shows(max(x, {1}, Keep::yes), "[[3], [6]]");
    shows(argmax(x), "[2, 2]");
    shows(softmax(select(x, 0, 0)), "[0.09003, 0.2447, 0.6652]");
}

TEST_CASE("example: shapes", "[ops][example]") {
    const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});

    shows(reshape(x, {3, 2}), "[[1, 2], [3, 4], [5, 6]]");
    shows(transpose(x), "[[1, 4], [2, 5], [3, 6]]");
    // Along axis 1, from place 1 to before 3.
    shows(slice(x, 1, 1, 3), "[[2, 3], [5, 6]]");
    shows(concat({x, x}, 1), "[[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]");
    // A view: the same numbers, seen in another order.
    CHECK(transpose(x).data() == x.data());
}

TEST_CASE("example: indexing", "[ops][example]") {
    const Tensor table({3, 2}, {1, 2, 3, 4, 5, 6});
    const Integers words({3}, {2, 0, 2});

    // How a network looks up words.
    shows(index_rows(table, words), "[[5, 6], [1, 2], [5, 6]]");
    shows(one_hot(words, 3), "[[0, 0, 1], [1, 0, 0], [0, 0, 1]]");
    shows(top_k(table, 2, 0).values, "[[5, 6], [3, 4]]");
    shows(top_k(table, 2, 0).places, "[[2, 2], [1, 1]]");
}

TEST_CASE("example: products", "[ops][example]") {
    const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});
    Tensor weight({1, 3}, {1, 0, -1});
    weight.requires_grad_();

    shows(matmul(x, transpose(x)), "[[14, 32], [32, 77]]");
    // x times the transposed weight, plus 5.
    const Tensor y = linear(x, weight, Tensor({1}, {5}));
    shows(y, "[[3], [3]]");
    sum(y).backward();
    shows(weight.grad(), "[[5, 7, 9]]");
}

TEST_CASE("example: images", "[ops][example]") {
    // Images, channels, rows, columns.
    const Tensor image({1, 1, 3, 3}, {0, 0, 1, 0, 1, 1, 1, 1, 1});
    const Tensor edge({1, 1, 1, 2}, {-1, 1});

    // 1 where white follows black.
    shows(conv2d(image, edge), "[[[[0, 1], [1, 0], [0, 0]]]]");
    shows(max_pool2d(image, 2, {.stride = 1}), "[[[[1, 1], [1, 1]]]]");
    shows(mean(image, {2, 3}), "[[0.6667]]");
}

TEST_CASE("example: losses", "[ops][example]") {
    Tensor scores({1, 3}, {0, 0, 0});
    scores.requires_grad_();

    // Three classes with equal scores, the last one is right: log 3.
    const Tensor loss = cross_entropy(scores, Integers({1}, {2}));
    shows(loss, "1.099");
    // The gradient is softmax less one_hot.
    loss.backward();
    shows(scores.grad(), "[[0.3333, 0.3333, -0.6667]]");
    shows(mse_loss(ones({2}), zeros({2})), "1");
}

TEST_CASE("example: norms", "[ops][example]") {
    const Tensor x({2, 3}, {1, 2, 3, 10, 20, 30});

    // Mean 0 and variance 1 over the last axis: rows that differ by a factor become equal.
    shows(layer_norm(x, 1), "[[-1.225, 0, 1.225], [-1.225, 0, 1.225]]");
    shows(rms_norm(select(x, 0, 0), 1), "[0.4629, 0.9258, 1.389]");
    shows(variance(layer_norm(x, 1), {1}, 0), "[1, 1]");
}

TEST_CASE("example: sequences", "[ops][example]") {
    // Samples, heads, times, width.
    const Tensor keys({1, 1, 3, 1}, {0, 0, 0});
    const Tensor values({1, 1, 3, 1}, {6, 0, 3});

    // Equal scores: the mean of all values.
    shows(attention(keys, keys, values), "[[[[3], [3], [3]]]]");
    // The mean of all values so far.
    shows(attention(keys, keys, values, {.causal = true}), "[[[[6], [3], [3]]]]");

    const Tensor half = full({3, 1}, 0.5), impulse({3, 1}, {8, 0, 0});
    // Step by step h = a h + b.
    shows(affine_scan(half, impulse), "[[8], [4], [2]]");
}
