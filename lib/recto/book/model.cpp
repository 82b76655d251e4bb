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

Index ModelFiles::different(const NamedTensors& state) const {
    const NamedTensors kept = io::load_parameters(present(weights));
    check(kept.size() == state.size(), "model: wanted {} tensors, {} has {}", state.size(), weights, kept.size());
    Index count = 0;
    for (std::size_t i = 0; i < state.size(); ++i) {
        const auto& [name, tensor] = state[i];
        check(kept[i].name == name && kept[i].tensor.shape() == tensor.shape(),
              "model: wanted {} of shape {}, {} has {} of shape {}", name, tensor.shape(), weights, kept[i].name,
              kept[i].tensor.shape());
        const std::vector<Real> before = kept[i].tensor.values(), now = tensor.values();
        for (std::size_t k = 0; k < now.size(); ++k) count += before[k] != now[k];
    }
    return count;
}

void ModelFiles::compare(const NamedTensors& state) const {
    const Index count = different(state);
    print(fmt::format("{}: the last tenth of the steps done again: {} weights have other bits", weights, count));
    const io::Notes notes = io::read_parameters(weights).notes;
    const auto by = notes.find("compiler");
    check(count == 0 || by == notes.end() || by->second != compiler,
          "model: {} weights of {} come out with other bits when the last tenth of the steps is done again", count,
          weights);
}

void ModelFiles::load(const NamedTensors& into) const {
    io::note_read(present(weights));
    nn::load(weights, into);
}

}  // namespace RECTO::book
