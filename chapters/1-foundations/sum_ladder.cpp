// # A ladder of sums
//
// ```{rows} sys-elementwise-reduce-broadcast
// ```
//
// [The last page](product_ladder.cpp) lived from using each number many times. A sum has nothing to use again: each
// number is fetched, added, and done with, four bytes for one operation. On the slope of the last page's roof that
// is far down, where memory delivers a fiftieth of what the arithmetic could take, and no kernel can move it. So
// this ladder is about something else: *not standing in the way* of memory. Threads that wait, banks that are asked
// twice, instructions that move nothing. And it is about a question that a product did not ask: in which *order*
// are the numbers added, and is it the same tomorrow?
//
// A sum over one axis or all of them is in every loss, every mean, every normalisation {cite:p}`fleuret2023`. The
// kernels are CUDA again and run on the emulator.
//- includes and names
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
//-

// One size can be changed:
const book::Option<int> count("count", 1 << 18, "how many numbers are added",
                              {.quick = 1 << 14, .least = 1 << 14, .most = 1 << 24});

// ## Sums of sums
//
// A block adds up its own numbers and leaves one sum. The blocks' sums are then numbers themselves: the same kernel
// is launched on them, and again, until one is left. That a launch begins when the one before has ended is the only
// way in which all blocks wait for each other.
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

// What is counted is what stands in the way: how often warps go to shared memory, how often a block meets at a
// barrier, both for a thousand numbers.
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
        "{}: for 1000 numbers {:.4g} turns of shared memory and {:.3g} barriers; worst "
        "bank conflict {}",
        step.name, shared(now), barriers(now), now.counts.shared.worst_conflict);
}

// How many different results does a kernel have, if the threads and blocks come in eight different orders? On a GPU
// the order is anyone's guess; the emulator takes it from a setting.
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
    // ## One atomic each
    //
    // The first version that comes to mind has one place for the sum, and every thread adds its number there. `sum
    // += x[i]` would lose most of them: two threads read the same old sum, and the later one overwrites what the
    // other wrote. An *atomic* addition cannot be interrupted.
    //
    // ```{excerpt} recto/ladder/reductions.cuh one_atomic_each
    // ```
    say("{}", climb(x));

    // No shared memory, no barrier, and yet all threads of the GPU stand in one line before one number. There is a
    // worse thing: the order in which they stand there.
    const Numbers few(x.begin(), x.begin() + 10'000);
    claim("", "different sums of the same 10,000 numbers, in eight orders",
          different_sums(reductions[0], few), ">=", 2);

    // Each is right up to its last digits, but a program that gives another result in every run is hard to test and
    // harder to believe. That is why there is no atomic addition of floating-point numbers in this library.
    //
    // ## A tree
    //
    // So let the order be fixed before anybody comes. In a *tree*, half of the threads add their neighbour's
    // number, then half of these, and so on: after eight rounds one of 256 threads has the sum. Between two rounds
    // there must be a barrier, for a neighbour's number has to be there before it is read.
    //
    // ```{excerpt} recto/ladder/reductions.cuh tree
    // ```
    say("{}", climb(x));
    const double blocks = double(reductions[1].blocks(count()));
    ask_number("How many barriers does a block pass?",
               double(runs[1].counts.barriers) / blocks, 0,
               "One after the numbers are put down, and one after each of the eight "
               "rounds that 256 threads need.");

    // ## Packed threads
    //
    // In the first round every second thread works, in the second every fourth. But a warp is busy as long as one
    // of its lanes is: up to the fifth round all eight warps of the block take part, most of their lanes idle. Let
    // the *first* threads do the work instead, and whole warps fall silent.
    //
    // ```{excerpt} recto/ladder/reductions.cuh packed_tree
    // ```
    say("{}", climb(x));

    // A third as many instructions, and not one turn saved. Working threads are now side by side, but the numbers
    // that they add are not: in round three they are eight words apart, and 32 lanes meet at four banks, eight at
    // each. Each bank hands them out one after another.
    //
    // ## A tree of halves
    //
    // Nobody says that a tree must pair neighbours. Fold the row in the middle instead: the first half adds the
    // second half to itself. Threads side by side add words side by side.
    //
    // ```{excerpt} recto/ladder/reductions.cuh halves
    // ```
    say("{}", climb(x));
}

// {numref}`fig-banks` shows it, round by round: for each thread of the first two warps the bank that it asks, which
// is the address modulo 32.
void draw_banks() {
    Figure figure("fig-banks");
    figure.describe(
        "The bank of shared memory that each of the first 64 threads reads, for each "
        "round of the tree. Tree of neighbours: every second thread takes part, then "
        "every fourth, in all warps. Packed threads: the first threads take part, side "
        "by side, and from the second round on several of them read one bank. Tree of "
        "halves: the first threads take part, each at a bank of its own.");
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
        "The banks that two warps ask in each round; the line stands between the "
        "warps. "
        "Dots at one height in one warp are lanes that wait for each other.");
}

void beyond_shared_memory(const Numbers& x) {
    const auto& packed = runs[2].counts.shared;
    const auto& folded = runs[3].counts.shared;
    ask("Packed threads and the tree of halves add as many pairs in as many rounds. "
        "What "
        "makes the difference between them?",
        {{"The number of warps that take part.", packed.requests != folded.requests,
          "It is the same: the first threads work in both."},
         {"How often a warp has to ask the banks for the same instruction.",
          packed.requests == folded.requests && packed.passes > folded.passes,
          "As many instructions, but where eight lanes want eight words of one bank, "
          "the "
          "bank is asked eight times."},
         {"The number of barriers.", runs[2].counts.barriers != runs[3].counts.barriers,
          "Both have one a round."}});

    // ## First add, then share
    //
    // Half of the threads are idle from the first round on: they fetched a number, put it down, and that was their
    // life. Let every thread fetch *two* numbers and add them before it puts anything down. Half as many blocks do.
    //
    // ```{excerpt} recto/ladder/reductions.cuh first_add
    // ```
    say("{}", climb(x));

    // ## From register to register
    //
    // The lanes of a warp go in step, so among themselves they need no barrier, and not even memory: a *shuffle*
    // hands a register from lane to lane.
    //
    // ```{excerpt} recto/ladder/reductions.cuh warp_sum
    // ```
    //
    // Five shuffles add up a warp. Each warp puts down one number, the block meets once, and the first warp adds up
    // the eight.
    //
    // ```{excerpt} recto/ladder/reductions.cuh block_sum
    // ```
    //
    // ```{excerpt} recto/ladder/reductions.cuh shuffled
    // ```
    say("{}", climb(x));

    // ## Many numbers a thread
    //
    // What is left are barriers and shuffles, once a block. So let a block have more to add. Each thread adds 32
    // numbers by itself, four in one access, before it speaks to anybody.
    //
    // ```{excerpt} recto/ladder/reductions.cuh many_each
    // ```
    say("{}", climb(x));

    // In each round of the loop, neighbouring threads read neighbouring numbers; had every thread 32 numbers in a
    // row, a warp would touch 32 sectors for each. And the order is fixed: which number is added when follows from
    // its place alone.
    std::size_t most = 0;
    const Numbers few(x.begin(), x.begin() + 10'000);
    for (std::size_t s = 1; s < std::size(reductions); ++s)
        most = std::max(most, different_sums(reductions[s], few));
    claim("", "different sums of those 10,000 numbers that any other step gives", most,
          "<=", 1);
}

void compare(const Numbers& x) {
    // ## The whole ladder
    //
    // Side by side: every step fetches each number once, and none can fetch less. All the rest gets out of the way.
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
                {"step", "bytes fetched a number", "atomics",
                 "turns of shared memory for 1000 numbers", "worst bank conflict",
                 "barriers for 1000 numbers"},
                rows);
    Figure("fig-sums")
        .describe(
            "For each step after the first, how often shared memory and barriers are "
            "needed for a thousand numbers. The tree of neighbours and the packed "
            "threads need as many turns of shared memory; then both counts fall from "
            "step to step, until nothing is left to see.")
        .bars("turns of shared memory", names, turns)
        .bars("barriers", names, meetings)
        .y("for 1000 numbers")
        .save("What stands between memory and the sum.");
    claim("",
          "turns of shared memory of the first tree, as a multiple of the last step",
          shared(runs[1]) / shared(runs.back()), ">=", 50);

    // Are the sums right? We compare with a sum in double precision, and with the one that everybody writes first,
    // a running total in single precision. For numbers of one sign its error grows with how many there are, since a
    // small number is added to an ever larger one. In a tree, no number takes part in more than a few additions,
    // and always with sums of about its own size {cite:p}`higham1993`.
    const double exact = std::accumulate(x.begin(), x.end(), 0.0);
    const auto error = [&](double sum) { return std::abs(sum - exact) / exact; };
    double worst = 0;
    for (const Outcome& r : runs)
        if (&r != &runs.front()) worst = std::max(worst, error(r.sum));
    const double running = error(std::accumulate(x.begin(), x.end(), 0.f));
    say("relative error of the running total: {:.1e}, of the atomic sum: {:.1e}",
        running, error(runs[0].sum));
    claim("", "worst relative error of the trees", worst, "<=", 1e-6);
    claim("", "the same, as a share of the running total's", worst / running, "<", 1);
}

void tails(const Numbers& x) {
    // ## A missing tail
    //
    // All this would be shorter if the number of numbers were always a multiple of the block's. Here is the step
    // with the first addition, by somebody who believed that:
    //
    // ```{excerpt} recto/ladder/mistakes.cuh tailless
    // ```
    //
    // It passes every test whose size is a multiple of 512. With one number more:
    const Reduction tailless{"tailless", ladder::tailless, 2 * ladder::group, false};
    const auto complaint = [&](int n) -> std::string {
        try {
            run(tailless, Numbers(x.begin(), x.begin() + n));
        } catch (const kernels::Mistake& mistake) {
            return mistake.what();
        }
        return "nothing to complain of";
    };
    say("512 numbers: {}", complaint(512));
    say("513 numbers: {}", complaint(513));
    claim_true("", "the emulator finds the missing tail",
               complaint(513).find("tailless") != std::string::npos);

    // Who, where, what, and how long the buffer is. On a GPU nothing may happen at all: behind the buffer lies
    // memory that can be read, and the sum is wrong by whatever is there. The kernels of the ladder pass with any
    // size:
    double worst = 0;  // in units of 4 eps sqrt(n), as on the last page
    for (const Reduction& step : reductions)
        for (const int n : {1, 2, 31, 255, 257, 1000, 8193}) {
            const double exact = std::accumulate(x.begin(), x.begin() + n, 0.0);
            const double sum = run(step, Numbers(x.begin(), x.begin() + n)).sum;
            const double bound = 4 * std::ldexp(1, -24) * std::sqrt(n) * exact;
            worst = std::max(worst, std::abs(sum - exact) / bound);
        }
    claim("", "worst error of all steps for seven odd sizes, in units of the bound",
          worst, "<=", 1);
}

void page() {
    Generator random(book::seed());
    const Numbers x = random.uniform({count()}).values();
    trees(x);
    draw_banks();
    beyond_shared_memory(x);
    compare(x);
    tails(x);

    // How near does each come to what memory can deliver? That is for a clock to say.
    //
    // ```{ladder} sums
    // ```
}

// ## What is missing
//
// The library's own sums, {cpp:func}`~recto::sum` and its kin, are the last step of the ladder without the
// hand-work: one source for the CPU and the GPU, a block of 128 lanes for each row, and an order that depends on
// the shape alone. What neither ladder changes is the size of a number. Half as many bits are twice as many numbers
// from the same memory: [the next page](small_numbers.cpp) counts what that costs.
//
// ```{try}
// - Another size: `--count 100003`. Why do the bytes for each number go up a little in the last step?
// - Take away the barrier inside the loop of `halves`. Whom does the emulator name?
// - In `many_each`, give each thread 32 numbers in a row. What do the bytes for each number become?
// ```
