// Every operation rejects invalid inputs with a message that begins with its name and contains their shapes.
#include <recto/testing/every_op.hpp>

#include <map>
#include <set>

#include <recto/ops/ops.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using Catch::Matchers::StartsWith;

namespace {

/// The message of the operation's Error for these inputs; empty if it accepts them.
std::string refusal(const Op& op, const std::vector<Tensor>& x) {
    try {
        op.f(x);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// Inputs whose shape or device the entry of the table reads before it calls its operation.
bool asked_by_table(const Op& op, std::size_t input) {
    static const std::map<std::string, std::set<std::size_t>> asked = {
        {"where", {0}},    {"batch_norm", {0}}, {"sum_to", {0}},         {"reshape", {0}},
        {"expand", {0}},   {"gather", {0}},     {"scatter_add", {0, 1}}, {"sum_neighbours", {0}},
        {"conv2d", {0}},   {"index_rows", {0}}, {"cross_entropy", {0}},  {"self_attention", {1}},
        {"quantize", {0}}, {"dequantize", {0}}, {"int8_linear", {0, 1}}, {"quantized_linear", {0, 1}}};
    const auto found = asked.find(op.name);
    return found != asked.end() && found->second.contains(input);
}

/// The number of shapes in a message: `(2, 3)`, `(2)` or `()`.
std::size_t shapes_in(const std::string& message) {
    std::size_t count = 0;
    for (std::size_t at = message.find('('); at != std::string::npos; at = message.find('(', at + 1))
        count += message.find_first_not_of("0123456789, ", at + 1) == message.find(')', at + 1);
    return count;
}

}  // namespace

TEST_CASE("every operation: a message about an undefined tensor has its name", "[ops][every_op]") {
    for (const Op& op : every_op()) {
        const std::vector<Tensor> right = inputs(op, 4, 3, Device::cpu, [](Real v) { return v; });
        for (std::size_t i = 0; i < right.size(); ++i) {
            if (asked_by_table(op, i)) continue;
            std::vector<Tensor> x = right;
            x[i] = Tensor();
            const std::string message = refusal(op, x);
            CAPTURE(op.shapes, i);
            // Empty for an optional tensor.
            if (!message.empty()) CHECK_THAT(message, StartsWith(std::string(op.name) + ": "));
        }
    }
    const Tensor none, x = ones({2, 2});
    const Integers zero({2}, {0, 0});
    const std::string wanted = ": wanted a tensor, got an undefined one";
    CHECK_THROWS_WITH(where(none, x, x), "where" + wanted);
    CHECK_THROWS_WITH(2 * none, "mul" + wanted);
    CHECK_THROWS_WITH(index_rows(x, Integers()), "index_rows" + wanted);
    CHECK_THROWS_WITH(index_rows(none, zero), "index_rows" + wanted);
    CHECK_THROWS_WITH(one_hot(Integers(), 2), "one_hot" + wanted);
    CHECK_THROWS_WITH(cross_entropy(none, zero), "cross_entropy" + wanted);
    CHECK_THROWS_WITH(reshape(none, {1}), "reshape" + wanted);
    CHECK_THROWS_WITH(expand(none, {1}), "expand" + wanted);
    CHECK_THROWS_WITH(sum_to(none, {1}), "sum_to" + wanted);
    CHECK_THROWS_WITH(gather(none, 0, zero), "gather" + wanted);
    CHECK_THROWS_WITH(gather(x, 0, Integers()), "gather" + wanted);
    CHECK_THROWS_WITH(scatter_add(none, 0, zero, x), "scatter_add" + wanted);
    CHECK_THROWS_WITH(scatter_add(x, 0, zero, none), "scatter_add" + wanted);
    CHECK_THROWS_WITH(sum_neighbours(none, {Integers({2}, {0, 1}), Integers({1}, {0}), 1}), "sum_neighbours" + wanted);
    CHECK_THROWS_WITH(batch_norm(none, x, x, none, none, {}), "batch_norm" + wanted);
    CHECK_THROWS_WITH(conv2d(none, x), "conv2d" + wanted);
    CHECK_THROWS_WITH(conv2d(x, none), "conv2d" + wanted);
    CHECK_THROWS_WITH(self_attention(none, 1), "self_attention" + wanted);
    CHECK_THROWS_WITH(quantize(none, q4_0), "quantize" + wanted);
    CHECK_THROWS_WITH(quantized_linear(none, QuantizedTensor()), "quantized_linear" + wanted);
    CHECK_THROWS_WITH(int8_linear(none, QuantizedTensor(), 1), "int8_linear" + wanted);
}

TEST_CASE("every operation: a message about shapes has its name and the shapes", "[ops][every_op]") {
    std::size_t refused = 0;
    for (const Op& op : every_op()) {
        const std::vector<Tensor> right = inputs(op, 4, 3, Device::cpu, [](Real v) { return v; });
        for (std::size_t i = 0; i < right.size(); ++i) {
            const Shape shape = right[i].shape();
            std::vector<Shape> others = {{}, {2}, {2, 3, 2, 2, 2}};
            for (int axis = 0; axis < shape.dim(); ++axis) others.push_back(shape.with(axis, shape[axis] + 1));
            for (const Shape& other : others) {
                if (asked_by_table(op, i) && other.dim() < shape.dim()) continue;
                std::vector<Tensor> x = right;
                x[i] = ones(other);
                const std::string message = refusal(op, x);
                if (message.empty()) continue;
                ++refused;
                CAPTURE(op.shapes, i, other, message);
                CHECK_THAT(message, StartsWith(std::string(op.name) + ": "));
                // From indices that the table itself makes, or from rows that it fills up to a whole block.
                if (message.find("labels from") != std::string::npos) continue;
                if (other.dim() > 0 && message.find(to_string(other.with(-1, block_size))) != std::string::npos)
                    continue;
                // The message shows the wrong tensor, or the two shapes that do not fit together.
                CHECK((message.find(to_string(other)) != std::string::npos || shapes_in(message) >= 2));
            }
        }
    }
    CHECK(refused > 500);  // otherwise the test would prove nothing
}

TEST_CASE("every operation: a message about devices has its name", "[ops][every_op]") {
    for (const Op& op : every_op()) {
        const std::vector<Tensor> right = inputs(op, 4, 3, Device::cpu, [](Real v) { return v; });
        for (std::size_t i = 0; right.size() > 1 && i < right.size(); ++i) {
            std::vector<Tensor> x = right;
            x[i] = x[i].to(Device::sim);
            CAPTURE(op.shapes, i);
            CHECK_THAT(refusal(op, x), StartsWith(std::string(op.name) + ": "));
        }
    }
}
