// # QRNN: gates that do not wait
//
// ```{rows} sys-qrnn
// ```
//
// An [LSTM](gates.cpp) decides at each step what to keep. Its gates read the state, so no gate can be computed before
// the state of the step before. A **quasi-recurrent network** (QRNN) lets the gates read only the last few inputs.
// Then all gates are known at once, and a [parallel scan](scans.cpp) computes all states. {numref}`fig-gate-sight`
// shows which inputs a forget gate sees: all of the past in the LSTM, a narrow band in the QRNN. Move the slider to
// widen the band. What does a network lose if its gates see two letters in place of all?
//
// ```{opening} fig-gate-sight
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/book/study.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/qrnn.hpp>
#include <recto/nn/recurrent.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/affine_scan.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say,
    book::Study;
using figure::Figure, figure::Names;

const book::Option<Index> window("window", 2, "inputs that a gate of the QRNN reads",
                                 {.least = 1, .most = 6});
const book::Option<Index> longest("longest", 512, "steps of the longest timed sequence",
                                  {.quick = 64, .least = 16, .most = 4096});

const book::Option<bool> retrain("retrain", true,
                                 "whether one network of the study is trained again",
                                 {.quick = false});

double apart(const Tensor& a, const Tensor& b) {
    return double(max(abs(a.detach() - b.detach())).item());
}
//-

//- what the gates see, and how the figure is drawn
const Index shown = 12, units = 16;

// How much the gates at each time change with the input of each time: rows are times of gates.
template <class GatesOf>
std::vector<double> sight(const GatesOf& gates_of, Generator& random) {
    const Tensor x = random.normal({1, shown, 4}).requires_grad_(),
                 mix = random.normal({1, units});
    std::vector<double> found;
    for (Index t = 0; t < shown; ++t) {
        x.zero_grad();
        sum(select(gates_of(x), 1, t) * mix).backward();
        for (const Real total : sum(abs(x.grad()), {0, 2}).values())
            found.push_back(double(total));
    }
    return found;
}

void look() {
    Generator random(book::seed());
    const nn::Qrnn qrnn(4, units, random, {.window = window()});
    const nn::Lstm lstm(4, units, random);
    const RecurrentWeights& w = lstm.weights;
    const auto of_qrnn = [&](const Tensor& x) { return qrnn.gates(x).forget; };
    const auto of_lstm = [&](const Tensor& x) {
        const Tensor before = pad(slice(lstm(x).y, 1, 0, shown - 1), {{1, 0}, {0, 0}});
        const auto rows = [&](const Tensor& all) {
            return slice(all, 0, units, 2 * units);
        };
        return sigmoid(linear(x, rows(w.weight_ih), rows(w.bias_ih)) +
                       linear(before, rows(w.weight_hh), rows(w.bias_hh)));
    };
    const std::vector<double> narrow = sight(of_qrnn, random),
                              wide = sight(of_lstm, random);
    Index beyond = 0, past = 0, future = 0;
    for (Index t = 0; t < shown; ++t)
        for (Index s = 0; s < shown; ++s) {
            const auto place = std::size_t(t * shown + s);
            const bool inside = s <= t && s > t - window();
            beyond += !inside && narrow[place] != 0;
            past += s <= t && wide[place] > 0, future += s > t && wide[place] != 0;
        }
    say("pairs of a gate and an input of its past: {}; the LSTM's gate depends on the "
        "input in {} of them, the QRNN's in {}",
        shown * (shown + 1) / 2, past,
        std::ranges::count_if(narrow, [](double x) { return x > 0; }));
    claim("sys-qrnn/a",
          "inputs outside its window on which a gate of the QRNN depends, by the "
          "gradient",
          beyond, "==", 0);
    claim("", "inputs of the future on which a gate of the LSTM depends", future,
          "==", 0);
    const auto powers = [](std::vector<double> all) {
        for (double& x : all) x = std::max(std::log10(x), -6.0);
        return all;
    };
    Names times;
    for (Index t = 1; t <= shown; ++t) times.push_back(std::to_string(t));
    Figure("fig-gate-sight")
        .describe(
            "Two square heat maps, a row for each time of a gate and a column for each "
            "time of an input. LSTM: the whole lower triangle is coloured, paler "
            "further from the diagonal. QRNN: only a band below the diagonal is "
            "coloured, as wide as the slider says.")
        .slider(window, "window of the QRNN")
        .panel("LSTM")
        .heatmap("log₁₀ of the derivative", times, times, powers(wide), -6, 0)
        .x("time of the input")
        .y("time of the gate")
        .panel("QRNN")
        .heatmap("log₁₀ of the derivative", times, times, powers(narrow), -6, 0)
        .x("time of the input")
        .y("time of the gate")
        .save(
            "How much the forget gates at each time depend on the input of each time, "
            "before training: magnitudes of derivatives, and the darkest colour is "
            "$10^{-6}$ or zero. An LSTM's gate depends on all inputs up to its own "
            "time, because it reads the state. A QRNN's gate depends on its window.");
}
//-

// ## A gate without a state
//
// What can a gate do if it does not know the state? Take a window of two and the weights $-1$ and $1$. The score of
// the gate is then the present input minus the one before. For the inputs 5, 5, 9, 9 the scores are 5, 0, 4, 0: the
// gate notices that the input *changes*. With a factor of $-3$ and a bias of 5 the last two scores become $-7$ and 5.
// The sigmoid of 5 is 0.993 and that of $-7$ is 0.001: a forget gate that keeps the memory while nothing changes and
// clears it when the input rises. No state was needed, only a look at the neighbour.
//
// Such scores are a [convolution](../components/convolution.cpp) of the sequence with a small kernel. It is
// **causal**: zeros are put in front, so that no time sees its future. A QRNN {cite:p}`bradbury2017` computes three
// vectors at each time by such convolutions: what may be written $z$, the forget gate $f$ and the output gate $o$. The
// recurrence that is left multiplies and adds, number by number:
//
// ```{equation} eq-qrnn
// :function: recto::nn::Qrnn
// :test: Qrnn: its definition, number by number
// c_t = f_t \odot c_{t-1} + (1 - f_t) \odot z_t, \qquad h_t = o_t \odot c_t
// ```
//
// With the forget gate at $\frac12$ and the values 4, 0, 0 the memory is 2, 1, $\frac12$. Compare this with the
// [gated recurrence](gates.cpp): the formula is the same. What has gone is the state inside the gates, and with it the
// product of the state with a matrix. So each step is an affine step $c \to f c + b$ with known $f$ and $b$, and affine
// steps [compose](scans.cpp). The whole layer is a convolution and a scan:
Tensor qrnn_by_hand(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const Tensor before = pad(transpose(x), {{weight.size(2) - 1, 0}});
    const Tensor scores = transpose(conv1d(before, weight, bias));
    const Index size = scores.size(2) / 3;
    const auto third = [&](Index k) {
        return slice(scores, 2, k * size, (k + 1) * size);
    };
    const Tensor z = tanh(third(0)), f = sigmoid(third(1)), o = sigmoid(third(2));
    return o * affine_scan(f, (1 - f) * z);
}
//- what is checked
void by_hand() {
    Generator random(book::seed());
    const nn::Qrnn layer(4, units, random, {.window = window()});
    const Tensor x = random.normal({3, 40, 4});
    claim("", "the layer above against the library's, largest difference",
          apart(qrnn_by_hand(x, layer.weight, layer.bias), layer(x).y), "<=", 1e-6);
    // The state enters nowhere but through the product of the forget gates.
    const Tensor c = random.normal({3, units}), none = zeros({3, units});
    const Tensor gap = layer(x, c).c - layer(x, none).c,
                 kept = affine_scan(layer.gates(x).forget, zeros({3, 40, units}), c);
    claim("",
          "what is left of a first memory after 40 steps against the product of the "
          "forget gates, largest difference",
          apart(gap, select(kept, 1, 39)), "<=", 1e-6);
    const Tensor changes({1, 1, 2}, {-1, 1}), in({1, 1, 4}, {5, 5, 9, 9});
    const std::vector<Real> s = conv1d(pad(in, {{1, 0}}), changes).values();
    say("scores of the gate that notices a change: {}, {}, {}, {}", s[0], s[1], s[2],
        s[3]);
}
//-

// The library's {cpp:class}`~recto::nn::Qrnn` is this code with checks. A test runs its scan against a loop over 700
// steps, on every device, and requires a relative difference of at most $10^{-5}$.
//
// ## What is lost?
//
// We let both kinds read dictionary words, as on the [first page](recurrent_networks.cpp) about recurrence. A network
// reads the letters of a word one after another and predicts the next one. The basic network has 64 state numbers. A
// QRNN with a window of two has 39, and then slightly fewer parameters, because a letter is read six times: by three
// convolutions with two taps each. The gate of the basic network, if you call its whole update a gate, reads
// everything so far. The gates of the QRNN read two letters; only its memory reaches back further. Place your bet:
//- two readers of words, and the study
const Index letters = 27, positions = 13;  // a word of twelve letters and its end
struct Batch {
    Integers before, next;  // (words, positions)
};
Batch batch_of(const std::vector<std::string>& words, std::size_t begin,
               std::size_t end) {
    std::vector<Index> before, next;
    for (std::size_t n = begin; n < std::min(end, words.size()); ++n) {
        const std::vector<Index> s = data::symbols(words[n]);
        for (Index t = 0; t < positions; ++t) {
            const Index length = Index(s.size());
            before.push_back(t == 0 || t > length ? 0 : s[std::size_t(t - 1)]);
            next.push_back(t < length ? s[std::size_t(t)] : t == length ? 0 : -1);
        }
    }
    const Shape shape{Index(before.size()) / positions, positions};
    return {Integers(shape, before), Integers(shape, next)};
}

template <class Layer>
struct Reader {
    Layer layer;
    nn::Linear scores;
    Tensor operator()(const Integers& before) const {
        return scores(layer(one_hot(before, letters)).y);
    }
    void visit(auto&& part) { part("layer", layer), part("scores", scores); }
};
template <class Layer>
Tensor loss(const Reader<Layer>& reader, const Batch& batch) {
    return cross_entropy(reader(batch.before), batch.next, {.ignored = -1});
}

// A QRNN with this window and about as many parameters as the basic network.
Index hidden_for(Index reach) { return reach == 1 ? 68 : reach == 2 ? 39 : 28; }
Reader<nn::Qrnn> new_qrnn(Index reach, Generator& random) {
    const Index hidden = hidden_for(reach);
    const nn::Qrnn layer(letters, hidden, random, {.window = reach});
    return {layer, nn::Linear(hidden, letters, random)};
}
Reader<nn::Rnn> new_basic(Generator& random) {
    nn::Rnn layer(letters, 64, random);
    layer.weights.bias_hh = Tensor();
    return {layer, nn::Linear(64, letters, random)};
}

// Trains on 20,000 words; the loss on 2,000 words to choose the rate by, and on 2,000 others.
template <class Layer>
Study::Row learn(const Reader<Layer>& reader, double rate, Generator& random) {
    const std::vector<std::string> all = data::sample(data::words(), 24'000, random);
    const std::vector<std::string> to_learn(all.begin(), all.end() - 4000),
        to_choose(all.end() - 4000, all.end() - 2000),
        to_judge(all.end() - 2000, all.end());
    optim::Adam adam(nn::parameters(reader));
    const std::size_t size = 128, batches = (to_learn.size() + size - 1) / size;
    const double steps = 4 * double(batches);
    double step = 0;
    for (int epoch = 0; epoch < 4; ++epoch)
        for (std::size_t n = 0; n < batches; ++n) {
            adam.options.lr = rate * (1 - step++ / steps);
            adam.zero_grad();
            loss(reader, batch_of(to_learn, n * size, (n + 1) * size)).backward();
            optim::clip_norm(adam.parameters(), 1);
            adam.step();
        }
    const NoGrad only_asking;
    return {double(loss(reader, batch_of(to_choose, 0, 2000)).item()),
            double(loss(reader, batch_of(to_judge, 0, 2000)).item())};
}

// A setting: the window, or 0 for the basic network; the rate; the draw.
const std::vector<double> windows = {0, 1, 2, 3}, rates = {1e-2, 3e-2, 1e-1},
                          draws = {1, 2, 3};
Study::Row train_one(const Study::Row& cell) {
    Generator random(100 + std::uint64_t(cell[2]));
    if (cell[0] == 0) return learn(new_basic(random), cell[1], random);
    return learn(new_qrnn(Index(cell[0]), random), cell[1], random);
}
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double reach : windows)
        for (const double rate : rates)
            for (const double draw : draws) cells.push_back({reach, rate, draw});
    return cells;
}
const Study words({"qrnn_words",
                   {"window", "rate", "draw"},
                   {"validation", "test"},
                   {"sys-qrnn/c"},
                   0.002},
                  all_cells(), train_one);

// The losses on the words to judge by, at the rate that is best on the words to choose by.
struct Best {
    double rate = 0;
    std::vector<double> test;
};
Best best(double reach) {
    Best found;
    double lowest = std::numeric_limits<double>::infinity();
    for (const double rate : rates) {
        Best at{rate, {}};
        double total = 0;
        for (const Study::Row& row : words.frozen().rows)
            if (row[0] == reach && row[1] == rate)
                total += row[3], at.test.push_back(row[4]);
        if (total < lowest) lowest = total, found = at;
    }
    return found;
}

void compare() {
    Generator random(book::seed());
    std::vector<std::vector<double>> losses;
    std::vector<std::vector<book::Cell>> rows;
    for (const double reach : windows) {
        const Best at = best(reach);
        losses.push_back(at.test);
        const Index count = reach == 0 ? nn::count(new_basic(random))
                                       : nn::count(new_qrnn(Index(reach), random));
        rows.push_back({reach == 0 ? std::string("basic network")
                                   : fmt::format("QRNN, window {}", reach),
                        reach == 0 ? 64 : hidden_for(Index(reach)), count, at.rate,
                        fmt::format("{:.3f}", book::median(at.test))});
    }
    const double gap = book::median(losses[2]) - book::median(losses[0]);
    //-
    ask("Both networks have about 7,600 parameters and predict the letters of words "
        "that they have not seen. How does the QRNN with a window of two compare with "
        "the basic network?",
        {{"It is clearly worse, by more than 0.05 nats per letter: its gates know only "
          "two letters.",
          gap > 0.05,
          "The gates do. But the memory that they control holds letters from further "
          "back."},
         {"It is as good, within 0.05 nats.", std::abs(gap) <= 0.05,
          "The gates see two letters, but the memory that they control holds letters "
          "from further back."},
         {"It is clearly better, by more than 0.05 nats.", gap < -0.05,
          "Its gradient passes through gates and not through a matrix at each step, "
          "but a word is short, and the basic network learns it well, too."}});
    //- the table, the figure and what is checked
    book::table("qrnn-sizes",
                "The networks, the best of three learning rates, and the median loss "
                "on 2,000 held-out words over three draws, in nats per letter.",
                {"network", "state", "parameters", "rate", "loss"}, rows);
    std::vector<double> reach, low, middle, high, at, each;
    for (std::size_t k = 1; k < windows.size(); ++k) {
        reach.push_back(windows[k]);
        low.push_back(std::ranges::min(losses[k]));
        high.push_back(std::ranges::max(losses[k]));
        middle.push_back(book::median(losses[k]));
        for (const double x : losses[k]) at.push_back(windows[k]), each.push_back(x);
    }
    Figure("fig-qrnn-words")
        .describe(
            "The loss per letter of held-out words against the window of a QRNN, from "
            "1 to 3, with a dot for each draw, and the level of the basic network as a "
            "horizontal line.")
        .line("QRNN, median", reach, middle, {.color = figure::blue})
        .dots("QRNN, each draw", at, each, {.color = figure::blue, .width = 5})
        .rule_y(book::median(losses[0]), "basic network")
        .x("window: inputs that a gate reads")
        .y("loss, nats per letter")
        .save(
            "Held-out loss of networks with about equally many parameters, at the best "
            "of three learning rates. A wider window leaves fewer state numbers.");
    std::vector<double> gaps;
    for (std::size_t draw = 0; draw < draws.size(); ++draw)
        gaps.push_back(losses[2][draw] - losses[0][draw]);
    say("loss per letter of held-out words: basic network {:.3f}, QRNN with a window "
        "of two {:.3f}",
        book::median(losses[0]), book::median(losses[2]));
    claim("sys-qrnn/c",
          "the loss per letter of the QRNN with a window of two, minus that of the "
          "basic network",
          over_seeds(gaps), "<=", 0.05);
    if (!retrain()) return;
    for (const Study::Row& row : words.frozen().rows)
        if (row[0] == 2 && row[1] == best(2).rate && row[2] == 1)
            claim("", "the loss of a QRNN that was trained again, against the kept one",
                  std::abs(words.measure({row[0], row[1], row[2]})[1] - row[4]),
                  "<=", 0.005);
}
//-

// The QRNN is not worse. With a window of two its loss is 2.184 nats per letter in the median of three draws, and that
// of the basic network is 2.202; the QRNN is ahead in each draw, by 0.011 to 0.024 nats. {numref}`fig-qrnn-words`
// varies the window. Gates that read a single letter cost about 0.03 nats, and a third letter gains nothing more
// at this number of parameters: it leaves fewer state numbers.
//
// Each network took the best of three learning rates on words that were not used otherwise. The best rates differ:
// 0.03 for the basic network, which at 0.1 becomes much worse, and 0.1, our largest, for the QRNNs. On the [first
// page](recurrent_networks.cpp) about recurrence the basic network learned at 0.003 and ended at 2.37. A comparison of
// two networks at one rate would have measured the rate. Three rates are a coarse choice: from 0.01 to 0.03 the loss of
// the basic network falls by about 0.07 nats, more than the two networks differ, and no rate between 0.03 and 0.1 was
// tried. A better rate may turn their order around, so "as good" is all that this comparison shows.
//
// ## How much time does it save?
//
// An LSTM takes one product of a small matrix at each step, and each product waits for the one before. The QRNN takes
// one large convolution. {numref}`fig-qrnn-time` compares the time of a forward and a backward pass of both, with
// equal numbers of inputs and state numbers.
//- the times
void times() {
    Generator random(book::seed());
    const Index size = 64;
    const nn::Lstm lstm(size, size, random);
    const nn::Qrnn qrnn(size, size, random);
    std::vector<double> lengths, slow, fast;
    for (Index time = 16; time <= longest(); time *= 2) {
        const Tensor x = random.normal({4, time, size});
        const book::Comparison both =
            book::compare_seconds([&] { sum(square(lstm(x).y)).backward(); },
                                  [&] { sum(square(qrnn(x).y)).backward(); }, 3);
        lengths.push_back(double(time));
        slow.push_back(1000 * both.first), fast.push_back(1000 * both.second);
    }
    Figure("fig-qrnn-time")
        .describe(
            "Milliseconds of a forward and a backward pass against the length of the "
            "sequence, both axes logarithmic. Both lines rise; that of the LSTM lies "
            "above that of the QRNN.")
        .line("LSTM", lengths, slow, {.color = figure::ochre})
        .line("QRNN", lengths, fast, {.color = figure::blue})
        .log_axes()
        .x("length of the sequence")
        .y("milliseconds on this machine")
        .save(
            "Time of a forward and a backward pass for 4 sequences with 64 inputs and "
            "64 state numbers, on this machine.");
    book::timing("length {}: LSTM {:.1f} ms, QRNN {:.1f} ms", lengths.back(),
                 slow.back(), fast.back());
}
//-

// Both layers make about as many multiplications: eight for each input and state number in the LSTM, and six in the
// QRNN. The difference is their order. A step of the LSTM multiplies four states by one matrix, far too little work to
// fill a processor, and 512 such products wait in a row. The QRNN multiplies all times at once. On a GPU, whose
// thousands of cores need much work at the same moment, {cite:t}`bradbury2017` measured factors of up to 16.
//
// ## Limits
//
// A gate that does not know the state cannot decide by it. "Clear the memory at the second mark" needs a gate that
// knows whether there was a first one. One layer of a QRNN cannot do this; a second layer can, because its gates read
// the *states* of the first. So QRNNs are stacked {cite:p}`bradbury2017`, and the depth of the stack replaces a part
// of what the recurrence lost. {cite:t}`martin2018` proposed the scan for such layers. A close relative, the SRU
// {cite:p}`lei2018`, has gates that read the present input and, number by number, the memory.

void page() {
    look();
    by_hand();
    compare();
    times();
}

// ## Summary
//
// A QRNN computes its gates from the last few inputs by a causal convolution, and no gate reads the state. The
// recurrence that remains is affine, so a scan computes all states. On words it is as good as a basic recurrent
// network with as many parameters.
//
// ## What is missing
//
// The gates here still change with the input, so the scan takes $\log_2 T$ rounds. If they did not, a single
// convolution would be enough. [The next page](state_spaces.cpp) builds a layer of such steps, and gives it a memory
// that holds the shape of everything it has read.
//
// ```{try}
// - Wider windows in the first figure: `--window 6`. Which gates see the whole past?
// - Longer sequences: `--longest 4096`. Does the ratio of the times change?
// ```
