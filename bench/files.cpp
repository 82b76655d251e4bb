#include "bench.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>

#include <recto/io/checkpoint.hpp>

namespace RECTO::bench {
namespace {

/// A model to save, in millions of numbers; 25 are 100 MB.
struct Training {
    NamedTensors model;
    std::string path = (std::filesystem::temp_directory_path() / fmt::format("recto-bench-{}", getpid())).string();

    Training(Device device, int millions) {
        for (int i = 0; i < millions; ++i) model.push_back({std::to_string(i), ones({1000, 1000}, device)});
        io::save_checkpoint(path, *this);
    }
    Training(const Training&) = delete;
    ~Training() { std::filesystem::remove(path); }
    void visit(auto&& part) { part("model", model); }
};

/// Writes a checkpoint to the disk, or reads it.
Ready checkpoint(const Setting& setting, bool saving) {
    const int millions = setting.small ? 1 : 25;
    const auto training = std::make_shared<Training>(setting.device, millions);
    const double megabytes = millions * double(sizeof(Real));
    if (saving) return {[training] { io::save_checkpoint(training->path, *training); }, megabytes};
    return {[training] { io::load_checkpoint(training->path, *training); }, megabytes};
}

}  // namespace

std::vector<Workload> files() {
    return {{"checkpoint_save_100mb", "megabyte", [](const Setting& s) { return checkpoint(s, true); }},
            {"checkpoint_load_100mb", "megabyte", [](const Setting& s) { return checkpoint(s, false); }}};
}

}  // namespace RECTO::bench
