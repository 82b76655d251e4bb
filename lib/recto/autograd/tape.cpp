#include <recto/autograd/node.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <queue>
#include <unordered_set>
#include <utility>

#include <recto/device/launch.hpp>
#include <recto/device/recording.hpp>

namespace RECTO {

namespace {

thread_local bool recording = true;
thread_local const BackwardWatch::See* watching = nullptr;
thread_local std::vector<Edge>* saving = nullptr;  // where SavedWatch collects
thread_local const char* rule_of = "backward";     // the operation whose rule runs
std::atomic<std::uint64_t> births = 0, sweeps = 0;

/// Destroying a long chain node by node would recurse once per node and overflow the stack. Whoever comes
/// first destroys all that become free meanwhile, in a loop.
void bury(Node* node) {
    thread_local std::vector<Node*>* dead = nullptr;
    if (dead) return dead->push_back(node);
    std::vector<Node*> mine{node};
    dead = &mine;
    while (!mine.empty()) {
        Node* next = mine.back();
        mine.pop_back();
        delete next;
    }
    dead = nullptr;
}

struct AddInto {
    Real* into;
    const Real* from;
    RECTO_HD void operator()(Index i) const { into[i] += from[i]; }
};

/// What the leaves held before a sweep added to them. A sweep inside another, as a rule may start one, leaves its
/// leaves to the outer one.
class LeavesBefore {
public:
    LeavesBefore() : sweep_(++sweeps) {
        empty_.reserve(16);
        present = this;
    }
    ~LeavesBefore() { present = nullptr; }
    LeavesBefore(const LeavesBefore&) = delete;
    LeavesBefore& operator=(const LeavesBefore&) = delete;

    /// Keeps what a leaf holds, unless this sweep has added to it. A step that is being captured has not run yet, so
    /// what the leaf holds is still there when its recording fails.
    void keep(const std::shared_ptr<Node>& leaf) {
        if (std::exchange(leaf->sweep, sweep_) == sweep_) return;
        if (!leaf->grad.defined())
            empty_.push_back(leaf);
        else if (!detail::capturing())
            full_.emplace_back(leaf, clone(leaf->grad));
    }
    /// Gives it back, in the same place: a captured step knows the address.
    void restore() {
        for (const auto& weak : empty_)
            if (const auto leaf = weak.lock()) leaf->grad = Tensor();
        for (const auto& [weak, grad] : full_)
            if (const auto leaf = weak.lock()) leaf->grad.copy_(grad);
    }
    static thread_local LeavesBefore* present;  ///< that of the outermost sweep on this thread

private:
    std::uint64_t sweep_;
    std::vector<std::weak_ptr<Node>> empty_;                    // the leaves without a gradient
    std::vector<std::pair<std::weak_ptr<Node>, Tensor>> full_;  // the others, with a copy of it
};
thread_local LeavesBefore* LeavesBefore::present = nullptr;

/// Adds `dx` to a node's gradient. The first one is taken over as it is; only when it is shared with
/// somebody (an addition gives both inputs the same one) and will be kept or added to, it is copied.
void accumulate(Node& node, Tensor dx) {
    if (node.grad.defined()) {
        if (!node.owned) node.grad = clone(node.grad);
        node.owned = true;
        const Tensor from = dense(dx);
        return each(from.device(), from.numel(), AddInto{node.grad.write(), from.data()});
    }
    const bool shared = storage_of(dx).use_count() > 2;  // dx and the answer of storage_of itself
    node.owned = !shared && dx.is_contiguous();
    node.grad = !node.rule && !node.owned ? clone(dx) : dense(dx);
    if (!node.rule) node.owned = true;
}

Grads run_rule(const Node& node, const Tensor& dy) {
    struct Name {
        const char* before;
        ~Name() { rule_of = before; }
    } name{std::exchange(rule_of, node.name)};
    return node.rule(dy);
}

void pass_on(Node& node, Tensor dy) {
    Grads grads = run_rule(node, dy);
    dy = {};  // so that a gradient written over it has one owner
    check(grads.size() == node.inputs.size(), "{}: the rule returned {} gradients for {} inputs", node.name,
          grads.size(), node.inputs.size());
    for (std::size_t i = 0; i < grads.size(); ++i) {
        const Edge& input = node.inputs[i];
        if (!input.node || !grads[i].defined()) continue;
        check(grads[i].shape() == input.shape, "{}: the gradient of input {} has shape {}, the input {}", node.name, i,
              grads[i].shape(), input.shape);
        if (!input.node->rule) LeavesBefore::present->keep(input.node);
        accumulate(*input.node, std::move(grads[i]));
    }
}

}  // namespace

namespace detail {

void note_saved(const Tensor& x) {
    if (x.defined()) saving->push_back(edge_to(x));
}
void note_saved(const Integers& x) {
    if (x.defined()) saving->push_back({nullptr, storage_of(x), x.version(), x.shape()});
}
void refuse_changed(const Tensor& x) {
    throw Error(fmt::format("{}: a tensor of shape {} was changed after it was recorded; the gradient would be wrong",
                            rule_of, x.shape()));
}
void refuse_changed(const Integers& x) {
    throw Error(
        fmt::format("{}: integers of shape {} were changed after they were recorded; the gradient would be wrong",
                    rule_of, x.shape()));
}

}  // namespace detail

SavedWatch::SavedWatch(std::vector<Edge>& found) : before_(std::exchange(saving, &found)) { detail::noting = true; }
SavedWatch::~SavedWatch() {
    saving = before_;
    detail::noting = before_;
}

Edge edge_to(const Tensor& x) { return {x.node(), storage_of(x), x.version(), x.shape()}; }

void refuse_changed_inputs(const char* name, std::span<const Edge> inputs) {
    for (const Edge& input : inputs)
        if (const auto storage = input.storage.lock())
            check(storage->version() == input.version,
                  "{}: a tensor of shape {} was changed after it was recorded; the gradient would be wrong", name,
                  input.shape);
}

std::shared_ptr<Node> make_node(const char* name, const Shape& shape) {
    return {new Node{name, ++births, {}, nullptr, shape, {}}, bury};
}

NoGrad::NoGrad() : before_(recording) { recording = false; }
NoGrad::~NoGrad() { recording = before_; }

WithGrad::WithGrad() : before_(recording) { recording = true; }
WithGrad::~WithGrad() { recording = before_; }

std::uint64_t youngest_birth() { return births; }
bool recording_now() { return recording; }

BackwardWatch::BackwardWatch(See see) : see_(std::move(see)), before_(std::exchange(watching, &see_)) {}
BackwardWatch::~BackwardWatch() { watching = before_; }

Tensor record_node(Tensor y, std::shared_ptr<Node> node) {
    y.node_ = std::move(node);
    return y;
}

Tensor record(const char* name, Tensor y, std::vector<Tensor> inputs, Rule rule) {
    bool wanted = false;
    for (const Tensor& x : inputs) wanted = wanted || x.requires_grad();
    if (!recording || !wanted) return y;
    auto node = make_node(name, y.shape());
    node->inputs.reserve(inputs.size());
    for (const Tensor& x : inputs) node->inputs.push_back(edge_to(x));
    node->rule = std::move(rule);
    return record_node(std::move(y), std::move(node));
}
Tensor record(const char* name, Tensor y, std::initializer_list<Tensor> inputs, Rule rule) {
    return record(name, std::move(y), std::vector<Tensor>(inputs), std::move(rule));
}
Tensor record_without_derivative(const char* name, Tensor y, const Tensor& input) {
    return record(name, std::move(y), {input}, [name](const Tensor&) -> Grads {
        check(false, "{}: has no derivative", name);
        return {};
    });
}

Tensor& Tensor::requires_grad_() {
    check(defined(), "requires_grad_: this tensor is undefined");
    check(!node_ || !node_->rule, "requires_grad_: wanted a leaf, got a result of {}; call detach() first",
          node_ ? node_->name : "");
    if (!node_) node_ = make_node("leaf", shape_);
    return *this;
}
Tensor Tensor::to(Device device) const {
    check(defined(), "to: this tensor is undefined");
    const Device here = this->device();
    if (device == here) return *this;
    const Tensor from = dense(*this);
    Tensor y = empty(shape_, device);
    copy_bytes(y.write(), device, from.data(), here, std::size_t(numel()) * sizeof(Real), "to");
    return record("to", y, {*this}, [here](const Tensor& dy) { return Grads{dy.to(here)}; });
}
Tensor clone(const Tensor& x) {
    check_defined("clone", x);
    Tensor y = empty_like(x);
    y.copy_(x);
    return record("clone", y, {x}, [](const Tensor& dy) { return Grads{dy}; });
}
Tensor Tensor::grad() const {
    check(node_ && !node_->rule, "grad: only a leaf that called requires_grad_() keeps a gradient");
    return node_->grad;
}
void Tensor::zero_grad() const {
    if (node_) node_->grad = Tensor();
}

void Tensor::backward() const {
    check(numel() == 1, "backward: wanted a single number to start from, got shape {}", shape_);
    check(requires_grad(), "backward: nothing was recorded; did any input call requires_grad_()?");
    const NoGrad guard;
    sweep(node_, ones(shape_, device()));
}

namespace {

void go_back(const std::shared_ptr<Node>& from, Tensor dy, std::uint64_t oldest) {
    const auto later = [](const auto& a, const auto& b) { return a->birth < b->birth; };
    std::priority_queue<std::shared_ptr<Node>, std::vector<std::shared_ptr<Node>>, decltype(later)> waiting(later);
    struct Clean {  // an error on the way leaves no half gradients behind
        decltype(waiting)& left;
        ~Clean() {
            for (; !left.empty(); left.pop())
                if (left.top()->rule) left.top()->grad = Tensor();
        }
    } clean{waiting};

    if (!from->rule) LeavesBefore::present->keep(from);
    accumulate(*from, std::move(dy));
    waiting.push(from);
    while (!waiting.empty()) {
        const std::shared_ptr<Node> node = waiting.top();
        waiting.pop();
        if (!node->rule || node->birth <= oldest) continue;
        if (!node->grad.defined()) continue;  // queued more than once, or no gradient came
        Tensor gradient = std::exchange(node->grad, Tensor());
        node->owned = false;
        for (const Edge& input : node->inputs)
            if (input.node && input.node->rule && input.node->birth > oldest && !input.node->grad.defined())
                waiting.push(input.node);
        if (watching) (*watching)(node->name, node->birth, gradient);
        pass_on(*node, std::move(gradient));
    }
}

}  // namespace

void sweep(const std::shared_ptr<Node>& from, Tensor dy, std::uint64_t oldest) {
    if (LeavesBefore::present) return go_back(from, std::move(dy), oldest);
    LeavesBefore leaves;
    try {
        go_back(from, std::move(dy), oldest);
    } catch (...) {
        leaves.restore();
        throw;
    }
}

Tensor over(const Tensor& dy, const Tensor& dense) {
    const bool same = storage_of(dense) == storage_of(dy);
    const long known = same ? 3 : 2;  // dense and the answer of storage_of; and dy
    return storage_of(dense).use_count() == known ? dense : empty_like(dense);
}

std::vector<Step> steps(const Tensor& y) {
    struct Result {
        const Node* node;
        std::weak_ptr<Storage> storage;
    };
    std::vector<Step> found;
    std::vector<Result> open;
    std::unordered_set<const Node*> seen;
    const auto visit = [&](const Node* node, const std::weak_ptr<Storage>& storage) {
        if (node && seen.insert(node).second) open.push_back({node, storage});
    };
    visit(y.node().get(), storage_of(y));
    while (!open.empty()) {
        const auto [node, storage] = open.back();
        open.pop_back();
        Step step{node->name, node->birth, {}, {}, node->shape, false};
        for (const Edge& input : node->inputs) {
            step.inputs.push_back(input.node ? input.node->birth : 0);
            step.input_shapes.push_back(input.shape);
            // The numbers may be gone by now; whose they were can still be told.
            step.view = step.view || (!storage.owner_before(input.storage) && !input.storage.owner_before(storage));
            visit(input.node.get(), input.storage);
        }
        found.push_back(std::move(step));
    }
    std::ranges::sort(found, {}, &Step::id);
    return found;
}

}  // namespace RECTO
