#include <algorithm>

#include <recto/book/model.hpp>
#include <recto/book/origin.hpp>
#include <recto/book/trace.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/io/byte_source.hpp>
#include <recto/io/parameters.hpp>

namespace RECTO::book {
namespace {

bool keeping = false;
const std::string compiler = __VERSION__;

/// Absent files get the sentence that says how to make them.
const std::string& present(const std::string& path) {
    check(std::filesystem::exists(path), "model: {} is not there: ./recto run {} --full makes it", path,
          settings().program);
    return path;
}

}  // namespace

void keep_models(bool keep) { keeping = keep; }
bool keeping_models() { return keeping; }

ModelFiles::ModelFiles(const std::string& name) {
    const std::filesystem::path folder = std::filesystem::path(settings().figures).parent_path() / "models";
    weights = (folder / (name + ".safetensors")).string();
    checkpoint = (folder / (name + ".checkpoint.safetensors")).string();
    begun = (folder / fmt::format("{}.{:.12}.begun", name, build_digest())).string();
    if (keeping) io::make_directories(folder.string());
}

void ModelFiles::keep(const NamedTensors& state, const std::string& measure, double value) const {
    io::Notes notes = {{"program", build_digest()}, {"compiler", compiler}, {measure, fmt::format("{}", value)}};
    for (const std::string& line : origin()) {
        const std::size_t space = std::min(line.find(' '), line.size() - 1);
        notes[line.substr(0, space)] = line.substr(space + 1);
    }
    io::save_parameters(weights, state, notes);
    std::filesystem::remove(begun);
}

void ModelFiles::compare(const NamedTensors& state) const {
    const io::ParameterFile kept = io::read_parameters(present(weights));
    check(kept.tensors.size() == state.size(), "model: {} has {} tensors, the training {}", weights,
          kept.tensors.size(), state.size());
    Index all = 0, equal = 0;
    for (std::size_t i = 0; i < state.size(); ++i) {
        const std::vector<Real> before = kept.tensors[i].tensor.values(), now = state[i].tensor.values();
        check(before.size() == now.size(), "model: {} of {} has {} numbers, in the training {}", state[i].name, weights,
              before.size(), now.size());
        for (std::size_t k = 0; k < now.size(); ++k) ++all, equal += before[k] == now[k];
    }
    print(fmt::format("{}: the last steps done again: {} of {} numbers are the same to the bit", weights, equal, all));
    const auto by = kept.notes.find("compiler");
    check(equal == all || by == kept.notes.end() || by->second != compiler,
          "model: {} of {} numbers of {} come out with other bits when the last steps are done again", all - equal, all,
          weights);
}

void ModelFiles::load(const NamedTensors& into) const {
    io::note_read(present(weights));
    nn::load(weights, into);
}

}  // namespace RECTO::book
