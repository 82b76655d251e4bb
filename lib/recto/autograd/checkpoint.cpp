#include <recto/autograd/checkpoint.hpp>

#include <unordered_set>
#include <utility>

#include <recto/autograd/again.hpp>
#include <recto/device/recording.hpp>

namespace RECTO {
namespace detail {
namespace {

/// In a captured step, every replay has to record and repeat the draws.
void at_every_replay(const std::shared_ptr<Draws>& draws, void (Draws::*what)()) {
    later([draws, what] {
        ((*draws).*what)();
        return true;
    });
}

/// Adds saved tensors that are not inputs of steps, such as the places of an index, if they still exist.
void add_saved(std::vector<Edge>& edges, std::vector<Edge> saved, const Tensor& y) {
    std::unordered_set<const void*> known{storage_of(y).get()};  // the second run does not read the segment's result
    for (const Edge& edge : edges) known.insert(edge.storage.lock().get());
    for (Edge& edge : saved) {
        const auto storage = edge.storage.lock();
        if (storage && known.insert(storage.get()).second) edges.push_back(std::move(edge));
    }
}

/// All inputs of the steps behind `last` that are younger than `began`, except those steps themselves.
std::vector<Edge> from_outside(const std::shared_ptr<Node>& last, std::uint64_t began) {
    std::vector<Edge> found;
    std::unordered_set<const void*> seen{last.get()};
    std::vector<const Node*> open{last.get()};
    while (!open.empty()) {
        const Node* node = open.back();
        open.pop_back();
        for (const Edge& input : node->inputs) {
            const auto storage = input.storage.lock();
            const void* which = input.node ? static_cast<const void*>(input.node.get()) : storage.get();
            if (!which || !seen.insert(which).second) continue;
            if (input.node && input.node->birth > began)
                open.push_back(input.node.get());
            else
                found.push_back(input);
        }
    }
    return found;
}

}  // namespace

FirstRun run_first(const char* who, const Segment& segment, const Tensor& x) {
    FirstRun run;
    run.draws = std::make_shared<Draws>(present_draws());
    const std::uint64_t began = youngest_birth();
    std::vector<Edge> saved;
    Tensor y = [&] {
        const SavedWatch watch(saved);
        const Drawing as_its_own(run.draws);
        at_every_replay(run.draws, &Draws::begin);
        return segment(x);
    }();
    check(y.defined(), "{}: wanted a result, got an undefined tensor", who);
    if (y.requires_grad() && y.node()->birth > began) run.edges = from_outside(y.node(), began);
    if (y.requires_grad() && y.node()->birth <= began) run.edges = {edge_to(y)};
    for (const Edge& edge : run.edges) run.wanted = run.wanted || edge.node;
    for (Edge& edge : saved) edge.node = nullptr;
    run.y = std::exchange(y, Tensor()).detach();  // frees everything that only the dropped tape held
    add_saved(run.edges, std::move(saved), run.y);
    return run;
}

Tensor run_again(const Segment& segment, const Tensor& x, const std::shared_ptr<Draws>& draws) {
    const WithGrad recorded;
    const Drawing the_same(draws);
    at_every_replay(draws, &Draws::again);
    Tensor y = segment(x);
    at_every_replay(draws, &Draws::finish);
    return y;
}

}  // namespace detail

Tensor checkpoint(Segment segment, const Tensor& x) {
    check(bool(segment), "checkpoint: wanted a segment to run, got an empty function");
    check(x.defined(), "checkpoint: wanted an input, got an undefined tensor");
    if (!recording_now()) return segment(x);
    const detail::FirstRun run = detail::run_first("checkpoint", segment, x);
    if (!run.wanted) return run.y;

    auto node = make_node("checkpoint", run.y.shape());
    node->inputs = run.edges;
    const Node* self = node.get();
    // Everything from outside gets its gradient in the sweep itself, in the same order as without checkpoint.
    node->rule = [segment = std::move(segment), x, draws = run.draws, shape = run.y.shape(), self](const Tensor& dy) {
        refuse_changed_inputs("checkpoint", self->inputs);
        const std::uint64_t began = youngest_birth();
        const Tensor y = detail::run_again(segment, x, draws);
        check(y.defined() && y.shape() == shape,
              "checkpoint: the segment gave shape {} at first and {} when it ran again", shape,
              y.defined() ? to_string(y.shape()) : "nothing");
        check(y.requires_grad(), "checkpoint: the segment recorded nothing when it ran again");
        sweep(y.node(), dy, began);
        return Grads(self->inputs.size());
    };
    return record_node(run.y, std::move(node));
}

}  // namespace RECTO
