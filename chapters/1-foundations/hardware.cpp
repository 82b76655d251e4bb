// # What the machine is good at
//
// ```{rows} sys-blocked-matmul claim-gpu-peak claim-batching-throughput claim-transfer-bottleneck
// ```
//
// Everything so far was a few lines of arithmetic on numbers that lie in rows. A machine can do such
// arithmetic at two very different speeds, and the arithmetic is not what decides. The numbers have to
// get to where they are used. This page writes one operation three times, the product of two matrices,
// and finds the same answer at three speeds; then it shows the two habits that follow from it: work in
// batches, and leave the data where it is.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/device/threads.hpp>
#include <recto/figure/figure.hpp>
#include <recto/kernels/gemm.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::report, book::say, book::shows,
    book::timing, book::timing_claim;
using figure::Figure;
using Numbers = std::vector<Real>;
//-

// Two sizes can be changed:
const book::Option<int> largest("largest", 1024, "extent of the largest matrices",
                                {.quick = 256, .least = 128, .most = 4096});
const book::Option<int> samples("samples", 2048,
                                "samples that pass through the network",
                                {.quick = 1024, .least = 1024});

// ## The definition
//
// The product of two matrices, $c_{ij} = \sum_k a_{ik} b_{kj}$, is two short loops round a sum.
void triple_loop(Index n, const Numbers& a, const Numbers& b, Numbers& c) {
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
            Real total = 0;
            for (Index k = 0; k < n; ++k)
                total += a[std::size_t(i * n + k)] * b[std::size_t(k * n + j)];
            c[std::size_t(i * n + j)] = total;
        }
}

// It does $2n^3$ operations on $3n^2$ numbers: each number is used $n$ times. That is the best news
// about this operation, and the three loops waste it. The innermost one walks *down a column* of $b$,
// and neighbours in a column lie a whole row apart in memory. A processor fetches memory in lines of
// sixteen numbers; of each line this loop uses one number, and before it comes back for the next, the
// line has been thrown out again.
//
// ## The same, in blocks
//
// So cut the matrices into blocks that fit into the fast memory beside the processor, and finish with a
// block before touching the next. Inside a block the loops also change places: the innermost one now
// walks along rows of $b$ and $c$, sixteen useful numbers a line.
void blocked(Index n, const Numbers& a, const Numbers& b, Numbers& c) {
    constexpr Index block = 64;  // three blocks of 64 x 64 numbers are 48 kB
    std::fill(c.begin(), c.end(), Real(0));
    for (Index i0 = 0; i0 < n; i0 += block)
        for (Index k0 = 0; k0 < n; k0 += block)
            for (Index j0 = 0; j0 < n; j0 += block)
                for (Index i = i0; i < std::min(i0 + block, n); ++i)
                    for (Index k = k0; k < std::min(k0 + block, n); ++k) {
                        const Real factor = a[std::size_t(i * n + k)];
                        const Real* from = b.data() + k * n;
                        Real* to = c.data() + i * n;
                        for (Index j = j0; j < std::min(j0 + block, n); ++j)
                            to[j] += factor * from[j];
                    }
}

// Nothing about the mathematics changed. It is the *same sum in another order*, possible because sums
// do not care; every layer in this book is a sum of products, so every layer can be cut like this.
//
// The third version is {cpp:func}`~recto::gemm`, the product behind every layer of this book, which does all of this
// once more for registers, and for every core {cite:p}`goto2008`.
void library(Index n, const Numbers& a, const Numbers& b, Numbers& c) {
    gemm(Device::cpu, n, n, n, {a.data(), n}, {b.data(), n}, c.data(), n);
}

// Whether three functions agree is a matter of the largest difference, relative to the largest number.
double relative_difference(const Numbers& a, const Numbers& b) {
    double most = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(double(a[i]) - double(b[i])));
        size = std::max(size, std::abs(double(b[i])));
    }
    return most / size;
}

void compare_products() {
    // ## Three times the same
    //
    // First the answers. In single precision the order of a sum shows in its last digits, no more:
    Generator random(book::seed());
    {
        const Index n = 512;
        const Numbers a = random.normal({n, n}).values(),
                      b = random.normal({n, n}).values();
        Numbers one(a.size()), two(a.size()), three(a.size());
        triple_loop(n, a, b, one);
        blocked(n, a, b, two);
        library(n, a, b, three);
        claim("sys-blocked-matmul/a",
              "the three products agree, relative to their largest number",
              std::max(relative_difference(one, two), relative_difference(one, three)),
              "<=", 1e-4);
    }

    // Then the speeds. One unit of work is a multiplication and an addition; $2n^3$ of them divided by the
    // time gives a rate.
    std::vector<double> sizes, loops, blocks, tiles;
    double ratio = 0;
    for (Index n = 64; n <= largest(); n *= 2) {
        const Numbers a = random.normal({n, n}).values(),
                      b = random.normal({n, n}).values();
        Numbers c(a.size());
        const int runs =
            n >= 1024
                ? 1
                : 5;  // one run of the slow one is seconds long; a moment's noise is not
        const auto [slow, quick, times] = book::compare_seconds(
            [&] { triple_loop(n, a, b, c); }, [&] { blocked(n, a, b, c); }, runs);
        const double best = book::median_seconds([&] { library(n, a, b, c); }, 9);
        const double work = 2e-9 * double(n) * double(n) * double(n);
        sizes.push_back(double(n));
        loops.push_back(work / slow);
        blocks.push_back(work / quick);
        tiles.push_back(work / best);
        ratio = times;
        book::progress(n, largest(), "products");
    }
    timing("at n = {}: {:.2f}, {:.2f} and {:.1f} GFLOP/s, the library on {} threads",
           largest(), loops.back(), blocks.back(), tiles.back(), threads());
    timing_claim(
        "sys-blocked-matmul/b",
        "at the largest size the blocks are faster than the three loops by a factor",
        ratio, ">=", 2);
    timing_claim("claim-gpu-peak/a", "GFLOP/s of the library's product", tiles.back(),
                 ">", 0);

    // {numref}`fig-products` draws the rates against the size. Watch the line of the triple loop, where the
    // matrices outgrow the fast memory.
    Figure("fig-products")
        .describe(
            "Billions of operations a second of three matrix products against the size "
            "of the matrices, both axes logarithmic. The triple loop falls as the "
            "matrices outgrow the caches, the blocked loops stay level, the library is "
            "far above both.")
        .line("triple loop", sizes, loops)
        .line("in blocks", sizes, blocks)
        .line("library", sizes, tiles)
        .log_axes()
        .x("size of the matrices")
        .y("GFLOP/s")
        .save(
            "One product, three speeds, on the machine that made this book. All three "
            "do the same arithmetic; they differ in how often they fetch a number.");
    shows("sys-blocked-matmul/c", "fig-products");
    shows("claim-gpu-peak/e", "fig-products");
}

void peak() {
    // ## How fast can it get?
    //
    // {cite:t}`fleuret2023` puts a standard GPU at $10^{13}$ to $10^{14}$ operations a second, with 8 to 80 GB
    // of memory. Compare that with the rate of our product above. Here are a few of the devices that he had in
    // mind, and a few that came later, from their makers' data sheets.
    struct Gpu {
        const char* name;
        int year;
        double rate;
        int memory;
    };
    std::vector<std::vector<book::Cell>> rows;
    for (const Gpu& gpu :
         {Gpu{"NVIDIA V100", 2017, 15.7, 32}, Gpu{"NVIDIA A100", 2020, 19.5, 80},
          Gpu{"NVIDIA RTX 4090", 2022, 82.6, 24}, Gpu{"NVIDIA H100 SXM", 2022, 67, 80},
          Gpu{"NVIDIA H200 SXM", 2023, 67, 141}, Gpu{"AMD MI300X", 2023, 163.4, 192}})
        rows.push_back(
            {gpu.name, gpu.year, gpu.rate, gpu.memory, gpu.memory > 80 ? "yes" : "no"});
    book::table("tab-devices",
                "Peak rates in single precision, and memory, as the makers state them.",
                {"device", "year", "TFLOP/s", "memory in GB", "beyond 80 GB"}, rows);
    shows("claim-gpu-peak/d", "tab-devices");

    // The rates are of the order the book gives, at its upper end. The memory has outgrown it: two devices of
    // 2023 go beyond 80 GB. Whether a real one reaches its peak is a statement about a GPU.
    const std::string_view reason = missing(Device::cuda);
    if (!reason.empty()) say("not run: {}", reason);
}

void batches() {
    // ## In batches
    //
    // The first habit. A layer multiplies an input by its weights, and for one sample each weight is
    // fetched, used once, and dropped. For a batch of $B$ samples it is fetched once and used $B$ times. We
    // send the same samples through one network, in batches of different sizes.
    Generator random(book::seed() + 1);
    const nn::Mlp net({784, 512, 512, 10}, relu, random);
    const Tensor x = random.normal({samples(), 784});
    const NoGrad guard;

    const auto forward = [&](Index batch) {
        Numbers out;
        for (Index at = 0; at < samples(); at += batch) {
            const auto y =
                net(slice(x, 0, at, std::min<Index>(at + batch, samples()))).values();
            out.insert(out.end(), y.begin(), y.end());
        }
        return out;
    };

    // The answers must not depend on the batches, and the time will. We look at both, for every size.
    const Numbers all = forward(1024);
    std::vector<double> sizes, times;
    double worst = 0;
    for (Index batch = 1; batch <= 1024; batch *= 4) {
        const Numbers out = forward(batch);
        for (std::size_t i = 0; i < out.size(); ++i)
            worst = std::max(worst, double(std::abs(out[i] - all[i])));
        sizes.push_back(double(batch));
        times.push_back(1e6 * book::median_seconds([&] { forward(batch); }, 5) /
                        samples());
    }
    claim("claim-batching-throughput/b",
          "the outputs are the same for every batch size, up to", worst, "<=", 1e-5);
    timing("microseconds a sample, in batches of 1: {:.1f}, of 256: {:.1f}",
           times.front(), times[4]);
    timing_claim(
        "claim-batching-throughput/a",
        "time per sample in batches of 256, as a share of that in batches of 1",
        times[4] / times.front(), "<=", 0.5);

    // The gain is great at first and then ends, as {numref}`fig-batching` shows.
    Figure("fig-batching")
        .describe(
            "Microseconds per sample against the size of the batch, both axes "
            "logarithmic: the time falls steeply at first and levels off.")
        .line("", sizes, times, {.points = true})
        .log_axes()
        .x("batch size")
        .y("µs per sample")
        .save(
            "The same samples through the same network. What falls is not the "
            "arithmetic but the number of times the weights are fetched.");
    shows("claim-batching-throughput/c", "fig-batching");

    // Why does it end? Count. A weight takes part in one multiplication and one addition for every sample, and is
    // fetched once for every batch.
    const double weights = double(nn::count(net));
    const auto fetched = [&](double batch) {
        return weights / batch;
    };  // for each sample
    say("operations a sample: {:.0f}; weights fetched a sample, in batches of 1: "
        "{:.0f}, of 1024: {:.0f}",
        2 * weights, fetched(1), fetched(1024));
    const double left = fetched(1024) / (2 * weights);  // fetching beside arithmetic
    ask("Every sample needs the same arithmetic. Why does the curve flatten instead of "
        "falling for ever?",
        {{"Because the caches are full.", left > 1,
          "They do matter: on some machines the time rises again for a while when what "
          "is between two layers no longer fits. The level comes from elsewhere."},
         {"Because fetching the weights, shared by more and more samples, stops "
          "mattering; what is left is the arithmetic, and that is per sample.",
          left < 0.01,
          "The cost of a sample is its arithmetic plus its share of the fetching. The "
          "share goes to zero, the arithmetic stays."},
         {"Because the outputs become less accurate.", worst > 1e-5,
          "They are the same for every batch size, as the claim above has just "
          "checked."}});
}

//- on a machine with a GPU: the time of staying and of copying
struct Timed {
    std::optional<Device> on;  // where the numbers were, if a time was taken
    std::string_view reason;   // why none was
};
Timed transfer_times() {
    const Device device = Device::cuda;
    if (!missing(device).empty()) return {{}, missing(device)};
    Generator random(book::seed() + 3);
    const Tensor x = random.normal({2048, 2048}), there = x.to(device);
    const auto [copying, staying, ratio] = book::compare_seconds(
        [&] {
            return matmul(x.to(device), there).at({0, 0});
        },
        [&] {
            return matmul(there, there).at({0, 0});
        },
        9);
    timing_claim("claim-transfer-bottleneck/b",
                 "on the GPU, staying is faster than copying at every step by a factor",
                 ratio, ">=", 2);
    report("claim-transfer-bottleneck/c",
           "time of copy and product, as a multiple of the product alone",
           copying / staying);
    return {there.device(), {}};
}
//-

void transfers() {
    // ## Leave it where it is
    //
    // The second habit. A GPU has memory of its own behind a narrow link, and copying there and back can cost
    // more than the work itself. It never changes the result, which we can check without a GPU: device `sim`
    // behaves like one whose memory the host may not touch. One loop leaves its matrix there, the other
    // brings it home after every step.
    Generator random(book::seed() + 2);
    const Device device = missing(Device::cuda).empty() ? Device::cuda : Device::sim;
    const Tensor start = random.normal({64, 64}),
                 w = random.normal({64, 64}, 0, Real(0.125));
    const auto loop = [&](bool stay) {
        Tensor x = start.to(device);
        const Tensor weights = w.to(device);
        for (int step = 0; step < 10; ++step) {
            x = matmul(x, weights);
            if (!stay) x = x.to(Device::cpu).to(device);
        }
        return x.values();
    };
    claim_true("claim-transfer-bottleneck/a",
               "copying home after every step changes no bit",
               loop(true) == loop(false));

    // What it changes is the time, and that is again a statement about a GPU. Without one the page says why it has
    // no time to show; a time on `sim` would be one of the CPU.
    const Timed timed = transfer_times();
    if (!timed.reason.empty()) say("not run: {}", timed.reason);
    claim_true("claim-transfer-bottleneck/d",
               "a time was taken on a GPU, or none was taken and the reason is said",
               timed.on ? *timed.on == Device::cuda
                        : !missing(Device::cuda).empty() && !timed.reason.empty());
}

void page() {
    compare_products();
    peak();
    batches();
    transfers();
}

// ## What is missing
//
// We counted time, not energy, and all of it on a CPU. How a product is cut for a GPU, step by step, and what each step
// fetches, is on [the next page](product_ladder.cpp); after it comes a sum. And we never asked how many *bits* a number
// needs: half as many bits are twice as many numbers through the same narrow link.
//
// ```{try}
// - Use one thread: `--threads 1`. Which of the three curves of {numref}`fig-products` moves?
// - Make the matrices larger: `--largest 2048`. How long does the triple loop take, and why not eight
//   times as long as before?
// ```
