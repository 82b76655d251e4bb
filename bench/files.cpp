#include "bench.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>

#include <recto/io/checkpoint.hpp>

namespace RECTO::bench {
namespace {

/// What there is to save: 25 million numbers, which are 100 MB.
struct Training {
    NamedTensors model;
    std::string path = (std::filesystem::temp_directory_path() / fmt::format("recto-bench-{}", getpid())).string();

    explicit Training(Device device) {
        for (int i = 0; i < 25; ++i) model.push_back({std::to_string(i), ones({1000, 1000}, device)});
        io::save_checkpoint(path, *this);
    }
    Training(const Training&) = delete;
    ~Training() { std::filesystem::remove(path); }
    void visit(auto&& part) { part("model", model); }
};

/// Writing a checkpoint down to the disk, or reading it again.
Ready checkpoint(Device device, bool saving) {
    const auto training = std::make_shared<Training>(device);
    const double megabytes = 25. * sizeof(Real);
    if (saving) return {[training] { io::save_checkpoint(training->path, *training); }, megabytes};
    return {[training] { io::load_checkpoint(training->path, *training); }, megabytes};
}

}  // namespace

std::vector<Workload> files() {
    return {{"checkpoint_save_100mb", "megabyte", [](Device device) { return checkpoint(device, true); }},
            {"checkpoint_load_100mb", "megabyte", [](Device device) { return checkpoint(device, false); }}};
}

}  // namespace RECTO::bench
