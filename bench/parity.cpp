// `recto parity`: compares every operation on a device with the CPU, and writes the receipt.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include <CLI/CLI.hpp>
#include <kernel_sources.hpp>

#include <recto/book/json.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/testing/parity.hpp>

#include "about.hpp"

using namespace recto;
using namespace recto::testing;
using book::Json;

namespace {

struct Wanted {
    std::vector<std::string> names;
    std::string device = "cuda", file;
};

std::string today() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    char text[sizeof "2026-11-21"];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

/// The receipt: what was compared, on which devices, with which result.
std::string receipt(const std::vector<Parity>& all, Device device, bool whole) {
    const bench::About about = bench::about(device);
    Json files = Json::object(), found = Json::array();
    for (const auto& [path, digest] : kernel_sources) files.add(path, digest);
    for (const Parity& p : all)
        found.append(Json::object({{"name", p.name},
                                   {"share", p.share},
                                   {"error", p.error},
                                   {"bound", p.bound},
                                   {"setting", p.setting},
                                   {"numbers", p.numbers},
                                   {"fault", p.fault}}),
                     true);
    return Json::object({{"receipt", "parity"},
                         {"device", name(device)},
                         {"name", about.name},
                         {"gibibytes", about.gibibytes},
                         {"capability", about.capability},
                         {"toolkit", about.toolkit},
                         {"driver", about.driver},
                         {"date", today()},
                         {"precision", sizeof(Real) == 4 ? "float" : "double"},
                         {"commit", built_from},
                         {"kernels", kernel_digest},
                         {"files", files},
                         {"whole", whole},
                         {"found", found}})
               .text() +
           "\n";
}

/// Runs the requested comparisons and prints the error of each. @return whether all agree
bool run(const Wanted& wanted) {
    const Device device = device_named(wanted.device);
    std::vector<Parity> all;
    for (const std::string& name : wanted.names.empty() ? parity_names() : wanted.names) {
        all.push_back(parity(name, device));
        const Parity& found = all.back();
        if (found.fault.empty())
            fmt::print("{:<24} {:8.3g} of what is allowed, in {} numbers\n", name, found.share, found.numbers);
        else
            fmt::print("{:<24} differs: {}\n", name, found.fault);
    }
    if (!wanted.file.empty()) io::write_file(wanted.file, receipt(all, device, wanted.names.empty()));
    const auto bad = std::ranges::count_if(all, [](const Parity& p) { return !p.fault.empty(); });
    fmt::print("{} agree, {} differ, on {}\n", all.size() - std::size_t(bad), bad, bench::about(device).name);
    return bad == 0;
}

}  // namespace

int main(int argc, char** argv) {
    Wanted wanted;
    CLI::App app(
        "Runs every operation, or those named, forward and backward on a device and on the CPU, and compares.");
    app.add_option("OP", wanted.names, "names of operations, such as softmax")->check(CLI::IsMember(parity_names()));
    app.add_option("--device", wanted.device, "which: cuda (default) or sim");
    app.add_option("--json", wanted.file, "the receipt goes into this file");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        fmt::print(stderr, "parity: {} (--help says more)\n", error.what());
        return 2;
    }
    try {
        return run(wanted) ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
