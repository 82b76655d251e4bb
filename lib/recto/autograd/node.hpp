#pragma once
/// @file
/// The nodes and edges of the tape, for code that walks the tape or runs a part of the backward pass.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <recto/autograd/tape.hpp>

namespace RECTO {

std::shared_ptr<Storage> storage_of(const Tensor& x);                   ///< The storage of a tensor's elements.
std::shared_ptr<Storage> storage_of(const Integers& x);                 ///< The storage of integers' elements.
Tensor record_node(Tensor y, std::shared_ptr<Node> node);               ///< `y`, attached to this node of the tape.
std::shared_ptr<Node> make_node(const char* name, const Shape& shape);  ///< A new node, younger than all others.

/// An input of a recorded operation, as it was at that time.
struct Edge {
    std::shared_ptr<Node> node;      ///< null when the input requires no gradient
    std::weak_ptr<Storage> storage;  ///< the input's storage, if it still exists
    std::uint64_t version;           ///< how often the storage had been changed
    Shape shape;                     ///< the input's shape
};

/// The edge to an input in its present state.
Edge edge_to(const Tensor& x);

/// Throws an Error if an input has been changed since it was recorded. For rules that recompute results from their
/// inputs instead of saving these results.
/// @param name  the operation's name, for the message
void refuse_changed_inputs(const char* name, std::span<const Edge> inputs);

/// One step on the tape, or a leaf.
struct Node {
    const char* name;          ///< the operation's name
    std::uint64_t birth;       ///< later steps have larger numbers, so this is a topological order
    std::vector<Edge> inputs;  ///< the edges to the inputs of the operation
    Rule rule;                 ///< empty for a leaf
    Shape shape;               ///< the result's shape
    Tensor grad;               ///< the gradient; a leaf keeps it, a step holds it only during a backward pass
    bool owned = false;        ///< whether no other handle shares grad's storage, so that sums may be made in place
    std::uint64_t sweep = 0;   ///< the last backward pass that added to this leaf
};

/// The birth of the youngest node so far; nodes made later have larger births.
std::uint64_t youngest_birth();

/// Whether this thread records operations on the tape.
bool recording_now();

/// While a WithGrad exists, record() on this thread records, even in a backward pass. The opposite of NoGrad.
class WithGrad {
public:
    WithGrad();
    ~WithGrad();
    WithGrad(const WithGrad&) = delete;
    WithGrad& operator=(const WithGrad&) = delete;

private:
    bool before_;
};

/// While a SavedWatch exists, it collects the tensors that rules on this thread save (see Saved): the inputs of a
/// checkpointed segment that are not inputs of a step.
class SavedWatch {
public:
    explicit SavedWatch(std::vector<Edge>& found);  ///< Begins to watch; appends to `found`.
    ~SavedWatch();
    SavedWatch(const SavedWatch&) = delete;
    SavedWatch& operator=(const SavedWatch&) = delete;

private:
    std::vector<Edge>* before_;
};

/// Runs the backward pass from the node `from`, whose gradient is `dy`. Nodes that are not younger than `oldest`
/// receive gradients but do not pass them on: a later sweep continues from them.
void sweep(const std::shared_ptr<Node>& from, Tensor dy, std::uint64_t oldest = 0);

}  // namespace RECTO
