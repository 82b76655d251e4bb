#include <recto/device/cuda/staging.hpp>

#include <deque>
#include <numeric>
#include <vector>

#include <recto/testing/testing.hpp>

using namespace recto;

namespace {

/// A GPU that reads each buffer as late as possible: when something waits for it.
struct Late {
    struct Copy {
        void* to;
        const void* from;
        std::size_t bytes;
    };
    std::deque<Copy> open;
    std::array<std::size_t, 8> marks{};  // how many copies were sent when the buffer was marked
    std::size_t sent = 0, done = 0;
    std::vector<std::vector<char>> pinned;

    void* pin(std::size_t bytes) { return pinned.emplace_back(bytes).data(); }
    void send(void* to, const void* from, std::size_t bytes) { open.push_back({to, from, bytes}), ++sent; }
    void mark(std::size_t i) { marks[i] = sent; }
    void wait(std::size_t i) { run(marks[i]); }
    void run(std::size_t until) {
        for (; done < until; ++done, open.pop_front()) std::memcpy(open[0].to, open[0].from, open[0].bytes);
    }
};

}  // namespace

TEST_CASE("staging: what was sent arrives, however late the buffers are read", "[cuda][staging]") {
    cuda::Staging<Late> staging;
    std::vector<int> large(3'000'000), small(20), there(large.size()), places(small.size());
    std::iota(large.begin(), large.end(), 1);
    staging.send(there.data(), large.data(), large.size() * sizeof(int));  // six buffers
    const std::vector<int> want = large;
    std::ranges::fill(large, 0);  // the caller may change its numbers at once
    for (int i = 0; i < 20; ++i) {
        small[0] = i;
        staging.send(&places[std::size_t(i)], small.data(), sizeof(int));  // often enough to reuse every buffer
    }
    CHECK(staging.driver.pinned.size() == 8);
    staging.driver.run(staging.driver.sent);
    CHECK(there == want);
    std::iota(small.begin(), small.end(), 0);
    CHECK(places == small);
    staging.send(nullptr, nullptr, 0);
    CHECK(staging.driver.open.empty());
}
