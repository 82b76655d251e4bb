// # A ladder of matrix products
//
// ```{rows} sys-blocked-matmul claim-gpu-peak
// ```
//
// [The last page](hardware.cpp) cut a product into blocks so that each number is fetched less often. On a GPU the
// same idea decides everything. A GPU has arithmetic for tens of thousands of threads and one memory that all of
// them want something from. This page writes the product of two matrices six times, each time with one more idea,
// from the first version that comes to mind to one that is built like those in the makers' libraries
// {cite:p}`goto2008`.
//
// You need no GPU to read on, and none to run the page. The kernels are CUDA, and an emulator runs them on the
// processor. It finds mistakes and names them, and it *counts*: what is fetched, and how often threads wait for
// each other. What it cannot do is tell the time. Times are at the end, where a GPU has measured them.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/kernels/gemm.hpp>
#include <recto/ladder/mistakes.cuh>
#include <recto/ladder/products.cuh>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

using namespace recto;
using book::ask, book::ask_number, book::claim, book::claim_true, book::say;
using figure::Figure;
using kernels::Buffer, kernels::Counts, kernels::launch;
using ladder::Product, ladder::products;
using Numbers = std::vector<Real>;
//-

// One size can be changed:
const book::Option<int> size("size", 256, "extent of the matrices, a multiple of 128",
                             {.quick = 128, .least = 128, .most = 1024});

// ## The machine in five sentences
//
// A *kernel* is a function that very many threads run at once, each with its own number. Threads come in *blocks*,
// whose size we choose, and 32 neighbours in a block are a *warp*: they do the same instruction at the same time.
// What the 32 want from the large *global memory* in one instruction is fetched together, in *sectors* of 32 bytes,
// eight numbers each, whether all eight are wanted or one. The threads of a block have a small, fast *shared
// memory*, made of 32 *banks*: a bank hands out one word at a time, so lanes that want different words of one bank
// wait in a row. A *barrier* holds every thread of a block until all have come.
//
// So we launch a kernel, compare its result with the library's, and look at what was counted. Two products that add
// in different orders differ in their last digits. How much they may differ is known: each number of the result by
// a few roundings of $\sum_k |a_{ik}||b_{kj}|$. The error is measured in units of $4\varepsilon\sqrt{K}\sum_k
// |a_{ik}||b_{kj}|$.
struct Outcome {
    Counts counts;
    double error;  // the worst, in those units
};

Outcome run(const Product& step, int m, int n, int k) {
    Generator random(book::seed());
    Numbers a = random.normal({m, k}).values(), b = random.normal({k, n}).values();
    const Buffer<float> on_a(a, "a"), on_b(b, "b"), on_c(m * n, "c");
    const Counts counts =
        launch({step.grid(m, n), step.block}, step.kernel, m, n, k, on_a, on_b, on_c);
    const Numbers c = on_c.values();

    Numbers wanted(c.size()), bound(c.size());
    gemm(Device::cpu, m, n, k, {a.data(), k}, {b.data(), n}, wanted.data(), n);
    for (float& x : a) x = std::abs(x);
    for (float& x : b) x = std::abs(x);
    gemm(Device::cpu, m, n, k, {a.data(), k}, {b.data(), n}, bound.data(), n);
    double worst = 0;
    for (std::size_t i = 0; i < c.size(); ++i)
        worst = std::max(worst, std::abs(double(c[i]) - wanted[i]) / bound[i]);
    return {counts, worst / (4 * std::ldexp(1, -24) * std::sqrt(k))};
}

// What counts most is how many bytes are fetched for one multiplication and one addition. Two operations divided by
// those bytes are the kernel's *arithmetic intensity*: what it does with a byte once it has it.
std::vector<Outcome> runs;

double bytes(const Outcome& run) {
    const double n = size();
    return 32. * double(run.counts.loads.sectors) / (n * n * n);
}

std::string climb() {
    const Product& step = products[runs.size()];
    runs.push_back(run(step, size(), size(), size()));
    const Outcome& now = runs.back();
    return fmt::format("{}: {:.4g} bytes a multiplication, {:.3g} operations a byte",
                       step.name, bytes(now), 2 / bytes(now));
}

void first_steps() {
    // ## One thread for each number
    //
    // The first version that comes to mind: as many threads as the result has numbers, and each runs the innermost
    // loop of the triple loop. The test at the top is for the *tail*, where the last blocks stick out over the
    // matrix.
    //
    // ```{excerpt} recto/ladder/products.cuh naive
    // ```
    say("{}", climb());

    // Thirty-three bytes for one multiplication. Caches are not counted here, and on a real GPU they save some of
    // it, but no cache makes a good use of that.
    //
    // ## Neighbours along rows
    //
    // Look at what the 32 lanes of a warp do in one step of the loop. They are neighbours in `threadIdx.x`, so they
    // have neighbouring `i` and the same `j`: they read 32 numbers of a *column* of a. Numbers of a column lie a
    // whole row apart, each in a sector of its own. Of every sector that comes, one number is used.
    //
    // So let neighbours be neighbours along a row. Nothing else changes:
    //
    // ```{excerpt} recto/ladder/products.cuh coalesced
    // ```
    say("{}", climb());
}

// {numref}`fig-warp` draws which sectors the 32 lanes of a warp want, for eight steps of the loop. Both kernels
// read `a[i * k + p]` and `b[p * n + j]`; they differ in what `i` and `j` of a lane are.
void draw_warp() {
    const int n = 64;
    double drawn[] = {0, 0};  // different sectors, for each kernel
    Figure figure("fig-warp");
    figure.describe(
        "The sector of memory that each of the 32 lanes of a warp reads, for eight "
        "steps of the loop. In the naive kernel the lanes read 32 different sectors of "
        "a, a rising diagonal, and one sector of b. With neighbours along rows they "
        "read one sector of a and four of b, which are next to each other.");
    figure.slider("p", {0, 1, 2, 3, 4, 5, 6, 7}, "step p of the loop", 3);
    for (const bool along_rows : {false, true}) {
        figure.always().panel(along_rows ? "neighbours along rows"
                                         : "one thread a number");
        figure.xlim(-1, 32).ylim(-8, 264).x("lane").y("sector");
        for (int p = 0; p < 8; ++p) {
            std::vector<double> lanes, a, b;
            for (int lane = 0; lane < 32; ++lane) {
                const int i = along_rows ? 0 : lane, j = along_rows ? lane : 0;
                lanes.push_back(lane);
                a.push_back((i * n + p) / 8);
                b.push_back((p * n + j) / 8);
            }
            figure.at(p).dots("of a", lanes, a).dots("of b", lanes, b);
            drawn[along_rows] += double(std::set(a.begin(), a.end()).size() +
                                        std::set(b.begin(), b.end()).size());
        }
    }
    figure.save(
        "What one warp asks of memory, for matrices of 64 x 64. Each height is "
        "a sector; each sector that is touched is fetched whole.");
    const double warps = std::pow(double(size()), 3) / 32;
    const auto counted = [&](std::size_t step) {
        return 8 * double(runs[step].counts.loads.sectors) / warps;
    };
    claim_true("", "the emulator counted as many sectors as are drawn",
               drawn[0] == counted(0) && drawn[1] == counted(1));
}

// In the naive kernel the dots of a climb: 32 lanes, 32 sectors. In the other, all lanes read the *same* number of
// a, one sector, and 32 neighbours of a row of b, four sectors, all of them used. An access like that is called
// *coalesced*. For each number of the result the sum is the same one as before, in the same order, to the last bit.
void tiles() {
    const double warps = std::pow(double(size()), 3) / 32;
    ask_number(
        "How many sectors does a warp fetch in one step of the second kernel's "
        "loop, a and b together?",
        double(runs[1].counts.loads.sectors) / warps, 0.01,
        "One for the number of a that all lanes share, four for the 32 "
        "neighbours of b.");

    // ## Tiles in shared memory
    //
    // Every number of a is still fetched by every thread of a row of the result, from far away. This is the moment
    // for the blocks of the last page. A block of threads fetches one tile of a and one of b into shared memory,
    // each thread one number of both; then all read the tiles, 32 times each number, from near by; then come the
    // next tiles.
    //
    // ```{excerpt} recto/ladder/products.cuh tiled
    // ```
    say("{}", climb());

    // Tiles of $T \times T$ numbers divide the fetching by $T$. There are two barriers, and it takes both. Where a
    // tail sticks out, tiles are filled up with zeros, which add nothing to a sum: no thread may leave early, since
    // the others wait for it at the barrier.
    //
    // What happens without the second one? The emulator runs threads in turn, and remembers who touched what since
    // the last barrier:
    using kernels::Kind, kernels::Mistake;
    const auto complaint = [](Kind kind, const auto& wrong) {
        try {
            wrong();
        } catch (const Mistake& mistake) {
            say("{}", mistake.what());
            return mistake.kind == kind;
        }
        return false;
    };
    const Product forgetful{"forgetful", ladder::forgetful, ladder::tile, ladder::tile,
                            dim3(ladder::tile, ladder::tile)};
    claim_true("", "the emulator finds the forgotten barrier",
               complaint(Kind::race, [&] { run(forgetful, 64, 64, 64); }));

    // Read it slowly, for all messages of this kind are built alike: *who*, a block and a thread; *where*, a line;
    // what it did; and which other thread did what at the same place, with nothing between the two that orders
    // them. The cure is in the last words. On a real GPU such a kernel gives wrong numbers on some days.
}

void inside_a_thread() {
    // ## Sums in registers
    //
    // A thread of the last kernel reads two numbers from shared memory for one multiplication. Shared memory is
    // fast, and not as fast as that. The answer is the same once more: blocks, now inside a thread. A thread that
    // keeps 8 x 8 sums in registers reads 8 numbers of a and 8 of b and multiplies each with each: 16 reads for 64
    // multiplications. The block's 256 threads make 128 x 128 numbers.
    //
    // ```{excerpt} recto/ladder/products.cuh registers
    // ```
    say("{}", climb());

    // The sums of a thread lie 16 apart, not side by side. Lanes that are neighbours then read neighbouring words,
    // each from a bank of its own. With eight neighbouring columns a thread, lanes would be eight words apart, and
    // four of them would meet at every bank.
    //
    // ## Four at a time
    //
    // Sixteen reads are sixteen instructions, and a warp that reads does not multiply. One instruction can read
    // four neighbours, a `float4`. For that the sums lie four by four; and since a thread needs neighbours of a
    // *column* of a, the tile of a is stored on its side.
    //
    // ```{excerpt} recto/ladder/products.cuh multiply
    // ```
    //
    // The `#pragma` asks the compiler to write the loop out, so that the reads of one step can begin during the
    // multiplications of the one before.
    //
    // Fetching also goes by fours: each thread brings four neighbours of a row of a and four of b. A row whose
    // length is no multiple of four cannot be read so: its second row would begin at an address that no `float4`
    // may have. So there is a slow way for such matrices, and for tails.
    //
    // ```{excerpt} recto/ladder/products.cuh four
    // ```
    //
    // ```{excerpt} recto/ladder/products.cuh fetch
    // ```
    //
    // The tile of a is then written down a column. Without four empty numbers at the end of each of its rows, two
    // lanes would meet at one bank.
    //
    // ```{excerpt} recto/ladder/products.cuh ATile
    // ```
    //
    // ```{excerpt} recto/ladder/products.cuh put
    // ```
    //
    // With these the kernel is short. `write` stores the sums, four at a time where it can; the words in front
    // promise the compiler blocks of 256 threads, and ask it to use so few registers that two blocks fit at once.
    //
    // ```{excerpt} recto/ladder/products.cuh vectorised
    // ```
    say("{}", climb());

    // ## Two buffers
    //
    // One waste is left. First all threads of a block fetch, then they wait, then they multiply. A fetch from
    // global memory takes hundreds of cycles, in which the arithmetic stands still. So fetch the next tiles
    // *before* working on these, into registers, and put them into a second pair of tiles afterwards: the fetch is
    // under way while the block multiplies. Nobody reads the tiles that are written to, so one barrier a step is
    // enough.
    //
    // ```{excerpt} recto/ladder/products.cuh buffered
    // ```
    say("{}", climb());

    // The formula for `my` only says which thread makes which sums. A warp now makes a piece of 32 x 64 numbers, of
    // compact shape, and reads fewer different numbers for it.
    const auto same = [](const Outcome& a, const Outcome& b) {
        return bytes(a) == bytes(b);
    };
    ask("The last two steps fetch as many bytes as the one before them. What is better "
        "about the last?",
        {{"It has fewer barriers, and what it waits for is fetched while it works.",
          same(runs[5], runs[4]) && runs[5].counts.barriers < runs[4].counts.barriers,
          "One barrier instead of two for each pair of tiles; the bytes are the same."},
         {"It reads shared memory less often.",
          runs[5].counts.shared.requests < runs[4].counts.shared.requests,
          "It reads as often, and it fills one more pair of tiles, which nobody "
          "needs."},
         {"It keeps more sums in a thread.", products[5].rows > products[4].rows,
          "Both keep 8 x 8."}});
}

// ## The whole ladder
//
// Before we look at numbers: are the results right? Also where nothing fits, with sizes that no tile divides?
void correct() {
    double worst = 0, odd = 0;
    for (const Outcome& r : runs) worst = std::max(worst, r.error);
    for (const Product& step : products)
        for (const auto [m, n, k] : {std::array{1, 1, 1}, {67, 35, 41}, {130, 129, 12}})
            odd = std::max(odd, run(step, m, n, k).error);
    claim("", "worst error of the six products, in units of the bound", worst, "<=", 1);
    claim("", "worst error with sizes that no tile divides, down to 1 x 1 x 1", odd,
          "<=", 1);
}

// Then the counts, side by side.
void compare() {
    std::vector<std::vector<book::Cell>> rows;
    for (std::size_t s = 0; s < runs.size(); ++s) {
        const Counts& c = runs[s].counts;
        const double warps = std::pow(double(size()), 3) / 32;
        rows.push_back(
            {products[s].name, bytes(runs[s]), 2 / bytes(runs[s]),
             double(c.shared.requests) / warps, c.shared.worst_conflict,
             double(c.barriers) / double(products[s].grid(size(), size()).x *
                                         products[s].grid(size(), size()).y)});
    }
    book::table("tab-products",
                "What the emulator counted. A conflict of one is none; zero means that "
                "shared memory is not used.",
                {"step", "bytes fetched a multiplication", "operations a byte",
                 "shared accesses of a warp a multiplication", "worst bank conflict",
                 "barriers a block"},
                rows);
    claim("", "bytes that the first step fetches, as a multiple of the last",
          bytes(runs.front()) / bytes(runs.back()), ">=", 500);

    // A GPU has two limits. It multiplies and adds at some peak rate, and its memory delivers some bytes a second.
    // A kernel of intensity $I$ can do at most $\min(\text{peak}, I \cdot \text{bandwidth})$: a roof with a slope
    // and a flat part, drawn in {numref}`fig-roofline` for the data sheet of an H200, 67 TFLOP/s and 4.8 TB/s
    // {cite:p}`williams2009`. The kernels stand where the emulator's bytes put them, as high as they could come at
    // best. Caches can help them over it: this counts bytes as if there were none.
    const auto roof = [](double intensity) { return std::min(67., 4.8 * intensity); };
    std::vector<double> at, high, x, y;
    for (double i = 1. / 32; i < 200; i *= 2) at.push_back(i), high.push_back(roof(i));
    at.push_back(67 / 4.8), high.push_back(67);
    std::ranges::sort(at);
    std::ranges::sort(high);
    for (const Outcome& r : runs)
        x.push_back(2 / bytes(r)), y.push_back(roof(x.back()));
    Figure("fig-roofline")
        .describe(
            "The highest rate possible on an H200 against operations a byte, both axes "
            "logarithmic. The roof rises up to 14 operations a byte and is flat from "
            "there. The naive kernel stands low on the slope, the one with neighbours "
            "along rows higher, tiles near the top of the slope, and the last three "
            "under the flat part.")
        .line("roof", at, high, {.points = false})
        .dots("a step, at best", x, y, {.width = 4})
        .rule_x(x[0], "naive")
        .rule_x(x[1], "rows")
        .rule_x(x[2], "tiles")
        .rule_x(x[3], "registers")
        .log_axes()
        .ylim(0.1, 400)
        .x("operations a byte")
        .y("TFLOP/s")
        .save(
            "What memory allows if it serves every fetch, from counts and a data "
            "sheet. Caches serve some, so a kernel may do better than its dot.");

    ask_number(
        "With tiles of 64 x 64 instead of 32 x 32 in the third step, how many "
        "operations a byte would it do?",
        2 * 2 / bytes(runs[2]), 0.5,
        "Twice the extent of a tile is twice the use of each number.");
}

void page() {
    first_steps();
    draw_warp();
    tiles();
    inside_a_thread();
    correct();
    compare();

    // Under the flat part it is no longer bytes that decide. There the steps differ in instructions for each
    // multiplication, and in how much waiting is hidden; the columns for shared memory and for barriers speak of
    // that. How much each is worth, only a clock can say.
    //
    // ```{ladder} products
    // ```
}

// ## What is missing
//
// All this is arithmetic in single precision. Since 2017 GPUs also have units that multiply small matrices in one
// instruction, with [fewer bits](small_numbers.cpp); to keep *them* fed takes all steps of this ladder and some
// more. First another ladder, for an operation with nothing to reuse: [the next page](sum_ladder.cpp) adds up
// numbers.
//
// ```{try}
// - Another size: `--size 512`. Which columns of the table change?
// - In `registers`, let a thread's columns lie side by side: `b_tile[p][8 * column + s]`, in both places where
//   they are used. What does the emulator say of the banks?
// - Remove the four empty numbers from `ATile`. Which line has the conflicts now?
// ```
