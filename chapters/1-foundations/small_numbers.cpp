// # Fewer bits
//
// ```{rows} sys-float-formats claim-low-precision-ok
// ```
//
// The last pages ended at [the link between memory and arithmetic](hardware.cpp). A weight is stored in
// thirty-two bits. Why thirty-two? Because that is what the machine offered. Half of them would halve the memory
// and the time to move it, and moving is what a fast machine spends its time on. A quarter would be better still.
// So how many digits does a network need? This page counts what a format loses, then takes a network that works
// and shortens its numbers.
//- includes and names
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
//-

// Four things can be changed:
const book::Option<Index> pictures("pictures", 60'000, "how many pictures to train on",
                                   {.quick = 2000, .least = 100, .most = 60'000});
const book::Option<Index> epochs("epochs", 3, "how often each is seen",
                                 {.quick = 1, .least = 1});
const book::Option<double> scale("scale", 1024,
                                 "what the loss is multiplied by for half precision",
                                 {.least = 1e-6});
const book::Option<std::string> storage("storage", "FP16",
                                        "the format of the second training",
                                        {.among = {"FP32", "FP16", "BF16", "FP8 E4M3",
                                                   "FP8 E5M2"}});

// ## Sign, exponent, digits
//
// A floating-point number is written as people write them in physics: a sign, some leading digits, and a
// power that says how large it is. Both take bits. A format is a decision how many of each:
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

    // Exponent bits buy range, digits buy precision. FP16 has more digits than BF16 and far less range;
    // BF16 is simply the upper half of an FP32. The two formats on eight bits make the same choice once more
    // {cite:p}`micikevicius2022`. What a format can do is in two numbers: the largest one it holds, and
    // its *unit roundoff*, the worst relative error it makes in the middle of its range.
    std::vector<std::vector<book::Cell>> limits;
    for (const FloatFormat& f : float_formats)
        limits.push_back({f.name, f.bits(), f.exponent_bits, f.mantissa_bits,
                          f.largest(), f.smallest_normal(), f.smallest(),
                          f.unit_roundoff()});
    book::table("formats",
                "Five formats. Below the smallest *full* number, digits get lost one "
                "by one; below the smallest of all, everything.",
                {"format", "bits", "exponent", "digits", "largest", "smallest full",
                 "smallest", "unit roundoff"},
                limits);

    claim("sys-float-formats/b", "the unit roundoff of FP16 is $2^{-11}$",
          fp16.unit_roundoff(), "==", std::ldexp(1, -11));
    claim("sys-float-formats/c", "the unit roundoff of BF16 is $2^{-8}$",
          bf16.unit_roundoff(), "==", std::ldexp(1, -8));
    claim("sys-float-formats/d", "the largest finite FP16 number", fp16.largest(),
          "==", 65504);

    // {numref}`fig-formats` shows it for every size of number. A format is a flat valley of good numbers between
    // two cliffs: on the right the overflow, on the left a slope, where small numbers lose digit after digit.
    std::vector<double> sizes;
    for (double e = -30; e <= 20; e += 0.25) sizes.push_back(std::pow(2.0, e));
    Figure formats("fig-formats");
    formats.describe(
        "Worst relative error against the size of a number, both axes logarithmic. "
        "FP32 is flat far below the others. BF16 is flat as well, over the whole "
        "range. FP16 is flat and lower than BF16 in the middle, rises below one "
        "ten-thousandth and ends at 65504. The two FP8 formats are higher and "
        "narrower.");
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
            "How wrong a rounded number can be. An error of 1 means that nothing is "
            "left of it. A line ends where the format overflows.");

    // Every rounding here is done in software, bit by bit: nearest number, ties to the even one. That is easy
    // to get almost right. So we go through all there is: every pattern of FP16, and of both FP8, must
    // survive the way to FP32 and back.
    const auto lost = [](const FloatFormat& f) {
        Index count = 0;
        for (std::uint32_t p = 0; p < 1u << f.bits(); ++p)
            count += encode(decode(p, f), f) != p;
        return count;
    };
    claim("sys-float-formats/a", "of the 65,536 patterns of FP16, so many are lost",
          lost(fp16), "==", 0);
    claim("sys-float-formats/e",
          "of 256 patterns of E4M3 and 256 of E5M2, so many are lost",
          lost(e4m3) + lost(e5m2), "==", 0);

    // A GPU must round in the same way: *not run: no GPU*.
    //
    // ## A network that works
    //
    // Now the network: that of [some pages ago](classification.cpp), with one hidden layer of a hundred units,
    // trained on Fashion-MNIST {cite:p}`xiao2017` in FP32 as usual. Here it is only a box with some weights and an
    // accuracy.
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
    say("{} weights in FP32: {:.2f} % of the test pictures right", nn::count(model),
        100 * full);

    // ## Cast it
    //
    // The simplest thing first. Training is over; round every weight to a shorter format, and look at the
    // test pictures again.
    const auto cast_from = [&](const nn::Mlp& from, const FloatFormat& f) {
        nn::Mlp shorter = nn::clone(from);
        for (const NamedTensor& p : nn::parameters(shorter))
            p.tensor.detach().copy_(round_to(p.tensor.detach(), f));
        return accuracy(shorter);
    };
    const auto cast = [&](const FloatFormat& f) { return cast_from(model, f); };
    std::vector<std::vector<book::Cell>> casts;
    for (const FloatFormat& f : float_formats)
        casts.push_back({f.name, double(nn::count(model)) * f.bits() / 8 / 1024,
                         100 * cast(f), 100 * (cast(f) - full)});
    book::table("casts", "The same network with its weights rounded after training.",
                {"weights in", "KiB", "right, %", "change"}, casts);

    // Perhaps this network was lucky with its roundings, so we also ask two others:
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

    // Half of the bits were not doing anything, and even a quarter would do. This is the claim of
    // {cite:t}`fleuret2023`, that 16 bits or fewer do not hurt, in its mildest form. A sum of eight hundred
    // products does not care about the third digit of each: roundings go up as often as down, and most of them
    // cancel.
    //
    // ## Train with them
    //
    // Training is harder, for three reasons. The first is the *sum*. Add a small number to a large one in a
    // short format, and the small one drops out:
    Real adding = 0;
    for (int i = 0; i < 10'000; ++i) adding = rounded(adding + Real(0.1), fp16);
    say("0.1 added ten thousand times in FP16: {}", adding);

    // So products of short numbers are summed in FP32, here as on a GPU; only the result is shortened. The
    // second reason is the *step*, which is a small number added to a large one too:
    book::ask_number(
        "A weight is 1. A step of descent wants to add 0.003 to it. What is the weight "
        "after the step if weights are kept in BF16?",
        rounded(Real(1) + Real(0.003), bf16), 0.0005,
        "Above 1 the numbers of BF16 are 1/128 apart, about 0.008. The step is less "
        "than half of that, so the sum rounds back to where it was, today and at every "
        "later step.");

    // The remedy is a *master copy*: the optimiser keeps its own weights in FP32, and the network sees them
    // rounded. The third reason is the *gradient*. Gradients are small, and FP16 has no small numbers.
    // How small are they? We ask the network we have, for one batch:
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

    // The remedy is disarmingly simple {cite:p}`micikevicius2018`. Multiply the *loss*, and by the chain
    // rule every gradient is multiplied with it. They move up into the range of FP16; divide the step by the
    // same number, in FP32, and nothing else has changed. Try how far in {numref}`fig-gradients`.
    const auto histogram = [&](int shift) {
        std::vector<double> share(65);  // exponents -40 to 24
        for (const Real g : gradients) {
            const int e = std::ilogb(g) + shift;
            if (e >= -40 && e <= 24)
                share[std::size_t(e + 40)] += 100.0 / double(gradients.size());
        }
        return share;
    };
    //- how the figure is drawn
    std::vector<double> exponents, shifts = {0, 5, 10, 15, 20};
    for (int e = -40; e <= 24; ++e) exponents.push_back(e);
    Figure sizes_of("fig-gradients");
    sizes_of
        .describe(
            "A histogram of the sizes of gradients, by power of two, a broad hump far "
            "below one. Without a scale its left part lies below the smallest number "
            "of FP16; with a scale of two to the ten nearly all of it lies between the "
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
        "The gradients of all weights for one batch. What lies left of line 1 is lost "
        "in FP16; what lies left of line 2 loses digits; what lies right of line 3 "
        "becomes infinite. The slider multiplies the loss.");
    //-

    // Now all of it. Weights, signals and gradients are rounded wherever they would be stored; sums, master
    // copy and optimiser stay in FP32. {cpp:func}`~recto::round_to` rounds on the way forward, and rounds
    // the gradient on its way back.
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
    say("trained with {}: {:.2f} % right; in FP32 it was {:.2f} %", storage(),
        100 * mixed, 100 * full);
    std::vector<double> apart = {std::abs(mixed - full)};
    for (std::uint64_t draw = 1; draw <= 2; ++draw)
        apart.push_back(
            std::abs(train_with({format_named(storage()), scale(), true}, draw) -
                     in_fp32[draw]));
    claim("claim-low-precision-ok/c",
          "how far training with FP16 storage and a scaled loss ends from FP32",
          over_seeds(apart), "<=", 0.01);

    // Which of the remedies was it? Leave each out in turn.
    const bool standard = storage() == "FP16" && scale() == 1024;
    book::table("recipes",
                "Training with short numbers: what each remedy is worth here.",
                {"stored in", "loss scaled", "master copy", "right, %"},
                {{"FP32", "no", "-", 100 * full},
                 {"FP16", "yes", "yes",
                  100 * (standard ? mixed : train_with({fp16, 1024, true}))},
                 {"FP16", "no", "yes", 100 * train_with({fp16, 1, true})},
                 {"FP16", "yes", "no", 100 * train_with({fp16, 1024, false})},
                 {"BF16", "no", "yes", 100 * train_with({bf16, 1, true})},
                 {"BF16", "no", "no", 100 * train_with({bf16, 1, false})}});
}

// Only the last recipe loses, and not much: towards the end the steps are so small that most of them no longer
// move a BF16 weight. FP16 has three binary digits more and gets away with it. The scale was not needed at all;
// two layers are too few for gradients to shrink on their way. In deep networks far more of them lie left of
// the line, and {cite:t}`micikevicius2018` report some that do not train without it.
//
// ## What is missing
//
// One network of two layers proves little about large ones. And how the scale is chosen we have not
// said: in practice it grows until something overflows, that step is skipped, and it is halved. What we have
// seen is that precision is a *resource* like time and memory, to be spent where it counts: on sums and on
// the master copy. With data, models, losses and a machine to run them all on, one question is left. Should
// any of this [work at all](hard_and_rich.cpp)?
//
// ```{try}
// - Scale far too much: `--scale 1e9`. What does the network learn from infinite gradients?
// - Store everything on eight bits: `--storage "FP8 E4M3"`, then `"FP8 E5M2"`. Which loses more, and why?
// - Move the gradients to the left instead: `--scale 0.001`. When does training notice?
// ```
