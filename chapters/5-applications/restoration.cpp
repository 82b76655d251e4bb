// # Image restoration: undo the damage, as far as it goes
//
// ```{rows} sys-degradation-operators sys-denoising-autoencoder claim-mse-blur
// ```
//
// A photograph is noisy, too small, or compressed until only blocks are left. Can a network give you the original? Pairs
// for its training cost nothing: take good images and damage them. {numref}`fig-restored-noise` shows a network that has
// learned from such pairs, and a test image that it has never seen. Move the slider. Up to which noise would you accept the
// restored image? Some damage cannot be undone at all. This page also shows what a network answers then, and why you will
// not like it.
//
// ```{opening} fig-restored-noise
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/augment.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/degrade.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/nn/denoising_unet.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using book::Study;
using data::Part;
using figure::Figure, figure::Names;
using Numbers = std::vector<double>;

const book::Option<Index> rounds("rounds", 400, "steps of the training of the U-Net",
                                 {.quick = 10, .least = 1, .most = 100'000});
const book::Option<int> draws("draws", 3, "trainings of the network for lower halves",
                              {.quick = 1, .least = 1, .most = 20});
const book::Option<Index> pictures("pictures", 10'000,
                                   "images from which the lower half is learned",
                                   {.quick = 1000, .least = 200, .most = 60'000});
const book::Option<Index> shown("shown", 0, "number of the test image that is drawn",
                                {.least = 0, .most = 99});

const Index judged = 200, kinds = 3;
//-

// ## Damage by algorithm
//
// Each kind of damage is a short computation. *Down-sizing* replaces a box of pixels by their mean: 0.2, 0.4, 0.6 and 0.8
// become a single 0.5. *Compression* in the manner of JPEG describes a block of 8 × 8 pixels by 64 waves, and rounds the
// strength of each wave to a multiple of a step. For a block of two pixels, 0.8 and 0.6, there are two waves: their sum and
// their difference, both divided by $\sqrt 2$, are 0.99 and 0.14. With a step of 0.5 these become 1 and 0. The difference
// is lost, and both pixels are 0.71. *Grayscale* keeps a weighted sum of red, green and blue, $0.299 R + 0.587 G + 0.114
// B$: an orange pixel (1, 0.5, 0) has the brightness 0.59. In *low light* a pixel counts photons. If white is 10 photons on
// average, the brightness 0.5 is 5 photons, give or take $\sqrt 5$. The library also has the *blur* of a lens out of focus.
// All of these are deterministic, up to the seed of their random numbers.
//
// How bad is the damage? The mean squared error compares it with the original, and decibels make the numbers handy. White
// is 1, and the **peak signal-to-noise ratio** is
//
// $$ \mathrm{PSNR} = -10 \log_{10} \frac 1 n \lVert \hat y - y \rVert^2 $$
//
// for an image $\hat y$ of $n$ pixels and its original $y$. Noise of deviation 0.3 has the mean squared error 0.09, which is
// 10.5 decibels. An image with half of this deviation has 6 decibels more. We use three kinds of damage:
Tensor damaged(const Tensor& x, Index kind, Generator& random) {
    if (kind == 0) return data::noisy(x, 0.3, random, data::Range::any());
    if (kind == 1) return upsample_nearest(data::downsized(x, 2), 2);
    return data::compressed(x, 5);
}

// The second image is enlarged to its old size, so that the network gets images of one size.
//- PSNR, pairs of images, and what is checked
const char* const kind_names[] = {"noise", "half the size", "compression"};

double psnr(const Tensor& x, const Tensor& original) {
    return -10 * std::log10(double(mse_loss(x, original).item()));
}
Tensor test_images() { return slice(data::fashion_mnist(Part::test).x, 0, 0, judged); }

struct Pairs {
    Tensor damaged, original;  // (count, 1, 28, 28)
};
// Every image with each kind of damage.
const Pairs& training_pairs() {
    static const Pairs pairs = [] {
        Generator random(book::seed() + 10);
        const Tensor x =
            slice(data::fashion_mnist(Part::train).x, 0, 0, book::quick() ? 100 : 2000);
        std::vector<Tensor> all;
        for (Index kind = 0; kind < kinds; ++kind)
            all.push_back(damaged(x, kind, random));
        return Pairs{concat(all), concat({x, x, x})};
    }();
    return pairs;
}
//-

// ## A network with skips
//
// The network maps a damaged image to an estimate of the original: a **denoising autoencoder** {cite:p}`vincent2008` made of
// convolutions. Its encoder halves the resolution twice, from 28 × 28 to 14 × 14 and 7 × 7, and doubles the channels each
// time. At the bottom one step reaches across four pixels, and a few convolutions see the whole garment. The decoder doubles
// the resolution again. But how should it know where exactly an edge was? A **skip** between equal resolutions brings it
// what the encoder computed there. This is the **U-Net** {cite:p}`ronneberger2015`, `nn::DenoisingUnet` in the library. Its
// forward pass, with one block of two convolutions for each resolution:
Tensor restored(const nn::DenoisingUnet& net, const Tensor& x) {
    std::vector<Tensor> at = {net.encoder[0](x)};
    for (std::size_t level = 0; level < net.halve.size(); ++level)
        at.push_back(net.encoder[level + 1](silu(net.halve[level](at.back()))));
    Tensor y = at.back();
    for (std::size_t level = net.halve.size(); level-- > 0;) {
        const Tensor skip = net.skips ? at[level] : zeros(at[level].shape());
        y = net.decoder[level](concat({upsample_nearest(y, 2), skip}, 1));
    }
    return net.last(y);
}

// Without skips the decoder reads zeros, so both variants have the same parameters and even the same first weights. One
// network learns all three kinds of damage, and nothing tells it which one it sees. Its loss is the mean squared error:
nn::DenoisingUnet trained(bool skips, double rate, Index steps, std::uint64_t draw,
                          Index width = 8) {
    Generator random(book::seed() * 100 + draw);
    const nn::DenoisingUnet net({.width = width, .levels = 2, .skips = skips}, random);
    optim::Adam adam(nn::parameters(net), {.lr = rate, .betas = {0.9, 0.99}});
    const Pairs& all = training_pairs();
    const auto loss = [&] {
        const Integers some = random.integers({8}, 0, all.original.size(0));
        const Tensor in = index_rows(all.damaged, some);
        return mse_loss(net(in), index_rows(all.original, some));
    };
    //- a falling rate
    const auto falling = [&](Index step) {
        return rate * std::min(1.0, double(step + 1) / 10) *
               (1 - double(step) / double(steps));
    };
    optim::fit(adam, loss, {.steps = steps, .lr = falling});
    return net;
    //-
}

//- the studies
const std::vector<double> rates = {5e-3, 1e-2};
const Index long_training = 1200;
Study::Row judgement(const nn::DenoisingUnet& net) {
    const NoGrad only_asking;
    Study::Row row;
    Generator random(book::seed() + 30);
    const auto judge = [&](const Tensor& x) {
        for (Index kind = 0; kind < kinds; ++kind)
            row.push_back(psnr(net(damaged(x, kind, random)), x));
    };
    judge(test_images());
    judge(slice(data::fashion_mnist(Part::train).x, 0, 50'000, 50'000 + judged));
    return row;
}
Study::Row train_and_judge(const Study::Row& cell) {
    return judgement(
        trained(cell[0] == 1, cell[1], long_training, std::uint64_t(cell[2])));
}
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double skips : {1, 0})
        for (const double rate : rates)
            for (int draw = 1; draw <= 5; ++draw)
                cells.push_back({skips, rate, double(draw)});
    return cells;
}
const Study study({"restoration",
                   {"skips", "rate", "draw"},
                   {"noise", "half", "compression", "validation noise",
                    "validation half", "validation compression"},
                   {"sys-denoising-autoencoder/b", "sys-denoising-autoencoder/c"},
                   0.015},
                  all_cells(), train_and_judge);

// What might make the skips matter more: a lower rate, or a narrow bottom.
const std::vector<Study::Row> changed = {{2.5e-3, 8, 1}, {5e-3, 2, 1}, {5e-3, 2, 2}};
std::vector<Study::Row> changed_cells() {
    std::vector<Study::Row> cells;
    for (const Study::Row& change : changed)
        for (const double skips : {1, 0})
            cells.push_back({skips, change[0], change[1], change[2]});
    return cells;
}
Study::Row change_and_judge(const Study::Row& cell) {
    return judgement(trained(cell[0] == 1, cell[1], long_training,
                             std::uint64_t(cell[3]), Index(cell[2])));
}
const Study changes({"restoration_changes",
                     {"skips", "rate", "width", "draw"},
                     {"noise", "half", "compression", "validation noise",
                      "validation half", "validation compression"},
                     {"sys-denoising-autoencoder/c"},
                     0.015},
                    changed_cells(), change_and_judge);

// A column of the five networks of one variant, with the rate that is better on
// validation images.
Numbers column(bool skips, const std::string& name) {
    const auto at = [&](double rate, const std::string& of) {
        const Numbers all = study.frozen().column(of);
        Numbers found;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (study.frozen().rows[i][0] == double(skips) &&
                study.frozen().rows[i][1] == rate)
                found.push_back(all[i]);
        return found;
    };
    double best = -1e9, chosen = 0;
    for (const double rate : rates) {
        double total = 0;
        for (const char* kind : {"noise", "half", "compression"})
            total += book::median(at(rate, fmt::format("validation {}", kind)));
        if (total > best) best = total, chosen = rate;
    }
    return at(chosen, name);
}
//-

//- figures, and what is checked
void noise_figure(const nn::DenoisingUnet& net) {
    const NoGrad only_asking;
    const Tensor x = slice(test_images(), 0, 0, 100);
    const Numbers stops = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    Names places;
    for (Index i = 1; i <= 28; ++i) places.push_back(std::to_string(i));
    std::vector<Tensor> noisy, clean;
    Numbers before, after, drawn;
    for (const double sigma : stops) {
        Generator random(book::seed() + 20);
        noisy.push_back(data::noisy(x, sigma, random, data::Range::any()));
        clean.push_back(restored(net, noisy.back()));
        if (sigma > 0)
            drawn.push_back(sigma), before.push_back(psnr(noisy.back(), x)),
                after.push_back(psnr(clean.back(), x));
    }
    Figure figure("fig-restored-noise");
    figure
        .describe(
            "Two images of the same garment, noisy and restored, and a panel with two "
            "curves of the quality against the noise. The slider adds noise: the noisy "
            "image disappears, while the restored one stays recognisable and loses its "
            "details. The curve of the noisy images falls steeply, that of the "
            "restored ones slowly.")
        .columns(3)
        .height(260)
        .slider("sigma", stops, "standard deviation of the noise", 0.3);
    for (const bool after_it : {false, true}) {
        figure.panel(after_it ? "restored" : "damaged");
        for (std::size_t i = 0; i < stops.size(); ++i)
            figure.at(stops[i]).heatmap(
                "", places, places,
                select((after_it ? clean : noisy)[i], 0, shown()).values(), 0, 1);
        figure.always().bare();
    }
    figure.panel("quality")
        .line("damaged", drawn, before, {.color = figure::red})
        .line("restored", drawn, after, {.color = figure::blue});
    for (const double sigma : stops) figure.at(sigma).rule_x(sigma, "");
    figure.always()
        .x("standard deviation of the noise")
        .y("PSNR, decibels")
        .save(
            "A test image of Fashion-MNIST with noise, and what the network makes of "
            "it. The curves are over 100 test images. In training all noise had the "
            "deviation 0.3. Without noise the damaged image has no error, and the "
            "curves begin at 0.1.");
    for (std::size_t i = 0; i < drawn.size(); ++i)
        say("noise of {:.1f}: damaged {:.1f}, restored {:.1f} decibels", drawn[i],
            before[i], after[i]);
}

void sheet_of(const nn::DenoisingUnet& net) {
    const NoGrad only_asking;
    const Tensor x = slice(test_images(), 0, 0, 4);
    Generator random(book::seed() + 21);
    std::vector<Tensor> seen, answers;
    for (Index kind = 0; kind < kinds; ++kind) {
        seen.push_back(damaged(x, kind, random));
        answers.push_back(restored(net, seen.back()));
    }
    figure::Images sheet("fig-restored-kinds", 7);
    sheet.describe(
        "Four rows of seven images of clothes: the original, and three pairs of a "
        "damaged and a restored image. Noise is gone after restoration, with the "
        "finest patterns. Coarse squares and the blocks of compression have become "
        "smooth shapes.");
    for (Index i = 0; i < 4; ++i) {
        sheet.add(i == 0 ? "original" : "", 28, 28, select(x, 0, i).values());
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            sheet.add(i == 0 ? kind_names[kind] : "", 28, 28,
                      select(seen[kind], 0, i).values());
            sheet.add(i == 0 ? "restored" : "", 28, 28,
                      select(answers[kind], 0, i).values());
        }
    }
    sheet.negative().save(
        "The first four test images, not selected: each with three kinds of damage, "
        "and restored by one network, which is not told the kind.");
    book::shows("sys-denoising-autoencoder/a", "fig-restored-kinds");
}

void restoration() {
    const nn::DenoisingUnet net = trained(true, 5e-3, rounds(), 0), cut = [&] {
        nn::DenoisingUnet copy = nn::clone(net);
        copy.skips = false;
        return copy;
    }();
    noise_figure(net);
    sheet_of(net);
    const NoGrad only_asking;
    const Tensor x = test_images();
    claim("", "our forward pass against the library's, largest difference",
          max(abs(restored(cut, x) - cut(x))).item() +
              max(abs(restored(net, x) - net(x))).item(),
          "<=", 1e-5);
    Numbers ahead(5), each;
    std::vector<std::vector<book::Cell>> rows;
    const char* names[] = {"noise", "half", "compression"};
    for (Index kind = 0; kind < kinds; ++kind) {
        Generator random(book::seed() + 23);
        const Tensor seen = damaged(x, kind, random);
        const double before = psnr(seen, x);
        const Numbers with = column(true, names[kind]),
                      without = column(false, names[kind]);
        Numbers gains, lead;
        for (std::size_t i = 0; i < with.size(); ++i) {
            gains.push_back(with[i] - before);
            lead.push_back(with[i] - without[i]);
            ahead[i] += lead[i] / double(kinds);
        }
        each.push_back(book::median(lead));
        if (kind == 0)
            claim("sys-denoising-autoencoder/b",
                  "gain in PSNR for noise of deviation 0.3, in decibels",
                  over_seeds(gains), ">=", 4);
        const auto cell = [](double found) { return fmt::format("{:.1f}", found); };
        rows.push_back({kind_names[kind], cell(before), cell(psnr(net(seen), x)),
                        cell(book::median(with)), cell(book::median(without))});
    }
    book::table("restoration-psnr",
                "PSNR on 200 test images in decibels: of the network of this page, and "
                "the median of five longer trainings with skips and without.",
                {"damage", "damaged", "restored here", "with skips", "without"}, rows);
    // A mean over the kinds of damage, of one network.
    const auto mean_of = [](const Study& from, const Study::Row& cell,
                            std::size_t first) {
        for (const Study::Row& one : from.frozen().rows)
            if (std::equal(cell.begin(), cell.end(), one.begin())) {
                const std::size_t at = cell.size() + first;
                return (one[at] + one[at + 1] + one[at + 2]) / 3;
            }
        return std::nan("");
    };
    const auto changed_to = [&](bool skips, const Study::Row& change,
                                std::size_t first) {
        return mean_of(changes, {double(skips), change[0], change[1], change[2]},
                       first);
    };
    const auto lead_of = [&](const Study::Row& change) {
        return changed_to(true, change, 0) - changed_to(false, change, 0);
    };
    const auto slower_loses = [&](bool skips) {
        return mean_of(study, {double(skips), rates[0], 1}, 3) -
               changed_to(skips, changed[0], 3);
    };
    book::not_reproduced(
        "sys-denoising-autoencoder/c",
        "PSNR of the network with skips less that without, in decibels, a mean over "
        "three kinds of damage",
        over_seeds(ahead), ">=", 1,
        fmt::format(
            "two learning rates for both variants, each with the better one "
            "on validation images, the lower; each kind of damage alone, "
            "medians of the difference: {:.2f}, {:.2f} and {:.2f}. Then single "
            "trainings. Half this rate, first draw: {:.2f} in place of {:.2f}, "
            "and on validation images {:.2f} decibels worse with skips and "
            "{:.2f} without. A quarter of the channels, so that the bottom "
            "holds half as many numbers as an image has pixels, first and "
            "second draw: {:.2f} and {:.2f} in place of {:.2f} and {:.2f}. More "
            "draws of them, and a longer training, were not tried: a limit of "
            "our budget",
            each[0], each[1], each[2], lead_of(changed[0]), ahead[0],
            slower_loses(true), slower_loses(false), lead_of(changed[1]),
            lead_of(changed[2]), ahead[0], ahead[1]));
    claim("",
          "PSNR of the network with skips less that without, in decibels, a mean over "
          "three kinds of damage",
          over_seeds(ahead), ">", 0);
    claim("",
          "lead of the skips with a quarter of the channels over that with all, the "
          "smaller of two draws",
          std::min(lead_of(changed[1]) / ahead[0], lead_of(changed[2]) / ahead[1]), ">",
          1);
    claim("",
          "what half the rate loses on validation images, in decibels, smaller loss",
          std::min(slower_loses(true), slower_loses(false)), ">", 0);
    const double grey = -10 * std::log10(double(mean(square(x - mean(x))).item()));
    int lost[] = {0, 0};
    for (const Study::Row& one : study.frozen().rows)
        lost[one[0] == 1] += one[1] == rates[1] && std::abs(one[4] - one[3]) < 0.01 &&
                             std::abs(one[5] - one[3]) < 0.01;
    say("trainings at the higher rate with the same PSNR for all kinds of damage: {} "
        "of 5 with skips, {} of 5 without; an even grey has {:.1f} decibels",
        lost[1], lost[0], grey);
    claim("sys-degradation-operators/c",
          "PSNR of test images after compression at quality 100, in decibels",
          psnr(data::compressed(x, 100), x), ">", 45);
}
//-

// {numref}`fig-restored-kinds` shows what comes back. Noise is removed almost completely, but a fine pattern is gone too, because
// nothing tells it from noise. Blocks become smooth shapes. The network of the figures has seen 3,200 damaged images. The
// table adds longer trainings, of 9,600 images, each with the better of two learning rates. For both variants this is the
// lower rate, that of the figures. With twice this rate some trainings end with a network that ignores its input: all kinds
// of damage give the same PSNR, near that of an even grey. This happens more often without skips. The table uses no network
// of this rate.
//
// The skips help, and less than the decibel that we had expected. Without them the same weights multiply zeros, and
// everything must pass through 7 × 7 places. But each place has 32 channels, which is twice as many numbers as the image has
// pixels. Is the bottom so wide that the skips have little to add? The verdict also lists a few single trainings. Half the
// rate makes both variants worse. With a quarter of the channels the bottom holds half as many numbers as the image has
// pixels, and in both draws that were tried the skips help more. This supports the guess, but two draws cannot decide about
// a decibel, and all layers of that network are narrower, not only the bottom.
//
// In training all noise had the deviation 0.3. With less noise than that the gain is smaller. With more it is larger, and
// yet the restored images are worse, since more of the original is hidden. Whether a network that was trained with that
// noise would do better was not tried.
//
// ## Where the original is lost
//
// Noise hides the original, and most of it can be found again. A mask takes it away. Cover the lower half of each image: a
// boot and a trouser leg can still be told apart, but is the heel high or low? Several lower halves fit one upper half.
//
// A network with one hidden layer learns the lower half from the upper half, with the mean squared error. Beside it stands
// an answer without any training: among 10,000 training images find the $k$ whose upper halves are nearest, and take the
// mean of their lower halves. With $k = 1$ the answer is a real lower half, as sharp as any. Before you look, place your
// bet:
//- the network for lower halves
struct Halves {
    Tensor upper, lower;  // (count, 392)
};
Halves halves(Part part, Index count) {
    const Tensor x = flatten(slice(data::fashion_mnist(part).x, 0, 0, count));
    return {clone(slice(x, 1, 0, 392)), clone(slice(x, 1, 392, 784))};
}
nn::Mlp completing(const Halves& all, std::uint64_t draw) {
    Generator random(book::seed() * 100 + 50 + draw);
    const nn::Mlp net({392, 128, 392}, relu, random);
    optim::Adam adam(nn::parameters(net), {.lr = 2e-3});
    const Index steps = 6 * pictures() / 100;
    const auto loss = [&] {
        const Integers some = random.integers({100}, 0, pictures());
        return mse_loss(net(index_rows(all.upper, some)), index_rows(all.lower, some));
    };
    const auto falling = [&](Index step) {
        return 2e-3 * (1 - double(step) / double(steps));
    };
    optim::fit(adam, loss, {.steps = steps, .lr = falling});
    return net;
}

// For each test image the training images, the one with the nearest upper half first.
std::vector<std::vector<Index>> neighbours(const Halves& all, const Halves& test,
                                           Index count) {
    const std::vector<Real> products =
                                matmul(test.upper, transpose(all.upper)).values(),
                            lengths = sum(square(all.upper), {1}).values();
    std::vector<std::vector<Index>> found;
    const Index n = all.upper.size(0);
    for (Index t = 0; t < test.upper.size(0); ++t) {
        std::vector<Index> order;
        for (Index i = 0; i < n; ++i) order.push_back(i);
        const auto distance = [&](Index i) {
            return lengths[std::size_t(i)] - 2 * products[std::size_t(t * n + i)];
        };
        std::partial_sort(order.begin(), order.begin() + count, order.end(),
                          [&](Index a, Index b) { return distance(a) < distance(b); });
        order.resize(std::size_t(count));
        found.push_back(order);
    }
    return found;
}
Tensor mean_of_nearest(const Halves& all, const std::vector<std::vector<Index>>& near,
                       Index k) {
    std::vector<Tensor> rows;
    for (const std::vector<Index>& order : near) {
        const std::vector<Index> first(order.begin(), order.begin() + k);
        rows.push_back(mean(index_rows(all.lower, Integers({k}, first)), {0}));
    }
    return stack(rows);
}
//-

// How sharp is an answer? Subtract a blurred copy, and only fine detail is left. Its energy is the sum of the squares:
double fine_detail(const Tensor& half) {
    const Tensor image = reshape(half, {half.size(0), 14, 28});
    return double(sum(square(image - data::blurred(image, 1))).item());
}

//- the question, the figures, and what is checked
void lower_halves() {
    const Halves all = halves(Part::train, pictures()),
                 test = halves(Part::test, judged);
    std::vector<nn::Mlp> nets;
    for (int draw = 0; draw < draws(); ++draw)
        nets.push_back(completing(all, std::uint64_t(draw)));
    const NoGrad only_asking;
    const double real = fine_detail(test.lower);
    Numbers detail, errors;
    for (const nn::Mlp& net : nets) {
        const Tensor answer = net(test.upper);
        detail.push_back(fine_detail(answer) / real);
        errors.push_back(double(mse_loss(answer, test.lower).item()));
    }
    const Numbers stops = {1, 2, 5, 10, 20, 50, 100};
    const auto near = neighbours(all, test, 100);
    std::vector<Tensor> answers;
    Numbers misses, fine;
    for (const double k : stops) {
        answers.push_back(mean_of_nearest(all, near, Index(k)));
        misses.push_back(double(mse_loss(answers.back(), test.lower).item()));
        fine.push_back(fine_detail(answers.back()) / real);
    }
    const double one = misses[0], ten = misses[3];
    ask("The mean squared error decides. Which answer is better on test images: the "
        "lower half of the nearest image, or the mean of the lower halves of the ten "
        "nearest?",
        {{"The nearest: a real garment with a matching upper half.", one < ten,
          "It is real, but it is the wrong garment in most details. Each sharp edge "
          "at a wrong place costs twice: where it is, and where it should be."},
         {"The ten, by less than a tenth.", ten <= one && ten > 0.9 * one,
          "What the ten agree on is kept, what they disagree on is averaged, and the "
          "square punishes large errors most."},
         {"The ten, by more than a tenth.", ten <= 0.9 * one,
          "What the ten agree on is kept, what they disagree on is averaged, and the "
          "square punishes large errors most. The better answer looks worse."}});

    Names places;
    for (Index i = 1; i <= 28; ++i) places.push_back(std::to_string(i));
    Figure figure("fig-neighbours");
    figure
        .describe(
            "A garment whose lower half is a mean of several images, and two curves "
            "against their number, with a slider. With one image the lower half is "
            "sharp. With more it becomes a smooth shadow. Error and fine detail are "
            "drawn relative to their value for one image and for real halves: the "
            "detail falls all the way, the error falls at first and then rises "
            "slowly.")
        .columns(2)
        .height(300)
        .slider("k", stops, "nearest images in the mean, k", 10)
        .panel("upper half given, lower half a mean");
    for (std::size_t i = 0; i < stops.size(); ++i)
        figure.at(stops[i]).heatmap(
            "", places, places,
            concat({select(test.upper, 0, shown()), select(answers[i], 0, shown())})
                .values(),
            0, 1);
    Numbers relative;
    for (const double m : misses) relative.push_back(m / one);
    figure.always().bare().panel("error and detail");
    figure.line("mean squared error", stops, relative, {.color = figure::red})
        .line("fine detail", stops, fine, {.color = figure::blue});
    for (const double k : stops) figure.at(k).rule_x(k, "");
    figure.always()
        .log_x()
        .x("nearest images in the mean, k")
        .y("relative to k = 1, or to real halves")
        .ylim(0, 1.2)
        .save(
            "A test image whose lower half is the mean of the lower halves of the k "
            "training images with the nearest upper halves. The error is relative to "
            "that of k = 1, the detail to that of real lower halves, both over 200 "
            "test images.");
    figure::Images sheet("fig-halves", 8);
    sheet.describe(
        "Four rows of eight garments: test images, the same with a black lower half, "
        "completed by the network, and completed by the nearest training image. The "
        "network's lower halves are soft. Those of the nearest images are sharp, and "
        "often of another cut or pattern.");
    const Tensor answer = nets[0](test.upper), black = zeros({judged, 392});
    const char* names[] = {"original", "masked", "network", "nearest"};
    const Tensor lower[] = {test.lower, black, answer, answers[0]};
    for (std::size_t row = 0; row < 4; ++row)
        for (Index i = 0; i < 8; ++i)
            sheet.add(
                i == 0 ? names[row] : "", 28, 28,
                concat({select(test.upper, 0, i), select(lower[row], 0, i)}).values());
    sheet.negative().save(
        "The first eight test images, not selected; with the lower half masked; "
        "completed by a network trained with the mean squared error; and completed by "
        "the training image whose upper half is nearest.");
    book::shows("claim-mse-blur/a", "fig-halves");
    claim("claim-mse-blur/b",
          "fine detail of the network's lower halves over that of the real ones",
          over_seeds(detail), "<=", 0.5);
    say("mean squared error of the network: {}", book::brief(over_seeds(errors)));
    const std::size_t best =
        std::size_t(std::ranges::min_element(misses) - misses.begin());
    Numbers ratios, softer;
    for (const double error : errors) ratios.push_back(error / one);
    for (const double share : detail) softer.push_back(share / fine[best]);
    claim("", "error of the network over that of the nearest image", over_seeds(ratios),
          "<", 0.75);
    claim("",
          "fine detail of the network over that of the mean with the smallest error",
          over_seeds(softer), "<", 1);
    claim("", "error of the mean of 100 over the smallest error of a mean",
          misses.back() / misses[best], ">", 1);
    claim("",
          "fine detail of the mean of neighbours with the smallest error, over that of "
          "the real halves",
          fine[best], "<=", 0.5);
    for (std::size_t i = 0; i < stops.size(); ++i)
        say("mean of the {} nearest: error {:.4f}, fine detail {:.2f}", stops[i],
            misses[i], fine[i]);
}
//-

// As $k$ grows from 1 to 10, the error of the mean falls, and so does the detail. Beyond 20 the error rises slowly, because
// those neighbours fit less well, and the detail falls on. The smallest error belongs to a blur.
//
// ## Why the mean wins
//
// Suppose that two originals fit equally well, with the brightness 0 and 1 at some pixel. An answer $a$ costs
// $\frac12 a^2 + \frac12 (a - 1)^2$ on average: 0.5 for both originals, and 0.25 for $a = 0.5$, which is neither. In
// general the best answer is the [conditional mean](conditional_mean.cpp). For given originals and noise it is a mean with weights:
double conditional_mean(const Numbers& originals, double seen, double noise) {
    double sum = 0, total = 0;
    for (const double x : originals) {
        const double miss = (seen - x) / noise, likelihood = std::exp(-miss * miss / 2);
        sum += likelihood * x, total += likelihood;
    }
    return sum / total;
}

// If the originals are −1 and 1 and the noise is enormous, the seen number says nothing. The answer is 0, though no original
// is 0, and the density of the originals there is zero.
//- what is checked
void two_originals() {
    // The largest answer to what is seen with this noise, up to five deviations.
    const auto largest = [](double noise) {
        double found = 0;
        for (int i = -50; i <= 50; ++i) {
            const double size =
                std::abs(conditional_mean({-1, 1}, i / 10.0 * noise, noise));
            found = std::isnan(size) ? 1 : std::max(found, size);
        }
        return found;
    };
    for (const double noise : {1, 10, 100, 1000})
        say("noise of deviation {}: largest answer {:.4f}", noise, largest(noise));
    claim("claim-mse-blur/c",
          "conditional mean of −1 and 1 with noise of ten million, up to five "
          "deviations: largest size",
          largest(1e7), "<=", 1e-6);
}
//-

// Is the network of {numref}`fig-halves` blurred because it is small, or because its training was short? Its error is near
// the smallest error of a mean of neighbours. Those means have no weights and no training, and they too have lost more than
// half of the detail. So most of the blur comes from the squared error. The network's answers are softer still, and this
// rest may be its own.
//
// ## Limits and history
//
// Our damage is synthetic, and we know it exactly. A network that has learned from synthetic damage meets a real camera
// with noise of another kind, and what it loses by that, our images cannot tell. A convolution sees only its neighbourhood;
// for elements that are far apart, larger networks add [attention](../components/attention.cpp).
// Denoising autoencoders were introduced by {cite:t}`vincent2008`, to learn features rather than to restore images.
//
// ## Summary
//
// Damage made by algorithm gives pairs without end, and a network that is trained on them with a squared error restores
// what the damaged image still determines. Skips between equal resolutions carry the positions of edges past the bottom of
// a U-Net. Where several originals fit, the answer is their mean: the smallest error, and an image that does not exist.
//
// ## What is missing
//
// Averages are blurred, and samples are not. To draw *one* of the possible images, a model must know their distribution, as
// a [diffusion model](diffusion.cpp) does. [The next page](diffusing_images.cpp) builds one on the U-Net of this page, and
// asks it for a sneaker.
//
// ```{try}
// - Another garment in the figures: `--shown 4`. Which of its details survive the noise?
// - A longer training: `--rounds 2000`. Which kind of damage gains most?
// ```

void page() {
    restoration();
    lower_halves();
    two_originals();
}
