// `recto bench`: samples per second of the workloads, and the limits of this machine, as lines of JSON.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include <CLI/CLI.hpp>
#include <kernel_sources.hpp>

#include <recto/autograd/profile.hpp>
#include <recto/base/check.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/device/storage.hpp>
#include <recto/device/threads.hpp>
#include <recto/kernels/gemm.hpp>

#include "about.hpp"
#include "bench.hpp"

using namespace recto;

namespace {

struct Wanted {
    std::string workload;
    bool limits = false;
    bool machine = false;
    bool small = false;
    bool captured = false;
    bool profile = false;
    bool list = false;
    int count = 0;
    double seconds = 3;
    std::string device = "cpu", products = "ieee";
};

/// Seconds of a step if `together` steps start before the clock is read.
double seconds(const bench::Ready& ready, int together, Device device) {
    const double start = book::now();
    for (int i = 0; i < together; ++i) ready.step();
    synchronize(device);
    return book::seconds_since(start) / together;
}

/// The number of steps to start at once: a GPU works while the host continues, so that waiting after every step would
/// measure the waiting. A group of steps takes a twentieth of a second.
int together(const bench::Ready& ready, Device device) {
    int steps = 1;
    while (device != Device::cpu && steps < 4096 && steps * seconds(ready, steps, device) < 0.05) steps *= 2;
    return steps;
}

/// Says why a workload is not run on a device.
void print_not_run(const bench::Workload& workload, Device device) {
    fmt::print("{{\"framework\": \"recto\", \"workload\": \"{}\", \"device\": \"{}\", \"not_run\": \"{}\"}}\n",
               workload.name, name(device), workload.cpu_only);
}

/// Measures steps for some seconds, after a warm-up; prints one line.
void measure(const bench::Workload& workload, const Wanted& wanted, Device device) {
    if (device != Device::cpu && !workload.cpu_only.empty()) return print_not_run(workload, device);
    const bench::Ready ready = workload.prepare({device, wanted.captured, wanted.small});
    const int least = wanted.small ? 1 : 5;
    (void)seconds(ready, least, device);
    const int block = wanted.small ? 1 : together(ready, device);
    std::vector<double> took;
    const double start = book::now();
    while (int(took.size()) < least || book::seconds_since(start) < wanted.seconds)
        took.push_back(seconds(ready, block, device));
    const double mean = book::seconds_since(start) / double(took.size()) / block;
    std::ranges::sort(took);
    const double middle = book::median(took);
    const auto at = [&](std::size_t tenths) { return 1e3 * took[took.size() * tenths / 10]; };
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    fmt::print(
        "{{\"framework\": \"recto\", \"workload\": \"{}\", \"samples_per_s\": {:.6g}, \"unit\": \"{}\", "
        "\"step_ms_median\": {:.5g}, \"step_ms_mean\": {:.5g}, \"step_ms_p10\": {:.5g}, \"step_ms_p90\": {:.5g}, "
        "\"threads\": {}, \"gflops\": {:.4g}, \"peak_rss_mib\": {:.1f}, \"tensors_mib\": {:.1f}, \"steps_together\": "
        "{}, \"device\": \"{}\", \"matmul\": \"{}\"}}\n",
        workload.name + (wanted.small ? " (small)" : "") + (ready.captured ? " (captured)" : ""),
        ready.per_step / middle, workload.unit, 1e3 * middle, 1e3 * mean, at(1), at(9), threads(),
        ready.flops / middle / 1e9, double(used.ru_maxrss) / 1024, double(memory_use().peak) / (1 << 20), block,
        name(device), name(product_precision()));
    std::fflush(stdout);
}

/// A group of steps: its seconds without a profile, then what a profile noted in as many.
struct Watched {
    double alone, seconds;
    std::vector<ProfileRow> rows;
};

Watched watch(const bench::Ready& ready, int block, Device device) {
    const double alone = block * seconds(ready, block, device);
    Profile notes(device);
    for (int i = 0; i < block; ++i) ready.step();
    notes.stop();
    return {alone, notes.seconds(), notes.rows()};
}

/// Prints a line with the time of every operation in a mean step, forward and backward. Groups of steps with and without
/// the profile take turns, so that what it costs is known; of the groups the faster half counts, in which nothing else
/// disturbed the machine.
void profile(const bench::Workload& workload, const Wanted& wanted, Device device) {
    if (device != Device::cpu && !workload.cpu_only.empty()) return print_not_run(workload, device);
    const bench::Ready ready = workload.prepare({device, false, wanted.small});
    const int block = std::max(1, int(0.02 / seconds(ready, wanted.small ? 1 : 5, device)));
    std::vector<Watched> groups;
    const double start = book::now();
    while (groups.empty() || book::seconds_since(start) < wanted.seconds) groups.push_back(watch(ready, block, device));
    const std::size_t half = (groups.size() + 1) / 2;
    std::ranges::sort(groups, {}, &Watched::alone);
    double alone = 0;
    for (std::size_t i = 0; i < half; ++i) alone += groups[i].alone;
    std::ranges::sort(groups, {}, &Watched::seconds);
    groups.resize(half);

    std::map<std::pair<std::string_view, std::string_view>, ProfileRow> rows;
    double watched = 0;
    for (const Watched& group : groups) {
        watched += group.seconds;
        for (const ProfileRow& row : group.rows) {
            ProfileRow& all = rows[{row.name, row.pass}];
            all.calls += row.calls, all.seconds += row.seconds;
            all.multiply_adds += row.multiply_adds, all.bytes += row.bytes;
        }
    }
    const double steps = double(half) * block;
    std::string list;
    for (const auto& [key, row] : rows)
        list += fmt::format(
            "{}{{\"operation\": \"{}\", \"pass\": \"{}\", \"calls\": {:.6g}, \"ms\": {:.6g}, \"mflop\": {:.6g}, "
            "\"mbytes\": {:.6g}}}",
            list.empty() ? "" : ", ", key.first, key.second, double(row.calls) / steps, 1e3 * row.seconds / steps,
            2e-6 * double(row.multiply_adds) / steps, 1e-6 * double(row.bytes) / steps);
    fmt::print(
        "{{\"profile\": \"{}\", \"unit\": \"{}\", \"per_step\": {:.6g}, \"steps\": {}, \"step_ms_alone\": {:.6g}, "
        "\"step_ms\": {:.6g}, \"threads\": {}, \"device\": \"{}\", \"rows\": [{}]}}\n",
        workload.name + (wanted.small ? " (small)" : ""), workload.unit, ready.per_step, steps, 1e3 * alone / steps,
        1e3 * watched / steps, threads(), name(device), list);
    std::fflush(stdout);
}

/// The machine, as a line of JSON.
void print_machine(Device device) {
    const bench::About about = bench::about(device);
    fmt::print(
        "{{\"machine\": \"{}\", \"gibibytes\": {:.1f}, \"capability\": \"{}\", \"toolkit\": \"{}\", \"driver\": "
        "\"{}\", "
        "\"device\": \"{}\", \"commit\": \"{}\"}}\n",
        about.name, about.gibibytes, about.capability, about.toolkit, about.driver, name(device), built_from);
}

void run(const Wanted& wanted) {
    if (wanted.count != 0) set_threads(wanted.count);
    const Device device = device_named(wanted.device);
    require(device);
    set_product_precision(device, product_precision_named(wanted.products));
    if (wanted.machine) return print_machine(device);
    if (wanted.limits) return bench::print_limits(device);
    std::vector<bench::Workload> all;
    for (const auto& group :
         {bench::perceptrons(), bench::image_networks(), bench::transformers(), bench::scalars(), bench::files()})
        all.insert(all.end(), group.begin(), group.end());
    std::erase_if(all, [&](const auto& w) { return w.name.find(wanted.workload) == std::string::npos; });
    check(!all.empty(), "bench: there is no workload {}; without a name all are run", wanted.workload);
    for (const bench::Workload& workload : all)
        if (wanted.list)
            fmt::print("{}\n", workload.name);
        else if (wanted.profile)
            profile(workload, wanted, device);
        else
            measure(workload, wanted, device);
}

}  // namespace

int main(int argc, char** argv) {
    Wanted wanted;
    CLI::App app("Measures the workloads of the page How fast is it, or those whose name contains WORKLOAD.");
    app.add_option("WORKLOAD", wanted.workload, "part of a name");
    app.add_option("--threads", wanted.count, "how many threads work (default: one for each core)")
        ->check(CLI::Range(1, 1024));
    app.add_option("--device", wanted.device, "where: cpu, sim or cuda");
    app.add_option("--matmul", wanted.products, "how a GPU multiplies: ieee, tf32 or bf16");
    app.add_option("--seconds", wanted.seconds, "how long each is measured")->check(CLI::Range(0.0, 3600.0));
    app.add_flag("--captured", wanted.captured, "training steps are recorded once and replayed");
    app.add_flag("--profile", wanted.profile, "the time of every operation instead, forward and backward")
        ->excludes("--captured");
    app.add_flag("--small", wanted.small, "small models and few steps: do they run at all?");
    app.add_flag("--limits", wanted.limits, "what the device can do at most, as JSON");
    app.add_flag("--machine", wanted.machine, "what the device is, as JSON");
    app.add_flag("--list", wanted.list, "only the names of the workloads");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        fmt::print(stderr, "bench: {} (--help says more)\n", error.what());
        return 2;
    }
    try {
        run(wanted);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
