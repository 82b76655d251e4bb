#include <recto/io/checkpoint.hpp>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include <recto/data/batches.hpp>
#include <recto/io/parameters.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/rmsprop.hpp>
#include <recto/optim/sgd.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "recto-XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
    std::string operator/(const std::string& name) const { return (path / name).string(); }
    auto count() const { return std::distance(fs::directory_iterator(path), {}); }
};

std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// 23 points in three classes.
data::Examples points() {
    Generator random(5);
    return {random.normal({23, 2}), random.integers({23}, 0, 3), {}, "points"};
}

/// All parts of a training; a different `seed` shows that no initial value survives loading.
template <class Optimiser>
struct Training {
    data::Examples set;
    Generator random;
    nn::Mlp model;
    Optimiser optimiser;
    data::Passes batches;
    double best = 1e300;

    Training(std::uint64_t seed, Device device)
        : set(points()),
          random(seed),
          model({2, 6, 3}, relu, random, {.device = device}),
          optimiser(nn::parameters(model)),
          batches(set, 5, random, device) {
        if constexpr (requires { optimiser.options.momentum; }) optimiser.options.momentum = 0.9;
    }
    Training(const Training&) = delete;  // a copy's optimiser would train the original's model
    void visit(auto&& part) {
        part("random", random), part("model", model), part("optimiser", optimiser), part("batches", batches);
        part("best", best);
    }
    /// A step with shuffled data and random noise.
    void step() {
        const data::Examples batch = batches.next();
        const Tensor noise = random.normal(batch.x.shape(), 0, Real(0.1), batch.x.device());
        const Tensor loss =
            optim::train_step(optimiser, [&] { return cross_entropy(model(add(batch.x, noise)), batch.labels); });
        best = std::min(best, double(loss.item()));
    }
    void run_to(Index steps) {
        while (batches.taken() < steps) step();
    }
};

template <class T>
void check_same(T& a, T& b) {
    const NamedTensors x = nn::state(a.model), y = nn::state(b.model);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(same_bits(x[i].tensor, y[i].tensor));
    CHECK(a.best == b.best);
    CHECK(a.random.seed() == b.random.seed());
    CHECK(a.random.calls() == b.random.calls());
}

template <class Optimiser>
void check_resumes(Device device) {
    CAPTURE(device);
    const Folder folder;
    Training<Optimiser> never_stops(1, device);
    never_stops.run_to(30);
    for (const Index stop : {0, 1, 4, 5, 17}) {  // before the first step, within a pass, between two passes
        CAPTURE(stop);
        {
            Training<Optimiser> stops(1, device);
            stops.run_to(stop);
            io::save_checkpoint(folder / "run", stops);
            stops.run_to(stop + 2);  // these steps are lost
        }
        Training<Optimiser> resumes(99, device);
        resumes.run_to(stop % 2 ? 3 : 0);  // has a state of its own, which loading replaces
        io::load_checkpoint(folder / "run", resumes);
        CHECK(resumes.batches.taken() == stop);
        resumes.run_to(30);
        check_same(never_stops, resumes);
    }
}

struct Twice {
    Index a = 1;
    void visit(auto&& part) { part("a", a), part("a", a); }
};

struct Numbers {
    std::vector<double> fractions;
    Index whole;
    std::uint64_t seed;
    Generator random{1};
    NamedTensors named;
    void visit(auto&& part) {
        part("fractions", fractions), part("whole", whole), part("seed", seed), part("random", random);
        part("named", named);
    }
};

std::string complaint(const std::string& path, auto& training) {
    try {
        io::load_checkpoint(path, training);
    } catch (const Error& error) {
        const std::string text = error.what(), start = "load_checkpoint " + path + ": ";
        return text.starts_with(start) ? text.substr(start.size()) : text;
    }
    return "";
}

}  // namespace

TEST_CASE("checkpoint: save, stop, resume gives the same bits as never stopping", "[io][checkpoint][devices]") {
    const Device device = GENERATE(from_range(devices()));
    check_resumes<optim::Adam>(device);
    check_resumes<optim::Sgd>(device);
    check_resumes<optim::RmsProp>(device);
}

TEST_CASE("checkpoint: a layer without a bias comes back", "[io][checkpoint]") {
    Folder folder;
    const std::string path = folder / "plain.safetensors";
    Generator random(1);
    nn::Linear from(3, 2, random, {.bias = false}), to(3, 2, random, {.bias = false});
    io::save_checkpoint(path, from);
    io::load_checkpoint(path, to);
    CHECK(same_bits(to.weight, from.weight));
    CHECK_FALSE(to.bias.defined());
}

TEST_CASE("checkpoint: saving holds nothing more, loading all tensors once more", "[io][checkpoint][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Folder folder;
    Numbers model{{}, 0, 0, Generator(1), {}};
    for (int i = 0; i < 8; ++i) model.named.push_back({std::to_string(i), ones({64, 1024}, device)});
    const std::size_t one = 64 * 1024 * sizeof(Real), before = memory_use().now;
    const std::size_t on_the_way = device == Device::cpu ? 0 : one;
    const auto most = [&](const auto& work) {
        reset_memory_peak();
        work();
        return memory_use().peak - before;
    };
    CHECK(most([&] { io::save_checkpoint(folder / "run", model); }) <= on_the_way);
    CHECK(most([&] { io::load_checkpoint(folder / "run", model); }) <= 8 * one + on_the_way);
    CHECK(memory_use().now == before);
}

TEST_CASE("checkpoint: a training killed again and again ends with the same bits", "[io][checkpoint]") {
    const Folder folder;
    Training<optim::Adam> never_stops(1, Device::cpu);
    never_stops.run_to(40);
    Generator random(3);
    int kills = 0;
    for (;;) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {  // resumes, saves after every step, and is killed at random
            try {
                const bool begun = fs::exists(folder / "run");
                Training<optim::Adam> training(begun ? 99 : 1, Device::cpu);
                if (begun) io::load_checkpoint(folder / "run", training);
                while (training.batches.taken() < 40) training.step(), io::save_checkpoint(folder / "run", training);
            } catch (const std::exception&) {
                ::_exit(1);
            }
            ::_exit(0);
        }
        ::usleep(unsigned(random.next_integer(500, 10000)));
        if (kills < 20) ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (WIFEXITED(status)) {
            REQUIRE(WEXITSTATUS(status) == 0);
            break;
        }
        ++kills;
    }
    CAPTURE(kills);
    Training<optim::Adam> last(9, Device::cpu);
    io::load_checkpoint(folder / "run", last);
    CHECK(last.batches.taken() == 40);
    check_same(never_stops, last);
}

TEST_CASE("checkpoint: a kill at any system call of the writer leaves the old file or the new one",
          "[io][checkpoint]") {
    const Folder folder;
    Training<optim::Adam> training(1, Device::cpu);
    training.run_to(2);
    io::save_checkpoint(folder / "new", training);
    const std::string fresh = contents(folder / "new");
    fs::remove(folder / "new");
    Training<optim::Adam> before(1, Device::cpu);
    before.run_to(1);
    const std::string path = folder / "run";
    int stops = 0, old_files = 0, new_files = 0;
    // Killed at stop number `stops`, at the start or end of a system call.
    for (bool finished = false; !finished; ++stops) {
        io::save_checkpoint(path, before);
        REQUIRE(folder.count() == 1);  // the leftovers of the last process are removed
        const std::string old = contents(path);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(77);
            ::raise(SIGSTOP);
            try {
                io::save_checkpoint(path, training);
            } catch (const std::exception&) {
                ::_exit(1);
            }
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (!WIFSTOPPED(status)) SKIP("this machine does not let a process trace its child");
        for (int seen = 0; seen < stops && WIFSTOPPED(status); ++seen) {
            ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
            ::waitpid(child, &status, 0);
        }
        finished = !WIFSTOPPED(status);
        if (finished) {
            CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
        } else {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
        }
        const std::string found = contents(path);
        CAPTURE(stops);
        CHECK((found == old || found == fresh));
        (found == fresh ? new_files : old_files) += 1;
    }
    CHECK(old_files >= 20);  // open, lock, nine or more writes, flush, each at its start and its end
    CHECK(new_files >= 8);   // end of rename, directory, leftovers
    CHECK(stops > 40);
}

TEST_CASE("checkpoint: what does not fit is refused, and nothing changes", "[io][checkpoint]") {
    const Folder folder;
    const std::string path = folder / "run";
    Training<optim::Adam> training(1, Device::cpu), other(2, Device::cpu);
    training.run_to(3);
    io::save_checkpoint(path, training);
    const NamedTensors before = nn::state(nn::clone(other.model));
    const io::ParameterFile good = io::read_parameters(path);
    CHECK(good.notes.at("batches.taken") == "3");
    const auto with = [&](auto change) {
        io::ParameterFile file = good;
        change(file);
        io::save_parameters(path, file.tensors, file.notes);
        return complaint(path, other);
    };
    CHECK(with([](auto& f) { f.notes.erase("recto checkpoint"); }) ==
          "wanted a file that save_checkpoint wrote, got another kind of file");
    const std::string steps = "optimiser.steps.layers.0.bias";
    CHECK(with([&](auto& f) { f.notes.erase(steps); }) == "wanted a number '" + steps + "', got none");
    CHECK(with([&](auto& f) { f.notes[steps] = "3x"; }) == "wanted a number '" + steps + "', got '3x'");
    CHECK(with([](auto& f) { f.notes["random"] = "3"; }) == "wanted a number 'random', got '3'");
    CHECK(with([](auto& f) { f.notes["batches.seed"] = "-1"; }) == "wanted a number 'batches.seed', got '-1'");
    CHECK(with([](auto& f) { f.notes["best"] = ""; }) == "wanted a number 'best', got ''");
    CHECK(with([](auto& f) { f.notes["more\n"] = ""; }) == "has a number 'more\\u000a' that is not wanted");
    CHECK(with([](auto& f) { f.tensors.push_back({"more", ones({1})}); }) == "has a tensor 'more' that is not wanted");
    CHECK(with([](auto& f) { std::erase_if(f.tensors, [](auto& t) { return t.name == "model.layers.0.bias"; }); }) ==
          "wanted a tensor 'model.layers.0.bias', got none");
    CHECK(with([](auto& f) {
              for (NamedTensor& t : f.tensors)
                  if (t.name == "optimiser.means.layers.0.bias") t.tensor = ones({7});
          }) == "wanted 'optimiser.means.layers.0.bias' of shape (6), got shape (7)");
    const NamedTensors after = nn::state(other.model);
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i].tensor, after[i].tensor));
    CHECK(other.batches.taken() == 0);
    CHECK(with([](auto& f) { f.notes["best"] = "-0x1.8p+1"; }) == "");
    CHECK(other.best == -3);
    CHECK_THROWS_WITH(io::save_checkpoint(path, Twice()), "save_checkpoint: wanted every name once, got 'a' again");
}

TEST_CASE("checkpoint: numbers come back to the last bit", "[io][checkpoint]") {
    const Folder folder;
    const std::vector<double> odd = {0.1, -0.0, 5e-324, -1.7976931348623157e308, double(infinity), -double(infinity)};
    const Numbers put{
        odd, std::numeric_limits<Index>::min(), ~std::uint64_t(0), Generator(~std::uint64_t(0), 8), {{"w", ones({2})}}};
    io::save_checkpoint(folder / "n", put);
    Numbers got{std::vector<double>(6), 0, 0, Generator(2), {{"w", zeros({2})}}};
    io::load_checkpoint(folder / "n", got);
    for (std::size_t i = 0; i < odd.size(); ++i)
        CHECK(std::bit_cast<std::uint64_t>(got.fractions[i]) == std::bit_cast<std::uint64_t>(odd[i]));
    CHECK(got.whole == put.whole);
    CHECK(got.seed == put.seed);
    CHECK(got.random.seed() == put.random.seed());
    CHECK(got.random.calls() == 8);
    CHECK(got.named[0].tensor.at({1}) == 1);
}
