// # Diffusing images: a U-Net that paints what you ask for
//
// ```{rows} fig-7.2 sys-conditional-diffusion
// ```
//
// A [denoiser that knows the step](denoisers.cpp) turns noise into points of two moons. Now the noise has the shape of an
// image, and you ask for a sneaker. {numref}`fig-from-noise` starts from noise three times and takes the same small steps
// back, with a different wish each time. Move the slider. When can you first tell what it will be? The network behind the
// figure has learned for a few seconds. A larger one, trained for minutes, shows what is missing: how good are such images,
// are they copies, and what does it cost to insist on a wish?
//
// ```{opening} fig-from-noise
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/classic/frechet.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/diffusion.hpp>
#include <recto/nn/layer.hpp>
#include <recto/nn/denoising_unet.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using book::Study;
using data::Examples, data::Part;
using figure::Figure, figure::Names;
using nn::NoiseSchedule;
using Numbers = std::vector<double>;

const book::Option<Index> rounds("rounds", 1000, "steps of the training of this page",
                                 {.quick = 5, .least = 1, .most = 100'000});
const book::Option<double> weight("weight", 1, "guidance weight of the figures",
                                  {.least = 0, .most = 5});

const Index side = 14, all_steps = 50, none = 10;
//-

// ## From points to images
//
// The data are the images of Fashion-MNIST {cite:p}`xiao2017`, halved to 14 × 14 pixels, shifted and scaled to mean 0 and
// variance 1. An image is then one point with 196 coordinates, and everything from the page on [diffusion](diffusion.cpp)
// holds for it as it did for a number. With $\bar\alpha_t = 0.36$ a pixel of 1.5 and the noise 0.5 become
// $0.6 \cdot 1.5 + 0.8 \cdot 0.5 = 1.3$, and the network is asked for the 0.5. Only the network is new. It must find the
// noise in an image, so it is the U-Net of [restoration](restoration.cpp): it sees the whole garment at 7 × 7 pixels, and
// the pixels' exact places through a skip.
//
// Step and class enter as one vector. A sine and cosine code of the step and a one-hot class become 32 features, and every
// block of the U-Net adds a linear function of them to its channels. Class number 10 means "no wish":
struct Painter {
    nn::Linear read;
    nn::DenoisingUnet net;

    Tensor operator()(const Tensor& x, const Integers& t, const Integers& wish) const {
        const Tensor time = nn::time_features(t, all_steps, 16);
        return net(x, silu(read(concat({time, one_hot(wish, 11)}, 1))));
    }
    //- how it is made
    Painter(Index width, Generator& random)
        : read(27, 32, random),
          net({.width = width, .levels = 1, .conditions = 32}, random) {}
    void visit(auto&& part) { part("read", read), part("net", net); }
    //-
};

// Training is that of the page on denoisers: random images, random steps, and the squared error of the predicted noise. One
// line is new. For one image in eight the wish is withheld, so that one network learns both to paint with a wish and
// without:
Tensor objective(const Painter& net, const NoiseSchedule& schedule, const Tensor& x,
                 const Integers& labels, Generator& random) {
    std::vector<Index> wish = labels.values();
    for (Index& one : wish)
        if (random.next_uniform() < 0.125) one = none;
    const Integers wishes({x.size(0)}, wish);
    return nn::noise_prediction_loss(
        [&](const Tensor& noisy, const Integers& t) { return net(noisy, t, wishes); },
        schedule, x, random);
}
//- the images, and the training
const double pixel_mean = 0.286, pixel_deviation = 0.33;
Tensor small(const Tensor& images) { return avg_pool2d(images, 2); }
Tensor scaled(const Tensor& pixels) {
    return (pixels - pixel_mean) * (1 / pixel_deviation);
}
Tensor pixels_of(const Tensor& x) {
    return minimum(maximum(x * pixel_deviation + pixel_mean, 0), 1);
}

Painter trained(Index width, const Examples& set, Index count, Index batch, double rate,
                Generator& random) {
    const NoiseSchedule schedule = NoiseSchedule::linear(all_steps);
    const Painter net(width, random);
    optim::Adam adam(nn::parameters(net), {.lr = rate, .betas = {0.9, 0.99}});
    const auto loss = [&] {
        const Integers some = random.integers({batch}, 0, set.size());
        std::vector<Index> labels;
        for (const Index i : some.values()) labels.push_back(set.labels.data()[i]);
        return objective(net, schedule, index_rows(set.x, some),
                         Integers({batch}, labels), random);
    };
    const auto falling = [&](Index step) {
        return rate * std::min(1.0, double(step + 1) / 20) *
               (1 - double(step) / double(count));
    };
    optim::fit(adam, loss, {.steps = count, .lr = falling});
    return net;
}
//-

// ## Insisting on a wish
//
// The class is one of many inputs, and the network may take little notice of it. How do you insist? At each step ask
// twice, with the wish and without, and go on in the direction from the second answer to the first. If a pixel's noise
// is predicted as 0.2 without the wish and as 0.5 with it, the wish accounts for 0.3. With the weight 2 the answer becomes
// $0.5 + 2 \cdot 0.3 = 1.1$. This is **classifier-free guidance** {cite:p}`ho2022`:
//
// $$ \hat\varepsilon = \hat\varepsilon(x_t, t, c) + \gamma\, \bigl( \hat\varepsilon(x_t, t, c) -
//    \hat\varepsilon(x_t, t) \bigr) $$
//
// for the class $c$ and a **guidance weight** $\gamma$, which is 0 for the plain conditional model.
//
// Why is the difference a direction worth following? A predicted noise is, up to a factor, the [score](diffusion.cpp): the
// gradient of the logarithm of a density. With the wish it is that of $p(x \mid c)$, without it that of $p(x)$. By Bayes'
// rule $p(x \mid c)$ is $p(x)\, p(c \mid x)$ up to a constant, so the difference is the gradient of $\log p(c \mid x)$. It
// points to images in which the class is easier to recognise. With the weight $\gamma$ the steps follow the gradient of the
// logarithm of $p(x)\, p(c \mid x)^{1 + \gamma}$. Suppose that an image looks like a sneaker with probability 0.8 and like a
// boot with 0.2. With $\gamma = 1$ these count as 0.64 and 0.04, which are 0.94 and 0.06 when they are scaled to a sum of
// 1. Doubtful images become rare. The price is a second forward pass in every step:
Tensor guided(const Painter& net, const Tensor& x, const Integers& t,
              const Integers& wish, double gamma) {
    const Tensor with = net(x, t, wish);
    if (gamma == 0) return with;
    const Integers nothing({x.size(0)},
                           std::vector<Index>(std::size_t(x.size(0)), none));
    return with + gamma * (with - net(x, t, nothing));
}

//- samples
using Look = std::function<void(Index t, const Tensor& x)>;
// Scaled images of these classes.
Tensor painted(const Painter& net, const std::vector<Index>& classes, double gamma,
               Generator& random, const Look& look = {}) {
    const NoGrad only_sampling;
    const NoiseSchedule schedule = NoiseSchedule::linear(all_steps);
    const Index count = Index(classes.size());
    const Shape shape{count, 1, side, side};
    const Integers wish({count}, classes);
    Tensor x = random.normal(shape);
    for (Index t = all_steps; t >= 1; --t) {
        if (look) look(t, x);
        const Integers now({count}, std::vector<Index>(classes.size(), t));
        x = schedule.step_back(x, t, guided(net, x, now, wish, gamma),
                               random.normal(shape));
    }
    if (look) look(0, x);
    return x;
}
//-

//- the judge, and the study
struct Judge {
    std::vector<nn::Layer> layers;

    Tensor run(Tensor x, std::size_t until) const {
        x = upsample_nearest(x, 2);
        for (std::size_t i = 0; i < until; ++i) x = layers[i](x);
        return x;
    }
    Tensor features(const Tensor& x) const { return run(x, layers.size() - 1); }
    Tensor scores(const Tensor& x) const { return run(x, layers.size()); }
};
// A LeNet for small images, enlarged to 28 × 28.
Judge make_judge(const Examples& set, Generator& random) {
    const nn::ConvLayerOptions he{.weights = nn::he_init};
    const nn::LinearOptions dense{.weights = nn::he_init};
    Judge judge;
    judge.layers.emplace_back(nn::Conv2d(1, 6, 5, random, he));
    judge.layers.emplace_back(nn::MaxPool2d{2});
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::Conv2d(6, 16, 5, random, he));
    judge.layers.emplace_back(nn::MaxPool2d{2});
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::Flatten());
    judge.layers.emplace_back(nn::Linear(256, 120, random, dense));
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::Linear(120, 84, random, dense));
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::Linear(84, 10, random, dense));
    optim::Adam adam(nn::parameters(judge.layers), {.lr = 2e-3});
    const Index passes = 3;
    const double all = double(passes * ((set.size() + 99) / 100));
    optim::fit(
        adam, [&] { return data::Batches(set, 100, random); },
        [&](const Examples& some) {
            return cross_entropy(judge.scores(some.x), some.labels);
        },
        {.epochs = passes,
         .lr = [&](Index step) { return 2e-3 * (1 - double(step) / all); }});
    return judge;
}

// Images of the first `count` rows of a part, as small pixels.
Examples small_images(Part part, Index count) {
    Examples set = data::slice(data::fashion_mnist(part), 0, count);
    set.x = small(set.x);
    return set;
}

// For each row of x its distance to the nearest row of `all`; the row with the same
// number is left out on request.
Numbers nearest(const Tensor& x, const Tensor& all, bool skip_own) {
    const Tensor a = flatten(x), b = flatten(all);
    Numbers found;
    for (Index begin = 0; begin < a.size(0); begin += 500) {
        const Tensor some = slice(a, 0, begin, std::min(begin + 500, a.size(0)));
        const std::vector<Real> products = matmul(some, transpose(b)).values(),
                                one = sum(square(some), {1}).values(),
                                other = sum(square(b), {1}).values();
        for (std::size_t i = 0; i < one.size(); ++i) {
            double best = 1e30;
            for (std::size_t j = 0; j < other.size(); ++j)
                if (!(skip_own && Index(j) == begin + Index(i)))
                    best =
                        std::min(best, double(one[i]) + double(other[j]) -
                                           2 * double(products[i * other.size() + j]));
            found.push_back(std::sqrt(std::max(best, 0.0)));
        }
    }
    return found;
}
// The distances of all pairs of rows.
Numbers pairs(const Tensor& x) {
    const Tensor a = flatten(x);
    const std::vector<Real> products = matmul(a, transpose(a)).values();
    const std::size_t n = std::size_t(a.size(0));
    Numbers found;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j)
            found.push_back(std::sqrt(std::max(double(products[i * n + i]) +
                                                   double(products[j * n + j]) -
                                                   2 * double(products[i * n + j]),
                                               0.0)));
    return found;
}
double percentile(Numbers all, double share) {
    std::ranges::sort(all);
    return all[std::size_t(share * double(all.size() - 1))];
}
double share_below(const Numbers& all, double bound) {
    double count = 0;
    for (const double v : all) count += v < bound;
    return count / double(all.size());
}

// The mean variance of the features within a class.
double diversity(const Tensor& features, const std::vector<Index>& classes) {
    double total = 0;
    for (Index c = 0; c < 10; ++c) {
        std::vector<Index> rows;
        for (std::size_t i = 0; i < classes.size(); ++i)
            if (classes[i] == c) rows.push_back(Index(i));
        const Tensor own = index_rows(features, Integers({Index(rows.size())}, rows));
        total += double(sum(variance(own, {0}, 1)).item()) / 10;
    }
    return total;
}

std::vector<Index> all_classes(Index count) {
    std::vector<Index> classes;
    for (Index i = 0; i < count; ++i) classes.push_back(i % 10);
    return classes;
}

const Numbers weights = {0, 1, 3};
std::vector<std::string> result_names() {
    std::vector<std::string> names = {"judge",    "painted",  "pixels", "covariance",
                                      "training", "smallest", "below",  "test below",
                                      "pair",     "test pair"};
    for (const double gamma : weights)
        for (const char* what : {"share", "diversity", "distance"})
            names.push_back(fmt::format("{} {}", what, gamma));
    return names;
}

Study::Row train_and_judge(const Study::Row& cell) {
    Generator random(book::seed() * 1000 + std::uint64_t(cell[0]));
    const Examples set = small_images(Part::train, 20'000),
                   test = small_images(Part::test, 5000);
    const Judge judge = make_judge(set, random);
    Examples inputs = set;
    inputs.x = scaled(set.x);
    const Painter net = trained(24, inputs, 5000, 16, 4e-3, random);

    const NoGrad only_judging;
    const linalg::Matrix real = linalg::matrix_of(judge.features(test.x));
    const auto distance = [&](const Tensor& x) {
        return classic::frechet_distance(linalg::matrix_of(judge.features(x)), real);
    };
    const std::vector<Index> classes = all_classes(1000), half = all_classes(500);
    Study::Row guidance;
    Tensor plain;
    for (const double gamma : weights) {
        const std::vector<Index>& wish = gamma == 0 ? classes : half;
        const Tensor x = pixels_of(painted(net, wish, gamma, random));
        if (gamma == 0) plain = x;
        guidance.push_back(
            nn::accuracy(judge.scores(x), Integers({Index(wish.size())}, wish)));
        const Tensor some = slice(x, 0, 0, 500);
        guidance.push_back(diversity(judge.features(some), half));
        guidance.push_back(distance(some));
    }
    // Rivals: independent pixels, and images with the right covariances.
    const Index count = 1000, n = 5000;
    const Tensor flat = flatten(slice(set.x, 0, 0, n)),
                 centre = mean(flat, {0}, Keep::yes),
                 deviation = sqrt(variance(flat, {0}, 0, Keep::yes));
    const auto clipped = [&](const Tensor& x) {
        return reshape(minimum(maximum(x, 0), 1), {count, 1, side, side});
    };
    const Tensor pixels =
        clipped(centre + deviation * random.normal({count, side * side}));
    const Tensor covariance =
        clipped(centre + matmul(random.normal({count, n}), flat - centre) *
                             (1 / std::sqrt(double(n))));
    const double bound =
        percentile(nearest(slice(set.x, 0, 0, 2000), set.x, true), 0.01);
    const double pair = percentile(pairs(slice(set.x, 0, 0, 2000)), 0.01);
    const Numbers gaps = nearest(plain, set.x, false),
                  others = nearest(slice(test.x, 0, 0, 1000), set.x, false);
    Study::Row row = {
        nn::accuracy(judge.scores(test.x), test.labels),
        distance(plain),
        distance(pixels),
        distance(covariance),
        distance(slice(set.x, 0, 0, count)),
        std::ranges::min(gaps) / bound,
        share_below(gaps, bound),
        share_below(others, bound),
        std::ranges::min(gaps) / pair,
        std::ranges::min(others) / pair,
    };
    row.insert(row.end(), guidance.begin(), guidance.end());
    return row;
}

const Study study({"diffusing_images",
                   {"draw"},
                   result_names(),
                   {"fig-7.2/b", "fig-7.2/c", "fig-7.2/d",
                    "sys-conditional-diffusion/a", "sys-conditional-diffusion/b",
                    "sys-conditional-diffusion/c"},
                   0.05},
                  {{1}, {2}, {3}, {4}, {5}}, train_and_judge);
//-

// ## Painting in seconds
//
// The network of the figures is small, and learns only trousers, sneakers and bags, because these three are easy to tell
// apart after a few seconds of training. {numref}`fig-by-time` shows its way from noise to images, row by row, and
// {numref}`fig-insisting` the same noise with three guidance weights. Large shapes come first, while most of the image is
// still noise, and the last steps draw edges. Most samples can be recognised, and some are broken, such as a shoe in two
// parts. Seconds of training are not enough to rule them out.
//- the figures
const std::vector<Index> few = {1, 7, 8};
Painter quick_painter() {
    Generator random(book::seed());
    const Examples all = small_images(Part::train, book::quick() ? 500 : 20'000);
    std::vector<Index> rows;
    for (Index i = 0; i < all.size(); ++i)
        if (std::ranges::count(few, all.labels.data()[i])) rows.push_back(i);
    Examples set = data::select(all, rows);
    set.x = scaled(set.x);
    return trained(16, set, rounds(), 16, 4e-3, random);
}

void from_noise(const Painter& net) {
    Generator random(book::seed() + 5);
    const Numbers stops = {0, 10, 20, 30, 40, 45, 50};
    std::vector<Tensor> seen;
    const Tensor last =
        painted(net, few, weight(), random, [&](Index t, const Tensor& x) {
            if (std::ranges::count(stops, double(all_steps - t)))
                seen.push_back(pixels_of(x));
        });
    Names places;
    for (Index i = 1; i <= side; ++i) places.push_back(std::to_string(i));
    Figure figure("fig-from-noise");
    figure
        .describe(
            "Three images of 14 by 14 pixels and a slider for the steps back taken. At "
            "0 all three are noise. After 30 of 50 steps bright regions have the size "
            "of a garment, and at the end there are a trouser, a sneaker and a bag.")
        .columns(3)
        .height(220)
        .slider("done", stops, "steps back taken", 50);
    for (std::size_t k = 0; k < few.size(); ++k) {
        figure.panel(std::string(data::fashion_names[std::size_t(few[k])]));
        for (std::size_t i = 0; i < stops.size(); ++i)
            figure.at(stops[i]).heatmap("", places, places,
                                        select(seen[i], 0, Index(k)).values(), 0, 1);
        figure.always().bare();
    }
    figure.save(
        "Three images on their way from noise, each with the class that was asked for. "
        "The network has seen only these three classes.");
}

void sheets(const Painter& net) {
    std::vector<Index> wish;
    for (const Index c : few)
        for (int i = 0; i < 3; ++i) wish.push_back(c);
    figure::Images by_time("fig-by-time", 9);
    Generator random(book::seed() + 6);
    painted(net, wish, weight(), random, [&](Index t, const Tensor& x) {
        if (t % 10 != 0) return;
        const Tensor now = pixels_of(x);
        for (Index i = 0; i < 9; ++i)
            by_time.add(i == 0 ? fmt::format("t = {}", t) : "", int(side), int(side),
                        select(now, 0, i).values());
    });
    by_time.describe(
        "Six rows of nine images. The first row is noise. From row to row dark and "
        "bright areas separate, and the last row shows three trousers, three sneakers "
        "and three bags.");
    by_time.negative().save(
        "Nine samples, not selected, after 0, 10, 20, 30, 40 and 50 steps back: "
        "trousers, sneakers and bags. The number t of the step counts down.");
    book::shows("fig-7.2/a", "fig-by-time");
    figure::Images insisting("fig-insisting", 9);
    for (const double gamma : weights) {
        Generator same(book::seed() + 7);
        const Tensor x = pixels_of(painted(net, wish, gamma, same));
        for (Index i = 0; i < 9; ++i)
            insisting.add(i == 0 ? fmt::format("weight {}", gamma) : "", int(side),
                          int(side), select(x, 0, i).values());
    }
    insisting.describe(
        "Three rows of nine images, trousers, sneakers and bags, for the guidance "
        "weights 0, 1 and 3. The samples of a class become more alike and their "
        "contrast grows with the weight.");
    insisting.negative().save(
        "Samples from the same noise with three guidance weights, not selected.");
}
//-

// ## Ten classes, judged
//
// The study trains five networks with 24 channels in place of 16, on 80,000 draws from 20,000 images of all ten classes. A
// LeNet judges a thousand samples of each. It has learned real images of the same size.
//
// First, are the samples like real images? The [Fréchet distance](../architectures/variational_autoencoders.cpp) compares
// the LeNet's 84 features. The simplest rival draws every pixel from a normal distribution with the right mean and
// deviation. A fairer rival draws whole images from a normal distribution with the right covariances.
//
// Second, are the samples copies? A network could store its training images. We take the distance of each sample to the
// nearest training image, and two yardsticks: the distances between any two training images, and the distances from a
// training image to the nearest other one. Of each, one in a hundred is shorter than the first percentile. Real test
// images, which cannot be copies, are measured as well.
//
// Third, what does guidance do? Place your bet:
//- the question, the figure, the table, and what is checked
Numbers column(const std::string& name) { return study.frozen().column(name); }
Numbers ratio(const std::string& a, const std::string& b) {
    Numbers found = column(a);
    const Numbers other = column(b);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] /= other[i];
    return found;
}
Numbers difference(const std::string& a, const std::string& b) {
    Numbers found = column(a);
    const Numbers other = column(b);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= other[i];
    return found;
}
// The smallest distance of a sample to a training image, over the first percentile of
// one of two lists of distances between training images: of all pairs, or of each
// image to its nearest neighbour.
Numbers smallest_over(const std::string& yardstick) {
    return column(yardstick == "pairs" ? "pair" : "smallest");
}

void judged() {
    const double change = book::median(ratio("distance 3", "distance 0"));
    ask("With the guidance weight 3 the LeNet recognises the wish more often than with "
        "the weight 0. What happens to the Fréchet distance between samples and real "
        "images?",
        {{"It falls: clearer images are better images.", change < 0.9,
          "Each sample is nearer to the middle of its class, and that helps here."},
         {"It changes by less than a tenth.", change >= 0.9 && change <= 1.1,
          "What the samples gain in clearness they lose in variety."},
         {"It rises by more than a tenth.", change > 1.1,
          "The distance compares whole distributions. Guidance pushes all samples of "
          "a class towards what tells it from the others, and real images vary "
          "more."}});
    Numbers shares, varieties, distances;
    for (const double gamma : weights) {
        const auto name = [&](const char* what) {
            return fmt::format("{} {}", what, gamma);
        };
        shares.push_back(book::median(column(name("share"))));
        varieties.push_back(book::median(ratio(name("diversity"), "diversity 0")));
        distances.push_back(book::median(ratio(name("distance"), "distance 0")));
    }
    Figure("fig-guidance")
        .describe(
            "Three lines against the guidance weight 0, 1 and 3: the share of samples "
            "in the class asked for, the diversity and the Fréchet distance, both "
            "relative to the weight 0.")
        .line("recognised", weights, shares, {.color = figure::blue})
        .line("diversity", weights, varieties, {.color = figure::ochre})
        .line("Fréchet distance", weights, distances, {.color = figure::red})
        .x("guidance weight γ")
        .y("share, or relative to γ = 0")
        .save(
            "Medians of five networks. The share is that of samples which a LeNet puts "
            "in the class asked for. Diversity is the variance of its features within "
            "a class. The distance is that of 500 samples to real images.");
    std::vector<std::vector<book::Cell>> rows;
    for (const auto& [what, name] :
         {std::pair{"training images", "training"},
          {"samples of the U-Net", "painted"},
          {"normal, with the right covariances", "covariance"},
          {"normal, independent pixels", "pixels"}}) {
        const book::Measured m = over_seeds(column(name));
        rows.push_back({what, fmt::format("{:.2f}", m.value),
                        fmt::format("{:.2f} to {:.2f}", m.low, m.high)});
    }
    book::table("diffusing-distances",
                "Fréchet distance of 1,000 images to test images, the median of five "
                "networks and judges, and the range.",
                {"images", "distance", "range"}, rows);
    claim("fig-7.2/b", "Fréchet distance over that of independent pixels",
          over_seeds(ratio("painted", "pixels")), "<=", 0.35);
    claim("",
          "Fréchet distance over that of a normal distribution with the right "
          "covariances",
          over_seeds(ratio("painted", "covariance")), "<", 1);
    Numbers minutes = column("seconds");
    for (double& m : minutes) m /= 60;
    book::timing_claim("fig-7.2/c",
                       "minutes on one core for training, sampling and judging",
                       over_seeds(minutes), "<=", 15);
    book::not_reproduced(
        "fig-7.2/d",
        "distance of a sample to the nearest training image over the first percentile "
        "of the distances between training images, smallest of 1,000",
        over_seeds(smallest_over("pairs")), ">", 1,
        fmt::format("the same for 1,000 test images, which are no copies: {}; the "
                    "distances from a training image to the nearest other one as the "
                    "yardstick, below whose first percentile lie {} of the samples "
                    "and {} of the test images",
                    book::brief(over_seeds(column("test pair"))),
                    book::brief(over_seeds(column("below"))),
                    book::brief(over_seeds(column("test below")))));
    claim("",
          "share of samples that are nearer to a training image than all but one in "
          "a hundred training images, less that of test images",
          over_seeds(difference("below", "test below")), "<=", 0);
    claim("",
          "smallest of the 1,000 distances over the first percentile of the distances "
          "from a training image to its nearest neighbour",
          over_seeds(smallest_over("neighbours")), ">", 1);
    say("accuracy of the LeNet on test images: {}",
        book::brief(over_seeds(column("judge"))));
    const std::string strong = fmt::format("{}", weights.back());
    claim("sys-conditional-diffusion/a",
          "share of samples in the class asked for, with the guidance weight 3",
          over_seeds(column("share " + strong)), ">=", 0.8);
    say("the share with the weight 0: {}; with the weight 1: {}",
        book::brief(over_seeds(column("share 0"))),
        book::brief(over_seeds(column("share 1"))));
    claim("sys-conditional-diffusion/b",
          "share with the guidance weight 3 less that with 0",
          over_seeds(difference("share " + strong, "share 0")), ">", 0);
    claim("sys-conditional-diffusion/c",
          "diversity with the guidance weight 3 over that with 0",
          over_seeds(ratio("diversity " + strong, "diversity 0")), "<", 1);
}
//-

// By the Fréchet distance the samples are nearer to real images than those of both normal distributions, and further away
// than training images are. {numref}`fig-guidance` shows what a larger guidance weight buys, and what it costs: more
// samples are recognised, and the samples of a class become more alike. Without guidance only about two in
// three samples are recognised. With the weight 1 the LeNet is right about the
// samples about as often as about real images, and with the weight 3 more often. These samples are more typical of their
// class than clothes are, and their distance to real images is the largest.
//
// No sample should be nearer to a training image than the first percentile of all distances: this was our plan, and it
// fails. It fails for real test images as well, because among 20,000 images there is nearly always another pair of trousers
// that looks alike at 14 × 14 pixels. A copy would show in the second yardstick, in which each training image looks for its
// own nearest neighbour. By this measure the samples are not nearer to the training images than test images are.
//
// ## Limits and history
//
// Our images have 196 pixels. With four times the pixels every step costs four times as much, and the network must be
// larger. {cite:t}`ho2020` trained U-Nets of this kind, with attention and a thousand steps, on photographs. Guidance by a
// second prediction is due to {cite:t}`ho2022`. What it samples is not exactly $p(x)\, p(c \mid x)^{1 + \gamma}$, because
// the products at the single steps do not belong to one diffusion. A LeNet as a judge sees what a LeNet can see, and a
// network that fools it would win.
//
// ## Summary
//
// A diffusion model of images is a U-Net that is told the step, trained to predict noise. Told the class as well, it
// paints on demand. Guidance exaggerates what the class changes: more samples are recognised, and they are more alike.
//
// ## What is missing
//
// The wish was one of ten classes. A sentence is a wish as well, once a network has turned it into numbers. When the wish is
// a damaged image, the model draws one of its possible originals, where [restoration](restoration.cpp) returns their mean.
// And a trained model can be changed to draw something else [without a training from the
// start](../fine-tuning/adapted_images.cpp).
//
// To make images is one thing, and to say what an image shows is another. [The next page](image_classification.cpp) names
// the class of an image.
//
// ```{try}
// - Insist more in the figures: `--weight 4`. What happens to contrast and variety?
// - A longer training: `--rounds 3000`. Which of the three classes gains most?
// ```

void page() {
    const Painter net = quick_painter();
    from_noise(net);
    sheets(net);
    judged();
}
