#pragma once
/// @file
/// What the tape tells a Profile. Without one, each call is a branch that the processor predicts.
#include <span>

#include <recto/autograd/node.hpp>
#include <recto/autograd/profile.hpp>

namespace RECTO::detail {

/// The notes of this thread's Profile, or null.
inline constinit thread_local Profile::Notes* profiling = nullptr;

/// Starts or ends the notes of this thread (null); rules then report what they save.
void set_profiling(Profile::Notes* notes);

/// Memory was asked for.
void profile_asked();
/// A rule saved an array of this size for the node that is recorded next.
void profile_saved(Profile::Notes& notes, Index bytes);
/// An operation has its result.
void profile_result(Profile::Notes& notes, const char* name, const Tensor& y, std::span<const Tensor> inputs);
/// Its node was made.
void profile_node(Profile::Notes& notes, const Node& node);
/// Runs the rule of a node.
Grads profile_rule(Profile::Notes& notes, const Node& node, const Tensor& dy, Grads (*run)(const Node&, const Tensor&));

/// A part of the backward pass, while it exists: a rule, or what the tape itself does.
class ProfilePart {
public:
    explicit ProfilePart(const char* name, Index bytes = 0);  ///< @param bytes  that it reads and writes
    ~ProfilePart() noexcept(false);                           ///< @throws Error when a device reports one
    ProfilePart(const ProfilePart&) = delete;
    ProfilePart& operator=(const ProfilePart&) = delete;

private:
    Profile::Notes* notes_;
};

}  // namespace RECTO::detail
