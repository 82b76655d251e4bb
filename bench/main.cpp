// What `recto bench` runs: how many samples a second, and what this machine could do at most, as lines of JSON.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>

#include <recto/book/stopwatch.hpp>
#include <recto/core/gemm.hpp>
#include <recto/core/threads.hpp>

#include "bench.hpp"

using namespace recto;

namespace {

struct Wanted {
    std::string workload;
    bool limits = false;
    bool list = false;
    int count = 0;
    double seconds = 3;
    std::string device = "cpu", products = "ieee";
};

/// Steps for some seconds, after five that do not count; prints one line.
void measure(const bench::Workload& workload, const Wanted& wanted, Device device) {
    const bench::Ready ready = workload.prepare(device);
    const auto step = [&] {
        ready.step();
        synchronize(device);
    };
    for (int i = 0; i < 5; ++i) step();
    std::vector<double> seconds;
    const double start = book::now();
    while (seconds.size() < 5 || book::seconds_since(start) < wanted.seconds) {
        const double before = book::now();
        step();
        seconds.push_back(book::seconds_since(before));
    }
    const double mean = book::seconds_since(start) / double(seconds.size());
    std::ranges::sort(seconds);
    const double middle = book::median(seconds);
    const auto at = [&](std::size_t tenths) { return 1e3 * seconds[seconds.size() * tenths / 10]; };
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    fmt::print(
        "{{\"framework\": \"recto\", \"workload\": \"{}\", \"samples_per_s\": {:.6g}, \"unit\": \"{}\", "
        "\"step_ms_median\": {:.5g}, \"step_ms_mean\": {:.5g}, \"step_ms_p10\": {:.5g}, \"step_ms_p90\": {:.5g}, "
        "\"threads\": {}, \"gflops\": {:.4g}, \"peak_rss_mib\": {:.1f}, \"device\": \"{}\", \"matmul\": \"{}\"}}\n",
        workload.name, ready.per_step / middle, workload.unit, 1e3 * middle, 1e3 * mean, at(1), at(9), threads(),
        ready.flops / middle / 1e9, double(used.ru_maxrss) / 1024, name(device), name(product_precision()));
    std::fflush(stdout);
}

void run(const Wanted& wanted) {
    if (wanted.count != 0) set_threads(wanted.count);
    if (wanted.limits) return bench::print_limits();
    const Device device = device_named(wanted.device);
    require(device);
    set_product_precision(device, product_precision_named(wanted.products));
    std::vector<bench::Workload> all;
    for (const auto& group :
         {bench::perceptrons(), bench::image_networks(), bench::transformers(), bench::scalars(), bench::files()})
        all.insert(all.end(), group.begin(), group.end());
    if (device != Device::cpu) std::erase_if(all, [](const auto& w) { return w.name.starts_with("tiny_scalar"); });
    std::erase_if(all, [&](const auto& w) { return w.name.find(wanted.workload) == std::string::npos; });
    check(!all.empty(), "bench: there is no workload {}; without a name all are run", wanted.workload);
    for (const bench::Workload& workload : all)
        if (wanted.list)
            fmt::print("{}\n", workload.name);
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
    app.add_flag("--limits", wanted.limits, "what this machine can do at most, as JSON");
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
