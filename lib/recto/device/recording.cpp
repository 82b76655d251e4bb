#include <recto/device/recording.hpp>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <recto/base/flops.hpp>
#include <recto/device/block_cache.hpp>
#include <recto/device/cuda/graph.hpp>
#include <recto/device/draws.hpp>
#include <recto/device/fault.hpp>
#include <recto/device/storage.hpp>

namespace RECTO::detail {
namespace {

/// One launch of a kernel on device `sim`.
struct SimWork {
    SimLoop loop;
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

struct Recording::Work {
    Device device;
    Storage late;                 // on the device ...
    std::vector<std::byte> here;  // ... and on the host, to be sent there
    std::size_t used = 0;
    std::vector<LateNumber> numbers;
    std::vector<SimWork> kernels;
    BlockCache::Group group;
    Index multiply_adds = 0;  // of one replay
    bool replayed = false;
    cuda::Graph graph;

    explicit Work(Device on)
        : device(on), late(late_bytes, on), here(late_bytes), group(block_cache(on).begin_group()) {}
    ~Work() { block_cache(device).dissolve(group); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    void play() const {
        if (device == Device::cuda) return graph.launch();
        for (const SimWork& w : kernels) w.loop(w.n, w.kernel.data());
        raise_fault(*fault_of(device));
    }
};

namespace {
thread_local Recording::Work* open = nullptr;  // the recording of this thread, or null
}

Recording::Recording(Device device, const std::function<void()>& step) : work_(std::make_unique<Work>(device)) {
    struct End {  // ends the recording, also after an exception
        Work& work;
        bool recorded = false;
        ~End() {
            open = nullptr;
            block_cache(work.device).end_group();
            if (!recorded && work.device == Device::cuda) cuda::Graph::abandon();
        }
    } end{*work_};
    const FlopCount count;
    if (device == Device::cuda) cuda::Graph::begin();
    open = work_.get();
    step();
    end.recorded = true;  // from here on the stream no longer records, even if end() throws
    if (device == Device::cuda) work_->graph.end();
    work_->multiply_adds = count.multiply_adds();
}
Recording::~Recording() = default;

void Recording::replay() {
    // Recording counted the first replay.
    if (std::exchange(work_->replayed, true)) count_multiply_adds(work_->multiply_adds);
    for (const LateNumber& number : work_->numbers) number.write(&work_->here[number.at]);
    copy_bytes(work_->late.data(), work_->device, work_->here.data(), Device::cpu, work_->used);
    work_->play();
}

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
    open->kernels.push_back(std::move(work));
}

const void* place_for_later(std::size_t bytes, std::function<void(void*)> write) {
    Recording::Work& work = *open;
    const std::size_t at = work.used, room = (bytes + 15) / 16 * 16;
    check(at + room <= late_bytes, "capture: wanted at most {} bytes that change from step to step, got more",
          late_bytes);
    work.used += room;
    work.numbers.push_back({at, [write = std::move(write), draws = present_draws()](void* to) {
                                const Drawing as_now(draws);
                                write(to);
                            }});
    return static_cast<const std::byte*>(work.late.data()) + at;
}

}  // namespace RECTO::detail
