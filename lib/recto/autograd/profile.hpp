#pragma once
/// @file
/// Profile: where the time of a training step goes, operation by operation, forward and backward.
///
///     Profile profile;
///     for (int i = 0; i < 100; ++i) optim::train_step(adam, loss);
///     profile.stop();
///     for (const ProfileRow& row : profile.rows()) say("{} {}: {} s", row.name, row.pass, row.seconds);
#include <memory>
#include <string_view>
#include <vector>

#include <recto/device/device.hpp>

namespace RECTO {

/// What all calls of one operation in one direction took.
struct ProfileRow {
    std::string_view name =
        {};  ///< the operation, a ProfilePhase, `gradient sum`, `gradient copy` or `between operations`
    std::string_view pass = {};  ///< `forward`, `backward`, or empty for a phase and for what lies between
    Index calls = 0;             ///< number of calls
    double seconds = 0;          ///< time of all calls
    Index multiply_adds = 0;     ///< those that a FlopCount counts (base/flops.hpp)
    Index bytes = 0;             ///< what all calls must read and write at least: see Profile
};

/// A clock that always runs for exactly one row, so that nothing is counted twice and the rows add up to the whole.
///
/// *Forward*, an operation runs from the moment when it first asks for memory (for its result, or for a copy of an
/// input) to its record(). The checks of its arguments before, the node on the tape after, and the layers and loops
/// around it are `between operations`; so is the time of an operation that needs no memory, such as a view. An operation
/// built of others is counted in their rows, except that the last of them belongs to it if it returns that one's result.
///
/// *Backward*, it is the rule, with all operations that the rule calls. If a rule runs a part of the tape again
/// (autograd/checkpoint.hpp), what it recomputes is its own, and the rules of that part have their own rows. Where a
/// second gradient arrives, adding it is a `gradient sum`; copying one for a leaf, or one with gaps, is a `gradient
/// copy`.
///
/// The bytes of a call are those of its inputs and its result; backward, those of the result's gradient, of what the
/// rule saved, and of the gradients that it returns. A broadcast input counts once, a table as much as is read of it, a
/// result that is a view counts nothing. A kernel may move more, never less.
///
/// The profile's own work, about a tenth of a microsecond for each row that it enters or leaves, is `between operations`
/// too: much in a step of ten microseconds, nothing in one of a millisecond.
///
/// Only the thread that made the Profile is watched; its pool of threads works for it. On a GPU every operation is waited
/// for, so the times are those of kernels that run one after another, and the host's work no longer hides behind them.
class Profile {
public:
    /// Seconds since some moment.
    using Clock = double (*)();

    /// Starts. @throws Error when this thread has a Profile already
    /// @param device  whose work is waited for   @param clock  for tests; by default a monotonic one
    explicit Profile(Device device = Device::cpu, Clock clock = nullptr);
    ~Profile();
    Profile(const Profile&) = delete;
    Profile& operator=(const Profile&) = delete;

    /// Ends the measurement; later operations are not noted. Not inside a ProfilePhase or a backward pass.
    void stop();
    /// All rows, the longest first, then `between operations`.
    std::vector<ProfileRow> rows() const;
    double seconds() const;  ///< From the start to now, or to stop(): the sum over all rows.

    struct Notes;  ///< What was noted (profile.cpp).

private:
    std::unique_ptr<Notes> notes_;
};

/// Everything that runs while a ProfilePhase exists is one row of the thread's Profile, if there is one: the steps of an
/// optimiser, the data of a batch.
class ProfilePhase {
public:
    /// @param name  of static lifetime
    explicit ProfilePhase(const char* name);
    ~ProfilePhase() noexcept(false);  ///< @throws Error when a device reports one
    ProfilePhase(const ProfilePhase&) = delete;
    ProfilePhase& operator=(const ProfilePhase&) = delete;

private:
    Profile::Notes* notes_;
};

}  // namespace RECTO
