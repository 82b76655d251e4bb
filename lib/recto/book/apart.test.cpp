#include <recto/book/apart.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include <fmt/format.h>

#include <recto/device/threads.hpp>
#include <recto/io/byte_source.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using book::each_apart;

namespace {

std::map<Index, std::vector<double>> all(Index count, int at_once,
                                         const std::function<std::vector<double>(Index)>& work) {
    std::map<Index, std::vector<double>> found;
    each_apart(count, at_once, work, [&](Index i, const std::vector<double>& numbers) { found[i] = numbers; });
    return found;
}

}  // namespace

TEST_CASE("apart: every piece is done once, however many run at once") {
    const auto work = [](Index i) { return std::vector<double>{double(i), 1.0 / double(i + 1)}; };
    for (const int at_once : {1, 2, 5, 40}) {
        const auto found = all(17, at_once, work);
        REQUIRE(found.size() == 17);
        for (const auto& [i, numbers] : found) CHECK(numbers == work(i));
    }
    CHECK(all(0, 2, work).empty());
}

TEST_CASE("apart: more numbers than a pipe holds, and none") {
    const auto found = all(2, 2, [](Index i) { return std::vector<double>(std::size_t(i) * 100'000, 0.5); });
    CHECK(found.at(0).empty());
    CHECK(found.at(1) == std::vector<double>(100'000, 0.5));
}

TEST_CASE("apart: a piece computes with one thread and comes to the same") {
    const auto work = [](Index i) {
        Generator random{std::uint64_t(i)};
        const Tensor a = random.normal({200, 200});
        return std::vector<double>{double(sum(matmul(a, a)).item()), double(threads())};
    };
    (void)work(0);  // starts the threads of this process before it forks
    const auto found = all(3, 2, work);
    for (Index i = 0; i < 3; ++i) CHECK(found.at(i) == std::vector<double>{work(i)[0], 1});
}

TEST_CASE("apart: what a piece reads counts as read here") {
    const std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("recto apart {}", getpid())).string();
    std::ofstream(path) << "a word\n";
    const auto found =
        all(3, 2, [&](Index i) { return std::vector<double>{i == 1 ? double(io::read_text(path).size()) : 0.0}; });
    std::filesystem::remove(path);
    CHECK(found.at(1) == std::vector{7.0});
    CHECK(std::ranges::count(io::files_read(), path) == 1);
}

TEST_CASE("apart: what goes wrong in a piece is told here") {
    CHECK_THROWS_WITH(all(3, 2,
                          [](Index i) -> std::vector<double> {
                              check(i != 1, "piece {} does not like it", i);
                              return {};
                          }),
                      "piece 1 does not like it");
    CHECK_THROWS_WITH(all(1, 1, [](Index) -> std::vector<double> { throw 5; }),
                      "it threw something that is not an exception");
    CHECK_THROWS_WITH(all(1, 1, [](Index) -> std::vector<double> { ::_exit(3); }),
                      "apart: piece 0 ended with status 3");
    CHECK_THROWS_WITH(all(1, 1,
                          [](Index) -> std::vector<double> {
                              ::raise(SIGKILL);
                              return {};
                          }),
                      "apart: piece 0 was stopped by signal 9");
    CHECK_THROWS_WITH(all(1, 0, [](Index) -> std::vector<double> { return {}; }),
                      "apart: wanted at least one process at once, got 0");
}

TEST_CASE("apart: one that fails stops the others") {
    const auto start = std::chrono::steady_clock::now();
    CHECK_THROWS(all(2, 2, [](Index i) -> std::vector<double> {
        check(i != 0, "no");
        std::this_thread::sleep_for(std::chrono::minutes(1));
        return {};
    }));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
}
