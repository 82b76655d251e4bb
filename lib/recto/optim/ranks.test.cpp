#include <recto/optim/ranks.hpp>

#include <atomic>
#include <mutex>
#include <vector>

#include <recto/core/random.hpp>
#include <recto/optim/mpi.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// The numbers of one rank, the same in every run.
std::vector<Real> numbers_of(int rank, Index count) {
    return Generator(std::uint64_t(rank) + 1).normal({count}).values();
}

}  // namespace

TEST_CASE("add_up: every rank has the same sums", "[optim]") {
    for (const int size : {1, 2, 3, 8})
        for (const Index count : {Index(0), Index(1), Index(7), Index(8), Index(1000)}) {
            CAPTURE(size, count);
            std::vector<Real> wanted;
            for (Index i = 0; i < count; ++i) {
                double sum = 0;
                for (int r = 0; r < size; ++r) sum += double(numbers_of(r, count)[std::size_t(i)]);
                wanted.push_back(Real(sum));
            }
            std::atomic<int> right = 0;
            optim::run_as_threads(size, [&](optim::Ranks& ranks) {
                std::vector<Real> mine = numbers_of(ranks.rank(), count);
                optim::add_up(ranks, mine);
                right += mine == wanted;
            });
            CHECK(right == size);
        }
}

TEST_CASE("Ranks: exchange, gather and broadcast", "[optim]") {
    std::atomic<int> right = 0;
    optim::run_as_threads(3, [&](optim::Ranks& ranks) {
        const auto at = [](int sender, int receiver) { return std::byte(10 * sender + receiver); };
        const int me = ranks.rank();
        std::vector<std::byte> sent{at(me, 0), at(me, 1), at(me, 2)}, got(3), all(9);
        ranks.exchange(sent, got);
        right += got == std::vector{at(0, me), at(1, me), at(2, me)};
        ranks.gather(sent, all);
        for (int r = 0; r < 3; ++r) right += all[std::size_t(3 * r + 1)] == at(r, 1);
        ranks.broadcast(sent);
        right += sent == std::vector{at(0, 0), at(0, 1), at(0, 2)};
        barrier(ranks);
    });
    CHECK(right == 3 * 5);
}

TEST_CASE("Ranks: one process is a group of one", "[optim]") {
    const auto ranks = optim::start_ranks(1);
    CHECK(ranks->rank() == 0);
    CHECK(ranks->size() == 1);
    std::vector<Real> numbers{1, 2, 3};
    optim::add_up(*ranks, numbers);
    barrier(*ranks);
    CHECK(numbers == std::vector<Real>{1, 2, 3});
}

TEST_CASE("run_as_threads: a failing rank ends the others", "[optim]") {
    for (const int failing : {0, 1, 2})
        CHECK_THROWS_WITH(optim::run_as_threads(3,
                                                [&](optim::Ranks& ranks) {
                                                    for (int step = 0; step < 5; ++step) {
                                                        check(step < 2 || ranks.rank() != failing, "rank {} is unwell",
                                                              ranks.rank());
                                                        barrier(ranks);
                                                    }
                                                }),
                          fmt::format("rank {} is unwell", failing));
}

TEST_CASE("Ranks: messages", "[optim]") {
    CHECK_THROWS_WITH(optim::run_as_threads(0, [](optim::Ranks&) {}), "ranks: wanted at least one rank, got 0");
    CHECK_THROWS_WITH(optim::start_ranks(0), "ranks: wanted at least one rank, got 0");
    ::unsetenv("RECTO_MPI");
    CHECK_THROWS_WITH(optim::start_ranks(2),
                      "ranks: wanted MPI, but RECTO_MPI names no library; `./recto run PAGE --ranks N` makes it");
    ::setenv("RECTO_MPI", "/nowhere/mpi.so", 1);
    CHECK_THROWS_WITH(optim::start_ranks(2), Catch::Matchers::StartsWith("ranks: cannot load /nowhere/mpi.so: "));
    ::unsetenv("RECTO_MPI");
}
