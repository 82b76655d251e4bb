// # Quantisation after training: how few bits does a network need?
//
// ```{rows} sys-quantization sys-ptq-calibration
// ```
//
// A trained network is a list of numbers, and the list is long. Stored with four bits for each in place of 32, it takes
// between a sixth and an eighth of the memory. Every weight is then off by several per cent. Does the
// network still know what a boot is? {numref}`fig-bits` shows the weights of one hidden unit, and the accuracy of the
// network. Move the slider and watch both. This page rounds after training, without a single gradient step:
// **post-training quantisation**.
//
// ```{opening} fig-bits
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/quantized_tensor.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/sha256.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/int8_linear.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::not_reproduced,
    book::over_seeds, book::say;
using book::Study;
using data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> shown_unit(
    "unit", 0, "number of the hidden unit whose weights are drawn",
    {.least = 0, .most = 99});
const book::Option<Index> pictures("pictures", 60'000, "number of training images",
                                   {.quick = 1000, .least = 100, .most = 60'000});
const book::Option<Index> judges("judges", 10'000, "number of test images",
                                 {.quick = 500, .least = 100, .most = 10'000});
const book::Option<Index> samples("samples", 256, "images that calibrate the ranges",
                                  {.quick = 64, .least = 1, .most = 10'000});
//-

// ## One network, rounded many ways
//
// The network is a [multilayer perceptron](../architectures/mlp.cpp) with 100 hidden units, 79,510 parameters in all, trained
// for five epochs on Fashion-MNIST {cite:p}`xiao2017`. Its weights are rounded to $2^b$ evenly spaced levels for $b$ bits,
// from the smallest to the largest of a *group*. All of a matrix can be one group, or each row, which is what one unit reads
// (the field says *per channel*), or every [block of 32](block_formats.cpp):
enum Scheme { per_tensor, per_channel, per_block };
nn::Mlp with_bits(const nn::Mlp& net, Index bits, Scheme scheme) {
    nn::Mlp rounded = nn::clone(net);
    for (const nn::Linear& layer : rounded.layers) {
        Tensor w = layer.weight.detach();
        const Index group = scheme == per_tensor    ? w.numel()
                            : scheme == per_channel ? w.size(1)
                                                    : 32;
        w.copy_(fake_quantize(w, Index(1) << bits, group));
    }
    return rounded;
}

// A small case by hand: a row 0.1, 0.2, −0.2 and 0.4 with two bits has the levels −0.2, 0, 0.2 and 0.4, and 0.1 lies
// halfway between two of them. If a row below holds a weight of 4, levels for both rows together are 1.4 apart, and all
// four small weights become −0.2. This is why a group should be small. The biases are few, and stay as they are.
//- how the network is trained
const Examples& train_set() {
    static const Examples flat =
        data::flat(data::slice(data::fashion_mnist(Part::train), 0, pictures()));
    return flat;
}
const Examples& test_set() {
    static const Examples flat =
        data::flat(data::slice(data::fashion_mnist(Part::test), 0, judges()));
    return flat;
}
enum Width { narrow, wide };
nn::Mlp trained(std::uint64_t draw, Width width = narrow) {
    Generator random(1000 * draw + book::seed());
    const std::vector<Index> hidden =
        width == wide ? std::vector<Index>{512, 512} : std::vector<Index>{100};
    std::vector<Index> sizes = {784};
    sizes.insert(sizes.end(), hidden.begin(), hidden.end());
    sizes.push_back(10);
    const nn::Mlp net(sizes, relu, random, {.weights = nn::he_init});
    optim::Adam adam(nn::parameters(net), {.lr = 1e-3});
    optim::fit(
        adam, [&] { return data::Batches(train_set(), 100, random); },
        [&](const Examples& batch) {
            return cross_entropy(net(batch.x), batch.labels);
        },
        {.epochs = 5});
    return net;
}
Tensor to_calibrate() {
    return data::slice(train_set(), 0, std::min(samples(), train_set().size())).x;
}
double accuracy_of(const auto& model) {
    const NoGrad only_asking;
    double right = 0;
    for (const Examples& some : data::Batches(test_set(), 1000))
        right += nn::accuracy(model(some.x), some.labels) * double(some.size());
    return right / double(test_set().size());
}
//-

//- the study, and what is checked
const std::vector<Index> tried_bits = {8, 6, 5, 4, 3, 2, 1};
std::vector<std::string> result_names() {
    std::vector<std::string> names = {"fp32", "int8"};
    for (const char* scheme : {"tensor", "channel", "block"})
        for (const Index bits : tried_bits)
            names.push_back(fmt::format("{} {}", scheme, bits));
    return names;
}
double bytes_accuracy(const nn::Mlp& net);  // below
Study::Row train_and_judge(const Study::Row& cell) {
    const nn::Mlp net = trained(std::uint64_t(cell[1]), Width(int(cell[0])));
    Study::Row row = {accuracy_of(net), bytes_accuracy(net)};
    for (const Scheme scheme : {per_tensor, per_channel, per_block})
        for (const Index bits : tried_bits)
            row.push_back(accuracy_of(with_bits(net, bits, scheme)));
    return row;
}
const Study study(
    {"quantisation",
     {"wide", "draw"},
     result_names(),
     {"sys-quantization/a", "sys-quantization/b", "sys-quantization/c",
      "sys-quantization/d", "sys-quantization/e", "sys-quantization/f",
      "sys-quantization/g", "sys-quantization/h", "sys-ptq-calibration/b"},
     0.0025},
    {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}},
    train_and_judge);

std::vector<double> column(const std::string& name, Width width = narrow) {
    const std::vector<double> all = study.frozen().column(name);
    std::vector<double> found;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (study.frozen().rows[i][0] == double(width)) found.push_back(all[i]);
    return found;
}
//-

//- how the figure is drawn
double relative(const Tensor& x, const Tensor& want) {
    double error = 0, size = 0;
    const std::vector<Real> a = x.values(), b = want.values();
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double e = double(a[i]) - double(b[i]);
        error += e * e, size += double(b[i]) * double(b[i]);
    }
    return std::sqrt(error / size);
}

void few_bits(const nn::Mlp& net) {
    const char* schemes[] = {"tensor", "channel", "block"};
    const char* labels[] = {"one scale for a matrix", "one for each row",
                            "one for 32 weights"};
    std::vector<double> bits;
    for (const Index b : tried_bits) bits.insert(bits.begin(), double(b));
    const auto medians = [&](const std::string& scheme, Width width = narrow) {
        std::vector<double> found;
        for (const double b : bits)
            found.push_back(
                100 * book::median(column(fmt::format("{} {}", scheme, b), width)));
        return found;
    };
    const double full = 100 * book::median(column("fp32"));

    const NoGrad only_asking;
    const nn::Mlp four = with_bits(net, 4, per_block);
    const Examples some = data::slice(test_set(), 0, std::min<Index>(1000, judges()));
    say("4 bits in blocks of 32: the weights of the first layer are off by {:.1f} %, "
        "the scores of test images by {:.1f} %",
        100 * relative(four.layers[0].weight, net.layers[0].weight),
        100 * relative(four(some.x), net(some.x)));

    Names across, down;
    for (int i = 1; i <= 28; ++i) across.push_back(std::to_string(i));
    down = across;
    const Index unit = shown_unit();
    Figure figure("fig-bits");
    figure
        .describe(
            "Left, the 28 by 28 weights of a hidden unit as coloured cells. Right, the "
            "test accuracy against the bits per weight, four rising lines. The slider "
            "sets the number of bits: with one bit the cells have two colours in each "
            "stretch of 32, with four they look like the original.")
        .slider("bits", bits, "bits for each weight", 4)
        .panel("weights of a hidden unit, in blocks");
    const auto picture = [&](Index b) {
        const std::vector<Real> all =
            with_bits(net, b, per_block).layers[0].weight.values();
        return std::vector<double>(all.begin() + unit * 784,
                                   all.begin() + (unit + 1) * 784);
    };
    const std::vector<double> exact = picture(8);
    double most = 0;
    for (const double v : exact) most = std::max(most, std::abs(v));
    for (const double b : bits)
        figure.at(b).heatmap("", across, down, picture(Index(b)), -most, most);
    figure.always().bare().panel("test accuracy");
    for (int k = 0; k < 3; ++k) figure.line(labels[k], bits, medians(schemes[k]));
    figure.line("32, wide network", bits, medians("block", wide));
    figure.rule_y(full, "FP32");
    for (const double b : bits) figure.at(b).rule_x(b, "");
    figure.always()
        .x("bits for each weight")
        .y("test accuracy, %")
        .ylim(0, 100)
        .save(
            "The weights that one hidden unit gives to the pixels of an image, with "
            "scales for blocks of 32, and the median accuracy of five networks on "
            "10,000 test images, with scales for a whole matrix, for a row, and for a "
            "block, and of five wider networks. Rounding to eight bits changes nothing "
            "that you could see. Where the accuracy breaks down depends on the size of "
            "the group.");
    book::shows("sys-quantization/i", "fig-bits");
    const auto print = [&](const std::string& what,
                           const std::vector<double>& numbers) {
        std::vector<std::string> words;
        for (const double v : numbers) words.push_back(fmt::format("{:.1f}", v));
        say("{}, 1 to 8 bits: {} %", what, fmt::join(words, ", "));
    };
    for (const char* scheme : schemes)
        print(fmt::format("a scale for each {}", scheme), medians(scheme));
    print("a scale for each block of the wide network", medians("block", wide));
}
//-

// In blocks of 32, eight, six and even five bits change the accuracy by less than the networks differ from each other, and
// three or four cost half a point. A rounding error is as often positive as negative, so in a sum of 784 products the errors
// mostly cancel, while the products of a trained unit partly agree.
//
// With fewer bits the size of the group decides. With one scale for a whole matrix a few large weights set the levels for
// all, and with two bits three quarters of the right answers are lost. Blocks of 32 keep nine of ten. They are not free:
// scale and minimum in FP16 cost one bit more for each weight, so "2 bits in blocks of 32" are 3 bits in memory.
//
// The plan of this book set its bands around one network of this size. Five of ours do the same down to two bits, except
// that three bits hurt them less. With one bit the five differ by a quarter of all answers, so a band of 0.02 around a
// single network says little. A wider network, with two hidden layers of 512 units, has more weights to average over: with
// two bits it keeps nearly all of its accuracy. A large network tolerates fewer bits.
//- the bands, and what is checked
void bands() {
    const auto in_blocks = [](Index bits) {
        return over_seeds(column(fmt::format("block {}", bits)));
    };
    const std::vector<double> full = column("fp32");
    claim_in("sys-quantization/a", "test accuracy in FP32", over_seeds(full), 0.864,
             0.884);
    claim_in("sys-quantization/b", "with 8 bits in blocks of 32", in_blocks(8), 0.865,
             0.885);
    claim_in("sys-quantization/c", "with 6 bits in blocks of 32", in_blocks(6), 0.863,
             0.883);
    claim_in("sys-quantization/d", "with 5 bits in blocks of 32", in_blocks(5), 0.862,
             0.882);
    claim_in("sys-quantization/e", "with 4 bits in blocks of 32", in_blocks(4), 0.858,
             0.878);
    claim("sys-quantization/f", "with 3 bits in blocks of 32, at least", in_blocks(3),
          ">=", 0.832);
    claim_in("sys-quantization/g", "with 2 bits in blocks of 32", in_blocks(2), 0.788,
             0.808);
    claim("sys-quantization/h", "with 1 bit in blocks of 32, at most", in_blocks(1),
          "<=", 0.541);
    const auto others = [](Index bits) {
        const auto brief = [&](const char* scheme, Width width) {
            return book::brief(
                over_seeds(column(fmt::format("{} {}", scheme, bits), width)));
        };
        return fmt::format(
            "a wider network: {}; a scale for each row, not for each block: {}. The "
            "band is that of a single network with a training of its own",
            brief("block", wide), brief("channel", narrow));
    };
    not_reproduced("sys-quantization/f", "with 3 bits in blocks of 32, at most",
                   in_blocks(3), "<=", 0.852, others(3));
    not_reproduced("sys-quantization/h", "with 1 bit in blocks of 32, at least",
                   in_blocks(1), ">=", 0.521, others(1));
    const std::vector<double> a = column("block 2", wide), b = column("block 2");
    std::vector<double> ahead;
    for (std::size_t i = 0; i < a.size(); ++i) ahead.push_back(a[i] - b[i]);
    claim("",
          "with 2 bits in blocks of 32, accuracy of the wide network less that of ours",
          over_seeds(ahead), ">=", 0.02);
}
//-

// ## Whole numbers all the way
//
// Rounded weights save memory. To save time and energy as well, multiply whole numbers. In a 45 nm process a product of
// two bytes takes 0.2 pJ, and a product of two floats 3.7 pJ {cite:p}`horowitz2014`. Then the *inputs* of a layer must
// become bytes, too, and they are known only while the network runs. **Calibration** runs it on a few images and keeps
// the largest input that each layer has seen, its **range**. From then on an input $x$ has the code
// $\mathrm{round}(127\, x/r)$ for the range $r$, and what is larger than $r$ is cut off:
struct ByteLayer {
    QuantizedTensor weight;  // Q8_0
    Tensor bias;
    double range;  // of the inputs
};
Tensor whole_blocks(const Tensor& x) {  // zeros behind every row
    return pad(x, {{0, (32 - x.size(-1) % 32) % 32}});
}
std::vector<ByteLayer> calibrated(const nn::Mlp& net, Tensor x) {
    std::vector<ByteLayer> layers;
    for (const nn::Linear& layer : net.layers) {
        layers.push_back({quantize(whole_blocks(layer.weight.detach()), q8_0),
                          layer.bias.detach(), double(max(abs(x)).item())});
        x = layer(x, relu);
    }
    return layers;
}
Tensor in_bytes(const std::vector<ByteLayer>& layers, Tensor x) {
    for (const ByteLayer& layer : layers) {
        x = int8_linear(whole_blocks(x), layer.weight, layer.range, layer.bias);
        if (&layer != &layers.back()) x = relu(x);
    }
    return x;
}

// No gradient is computed anywhere. The products of codes are added as whole numbers, which is exact, and each sum of 32
// is multiplied once by the scale of its block.
//- whole numbers, and what is checked
double bytes_accuracy(const nn::Mlp& net) {
    const NoGrad only_asking;
    const auto layers = calibrated(net, to_calibrate());
    return accuracy_of([&](const Tensor& x) { return in_bytes(layers, x); });
}
std::string fingerprint(const nn::Mlp& net) {
    data::Sha256 sum;
    for (const NamedTensor& p : nn::parameters(net)) {
        const std::vector<Real> numbers = p.tensor.values();
        sum.add({reinterpret_cast<const std::uint8_t*>(numbers.data()),
                 numbers.size() * sizeof(Real)});
    }
    return sum.hex();
}

// The levels of the inputs, as numbers.
Tensor restored_inputs(const Tensor& x, double range) {
    std::vector<Real> numbers = x.values();
    for (Real& v : numbers)
        v = Real(std::clamp(std::round(double(v) * 127 / range), -127.0, 127.0) *
                 range / 127);
    return Tensor(x.shape(), numbers);
}

void whole_numbers(const nn::Mlp& net) {
    const NoGrad only_asking;
    const std::string before = fingerprint(net);
    const auto layers = calibrated(net, to_calibrate());
    Tensor x = data::slice(test_set(), 0, std::min<Index>(500, judges())).x;
    double worst = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const ByteLayer& layer = layers[i];
        const Tensor wide = whole_blocks(x),
                     bytes = int8_linear(wide, layer.weight, layer.range, layer.bias),
                     floats = linear(restored_inputs(wide, layer.range),
                                     dequantize(layer.weight), layer.bias);
        worst = std::max(worst, double(max(abs(bytes - floats)).item()) /
                                    double(max(abs(floats)).item()));
        const double above = double(max(abs(x)).item());
        say("layer {}: range {:.2f} from {} images; the largest input in 500 test "
            "images is {:.2f}",
            i + 1, layer.range, samples(), above);
        x = relu(bytes);
    }
    claim("sys-ptq-calibration/a",
          "the product of bytes against the product of the numbers for which they "
          "stand, largest difference over the "
          "largest result, two layers",
          worst, "<=", 1e-5);
    std::vector<double> factors, right;
    const Examples judged = data::slice(test_set(), 0, std::min<Index>(1000, judges()));
    for (double factor = 1.0 / 32; factor <= 32; factor *= 2) {
        std::vector<ByteLayer> other = layers;
        for (ByteLayer& layer : other) layer.range *= factor;
        factors.push_back(factor);
        right.push_back(100 * nn::accuracy(in_bytes(other, judged.x), judged.labels));
    }
    const double usual = right[5], halved = right[4];
    ask("Halve every range: all inputs above half of the largest are cut off there. "
        "What "
        "happens to the accuracy?",
        {{"It falls by more than 5 points: the largest inputs matter most.",
          halved < usual - 5,
          "Few inputs are so large, and cut off they are still the largest. What they "
          "lose in size, all others gain in precision."},
         {"It changes by less than 1 point.", std::abs(halved - usual) < 1,
          "Few inputs are so large, and cut off they are still the largest. All others "
          "are rounded to levels twice as close."},
         {"It rises by more than 1 point, since the levels are twice as close.",
          halved > usual + 1,
          "The levels were close enough before: 8 bits lose next to nothing."}});
    Figure("fig-ranges")
        .describe(
            "Test accuracy against the factor of the calibrated range, on a "
            "logarithmic axis: a plateau around a factor of 1, and a fall on both "
            "sides.")
        .line("", factors, right, {.color = figure::blue})
        .rule_x(1, "calibrated")
        .log_x()
        .x("range, as a multiple of the largest input that calibration saw")
        .y("test accuracy, %")
        .ylim(0, 100)
        .save(
            "One network in bytes, with the ranges of all layers multiplied by one "
            "factor; 1,000 test images. Left of the plateau most inputs are cut off, "
            "right of it they share few levels.");
    for (std::size_t i = 0; i < factors.size(); ++i)
        say("ranges times {}: {:.1f} %", factors[i], right[i]);
    std::vector<double> lost;
    const std::vector<double> full = column("fp32"), bytes = column("int8");
    for (std::size_t i = 0; i < full.size(); ++i) lost.push_back(full[i] - bytes[i]);
    claim("sys-ptq-calibration/b", "accuracy lost by computing in bytes",
          over_seeds(lost), "<=", 0.005);
    claim_true("sys-ptq-calibration/c",
               "the weights have the same SHA-256 before and after",
               fingerprint(net) == before);
    say("SHA-256 of the weights: {}…", before.substr(0, 16));
}
//-

// The bytes answer as the floats do, and in {numref}`fig-ranges` the range is far from critical. A range that is too short
// cuts off the largest inputs, one that is too long leaves few levels to all others, and between them lies a wide plateau.
// Calibration only has to hit the plateau. {cite:t}`jacob2018` go on from here and train networks for
// products of bytes.
//
// ## Summary
//
// Rounding the weights of a trained network to eight bits costs nothing that we could measure, and four bits with a scale
// for every 32 weights cost half a point. With fewer bits the size of the group, and that of the network, decide how much
// survives. With ranges calibrated
// on 256 images the whole network runs on products of bytes, without a gradient step and with the same accuracy.
//
// ## What is missing
//
// A network of two layers is not a language model. In large ones a few inputs are many times larger than all others, and
// one range for a layer fails {cite:p}`dettmers2022int8`. Whether rounding
// *during* training saves the networks of two bits is the subject of [another page](quantisation_aware.cpp).
//
// A wider network tolerated fewer bits. [The next page](bit_budgets.cpp) asks which is better in the same memory: a small
// model with many bits, or a large one with few.
//
// ```{try}
// - Calibrate on a single image: `--samples 1`. What is cut off, and how much accuracy does it cost?
// - The weights of another unit: `--unit 7`. At how many bits do you see the first difference?
// ```

void page() {
    const nn::Mlp net = trained(1);
    few_bits(net);
    bands();
    const auto again = [&](const std::string& name, double now) {
        return std::abs(column(name)[0] - now);
    };
    claim("",
          "the first of the five networks, trained again: largest difference of four "
          "accuracies from the frozen ones",
          std::max({again("fp32", accuracy_of(net)), again("int8", bytes_accuracy(net)),
                    again("block 4", accuracy_of(with_bits(net, 4, per_block))),
                    again("block 1", accuracy_of(with_bits(net, 1, per_block)))}),
          "<=", 0.02);
    whole_numbers(net);
}
