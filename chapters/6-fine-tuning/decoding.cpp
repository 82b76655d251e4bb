// # Decoding: a key–value cache, and what memory allows
//
// ```{rows} sys-kv-cache claim-decode-memory-bound
// ```
//
// A language model writes one token after another, and each new token depends on all those before. Must it read the
// whole text again for every token? Nearly everything that it would compute has been computed before. A **key–value
// cache** keeps it. {numref}`fig-kept` shows the pairs of queries and keys that a head multiplies when a token is added.
// Move the slider: one triangle grows, and the other panel only gains a row.
//
// ```{opening} fig-kept
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/block_formats.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/device/threads.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/quantized_linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::say, book::timing;
using figure::Figure, figure::Names;

const book::Option<double> place("place", 8, "the token that is added",
                                 {.least = 1, .most = 16});
const book::Option<Index> length("length", 256, "tokens of the longest text",
                                 {.quick = 32, .least = 16, .most = 1024});
const book::Option<Index> side("side", 4096,
                               "rows and columns of the matrix that is read",
                               {.quick = 256, .least = 64, .most = 8192});
//-

//- how the figure is drawn
void draw_kept() {
    const Index most = 16;
    Names names;
    for (Index t = 1; t <= most; ++t) names.push_back(std::to_string(t));
    const std::vector<double> stops = {1, 2, 4, 8, 12, 16};
    const std::vector<double> settings = figure::settings(place, stops);
    Figure figure("fig-kept");
    figure
        .describe(
            "Two squares of 16 queries and 16 keys. Without a cache, a yellow triangle "
            "with as many rows as there "
            "are tokens. With a cache, one yellow row, and the triangle before it is "
            "blue.")
        .slider(place, stops, "the token that is added");
    for (const bool cached : {false, true}) {
        figure.always().panel(cached ? "with a cache" : "without a cache").bare();
        for (const double now : settings) {
            std::vector<Real> pairs;
            for (Index q = 1; q <= most; ++q)
                for (Index k = 1; k <= most; ++k) {
                    const bool seen = k <= q && double(q) <= now,
                               fresh = !cached || double(q) == now;
                    pairs.push_back(Real(seen ? (fresh ? 1 : 0.25) : 0));
                }
            figure.at(now).heatmap("", names, names, pairs, 0, 1);
        }
        figure.always().x("key").y("query");
    }
    figure.save(
        "The pairs of a query (rows) and a key (columns) that one head multiplies when "
        "a token is added: yellow. "
        "Blue: pairs that were multiplied for earlier tokens and are not needed "
        "again.");
    for (const Index t : {4, 8, 16})
        say("token {}: {} pairs without a cache, {} with", t, t * (t + 1) / 2, t);
}
//-

// ## Why the past does not change
//
// In a model that reads from left to right, a position sees itself and earlier positions only. So a token that is added
// changes nothing before it: all earlier keys, values and outputs stay as they are. Of everything in the earlier
// positions, the new token needs the **keys** and the **values** of each attention layer. The queries have done their
// work.
//
// Take a head with keys of one number and no scale. Three tokens have the keys 0, 0 and 1, and the values 2, 4 and 6.
// The fourth token has the query 1, the key 0 and the value 8. It appends its key and its value, and its scores are
// 0, 0, 1 and 0. Their exponentials are 1, 1, 2.718 and 1, with the sum 5.718, so its output is
// $(2 + 4 + 2.718 \cdot 6 + 8)/5.718 = 5.30$. That took four products of a query and a key. Without the cache the first
// three tokens would be computed again, with 1, 2 and 3 products, and their outputs would be the same as before.
//
// For a model with $L$ layers of width $d$, the new token at place $t$ costs
//
// ```{math}
// :label: eq-decode
// \underbrace{12\, L\, d^2}_{\text{matrices}} + \underbrace{2\, L\, t\, d}_{\text{attention}}
// ```
//
// multiplications, and those of the scores at the end. The matrices of a layer have $12 d^2$ weights, and each multiplies
// one number of the new token. In attention, $t$ keys and $t$ values of $d$ numbers are multiplied. In the library the
// cache is an argument of the model ({cpp:struct}`~recto::nn::KeyValueCache`). We let a model read a text token by token,
// compare its scores with those of a single pass, and count:
//- the comparison with a whole pass, and the counts
nn::Gpt a_model(Index layers, Index width) {
    Generator random(book::seed());
    return {{.tokens = 64, .time = 1024, .layers = layers, .width = width, .heads = 4},
            random};
}

std::vector<Index> a_text(Index tokens) {
    return Generator(book::seed() + 1).integers({tokens}, 0, 64).values();
}

void check_cache() {
    const NoGrad off;
    const Index layers = 2, width = 64;
    const nn::Gpt model = a_model(layers, width);
    const std::vector<Index> text = a_text(length());
    const Tensor whole = model(Integers({1, length()}, text));
    std::vector<nn::KeyValueCache> caches = model.caches(1, length());
    double apart = 0, uneven = 0;
    std::vector<double> tokens, cached, again;
    const double matrices = double(layers * 12 * width * width + 64 * width);
    for (Index t = 1; t <= length(); ++t) {
        const FlopCount count;
        const Tensor scores =
            model(Integers({1, 1}, {text[std::size_t(t - 1)]}), caches);
        const double products = double(count.multiply_adds());
        const Tensor want = slice(whole, 1, t - 1, t);
        apart = std::max(apart, double(max(abs(scores - want)).item()));
        uneven = std::max(uneven, std::abs((products - matrices) / double(t) -
                                           double(2 * layers * width)));
        tokens.push_back(double(t)), cached.push_back(products);
        again.push_back(double(t) * matrices + double(layers * width * t * (t + 1)));
    }
    claim("sys-kv-cache/a",
          "largest difference of the scores with the cache from those of one pass over "
          "the text",
          apart, "<=", 1e-5);
    claim("sys-kv-cache/b",
          "multiplications of attention for token t, divided by t: largest difference "
          "from 2 L d, counted",
          uneven, "==", 0);
    Figure figure("fig-decode-cost");
    figure
        .describe(
            "Two lines over the place of the token, both axes logarithmic. With a "
            "cache the line is nearly flat and "
            "bends upwards at the end; without, it rises from the start.")
        .line("without a cache", tokens, again, {.color = figure::red, .points = false})
        .line("with a cache", tokens, cached, {.color = figure::blue, .points = false})
        .log_axes()
        .x("place of the token")
        .y("multiplications for one token")
        .save(
            "What one more token costs in a model with two layers of width 64. The "
            "line with a cache was counted while "
            "the model ran.");
    say("the last of {} tokens: {:.0f} multiplications with the cache, {:.0f} without",
        length(), cached.back(), again.back());
}
//-

// ## The price: memory
//
// Equation {eq}`eq-decode` has two parts. The first is the same for every token, the second grows with the text.
//- the question
void bet() {
    const double width = 768, equal = 12 * width * width / (2 * width);
    ask("GPT-2 small has 12 layers of width 768 and reads at most 1,024 tokens. From "
        "which place on does attention to the "
        "cache cost more multiplications than the matrices?",
        {{"From about 80 on: the twelve layers each have a cache.", equal < 100,
          "The layers have twelve caches, but also twelve times the matrices. The "
          "number of layers cancels."},
         {"From about 770 on: when the text is as long as the width.",
          equal > 700 && equal < 900,
          "There $2td$ is $2d^2$, and the matrices have $12 d^2$ weights."},
         {"Never: it would take more tokens than the model reads.", equal > 1024,
          "$2td$ reaches $12d^2$ at $t = 6d$, which is 4,608. Below that, most of the "
          "work is in the matrices."}});
    const double bytes = 2.0 * 12 * 1024 * width * 4;
    say("equal at token {:.0f}; the cache of 1,024 tokens takes {:.1f} MB in FP32",
        equal, bytes / 1e6);
}
//-

// What a cache costs is memory: $2 L t d$ numbers, more than the matrices have as soon as $t > 6d$. With a width of 4,096
// that is a text of 24,576 tokens. So the largest model of Llama 2 and all models of Llama 3 let several query heads share
// the keys and values of one head {cite:p}`ainslie2023`, and the cache shrinks by that factor.
//
// ## What limits the speed
//
// With a cache each weight is used once for a new token: one multiplication for four bytes that must come from memory. A
// processor multiplies far faster than its memory delivers ([Hardware](../foundations/hardware.cpp)). So the time of a
// token is about the bytes of the weights, divided by the bandwidth, and fewer bytes mean more tokens a second. That is
// the second reason, after space, to store weights in [few bits](block_formats.cpp). We measure a matrix of 4,096 rows and
// columns times a vector, with the matrix in five forms.
//- the matrix in FP16, and the measurement
// A product with a matrix of FP16 numbers, two in each word of 32 bits: those with even places in the lower halves. Four
// words at a time become floats by a shift and a product, since a float has 112 more in its exponent.
using Words [[gnu::vector_size(16)]] = std::uint32_t;
using Floats [[gnu::vector_size(16)]] = float;

Floats floats_of(Words half) {
    const Floats size = Floats((half & 0x7FFFu) << 13) * 0x1p112f;
    return Floats(Words(size) | (half & 0x8000u) << 16);
}

std::vector<float> times_half(const std::vector<std::uint16_t>& w,
                              const std::vector<Real>& x) {
    const std::size_t in = x.size();
    std::vector<float> even, odd, y(w.size() / in);
    for (std::size_t i = 0; i < in; i += 2)
        even.push_back(float(x[i])), odd.push_back(float(x[i + 1]));
    parallel(Index(y.size()), 64, [&](Index begin, Index end) {
        for (Index j = begin; j < end; ++j) {
            const std::uint16_t* row = w.data() + std::size_t(j) * in;
            Floats low{}, high{};
            for (std::size_t i = 0; i < in; i += 8) {
                Words words;
                Floats a, b;
                std::memcpy(&words, row + i, sizeof words);
                std::memcpy(&a, even.data() + i / 2, sizeof a);
                std::memcpy(&b, odd.data() + i / 2, sizeof b);
                low += floats_of(words & 0xFFFFu) * a;
                high += floats_of(words >> 16) * b;
            }
            const Floats both = low + high;
            y[std::size_t(j)] = both[0] + both[1] + both[2] + both[3];
        }
    });
    return y;
}

struct Form {
    std::string name;
    double bytes, seconds;
};

void measure() {
    const NoGrad off;
    Generator random(book::seed());
    const Index n = side() / 32 * 32;  // whole blocks
    const Tensor w = random.normal({n, n}), x = random.normal({1, n});
    const std::vector<Real> numbers = w.values(), with = x.values();
    std::vector<std::uint16_t> halves;
    for (const Real v : numbers)
        halves.push_back(std::uint16_t(encode(float(v), fp16)));
    const double count = double(n * n);
    const std::vector<float> rounded = times_half(halves, with);
    const std::vector<Real> exact = linear(x, w).values();
    double apart = 0, largest = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        apart = std::max(apart, std::abs(double(rounded[i]) - double(exact[i])));
        largest = std::max(largest, std::abs(double(exact[i])));
    }
    claim("",
          "largest difference of the product in FP16 from that in FP32, over the "
          "largest number",
          apart / largest, "<=", 0.001);
    std::vector<Form> forms;
    const auto add = [&](const std::string& name, double bytes, auto&& product) {
        forms.push_back({name, bytes, book::median_seconds(product, 9)});
    };
    add("FP32", 4 * count, [&] { linear(x, w); });
    add("FP16", 2 * count, [&] { times_half(halves, with); });
    for (const BlockFormat f : {q8_0, q4_1, q4_0}) {
        const QuantizedTensor q = quantize(w, f);
        add(f.name, double(q.nbytes()), [&] { quantized_linear(x, q); });
    }
    Figure figure("fig-decode-time");
    figure.describe(
        "Five dots: time over bytes, each with its format. FP32 has most bytes; the "
        "block formats have few bytes and short times.");
    double longest = 0;
    for (const Form& f : forms) {
        timing("{}: {:.1f} MB, {:.2f} ms, {:.1f} GB/s", f.name, f.bytes / 1e6,
               1000 * f.seconds, f.bytes / f.seconds / 1e9);
        figure.dots(f.name, {f.bytes / 1e6}, {1000 * f.seconds}, {.width = 6});
        longest = std::max(longest, 1000 * f.seconds);
    }
    figure.x("megabytes of the matrix")
        .y("milliseconds of a product")
        .xlim(0, 1.1 * forms[0].bytes / 1e6)
        .ylim(0, 1.2 * longest)
        .save(
            "The time of a matrix times a vector on this machine, over the bytes of "
            "the matrix. On a straight line through the "
            "origin, memory would be all that counts.");
    claim("claim-decode-memory-bound/b", "bytes of Q4_1 over those of FP32",
          forms[3].bytes / forms[0].bytes, "==", 5.0 / 32);
    book::timing_claim("claim-decode-memory-bound/a",
                       "time in Q4_1 over the time in FP32",
                       forms[3].seconds / forms[0].seconds, "<=", 1);
    book::shows("claim-decode-memory-bound/c", "fig-decode-time");
}
//-

// In {numref}`fig-decode-time`, the three block formats take less time than FP32, but not in proportion to their bytes. A
// weight in FP16 or in a block must become a float before it can be multiplied, and then the processor, not the memory,
// may be what takes the time. The library's product of blocks reads them as they are stored, turns eight codes into
// floats at once, and multiplies their sum by the scale at the end of the block:
//
// ```{excerpt} recto/ops/products/quantized_linear.cpp codes_of
// ```
//
// A matrix times many vectors is another matter: each weight is used often once it is there. So reading a prompt, whose
// tokens are all known, is limited by arithmetic, and writing the answer by memory.
//
// ## Summary
//
// Keys and values of earlier tokens never change in a model that reads from left to right, so they are kept. A new token
// goes through the matrices once, and its attention costs work in proportion to the length of the text. Without the cache
// all earlier tokens would go through both again. The cache takes memory in proportion to the length. What remains is to
// read every weight once for each token, and that takes as long as memory needs: weights in fewer bytes make a model
// faster as well as smaller.
//
// ## What is missing
//
// The weights come from somewhere: [the next page](weight_files.cpp) writes them to a file, reads them back, and runs the
// model.
//
// ```{exercises}
// - [Attention with a cache of keys and values](/exercises/running/token_cache.md)
// ```
//
// ```{try}
// - A smaller matrix, `--side 512`, fits into the processor's cache. Which format gains least?
// - Count what a longer text costs: `--length 1024`.
// ```

void page() {
    draw_kept();
    check_cache();
    bet();
    measure();
}
