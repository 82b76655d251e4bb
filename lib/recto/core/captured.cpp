#include <recto/core/captured.hpp>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <recto/core/block_cache.hpp>
#include <recto/core/capture.hpp>
#include <recto/core/draws.hpp>
#include <recto/core/fault.hpp>
#include <recto/core/flops.hpp>
#ifdef RECTO_CUDA
#include <recto/cuda/graph.hpp>
#endif

namespace RECTO {
namespace {

/// One kernel of device `sim`, as it was asked for.
struct SimWork {
    detail::SimLoop loop;
    Index n;
    std::vector<std::max_align_t> kernel;
};

/// A number that the host writes before every replay.
struct LateNumber {
    std::size_t at;
    std::function<void(void*)> write;
};

constexpr std::size_t late_bytes = std::size_t(1) << 16;

}  // namespace

/// What replay() does instead of calling the step.
struct detail::Recording {
    Device device;
    Storage late;                 // on the device ...
    std::vector<std::byte> here;  // ... and what is sent there
    std::size_t used = 0;
    std::vector<LateNumber> numbers;
    std::vector<SimWork> work;
    BlockCache::Group group = 0;
    Index multiply_adds = 0;  // of each replay
#ifdef RECTO_CUDA
    cuda::Graph graph;
#endif

    explicit Recording(Device device) : device(device), late(late_bytes, device), here(late_bytes) {}
    ~Recording() {
        if (group) block_cache(device).dissolve(group);
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    void record(const std::function<void()>& step);
    void play() const;
    void replay() {
        for (const LateNumber& number : numbers) number.write(&here[number.at]);
        copy_bytes(late.data(), device, here.data(), Device::cpu, used);
        play();
    }
};

namespace {
thread_local detail::Recording* open = nullptr;  // what this thread records into
}

void detail::Recording::record(const std::function<void()>& step) {
    group = block_cache(device).begin_group();
    struct End {
        Recording& self;
        bool recorded = false;
        ~End() {
            open = nullptr;
            block_cache(self.device).end_group();
#ifdef RECTO_CUDA
            if (!recorded && self.device == Device::cuda) cuda::Graph::abandon();
#endif
        }
    } end{*this};
#ifdef RECTO_CUDA
    if (device == Device::cuda) cuda::Graph::begin();
#endif
    open = this;
    step();
    end.recorded = true;  // whatever comes now, the stream does not record any more
#ifdef RECTO_CUDA
    if (device == Device::cuda) graph.end();
#endif
}

void detail::Recording::play() const {
#ifdef RECTO_CUDA
    if (device == Device::cuda) return graph.launch();
#endif
    for (const SimWork& w : work) w.loop(w.n, w.kernel.data());
    raise_fault(*fault_of(device));
}

Captured::Captured(Device device, std::function<Tensor()> step) : device_(device), step_(std::move(step)) {
    require(device);
}
Captured::~Captured() = default;

Tensor Captured::replay() {
    if (device_ == Device::cpu || !std::exchange(warm_, true)) {
        const Tensor loss = step_();
        return loss.defined() ? loss.detach() : loss;
    }
    if (!recording_) {
        auto recording = std::make_unique<detail::Recording>(device_);
        const FlopCount count;
        recording->record([&] {
            const Tensor loss = step_();
            result_ = loss.defined() ? loss.detach() : loss;
        });
        recording->multiply_adds = count.multiply_adds();
        recording_ = std::move(recording);
    } else {
        detail::count_multiply_adds(recording_->multiply_adds);
    }
    recording_->replay();
    return result_;
}

namespace detail {

bool capturing() { return open != nullptr; }

void refuse_in_capture(const char* what) {
    check(!capturing(), "{}: a captured step is replayed without the host; read and write numbers before or after it",
          what);
}

void run_on_sim(SimLoop loop, Index n, const void* kernel, std::size_t bytes) {
    if (!capturing()) return loop(n, kernel);
    SimWork work{loop, n,
                 std::vector<std::max_align_t>((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t))};
    std::memcpy(work.kernel.data(), kernel, bytes);
    open->work.push_back(std::move(work));
}

const void* place_for_later(std::size_t bytes, std::function<void(void*)> write) {
    const std::size_t at = open->used, room = (bytes + 15) / 16 * 16;
    check(at + room <= late_bytes, "capture: wanted at most {} bytes that change from step to step, got more",
          late_bytes);
    open->used += room;
    open->numbers.push_back({at, [write = std::move(write), draws = present_draws()](void* to) {
                                 const Drawing as_now(draws);
                                 write(to);
                             }});
    return static_cast<const std::byte*>(open->late.data()) + at;
}

}  // namespace detail
}  // namespace RECTO
