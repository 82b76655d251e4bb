// # Block quantisation: 32 weights share a scale
//
// ```{rows} eq-q4-1 sys-llama-cpp-formats
// ```
//
// A language model with seven billion weights takes 28 GB in FP32 and 14 GB in FP16, too much for a laptop with 16 GB.
// The files that people run on laptops take about 4 GB: each weight is a whole number from 0 to 15. How can four
// bits be enough? **Block quantisation** gives every 32 neighbouring weights a scale of their own. {numref}`fig-block`
// shows one block and the 16 levels that its weights may take. Move the slider: one weight grows, and the levels move
// apart for all.
//
// ```{opening} fig-block
// ```
//- includes, names and options
#include <recto/base/block_formats.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/quantized_linear.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Figure;

const book::Option<double> outlier("outlier", 1, "the factor of the ninth weight",
                                   {.least = 0, .most = 100});
const book::Option<Index> weights("weights", 262'144, "number of random weights",
                                  {.quick = 32'768, .least = 1024, .most = 4'194'304});
//-

// ## Sixteen levels
//
// Begin with four weights and two bits: −0.6, 0.1, 0.3 and 0.9, and the codes 0, 1, 2 and 3. The smallest weight gets the
// code 0, the largest the code 3. The **scale** is the distance between two levels, $(0.9 + 0.6)/3 = 0.5$, so the levels
// are −0.6, −0.1, 0.4 and 0.9. Each weight takes the nearest level. The codes are 0, 1, 2 and 3, and the **restored**
// weights −0.6, −0.1, 0.4 and 0.9. The two ends are exact, and the other two are wrong by 0.2 and 0.1, less than half a
// scale.
//
// The format **Q4_1** does this with four bits. A block holds 32 weights $w_i$, with the scale $d$, the minimum $m$ and
// the codes $q_i$:
//
// ```{equation} eq-q4-1
// :function: recto::encode_block
// :test: block formats: the bytes of the gguf package
// d = \frac{\max_i w_i - m}{15}, \qquad m = \min_i w_i, \qquad
// q_i = \Big\lfloor \frac{w_i - m}{d} + \frac12 \Big\rfloor, \qquad \hat w_i = d\, q_i + m
// ```
//
// A block stores $d$, $m$ and 32 codes. In C++, with a scale and a minimum that are rounded to
// [FP16](../foundations/small_numbers.cpp) when the block is stored:
struct Block {
    float d, m;
    std::array<int, 32> q;
};
Block encoded(std::span<const float> w) {
    const auto [low, high] = std::ranges::minmax(w);
    const float d = (high - low) / 15, times = d > 0 ? 1 / d : 0;
    Block block{decode(encode(d, fp16), fp16), decode(encode(low, fp16), fp16), {}};
    for (std::size_t i = 0; i < 32; ++i)
        block.q[i] = std::min(15, int((w[i] - low) * times + 0.5f));
    return block;
}
float restored(const Block& block, std::size_t i) {
    return block.d * float(block.q[i]) + block.m;
}

//- the first figure, and the sizes
std::vector<double> numbered() {
    std::vector<double> places;
    for (int i = 1; i <= block_size; ++i) places.push_back(i);
    return places;
}

// One block of random weights; the ninth is multiplied.
std::vector<float> one_block(double factor) {
    Generator random(book::seed());
    const std::vector<Real> drawn = random.normal({block_size}).values();
    std::vector<float> w(drawn.begin(), drawn.end());
    w[8] = float(2 * factor);
    return w;
}

void draw_block() {
    const std::vector<double> factors = figure::settings(outlier, {1, 2, 4, 8, 16, 32});
    Figure figure("fig-block");
    figure
        .describe(
            "32 grey dots, the weights of a block, and 32 red dots, the restored "
            "weights, over 16 thin level lines. As the slider makes the ninth weight "
            "larger, the lines move apart and the red dots of all other weights fall "
            "onto a few of them.")
        .slider(outlier, factors, "the ninth weight, multiplied by");
    for (const double factor : factors) {
        const std::vector<float> w = one_block(factor);
        const Block block = encoded(w);
        std::vector<double> was, is;
        for (std::size_t i = 0; i < 32; ++i)
            was.push_back(w[i]), is.push_back(restored(block, i));
        std::vector<double> x, y;
        for (int q = 0; q < 16; ++q) {
            const double level = block.d * float(q) + block.m;
            x.insert(x.end(), {0.0, 33.0, std::numeric_limits<double>::quiet_NaN()});
            y.insert(y.end(), {level, level, std::numeric_limits<double>::quiet_NaN()});
        }
        figure.at(factor)
            .line("", x, y, {.color = figure::grey, .width = 0.5, .points = false})
            .dots("weight", numbered(), was, {.color = figure::grey, .width = 4})
            .dots("restored", numbered(), is, {.color = figure::red, .width = 3});
    }
    figure.always()
        .x("place in the block")
        .y("weight")
        .ylim(-2.5, 3)
        .save(
            "A block of 32 random weights in Q4_1. Each weight takes the nearest of 16 "
            "levels, which reach from the smallest weight to the largest. A single "
            "large weight moves the levels apart, and the other 31 weights of its "
            "block share the few levels that are left to them. The next block is not "
            "affected. From a factor of 2 on, the large weight itself is beyond the "
            "upper edge.");
    for (const double factor : factors) {
        const std::vector<float> w = one_block(factor);
        const Block block = encoded(w);
        std::vector<int> used;
        for (std::size_t i = 0; i < 32; ++i)
            if (i != 8 && std::ranges::find(used, block.q[i]) == used.end())
                used.push_back(block.q[i]);
        say("factor {}: scale {:.3f}, the other 31 weights take {} levels", factor,
            block.d, used.size());
    }
    for (const BlockFormat f : block_formats)
        say("7 billion weights in {}: {:.2f} GB", f.name, 7 * f.bits_per_weight() / 8);
}
//-

// Four bits for a code and two FP16 numbers for 32 weights make $4 + 32/32 = 5$ bits for each weight. How far is a
// restored weight from the original? Rounding moves it by at most $d/2$. On top of that comes the rounding of $d$ and $m$
// to FP16, by at most one part in 2,048 each: that moves a weight by up to $15 d/2048$ and $|m|/2048$. We store 8,192
// blocks of weights from the standard normal distribution:
//- what is checked about Q4_1
std::vector<float> random_weights(std::uint64_t draw) {
    Generator random(1000 * draw + book::seed());
    const std::vector<Real> drawn =
        random.normal({weights() / block_size * block_size}).values();
    return {drawn.begin(), drawn.end()};
}

double relative_error(const std::vector<float>& was, const std::vector<float>& is) {
    double error = 0, size = 0;
    for (std::size_t i = 0; i < was.size(); ++i) {
        const double e = double(is[i]) - double(was[i]);
        error += e * e, size += double(was[i]) * double(was[i]);
    }
    return std::sqrt(error / size);
}

std::vector<float> back_from(const std::vector<float>& w, BlockFormat f) {
    const Tensor x({Index(w.size())}, std::vector<Real>(w.begin(), w.end()));
    const std::vector<Real> numbers = dequantize(quantize(x, f)).values();
    return {numbers.begin(), numbers.end()};
}

void check_q4_1() {
    std::vector<double> errors;
    Index differ = 0, lost_ends = 0, ends = 0;
    double far = 0, mean_range = 0, excess = 0;
    for (std::uint64_t draw = 0; draw < 3; ++draw) {
        const std::vector<float> w = random_weights(draw), library = back_from(w, q4_1);
        std::vector<float> here, again;
        for (std::size_t b = 0; b < w.size(); b += 32) {
            const std::span<const float> of_block(&w[b], 32);
            const Block block = encoded(of_block);
            const double d = block.d, m = block.m;
            for (std::size_t i = 0; i < 32; ++i) {
                here.push_back(restored(block, i));
                const double rounding = (15 * d + std::abs(m)) / 2048;
                const double off = std::abs(double(here.back()) - double(w[b + i]));
                excess = std::max(excess, (off - rounding) / (d / 2));
            }
            const auto [low, high] = std::ranges::minmax_element(of_block);
            mean_range += double(*high - *low) * 32 / double(3 * w.size());
            for (const auto end : {low, high})
                far = std::max(
                    far,
                    std::abs(double(here[b + std::size_t(end - of_block.begin())]) -
                             double(*end)) /
                        d);
        }
        // Stored once more, the restored weights have a scale and a minimum in FP16.
        again = back_from(here, q4_1);
        for (std::size_t b = 0; b < w.size(); b += 32) {
            const std::span<const float> first(&here[b], 32);
            const auto [low, high] = std::ranges::minmax_element(first);
            for (const auto end : {low, high}) {
                ++ends;
                lost_ends += again[b + std::size_t(end - first.begin())] != *end;
            }
        }
        for (std::size_t i = 0; i < w.size(); ++i) differ += here[i] != library[i];
        errors.push_back(relative_error(w, library));
    }
    say("{} blocks in each of three draws; the mean range of a block is {:.2f}",
        weights() / 32, mean_range);
    claim("", "weights of the lines above that differ from the library's Q4_1", differ,
          "==", 0);
    claim("eq-q4-1/a",
          "the largest distance of a restored weight from the original, without the "
          "rounding to FP16, in half scales",
          excess, "<=", 1);
    claim("eq-q4-1/d",
          fmt::format("of {} smallest and largest weights of blocks whose scale and "
                      "minimum are FP16 numbers, those not restored exactly",
                      ends),
          lost_ends, "==", 0);
    say("with any scale and minimum, FP16 moves the ends by at most {:.4f} scales",
        far);
    book::claim_in("eq-q4-1/c", "relative root mean squared error on Gaussian weights",
                   over_seeds(errors), 0.0772, 0.0792);
}
//-

// The relative error is the root of the mean squared error, divided by the root of the mean squared weight. A weight that
// falls anywhere between two levels with equal chance is off by $d/\sqrt{12}$ in this sense, and the range of 32 normal
// numbers is about 4.1 standard deviations on average. This predicts $4.1/(15 \sqrt{12}) = 0.079$. Is 8 % much? A network
// answers that, on [the next page](quantisation.cpp).
//
// ## Five formats, byte by byte
//
// Q4_1 is one of a family. The program *llama.cpp* {cite:p}`llamacpp` made it popular, and files in its format GGUF store
// weights in exactly these bytes:
//- the layout, and what is checked
struct Field {
    BlockFormat format;
    int begin, count;
    std::string holds;
    std::vector<int> (*read_by)(
        int byte);  // the weights that read byte number `byte` of the field
};

std::vector<int> all_weights(int) {
    std::vector<int> all;
    for (int i = 0; i < 32; ++i) all.push_back(i);
    return all;
}
std::vector<int> eight_weights(int byte) {
    std::vector<int> eight;
    for (int i = 8 * byte; i < 8 * byte + 8; ++i) eight.push_back(i);
    return eight;
}
std::vector<int> two_weights(int byte) { return {byte, byte + 16}; }
std::vector<int> one_weight(int byte) { return {byte}; }

const char *scale = "scale, FP16", *smallest = "minimum, FP16", *fifth = "fifth bits",
           *codes = "codes, two in a byte", *bytes = "codes, one in a byte";
const std::vector<Field> layout = {
    {q4_0, 0, 2, scale, all_weights},   {q4_0, 2, 16, codes, two_weights},
    {q4_1, 0, 2, scale, all_weights},   {q4_1, 2, 2, smallest, all_weights},
    {q4_1, 4, 16, codes, two_weights},  {q5_0, 0, 2, scale, all_weights},
    {q5_0, 2, 4, fifth, eight_weights}, {q5_0, 6, 16, codes, two_weights},
    {q5_1, 0, 2, scale, all_weights},   {q5_1, 2, 2, smallest, all_weights},
    {q5_1, 4, 4, fifth, eight_weights}, {q5_1, 8, 16, codes, two_weights},
    {q8_0, 0, 2, scale, all_weights},   {q8_0, 2, 32, bytes, one_weight}};

// The weights that change when a byte of a block changes.
std::vector<int> changed_by(std::vector<std::uint8_t> block, int at, int bits,
                            BlockFormat f) {
    std::array<float, 32> before{}, after{};
    decode_block(block.data(), before.data(), f);
    block[std::size_t(at)] = std::uint8_t(block[std::size_t(at)] ^ bits);
    decode_block(block.data(), after.data(), f);
    std::vector<int> changed;
    for (int i = 0; i < 32; ++i)
        if (before[std::size_t(i)] != after[std::size_t(i)]) changed.push_back(i);
    return changed;
}

void check_layout() {
    std::vector<std::vector<book::Cell>> rows;
    std::vector<std::vector<std::uint8_t>> blocks;
    for (const BlockFormat f : block_formats) {
        // No code is 0 or becomes 0, so that every weight shows a change of the scale.
        std::vector<std::uint8_t> block(std::size_t(f.bytes()),
                                        f.bits == 8 ? 0x5A : 0x5C);
        block[0] = 0x00, block[1] = 0x3C;  // 1 in FP16
        if (f.minimum) block[2] = 0x00, block[3] = 0x40;
        blocks.push_back(block);
    }
    Index wrong = 0, lengths = 0;
    for (std::size_t k = 0; k < block_formats.size(); ++k) {
        const BlockFormat f = block_formats[k];
        std::string words;
        int end = 0;
        for (const Field& field : layout) {
            if (!(field.format == f)) continue;
            words +=
                fmt::format("{}{} ({})", end ? ", " : "", field.holds, field.count);
            lengths += field.begin != end;
            end += field.count;
            for (int byte = 0; byte < field.count; ++byte) {
                const bool half = field.holds == scale || field.holds == smallest;
                wrong += changed_by(blocks[k], field.begin + byte, half ? 0x04 : 0xFF,
                                    f) != field.read_by(byte);
            }
        }
        lengths += end != f.bytes();
        rows.push_back({f.name, words, f.bytes(), f.bits_per_weight()});
    }
    book::table("layout",
                "The bytes of a block, in their order; in brackets how many. Byte $i$ "
                "of the codes holds "
                "code $i$ in its lower half and code $16 + i$ in its upper half. The "
                "fifth bits are those of codes 0 to "
                "7 in the first byte, lowest bit first, and so on.",
                {"format", "a block holds", "bytes", "bits per weight"}, rows);
    claim("sys-llama-cpp-formats/c",
          "bytes of the five formats that other weights read than the table says, and "
          "fields "
          "that do not follow one another",
          wrong + lengths, "==", 0);

    // Measured on the blocks that are stored, not computed from the table.
    const std::vector<float> w = random_weights(0);
    const Tensor x({Index(w.size())}, std::vector<Real>(w.begin(), w.end()));
    std::vector<double> bits;
    Index changed = 0;
    for (const BlockFormat f : block_formats) {
        const std::vector<std::uint8_t> written = quantize(x, f).bytes();
        bits.push_back(8.0 * double(written.size()) / double(w.size()));
        const QuantizedTensor read(x.shape(), f, written);
        const std::vector<std::uint8_t> again = quantize(dequantize(read), f).bytes();
        for (std::size_t i = 0; i < written.size(); ++i)
            changed += again[i] != written[i];
    }
    claim("eq-q4-1/b", "bits per weight in Q4_1", bits[1], "==", 5.0);
    claim_true("sys-llama-cpp-formats/a",
               fmt::format("bits per weight of Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0: {}",
                           fmt::join(bits, ", ")),
               bits == std::vector<double>{4.5, 5.0, 5.5, 6.0, 8.5});
    claim(
        "sys-llama-cpp-formats/d",
        "bytes of all formats that change when blocks are written, read, restored and "
        "stored again",
        changed, "==", 0);
}
//-

// The table is part of the program: the check changes one byte after the other and records which weights change. A
// test compares all bytes with those of llama.cpp's own Python package, *gguf*, for four matrices in each format.
//
// Decode a block of Q4_0 by hand, one of those that the check begins with. It has 18 bytes: 00 3C and then sixteen
// times 5C, in hexadecimal digits. The first two are the scale, lower byte first, and 3C00 is the FP16 number 1. Byte
// 0 of the codes is 5C. Its lower half, C, is 12, and its upper half is 5. Q4_0 subtracts 8 from each: the codes are 4
// and −3. So weight 0 is $1 \cdot 4 = 4$, and weight 16 is $1 \cdot (-3) = -3$. All bytes of codes are alike, so
// weights 0 to 15 are 4, and weights 16 to 31 are −3.
//
// Q4_1 and Q5_1 store a minimum. Q4_0 and Q5_0 do without, and their codes are signed. Those of Q4_0 go from −8 to 7,
// and the weight of largest size always gets −8, with a negative scale if it is positive. So there is always a level at
// 0, and a weight that is exactly 0 stays 0. With a minimum it usually becomes a small number, since no level lies at 0.
//
// You now know enough to guess what a minimum is worth:
//- the question, and how the figure is drawn
std::vector<float> with_tails(
    std::vector<float> w) {  // every thousandth weight is 20 times as large
    for (std::size_t i = 0; i < w.size(); i += 1000) w[i] *= 20;
    return w;
}

void compare_formats() {
    std::vector<double> bits, plain, tails, steps, below;
    figure::Names names;
    std::vector<std::string> lines;  // printed after the question
    const std::vector<float> w = random_weights(0), wild = with_tails(w);
    std::vector<float> zeros_in = w;
    for (std::size_t i = 0; i < w.size(); i += 2) zeros_in[i] = 0;
    for (const BlockFormat f : block_formats) {
        bits.push_back(f.bits_per_weight());
        plain.push_back(relative_error(w, back_from(w, f)));
        names.push_back(f.name), below.push_back(plain.back() * 0.75);
        tails.push_back(relative_error(wild, back_from(wild, f)));
        const std::vector<float> back = back_from(zeros_in, f);
        Index kept = 0;
        for (std::size_t i = 0; i < w.size(); i += 2) kept += back[i] == 0;
        lines.push_back(fmt::format(
            "{}: relative error {:.4f}, with large weights {:.4f}; zeros restored as "
            "zero: {:.1f} %",
            f.name, plain.back(), tails.back(),
            200.0 * double(kept) / double(w.size())));
    }
    for (std::size_t i = 0; i + 1 < plain.size(); ++i)
        steps.push_back(plain[i + 1] / plain[i]);
    const double gain = 1 - plain[1] / plain[0];
    ask("One bit more for each code, from Q4_0 to Q5_0, halves the error. A minimum "
        "for each block, from Q4_0 to Q4_1, "
        "costs half a bit. By how much does it lower the error on Gaussian weights?",
        {{"By about 30 %: half a bit gives half of what a bit gives.", gain > 0.2,
          "The range of a block is what is divided into levels, and a minimum changes "
          "the range little: the smallest and "
          "the largest of 32 normal numbers are about equally far from zero."},
         {"By less than 20 %.", gain > 0 && gain <= 0.2,
          "Q4_0 spreads 16 levels over a range that is symmetric around zero. The "
          "smallest and the largest of 32 normal "
          "numbers are about equally far from zero, so Q4_1 gains only the little by "
          "which they differ."},
         {"Not at all: the error rises, since the minimum is rounded, too.", gain <= 0,
          "The rounding to FP16 is far smaller than the distance of two levels."}});
    for (const std::string& line : lines) say("{}", line);
    Figure("fig-block-errors")
        .describe(
            "The relative error against the bits per weight, on a logarithmic axis, "
            "for five formats. Two falling "
            "lines of dots: that for weights with outliers lies above that for "
            "Gaussian weights.")
        .line("Gaussian weights", bits, plain, {.color = figure::blue})
        .line("with rare large weights", bits, tails, {.color = figure::red})
        .words("", bits, below, names)
        .log_y()
        .x("bits per weight")
        .y("relative error")
        .xlim(4, 9)
        .save(
            "The error of the formats Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0, from left to "
            "right. The steps are uneven: a "
            "minimum lowers the error little, a bit more for each code halves it.");
    claim("sys-llama-cpp-formats/b",
          "the error of each format over that of the next smaller one, the largest of "
          "four ratios",
          std::ranges::max(steps), "<", 1);
}
//-

// ## Why 32?
//
// A larger block saves bits: its scale and minimum are shared by more weights. But its range is larger, and a large weight
// spoils more of them. We round the same weights to 16 levels, in groups of 8 to 8,192, with the library's
// {cpp:func}`~recto::fake_quantize`:
//- how the figure is drawn
void compare_sizes() {
    std::vector<double> sizes, bits, plain, tails;
    const std::vector<float> w = random_weights(0), wild = with_tails(w);
    const auto error = [](const std::vector<float>& was, Index group) {
        const Tensor x({Index(was.size())}, std::vector<Real>(was.begin(), was.end()));
        const std::vector<Real> is = fake_quantize(x, 16, group).values();
        return relative_error(was, {is.begin(), is.end()});
    };
    for (Index group = 8; group <= 8192; group *= 2) {
        sizes.push_back(double(group)), bits.push_back(4 + 32 / double(group));
        plain.push_back(error(w, group)), tails.push_back(error(wild, group));
    }
    Figure("fig-block-sizes")
        .describe(
            "Two panels against the number of weights in a block. Left, the bits per "
            "weight fall from 8 towards 4. "
            "Right, the relative error rises, slowly for Gaussian weights, much faster "
            "for weights with outliers.")
        .panel("size")
        .line("", sizes, bits, {.color = figure::ink})
        .log_x()
        .x("weights in a block")
        .y("bits per weight")
        .panel("error")
        .line("Gaussian weights", sizes, plain, {.color = figure::blue})
        .line("with rare large weights", sizes, tails, {.color = figure::red})
        .log_axes()
        .x("weights in a block")
        .y("relative error")
        .save(
            "Sixteen levels for a block, with a scale and a minimum of 16 bits each. "
            "Blocks of 32 cost one bit for each "
            "weight beside its code.");
    for (std::size_t i = 0; i < sizes.size(); i += 2)
        say("blocks of {}: {:.3f} bits per weight, error {:.3f}, with large weights "
            "{:.3f}",
            sizes[i], bits[i], plain[i], tails[i]);
}
//-

// Small blocks contain the damage: a large weight spoils the levels of its own block and of no other
// {cite:p}`dettmers2022`. At 32 weights the scale and the minimum together cost one bit for each weight.
//
// ## A product that reads blocks
//
// A network needs products. Nothing has to be restored beforehand: a row of blocks can be multiplied while it is read, so
// the processor fetches 5 bits in place of 32 for each weight.
struct Products {
    Tensor exact, from_blocks, from_restored;
};
Products products(const Tensor& x, const Tensor& w, BlockFormat f) {
    const QuantizedTensor blocks = quantize(w, f);
    return {linear(x, w), quantized_linear(x, blocks), linear(x, dequantize(blocks))};
}

//- what is checked about products
double size_of(const Tensor& x) {
    double total = 0;
    for (const Real v : x.values()) total += double(v) * double(v);
    return std::sqrt(total);
}

void check_products() {
    const Index out = 1024, in = std::max<Index>(32, weights() / out / 32 * 32);
    Generator random(book::seed() + 7);
    const Tensor w = random.normal({out, in}), x = random.normal({1, in});
    double apart = 0;
    for (const BlockFormat f : block_formats) {
        const Products y = products(x, w, f);
        apart = std::max(apart,
                         size_of(y.from_blocks - y.from_restored) / size_of(y.exact));
        const std::vector<Real> was = w.values(),
                                is = dequantize(quantize(w, f)).values();
        say("{}: relative error of the weights {:.4f}, of the product {:.4f}", f.name,
            relative_error({was.begin(), was.end()}, {is.begin(), is.end()}),
            size_of(y.from_blocks - y.exact) / size_of(y.exact));
    }
    claim("",
          "the product from blocks against the product with restored weights, relative "
          "difference",
          apart, "<=", 1e-6);
}
//-

// The relative error of the product is that of the weights. Adding many products does not average the errors away: errors
// and products have random signs here, and both sums grow with the root of the number of terms. In a trained network the
// products of a unit may agree in sign. Their sum then grows faster than that of the errors, and rounding hurts less.
//
// ## Summary
//
// Block quantisation stores a whole number of four, five or eight bits for each weight, and a scale, perhaps a minimum, for
// every 32. A restored weight is at most half a scale from the original, up to the rounding of scale and minimum to FP16.
// On Gaussian weights Q4_1 takes 5 bits and leaves a relative error of 8 %; another bit for each code halves the error.
//
// ## What is missing
//
// Whether a network still works after an error of 8 % is the question of [the next page](quantisation.cpp). In newer
// formats of llama.cpp, the *K-quants*, 256 weights form a block of blocks, whose scales are quantised themselves. The
// kernel here is a plain loop: how much faster few bits can be is not measured yet.
//
// ```{exercises}
// - [Weights in blocks of four and eight bits](/exercises/running/weight_blocks.md)
// ```
//
// ```{try}
// - Spoil the block further: `--outlier 100`. How many levels are left to the other weights?
// - Fewer blocks: `--weights 1024`. How far does the measured error scatter around 0.078? Try some seeds: `--seed 2`.
// ```

void page() {
    draw_block();
    check_q4_1();
    check_layout();
    compare_formats();
    compare_sizes();
    check_products();
}
