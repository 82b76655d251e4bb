#include <recto/autograd/node.hpp>

#include <atomic>
#include <memory>
#include <queue>
#include <utility>

#include <recto/autograd/profiling.hpp>
#include <recto/device/launch.hpp>
#include <recto/device/recording.hpp>

namespace RECTO {

namespace {

thread_local const BackwardWatch::See* watching = nullptr;
thread_local const char* rule_of = "backward";  // the operation whose rule runs
std::atomic<std::uint64_t> sweeps = 0;

struct AddInto {
    Real* into;
    const Real* from;
    RECTO_HD void operator()(Index i) const { into[i] += from[i]; }
};

/// The gradients of the leaves before a sweep added to them. In a nested sweep, which a rule may start, the outermost
/// sweep records them.
class LeavesBefore {
public:
    LeavesBefore() : sweep_(++sweeps) {
        empty_.reserve(16);
        present = this;
    }
    ~LeavesBefore() { present = nullptr; }
    LeavesBefore(const LeavesBefore&) = delete;
    LeavesBefore& operator=(const LeavesBefore&) = delete;

    /// Records a leaf's gradient before the sweep first adds to it. A step that is being captured has not run yet, so
    /// the gradient is unchanged if recording fails.
    void keep(const std::shared_ptr<Node>& leaf) {
        if (std::exchange(leaf->sweep, sweep_) == sweep_) return;
        if (!leaf->grad.defined())
            empty_.push_back(leaf);
        else if (!detail::capturing())
            full_.emplace_back(leaf, clone(leaf->grad));
    }
    /// Restores the gradients in the same memory, since a captured step refers to its address.
    void restore() {
        for (const auto& weak : empty_)
            if (const auto leaf = weak.lock()) leaf->grad = Tensor();
        for (const auto& [weak, grad] : full_)
            if (const auto leaf = weak.lock()) leaf->grad.copy_(grad);
    }
    static thread_local LeavesBefore* present;  ///< of the outermost sweep on this thread

private:
    std::uint64_t sweep_;
    std::vector<std::weak_ptr<Node>> empty_;                    // leaves that had no gradient
    std::vector<std::pair<std::weak_ptr<Node>, Tensor>> full_;  // leaves that had one, with a copy of it
};
thread_local LeavesBefore* LeavesBefore::present = nullptr;

/// Adds `dx` to a node's gradient. The first gradient is stored without a copy, unless its storage is shared (an
/// addition gives both inputs the same gradient) and will be kept or added to.
void accumulate(Node& node, Tensor dx) {
    if (node.grad.defined()) {
        const detail::ProfilePart part("gradient sum", 3 * dx.numel() * Index(sizeof(Real)));
        if (!node.owned) node.grad = clone(node.grad);
        node.owned = true;
        const Tensor from = dense(dx);
        return each(from.device(), from.numel(), AddInto{node.grad.write(), from.data()});
    }
    const bool shared = storage_of(dx).use_count() > 2;  // dx itself and the temporary that storage_of returns
    node.owned = !shared && dx.is_contiguous();
    if (!dx.is_contiguous() || (!node.rule && shared)) {
        const detail::ProfilePart part("gradient copy", 2 * dx.numel() * Index(sizeof(Real)));
        node.grad = node.rule ? dense(dx) : clone(dx);
    } else {
        node.grad = dense(dx);
    }
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
    Grads grads = detail::profiling ? detail::profile_rule(*detail::profiling, node, dy, run_rule) : run_rule(node, dy);
    dy = {};  // leaves the rule as the only owner, which may then write in place
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

/// Passes the gradients on from node to node, the youngest first.
void go_back(const std::shared_ptr<Node>& from, Tensor dy, std::uint64_t oldest) {
    const auto later = [](const auto& a, const auto& b) { return a->birth < b->birth; };
    std::priority_queue<std::shared_ptr<Node>, std::vector<std::shared_ptr<Node>>, decltype(later)> waiting(later);
    struct Clean {  // after an error, no step keeps a partial gradient
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

namespace detail {

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

BackwardWatch::BackwardWatch(See see) : see_(std::move(see)), before_(std::exchange(watching, &see_)) {}
BackwardWatch::~BackwardWatch() { watching = before_; }

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

void Tensor::backward() const {
    check(numel() == 1, "backward: wanted a single number to start from, got shape {}", shape_);
    check(requires_grad(), "backward: nothing was recorded; did any input call requires_grad_()?");
    const NoGrad guard;
    sweep(node_, ones(shape_, device()));
}

}  // namespace RECTO
