// # Efficient attention: a window, a low rank or a kernel
//
// ```{rows} sys-efficient-attention-variants
// ```
//
// Attention compares every position with every other. A book of 100,000 words has ten billion pairs, in every head of
// every layer. Most of their weights are tiny. Can a network leave most pairs out? Three families of methods make the
// cost grow in proportion to the length, and each gives something up. A **window** keeps near pairs, a **low rank**
// merges keys into a few groups, and a **kernel** replaces the softmax by a product. {numref}`fig-efficient-weights`
// shows the weights of all three beside the exact ones. Drag the slider to sharper attention: which method fails where?
//
// ```{opening} fig-efficient-weights
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/efficient_attention.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure, figure::Names;

const book::Option<double> sharpness("sharpness", 3, "length of the queries",
                                     {.least = 0.1, .most = 20});
const book::Option<Index> longest("longest", 4096, "the longest sequence",
                                  {.quick = 512, .least = 256, .most = 16'384});
const book::Option<Index> passes("steps", 300, "steps of a training",
                                 {.quick = 5, .least = 1, .most = 100'000});

// The weights of a method: its output for values that are one-hot.
using Method = std::function<Tensor(const Tensor& q, const Tensor& k, const Tensor& v)>;
//-

//- the three methods, and how the figure is drawn
const Names method_names = {"window", "low rank", "kernel"};

// The methods, with a window and a number of groups.
std::array<Method, 3> methods(Index window, Index groups) {
    return {[=](const Tensor& q, const Tensor& k, const Tensor& v) {
                return nn::window_attention(q, k, v, window);
            },
            [=](const Tensor& q, const Tensor& k, const Tensor& v) {
                const Tensor means = nn::group_means(groups, k.size(2));
                return nn::low_rank_attention(q, k, v, means, means);
            },
            nn::kernel_attention};
}
Tensor exact(const Tensor& q, const Tensor& k, const Tensor& v) {
    return attention(q, k, v);
}

// Positions on a circle that is walked twice, so that each position resembles its neighbours and those half a sequence
// away.
const Index shown = 24;
Tensor on_circle(double length) {
    std::vector<Real> at;
    for (Index t = 0; t < shown; ++t) {
        const double turn = 4 * std::numbers::pi * double(t) / double(shown);
        at.push_back(Real(length * std::cos(turn)));
        at.push_back(Real(length * std::sin(turn)));
    }
    return Tensor({1, 1, shown, 2}, at);
}
Tensor one_hot(Index count) {
    std::vector<Real> ones(std::size_t(count * count), 0);
    for (Index i = 0; i < count; ++i) ones[std::size_t(i * count + i)] = 1;
    return Tensor({1, 1, count, count}, ones);
}
// Half the sum of the absolute differences of the weights of a query, in the mean over all queries: the share of the
// weight that lies at other keys.
double misplaced(const Tensor& weights, const Tensor& want) {
    return double(sum(abs(weights - want)).item()) / 2 / double(shown);
}
// Prints this share for each method and queries of one length.
void say_misplaced(double length) {
    const Tensor keys = on_circle(std::sqrt(2.0)), ones = one_hot(shown);
    const Tensor q = on_circle(length), want = exact(q, keys, ones);
    std::vector<double> wrong;
    for (const Method& method : methods(6, 6))
        wrong.push_back(misplaced(method(q, keys, ones), want));
    say("queries of length {}: share of the weight at other keys than in exact "
        "attention: window {:.2f}, low rank {:.2f}, kernel {:.2f}",
        length, wrong[0], wrong[1], wrong[2]);
}

void maps() {
    const std::vector<double> stops = {0.5, 1, 2, 3, 5, 8, 12};
    const Tensor keys = on_circle(std::sqrt(2.0)), ones = one_hot(shown);
    const std::array<Method, 3> three = methods(6, 6);
    Names places;
    for (Index t = 1; t <= shown; ++t) places.push_back(std::to_string(t));
    Figure figure("fig-efficient-weights");
    figure
        .describe(
            "Four matrices of 24 queries and 24 keys. Exact: three bright diagonals, "
            "which "
            "get thinner with the slider. Window: the middle one alone. Low rank: the "
            "diagonals in steps of four keys. Kernel: broad, pale diagonals.")
        .slider(sharpness, stops, "length of the queries");
    const std::vector<double> settings = figure::settings(sharpness, stops);
    const auto panel = [&](const std::string& title, const Method& method) {
        figure.always().panel(title).bare();
        for (const double length : settings)
            figure.at(length).heatmap("", places, places,
                                      method(on_circle(length), keys, ones).values(), 0,
                                      0.3);
        figure.always().x("key").y("query");
    };
    panel("exact", exact);
    for (std::size_t i = 0; i < 3; ++i) panel(method_names[i], three[i]);
    figure.save(
        "The weights of 24 queries (rows) for 24 keys (columns), bright for 0.3 and "
        "more. The sequence walks twice around "
        "a circle, so each query matches keys near itself and half a sequence away. "
        "The "
        "window reaches 5 positions to each side, the low rank has 6 groups of 4 "
        "keys.");
    say_misplaced(12);
}
//-

// Before you drag it to the left, place your bet:
//- the question
void bet() {
    const Tensor keys = on_circle(std::sqrt(2.0)), q = on_circle(0.5),
                 v = Generator(book::seed()).normal({1, 1, shown, 8}),
                 want = exact(q, keys, v);
    std::vector<double> errors;
    for (const Method& method : methods(6, 6))
        errors.push_back(
            std::sqrt(double(mean(square(method(q, keys, v) - want)).item())));
    const auto largest = std::ranges::max_element(errors) - errors.begin();
    ask("The queries are short, so that exact attention gives nearly the same weight "
        "to all "
        "24 keys. Which method has the largest error in its outputs?",
        {{"The window: it reads at most 11 keys.", largest == 0,
          "The output is nearly the mean of all values. The window takes the mean of "
          "at "
          "most 11 of them."},
         {"The low rank: it merges four keys into one.", largest == 1,
          "Four keys with nearly the same weight lose nothing when they are merged: "
          "the "
          "mean of the group means is the mean of all."},
         {"The kernel: its weights are not those of a softmax.", largest == 2,
          "Its weights differ most from a softmax when the attention is sharp. Nearly "
          "equal weights are what it can do."}});
    say("errors with short queries: window {:.3f}, low rank {:.3f}, kernel {:.3f}",
        errors[0], errors[1], errors[2]);
    say_misplaced(0.5);
}
//-

// ## Where the square comes from
//
// $N$ queries and $N$ keys of $d$ numbers have $N^2$ scores, with $d$ multiplications each. As many are needed to
// average the values, so a head costs $2 N^2 d$. With $N = 8$ and $d = 2$ these are 256. Twice the length costs four
// times as much. Each method below replaces one $N$ by a number that does not grow.
//
// **A window.** Let a query read only keys at a distance below $w$ {cite:p}`beltagy2020`. With $w = 2$, position 5
// reads 4, 5 and 6. Masking all other scores would save nothing, because a masked score is computed first. So
// {cpp:func}`~recto::nn::window_attention` cuts the sequence into blocks of $w$ positions, and the queries of a block
// meet three blocks of keys: their own and its neighbours. This costs $6 N w d$. With $N = 8$, $w = 2$ and $d = 2$
// these are 192. Several layers reach further: the second layer reads positions that have read their own neighbours.
//
// ```{excerpt} recto/nn/efficient_attention.cpp window_attention
// ```
//
// The mask in the code hides the keys of the three blocks that are $w$ or more positions away, and the padding.
//
// **A low rank.** Merge the $N$ keys into $r$ rows, and the values in the same way, by two matrices of $r \times N$
// {cite:p}`wang2020linformer`. A row may be the mean of $N/r$ neighbours, or the matrices may be trained. The cost is
// $4 N r d$.
//
// ```{excerpt} recto/nn/efficient_attention.cpp low_rank_attention
// ```
//
// **A kernel.** Take positive features of query and key, and let their product replace the exponential. Then the sum
// over keys can be computed once for all queries, which [Linear attention](../components/linear_attention.cpp)
// explains. For values of $d$ numbers the cost is $2 N d^2 + N d$.
//
// ```{excerpt} recto/nn/efficient_attention.cpp kernel_attention
// ```
//- counted and compared
void counted() {
    Generator random(book::seed());
    const Index d = 16, window = 32, groups = 32;
    const std::array<Method, 3> three = methods(window, groups);
    std::array<double, 3> least, most;
    least.fill(HUGE_VAL), most.fill(0);
    const auto for_each = [](const Method& method, const Tensor& x) {
        const FlopCount count;
        method(x, x, x);
        return double(count.multiply_adds()) / double(x.size(2));
    };
    for (const Index n : {128, 256, 512, 1024}) {
        const Tensor x = random.normal({1, 1, n, d});
        std::array<double, 3> found;
        for (std::size_t i = 0; i < 3; ++i) {
            found[i] = for_each(three[i], x);
            least[i] = std::min(least[i], found[i]);
            most[i] = std::max(most[i], found[i]);
        }
        say("{} positions: multiplications for each: exact {}, window {}, low rank {}, "
            "kernel {}",
            n, for_each(exact, x), found[0], found[1], found[2]);
    }
    for (std::size_t i = 0; i < 3; ++i)
        claim(
            "sys-efficient-attention-variants/b",
            method_names[i] +
                ": multiplications for each position, from 128 to 1024 positions, the "
                "most less the fewest",
            most[i] - least[i], "==", 0);
    const Index n = 96;
    const Tensor q = random.normal({2, 2, n, d}), k = random.normal({2, 2, n, d}),
                 v = random.normal({2, 2, n, d});
    claim("sys-efficient-attention-variants/c",
          "a window of N against full attention, largest difference",
          max(abs(nn::window_attention(q, k, v, n) - attention(q, k, v))).item(),
          "<=", 1e-6);
}
//-

// For sequences of 128 to 1,024 positions with $d = 16$, $w = 32$ and $r = 32$, the costs for each position do not
// change at all. The cost of exact attention doubles with the length.
//
// ## Time and error
//
// Less work is worth something if the results stay close. We make sequences that drift: each position repeats 0.97 of
// the one before and adds noise, so neighbours are alike and distant positions are not. {numref}`fig-efficient-time`
// shows time and error.
//- how the figure is drawn
// A sequence of n positions with d components, each of variance 1, that drifts.
Tensor drifting(Index samples, Index n, Index d, Generator& random) {
    const double keep = 0.97, fresh = std::sqrt(1 - keep * keep);
    const std::vector<Real> noise = random.normal({samples, n, d}).values();
    std::vector<Real> x(noise.size());
    for (Index s = 0; s < samples; ++s)
        for (Index t = 0; t < n; ++t)
            for (Index c = 0; c < d; ++c) {
                const std::size_t i = std::size_t((s * n + t) * d + c);
                x[i] = t == 0 ? noise[i]
                              : Real(keep * double(x[i - std::size_t(d)]) +
                                     fresh * double(noise[i]));
            }
    return Tensor({samples, 1, n, d}, x);
}
// Queries, keys and values of such sequences, by three random matrices.
struct Head {
    Tensor q, k, v;
    Head(const Tensor& x, Generator& random) {
        const Index d = x.size(3);
        const double size = 1 / std::sqrt(double(d));
        const Tensor to_match = random.normal({d, d}) * size;
        const Tensor to_value = random.normal({d, d}) * size;
        q = matmul(x, to_match) * 2, k = matmul(x, to_match), v = matmul(x, to_value);
    }
};
// The root mean square error, relative to that of the output.
double error_of(const Tensor& y, const Tensor& want) {
    return std::sqrt(double(mean(square(y - want)).item()) /
                     double(mean(square(want)).item()));
}

void time_and_error() {
    const Index d = 16;
    const std::array<Method, 3> three = methods(32, 32);
    std::vector<double> lengths, full;
    std::array<std::vector<double>, 3> seconds, errors;
    for (Index n = 128; n <= longest(); n *= 2) {
        Generator random(book::seed());
        const Tensor x = drifting(1, n, d, random);
        const Head head(x, random);
        const NoGrad only_timing;
        lengths.push_back(double(n));
        full.push_back(1000 *
                       book::median_seconds([&] { exact(head.q, head.k, head.v); }, 3));
        const Tensor want = exact(head.q, head.k, head.v);
        for (std::size_t i = 0; i < 3; ++i) {
            seconds[i].push_back(
                1000 *
                book::median_seconds([&] { three[i](head.q, head.k, head.v); }, 3));
            errors[i].push_back(error_of(three[i](head.q, head.k, head.v), want));
        }
    }
    const figure::Color colors[] = {figure::green, figure::ochre, figure::blue};
    Figure figure("fig-efficient-time");
    figure
        .describe(
            "Two panels over the length of the sequence, logarithmic. Left, "
            "milliseconds: "
            "the line of exact attention rises twice as steeply as the three others. "
            "Right, the relative error of the three methods.")
        .panel("time")
        .line("exact", lengths, full, {.color = figure::red});
    for (std::size_t i = 0; i < 3; ++i)
        figure.line(method_names[i], lengths, seconds[i], {.color = colors[i]});
    figure.log_axes().x("positions N").y("milliseconds").panel("error");
    for (std::size_t i = 0; i < 3; ++i)
        figure.line(method_names[i], lengths, errors[i], {.color = colors[i]});
    figure.log_x()
        .ylim(0, 1)
        .x("positions N")
        .y("relative error")
        .save(
            "Time on this machine and relative error of one head with 16 components, "
            "for a "
            "window of 32 positions and a rank of 32. The sequence drifts, so near "
            "positions are "
            "alike. Each length is one draw of the head and of the sequence.");
    book::shows("sys-efficient-attention-variants/a", "fig-efficient-time");
    for (std::size_t i = 0; i < 3; ++i)
        say("{}: relative error at 128 positions {:.2f}, at {} positions {:.2f}",
            method_names[i], errors[i].front(), lengths.back(), errors[i].back());
    for (std::size_t i = 0; i < 3; ++i) {
        std::size_t first = lengths.size();  // from here on the method is faster
        while (first > 0 && seconds[i][first - 1] < full[first - 1]) --first;
        if (first < lengths.size())
            say("{}: faster than exact attention from {} positions on, in this run",
                method_names[i], lengths[first]);
        else
            say("{}: slower than exact attention at {} positions, in this run",
                method_names[i], lengths.back());
    }
}
//-

// When the length doubles, the multiplications of exact attention become four times as many, and those of the three
// methods twice as many. The times of long sequences follow. In short ones a window saves little, and cutting the
// sequence into blocks and joining them costs time too; the last three lines above say from which length on each method
// was faster in this run. The errors grow with the length too. A window of 32 positions is a quarter of 128 positions,
// and less than a hundredth of 4,096. The same 32 groups must stand for more and more keys. At 4,096 positions every
// error is above 0.6, where an output of zeros would have an error of 1. The kernel begins with 0.70: with queries of
// this length the weights of a softmax are sharp, and those of its features are blunt. Each length is one draw, so a
// small dip or step of a line may be chance. A fixed budget is cheap at any length, but it does not buy the same
// accuracy at any length.
//
// ## How much rank?
//
// The rank is a price that can be chosen. Group means need no training. The matrices of a Linformer are trained with
// the network. Here we train them alone: they start as group means, and Adam lowers the squared error to exact
// attention over fresh sequences of 64 positions.
//- the training, how the figure is drawn, and what is checked
const Index positions = 64, wide = 16;

// The errors of group means and of trained matrices, on sequences that the training has not seen.
std::array<double, 2> errors_at(Index rank, std::uint64_t draw) {
    Generator random(book::seed() * 100 + draw);
    Generator matrices = random.split(), held = random.split();
    // Every sequence of a draw goes through the same three matrices.
    const auto head_of = [&](const Tensor& x) {
        Generator same = matrices;
        return Head(x, same);
    };
    const Head test = head_of(drifting(64, positions, wide, held));
    const Tensor want = attention(test.q, test.k, test.v);
    Tensor for_keys = clone(nn::group_means(rank, positions)).requires_grad_(),
           for_values = clone(nn::group_means(rank, positions)).requires_grad_();
    const auto error = [&] {
        const NoGrad only_asking;
        return error_of(
            nn::low_rank_attention(test.q, test.k, test.v, for_keys, for_values), want);
    };
    const double before = error();
    optim::Adam adam(NamedTensors{{"for_keys", for_keys}, {"for_values", for_values}});
    for (Index step = 0; step < passes(); ++step) {
        adam.options.lr = optim::cosine(step, passes(), 0.003);
        const Head some = head_of(drifting(16, positions, wide, random));
        const Tensor goal = attention(some.q, some.k, some.v);
        optim::train_step(adam, [&] {
            return mse_loss(
                nn::low_rank_attention(some.q, some.k, some.v, for_keys, for_values),
                goal);
        });
    }
    return {before, error()};
}

void ranks() {
    const std::vector<double> all = {2, 4, 8, 16, 32};
    std::vector<std::vector<double>> means, trained;
    std::vector<double> worst;
    for (const std::uint64_t draw : {1, 2, 3}) {
        std::vector<double> fixed, learned;
        double ratio = 0;
        for (const double rank : all) {
            const std::array<double, 2> found = errors_at(Index(rank), draw);
            fixed.push_back(found[0]), learned.push_back(found[1]);
            if (fixed.size() > 1)
                ratio = std::max({ratio, fixed.back() / fixed[fixed.size() - 2],
                                  learned.back() / learned[learned.size() - 2]});
        }
        means.push_back(fixed), trained.push_back(learned), worst.push_back(ratio);
    }
    Figure("fig-rank-error")
        .describe(
            "The relative error against the rank, both logarithmic, three lines for "
            "group means and three for trained matrices. All fall, by about half for "
            "each doubling of the rank. The trained ones lie a little lower up to rank "
            "16.")
        .lines("group means", all, means, {.color = figure::ochre})
        .lines("trained matrices", all, trained, {.color = figure::blue})
        .log_axes()
        .x("rank r")
        .y("relative error")
        .save(
            "The error of low-rank attention on unseen sequences of 64 positions, for "
            "three draws of the "
            "head and of the sequences.");
    claim("sys-efficient-attention-variants/d",
          "the largest ratio of an error to that of half the rank", over_seeds(worst),
          "<", 1);
    for (std::size_t i = 0; i < all.size(); ++i)
        say("rank {}: group means {:.3f}, trained {:.3f}", all[i], means[0][i],
            trained[0][i]);
}
//-

// With group means, each doubling of the rank cuts the error roughly in half, from 0.35 at rank 2 to 0.02 at rank 32.
// Trained matrices are about a tenth better at small ranks. At rank 32 they are no better, perhaps because the start is
// nearly exact and the steps of Adam disturb it. In a sequence that drifts, neighbours are alike, so the mean of
// neighbours is already a good summary. A network that trains these matrices with all its other weights can also change
// what has to be merged. This page does not measure that.
//
void page() {
    maps();
    bet();
    counted();
    time_and_error();
    ranks();
}

// ## Limits and origins
//
// We compare outputs of single heads with made-up sequences. Whether a network suffers from such errors depends on the
// task, and a network that is trained with one of these methods can adapt to it. {cite:t}`child2019` combined windows
// with steps of fixed size, {cite:t}`beltagy2020` added a few positions that see everything, and
// {cite:t}`wang2020linformer` trained low ranks. {cite:t}`dao2022` went another way: their program computes exact
// attention, with all $N^2$ products, but never stores the matrix. It saves memory and time, and has no error at all.
//
// ## Summary
//
// Exact attention costs $2 N^2 d$ multiplications. A window costs $6 N w d$, a low rank $4 N r d$ and a kernel
// $2 N d^2 + N d$, so each grows in proportion to the length. A window loses far keys, a low rank loses the differences
// between merged keys, and a kernel loses sharpness.
//
// ## What is missing
//
// A sequence need not be a text. [The next page](vision_transformer.cpp) cuts an image into patches and reads them as
// words.
//
// ```{try}
// - Longer sequences: `--longest 16384`. How many times faster than exact attention is each method on your machine, and how large is its error?
// - A longer training of the low rank: `--steps 2000`. Do the trained matrices pass the group means at rank 32?
// ```
