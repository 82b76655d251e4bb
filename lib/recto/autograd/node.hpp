#pragma once
/// @file
/// What the tape is made of, for the few that walk it or sweep a part of it.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <recto/autograd/tape.hpp>

namespace RECTO {

std::shared_ptr<Storage> storage_of(const Tensor& x);                   ///< The block that holds its numbers.
std::shared_ptr<Storage> storage_of(const Integers& x);                 ///< The same for integers.
Tensor record_node(Tensor y, std::shared_ptr<Node> node);               ///< The same tensor at this place on the tape.
std::shared_ptr<Node> make_node(const char* name, const Shape& shape);  ///< A node that is younger than all others.

/// What one input was when it was recorded.
struct Edge {
    std::shared_ptr<Node> node;      ///< null when it wants no gradient
    std::weak_ptr<Storage> storage;  ///< its numbers, if they still exist
    std::uint64_t version;           ///< how often its storage had been changed
    Shape shape;                     ///< its shape
};

/// The edge of an input as it is now.
Edge edge_to(const Tensor& x);

/// Refuses inputs that were changed since: for rules that compute them again instead of saving what was computed.
/// @param name  the operation's, for the message
void refuse_changed_inputs(const char* name, std::span<const Edge> inputs);

/// One step on the tape, or a leaf.
struct Node {
    const char* name;          ///< the operation's
    std::uint64_t birth;       ///< later steps have larger numbers, so this is a topological order
    std::vector<Edge> inputs;  ///< what it was computed from
    Rule rule;                 ///< empty for a leaf
    Shape shape;               ///< of the result
    Tensor grad;               ///< of a leaf: kept; of a step: only while a sweep passes
    bool owned = false;        ///< nobody else looks at grad's numbers, so they may be added to in place
    std::uint64_t sweep = 0;   ///< of a leaf: the last sweep that added to it
};

/// The birth of the youngest node there is: those that come are younger.
std::uint64_t youngest_birth();

/// Is this thread recording?
bool recording_now();

/// While one of these lives, record() on this thread remembers, in a backward pass too.
class WithGrad {
public:
    WithGrad();
    ~WithGrad();
    WithGrad(const WithGrad&) = delete;
    WithGrad& operator=(const WithGrad&) = delete;

private:
    bool before_;
};

/// While one of these lives, it collects what is saved on this thread: what a segment read that is no input of a step.
class SavedWatch {
public:
    explicit SavedWatch(std::vector<Edge>& found);  ///< Begins; adds to `found`.
    ~SavedWatch();
    SavedWatch(const SavedWatch&) = delete;
    SavedWatch& operator=(const SavedWatch&) = delete;

private:
    std::vector<Edge>* before_;
};

/// Sweeps the tape back from `from`, whose gradient is `dy`. Nodes that are not younger than `oldest` get their share and
/// pass nothing on: that is up to whoever sweeps them.
void sweep(const std::shared_ptr<Node>& from, Tensor dy, std::uint64_t oldest = 0);

}  // namespace RECTO
