#include <recto/autograd/profile.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include <recto/autograd/profiling.hpp>
#include <recto/base/flops.hpp>
#include <recto/device/asked.hpp>
#include <recto/device/storage.hpp>

namespace RECTO {
namespace {

double monotonic() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Bytes of the elements of a tensor; an element that a broadcast repeats counts once.
Index bytes_of(const Tensor& x) {
    return x.defined() ? std::min(x.numel() * Index(sizeof(Real)), Index(storage_of(x)->bytes())) : 0;
}

/// Whether an operation reads from its table only the rows that it returns.
bool reads_a_part(std::string_view name) { return name == "index_rows" || name == "gather"; }

}  // namespace

struct Profile::Notes {
    using Key = std::pair<std::string_view, std::string_view>;

    Device device;
    Clock clock;
    std::map<Key, ProfileRow> rows;  // whose addresses stay
    ProfileRow between{.name = "between operations"};
    ProfileRow begun;                 // an operation that has no name yet
    ProfileRow* running = &between;   // the row whose time it is
    std::vector<ProfileRow*> around;  // the rows that wait for phases and rules inside them to end
    double since;                     // when it began to run
    FlopCount count;
    std::unordered_map<std::uint64_t, Index> kept;  // bytes that the rules of nodes saved, by birth
    Index saved = 0, saved_by_it = 0;               // by the rule that is recorded next, and by the one before
    struct {
        ProfileRow* row = nullptr;
        ProfileRow call;
        std::weak_ptr<Storage> storage;
    } last;  // the operation before, in case that it is the last part of another

    Notes(Device device, Clock clock) : device(device), clock(clock ? clock : monotonic), since(this->clock()) {}

    ProfileRow& row(std::string_view name, std::string_view pass) {
        return rows.try_emplace({name, pass}, ProfileRow{name, pass}).first->second;
    }
    /// Ends the time of the row that is running, and begins that of another.
    void turn_to(ProfileRow& next) {
        if (std::uncaught_exceptions() == 0) synchronize(device);
        const double now = clock();
        running->seconds += now - since;
        running->multiply_adds += count.multiply_adds();
        count.restart();
        since = now;
        running = &next;
    }
    /// What began without becoming an operation lies between operations.
    void drop_begun() {
        between.seconds += begun.seconds, between.multiply_adds += begun.multiply_adds;
        begun = {};
    }
    void begin(ProfileRow& inner) {
        ++inner.calls;
        ProfileRow* const outer = running == &begun ? &between : running;
        turn_to(inner);
        drop_begun();
        around.push_back(outer);
        last = {};
    }
    void end() {
        ProfileRow& outer = *around.back();
        around.pop_back();
        turn_to(outer);
    }
};

Profile::Profile(Device device, Clock clock) {
    require(device);
    check(!detail::profiling, "Profile: wanted one at a time on a thread, got a second");
    notes_ = std::make_unique<Notes>(device, clock);
    detail::set_profiling(notes_.get());
}
Profile::~Profile() {
    if (detail::profiling == notes_.get()) detail::set_profiling(nullptr);
}

void Profile::stop() {
    if (detail::profiling != notes_.get()) return;
    check(notes_->around.empty(), "Profile: wanted stop() outside of phases and backward passes, got it inside '{}'",
          notes_->running->name);
    notes_->turn_to(notes_->between);
    notes_->drop_begun();
    detail::set_profiling(nullptr);
}

std::vector<ProfileRow> Profile::rows() const {
    std::vector<ProfileRow> all;
    for (const auto& [key, row] : notes_->rows)
        if (row.calls > 0) all.push_back(row);
    std::ranges::stable_sort(all, std::greater(), &ProfileRow::seconds);
    all.push_back(notes_->between);
    all.back().seconds += notes_->begun.seconds;
    return all;
}

double Profile::seconds() const {
    if (detail::profiling == notes_.get() && notes_->around.empty()) notes_->turn_to(*notes_->running);
    double total = 0;
    for (const ProfileRow& row : rows()) total += row.seconds;
    return total;
}

ProfilePhase::ProfilePhase(const char* name) : notes_(detail::profiling) {
    if (notes_) notes_->begin(notes_->row(name, ""));
}
ProfilePhase::~ProfilePhase() noexcept(false) {
    if (notes_ && notes_ == detail::profiling) notes_->end();
}

namespace detail {

void profile_asked() {
    Profile::Notes& notes = *profiling;
    if (notes.running == &notes.between && notes.around.empty()) notes.turn_to(notes.begun);
}

void profile_saved(Profile::Notes& notes, Index bytes) { notes.saved += bytes; }

void profile_result(Profile::Notes& notes, const char* name, const Tensor& y, std::span<const Tensor> inputs) {
    notes.saved_by_it = std::exchange(notes.saved, 0);
    if (!notes.around.empty()) return;  // a part of a rule or of a phase
    notes.turn_to(notes.between);
    const std::shared_ptr<Storage> storage = storage_of(y);
    const bool view = std::ranges::any_of(inputs, [&](const Tensor& x) { return storage_of(x) == storage; });
    ProfileRow call{.calls = 1, .seconds = notes.begun.seconds, .multiply_adds = notes.begun.multiply_adds};
    notes.begun = {};
    if (!view) {
        call.bytes = bytes_of(y);
        for (const Tensor& x : inputs)
            call.bytes += reads_a_part(name) ? std::min(bytes_of(x), bytes_of(y)) : bytes_of(x);
        if (notes.last.row && storage && notes.last.storage.lock() == storage) {  // computed by the operation before
            notes.last.row->calls -= 1, notes.last.row->bytes -= notes.last.call.bytes;
            notes.last.row->seconds -= notes.last.call.seconds;
            notes.last.row->multiply_adds -= notes.last.call.multiply_adds;
            call.seconds += notes.last.call.seconds, call.multiply_adds += notes.last.call.multiply_adds;
        }
    }
    ProfileRow& row = notes.row(name, "forward");
    row.calls += 1, row.seconds += call.seconds, row.multiply_adds += call.multiply_adds, row.bytes += call.bytes;
    notes.last = {&row, call, storage};
}

void profile_node(Profile::Notes& notes, const Node& node) { notes.kept[node.birth] = notes.saved_by_it; }

Grads profile_rule(Profile::Notes& notes, const Node& node, const Tensor& dy,
                   Grads (*run)(const Node&, const Tensor&)) {
    const std::uint64_t before = dy.version();
    const Grads grads = [&] {
        const ProfilePart rule(node.name);
        return run(node, dy);
    }();
    Index moved = 0;
    const Storage* const passed_on = dy.version() == before ? storage_of(dy).get() : nullptr;
    for (const Tensor& dx : grads)
        if (dx.defined() && storage_of(dx).get() != passed_on) moved += bytes_of(dx);
    const auto kept = notes.kept.extract(node.birth);
    if (moved > 0) notes.row(node.name, "backward").bytes += moved + bytes_of(dy) + (kept ? kept.mapped() : 0);
    return grads;
}

ProfilePart::ProfilePart(const char* name, Index bytes) : notes_(profiling) {
    if (!notes_) return;
    ProfileRow& row = notes_->row(name, "backward");
    row.bytes += bytes;
    notes_->begin(row);
}
ProfilePart::~ProfilePart() noexcept(false) {
    if (notes_ && notes_ == profiling) notes_->end();
}

}  // namespace detail
}  // namespace RECTO
