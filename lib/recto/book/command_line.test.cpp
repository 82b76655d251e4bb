#include <recto/book/command_line.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <nlohmann/json.hpp>

#include <recto/book/page.hpp>
#include <recto/figure/figure.hpp>

using namespace recto;
namespace fs = std::filesystem;

namespace {

/// Standard output, standard error and exit status of a run.
struct Ended {
    int status;
    std::string out, err;
};

std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// An empty directory for one test.
struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "recto-XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
};

/// Runs a page in a child process, like the program that a reader starts, so that signals and exits do not affect the
/// test.
Ended run(void (*page)(), std::vector<std::string> words = {}) {
    const Folder here;
    const auto out = here.path / "out", err = here.path / "err";
    std::fflush(stdout);  // buffered output would be printed by the child as well
    std::cout.flush();
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::open(out.c_str(), O_CREAT | O_WRONLY, 0600), 1);
        ::dup2(::open(err.c_str(), O_CREAT | O_WRONLY, 0600), 2);
        std::vector<const char*> argv{"/some/where/demo"};
        for (const std::string& word : words) argv.push_back(word.c_str());
        ::_exit(book::run_page(static_cast<int>(argv.size()), argv.data(), page));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
}

std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

const book::Option<int> points("test-points", 30, "how many samples", {.quick = 8, .least = 1});
const book::Option<double> noise("test-noise", 0.08, "its standard deviation");
const book::Option<std::string> mode("test-mode", "fast", "how", {.among = {"fast", "slow"}});
const book::Option<bool> loud("test-loud", false, "say more");

void good() {
    book::say("{} points, noise {}, {}, loud {}, seed {}, {}", points(), noise(), mode(), loud(), book::seed(),
              book::device());
    book::claim("", "there are enough", points(), ">=", 30);
    figure::Figure("fig-t").describe("A line.").line("", {1, 2}, {3, 4}).save("A line.");
}
void breaks() { book::claim("a/b", "water is dry", 1, "<", 0); }
void two_figures() {
    good();
    figure::Figure("fig-u").describe("A line.").line("", {1, 2}, {3, 4}).save("A line.");
}
void throws() { throw std::runtime_error("first line\nsecond line"); }
void figure_without_words() { figure::Figure("fig-t").line("", {1, 2}, {3, 4}).save("A line."); }
void interrupted() {
    good();
    std::raise(SIGINT);
}

}  // namespace

TEST_CASE("page: exit 0 and a complete trace", "[book][command_line]") {
    const Folder folder;
    const auto out = folder.path / "new" / "folder";
    const Ended end = run(good, {"--out", out.string()});
    CHECK(end.status == 0);
    CHECK(end.err == "");
    CHECK(end.out.find("30 points, noise 0.08, fast, loud false, seed 1, cpu\n") == 0);
    CHECK(std::distance(fs::directory_iterator(out), {}) == 2);  // no temporary file stays behind

    std::ifstream trace(out / "trace.jsonl");
    std::vector<nlohmann::json> records;
    for (std::string line; std::getline(trace, line);) records.push_back(nlohmann::json::parse(line));
    REQUIRE(records.size() == 4);
    CHECK(records[2]["spec"] == "fig-t.vl.json");
    const auto& page = records.back();
    CHECK(page["kind"] == "page");
    CHECK(page["program"] == "demo");
    CHECK(page["standard"] == true);
    CHECK(page["precision"] == (sizeof(Real) == 4 ? "float" : "double"));
    CHECK(page["options"][0] ==
          nlohmann::json::parse(R"({"name":"test-points","default":"30","value":"30","help":"how many samples"})"));
    CHECK(nlohmann::json::parse(read(out / "fig-t.vl.json"))["description"] == "A line.");
}

TEST_CASE("page: a broken claim is exit 1, and the trace is still written", "[book][command_line]") {
    const Folder folder;
    const Ended end = run(breaks, {"--out", folder.path.string()});
    CHECK(end.status == 1);
    CHECK(lines(end.err) == 1);
    CHECK(end.err.find("water is dry: wanted < 0, got 1") != std::string::npos);
    CHECK(fs::exists(folder.path / "trace.jsonl"));
    CHECK(run(breaks, {"--seed", "2"}).status == 0);
    CHECK(run(breaks, {"--quick"}).status == 0);
    CHECK(run(breaks, {"--device", "sim"}).status == 1);
    CHECK(run(breaks, {"--threads", "1"}).status == 1);
    CHECK(run(breaks, {"--test-points", "30"}).status == 1);  // the standard value, given explicitly
    CHECK(run(breaks, {"--test-points", "31"}).status == 0);
}

TEST_CASE("page: an error is exit 1 with one line, and no trace", "[book][command_line]") {
    const Folder folder;
    const Ended end = run(throws, {"--out", folder.path.string()});
    CHECK(end.status == 1);
    CHECK(end.err == "demo: first line second line\n");
    CHECK(fs::is_empty(folder.path));
    CHECK(run(figure_without_words).err.find("wanted a description") != std::string::npos);
    CHECK(run(good, {"--out", "/dev/null"}).status == 1);
    if (!missing(Device::cuda).empty()) CHECK(run(good, {"--device", "cuda"}).status == 1);
}

TEST_CASE("page: wrong usage is exit 2 with one line", "[book][command_line]") {
    const std::vector<std::vector<std::string>> wrong{{"--nonsense"},
                                                      {"stray"},
                                                      {"--test-points"},
                                                      {"--test-points", "0"},
                                                      {"--test-points", "many"},
                                                      {"--test-points", "3.5"},
                                                      {"--test-points", "99999999999"},
                                                      {"--test-noise", "nan"},
                                                      {"--test-noise", "1e999"},
                                                      {"--test-mode", "late"},
                                                      {"--device", "tpu"},
                                                      {"--seed", "-1"},
                                                      {"--seed", "x"},
                                                      {"--threads", "0"},
                                                      {"--test-loud=maybe"}};
    for (const auto& words : wrong) {
        const Ended end = run(good, words);
        INFO(words.front() << " " << words.back() << ": " << end.err);
        CHECK(end.status == 2);
        CHECK(lines(end.err) == 1);
        CHECK(end.out == "");
    }
    CHECK(run(good, {"--test-points", "0"}).err.find("--test-points: wanted a whole number of at least 1, got '0'") !=
          std::string::npos);
}

TEST_CASE("page: options, seed and quick reach the page", "[book][command_line]") {
    CHECK(run(good, {"--quick"}).out.find("8 points") == 0);
    CHECK(run(good, {"--quick", "--test-points", "9"}).out.find("9 points") == 0);
    const Ended end =
        run(good, {"--test-noise=-0.5", "--test-mode", "slow", "--test-loud", "--seed", "18446744073709551615"});
    CHECK(end.out.find("30 points, noise -0.5, slow, loud true, seed 18446744073709551615, cpu") == 0);
    CHECK(end.out.find("not judged: there are enough") != std::string::npos);
    CHECK(points() == 30);  // the option changed only in the child
}

TEST_CASE("page: --until ends after a figure, and what was drawn is kept", "[book][command_line]") {
    const Folder folder;
    const Ended end = run(two_figures, {"--until", "fig-t", "--out", folder.path.string()});
    CHECK(end.status == 0);
    CHECK(end.out.find("not judged: there are enough") != std::string::npos);
    CHECK(fs::exists(folder.path / "fig-t.vl.json"));
    CHECK_FALSE(fs::exists(folder.path / "fig-u.vl.json"));
    const std::string trace = read(folder.path / "trace.jsonl");
    CHECK(trace.find("\"kind\":\"page\"") != std::string::npos);
    CHECK(trace.find("\"standard\":false") != std::string::npos);
    CHECK(run(two_figures, {"--until", "fig-u"}).status == 0);
    const Ended never = run(two_figures, {"--until", "fig-v"});
    CHECK(never.status == 1);
    CHECK(never.err == "demo: --until: there is no figure fig-v\n");
}

TEST_CASE("page: --help names every option with its standard value", "[book][command_line]") {
    const Ended end = run(good, {"--help"});
    CHECK(end.status == 0);
    CHECK(end.err == "");
    for (const char* word : {"--seed", "--device", "--matmul", "--threads", "--quick", "--out", "--test-points = 30",
                             "at least 1", "one of fast slow"}) {
        INFO(word);
        CHECK(end.out.find(word) != std::string::npos);
    }
}

TEST_CASE("page: an interrupt is exit 130 and leaves what was there", "[book][command_line]") {
    const Folder folder;
    std::ofstream(folder.path / "trace.jsonl") << "old\n";
    CHECK(run(interrupted, {"--out", folder.path.string()}).status == 130);
    CHECK(read(folder.path / "trace.jsonl") == "old\n");
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}
