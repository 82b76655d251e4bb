#include <recto/book/study.hpp>

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include <recto/book/trace.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using book::Study;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

/// A folder, and a page that looks for its studies there.
struct Folder {
    fs::path path = fs::temp_directory_path() / fmt::format("recto-study-{}", ::getpid());
    Folder() {
        fs::remove_all(path);
        book::Settings settings;
        settings.program = "page";
        settings.silent = true;
        settings.figures = path.string();
        book::start(settings);
    }
    ~Folder() { fs::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
};

const std::vector<Study::Row> cells = {{3, 1}, {2, 1}, {1, 1}, {1, 2}};
const std::vector<std::string> origin = {"commit 630f450", "machine a small one", "date 2026-11-22", "command none"};
/// The number of complete lines of a CSV file that are numbers.
int rows_in(const std::string& path) {
    std::ifstream file(path);
    int rows = 0;
    for (std::string line; std::getline(file, line);)
        rows += !file.eof() && !line.empty() && line[0] >= '0' && line[0] <= '9';
    return rows;
}
Study::Row product(const Study::Row& cell) { return {cell[0] * cell[1] / 7, cell[0]}; }

}  // namespace

TEST_CASE("study: a full run is kept in the order of its cells, and read by the page") {
    const Folder here;
    const Study study({"s", {"a", "b"}, {"product", "first"}}, cells, product);
    study.run(here.path.string(), origin);
    CHECK(!fs::exists(here.file("s.csv.begun")));
    const io::Csv& table = study.frozen();
    CHECK(table.columns == std::vector<std::string>{"a", "b", "product", "first", "seconds"});
    CHECK(table.column("a") == std::vector<double>{3, 2, 1, 1});
    CHECK(table.column("product") == std::vector<double>{3.0 / 7, 2.0 / 7, 1.0 / 7, 2.0 / 7});
    CHECK(table.note("commit") == "630f450");
    CHECK(book::records().find("full run of 2026-11-22: 4 cells") != std::string::npos);
    const Study second({"t", {"a", "b"}, {"product", "first"}}, cells, product);
    second.run(here.path.string(), origin);
    Study::again({&study, &second}, here.path.string(), 2, 5);
    Study::again({&study, &second}, here.path.string(), 100, 5);
}

TEST_CASE("study: a run that was stopped goes on where it was") {
    const Folder here;
    // With many threads all cells run at once: those that fail wait until the file of the interrupted run contains a
    // row.
    const std::string begun = here.file("s.csv.begun");
    const Study failing({"s", {"a", "b"}, {"product", "first"}}, cells, [&](const Study::Row& cell) {
        for (int tries = 0; cell[0] == 1 && fs::exists(begun) && rows_in(begun) < 1 && tries < 6000; ++tries)
            std::this_thread::sleep_for(10ms);
        check(cell[0] != 1, "stopped here");
        return product(cell);
    });
    CHECK_THROWS_WITH(failing.run(here.path.string(), origin), "stopped here");
    REQUIRE(fs::exists(begun));
    CHECK(!fs::exists(here.file("s.csv")));
    const auto done = io::read_csv(begun).rows.size();
    CHECK(done >= 1);
    std::ofstream(begun, std::ios::app) << "1,2,0.2";  // killed in the middle of a line

    // Finished cells are not run again: here they would have other results.
    const Study other({"s", {"a", "b"}, {"product", "first"}}, cells, [](const Study::Row& cell) -> Study::Row {
        check(cell[0] == 1 || cell[0] == 2, "done already");
        return cell[0] == 1 ? Study::Row{0, 0} : product(cell);
    });
    other.run(here.path.string(), origin);
    CHECK(other.frozen().column("product") == std::vector<double>{3.0 / 7, 2.0 / 7, 0, 0});
    CHECK_THROWS_WITH(Study::again({&failing}, here.path.string(), 4, 1), "stopped here");
    const Study true_one({"s", {"a", "b"}, {"product", "first"}}, cells, product);
    CHECK_THROWS_WITH(Study::again({&true_one}, here.path.string(), 4, 1),
                      Catch::Matchers::ContainsSubstring("of a cell that was done again is not within 0.05"));
}

TEST_CASE("study: shares run apart, and the next run of everything gathers them") {
    const Folder here;
    const std::string folder = here.path.string();
    const Study study({"s", {"a", "b"}, {"product", "first"}}, cells, product);
    study.run(folder, origin, {2, 3});
    study.run(folder, origin, {0, 3});
    CHECK(!fs::exists(here.file("s.csv")));
    CHECK(io::read_csv(here.file("s.csv.share-0.begun")).rows.size() == 2);
    // Only the cell of the share that did not run is missing.
    const Study rest({"s", {"a", "b"}, {"product", "first"}}, cells, [](const Study::Row& cell) {
        check(cell[0] == 2, "done already");
        return product(cell);
    });
    rest.run(folder, origin);
    CHECK(rest.frozen().column("a") == std::vector<double>{3, 2, 1, 1});
    CHECK(rest.frozen().column("product") == std::vector<double>{3.0 / 7, 2.0 / 7, 1.0 / 7, 2.0 / 7});
    CHECK(!fs::exists(here.file("s.csv.share-0.begun")));
    CHECK(!fs::exists(here.file("s.csv.share-2.begun")));
    CHECK_THROWS_WITH(study.run(folder, origin, {3, 3}), "study s: wanted share 0 to 2, got 3");
    CHECK_THROWS_WITH(study.run(folder, origin, {0, 1001}), "study s: wanted 1 to 1000 shares, got 1001");
}

TEST_CASE("study: of each study that a part rests on a cell is done again, however long") {
    const Folder here;
    fs::create_directories(here.path);
    const auto refuse = [](const Study::Row& cell) -> Study::Row {
        check(false, "cell {} was done", cell[0]);
        return {};
    };
    const std::vector<Study::Row> two = {{1}, {2}};
    const Study quick({"quick", {"a"}, {"b"}}, two, [](const Study::Row& cell) { return cell; });
    const Study stray({"long", {"a"}, {"b"}}, two, refuse), named({"long", {"a"}, {"b"}, {"fig-9.9/a"}}, two, refuse);
    const auto keep = [&](const std::string& name, const std::string& first, const std::string& second) {
        io::write_file(here.file(name + ".csv"), "a,b,seconds\n1,1," + first + "\n2,2," + second + "\n");
    };
    keep("quick", "0.01", "0.01");
    const auto draw = [&](const Study& study, std::uint64_t seed) {
        try {
            Study::again({&quick, &study}, here.path.string(), 2, seed);
            return std::string("none");
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    keep("long", "590", "500");
    std::set<std::string> drawn;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CHECK(draw(stray, seed) == "none");
        drawn.insert(draw(named, seed));
    }
    CHECK(drawn == std::set<std::string>{"cell 1 was done", "cell 2 was done"});
    keep("long", "6100", "5000");  // more than ten minutes: runs the shortest
    for (std::uint64_t seed = 1; seed <= 20; ++seed) CHECK(draw(named, seed) == "cell 2 was done");
    keep("long", "50", "1");  // runs the longer one each time, beside the drawn cells
    const Study lasting({"long", {"a"}, {"b"}, {"fig-9.9/a"}}, two,
                        [&](const Study::Row& cell) { return cell[0] == 1 ? refuse(cell) : cell; });
    for (std::uint64_t seed = 1; seed <= 20; ++seed) CHECK(draw(lasting, seed) == "cell 1 was done");
}

TEST_CASE("study: each result can have a tolerance of its own") {
    const Folder here;
    const auto larger = [](double factor) {
        return [factor](const Study::Row& cell) { return Study::Row{product(cell)[0], factor * product(cell)[1]}; };
    };
    const Study::About strict{"s", {"a", "b"}, {"product", "first"}, {}, 0, {0.3, 0.01}};
    const Study kept(strict, cells, larger(1));
    kept.run(here.path.string(), origin);
    const Study near(strict, cells, larger(1.009)), far(strict, cells, larger(1.011));
    Study::again({&near}, here.path.string(), 4, 1);
    CHECK_THROWS_WITH(Study::again({&far}, here.path.string(), 4, 1),
                      Catch::Matchers::ContainsSubstring("'first' of a cell that was done again is not within 0.01"));
    CHECK_THROWS_WITH(Study({"t", {"a"}, {"b", "c"}, {}, 0.1, {0.1}}, {}, product),
                      "study t: wanted 2 tolerances, got 1");
    CHECK_THROWS_WITH(Study({"t", {"a"}, {"b"}, {}, -0.1}, {}, product),
                      "study t: wanted tolerances of at least 0, got -0.1");
}

TEST_CASE("study: what does not fit is refused") {
    const Folder here;
    const Study study({"s", {"a", "b"}, {"product", "first"}}, cells, product);
    CHECK_THROWS_WITH(study.frozen(),
                      fmt::format("study s: {} is not there: ./recto run page --full makes it", here.file("s.csv")));
    CHECK_THROWS_WITH(study.measure({1}), "study s: wanted 2 numbers in a setting, got 1");
    const Study short_one({"s", {"a", "b"}, {"product"}}, cells, product);
    CHECK_THROWS_WITH(short_one.measure({1, 2}), "study s: wanted 1 results, got 2");
    study.run(here.path.string(), origin);
    CHECK_THROWS_WITH(
        short_one.frozen(),
        fmt::format("study s: wanted the columns a, b, product, seconds, {} has a, b, product, first, seconds",
                    here.file("s.csv")));
    const Study fewer({"s", {"a", "b"}, {"product", "first"}}, {{3, 1}}, product);
    CHECK_THROWS_WITH(fewer.frozen(),
                      fmt::format("study s: {} is not a run of this program's 1 cells", here.file("s.csv")));
    io::write_file(here.file("s.csv.begun"), "# build another\na,b,product,first,seconds\n");
    CHECK_THROWS_WITH(study.run(here.path.string(), origin),
                      fmt::format("study s: {} was begun by another build of this program; remove it to begin again",
                                  here.file("s.csv.begun")));
}
