// # Matrix multiplication in CUDA: a ladder of six kernels
//
// ```{rows} sys-blocked-matmul claim-gpu-peak
// ```
//
// [The last page](hardware.cpp) cut a product into blocks, so that each number is fetched less often. On a GPU, where
// tens of thousands of threads share one memory, this idea decides everything. This page writes the product of two
// matrices six times in CUDA, each time with one more idea: **coalesced** access, **tiling** in **shared memory**, sums in
// registers, wide loads, two buffers. The last version has the layers of NVIDIA's library CUTLASS {cite:p}`kerr2017`;
// {cite:t}`boehm2022` builds a similar ladder.
//
// What do 32 threads fetch in one step, if each computes one number of the product? Move the slider:
//
// ```{opening} fig-warp
// ```
//
// You need no GPU. An emulator runs the kernels on the CPU, finds their mistakes, and counts what they fetch. Times from
// a GPU stand at the end.
//
//- includes, names and options
#include <recto/base/math.hpp>
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

const book::Option<int> size("size", 256, "extent of the matrices, a multiple of 128",
                             {.quick = 128, .least = 128, .most = 1024});
//-

// ## A GPU in five terms
//
// * A **CUDA kernel** is a function that very many **threads** run at once, each with its own number.
// * Threads come in **blocks**, whose size we choose. A **warp** is 32 neighbouring threads of a block, its *lanes*,
//   which execute the same instruction at the same time.
// * **Global memory** is large and far away. What the 32 lanes want in one instruction is fetched together, in
//   **sectors** of 32 bytes, which are eight numbers. A sector is always fetched whole.
// * **Shared memory** is small and fast, and belongs to a block. It consists of 32 **banks**. A bank serves one word at
//   a time, so lanes that want different words of one bank wait for each other: a **bank conflict**.
// * A **barrier**, `__syncthreads()`, holds every thread of a block until all have reached it.
//
// `run` launches a kernel, keeps what the emulator counted, and compares the result with the library's. Products that
// add in different orders differ in their last digits; we measure this error in units of $4\varepsilon\sqrt{K}\sum_k
// |a_{ik}||b_{kj}|$ with $\varepsilon = 2^{-24}$.
//- how a kernel is launched and compared
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

//-

// The number to watch is how many bytes a kernel fetches for one multiplication and one addition. Two operations
// divided by these bytes are the kernel's **arithmetic intensity**, the operations per byte of the roofline:
//- how they are counted
std::vector<Outcome> runs;

double bytes(const Outcome& run) {
    const double n = size();
    return 32. * double(run.counts.loads.sectors) / (n * n * n);
}

std::string climb() {
    const Product& step = products[runs.size()];
    runs.push_back(run(step, size(), size(), size()));
    const Outcome& now = runs.back();
    return fmt::format(
        "{}: {:.4g} bytes per multiplication, {:.3g} operations per byte", step.name,
        bytes(now), 2 / bytes(now));
}

void first_steps() {
    //-
    // ## One thread for each number
    //
    // The first version uses one thread for each number of the result. Each runs the innermost of the three loops. The
    // test at the top is for the *tail*: the last blocks extend beyond the matrix.
    //
    // ```{excerpt} recto/ladder/products.cuh naive
    // ```
    //- it is launched and counted
    say("{}", climb());
    //-

    // Thirty-three bytes for one multiplication: 32 of them for $a$, and one for $b$. The emulator counts the sectors that
    // warps ask for. On a real GPU caches serve part of them, but they do not remove the cause.
    //
    // ## Coalesced access: neighbours along rows
    //
    // In one step of the loop the 32 lanes of a warp, which are neighbours in `threadIdx.x`, have neighbouring `i` and the
    // same `j`. So they read 32 numbers of a *column* of $a$, which lie a whole row apart, each in its own sector: 32
    // sectors of 32 bytes, and of each one number in eight is used. If neighbours in `threadIdx.x` have neighbouring `j`
    // instead, they read a *row* of $b$:
    //
    // ```{excerpt} recto/ladder/products.cuh coalesced
    // ```
    //- it is launched and counted
    say("{}", climb());
}
//-

// {numref}`fig-warp` draws the memory cells that one warp reads in a step of the loop, and the sectors fetched with them.
// Both kernels read `a[i * k + p]` and `b[p * n + j]`. They differ in the `i` and `j` of a lane.
//- how the figure is drawn
struct Cells {  // corners or middles of cells; a NaN lifts the pen
    Numbers x, y;
    void to(double column, double row) {
        x.push_back(Real(column)), y.push_back(Real(-row));
    }
    void grid(int left, int top, int columns, int rows) {
        const auto stroke = [&](int x0, int y0, int x1, int y1) {
            to(x0, y0), to(x1, y1), to(not_a_number, not_a_number);
        };
        for (int i = 0; i <= columns; ++i) stroke(left + i, top, left + i, top + rows);
        for (int i = 0; i <= rows; ++i) stroke(left, top + i, left + columns, top + i);
    }
};

void draw_warp() {
    const int n = 64, left = 11, top = 11;  // of the cells of c
    double drawn[] = {0, 0};                // different sectors, for each kernel
    const auto square = [](figure::Color color, double opacity) {
        return figure::Style{.color = color,
                             .shape = figure::Shape::square,
                             .width = 3,
                             .opacity = opacity};
    };
    const figure::Style thin{.color = figure::grey,
                             .dash = figure::solid,
                             .width = 0.5,
                             .opacity = 0.5,
                             .points = false},
        words{.color = figure::ink, .width = 14},
        small{.color = figure::ink, .width = 12};
    Cells sheet;
    sheet.grid(0, top, 8, 32), sheet.grid(left, 0, 32, 8),
        sheet.grid(left, top, 32, 32);
    Figure figure("fig-warp");
    figure.describe(
        "Memory cells of three matrices, for two kernels: b above c, and a to the "
        "left of c. One warp computes 32 cells of c. In the naive kernel they are a "
        "column; its lanes read a column of a, one cell in each of 32 sectors, so "
        "seven of eight fetched cells of a are unused. With neighbours along rows "
        "they are a row; its lanes read one cell of a and 32 neighbouring cells of b, "
        "all of them used.");
    figure.slider("p", {0, 1, 2, 3, 4, 5, 6, 7}, "step p of the loop", 3);
    for (const bool along_rows : {false, true}) {
        figure.always().panel(along_rows ? "neighbours along rows"
                                         : "one thread for each number");
        figure.xlim(-0.5, left + 32.5).ylim(-top - 32.5, 0.5).bare().tall(285);
        figure.line("", sheet.x, sheet.y, thin);
        figure.words("", {4, left + 34 / 2.0}, {1.2 - top, -9.2}, {"a", "b"}, words);
        if (along_rows)
            figure.words("", {left + 3, left + 28.5}, {-top - 2.2, -top - 2.2},
                         {"lane 0", "lane 31"}, small);
        else
            figure.words("", {left + 4, left + 4.5}, {-top - 1.2, -top - 30.8},
                         {"lane 0", "lane 31"}, small);
        figure.words("", {left + 17}, {-top - 16.5}, {"c"}, words);
        Cells made;
        for (int lane = 0; lane < 32; ++lane)
            made.to(left + 0.5 + (along_rows ? lane : 0),
                    top + 0.5 + (along_rows ? 0 : lane));
        figure.dots("computed", made.x, made.y, square(figure::green, 1));
        for (int p = 0; p < 8; ++p) {
            std::set<int> a, b, read_a, read_b;  // sectors, and cells
            for (int lane = 0; lane < 32; ++lane) {
                const int i = along_rows ? 0 : lane, j = along_rows ? lane : 0;
                read_a.insert(i * n + p), a.insert((i * n + p) / 8);
                read_b.insert(p * n + j), b.insert((p * n + j) / 8);
            }
            Cells read, unused;
            for (const int sector : a)
                for (int cell = 8 * sector; cell < 8 * sector + 8; ++cell)
                    (read_a.contains(cell) ? read : unused)
                        .to(0.5 + cell % n, top + 0.5 + int(cell / n));
            for (const int sector : b)
                for (int cell = 8 * sector; cell < 8 * sector + 8; ++cell)
                    (read_b.contains(cell) ? read : unused)
                        .to(left + 0.5 + cell % n, 0.5 + int(cell / n));
            figure.at(p)
                .dots("fetched, unused", unused.x, unused.y, square(figure::red, 0.4))
                .dots("read", read.x, read.y, square(figure::blue, 1));
            drawn[along_rows] += double(a.size() + b.size());
        }
    }
    figure.save(
        "The memory cells that one warp of 32 threads (its lanes) reads in one step, "
        "for matrices of 64 x 64, of which the part that this warp needs in eight "
        "steps is drawn. Eight neighbouring cells of a row are a sector, which is "
        "fetched whole. In the first panel the lanes read a column of a, in the second "
        "a row of b.");
    const double warps = std::pow(double(size()), 3) / 32;
    const auto counted = [&](std::size_t step) {
        return 8 * double(runs[step].counts.loads.sectors) / warps;
    };
    claim_true("", "the emulator counted as many sectors as the figure draws",
               drawn[0] == counted(0) && drawn[1] == counted(1));
}

//-

// In the naive kernel the cells of $a$ stand below each other: 32 lanes, 32 sectors. In the second kernel all lanes read
// the *same* number of $a$ and 32 neighbours in a row of $b$. Such an access is called **coalesced**. Each sum is added
// in the same order as before, so the result is the same to the last bit.
//- a question of counting
void tiles() {
    const double warps = std::pow(double(size()), 3) / 32;
    ask_number(
        "How many sectors does a warp fetch in one step of the second kernel's "
        "loop, a and b together?",
        double(runs[1].counts.loads.sectors) / warps, 0.01,
        "One for the number of a that all lanes share, four for the 32 "
        "neighbours of b.");

    //-

    // ## Tiling: tiles in shared memory
    //
    // Every warp in a row of the result still fetches the same numbers of $a$ again. Now come the blocks of the last page,
    // called **tiles** here. A block of threads fetches one tile of $a$ and one of $b$ into shared memory, one number of
    // each for every thread. Then all threads read from the tiles, each number 32 times, and go on to the next tiles.
    //
    // ```{excerpt} recto/ladder/products.cuh tiled
    // ```
    //- it is launched and counted
    say("{}", climb());
    //-

    // In one step of the loop the block fetches two tiles of $32 \times 32$ numbers, or 8192 bytes, and does $32^3$
    // multiplications: a quarter of a byte for each. In general tiles of $n \times n$ numbers fetch $8/n$ bytes per
    // multiplication. Where a tile extends beyond the matrix it is filled with zeros, which add nothing to
    // a sum; a thread must not leave early, since the others wait for it at the barrier.
    //
    // The kernel needs both barriers. Remove the second one, and the emulator, which remembers what each thread touched
    // since the last barrier, complains:
    //- a kernel without its second barrier
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

    //-

    // This is a **race**: thread (0, 0) already writes the next tile while thread (1, 0) still reads the last one. On a
    // GPU such a kernel may be right in a thousand runs and wrong in the next.
}

void inside_a_thread() {
    // ## Sums in registers
    //
    // A thread of the last kernel reads two numbers from shared memory for each multiplication. The remedy is blocks once
    // more, now inside a thread. A thread that keeps $8 \times 8$ sums in registers reads 8 numbers of $a$ and 8 of $b$
    // and multiplies each with each: 16 reads for 64 multiplications. The 256 threads of a block make $128 \times 128$
    // numbers.
    //
    // ```{excerpt} recto/ladder/products.cuh registers
    // ```
    //- it is launched and counted
    say("{}", climb());
    //-

    // The columns of a thread lie 16 apart, so that neighbouring lanes read neighbouring words, each from its own bank. If
    // a thread had eight neighbouring columns, neighbouring lanes would read words that are eight apart, and four
    // different words would meet at one bank.
    //
    // ## Four numbers per load
    //
    // While a warp issues a read it does not multiply, but one instruction can read four neighbours, a `float4`. So the
    // sums now lie four by four. A thread needs neighbours in a *column* of $a$, so the tile of $a$ is stored transposed;
    // four unused numbers at the end of its rows keep two lanes from writing to one bank.
    //
    // ```{excerpt} recto/ladder/products.cuh multiply
    // ```
    //
    // `#pragma unroll` asks the compiler to write the loop out, so that the reads of one step can begin during the
    // multiplications of the step before. Global memory is read by fours, too, if a row's length is a multiple of four,
    // because a `float4` must begin at a multiple of 16 bytes; `four` has a slower way for other matrices and for tails.
    //
    // ```{excerpt} recto/ladder/products.cuh fetch
    // ```
    //
    // With these parts the kernel is short: `put` writes a thread's numbers into the tiles, and `write` stores its sums.
    // `__launch_bounds__` promises the compiler blocks of 256 threads, and asks for so few registers that two blocks fit at
    // the same time on one **multiprocessor**, the part of a GPU that runs blocks and holds their registers and shared
    // memory.
    //
    // ```{excerpt} recto/ladder/products.cuh vectorised
    // ```
    //- it is launched and counted
    say("{}", climb());
    //-

    // ## Two buffers
    //
    // One waste is left: all threads of a block fetch, then wait hundreds of cycles, then multiply. The last kernel fetches
    // the next tiles into registers *before* it works on the present ones, so the fetch is under way while the block
    // multiplies; afterwards it puts them into a second pair of tiles.
    //
    // ```{excerpt} recto/ladder/products.cuh buffered
    // ```
    //- it is launched and counted
    say("{}", climb());
    //-

    // The formula for `my` assigns sums to threads. A warp now makes $32 \times 64$ numbers instead of $16 \times 128$,
    // and reads $32 + 64$ different numbers per step of $p$ for them instead of $16 + 128$.
    //- a question about the last step
    const auto same = [](const Outcome& a, const Outcome& b) {
        return bytes(a) == bytes(b);
    };
    ask("The last step fetches as many bytes as the step before. Besides the wait for "
        "memory, what does the second pair of tiles save?",
        {{"Barriers.",
          same(runs[5], runs[4]) && runs[5].counts.barriers < runs[4].counts.barriers,
          "No thread reads the tiles that are being written, so one barrier for each "
          "pair of tiles is enough instead of two."},
         {"Reads of shared memory.",
          runs[5].counts.shared.requests < runs[4].counts.shared.requests,
          "It reads as often, and it fills one more pair of tiles, which is never "
          "used."},
         {"Registers: a thread keeps fewer sums.", products[5].rows < products[4].rows,
          "Both keep 8 x 8."}});
    //-
}

// ## The whole ladder
//
// Are the results right, even for sizes that no tile divides?
//- the errors of all six
void correct() {
    double worst = 0, odd = 0;
    for (const Outcome& r : runs) worst = std::max(worst, r.error);
    for (const Product& step : products)
        for (const auto [m, n, k] : {std::array{1, 1, 1}, {67, 35, 41}, {130, 129, 12}})
            odd = std::max(odd, run(step, m, n, k).error);
    claim("", "largest error of the six products, in units of the bound", worst,
          "<=", 1);
    claim("", "largest error with sizes that no tile divides, down to 1 x 1 x 1", odd,
          "<=", 1);
}

//-

// The counts, side by side:
//- the table of counts
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
                "What the emulator counted. A worst bank conflict of 1 means that no "
                "lanes wait for each other, 0 that shared memory is not used.",
                {"step", "bytes fetched per multiplication", "operations per byte",
                 "shared accesses of a warp per multiplication", "worst bank conflict",
                 "barriers per block"},
                rows);
    claim("", "bytes that the first step fetches, as a multiple of the last",
          bytes(runs.front()) / bytes(runs.back()), ">=", 500);

    //-

    // The first and the last step differ by a factor of 528 in what they fetch. {numref}`fig-roofline` puts them under the
    // roofline of an H200 (67 TFLOP/s and 4.8 TB/s, from its data sheet). Its slope is what memory allows, its flat part
    // what the arithmetic allows {cite:p}`williams2009`.
    //- how the figure is drawn
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
            "The roofline of an H200: rate against operations per byte, both axes "
            "logarithmic. The roof rises up to 14 operations per byte and is flat from "
            "there. The naive kernel stands low on the slope, the one with neighbours "
            "along rows higher, tiles near the top of the slope, and the last three "
            "on the flat part.")
        .line("roof", at, high, {.points = false})
        .dots("a step, without caches", x, y, {.width = 4})
        .words("", {2.4 * x[0], 2.4 * x[1], 2.4 * x[2], x[3]},
               {0.55 * y[0], 0.55 * y[1], 0.55 * y[2], 2 * y[3]},
               {"naive", "rows", "tiles", "registers"}, {.color = figure::red})
        .log_axes()
        .xlim(1. / 32, 200)
        .ylim(0.1, 400)
        .x("operations per byte")
        .y("TFLOP/s")
        .save(
            "Where each step stands if global memory serves every sector that the "
            "emulator counted. Tiles and registers move the kernel from the slope, "
            "where memory limits it, to the flat part. The dots are estimates, not "
            "bounds: caches serve some sectors, so a kernel on the slope may be "
            "faster than its dot.");
    //-

    ask_number(
        "How many operations per byte would the third step do with tiles of 64 x 64 "
        "instead of 32 x 32?",
        2 * 2 / bytes(runs[2]), 0.5,
        "A tile of twice the extent uses each number twice as often.");
}

//- the page in order
void page() {
    first_steps();
    draw_warp();
    tiles();
    inside_a_thread();
    correct();
    compare();
    //-

    // On the flat part the steps differ in the number of instructions per multiplication and in how much waiting they hide,
    // which the columns for shared memory and barriers reflect. Only a clock can tell how much each is worth:
    //
    // ```{ladder} products
    // ```
}

// ## Summary
//
// A fast kernel fetches each number rarely and uses it often: lanes read neighbouring numbers, a block shares tiles,
// a thread keeps a square of sums. From the first step to the fourth the bytes per multiplication fall from 33 to one
// sixteenth. The last two steps save instructions and waiting.
//
// ## What is missing
//
// All this is single precision. Tensor cores multiply small matrices in one instruction, with [fewer
// bits](small_numbers.cpp); a kernel that keeps them busy needs all steps of this ladder and more. [The next
// page](sum_ladder.cpp) climbs a ladder for an operation that uses each number once: a sum.
//
// The emulator judges three exercises: [a tiled product](../exercises/cuda/tiled_product.md),
// [a tile for sums of neighbours](../exercises/cuda/tile.md) and [a transpose](../exercises/cuda/transpose.md).
//
// ```{try}
// - Another size: `--size 512`. Which columns of the table change?
// - In `registers`, let a thread's columns lie side by side: `b_tile[p][8 * column + s]`, in both places where they are
//   used. What does the emulator say about the banks?
// - Remove the four unused numbers from `ATile`. Which line has the conflicts now?
// ```
