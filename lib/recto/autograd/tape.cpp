#include <recto/autograd/node.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <unordered_set>
#include <utility>

#include <recto/autograd/profiling.hpp>
#include <recto/device/asked.hpp>

namespace RECTO {

namespace {

thread_local bool recording = true;
thread_local std::vector<Edge>* saving = nullptr;  // where SavedWatch collects
std::atomic<std::uint64_t> births = 0;

/// Destroying a long chain node by node would recurse once per node and overflow the stack. Instead, the outermost call
/// destroys all nodes that become free meanwhile, in a loop.
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

}  // namespace

namespace detail {

void note_saved(const Tensor& x) {
    if (!x.defined()) return;
    if (saving) saving->push_back(edge_to(x));
    if (profiling) profile_saved(*profiling, std::min(x.numel() * Index(sizeof(Real)), Index(storage_of(x)->bytes())));
}
void note_saved(const Integers& x) {
    if (!x.defined()) return;
    if (saving) saving->push_back({nullptr, storage_of(x), x.version(), x.shape()});
    if (profiling) profile_saved(*profiling, x.numel() * Index(sizeof(Index)));
}

void set_profiling(Profile::Notes* notes) {
    profiling = notes;
    memory_asked = notes ? profile_asked : nullptr;
    noting = saving || notes;
}

}  // namespace detail

SavedWatch::SavedWatch(std::vector<Edge>& found) : before_(std::exchange(saving, &found)) { detail::noting = true; }
SavedWatch::~SavedWatch() {
    saving = before_;
    detail::noting = before_ || detail::profiling;
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

Tensor record_node(Tensor y, std::shared_ptr<Node> node) {
    y.node_ = std::move(node);
    return y;
}

Tensor record(const char* name, Tensor y, std::vector<Tensor> inputs, Rule rule) {
    if (detail::profiling) detail::profile_result(*detail::profiling, name, y, inputs);
    bool wanted = false;
    for (const Tensor& x : inputs) wanted = wanted || x.requires_grad();
    if (!recording || !wanted) return y;
    auto node = make_node(name, y.shape());
    if (detail::profiling) detail::profile_node(*detail::profiling, *node);
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
    check(defined(), "requires_grad_: wanted a tensor, got an undefined one");
    check(!node_ || !node_->rule, "requires_grad_: wanted a leaf, got a result of {}; call detach() first",
          node_ ? node_->name : "");
    if (!node_) node_ = make_node("leaf", shape_);
    return *this;
}
Tensor Tensor::to(Device device) const {
    check(defined(), "to: wanted a tensor, got an undefined one");
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

Tensor over(const Tensor& dy, const Tensor& dense) {
    const bool same = storage_of(dense) == storage_of(dy);
    const long known = same ? 3 : 2;  // `dense`, the temporary of storage_of, and `dy` if it shares the storage
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
            // The storage may be freed by now, but its owner can still be compared.
            step.view = step.view || (!storage.owner_before(input.storage) && !input.storage.owner_before(storage));
            visit(input.node.get(), input.storage);
        }
        found.push_back(std::move(step));
    }
    std::ranges::sort(found, {}, &Step::id);
    return found;
}

}  // namespace RECTO
