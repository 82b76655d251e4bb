// # Parallel sum: a ladder of CUDA reductions
//
// ```{rows} sys-elementwise-reduce-broadcast
// ```
//
// A **reduction** turns many numbers into one: a sum, a mean, a maximum. Sums are in every loss and every
// normalisation {cite:p}`fleuret2023`. [The last page](product_ladder.cpp) gained by using each number many times. A
// sum uses each number once: it fetches four bytes for one addition, so memory limits it to 2 % of the arithmetic
// that a GPU could do. So a fast **reduction in CUDA** does as little as possible besides fetching. In seven steps,
// after a classic by Mark Harris {cite:p}`harris2007`, this page builds a **parallel sum**, in which thousands of
// threads add at once. After the first tree, each step saves barriers, accesses to shared memory, or waiting. And it
// asks in which *order* the numbers are added, and whether the result is the same tomorrow.
//
// All three trees below add the same numbers. Which threads have to wait for each other? Move the slider:
//
// ```{opening} fig-banks
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ladder/mistakes.cuh>
#include <recto/ladder/reductions.cuh>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace recto;
using book::ask, book::ask_number, book::claim, book::claim_true, book::say;
using figure::Figure;
using kernels::Buffer, kernels::Counts, kernels::launch;
using ladder::Reduction, ladder::reductions;
using Numbers = std::vector<Real>;

const book::Option<int> count("count", 1 << 18, "number of numbers that are added",
                              {.quick = 1 << 14, .least = 1 << 14, .most = 1 << 24});
//-

// ## Sums of sums
//
// A block of 256 threads adds up its own numbers and leaves one sum. The sums of all blocks are numbers themselves, so
// the same kernel is launched on them, and again, until one number is left. The end of a launch is the simplest point
// at which all blocks have finished. A million numbers take three launches, with 3907, 16 and 1 blocks:
//- launches until one number is left
struct Outcome {
    float sum;
    Counts counts;  // of the first launch, which does nearly all the work
};

Outcome run(const Reduction& step, const Numbers& x) {
    Outcome found{};
    Buffer<float> from(x, "x");
    for (int left = int(x.size()), round = 0; left > 1 || round == 0; ++round) {
        const int blocks = step.blocks(left);
        Buffer<float> to(step.atomic ? 1 : blocks, "sums");
        if (step.atomic) to.set({0});
        const Counts counts =
            launch({blocks, ladder::group}, step.kernel, left, from, to);
        if (round == 0) found.counts = counts;
        left = int(to.size());
        from = std::move(to);
    }
    found.sum = from.values()[0];
    return found;
}

//-

// The emulator counts the work besides fetching: how often warps go to shared memory (a **turn** is one pass over the
// banks; a bank conflict of eight needs eight turns), and how often blocks meet at a barrier, both per thousand
// numbers.
//- how they are counted
std::vector<Outcome> runs;

double shared(const Outcome& run) {
    return 1000. * double(run.counts.shared.passes) / count();
}
double barriers(const Outcome& run) {
    return 1000. * double(run.counts.barriers) / count();
}

std::string climb(const Numbers& x) {
    const Reduction& step = reductions[runs.size()];
    runs.push_back(run(step, x));
    const Outcome& now = runs.back();
    return fmt::format(
        "{}: per 1000 numbers {:.4g} turns of shared memory and {:.3g} barriers; worst "
        "bank conflict {}",
        step.name, shared(now), barriers(now), now.counts.shared.worst_conflict);
}

// On a GPU the order in which blocks and warps run is not fixed. The emulator takes the order from a setting, so we can
// count how many different results a kernel has in eight orders.
std::size_t different_sums(const Reduction& step, const Numbers& x) {
    std::set<float> sums;
    for (unsigned order = 0; order < 8; ++order) {
        kernels::settings().order = order;
        sums.insert(run(step, x).sum);
    }
    kernels::settings().order = 0;
    return sums.size();
}

void trees(const Numbers& x) {
    //-
    // ## One atomic addition each
    //
    // The first version that comes to mind has one place for the sum, and every thread adds its number there. `sum +=
    // x[i]` would lose most of them: two threads read the same old sum, and the later one overwrites what the
    // earlier one wrote. An **atomic** addition cannot be interrupted.
    //
    // ```{excerpt} recto/ladder/reductions.cuh one_atomic_each
    // ```
    //- it is launched and counted
    say("{}", climb(x));
    //-

    // No shared memory, no barrier, but all threads of the GPU queue for one number. And there is a worse problem, the
    // order in which they queue. Rounding makes floating-point addition depend on the order. With three decimal digits
    // $(100 + 0.4) + 0.4 = 100$, because $100.4$ rounds to $100$ twice, but $100 + (0.4 + 0.4) = 101$.
    //- the same numbers in eight orders
    const Numbers few(x.begin(), x.begin() + 10'000);
    claim("", "number of different sums of the same 10,000 numbers, in eight orders",
          different_sums(reductions[0], few), ">=", 2);

    //-

    // Each sum is right up to its last digits. But a program whose result changes from run to run is hard to test: you
    // cannot tell a mistake from rounding. This library therefore never adds floating-point numbers atomically.
    //
    // ## A tree
    //
    // A **tree** fixes the order in advance. Half of the threads add their neighbour's number to their own, then half of
    // these, and so on. Eight numbers take three rounds; the 256 numbers of a block take eight. Between two rounds there
    // must be a barrier, because a neighbour's sum has to be there before it is read.
    //
    // ```{excerpt} recto/ladder/reductions.cuh tree
    // ```
    //- it is launched and counted
    say("{}", climb(x));
    //-
    //- a question of counting
    const double blocks = double(reductions[1].blocks(count()));
    ask_number("How many barriers does a block of 256 threads pass in the tree?",
               double(runs[1].counts.barriers) / blocks, 0,
               "One after the numbers have been written to shared memory, and one "
               "after each of the eight rounds.");
    //-

    // ## Packed threads
    //
    // In the first round every second thread works, in the second every fourth. But a warp is busy if one of its
    // lanes is. All eight warps of the block take part in the first five rounds, with at least half of their lanes
    // idle. If the *first* threads do the work instead, whole warps have nothing to do.
    //
    // ```{excerpt} recto/ladder/reductions.cuh packed_tree
    // ```
    //- it is launched and counted
    say("{}", climb(x));
    //-

    // Fewer warps take part, but the number of turns is exactly the same. The working threads are neighbours now, but the
    // numbers that they add are not. In round three these are eight words apart, so 32 lanes meet at four banks, eight at
    // each. Each bank serves its eight lanes one after another.
    //
    // ## A tree of halves
    //
    // A tree need not pair neighbours. Fold the row in the middle: the first half adds the second half to itself.
    // Neighbouring threads then add neighbouring words.
    //
    // ```{excerpt} recto/ladder/reductions.cuh halves
    // ```
    //- it is launched and counted
    say("{}", climb(x));
    const auto& packed = runs[2].counts.shared;
    const auto& folded = runs[3].counts.shared;
    ask("Packed threads and the tree of halves add the same number of pairs in the "
        "same number of rounds. Why does the tree of halves need fewer turns?",
        {{"Fewer warps take part.", packed.requests != folded.requests,
          "It is the same: the first threads work in both."},
         {"A warp needs fewer turns for the same instruction.",
          packed.requests == folded.requests && packed.passes > folded.passes,
          "The number of instructions is the same, but where eight lanes want eight "
          "words of one bank, the instruction takes eight turns."},
         {"It has fewer barriers.", runs[2].counts.barriers != runs[3].counts.barriers,
          "Both have one per round."}});
    //-
}

// We draw, round by round, which bank each thread of the first two warps reads: the address modulo 32.
//- how the figure is drawn
void draw_banks() {
    Figure figure("fig-banks");
    figure.describe(
        "The bank of shared memory that each of the first 64 threads reads, for each "
        "round of the tree. Tree of neighbours: every second thread takes part, then "
        "every fourth, in all warps. Packed threads: the first threads take part, side "
        "by side, and two of them read one bank in the first round, up to eight later. "
        "Tree of halves: the first threads take part, each at a bank of its own.");
    figure.slider("round", {1, 2, 3, 4, 5, 6, 7, 8}, "round of the tree", 3);
    const figure::Style look{.color = figure::blue, .shape = figure::Shape::circle};
    const char* names[] = {"a tree of neighbours", "packed threads",
                           "a tree of halves"};
    for (int kernel = 0; kernel < 3; ++kernel) {
        figure.always().panel(names[kernel]).xlim(-2, 65).ylim(-1, 32);
        figure.x("thread").y("bank").rule_x(31.5, "");
        for (int round = 1; round <= 8; ++round) {
            std::vector<double> threads, banks;
            const int apart = kernel < 2 ? 1 << (round - 1) : ladder::group >> round;
            for (int t = 0; t < 64; ++t) {
                const int at = kernel == 1 ? 2 * apart * t : t;
                const bool works = kernel == 0   ? t % (2 * apart) == 0
                                   : kernel == 1 ? at < ladder::group
                                                 : t < apart;
                if (works) threads.push_back(t), banks.push_back(at % 32);
            }
            figure.at(round).dots("", threads, banks, look);
        }
    }
    figure.columns(3).save(
        "The banks that two warps read in each round; the line separates the warps. "
        "Dots at one height within one warp are lanes that wait for each other.");
}
//-

//- the steps that leave shared memory
void beyond_shared_memory(const Numbers& x) {
    //-

    // ## First add, then share
    //
    // In a tree half of the threads are idle from the first round on. Let every thread fetch *two* numbers and add
    // them before it writes anything to shared memory. Half as many blocks are enough.
    //
    // ```{excerpt} recto/ladder/reductions.cuh first_add
    // ```
    //- it is launched and counted
    say("{}", climb(x));
    //-

    // ## Warp shuffle: from register to register
    //
    // The lanes of a warp need no shared memory to exchange numbers: a **warp shuffle** hands a register from lane to
    // lane, and synchronises the lanes that take part. Five shuffles add up the 32 numbers of a warp.
    //
    // ```{excerpt} recto/ladder/reductions.cuh warp_sum
    // ```
    //
    // Then each warp writes one number, the block meets once, and the first warp adds up the eight.
    //
    // ```{excerpt} recto/ladder/reductions.cuh block_sum
    // ```
    //
    // ```{excerpt} recto/ladder/reductions.cuh shuffled
    // ```
    //- it is launched and counted
    say("{}", climb(x));
    //-

    // ## Many numbers per thread
    //
    // What is left are the barriers and shuffles of each block. They weigh less if a block has more to add. Each thread
    // adds 32 numbers by itself, four in one access, before it exchanges anything.
    //
    // ```{excerpt} recto/ladder/reductions.cuh many_each
    // ```
    //- it is launched and counted
    say("{}", climb(x));
    //-

    // In each step of the loop, neighbouring threads read neighbouring numbers. If a thread read 32 numbers in a row, a
    // warp would touch 32 sectors for each access. The order is fixed, because the place of a number alone decides when it
    // is added:
    //- all other steps in eight orders
    std::size_t most = 0;
    const Numbers few(x.begin(), x.begin() + 10'000);
    for (std::size_t s = 1; s < std::size(reductions); ++s)
        most = std::max(most, different_sums(reductions[s], few));
    claim("", "largest number of different sums of those numbers, over all other steps",
          most, "<=", 1);
}

void compare(const Numbers& x) {
    //-
    // ## The whole ladder
    //
    // Every step fetches each number once, and none can fetch less. From the first tree on, the turns and the
    // barriers never rise from one step to the next, and in the end hardly any are left.
    //- the table and the figure
    std::vector<std::vector<book::Cell>> rows;
    std::vector<std::string> names;
    std::vector<double> turns, meetings;
    for (std::size_t s = 0; s < runs.size(); ++s) {
        const Counts& c = runs[s].counts;
        rows.push_back({reductions[s].name, 32. * double(c.loads.sectors) / count(),
                        double(c.atomics), shared(runs[s]), c.shared.worst_conflict,
                        barriers(runs[s])});
        if (s == 0) continue;
        names.push_back(reductions[s].name);
        turns.push_back(shared(runs[s]));
        meetings.push_back(barriers(runs[s]));
    }
    book::table("tab-sums", "What the emulator counted in the first launch.",
                {"step", "bytes fetched per number", "atomics",
                 "turns of shared memory per 1000 numbers", "worst bank conflict",
                 "barriers per 1000 numbers"},
                rows);
    Figure("fig-sums")
        .describe(
            "Bars for each step after the first: turns of shared memory and barriers "
            "per thousand numbers. The tree of neighbours and the packed threads need "
            "the same number of turns; then both counts fall, until no bar is visible "
            "for the last step.")
        .bars("turns of shared memory", names, turns)
        .bars("barriers", names, meetings)
        .y("per 1000 numbers")
        .save(
            "The work between memory and the sum. Packing the threads saves no turn; "
            "the tree of halves, adding before sharing, shuffles and longer sums per "
            "thread save nearly all of it.");
    claim("",
          "turns of shared memory of the first tree, as a multiple of the last step's",
          shared(runs[1]) / shared(runs.back()), ">=", 50);

    //-

    // Are the sums right? We compare them with a sum in double precision, and with the usual loop, a running total in
    // single precision. For numbers of one sign the bound on its relative error grows in proportion to the number $n$ of
    // numbers, since each is added to an ever larger total and loses its last digits. In a tree each
    // number takes part in about $\log_2 n$ additions, with sums of about its own size {cite:p}`higham1993`.
    //- the errors
    const double exact = std::accumulate(x.begin(), x.end(), 0.0);
    const auto error = [&](double sum) { return std::abs(sum - exact) / exact; };
    double worst = 0;
    for (const Outcome& r : runs)
        if (&r != &runs.front()) worst = std::max(worst, error(r.sum));
    const double running = error(std::accumulate(x.begin(), x.end(), 0.f));
    say("relative error of the running total: {:.1e}, of the atomic sum: {:.1e}",
        running, error(runs[0].sum));
    claim("", "largest relative error of all steps but the atomic one", worst,
          "<=", 1e-6);
    claim("", "this error as a share of the running total's", worst / running, "<", 1);
}

void tails(const Numbers& x) {
    //-
    // ## A missing tail
    //
    // All this would be shorter if the number of numbers were always a multiple of a block's. This version of the fifth
    // step assumes so:
    //
    // ```{excerpt} recto/ladder/mistakes.cuh tailless
    // ```
    //
    // It passes every test whose size is a multiple of 512. We give it one number more:
    //- what the emulator says
    const Reduction tailless{"tailless", ladder::tailless, 2 * ladder::group, false};
    const auto complaint = [&](int n) -> std::string {
        try {
            run(tailless, Numbers(x.begin(), x.begin() + n));
        } catch (const kernels::Mistake& mistake) {
            return mistake.what();
        }
        return "no mistake found";
    };
    say("512 numbers: {}", complaint(512));
    say("513 numbers: {}", complaint(513));
    claim_true("", "the emulator finds the missing tail",
               complaint(513).find("tailless") != std::string::npos);

    //-

    // The message names the kernel, the thread, the line, what it read, and how long the buffer is. On a GPU nothing may
    // happen at all: behind the buffer lies memory that can be read, and the sum is wrong by whatever is there. The kernels
    // of the ladder work for any size:
    //- seven odd sizes
    double worst = 0;  // in units of 4 eps sqrt(n), as on the last page
    for (const Reduction& step : reductions)
        for (const int n : {1, 2, 31, 255, 257, 1000, 8193}) {
            const double exact = std::accumulate(x.begin(), x.begin() + n, 0.0);
            const double sum = run(step, Numbers(x.begin(), x.begin() + n)).sum;
            const double bound = 4 * std::ldexp(1, -24) * std::sqrt(n) * exact;
            worst = std::max(worst, std::abs(sum - exact) / bound);
        }
    claim("", "largest error of all steps for seven odd sizes, in units of the bound",
          worst, "<=", 1);
}

//-

//- the page in order
void page() {
    Generator random(book::seed());
    const Numbers x = random.uniform({count()}).values();
    trees(x);
    draw_banks();
    beyond_shared_memory(x);
    compare(x);
    tails(x);

    //-

    // How close does each step come to the bandwidth of a GPU's memory? Only a clock can tell:
    //
    // ```{ladder} sums
    // ```
    //
    // The atomic sum is slowest by far, because all threads queue for one number. Packed threads are slower here than the
    // tree of neighbours. A likely cause is that they take as many turns of shared memory, in fewer warps, so each of
    // these warps waits longer. The last step reads about as fast as a GPU copies: memory limits it.
}

// ## Summary
//
// A sum is limited by memory, so a good reduction does as little as possible besides fetching: many numbers per thread,
// shuffles within a warp, one barrier per block. Neighbouring lanes should read neighbouring words, in shared memory to
// avoid bank conflicts, in global memory to share sectors. A tree adds in a fixed order, gives the same bits in every run,
// and is more accurate than a running total.
//
// ## What is missing
//
// The library's own sums, {cpp:func}`~recto::sum` and its relatives, follow the last step of the ladder in a simpler
// form: one source for the CPU and the GPU, 128 lanes for each row, and an order that depends on the shape alone.
// Neither ladder changes the size of a number. With half as many bits the same memory delivers twice as many numbers:
// [the next page](small_numbers.cpp) counts what that costs.
//
// Three exercises belong here: [a reduction](../exercises/cuda/reduction.md), [a scan](../exercises/cuda/scan.md), and
// [the tail of an array](../exercises/cuda/tail.md).
//
// ```{try}
// - Another size: `--count 100003`. Why do the bytes per number rise a little in the last step?
// - Remove the barrier inside the loop of `halves`. Which threads does the emulator name?
// - In `many_each`, give each thread 32 numbers in a row. How many bytes per number does it fetch now?
// ```
