// Tensors that a rule reads must not change after they were recorded; all others may.
#include <recto/autograd/checkpoint.hpp>
#include <recto/autograd/tape.hpp>
#include <recto/nn/reversible.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/gather.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/indexing/neighbours.hpp>
#include <recto/ops/indexing/top_k.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/sequences/affine_scan.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/every_op.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* changed = "was changed after it was recorded; the gradient would be wrong";

/// Gradients of the inputs of an operation; before the backward pass, tensor `spoiled` of inputs and results becomes NaN.
std::vector<Tensor> gradients(const Op& op, Device device, std::size_t spoiled) {
    std::vector<Tensor> x = inputs(op, 4, 3, device, [](Real v) { return v; });
    for (Tensor& t : x) t.requires_grad_();
    std::vector<Tensor> all = x;
    const std::vector<Tensor> y = op.f(x).all;
    all.insert(all.end(), y.begin(), y.end());
    const bool repeats = std::string(op.name) == "expand" && spoiled >= x.size();  // copy_() rejects an expanded view
    if (spoiled < all.size() && !repeats) all[spoiled].copy_(full(all[spoiled].shape(), not_a_number, device));
    Tensor total;  // no rule of this sum reads a tensor
    for (const Tensor& t : y)
        if (t.requires_grad()) total = total.defined() ? total + sum(t) : sum(t);
    total.backward();
    std::vector<Tensor> grads;
    for (const Tensor& t : x) grads.push_back(t.grad());
    return grads;
}

bool same_gradients(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].defined() != b[i].defined() || (a[i].defined() && !same_bits(a[i], b[i]))) return false;
    return true;
}

}  // namespace

TEST_CASE("saved: an input or a result that becomes NaN is refused or makes no difference, in every operation",
          "[autograd][saved][every_op][devices]") {
    const Device device = GENERATE(from_range(devices()));
    for (const Op& op : every_op()) {
        const std::string name = op.name;
        std::size_t tensors = 0;
        bool differentiable = false;
        {
            const std::vector<Tensor> x = inputs(op, 4, 3, device, [](Real v) { return v; });
            std::vector<Tensor> leaves = x;
            for (Tensor& t : leaves) t.requires_grad_();
            const std::vector<Tensor> y = op.f(leaves).all;
            tensors = x.size() + y.size();
            for (const Tensor& t : y) differentiable = differentiable || t.requires_grad();
        }
        if (!differentiable || name == "round_to") continue;
        const std::vector<Tensor> right = gradients(op, device, tensors);
        for (std::size_t i = 0; i < tensors; ++i) {
            CAPTURE(name, op.shapes, i);
            std::string refusal;
            bool same = false;
            try {
                same = same_gradients(gradients(op, device, i), right);
            } catch (const Error& error) {
                refusal = error.what();
            }
            if (refusal.empty())
                CHECK(same);
            else
                CHECK_THAT(refusal, ContainsSubstring(changed));
        }
    }
}

TEST_CASE("saved: a result that its rule reads is refused once it was overwritten", "[autograd][saved][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(1).normal({2, 3}, 0, 1, device).requires_grad_();
    const Tensor w = Generator(2).normal({4, 3}, 0, 1, device).requires_grad_();
    const auto refused = [&](Tensor y, const std::string& name, const std::string& shape) {
        y.copy_(zeros(y.shape(), device));
        CHECK_THROWS_WITH(sum(y).backward(), name + ": a tensor of shape " + shape + " " + changed);
        CHECK_FALSE(x.grad().defined());
    };
    refused(softmax(x), "softmax", "(2, 3)");
    refused(log_softmax(x), "log_softmax", "(2, 3)");
    refused(exp(x), "exp", "(2, 3)");
    refused(tanh(x), "tanh", "(2, 3)");
    refused(linear(x, w, {}, relu), "linear", "(2, 4)");
    refused(affine_scan(x, x), "affine_scan", "(2, 3)");
}

TEST_CASE("saved: what a rule does not read may change", "[autograd][saved][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor x = ones({2}, device).requires_grad_();
    const Tensor y = sum(x + 1);
    x.copy_(zeros({2}, device));
    y.backward();
    CHECK(x.grad().values() == std::vector<Real>{1, 1});

    Tensor a = ones({2}, device).requires_grad_(), b = full({2}, 3, device);
    const Tensor z = sum(a * b);  // b requires no gradient, so no rule reads a
    a.copy_(zeros({2}, device));
    z.backward();
    CHECK(a.grad().values() == std::vector<Real>{3, 3});
    const Tensor again = sum(a * b);
    b.copy_(zeros({2}, device));
    CHECK_THROWS_WITH(again.backward(), ContainsSubstring(std::string("mul: a tensor of shape (2) ") + changed));
}

TEST_CASE("saved: leaves that are disjoint parts of one block of memory do not refuse each other",
          "[autograd][saved][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor both({4}, {1, 2, 3, 4}, device);
    Tensor a = slice(both, 0, 0, 2).requires_grad_(), b = slice(both, 0, 2, 4).requires_grad_();
    const Tensor y = sum(a * a);
    b.copy_(zeros({2}, device));
    y.backward();
    CHECK(a.grad().values() == std::vector<Real>{2, 4});
    const Tensor z = sum(a * a);
    Tensor(slice(both, 0, 1, 3)).copy_(zeros({2}, device));
    CHECK_THROWS_WITH(z.backward(), ContainsSubstring(changed));
    const Tensor w = sum(a * a);
    Tensor(both).copy_(zeros({4}, device));
    CHECK_THROWS_WITH(w.backward(), ContainsSubstring(changed));
}

TEST_CASE("saved: Integers that a rule reads are refused once they were changed", "[autograd][saved][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(1).normal({3, 4}, 0, 1, device).requires_grad_();
    const Integers far({2}, {1'000'000, -1'000'000}, device), far_rows({3, 1}, {9, -9, 9}, device);
    const auto refused = [&](const Tensor& y, Integers places, const Integers& far, const std::string& name) {
        places.copy_(far);
        CHECK_THROWS_WITH(y.backward(), name + ": integers of shape " + to_string(places.shape()) + " " +
                                            "were changed after they were recorded; the gradient would be wrong");
        CHECK_FALSE(x.grad().defined());
    };
    const Integers rows({2}, {0, 2}, device), at({3, 1}, {0, 3, 1}, device), labels({3}, {0, 1, 2}, device);
    refused(sum(index_rows(x, rows)), rows, far, "index_rows");
    const Integers at_again = at.reshape({3, 1});  // another handle of the same numbers
    refused(sum(gather(x, 1, at)), at_again, far_rows, "gather");
    const Integers add_at({3, 1}, {0, 3, 1}, device);
    const Tensor more = ones({3, 1}, device).requires_grad_();
    refused(sum(scatter_add(x, 1, add_at, more)), add_at, far_rows, "scatter_add");
    const TopK best = top_k(x, 1, 1);
    refused(sum(best.values), best.places, far_rows, "top_k");
    refused(cross_entropy(x, labels), labels, Integers({3}, {9, 9, 9}, device), "cross_entropy");
    const Integers ignoring({3}, {0, 1, 2}, device);
    refused(cross_entropy(x, ignoring, {.ignored = 9}), ignoring, Integers({3}, {9, 9, 9}, device), "cross_entropy");
}

TEST_CASE("saved: a graph keeps the places that it was made of", "[autograd][saved][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Integers offsets({3}, {0, 1, 3}, device), places({3}, {1, 0, 1}, device);
    const Neighbours graph(offsets, places, 2);
    const Tensor x = Tensor({2, 1}, {10, 20}, device).requires_grad_();
    places.copy_(Integers({3}, {1'000'000, -7, 1'000'000}, device));
    offsets.copy_(Integers({3}, {0, 0, 0}, device));
    const Tensor y = sum_neighbours(x, graph);
    CHECK(y.values() == std::vector<Real>{20, 30});
    sum(y).backward();
    CHECK(x.grad().values() == std::vector<Real>{1, 2});
}

TEST_CASE("saved: the mask of where is refused once it was changed", "[autograd][saved][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor a = ones({2}, device).requires_grad_(), b = zeros({2}, device).requires_grad_();
    Tensor mask({2}, {1, 0}, device);
    const Tensor y = sum(where(mask, a, b));
    mask.copy_(Tensor({2}, {0, 1}, device));
    CHECK_THROWS_WITH(y.backward(), std::string("where: a tensor of shape (2) ") + changed);
}

TEST_CASE("saved: a segment that would run again with other numbers is refused", "[autograd][saved][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Tensor({3, 2}, {1, 2, 3, 4, 5, 6}, device).requires_grad_();
    Integers places({2}, {0, 2}, device);
    const Tensor y = sum(checkpoint([places](const Tensor& t) { return index_rows(t, places); }, x));
    places.copy_(Integers({2}, {1, 1}, device));
    CHECK_THROWS_WITH(y.backward(), ContainsSubstring("checkpoint: "));
    CHECK_FALSE(x.grad().defined());

    Tensor mask({2}, {1, 0}, device);
    const Tensor z = sum(checkpoint([mask](const Tensor& t) { return where(mask, t, t * 2); }, x));
    mask.copy_(Tensor({2}, {0, 1}, device));
    CHECK_THROWS_WITH(z.backward(), ContainsSubstring("checkpoint: "));

    Tensor result = checkpoint([](const Tensor& t) { return softmax(t); }, x);  // its rule does not read the result
    const Tensor total = sum(result);
    result.copy_(zeros({3, 2}, device));
    total.backward();
    CHECK(x.grad().defined());
}
