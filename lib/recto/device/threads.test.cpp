#include <recto/device/threads.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include <recto/device/launch.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;

namespace {
/// Restores the number of threads when a test ends.
struct WithThreads {
    int before = threads();
    explicit WithThreads(int n) { set_threads(n); }
    ~WithThreads() { set_threads(before); }
};
}  // namespace

TEST_CASE("threads: every index once, whatever the number of threads", "[core][threads]") {
    const int n = GENERATE(1, 2, 4);
    const WithThreads guard(n);
    CHECK(threads() == n);
    for (const Index count : {Index(0), Index(1), Index(99), Index(100), Index(101), Index(10007)}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
        std::atomic<bool> too_long = false;
        parallel(count, 100, [&](Index begin, Index end) {
            if (end - begin > 100 || begin % 100 != 0) too_long = true;
            for (Index i = begin; i < end; ++i) ++seen[std::size_t(i)];
        });
        CHECK_FALSE(too_long.load());
        CHECK(std::ranges::all_of(seen, [](const auto& times) { return times == 1; }));
    }
}

TEST_CASE("threads: a nested section runs where it is", "[core][threads]") {
    const WithThreads guard(4);
    std::atomic<Index> total = 0, strangers = 0;
    parallel(64, 1, [&](Index, Index) {
        const auto self = std::this_thread::get_id();
        parallel(50, 10, [&](Index begin, Index end) {
            total += end - begin;
            strangers += self != std::this_thread::get_id();
        });
    });
    CHECK(total == 64 * 50);
    CHECK(strangers == 0);
}

TEST_CASE("threads: their number can be asked for inside, not changed", "[core][threads]") {
    const WithThreads guard(2);
    std::atomic<int> wrong = 0;
    parallel(8, 1, [&](Index, Index) { wrong += threads() != 2; });
    CHECK(wrong == 0);
    CHECK_THROWS_WITH(parallel(8, 1, [](Index, Index) { set_threads(3); }),
                      "threads: their number cannot change inside parallel()");
    CHECK(threads() == 2);
}

TEST_CASE("threads: an exception arrives at the caller, and the pool works on", "[core][threads]") {
    const int n = GENERATE(1, 4);
    const WithThreads guard(n);
    for (int round = 0; round < 20; ++round) {
        CHECK_THROWS_WITH(parallel(40, 1,
                                   [&](Index begin, Index) {
                                       if (begin == 7) throw std::runtime_error("seven");
                                   }),
                          "seven");
        std::atomic<Index> total = 0;
        parallel(40, 1, [&](Index begin, Index end) { total += end - begin; });
        CHECK(total == 40);
    }
}

TEST_CASE("threads: two callers at a time", "[core][threads]") {
    const WithThreads guard(2);
    std::atomic<Index> total = 0;
    const auto work = [&] {
        for (int round = 0; round < 200; ++round)
            parallel(30, 10, [&](Index begin, Index end) { total += end - begin; });
    };
    std::thread other(work);
    work();
    other.join();
    CHECK(total == 2 * 200 * 30);
}

namespace {
struct CountRow {
    Real* y;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        team.each(cols, [&](Index j) { y[row * cols + j] = Real(row + j); });
    }
};
struct CountEach {
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = Real(i); }
};
/// The results of a team for the numbers f(j) = j.
struct TeamResults {
    Real* y;
    Index n;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index) const {
        y[0] = team.sum(n, [](Index j) { return Real(j); });
        y[1] = team.max(n, [](Index j) { return Real(j); });
        y[2] = team.max(n, [&](Index j) { return j == n / 2 ? not_a_number : Real(j); });
    }
};
}  // namespace

TEST_CASE("launch: each and rows reach every element", "[core][launch]") {
    const Device device = GENERATE(Device::cpu, Device::sim);  // the kernels of tests are not compiled as CUDA
    for (const Index n : {Index(0), Index(1), Index(127), Index(128), Index(129), Index(40000)}) {
        Tensor x = empty({n}, device), y = empty({3, n}, device);
        each(device, n, CountEach{x.write()});
        rows(device, 3, n, CountRow{y.write(), n});
        const auto a = x.values(), b = y.values();
        bool right = true;
        for (Index i = 0; i < n; ++i)
            right = right && a[std::size_t(i)] == Real(i) && b[std::size_t(2 * n + i)] == Real(2 + i);
        CHECK(right);
    }
    for (const Index n : {Index(1), Index(127), Index(128), Index(129), Index(1000)}) {
        Tensor y = empty({3}, device);
        rows(device, 1, n, TeamResults{y.write(), n});
        CHECK(y.at({0}) == Real(n * (n - 1) / 2));
        CHECK(y.at({1}) == Real(n - 1));
        CHECK(is_nan(y.at({2})));
    }
    Tensor y = empty({3}, device);
    rows(device, 1, 0, TeamResults{y.write(), 0});
    CHECK(y.values()[0] == 0);
    CHECK(y.values()[1] == -infinity);
}

TEST_CASE("threads: a process that forked starts with a pool of its own", "[core][threads]") {
    const WithThreads guard(2);
    std::atomic<Index> done = 0;
    const auto work = [&] { parallel(100, 1, [&](Index begin, Index end) { done += end - begin; }); };
    work();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);
        set_threads(3);
        work();
        ::_exit(done == 200 ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("threads: messages", "[core][threads]") {
    CHECK_THROWS_WITH(set_threads(0), "threads: wanted a number from 1 to 1024, got 0");
    CHECK_THROWS_WITH(set_threads(1025), "threads: wanted a number from 1 to 1024, got 1025");
}
