// # Floating point: half precision and less
//
// ```{rows} sys-float-formats claim-low-precision-ok
// ```
//
// A fast machine spends much of its time [moving numbers](hardware.cpp). A number with half as many bits takes half the
// memory and half the time to move, and tensor cores multiply it faster. How many bits does a network need? This page
// explains **floating point** formats, from 32 bits to 16 (**half precision** and **bfloat16**) and 8. It measures what
// each loses, rounds the weights of a trained network (**quantisation**), and then trains with short numbers, which takes
// three remedies.
//
// What is left of the gradients of a network in 16 bits? Move the slider:
//
// ```{opening} fig-gradients
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/float_formats.hpp>
#include <recto/book/page.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/round_to.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Batches, data::Examples;
using figure::Figure;

FloatFormat format_named(std::string_view name) {
    for (const FloatFormat& f : float_formats)
        if (f.name == name) return f;
    return fp32;
}

const book::Option<Index> pictures("pictures", 60'000, "number of training images",
                                   {.quick = 2000, .least = 100, .most = 60'000});
const book::Option<Index> epochs("epochs", 3,
                                 "number of passes through the training set",
                                 {.quick = 1, .least = 1});
const book::Option<double> scale("scale", 1024,
                                 "factor of the loss in training with short numbers",
                                 {.least = 1e-6});
const book::Option<std::string> storage("storage", "FP16",
                                        "the format of the second training",
                                        {.among = {"FP32", "FP16", "BF16", "FP8 E4M3",
                                                   "FP8 E5M2"}});
//-

// ## Sign, exponent, digits
//
// A floating-point number is written as in physics: a sign, some leading digits (the **significand**), and a power that
// gives the size. In binary, $\pi$ is $1.1001001\ldots \times 2^1$. A format with three binary digits behind the point
// has to choose between $1.100 \times 2^1 = 3$ and $1.101 \times 2^1 = 3.25$, and takes the nearer, 3.25. A pattern of
// sign $s$, exponent $e$ and $p$ digits $m$, read as whole numbers, stands for
//
// $$ x = (-1)^s \; 2^{\,e - b} \, \Big(1 + \frac{m}{2^p}\Big) , $$
//
// where the *bias* $b$ lets exponents be negative. The leading 1 is not stored. For $e = 0$ it is a 0 instead, and the
// power stays $2^{1-b}$: these are the **subnormal** numbers, which fill the gap between zero and the smallest normal
// number. The largest $e$ is reserved for infinity and NaN, except in the format E4M3, which gives up a single pattern
// of each sign, for NaN. A format decides how many bits the exponent and the digits get. Here is $\pi$ in five formats:
//- how bits are printed
std::string bits_of(Real x, const FloatFormat& format) {
    const std::string all = fmt::format("{:0{}b}", encode(x, format), format.bits());
    const auto exponent = std::size_t(format.exponent_bits);
    return fmt::format("{} {} {}", all.substr(0, 1), all.substr(1, exponent),
                       all.substr(1 + exponent));
}

void page() {
    const Real pi = Real(3.14159274);
    for (const FloatFormat& f : float_formats)
        say("{:<8} is {:.8f} from {}", f.name, rounded(pi, f), bits_of(pi, f));

    //-

    // Exponent bits buy range, digits buy precision. FP16 (half precision) has three digits more than BF16 and a far
    // smaller range. BF16, or **bfloat16**, is the upper half of an FP32; the *b* stands for Google Brain, its origin.
    // The two formats of eight bits make the same choice once more {cite:p}`micikevicius2022`. The **unit roundoff** is
    // the largest relative error of a rounded normal number: with $p$ digits behind the point, neighbours between 1 and 2
    // are $2^{-p}$ apart, and rounding moves a number by at most half of that, $2^{-p-1}$.
    //- the table of limits
    std::vector<std::vector<book::Cell>> limits;
    for (const FloatFormat& f : float_formats)
        limits.push_back({f.name, f.bits(), f.exponent_bits, f.mantissa_bits,
                          f.largest(), f.smallest_normal(), f.smallest(),
                          f.unit_roundoff()});
    book::table(
        "formats",
        "Five formats. Below the smallest normal number, subnormal numbers lose "
        "one digit after another; what is below half of the smallest subnormal "
        "number becomes zero.",
        {"format", "bits", "exponent", "digits", "largest", "smallest normal",
         "smallest", "unit roundoff"},
        limits);

    claim("sys-float-formats/b", "the unit roundoff of FP16 is 2⁻¹¹",
          fp16.unit_roundoff(), "==", std::ldexp(1, -11));
    claim("sys-float-formats/c", "the unit roundoff of BF16 is 2⁻⁸",
          bf16.unit_roundoff(), "==", std::ldexp(1, -8));
    claim("sys-float-formats/d", "the largest finite FP16 number", fp16.largest(),
          "==", 65504);

    //-

    // {numref}`fig-formats` draws the worst relative error for every size of a number. Each format has a flat valley of
    // normal numbers. On the right it ends in overflow. On the left the error rises: numbers there are subnormal, and each
    // halving costs one more digit.
    //- how the figure is drawn
    std::vector<double> sizes;
    for (double e = -30; e <= 20; e += 0.25) sizes.push_back(std::pow(2.0, e));
    Figure formats("fig-formats");
    formats.describe(
        "Worst relative error against the size of a number, both axes logarithmic. "
        "FP32 is flat far below the others. BF16 is flat as well, over the whole "
        "range. FP16 is flat and lower than BF16 in the middle, rises below one "
        "ten-thousandth and ends at 65504. The two FP8 formats are higher, and "
        "E4M3 is narrower, too.");
    for (const FloatFormat& f : float_formats) {
        std::vector<double> errors;
        for (const double size : sizes) {
            const double gap = std::max(
                f.smallest(), std::ldexp(2 * f.unit_roundoff(), std::ilogb(size)));
            errors.push_back(
                size > f.largest()
                    ? NAN
                    : std::min(1.0, gap / 2 / std::ldexp(1, std::ilogb(size))));
        }
        formats.line(f.name, sizes, errors, {.points = false});
    }
    formats.log_axes()
        .x("size of the number")
        .y("worst relative error")
        .save(
            "The worst relative error of a rounded number. BF16 covers the range of "
            "FP32 "
            "with few digits; FP16 has an eighth of BF16's error in a much smaller "
            "range. "
            "An error of 1 means that nothing is left of the number. A line ends where "
            "the "
            "format overflows.");

    //-

    // All rounding on this page is done in software: to the nearest number, and to the even one of two that are
    // equally near. Such code is easy to get almost right. So we decode every pattern of FP16 and of both FP8 formats to
    // FP32 and encode it again; each must survive.
    //- every pattern there and back
    const auto lost = [](const FloatFormat& f) {
        Index count = 0;
        for (std::uint32_t p = 0; p < 1u << f.bits(); ++p)
            count += encode(decode(p, f), f) != p;
        return count;
    };
    claim("sys-float-formats/a", "number of the 65,536 patterns of FP16 that are lost",
          lost(fp16), "==", 0);
    claim("sys-float-formats/e",
          "number of the 256 patterns of E4M3 and 256 of E5M2 that are lost",
          lost(e4m3) + lost(e5m2), "==", 0);

    //-

    // A GPU must round in the same way. `recto parity` compares it with the CPU, and [the register](../register.md) says on
    // which card it did.
    //
    // ## A network that works
    //
    // Our network is that of [an earlier page](classification.cpp): one hidden layer of a hundred units, trained on the
    // images of Fashion-MNIST {cite:p}`xiao2017` in FP32. Here we need only its weights and its accuracy.
    //- training in FP32
    const Examples train =
        data::flat(data::slice(data::fashion_mnist(data::Part::train), 0, pictures()));
    const Examples test = data::flat(data::fashion_mnist(data::Part::test));
    const auto accuracy = [&](const auto& model) {
        return nn::accuracy(model(test.x), test.labels);
    };
    const auto fresh = [](std::uint64_t draw) {
        Generator random(1000 * draw + book::seed());
        return nn::Mlp({784, 100, 10}, relu, random);
    };
    const auto train_model = [&](const NamedTensors& parameters, double scaled,
                                 std::uint64_t draw, const auto& loss) {
        optim::Sgd sgd(parameters, {.momentum = 0.9});
        Generator random(1000 * draw + book::seed() + 1);
        for (Index n = 0; n < epochs(); ++n) {
            const Batches batches(train, 100, random);
            const double total = double(epochs() * batches.count());
            const auto rate = [&](Index step) {
                return 0.05 / scaled * (1 - double(n * batches.count() + step) / total);
            };
            optim::fit(sgd, batches, loss, {.epochs = 1, .lr = rate});
        }
    };
    const auto trained = [&](std::uint64_t draw) {
        const nn::Mlp model = fresh(draw);
        train_model(nn::parameters(model), 1, draw, [&](const Examples& batch) {
            return cross_entropy(model(batch.x), batch.labels);
        });
        return model;
    };
    const nn::Mlp model = trained(0);
    const double full = accuracy(model);
    say("{} weights in FP32: {:.2f} % of the test images right", nn::count(model),
        100 * full);

    //-

    // ## Quantisation: round the weights after training
    //
    // The simplest experiment first. After training we round every weight to a shorter format, and classify the test
    // images again. This is **quantisation**: each weight takes one of a limited number of values, at most 256 with
    // eight bits.
    const auto cast_from = [&](const nn::Mlp& from, const FloatFormat& f) {
        nn::Mlp shorter = nn::clone(from);
        for (const NamedTensor& p : nn::parameters(shorter))
            p.tensor.detach().copy_(round_to(p.tensor.detach(), f));
        return accuracy(shorter);
    };
    //- the table, and two more networks
    const auto cast = [&](const FloatFormat& f) { return cast_from(model, f); };
    std::vector<std::vector<book::Cell>> casts;
    for (const FloatFormat& f : float_formats)
        casts.push_back({f.name, double(nn::count(model)) * f.bits() / 8 / 1024,
                         100 * cast(f), 100 * (cast(f) - full)});
    book::table("casts",
                "The same network with its weights rounded after training; change in "
                "percentage points.",
                {"weights in", "KiB", "right, %", "change"}, casts);

    // The same for two more networks:
    const std::vector<nn::Mlp> networks = {model, trained(1), trained(2)};
    std::vector<double> to_fp16, to_bf16, in_fp32;
    for (const nn::Mlp& network : networks) {
        in_fp32.push_back(accuracy(network));
        to_fp16.push_back(std::abs(cast_from(network, fp16) - in_fp32.back()));
        to_bf16.push_back(std::abs(cast_from(network, bf16) - in_fp32.back()));
    }
    claim("claim-low-precision-ok/a",
          "the change in accuracy when the weights are cast to FP16",
          over_seeds(to_fp16), "<=", 0.002);
    claim("claim-low-precision-ok/b",
          "the change in accuracy when the weights are cast to BF16",
          over_seeds(to_bf16), "<=", 0.002);

    //-

    // Rounding to 16 bits changes the number of right answers by at most a few in ten thousand, for all three networks.
    // Even eight bits cost little: over three seeds of this page the accuracy moved by less than 0.2 points in either
    // direction. This is the claim of {cite:t}`fleuret2023`, that 16 bits or fewer do not hurt, in its mildest form. The
    // mechanism is averaging: a unit adds 784 products, and the rounding errors of its weights are as often positive as
    // negative, so most of them cancel.
    //
    // ## Train with short numbers: mixed precision
    //
    // Training is harder, for three reasons. The first is the *sum*. Add a small number to a large one in a short
    // format, and the small number can vanish:
    Real adding = 0;
    for (int i = 0; i < 10'000; ++i) adding = rounded(adding + Real(0.1), fp16);
    say("0.1 added ten thousand times in FP16: {}", adding);

    // The sum should be 1000, and stops at 256: from there on neighbours are 0.25 apart, and 0.1 is less than half of
    // that. Therefore products of short numbers are summed in FP32, here as in tensor cores, and only the result is
    // shortened. The second reason is the *step* of gradient descent, also a small number that is added to a large one:
    book::ask_number(
        "A weight is 1, and a step of gradient descent adds 0.003. What is the weight "
        "after the step if it is stored in BF16?",
        rounded(Real(1) + Real(0.003), bf16), 0.0005,
        "Above 1 the numbers of BF16 are 1/128 apart, about 0.008. The step is less "
        "than half of that, so the sum rounds back to 1, now and at every later step "
        "of this size.");

    // The remedy is a **master copy**: the optimiser keeps its own weights in FP32, and the network computes with rounded
    // ones. The third reason is the *gradient*. Gradients are small, and the smallest number of FP16 is
    // $6 \times 10^{-8}$. We count how many gradients of one batch become zero:
    //- the gradients of one batch
    cross_entropy(model(Batches(train, 100)[0].x), Batches(train, 100)[0].labels)
        .backward();
    std::vector<Real> gradients;
    for (const NamedTensor& p : nn::parameters(model))
        for (const Real g : p.tensor.grad().values())
            if (g != 0) gradients.push_back(g);
    const auto vanished = [&](double by) {
        const auto gone = std::ranges::count_if(
            gradients, [&](Real g) { return rounded(g * Real(by), fp16) == 0; });
        return double(gone) / double(gradients.size());
    };
    say("gradients that become zero in FP16: {:.1f} %; multiplied by {} first: {:.1f} "
        "%",
        100 * vanished(1), scale(), 100 * vanished(scale()));

    //-

    // The remedy is **loss scaling** {cite:p}`micikevicius2018`. Multiply the *loss* by 1024, and by the chain rule every
    // gradient is multiplied by 1024, too. The gradients move into the range of FP16; afterwards the step is divided by the
    // same number, in FP32. We draw how far they move.
    //- how the figure is drawn
    const auto histogram = [&](int shift) {
        std::vector<double> share(65);  // exponents -40 to 24
        for (const Real g : gradients) {
            const int e = std::ilogb(g) + shift;
            if (e >= -40 && e <= 24)
                share[std::size_t(e + 40)] += 100.0 / double(gradients.size());
        }
        return share;
    };
    std::vector<double> exponents, shifts = {0, 5, 10, 15, 20};
    for (int e = -40; e <= 24; ++e) exponents.push_back(e);
    Figure sizes_of("fig-gradients");
    sizes_of
        .describe(
            "A histogram of the sizes of gradients, by power of two, a broad hump far "
            "below one. Without a scale its left end lies below the smallest number of "
            "FP16; with a scale of two to the ten nearly all of it lies between the "
            "two limits of FP16.")
        .rule_x(-24, "1", {.color = figure::red})
        .rule_x(-14, "2", {.color = figure::grey})
        .rule_x(16, "3", {.color = figure::red})
        .slider("shift", shifts, "loss multiplied by 2 to the", 0)
        .x("size of the gradient, as a power of 2")
        .y("gradients, %");
    for (const double shift : shifts)
        sizes_of.at(shift).bars("", exponents, histogram(int(shift)),
                                {.color = figure::blue});
    sizes_of.save(
        "The gradients of all weights for one batch. In FP16 a gradient left of line 1 "
        "becomes zero or the smallest number, left of line 2 it is subnormal and loses "
        "digits, right of line 3 it becomes infinite. Move the slider: a factor of "
        "$2^{10}$ brings nearly all gradients between lines 2 and 3.");
    //-

    // Now we combine the three. Weights, activations and gradients are rounded wherever they would be stored. Sums, master
    // copy and optimiser stay in FP32. {cpp:func}`~recto::round_to` rounds in the forward pass, and rounds the gradient
    // in the backward pass:
    struct Recipe {
        FloatFormat format;
        double scale;
        bool master;
    };
    const auto train_with = [&](const Recipe& recipe, std::uint64_t draw = 0) {
        const nn::Mlp master = fresh(draw);
        const auto keep = [&](const Tensor& x) { return round_to(x, recipe.format); };
        const auto network = [&](const Tensor& x) {
            const nn::Linear &first = master.layers[0], &second = master.layers[1];
            const Tensor hidden =
                relu(keep(linear(keep(x), keep(first.weight), keep(first.bias))));
            return keep(linear(hidden, keep(second.weight), keep(second.bias)));
        };
        //- training by this recipe, three times
        train_model(
            nn::parameters(master), recipe.scale, draw, [&](const Examples& batch) {
                if (!recipe.master)  // what the last step left is all there is
                    for (const NamedTensor& p : nn::parameters(master))
                        p.tensor.detach().copy_(keep(p.tensor.detach()));
                return cross_entropy(network(batch.x), batch.labels) * recipe.scale;
            });
        const NoGrad no_tape;
        return accuracy(network);
    };
    const double mixed = train_with({format_named(storage()), scale(), true});
    say("trained with {}: {:.2f} % right; in FP32: {:.2f} %", storage(), 100 * mixed,
        100 * full);
    std::vector<double> apart = {std::abs(mixed - full)};
    for (std::uint64_t draw = 1; draw <= 2; ++draw)
        apart.push_back(
            std::abs(train_with({format_named(storage()), scale(), true}, draw) -
                     in_fp32[draw]));
    claim("claim-low-precision-ok/c",
          "difference of the accuracies after training with FP16 storage and a scaled "
          "loss, and with FP32",
          over_seeds(apart), "<=", 0.01);

    //-

    // Which of the remedies matter here? We leave out each in turn.
    //- the table of recipes
    const bool standard = storage() == "FP16" && scale() == 1024;
    book::table(
        "recipes",
        "Training with short numbers: one training for each recipe. Differences below "
        "about 0.3 points are within the spread from seed to seed.",
        {"stored in", "loss scaled", "master copy", "right, %"},
        {{"FP32", "no", "-", 100 * full},
         {"FP16", "yes", "yes",
          100 * (standard ? mixed : train_with({fp16, 1024, true}))},
         {"FP16", "no", "yes", 100 * train_with({fp16, 1, true})},
         {"FP16", "yes", "no", 100 * train_with({fp16, 1024, false})},
         {"BF16", "no", "yes", 100 * train_with({bf16, 1, true})},
         {"BF16", "no", "no", 100 * train_with({bf16, 1, false})}});
}
//-

// Read this table with care: each row is a single training, and with 10,000 test images an accuracy of 86.6 % has a
// standard error of 0.3 points. We repeated the page with three seeds. BF16 without a master copy was worse than FP32
// each time, by 0.3 to 0.7 points. A likely cause is that of the question above: the learning rate falls to zero, and ever more
// steps are less than half the distance between neighbouring BF16 numbers. FP16 has neighbours that are eight times as
// close. All other recipes ended between 0.3 points below FP32 and 0.2 above, and three seeds cannot rank them. So we
// see no need for loss scaling in this network: about one gradient in a hundred becomes zero without it.
// {cite:t}`micikevicius2018` report deep networks that do not train without it.
//
// ## Summary
//
// The exponent's bits set the range of a format, the digits its precision, and subnormal numbers soften its lower end.
// Rounding a trained network to 16 bits, and even to 8, hardly changed its accuracy. Training with 16 bits worked with sums
// and a master copy in FP32; loss scaling protects small gradients in FP16.
//
// ## What is missing
//
// One network of two layers says little about large ones, and formats of whole numbers, common for quantised language
// models, are not here. In practice the scale is not fixed: it grows until something overflows, that step is skipped,
// and the scale is halved. The next chapter opens the routine that trained all these networks, and begins with the
// question what it should minimise: [maximum likelihood](../training/likelihood.cpp).
//
// Write the rounding yourself: [an exercise](../exercises/foundations/float_formats.md) encodes and decodes all five
// formats.
//
// [The next page](quiz_foundations.cpp) asks eight questions about this chapter.
//
// ```{try}
// - Scale far too much: `--scale 1e9`. What does the network learn from infinite gradients?
// - Store everything in eight bits: `--storage "FP8 E4M3"`, then `"FP8 E5M2"`. Which loses more, and why?
// - Move the gradients to the left instead: `--scale 0.001`. At which scale does training suffer?
// - Repeat with other seeds: `--seed 2`. Which differences of the last table keep their sign?
// ```
