// # Parallel scans: a recurrence without the wait
//
// ```{rows} claim-rnn-serial-time eq-affine-composition sys-parallel-scan claim-scan-depth-input-dependence
// ```
//
// A recurrent network cannot read the last letter before it has read all others, however many processors you have. Each
// state waits for the state before it. Some recurrences only look that serial. If each step is linear in the state, all
// states can be computed in a few rounds, by a **parallel scan**: 1,000 states in ten rounds. {numref}`fig-scan-rounds`
// shows how. Each dot is a partial result, and each round joins it with one further to the left. Move the slider to
// change the length of the sequence, and count the rounds.
//
// ```{opening} fig-scan-rounds
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/sequences/affine_scan.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure;

const book::Option<Index> length("length", 8, "steps of the sequence that is drawn",
                                 {.least = 2, .most = 32});
const book::Option<Index> longest("longest", 1024,
                                  "steps of the longest timed sequence",
                                  {.quick = 64, .least = 16, .most = 4096});
//-

//- how the figure is drawn
void draw_rounds() {
    const double gap = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> x, y, dots_x, dots_y;
    Index round = 0;
    for (Index reach = 1;; reach *= 2, ++round) {
        for (Index t = 1; t <= length(); ++t) {
            dots_x.push_back(double(t)), dots_y.push_back(double(round));
            if (reach >= length()) continue;
            x.insert(x.end(), {double(t), double(t), gap});
            y.insert(y.end(), {double(round), double(round + 1), gap});
            if (t + reach > length()) continue;
            x.insert(x.end(), {double(t), double(t + reach), gap});
            y.insert(y.end(), {double(round), double(round + 1), gap});
        }
        if (reach >= length()) break;
    }
    Figure("fig-scan-rounds")
        .describe(
            "Rows of dots, one for each time of a sequence, and a row for each round. "
            "Lines lead from each dot to the dot above it and to the dot 1, 2, 4 and "
            "so "
            "on places to the right of that. A slider sets the length of the sequence.")
        .slider(length, "length of the sequence")
        .line("", x, y, {.color = figure::grey, .width = 1.0, .points = false})
        .dots("", dots_x, dots_y, {.color = figure::blue, .width = 4})
        .x("time")
        .y("round")
        .xlim(0, double(length()) + 1)
        .ylim(-0.5, double(round) + 0.5)
        .save(
            "A scan. At the bottom stands one step of the recurrence for each time. A "
            "dot with two lines from below is two partial results joined. In the last "
            "row each dot covers all steps from the first.");
    say("{} steps, {} rounds", length(), round);
}
//-

// ## A chain
//
// How long must you wait for a result if you have as many processors as you like? As long as its longest **chain**
// takes: a sequence of operations each of which needs the result of the one before. The tape holds all operations and
// their inputs, so we can count:
Index chain(const Tensor& y) {
    std::map<std::uint64_t, Index> until;  // the longest chain up to each operation
    Index longest_one = 0;
    for (const Step& step : steps(y)) {
        Index before = 0;
        for (const std::uint64_t input : step.inputs)
            if (input != 0) before = std::max(before, until[input]);
        const bool works = step.name != "leaf" && !step.view;
        until[step.id] = before + works;
        longest_one = std::max(longest_one, until[step.id]);
    }
    return longest_one;
}

// A view copies nothing and does not count. We measure a [recurrent network](recurrent_networks.cpp) and a
// [layer of attention](../components/attention.cpp) on sequences of different lengths:
Tensor recurrent(const Tensor& x, const Tensor& w, const Tensor& u) {
    Tensor h = zeros({1, w.size(0)});
    for (Index t = 0; t < x.size(0); ++t)
        h = tanh(linear(h, w) + linear(slice(x, 0, t, t + 1), u));
    return h;
}
Tensor attend(const Tensor& x, const Tensor& w, const Tensor& u) {
    const Tensor q = linear(x, w), k = linear(x, u);
    return matmul(softmax(matmul(q, transpose(k))), x);
}
//- chains, times, and how the figure is drawn
// h = a h + b, one tensor operation at a time
Tensor by_operations(const Tensor& a, const Tensor& b) {
    std::vector<Tensor> states = {select(b, 0, 0)};
    for (Index t = 1; t < a.size(0); ++t)
        states.push_back(select(a, 0, t) * states.back() + select(b, 0, t));
    return stack(states);
}
// The same on plain numbers, with `width` of them at each time.
void plain_loop(const std::vector<Real>& a, const std::vector<Real>& b,
                std::vector<Real>& h, std::size_t width) {
    std::copy_n(b.begin(), width, h.begin());
    for (std::size_t i = width; i < h.size(); ++i) h[i] = a[i] * h[i - width] + b[i];
}

void serial() {
    Generator random(book::seed());
    const Index width = 16;
    const Tensor w = (0.2 * random.normal({width, width})).detach().requires_grad_(),
                 u = (0.2 * random.normal({width, width})).detach().requires_grad_();
    std::vector<double> lengths, by_state, by_attention, state_time, attention_time,
        operations_time, plain_time, scan_time;
    double off = 0, other = 0, apart = 0;
    for (Index t = 1; t <= longest(); t *= t < 16 ? 2 : 4) {
        const Tensor x = random.normal({t, width}).requires_grad_();
        by_state.push_back(double(chain(recurrent(x, w, u))));
        off = std::max(off, std::abs(by_state.back() - double(t) * by_state[0]));
        by_attention.push_back(double(chain(attend(x, w, u))));
        other = std::max(other, std::abs(by_attention.back() - by_attention[0]));
        lengths.push_back(double(t));
        const NoGrad only_forward;
        const Tensor a = random.uniform({t, width}, 0, 1),
                     b = random.normal({t, width});
        const auto time = [](const auto& work) {
            return 1000 * book::median_seconds(work, 3);
        };
        state_time.push_back(time([&] { recurrent(x, w, u); }));
        attention_time.push_back(time([&] { attend(x, w, u); }));
        operations_time.push_back(time([&] { by_operations(a, b); }));
        const std::vector<Real> numbers_a = a.values(), numbers_b = b.values(),
                                scanned = affine_scan(a, b).values();
        std::vector<Real> h(numbers_b.size());
        const auto width_of_h = static_cast<std::size_t>(width);
        plain_time.push_back(
            time([&] { plain_loop(numbers_a, numbers_b, h, width_of_h); }));
        for (std::size_t i = 0; i < h.size(); ++i)
            apart = std::max(apart, double(std::abs(h[i] - scanned[i])));
        scan_time.push_back(time([&] { affine_scan(a, b); }));
    }
    Figure("fig-serial")
        .describe(
            "Two panels with logarithmic axes against the length of the sequence. "
            "Left, the longest chain: a rising straight line for the recurrent "
            "network, a level line for attention. Right, the time: the recurrent "
            "network and the affine recurrence with one tensor operation at a time "
            "rise with the length; attention rises faster and ends above all others. "
            "The plain loop and the scan lie far below.")
        .panel("longest chain")
        .line("recurrent network", lengths, by_state)
        .line("attention", lengths, by_attention)
        .log_axes()
        .x("length")
        .y("operations")
        .panel("time on this machine")
        .line("recurrent network", lengths, state_time)
        .line("attention", lengths, attention_time)
        .line("affine, by operations", lengths, operations_time)
        .line("affine, plain loop", lengths, plain_time)
        .line("affine, scan", lengths, scan_time)
        .log_axes()
        .x("length")
        .y("milliseconds")
        .save(
            "Left: the longest chain of dependent operations, counted on the tape. "
            "Right: milliseconds of a forward pass with 16 numbers at each time. The "
            "affine recurrence of the next sections runs three ways: one tensor "
            "operation at a time, as a plain loop, and by the library's scan, which is "
            "itself a loop below 512 steps.");
    book::shows("claim-rnn-serial-time/a", "fig-serial");
    book::shows("sys-parallel-scan/a", "fig-serial");
    say("longest chain at length 1: recurrent network {}, attention {}", by_state[0],
        by_attention[0]);
    claim("claim-rnn-serial-time/b",
          "the chain of the recurrent network against the length times that of one "
          "step, largest difference",
          off, "==", 0);
    claim("claim-rnn-serial-time/c",
          "the chain of attention against that at length 1, largest difference", other,
          "==", 0);
    claim("", "the plain loop against the library's scan, largest difference", apart,
          "<=", 1e-12);
    book::timing("length {}: attention {:.1f} ms, recurrent network {:.1f} ms",
                 lengths.back(), attention_time.back(), state_time.back());
    book::timing(
        "affine recurrence of length {}: one tensor operation at a time {:.2f} ms, "
        "plain loop {:.3f} ms, scan {:.3f} ms",
        lengths.back(), operations_time.back(), plain_time.back(), scan_time.back());
}
//-

// The chain of the recurrent network is three operations for each letter. That of attention is four operations at any
// length, since no place waits for another. This was a reason to replace recurrent networks by
// [Transformers](../components/multi_head.cpp) {cite:p}`vaswani2017`. The *work* is another matter. On $T$ places
// attention makes $T^2$ products of a query and a key, and the recurrent network makes $T$ steps. On long sequences
// attention therefore takes *more* time in {numref}`fig-serial`: two processors cannot make $T^2$ products side by
// side.
//
// ## Two steps are one step
//
// Now a simpler recurrence: $h_t = a_t h_{t-1} + b_t$, with numbers $a_t$ and $b_t$ that come from the input. Take a
// first step $h \to 2 h + 1$ and a second step $h \to 3 h + 4$. Both together are $3 (2h + 1) + 4 = 6 h + 7$, which is
// again one step of this form. In general
//
// ```{equation} eq-affine-composition
// :function: after
// (a_2, b_2) \circ (a_1, b_1) = (a_2 a_1,\; a_2 b_1 + b_2)
// ```
//
// The composition needs no state, so you can compose steps 3 and 4 before you know the state after step 2. And it is
// **associative**: for three steps it does not matter which pair you join first. The same holds if $h$ and $b$ are
// vectors and $a$ is a matrix. The code treats numbers as $1 \times 1$ matrices:
struct Affine {
    Tensor a, b;  // (..., n, n) and (..., n, 1)
};
Affine after(const Affine& second, const Affine& first) {
    return {matmul(second.a, first.a), matmul(second.a, first.b) + second.b};
}
//- what is checked
double relative(const Tensor& x, const Tensor& y) {
    return double(max(abs(x - y) / abs(x)).item());
}

void compose() {
    Generator random(book::seed());
    double of_numbers = 0, of_matrices = 0;
    bool identity = true;
    for (const Index n : {1, 3}) {
        const auto draw = [&] {
            const Tensor a = random.normal({10'000, n, n});
            return Affine{a, random.normal({10'000, n, 1})};
        };
        const Affine one = draw(), two = draw(), three = draw();
        const Affine left = after(after(three, two), one),
                     right = after(three, after(two, one));
        double& worst = n == 1 ? of_numbers : of_matrices;
        worst = std::max(relative(left.a, right.a), relative(left.b, right.b));
        std::vector<Real> diagonal(static_cast<std::size_t>(n * n));
        for (Index i = 0; i < n; ++i) diagonal[std::size_t(i * n + i)] = 1;
        const Affine still = {expand(Tensor({n, n}, diagonal), {10'000, n, n}),
                              zeros({10'000, n, 1})};
        for (const Affine& same : {after(one, still), after(still, one)}) {
            const double gap = std::max(double(max(abs(same.a - one.a)).item()),
                                        double(max(abs(same.b - one.b)).item()));
            if (n == 1)
                identity &= gap == 0;
            else
                of_matrices = std::max(of_matrices, gap);
        }
        const Tensor h = random.normal({10'000, n, 1});
        const auto apply = [](const Affine& step, const Tensor& to) {
            return matmul(step.a, to) + step.b;
        };
        claim("",
              fmt::format("a composition of {} against one step after the other, "
                          "largest difference",
                          n == 1 ? "numbers" : "3 × 3 matrices"),
              double(max(abs(apply(left, h) - apply(three, apply(two, apply(one, h)))))
                         .item()),
              "<=", 1e-10);
    }
    claim("eq-affine-composition/a",
          "10,000 triples of numbers, joined from the left and from the right: largest "
          "relative difference",
          of_numbers, "<=", 1e-6);
    claim_true("eq-affine-composition/b",
               "composition with (1, 0), on either side, changes nothing", identity);
    claim("eq-affine-composition/c",
          "the same with 3 × 3 matrices and their identity: largest difference",
          of_matrices, "<=", 1e-6);
}
//-

// ## The scan
//
// The state at time $t$ is the composition of all steps up to $t$, applied to the first state. So we need all the
// compositions of the first 1, 2, 3, … steps. In the first round, join each step with its left neighbour: every place
// now covers two steps. In the second round, join each place with the one *two* to the left: every place covers four
// steps. Then four, then eight. Each round doubles what is covered, so $\lceil \log_2 T \rceil$ rounds suffice
// {cite:p}`hillis1986`. For $T = 8$ these are the three rounds of {numref}`fig-scan-rounds`.
//
// A round is a few operations on the whole sequence. Row 0 of `s` holds the numbers $a_t$ and row 1 the numbers $b_t$:
Tensor round_of(const Tensor& s, Index reach) {
    const Index time = s.size(1);
    const Tensor second = slice(s, 1, reach, time),
                 first = slice(s, 1, 0, time - reach);
    const Tensor a = slice(second, 0, 0, 1);
    const Tensor joined =
        a * first + concat({zeros(a.shape()), slice(second, 0, 1, 2)});
    return concat({slice(s, 1, 0, reach), joined}, 1);
}
Tensor scan(Tensor s) {
    for (Index reach = 1; reach < s.size(1); reach *= 2) s = round_of(s, reach);
    return select(s, 0, 1);  // from a first state of 0
}

// Each round has the same chain: a product, a sum and a `concat`. So the tape counts the rounds, too. Place your bet:
//- the question, and what is checked
Tensor in_turn(const Tensor& s) {  // the loop
    const Index time = s.size(1);
    Tensor both = slice(s, 1, 0, 1);  // the state, below a number that does not matter
    std::vector<Tensor> states = {both};
    for (Index t = 1; t < time; ++t) {
        const Tensor step = slice(s, 1, t, t + 1);
        both = slice(step, 0, 0, 1) * both + step;
        states.push_back(both);
    }
    return select(concat(states, 1), 0, 1);
}
Tensor random_steps(Index time, Generator& random) {
    const Tensor a = random.uniform({1, time}, -1, 1);
    return concat({a, random.normal({1, time})}).detach().requires_grad_();
}
Index rounds_for(Index time) {
    Index rounds = 0;
    while ((Index(1) << rounds) < time) ++rounds;
    return rounds;
}

void scans() {
    Generator random(book::seed());
    const Index of_a_round = chain(round_of(random_steps(2, random), 1)),
                rounds = chain(scan(random_steps(1000, random))) / of_a_round;
    ask("A sequence has 1,000 steps h → a h + b, all with different numbers a and b. "
        "Workers are free. How many rounds do you need for all 1,000 states?",
        {{"999: each state needs the one before.", rounds == 999,
          "The state does. But the compositions of steps do not need any state, and "
          "they can be computed side by side."},
         {"500: the steps can be joined in pairs.", rounds == 500,
          "The pairs can be joined in pairs again, and so on."},
         {"10: each round doubles what is joined.", rounds == 10,
          "After ten rounds every place covers up to 1,024 steps."},
         {"1: every state is one formula.", rounds == 1,
          "The formula of the last state has 1,000 terms with products of up to 999 "
          "factors. A single round joins two things."}});
    double worst = 0;
    Index off = 0;
    for (const Index time : {2, 3, 8, 9, 100, 1000, 1024}) {
        const Tensor s = random_steps(time, random), fast = scan(s);
        off += std::abs(chain(fast) - of_a_round * rounds_for(time));
        worst = std::max(worst, double(max(abs(fast - in_turn(s))).item()));
    }
    say("a round: {} operations one after another; 1,000 steps: {} rounds; 1,024 "
        "steps: {} rounds",
        of_a_round, rounds, chain(scan(random_steps(1024, random))) / of_a_round);
    claim("sys-parallel-scan/c",
          "the longest chain on the tape against that of ⌈log₂ T⌉ rounds, for seven "
          "lengths from 2 to 1,024, total difference",
          off, "==", 0);
    claim("", "the scan against the loop, largest difference", worst, "<=", 1e-12);
}
//-

// This scan makes about $T \log_2 T$ compositions in place of $T$. A scan with two sweeps over a tree needs twice as
// many rounds and only about $2T$ compositions {cite:p}`blelloch1990`. With two processors either does more work than
// it saves. The library's {cpp:func}`~recto::affine_scan` cuts a long sequence into blocks, composes each block on its
// own, joins the blocks, and runs through each block once more. The gradient is a scan, too, from the end to the start.
// Tests compare it with the loop on every device. In {numref}`fig-serial` the scan is far faster than a loop of tensor
// operations, because one call has no overhead for each step. The plain loop has no such overhead either. It is the
// fair rival: the scan goes through its blocks twice, so with two processors it gains nothing over a plain loop.
//
// ## If the steps are all alike
//
// Let $a$ be the same at all times. Then the state is
// $h_t = b_t + a\, b_{t-1} + a^2 b_{t-2} + \cdots$. For $a = \frac12$ and the inputs 4, 0, 0 the states are 4, 2, 1, as
// on the [first page](recurrent_networks.cpp) about recurrence. The numbers $1, a, a^2, \dots$ are the **impulse
// response**: the states after a single input of 1. They do not depend on the input, so they are known before it comes.
// All states are then one [convolution](../components/convolution.cpp) of the input with the impulse response:
Tensor convolved(double a, const Tensor& b) {
    const Index time = b.numel();
    std::vector<Real> response;  // conv1d() reads its kernel from the oldest input on
    for (Index k = time; k-- > 0;) response.push_back(Real(std::pow(a, double(k))));
    const Tensor kernel({1, 1, time}, response);
    const Tensor all =
        conv1d(reshape(b, {1, 1, time}), kernel, {}, {.padding = time - 1});
    return reshape(slice(all, 2, 0, time), {time});
}
//- what is checked
void alike() {
    Generator random(book::seed());
    const Index time = 512;
    const double a = 0.95;
    const Tensor b = random.normal({1, time}),
                 s = concat({full({1, time}, Real(a)), b}).detach().requires_grad_();
    const Tensor input = select(b, 0, 0).detach().requires_grad_();
    const Tensor by_kernel = convolved(a, input), by_rounds = scan(s),
                 by_steps = in_turn(s);
    const Tensor by_library =
        affine_scan(full({time, 1}, Real(a)), reshape(b, {time, 1}));
    const double size = double(max(abs(by_steps)).item());
    double worst = 0;
    for (const Tensor& states : {by_kernel, by_rounds, reshape(by_library, {time})})
        worst = std::max(worst, double(max(abs(states - by_steps)).item()) / size);
    claim("claim-scan-depth-input-dependence/a",
          "the convolution and two scans against the loop, largest difference relative "
          "to the largest state",
          worst, "<=", 1e-4);
    say("longest chain for {} steps: convolution {}, scan {}, loop {}", time,
        chain(by_kernel), chain(by_rounds), chain(by_steps));
    claim_true("claim-scan-depth-input-dependence/b",
               "the chain is 1 for the convolution, and 9 = log₂ 512 rounds for the "
               "scan",
               chain(by_kernel) == 1 && chain(by_rounds) == 9 * chain(round_of(s, 1)));
}
//-

// The convolution is a single operation, at any length. If the $a_t$ depend on the input, there is no fixed impulse
// response, and the scan with its $\log_2 T$ rounds is what remains. This is a choice for the designer of a network.
// Steps that are all alike have the shortest chain. Steps that depend on the input can decide what to keep, as
// [gates](gates.cpp) do.
//
// ## Limits
//
// A chain counts operations, and an operation on a long sequence is itself a chain: the sum of $T$ numbers takes
// $\log_2 T$ rounds of additions. So "constant" means: constant if a sum counts as one operation. This holds for
// attention as well as for the convolution. The library's scan has three passes in place of $\lceil \log_2 T \rceil$
// rounds. And a scan needs steps that compose. The step of a tanh network, $\tanh(w h + x)$, is no longer of the same
// form after two steps: a tanh of a tanh. No short form is known for 1,000 of them. Gated networks can be scanned only
// if their gates read the input and not the state.

void page() {
    draw_rounds();
    serial();
    compose();
    scans();
    alike();
}

// ## Summary
//
// The longest chain of a recurrent network grows in proportion to the length of the sequence, and that of attention
// does not grow. Affine steps compose to affine steps, and composition is associative. So a scan computes all states in
// $\lceil \log_2 T \rceil$ rounds, and if the steps are all alike, one convolution does.
//
// ## What is missing
//
// A layer that can be scanned gives up the tanh between time steps. A network of such layers needs its nonlinear
// functions between the layers instead. [The next page](qrnn.cpp) builds the first such layer: an LSTM whose gates do not
// read the state.
//
// ```{try}
// - A longer drawing: `--length 32`. How many lines does the last round have?
// - Longer sequences: `--longest 4096`. Does the scan stay ahead of the plain loop?
// ```
