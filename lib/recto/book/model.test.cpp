#include <recto/book/model.hpp>

#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>

#include <recto/book/trace.hpp>
#include <recto/io/parameters.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using book::Study;
namespace fs = std::filesystem;

namespace {

/// A folder with room for models, and a page that looks for them there.
struct Folder {
    fs::path path = fs::temp_directory_path() / fmt::format("recto-model-{}", ::getpid());
    Folder() {
        fs::remove_all(path);
        book::Settings settings;
        settings.program = "page";
        settings.silent = true;
        settings.figures = figures();
        book::start(settings);
    }
    ~Folder() { fs::remove_all(path); }
    std::string figures() const { return (path / "figures").string(); }
    fs::path model(const std::string& name) const { return path / "models" / name; }
};

Index stop_at = -1;  // the training fails at this step

/// Fits a line to noise that it draws.
struct Fitting {
    static constexpr Index last = 450;
    Generator random{7};
    nn::Linear net{2, 1, random};
    optim::Adam adam{nn::parameters(net)};
    Index steps = 0;
    void step() {
        check(steps != stop_at, "stopped here");
        const Tensor x = random.normal({8, 2});
        optim::train_step(adam, [&] {
            const Tensor error = net(x) - sum(x, {1}, Keep::yes);
            return mean(error * error);
        });
        ++steps;
    }
    double judge() const { return double(net.weight.values()[0]); }
    void visit(auto&& part) { part("random", random), part("net", net), part("adam", adam), part("steps", steps); }
};

const std::vector<std::string> origin = {"commit 630f450", "machine a small one", "date 2026-11-22", "command none"};

}  // namespace

TEST_CASE("model: it is trained once, kept, loaded, and its last steps come out with the same bits") {
    const Folder here;
    const book::Model<Fitting> model({"line", "first weight"});
    book::keep_models();

    // A training that is stopped after a checkpoint continues from there.
    stop_at = 430;
    CHECK_THROWS_WITH(book::all_studies().back()->run(here.figures(), origin), "stopped here");
    CHECK(!fs::exists(here.model("line.safetensors")));
    stop_at = 120;  // an earlier step, so that only a training from the beginning fails
    book::all_studies().back()->run(here.figures(), origin);
    stop_at = -1;
    CHECK(std::distance(fs::directory_iterator(here.path / "models"), {}) == 2);  // no file of what was begun

    // The kept weights are those of an uninterrupted training.
    Fitting whole;
    while (whole.steps < Fitting::last) whole.step();
    Generator other(9);
    const nn::Linear loaded(2, 1, other);
    model.load(loaded);
    CHECK(loaded.weight.values() == whole.net.weight.values());
    CHECK(model.different(loaded) == 0);
    CHECK(model.kept() == whole.judge());
    const io::Notes notes = io::read_parameters(here.model("line.safetensors").string()).notes;
    for (const char* name : {"commit", "machine", "date", "command", "program", "compiler", "first weight"})
        CHECK(notes.contains(name));

    // Done again, the last steps must lead to them.
    book::keep_models(false);
    Study::again({book::all_studies().back()}, here.figures(), 1, 5);
    CHECK(model.different(nn::Linear(2, 1, other)) == 3);
    NamedTensors wrong = io::load_parameters(here.model("line.safetensors").string());
    wrong[0].tensor.write()[0] += Real(1e-3);
    io::save_parameters(here.model("line.safetensors").string(), wrong, notes);
    CHECK_THROWS_WITH(Study::again({book::all_studies().back()}, here.figures(), 1, 5),
                      Catch::Matchers::ContainsSubstring("1 weights of") &&
                          Catch::Matchers::ContainsSubstring("come out with other bits"));

    fs::remove(here.model("line.safetensors"));
    CHECK_THROWS_WITH(model.load(loaded),
                      Catch::Matchers::ContainsSubstring("is not there: ./recto run page --full makes it"));
}
