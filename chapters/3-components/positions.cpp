// # Positional encoding: where a place is
//
// ```{rows} eq-positional-encoding sys-positional-encoding claim-conv-attention-oblivious
// ```
//
// [Attention](multi_head.cpp) treats a sequence as a set. To tell "dog bites man" from "man bites dog" a network must
// know where each word stands. The number of the place would do, but 1, 2, 3 … grow without limit, and the product of
// two such numbers says nothing about their distance. Is there a vector for each place that stays small, differs from
// all others, and shows how far apart two places are? {numref}`fig-positions` shows such vectors, one in each row,
// and the dot product of every two.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/positions.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/positions.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure;

const book::Option<Index> passes("steps", 400, "steps of a training",
                                 {.quick = 20, .least = 1, .most = 100'000});
const book::Option<int> draws("draws", 5, "trainings of each kind",
                              {.quick = 1, .least = 1, .most = 50});

// Defined further down:
Tensor encoding(Index length, Index width);
//-

//- how the figure is drawn
const Index length = 48, width = 24;  // of the codes in the figures

void drawn() {
    const Tensor code = encoding(length, width), alike = matmul(code, transpose(code));
    const auto names = [](Index count) {
        std::vector<std::string> found;
        for (Index i = 0; i < count; ++i) found.push_back(std::to_string(i));
        return found;
    };
    const auto numbers = [](const Tensor& x) {
        const std::vector<Real> all = x.values();
        return std::vector<double>(all.begin(), all.end());
    };
    Figure("fig-positions")
        .describe(
            "Two matrices. Left, 48 places by 24 components: the first columns "
            "alternate "
            "quickly from row to row, the last are nearly constant. Right, 48 by 48 "
            "places: "
            "bright along the diagonal, and the same along every parallel to it.")
        .panel("encoding")
        .heatmap("component", names(width), names(length), numbers(code), -1, 1)
        .x("component")
        .y("place")
        .bare()
        .panel("dot products")
        .heatmap("product", names(length), names(length), numbers(alike), 0, 12)
        .x("place")
        .y("place")
        .bare()
        .save(
            "The sinusoidal encoding of 48 places (rows, place 0 at the top) with 24 "
            "components (columns, the fastest hand on the left), and the dot product "
            "of every two places.");
    book::shows("eq-positional-encoding/a", "fig-positions");
}
//-

// ## Hands of a clock
//
// A clock tells 43,200 seconds apart with three hands, and no hand is longer than the dial. Each hand turns at its own
// speed, and the position of a hand is a pair of numbers, a sine and a cosine. The encoding works in the same way. Its
// components come in pairs. The first pair turns by one radian from place to place, the next pairs turn more and
// more slowly, and the last turns thousands of times as slowly as the first. The fast hands tell neighbours apart, the
// slow ones tell the beginning of a text from its end.
//
// We count places from 0. With four components there are two hands, one of which turns by 1 radian for each place,
// the other by 0.01. Place 3 gets $(\sin 3, \cos 3, \sin 0.03, \cos 0.03) = (0.141, -0.990, 0.030, 1.000)$, and place
// 4 gets $(-0.757, -0.654, 0.040, 0.999)$: the first hand has moved far, the second hardly at all. In general, with
// $T = 10^4$:
//
// ```{equation} eq-positional-encoding
// :function: recto::sinusoidal_positions
// :test: positions: waves and turns, as the register has them
// \mathrm{pos}[t, d] = \begin{cases} \sin\big(t / T^{d/D}\big) & d \text{ even} \cr
// \cos\big(t / T^{(d-1)/D}\big) & d \text{ odd} \end{cases}
// ```
Tensor encoding(Index length, Index width) {
    std::vector<Real> code;
    for (Index t = 0; t < length; ++t)
        for (Index d = 0; d < width; ++d) {
            const double even = double(d - d % 2);
            const double turn = double(t) / std::pow(1e4, even / double(width));
            code.push_back(Real(d % 2 == 0 ? std::sin(turn) : std::cos(turn)));
        }
    return Tensor({length, width}, code);
}
//- compared with the library
void by_hand() {
    claim("", "the formula against the library: the largest difference",
          max(abs(encoding(500, 24) - sinusoidal_positions(500, 24))).item(),
          "<=", 1e-9);
    const Tensor four = encoding(5, 4);
    for (const Index t : {3, 4})
        say("place {} with four components: {:.3f} {:.3f} {:.3f} {:.3f}", t,
            four.at({t, 0}), four.at({t, 1}), four.at({t, 2}), four.at({t, 3}));
    const Tensor more = encoding(48, 4);
    const auto product = [&](Index a, Index b) {
        return double(sum(select(more, 0, a) * select(more, 0, b)).item());
    };
    say("dot product of places 3 and 5: {:.3f}, of places 40 and 42: {:.3f}",
        product(3, 5), product(40, 42));
}
//-

// Why pairs? The dot product of two hands at the angles $\alpha$ and $\alpha'$ is
// $\sin\alpha \sin\alpha' + \cos\alpha \cos\alpha' = \cos(\alpha - \alpha')$: only the difference remains. So the dot
// product of two codes is a sum of cosines of their distance, wherever they stand. With four components, places 3 and
// 5 have the product $\cos 2 + \cos 0.02 = 0.584$, and so have places 40 and 42. A sine alone could not do this. Move
// the slider of {numref}`fig-similarity`: the curve keeps its shape and moves along.
//- how the figure is drawn
void similar() {
    const Tensor code = encoding(length, width), alike = matmul(code, transpose(code));
    const auto numbers = [](const Tensor& x) {
        const std::vector<Real> all = x.values();
        return std::vector<double>(all.begin(), all.end());
    };
    Figure figure("fig-similarity");
    std::vector<double> place, starts;
    for (Index t = 0; t < length; ++t) place.push_back(double(t));
    for (Index t = 0; t < length; t += 3) starts.push_back(double(t));
    figure
        .describe(
            "The dot product of one place with all others against their place: a peak "
            "of "
            "12 at the place itself, and falling waves to both sides. The slider moves "
            "the "
            "curve and does not change its shape.")
        .slider("place", starts, "the place that is compared", 12);
    for (const double t : starts)
        figure.at(t).line("product", place, numbers(select(alike, 0, Index(t))),
                          {.color = figure::blue, .points = false});
    figure.always()
        .ylim(0, 13)
        .x("the other place")
        .y("dot product")
        .save(
            "The dot product of the code of one place with those of all others. It "
            "depends on "
            "the distance alone: the curve moves with the place and keeps its shape.");
}
//-

// The peak is what attention needs: a query that resembles the code of its own place scores highest near that place.
// It can also look elsewhere. To go $s$ places further turns each hand by a fixed angle, a rotation that does not
// depend on the place. A rotation is a matrix, and the projection of the queries is a matrix that can learn it. A
// head of attention can look "three places back" from everywhere. Tests of the library check the rotation, and
// that no two of 10,000 places share a code.
//
// ## Which layers need it
//
// A [dense layer](layers.cpp) that reads a whole sequence has a weight for each place, so it knows all places anyway. A
// [convolution](convolution.cpp) uses the same weights everywhere: it knows which places are neighbours, but not where.
// Attention compares all pairs alike and does not even know the neighbours. We swap two places, or shift all of them,
// and compare the output with the old output, swapped or shifted in the same way:
//- three layers, swapped and shifted
void oblivious() {
    Generator random(book::seed());
    const Index n = 12, wide = 4;
    const Tensor x = random.normal({1, n, wide});
    const auto swapped = [](const Tensor& rows, Index a, Index b) {
        std::vector<Tensor> parts;
        for (Index t = 0; t < rows.size(1); ++t) {
            const Index from = t == a ? b : t == b ? a : t;
            parts.push_back(slice(rows, 1, from, from + 1));
        }
        return concat(parts, 1);
    };
    const auto gap = [](const Tensor& a, const Tensor& b) {
        return double(max(abs(a - b)).item());
    };
    const nn::Linear dense(n * wide, n * wide, random);
    const auto whole = [&](const Tensor& rows) {
        return reshape(dense(reshape(rows, {1, n * wide})), {1, n, wide});
    };
    const nn::MultiHeadAttention attention(wide, 2, random);
    const double of_dense = gap(whole(swapped(x, 2, 7)), swapped(whole(x), 2, 7)),
                 of_attention =
                     gap(attention(swapped(x, 2, 7)), swapped(attention(x), 2, 7));
    const nn::Conv1d conv(wide, wide, 3, random);
    const Tensor series = transpose(random.normal({1, n + 1, wide}));
    const Tensor before = conv(slice(series, 2, 0, n)),
                 after = conv(slice(series, 2, 1, n + 1));
    const double of_conv = gap(slice(before, 2, 1, before.size(2)),
                               slice(after, 2, 0, before.size(2) - 1));
    say("largest difference: dense layer, swapped {:.2f}; convolution, shifted {:.0e}; "
        "attention, swapped {:.0e}",
        of_dense, of_conv, of_attention);
    claim("claim-conv-attention-oblivious/a",
          "a dense layer, two places swapped: largest difference to the swapped output",
          of_dense, ">", 1e-3);
    claim("claim-conv-attention-oblivious/b",
          "a convolution, shifted by one place: largest difference in the interior",
          of_conv, "<=", 1e-5);
    claim(
        "claim-conv-attention-oblivious/c",
        "self-attention, two places swapped: largest difference to the swapped output",
        of_attention, "<=", 1e-5);
}
//-

// ## A leak at the border
//
// For an unlimited sequence this is the whole story. A finite one has ends, and a convolution with zero padding reads
// zeros there. Feed it a sequence that is 1 everywhere, so that no place differs from another:
//- constant inputs, through up to six layers
void leak() {
    Generator random(book::seed());
    const Index n = 30;
    std::vector<double> layers = {1, 2, 3, 4, 5, 6};
    Figure figure("fig-leak");
    figure
        .describe(
            "The output of a stack of convolutions for a constant input, against the "
            "place. In the middle it is flat. At both ends it bends, over one place "
            "for "
            "each layer.")
        .slider("layers", layers, "number of layers", 3);
    Tensor x = ones({1, 1, n});
    std::vector<double> place;
    for (Index t = 0; t < n; ++t) place.push_back(double(t));
    double first = 0;
    Index reached = 0;
    for (const double layer : layers) {
        const Tensor kernel = random.uniform({1, 1, 3}, Real(0.1), Real(0.5));
        x = conv1d(x, kernel / sum(kernel).item(), Tensor(), {.padding = 1});
        const std::vector<Real> all = x.values();
        if (layer == 1) first = std::abs(double(all[0] - all[n / 2]));
        reached = 0;
        while (std::abs(all[std::size_t(reached)] - all[n / 2]) > 1e-12) ++reached;
        figure.at(layer).line("output", place,
                              std::vector<double>(all.begin(), all.end()),
                              {.color = figure::blue, .points = false});
    }
    //-
    ask("After six layers with kernels of 3 and zero padding: how many places from the "
        "left "
        "end can tell from their output that they are near it?",
        {{"None: the input is the same everywhere.", reached == 0,
          "The zeros beyond the end are part of the input of the first layer."},
         {"One.", reached == 1,
          "The first layer changes one place, and the next layer carries the change "
          "on."},
         {"Six.", reached == 6,
          "Each layer carries the change one place further in."}});
    //- how the figure is drawn, and what is checked
    figure.always().ylim(0, 1.1).x("place").y("output").save(
        "The output of a stack of convolutions with kernels of 3 and zero padding, for "
        "an input of ones. With each layer, one more place at either end differs from "
        "the middle.");
    claim("claim-conv-attention-oblivious/d",
          "one layer on a constant input: the difference between border and middle",
          first, ">", 0);
}
//-

// So deep convolutional networks can learn where they are in an image, and they do {cite:p}`islam2020`. Attention
// without a mask has no such leak. With a [causal mask](attention.cpp) it has one: the first place averages over one
// value, the tenth over ten. Language models without any encoding make use of that {cite:p}`haviv2022`.
//
// ## Three ways to tell it
//
// The code can be **added** to the input, as in the first Transformer. It can be **concatenated** to the input, which
// keeps symbol and place apart, but leaves fewer components for each. And the vectors can be **learned**, one for
// each place, like those of symbols; places beyond the longest training sequence then have none. Which way works? The
// task: eight different symbols stand in random order, and the network is asked which one stands at place 3. Without
// positions every order looks the same, so that one of eight answers is right by chance.
//- the task, the network, and what is checked
enum class Way { none, added, concatenated, learned };

struct Copier {
    Way way;
    nn::Embedding symbols;
    nn::LearnedPositions table;
    nn::MultiHeadAttention attention;
    nn::Linear answer;
    Copier(Way way, Generator& random)
        : way(way),
          symbols(8, way == Way::concatenated ? 8 : 16, random),
          table(8, 16, random, 1),
          attention(16, 2, random),
          answer(16, 8, random) {}
    Tensor operator()(const Integers& said) const {
        Tensor x = symbols(said);
        const Index batch = x.size(0);
        if (way == Way::added) x = x + sinusoidal_positions(8, 16);
        if (way == Way::learned) x = table(x);
        if (way == Way::concatenated)
            x = concat({x, expand(sinusoidal_positions(8, 8), {batch, 8, 8})}, 2);
        return answer(mean(attention(x), {1}));
    }
    void visit(auto&& part) {
        part("symbols", symbols), part("table", table), part("attention", attention);
        part("answer", answer);
    }
};

// Sequences, and the symbol at place 3 of each.
std::pair<Integers, Integers> orders(Index batch, Generator& random) {
    std::vector<Index> all, third;
    for (Index b = 0; b < batch; ++b) {
        std::vector<Index> one = {0, 1, 2, 3, 4, 5, 6, 7};
        for (Index i = 7; i > 0; --i)
            std::swap(one[std::size_t(i)],
                      one[std::size_t(random.next_integer(0, i + 1))]);
        all.insert(all.end(), one.begin(), one.end());
        third.push_back(one[3]);
    }
    return {Integers({batch, 8}, all), Integers({batch}, third)};
}

double accuracy(Way way, Generator& random) {
    const Copier net(way, random);
    optim::Adam adam(nn::parameters(net), {.lr = 0.01});
    for (Index step = 0; step < passes(); ++step) {
        const auto [said, third] = orders(64, random);
        optim::train_step(adam, [&] { return cross_entropy(net(said), third); });
    }
    const NoGrad only_asking;
    const auto [said, third] = orders(1000, random);
    const auto answers = argmax(net(said)).values(), right = third.values();
    double hits = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) hits += answers[i] == right[i];
    return hits / double(answers.size());
}

void three_ways() {
    Generator random(book::seed());
    std::vector<double> none, worst;
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "draws");
        none.push_back(accuracy(Way::none, random) - 1.0 / 8);
        const double added = accuracy(Way::added, random),
                     beside = accuracy(Way::concatenated, random),
                     learned = accuracy(Way::learned, random);
        worst.push_back(std::min({added, beside, learned}));
        say("draw {}: added {:.3f}, concatenated {:.3f}, learned {:.3f}, none {:.3f}",
            draw + 1, added, beside, learned, none.back() + 1.0 / 8);
    }
    claim("sys-positional-encoding/a",
          "with positions: the smallest accuracy of the three ways", over_seeds(worst),
          ">=", 0.95);
    claim("sys-positional-encoding/b", "without positions: the accuracy above chance",
          over_seeds(none), "<=", 0.05);
}
//-

// All three ways work in most trainings, and without positions the network guesses. But a training can stall: in the
// second one the added code stops at 88 of 100 sequences. More steps alone do not cure this; run the page with
// `--steps 800` and look for trainings that stop early. A likely reason: the network must find two things at the same
// time, where to look and what to report, and until its head looks at place 3 the answers give it little to learn
// from.
//
// Why does adding not destroy the symbol? A network of width 16 has 16 directions, and training can move the vectors
// of the symbols into directions that the codes of eight places hardly use. Wide networks have far more directions
// than codes need.
//
// ## Limits and history
//
// {cite:t}`vaswani2017` chose the sinusoids, tried learned vectors as well, and found nearly the same results on
// their task. Later models put the distance where it is needed, into the dot product of query and key: rotary
// encodings turn both like hands, by an angle that grows with the place {cite:p}`su2021`. The product then contains
// the difference of the angles only, by the identity of this page, and nothing is added to the input.
//
// No encoding of this page makes a network good at sequences much longer than those it was trained on. A sinusoid
// exists for place 100,000, but the network has never seen that combination of slow hands.
//
// ## Summary
//
// A positional encoding gives each place a vector of sines and cosines, hands that turn at different speeds. The dot
// product of two codes depends on their distance alone, and a step of fixed size is a fixed rotation. Attention needs
// an encoding, convolutions need it far from the border, dense layers do not.
//
// ## What is missing
//
// Attention with positions, normalisation and dense layers is all that a Transformer needs. Chapter 4 puts the parts
// together.
//
// Before that, [the next page](quiz_components.cpp) asks eleven questions about this chapter.
//
// ```{try}
// - Fewer steps: `--steps 50`. Which of the three ways learns fastest?
// ```
void page() {
    drawn();
    by_hand();
    similar();
    oblivious();
    leak();
    three_ways();
}
