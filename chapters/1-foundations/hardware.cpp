// # Hardware: moving numbers costs more than computing
//
// ```{rows} sys-blocked-matmul claim-gpu-peak claim-batching-throughput claim-transfer-bottleneck
// ```
//
// A computer can do the same arithmetic at speeds that differ by a factor of more than a hundred, and much of the
// difference lies in how the numbers reach the processor. This page writes the product of two matrices three times, and measures
// what **caches**, **SIMD** instructions and threads are worth. Then it shows what a **GPU** can do at best, and two
// habits that follow for every program: work in batches, and leave the data where they are.
//
// How can the same arithmetic take such different times?
//
// ```{opening} fig-products
// ```
//
// *With this page the second part of the chapter begins, the machine. You can read it now or after chapter 2.*
//
//- includes, names and options
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

const book::Option<int> largest("largest", 1024, "extent of the largest matrices",
                                {.quick = 256, .least = 128, .most = 4096});
const book::Option<int> samples("samples", 2048,
                                "number of samples that pass through the network",
                                {.quick = 1024, .least = 1024});
//-

// ## The triple loop
//
// Almost all the time of a neural network goes into products of matrices. For two matrices of $2 \times 2$ numbers the
// product has four numbers, and each is a sum of two products: eight multiplications on eight numbers. In general
// $c_{ij} = \sum_k a_{ik} b_{kj}$: three loops, one inside the other.
void triple_loop(Index n, const Numbers& a, const Numbers& b, Numbers& c) {
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
            Real total = 0;
            for (Index k = 0; k < n; ++k)
                total += a[std::size_t(i * n + k)] * b[std::size_t(k * n + j)];
            c[std::size_t(i * n + j)] = total;
        }
}

// For $n \times n$ matrices these are $n^3$ multiplications and $n^3$ additions on $2n^2$ numbers, so each number of $a$
// and $b$ is used $n$ times. For $n = 1024$ this makes two billion operations on two million numbers, most of which the
// triple loop fetches far more than once.
//
// A processor computes only on numbers in its **registers**, which hold a few hundred. Main memory is far away: a number
// from there takes about a hundred nanoseconds, in which the processor could do hundreds of operations. In between lie
// the **caches**, small fast memories that keep what was used last; the smallest, called L1, often holds 32 to 48
// kilobytes. Memory comes in **cache lines** of 64 bytes, which are sixteen numbers of 32 bits.
//
// The innermost loop walks *down a column* of $b$. For $n = 1024$ neighbours in a column lie 4096 bytes apart, each in a
// line of its own. One column touches 1024 lines, or 64 kilobytes, more than L1 holds. Of each line the loop uses one
// number. The next column needs the neighbours of these numbers, but by then the lines have left L1.
//
// ## The same sum in blocks
//
// The remedy is **blocking**: cut the matrices into blocks that fit into a cache, and do all the work of one block
// before you touch the next. Inside a block the loops also change places, so that the innermost one walks along *rows*
// of $b$ and $c$ and uses all sixteen numbers of a line.
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

// The walk along rows has a second effect. Processors have **SIMD** instructions (single instruction, multiple data),
// which do one operation on 4, 8 or 16 neighbouring numbers at once. In the blocked loop the compiler uses them, since
// sixteen neighbours of $c$ can be computed side by side. In the triple loop it must not: all terms go into one
// `total`, and another order of the additions could round differently, so each addition waits for the one before.
//
// The third version is {cpp:func}`~recto::gemm`, the product behind every layer of this book. It blocks once more, for the
// registers, uses the widest SIMD instructions that the processor has, and runs on all threads {cite:p}`goto2008`.
void library(Index n, const Numbers& a, const Numbers& b, Numbers& c) {
    gemm(Device::cpu, n, n, n, {a.data(), n}, {b.data(), n}, c.data(), n);
}

//- how far two results differ, relative to their largest number
double relative_difference(const Numbers& a, const Numbers& b) {
    double most = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(double(a[i]) - double(b[i])));
        size = std::max(size, std::abs(double(b[i])));
    }
    return most / size;
}

void compare_products() {
    //-
    // ## Three speeds
    //
    // In single precision the results may differ in the last digits, because the library adds in another order:
    //- the largest difference between the three products
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

    //-

    // The rate is the number of operations, $2n^3$, divided by the time, in GFLOP/s: billions of floating-point
    // operations per second.
    //- the time of each product, for sizes that double
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
    timing_claim("sys-blocked-matmul/b",
                 "speed of the blocks at the largest size, as a multiple of the triple "
                 "loop's",
                 ratio, ">=", 2);
    timing_claim("claim-gpu-peak/a", "GFLOP/s of the library's product", tiles.back(),
                 ">", 0);
    //-

    // {numref}`fig-products` draws the rates. Follow the triple loop to the right: its rate falls where the matrices
    // outgrow one cache after another.
    //- how the figure is drawn
    Figure rates("fig-products");
    rates
        .describe(
            "Billions of operations per second of three matrix products against the "
            "size of the matrices, both axes logarithmic. The triple loop is slowest "
            "and falls as the matrices outgrow the caches. The blocked loops are "
            "faster at every size, and their lead is largest at the largest size. The "
            "library is far above both. A slider chooses a size and shows its numbers.")
        .slider("n", sizes, "size of the matrices", sizes.back())
        .line("triple loop", sizes, loops)
        .line("in blocks", sizes, blocks)
        .line("library", sizes, tiles);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double n = sizes[i], kilobytes = 3 * 4 * n * n / 1024;
        const auto told = [](double rate) {
            return rate < 10 ? fmt::format("{:.1f}", rate)
                             : fmt::format("{:.0f}", rate);
        };
        rates.at(n)
            .dots("", {n, n, n}, {loops[i], blocks[i], tiles[i]},
                  {.color = figure::ink, .shape = figure::Shape::circle})
            .words("", {n, n, n}, {loops[i] / 1.8, blocks[i] * 1.8, tiles[i] * 1.8},
                   {told(loops[i]), told(blocks[i]), told(tiles[i])},
                   {.color = figure::ink})
            .words("", {std::sqrt(sizes.front() * sizes.back())}, {1500},
                   {kilobytes < 1024
                        ? fmt::format("three matrices: {:.0f} kB", kilobytes)
                        : fmt::format("three matrices: {:.0f} MB", kilobytes / 1024)},
                   {.color = figure::ink});
    }
    rates.always()
        .log_axes()
        .xlim(sizes.front() / 1.5, sizes.back() * 1.5)
        .ylim(0.1, 3000)
        .x("size of the matrices")
        .y("GFLOP/s")
        .save(
            "One product at three speeds, on the machine that made this book. Move the "
            "slider: where do the three matrices outgrow a cache, and which of the "
            "rates falls there? All three products do the same arithmetic. They differ "
            "in how often they fetch a number, in SIMD, and in the number of threads, "
            "so the caches alone do not explain the gap.");
    shows("sys-blocked-matmul/c", "fig-products");
    shows("claim-gpu-peak/e", "fig-products");
    //-

    // Three causes are mixed here. The threads speed up the library alone. At $n = 64$ all matrices together take 48
    // kilobytes and nearly fit into L1, so caches explain little of the gap between the triple loop and the blocks there;
    // SIMD and additions that need not wait explain the rest. The caches make the gap much wider at $n = 1024$.
}

void peak() {
    // ## Roofline: how fast can it get?
    //
    // Two limits hold for any processor: the rate at which it computes, and the bandwidth, the rate at which its
    // memory delivers bytes. Suppose that a program does $I$ operations for each byte that it fetches. Then its rate is
    // at most
    //
    // $$ \min(\text{peak rate},\; I \cdot \text{bandwidth}) . $$
    //
    // This is the **roofline** model {cite:p}`williams2009`. [The next page](product_ladder.cpp) draws it. An NVIDIA
    // H200 computes $67 \times 10^{12}$ operations per second in single precision, and its memory delivers $4.8 \times
    // 10^{12}$ bytes. A program needs 14 operations per byte to reach the peak. A sum of numbers does one addition for
    // 4 bytes, so memory limits it to 2 % of the peak. A product of matrices with $n = 1024$ could do 170 operations
    // for each byte, if it moved each of its $3n^2$ numbers only once.
    //
    // {cite:t}`fleuret2023` puts a standard GPU at $10^{13}$ to $10^{14}$ operations per second, with 8 to 80 GB of
    // memory. The table lists some devices; one TFLOP/s is a thousand GFLOP/s. NVIDIA's GPUs since 2017 and AMD's since
    // 2020 also have **tensor cores** (AMD calls them matrix cores), which multiply two small matrices in one instruction,
    // usually with factors of [16 bits](small_numbers.cpp) and sums of 32.
    //- the table of devices
    struct Gpu {
        const char* name;
        int year;
        double rate, tensor;
        int memory;
    };
    std::vector<std::vector<book::Cell>> rows;
    for (const Gpu& gpu : {Gpu{"NVIDIA V100 SXM2", 2017, 15.7, 125, 16},
                           Gpu{"NVIDIA A100", 2020, 19.5, 312, 80},
                           Gpu{"NVIDIA RTX 4090", 2022, 82.6, 165, 24},
                           Gpu{"NVIDIA H100 SXM", 2022, 67, 989, 80},
                           Gpu{"NVIDIA H200 SXM", 2023, 67, 989, 141},
                           Gpu{"AMD MI300X", 2023, 163.4, 1307, 192},
                           Gpu{"AMD MI325X", 2024, 163.4, 1307, 256},
                           Gpu{"NVIDIA B200 (HGX)", 2024, 75, 2250, 180}})
        rows.push_back({gpu.name, gpu.year, gpu.rate, gpu.tensor, gpu.memory,
                        gpu.memory > 80 ? "yes" : "no"});
    book::table("tab-devices",
                "Peak rates and memory, as the makers state them: ordinary arithmetic "
                "on 32 bits, and tensor cores on 16 bits with sums of 32 bits, without "
                "the factor of two for sparse matrices.",
                {"device", "announced", "TFLOP/s, 32 bits", "TFLOP/s, tensor cores",
                 "memory in GB", "beyond 80 GB"},
                rows);
    shows("claim-gpu-peak/d", "tab-devices");
    //-

    // In single precision all these devices lie between $1.5 \times 10^{13}$ and $1.7 \times 10^{14}$ operations per second,
    // about the stated range. Tensor cores are 2 to 30 times as fast; among NVIDIA's devices for data centres the factor
    // has grown from 8 (V100) to 30 (B200). Every device of the table that was announced in 2023 or later has more than
    // 80 GB. A program seldom reaches these peaks. A product of large matrices on one such device comes nearest to them:
    //
    // ```{ladder} peaks
    // ```
    //
    // The peaks in this listing are computed from the card's highest clock, 1.98 GHz. The data sheet's 989 TFLOP/s of
    // the tensor cores correspond to 1.83 GHz.
    //- the next section
}

void batches() {
    //-
    // ## Batching: fetch a weight once for many samples
    //
    // A layer multiplies its input by a matrix of weights. For a single sample each weight is fetched, used for one
    // multiplication and one addition, and dropped: half an operation per byte. For a {term}`batch` of $B$ samples the
    // layer is a product of two matrices. A weight is fetched once and used $B$ times, so the fetching per sample falls as
    // $1/B$. We send the same samples through one network, in batches of different sizes:
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

    // The outputs must not depend on the batch size, but the time does.
    //- outputs and times for batches of 1, 4, 16, ..., 1024
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
          "largest difference between the outputs of two batch sizes", worst,
          "<=", 1e-5);
    timing("microseconds per sample, in batches of 1: {:.1f}, of 256: {:.1f}",
           times.front(), times[4]);
    timing_claim(
        "claim-batching-throughput/a",
        "time per sample in batches of 256, as a share of the time in batches of 1",
        times[4] / times.front(), "<=", 0.5);

    //-

    // {numref}`fig-batching` shows all sizes.
    //- how the figure is drawn
    Figure("fig-batching")
        .describe(
            "Microseconds per sample against the batch size from 1 to 1024, both axes "
            "logarithmic. From batches of 1 to batches of 64 it falls to about a "
            "quarter. Beyond, it changes little, and may rise again at one size.")
        .line("", sizes, times, {.points = true})
        .log_axes()
        .x("batch size")
        .y("µs per sample")
        .save(
            "The same samples through the same network. From batches of 1 to "
            "batches of 64 the time per sample falls to about a quarter. Beyond, the "
            "curve flattens, and it may even rise at one size.");
    shows("claim-batching-throughput/c", "fig-batching");
    //-

    // Most of the gain comes with the first dozens of samples. Count what one sample costs:
    //- operations and weights for each sample
    const double weights = double(nn::count(net));
    const auto fetched = [&](double batch) {
        return weights / batch;
    };  // for each sample
    say("operations per sample: {:.0f}; weights fetched per sample, in batches of 1: "
        "{:.0f}, of 1024: {:.0f}",
        2 * weights, fetched(1), fetched(1024));
    const double left = fetched(1024) / (2 * weights);  // fetching beside arithmetic
    //-

    ask("A batch of 1024 fetches each weight a 1024th as often per sample as a batch "
        "of 1. Why is the time per sample not a 1024th?",
        {{"Because the caches are full.", left > 1,
          "Caches do matter: on some machines the time rises again at one size, where "
          "the activations between two layers no longer fit. But a larger cache would "
          "not make the curve fall as 1/B."},
         {"Because the fetching has become negligible, and the arithmetic, which every "
          "sample needs, is left.",
          left < 0.01,
          "The cost of a sample is its arithmetic plus its share of the fetching. The "
          "share goes to zero, the arithmetic stays."},
         {"Because the outputs become less accurate.", worst > 1e-5,
          "They are the same for every batch size, as the check above has shown."}});

    // At 256 samples one hidden layer's outputs take half a megabyte, and compete with 2.7 megabytes of weights for the
    // same caches, so the curve may rise; where it does depends on the processor and on what else runs. Run the page twice
    // before you trust a small difference.
}

//- with a GPU: the time of a product with and without a copy
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
    timing_claim(
        "claim-transfer-bottleneck/b",
        "on the GPU, time with a copy at every step, as a multiple of that without",
        ratio, ">=", 2);
    report("claim-transfer-bottleneck/c",
           "time of copy and product, as a multiple of the product alone",
           copying / staying);
    return {there.device(), {}};
}

void transfers() {
    //-
    // ## Leave the data on the device
    //
    // A GPU has its own memory, and a slow link connects it to the host. An H200's memory delivers 4.8 TB/s, its link (PCI
    // Express 5.0) at most 64 GB/s in each direction. Take two matrices of $2048 \times 2048$ numbers. At the peak rate
    // their product takes $2 \cdot 2048^3 / (67 \times 10^{12})$ seconds, 0.26 ms. To copy one of them over the link takes
    // $4 \cdot 2048^2 / (64 \times 10^9)$ seconds, also 0.26 ms. A program that brings the result home and sends it back
    // after each product spends two thirds of its time on the link.
    //
    // A copy never changes the result, as we can check without a GPU: the device `sim` behaves like a GPU whose memory the
    // host must not touch. One loop leaves its matrix there; the other copies it home after every step.
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
               "the result with a copy after every step is the same, bit for bit",
               loop(true) == loop(false));

    // Only a GPU can show how much time the copies cost:
    //
    // ```{ladder} transfer
    // ```
    //
    // The copy takes longer than calculated, because the program's memory is not **pinned** (locked at its address): the
    // driver copies it into a pinned buffer first. If your machine has a GPU, the page measures it too.
    //- the times, or why no time is shown
    const Timed timed = transfer_times();
    if (!timed.reason.empty()) say("not run: {}", timed.reason);
    claim_true("claim-transfer-bottleneck/d",
               "a time was taken on a GPU; or none was taken, and the page says why",
               timed.on ? *timed.on == Device::cuda
                        : !missing(Device::cuda).empty() && !timed.reason.empty());
}

void page() {
    //-
    compare_products();
    peak();
    batches();
    transfers();
}

// ## Summary
//
// The same arithmetic runs at very different speeds, because numbers have to be fetched. Blocks that fit into a cache
// and loops along rows fetch less often and let SIMD instructions work. A processor's speed has two limits, arithmetic
// and bandwidth, and a program reaches the first only if it does enough operations per byte. Batches raise the
// operations per byte of a layer, and data that stay on the device do not cross the narrowest link.
//
// ## What is missing
//
// We measured time, not energy, and wrote no code for a GPU. [The next page](product_ladder.cpp) cuts a product for a
// GPU, step by step, and counts what each step fetches; [the page after it](sum_ladder.cpp) does so for a sum.
// Numbers of half as many *bits* pass the same link at twice the rate: [small numbers](small_numbers.cpp) counts what
// that costs.
//
// Write the blocked product yourself: [an exercise](../exercises/foundations/blocked_product.md) judges its result and
// how often it fetches.
//
// ```{try}
// - Use one thread: `--threads 1`. Which of the three curves of {numref}`fig-products` moves?
// - Make the matrices larger: `--largest 2048`. How long does the triple loop take, and why is it more than eight times
//   as long as before?
// ```
