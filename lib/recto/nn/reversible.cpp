#include <recto/nn/reversible.hpp>

#include <utility>

#include <recto/autograd/again.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/shapes/concat.hpp>

namespace RECTO::nn {
namespace {

struct Halves {
    Tensor first, second;
};

Halves halves(const char* who, const Tensor& x) {
    check(x.defined() && x.dim() >= 1 && x.size(-1) % 2 == 0,
          "{}: wanted an even number of numbers along the last axis, got {}", who,
          x.defined() ? "shape " + to_string(x.shape()) : "an undefined tensor");
    const Index half = x.size(-1) / 2;
    const std::vector<Tensor> parts = split(x, {half, half}, x.dim() - 1);
    return {parts[0], parts[1]};
}
Tensor whole(const Halves& x) { return concat({x.first, x.second}, x.first.dim() - 1); }

void refuse_empty(const char* who, const Coupling& block) {
    check(block.f && block.g, "{}: wanted two functions, got an empty one", who);
}

/// Returns a function's result after checking that it has the shape of the input.
Tensor keeping_shape(const char* who, const Tensor& y, const Tensor& x) {
    check(y.defined() && y.shape() == x.shape(), "{}: wanted functions that keep shape {}, got {}", who, x.shape(),
          y.defined() ? to_string(y.shape()) : "an undefined tensor");
    return y;
}

/// The random draws of the two functions of a block.
struct BlockDraws {
    std::shared_ptr<detail::Draws> f, g;
};

struct Back {
    Tensor value;     // the function's result
    Tensor gradient;  // gradient of the function's input
};

/// Runs a function again and then its backward pass: everything outside gets its gradient; returns the input's.
Back go_back(const Segment& function, const Tensor& x, const std::shared_ptr<detail::Draws>& draws, const Tensor& dy) {
    const Tensor in = x.detach().requires_grad_();
    const std::uint64_t began = youngest_birth();
    const Tensor y = keeping_shape("reversible", detail::run_again(function, in, draws), in);
    if (y.requires_grad()) sweep(y.node(), dy, began);
    return {y.detach(), in.grad().defined() ? in.grad() : Tensor()};
}

Tensor plus(const Tensor& a, const Tensor& b) { return b.defined() ? a + b : a; }

}  // namespace

Tensor couple(const Coupling& block, const Tensor& x) {
    refuse_empty("couple", block);
    auto [a, b] = halves("couple", x);
    a = a + keeping_shape("couple", block.f(b), b);
    b = b + keeping_shape("couple", block.g(a), a);
    return whole({a, b});
}

Tensor uncouple(const Coupling& block, const Tensor& y) {
    const NoGrad only_undoing;
    refuse_empty("uncouple", block);
    auto [a, b] = halves("uncouple", y);
    b = b - keeping_shape("uncouple", block.g(a), a);
    a = a - keeping_shape("uncouple", block.f(b), b);
    return whole({a, b});
}

Tensor reversible(std::vector<Coupling> blocks, const Tensor& x) {
    check(!blocks.empty(), "reversible: wanted at least one block, got none");
    for (const Coupling& block : blocks) refuse_empty("reversible", block);
    auto [a, b] = halves("reversible", x.defined() ? x.detach() : x);
    std::vector<Edge> edges{edge_to(x)};
    std::vector<BlockDraws> draws;
    bool wanted = x.requires_grad();
    const auto run = [&](const Segment& function, const Tensor& in) {
        detail::FirstRun first = detail::run_first("reversible", function, in);
        keeping_shape("reversible", first.y, in);
        for (Edge& edge : first.edges)
            if (edge.node || edge.storage.lock() != storage_of(in)) edges.push_back(std::move(edge));
        wanted = wanted || first.wanted;
        return first;
    };
    for (const Coupling& block : blocks) {
        const detail::FirstRun f = run(block.f, b);
        a = a + f.y;
        const detail::FirstRun g = run(block.g, a);
        b = b + g.y;
        draws.push_back({f.draws, g.draws});
    }
    Tensor y = whole({a, b});
    if (!recording_now() || !wanted) return y;

    auto node = make_node("reversible", y.shape());
    node->inputs = std::move(edges);
    const Node* self = node.get();
    node->rule = [blocks = std::move(blocks), draws = std::move(draws), y = Saved(y), self](const Tensor& dy) {
        refuse_changed_inputs("reversible", std::span(self->inputs).subspan(1));  // x is not read again
        auto [a, b] = halves("reversible", *y);
        auto [da, db] = halves("reversible", dy);
        for (std::size_t i = blocks.size(); i-- > 0;) {
            const Back g = go_back(blocks[i].g, a, draws[i].g, db);
            b = b - g.value;
            da = plus(da, g.gradient);
            const Back f = go_back(blocks[i].f, b, draws[i].f, da);
            a = a - f.value;
            db = plus(db, f.gradient);
        }
        Grads grads(self->inputs.size());
        grads[0] = whole({da, db});
        return grads;
    };
    return record_node(std::move(y), std::move(node));
}

}  // namespace RECTO::nn
