#include <recto/device/threads.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <recto/base/check.hpp>

namespace RECTO {
namespace {

using namespace std::chrono_literals;

/// Workers sleep on a condition variable. Before they sleep they poll for new work for a moment, because a training
/// step launches kernels a few microseconds apart and waking a sleeping thread costs about fifty. The caller never
/// waits for a sleeping worker: it takes pieces itself, and when none is left, only workers with a piece have to
/// finish.
class Pool {
public:
    explicit Pool(int count) {
        for (int i = 1; i < count; ++i) workers_.emplace_back([this] { work(); });
    }
    ~Pool() {
        {
            const std::lock_guard lock(mutex_);
            leaving_ = true;
            ++round_;
        }
        wake_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int size() const { return int(workers_.size()) + 1; }

    void run(Index n, Index grain, detail::Piece piece, const void* body) {
        {
            const std::lock_guard lock(mutex_);
            n_ = n, grain_ = grain, piece_ = piece, body_ = body;
            next_ = 0;
            open_ = true;
            ++round_;
        }
        wake_.notify_all();
        take_pieces();
        {
            const std::lock_guard lock(mutex_);
            open_ = false;  // a worker that wakes up only now goes back to sleep
        }
        for (int tries = 0; inside_.load(std::memory_order_acquire) > 0; ++tries)
            if (tries > 1000) std::this_thread::yield();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

private:
    void take_pieces() {
        for (Index begin; (begin = next_.fetch_add(grain_, std::memory_order_relaxed)) < n_;) {
            try {
                piece_(body_, begin, std::min(begin + grain_, n_));
            } catch (...) {
                const std::lock_guard lock(mutex_);
                if (!failure_) failure_ = std::current_exception();
            }
        }
    }

    void work();

    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<unsigned> round_ = 0;  // number of the job, so that a worker recognises a new one
    std::atomic<int> inside_ = 0;      // workers that are taking pieces
    std::atomic<Index> next_ = 0;      // the first piece not yet taken
    bool open_ = false;                // guarded by mutex_, as are the members below
    bool leaving_ = false;
    Index n_ = 0, grain_ = 1;
    detail::Piece piece_ = nullptr;
    const void* body_ = nullptr;
    std::exception_ptr failure_;
};

thread_local bool inside = false;  // whether this thread is in a parallel section: nested sections run serially

void Pool::work() {
    inside = true;
    for (unsigned seen = 0;;) {
        const auto until = std::chrono::steady_clock::now() + 50us;
        while (round_.load(std::memory_order_acquire) == seen && std::chrono::steady_clock::now() < until) {
        }
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return round_ != seen; });
            seen = round_;
            if (leaving_) return;
            if (!open_) continue;
            ++inside_;
        }
        take_pieces();
        inside_.fetch_sub(1, std::memory_order_release);
    }
}

int asked_threads() {
    const char* text = std::getenv("RECTO_THREADS");
    if (!text || !*text) return int(std::max(1u, std::thread::hardware_concurrency()));
    char* end = nullptr;
    const long count = std::strtol(text, &end, 10);
    check(*end == 0 && count >= 1 && count <= 1024, "RECTO_THREADS: wanted a number from 1 to 1024, got '{}'", text);
    return int(count);
}

std::mutex owner;             // one parallel section at a time uses the pool; others run serially
std::unique_ptr<Pool> pool;   // created at first use, so that a program without parallel work starts no thread
std::atomic<int> wanted = 0;  // 0: not yet set

}  // namespace

int threads() {
    if (wanted == 0) {
        int nobody = 0;
        wanted.compare_exchange_strong(nobody, asked_threads());
    }
    return wanted;
}

void set_threads(int count) {
    check(count >= 1 && count <= 1024, "threads: wanted a number from 1 to 1024, got {}", count);
    check(!inside, "threads: their number cannot change inside parallel()");
    const std::lock_guard lock(owner);
    wanted = count;
    if (pool && pool->size() != count) pool.reset();
}

void detail::run_pieces(Index n, Index grain, Piece piece, const void* body) {
    std::unique_lock lock(owner, std::defer_lock);
    if (inside || !lock.try_lock() || threads() == 1) {
        for (Index begin = 0; begin < n; begin += grain) piece(body, begin, std::min(begin + grain, n));
        return;
    }
    if (!pool) {
        // A forked process has no workers; it drops the pool, whose threads do not exist there.
        [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { (void)pool.release(); });
        pool = std::make_unique<Pool>(threads());
    }
    struct Inside {
        Inside() { inside = true; }
        ~Inside() { inside = false; }
    } guard;
    pool->run(n, grain, piece, body);
}

}  // namespace RECTO
