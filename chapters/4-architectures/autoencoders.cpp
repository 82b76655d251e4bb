// # Autoencoders: what an image keeps in eight numbers
//
// ```{rows} sys-autoencoder eq-autoencoder-loss
// ```
//
// An image of a shoe has 784 pixels, but most images of 784 pixels are noise. Shoes fill only a small part of this
// space. How much of a shoe fits into eight numbers? An **autoencoder** answers by training: one network, the
// **encoder**, squeezes the image into a few numbers, its **latent representation**, and a second network, the
// **decoder**, must rebuild the image from them. Nothing but the images is needed for the training, no labels.
// {numref}`fig-autoencoder` shows what comes back. Move the slider, which sets the number of latents.
//
// ```{opening} fig-autoencoder
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> images("images", 10'000, "images that are learned",
                                 {.quick = 1000, .least = 1000, .most = 60'000});
const book::Option<Index> epochs("epochs", 10, "passes over the images",
                                 {.quick = 1, .least = 1, .most = 100});
const book::Option<Index> shown("image", 0, "number of the test image that is shown",
                                {.least = 0, .most = 9999});
const book::Option<int> draws("draws", 3, "trainings with eight latents",
                              {.quick = 1, .least = 1, .most = 20});

// Defined further down:
struct Autoencoder;
//-

// ## Encoder, decoder, loss
//
// Take points in a plane that lie near the line through $(0, 0)$ and $(3, 4)$. One number is enough for each of them:
// how far along the line it lies. The encoder $f$ multiplies a point by the direction $(0.6, 0.8)$, and the decoder $g$
// multiplies this number by the same direction. The point $(3, 4)$ becomes $0.6 \cdot 3 + 0.8 \cdot 4 = 5$ and returns
// as $5 \cdot (0.6, 0.8) = (3, 4)$. The point $(4, 3)$ becomes $4.8$ and returns as $(2.88, 3.84)$: the squared error
// is $1.12^2 + 0.84^2 = 1.96$. What does not lie along the line is lost.
//
// An autoencoder is trained to lose little. Its loss is the mean squared error of the reconstructions,
//
// ```{equation} eq-autoencoder-loss
// :function: loss_of
// :test: Mlp: the loss of an autoencoder has the right gradient
// \hat w = \operatorname*{argmin}_w \; \frac1N \sum_{n=1}^N \bigl\lVert x_n - g(f(x_n)) \bigr\rVert^2
// ```
//
// where $w$ are the weights of both networks. The program also divides by the number of pixels. The image is the input
// and the target. If there were as many latents as pixels, both networks could copy. The few latents in the middle, the
// **bottleneck**, force a choice:
struct Autoencoder {
    nn::Mlp encoder, decoder;
    Tensor operator()(const Tensor& x) const { return decoder(encoder(x)); }
    //-
    void visit(auto&& part) { part("encoder", encoder), part("decoder", decoder); }
    //-
};

Tensor loss_of(const Autoencoder& net, const Tensor& x) { return mse_loss(net(x), x); }

//- images, and a training
// Training images less their mean, test images less the same mean.
struct Sets {
    Tensor mean, train, test;
};
Sets sets() {
    const Tensor all =
                     flatten(slice(data::fashion_mnist(Part::train).x, 0, 0, images())),
                 middle = mean(all, {0}, Keep::yes);
    return {middle, all - middle, flatten(data::fashion_mnist(Part::test).x) - middle};
}

Autoencoder make(Index latents, Generator& random) {
    return {nn::Mlp({784, 128, latents}, relu, random),
            nn::Mlp({latents, 128, 784}, relu, random)};
}

Autoencoder make_linear(Index pixels, Index latents, Generator& random) {
    const nn::LinearOptions no_bias{.bias = false};
    return {nn::Mlp({pixels, latents}, nullptr, random, no_bias),
            nn::Mlp({latents, pixels}, nullptr, random, no_bias)};
}

void train(const Autoencoder& net, const Tensor& x, Index passes, double rate,
           Generator& random) {
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    const Index batch = 100;
    const double steps = double(passes * ((x.size(0) + batch - 1) / batch));
    const auto batches = [&] {
        return data::Batches(Examples{x, {}, {}, {}}, batch, random);
    };
    const auto falling = [&](Index step) { return rate * (1 - double(step) / steps); };
    optim::fit(adam, batches,
               [&](const Examples& some) { return loss_of(net, some.x); },
               {.epochs = passes, .lr = falling});
}

double error(const Autoencoder& net, const Tensor& x) {
    const NoGrad only_asking;
    return double(loss_of(net, x).item());
}
//-

// ## The linear case is PCA
//
// Take away the activation functions: $f(x) = Ax$ and $g(z) = Bz$, with a matrix $A$ of $k$ rows and a matrix $B$ of
// $k$ columns. The reconstruction $BAx$ lies in a space of $k$ dimensions. The best such space for centred data is
// known in closed form: it is spanned by the $k$ directions of largest variance. Finding them is **principal component
// analysis**, PCA. So a linear autoencoder can at best equal PCA {cite:p}`baldi1989`. The directions are singular
// vectors of the data:
struct Components {
    Tensor directions;  // (pixels, pixels): a row for each, largest variance first
    std::vector<double> variances;
};
Components components(const Tensor& centred) {
    const linalg::Svd found = linalg::svd(linalg::gram(linalg::matrix_of(centred)));
    return {linalg::tensor_of(found.vt), found.values};
}
Tensor project(const Components& pca, const Tensor& x, Index k) {
    const Tensor v = slice(pca.directions, 0, 0, k);
    return matmul(matmul(x, transpose(v)), v);
}

// When is the loss zero? The data must lie in a space of $k$ dimensions, so their **rank** must be at most $k$. We take
// 40 points of ten numbers that have rank three, and give a linear autoencoder the directions of PCA as its weights,
// with one to five latents. Then we train linear autoencoders on images, and compare with PCA:
//- what is checked
void linear_case(const Sets& of, const Components& pca) {
    Generator random(book::seed());
    const Index rank = 3;
    const Tensor directions = random.normal({rank, 10});  // compilers differ in which
    Tensor x =
        matmul(random.normal({40, rank}), directions);  // argument they draw first
    x = x - mean(x, {0}, Keep::yes);
    const Components exact = components(x);
    Index wrong = 0;
    for (Index k = 1; k <= 5; ++k) {
        const Autoencoder net = make_linear(10, k, random);
        const Tensor v = slice(exact.directions, 0, 0, k);
        net.encoder.layers[0].weight.detach().copy_(v);
        net.decoder.layers[0].weight.detach().copy_(transpose(v));
        double rest = 0;  // the variance that no k directions reach: the least loss
        for (std::size_t i = std::size_t(k); i < exact.variances.size(); ++i)
            rest += exact.variances[i] / double(x.numel());
        const double loss = error(net, x);
        say("rank 3, {} latents: loss {:.1e}, least possible {:.1e}", k, loss, rest);
        wrong += (k >= rank) != (loss < 1e-8) || (k >= rank) != (rest < 1e-8);
    }
    claim("eq-autoencoder-loss/b",
          "latent sizes 1 to 5 in which the loss is zero below the rank, or not zero "
          "from "
          "the rank on",
          wrong, "==", 0);
    std::vector<double> excess;
    for (const Index k : {2, 8, 32}) {
        const Autoencoder net = make_linear(784, k, random);
        train(net, of.train, 2 * epochs(), 3e-3, random);
        const double best =
            double(mse_loss(project(pca, of.train, k), of.train).item());
        excess.push_back(std::abs(error(net, of.train) / best - 1));
        say("{} latents: linear autoencoder {:.5f}, PCA {:.5f}", k,
            error(net, of.train), best);
    }
    claim("sys-autoencoder/b",
          "linear autoencoder against PCA, largest relative difference of the errors",
          std::ranges::max(excess), "<=", 0.01);
}
//-

// With three latents or more the loss is zero up to rounding errors. With fewer it is exactly the variance along the
// directions that were left out, and no other weights can do better. On images, training comes within a fifth of a per
// cent of PCA for 2, 8 and 32 latents. It need not find the same directions: if $A$ and $B$ are best, so are $RA$ and
// $BR^{-1}$ for every invertible $R$. Only the space that they span is fixed.
//
// ## Curved surfaces
//
// With hidden layers the encoder and the decoder can bend. The decoder no longer describes a flat space but a curved
// surface of $k$ dimensions among the images. Our encoder has the layers 784, 128 and $k$, with a ReLU after the hidden
// layer, and the decoder has them in reverse order. They learn 10,000 images of Fashion-MNIST {cite:p}`xiao2017` for
// ten epochs. Place your bet:

//- the figures, the question, and what is checked
void reconstructions(const Sets& of, const Components& pca,
                     const std::vector<Index>& sizes,
                     const std::vector<Autoencoder>& nets) {
    const NoGrad only_asking;
    const Tensor x = slice(of.test, 0, shown(), shown() + 1);
    Names places;
    for (Index i = 1; i <= 28; ++i) places.push_back(std::to_string(i));
    std::vector<double> stops(sizes.begin(), sizes.end());
    Figure figure("fig-autoencoder");
    figure
        .describe(
            "Three images of an ankle boot: the original, the reconstruction by PCA "
            "and "
            "that by an "
            "autoencoder. A slider sets the number of latents, 2, 8 or 32. With few "
            "latents PCA gives a blurred mixture, the autoencoder a plain boot.")
        .columns(3)
        .height(170)
        .slider("latents", stops, "number of latents", 8)
        .panel("original, 784 numbers")
        .heatmap("", places, places, (x + of.mean).values(), 0, 1)
        .bare()
        .panel("PCA");
    for (const Index k : sizes)
        figure.at(double(k)).heatmap("", places, places,
                                     (project(pca, x, k) + of.mean).values(), 0, 1);
    figure.always().bare().panel("autoencoder");
    for (std::size_t i = 0; i < sizes.size(); ++i)
        figure.at(stops[i]).heatmap("", places, places, (nets[i](x) + of.mean).values(),
                                    0, 1);
    figure.always().bare().save(
        "A test image, and what PCA and an autoencoder rebuild from the same number of "
        "latents. The networks have never seen this image.");
    book::shows("sys-autoencoder/a", "fig-autoencoder");
}

void map(const Sets& of, const Autoencoder& net) {
    const NoGrad only_asking;
    const Index many = 1500;
    const std::vector<Real> z = net.encoder(slice(of.test, 0, 0, many)).values();
    const std::vector<Index> label =
        data::fashion_mnist(Part::test).labels.slice(0, many).values();
    std::vector<double> first, second;
    for (std::size_t i = 0; i < label.size(); ++i)
        first.push_back(double(z[2 * i])), second.push_back(double(z[2 * i + 1]));
    Figure figure("fig-latent-map");
    figure.describe(
        "Dots in a plane, the two latents of test images of six classes. Trousers lie "
        "in "
        "a region of their own, ankle boots beside sneakers, T-shirts beside "
        "pullovers, "
        "and bags are spread out.");
    for (const Index shown_class : {0, 1, 2, 7, 8, 9}) {
        std::vector<double> x, y;
        for (std::size_t i = 0; i < label.size(); ++i)
            if (label[i] == shown_class) x.push_back(first[i]), y.push_back(second[i]);
        figure.dots(std::string(data::fashion_names[std::size_t(shown_class)]), x, y,
                    {.width = 2.5, .opacity = 0.6});
    }
    figure.x("first latent")
        .y("second latent")
        .save(
            "Test images of six classes, each placed at its two latents. The training "
            "knew no labels, and yet trousers have a region of their own.");
    book::shows("sys-autoencoder/a", "fig-latent-map");

    // A grid over the middle nine tenths of both latents.
    std::ranges::sort(first), std::ranges::sort(second);
    const auto quantile = [](const std::vector<double>& sorted, double q) {
        return sorted[std::size_t(q * double(sorted.size() - 1))];
    };
    const Index side = 9;
    figure::Images sheet("fig-latent-grid", int(side));
    sheet.describe(
        "A grid of nine by nine images that the decoder makes from evenly spaced "
        "latents. Shoes, bags, shirts and trousers change into each other step by "
        "step.");
    for (Index r = 0; r < side; ++r)
        for (Index c = 0; c < side; ++c) {
            const auto at = [&](const std::vector<double>& sorted, Index i) {
                const double low = quantile(sorted, 0.05),
                             high = quantile(sorted, 0.95);
                return Real(low + (high - low) * double(i) / double(side - 1));
            };
            const Tensor latent({1, 2}, {at(first, c), at(second, side - 1 - r)});
            sheet.add("", 28, 28, (net.decoder(latent) + of.mean).values());
        }
    sheet.negative().save(
        "What the decoder makes of evenly spaced latents. The first latent grows to "
        "the "
        "right, the second upwards. Each point of the plane stands for an image.");
}

void compare(const Sets& of, const Components& pca,
             const std::vector<Autoencoder>& eights) {
    std::vector<double> ratio;
    const double flat = double(mse_loss(project(pca, of.test, 8), of.test).item());
    for (const Autoencoder& net : eights) ratio.push_back(error(net, of.test) / flat);
    const double usual = book::median(ratio);
    ask("With eight latents each: how does the error of the autoencoder with hidden "
        "layers "
        "compare with that of PCA, on new images?",
        {{"It is larger: PCA is the best solution.", usual >= 1,
          "PCA is the best *linear* solution."},
         {"It is smaller by a tenth to a half.", usual < 0.9 && usual >= 0.5,
          "The decoder may use the eight numbers in a curved way. PCA can only lay a "
          "flat space through the images."},
         {"It is about the same: eight numbers are eight numbers.",
          usual >= 0.9 && usual < 1,
          "Eight numbers can say more if the decoder may use them in a curved way."},
         {"It is less than half.", usual < 0.5,
          "The decoder gains from its curves, but not this much."}});
    say("weights: {} of the network, {} of PCA", nn::count(eights[0]), 9 * 784);
    say("PCA with 8 latents on test images: {:.5f}, a typical error of {:.2f} for each "
        "pixel; the autoencoder: {:.2f}",
        flat, std::sqrt(flat), std::sqrt(flat * usual));
    claim("sys-autoencoder/c",
          "error with eight latents on test images, relative to PCA's",
          over_seeds(ratio), "<", 1);
}
//-

// With eight latents and after ten epochs the error on new images is 0.73 times that of PCA, in all three draws. Pixels
// run from 0, black, to 1, white, and a typical pixel is now wrong by 0.14 instead of 0.16. That sounds small, but the
// eye sees it: look at {numref}`fig-autoencoder` again, where the network draws the edges of the boot and PCA a shadow
// of it. Both have seen the same images, and both describe an image by eight numbers. The difference is what the
// decoder can make of them: PCA adds up eight fixed images, with weights. The network can draw a boot for one region of
// the latents and a shirt for another. The price is weights: the network has 203,800 of them, and eight directions with
// a mean have 7,056.
//
// ## A map of clothes
//
// With two latents every image is a point in a plane, and the encoder draws a map. {numref}`fig-latent-map` shows where
// test images of six classes lie. Trousers have a region of their own, and ankle boots lie beside sneakers. The
// training knew no labels: images that look alike need similar reconstructions, and a smooth decoder makes similar
// images from nearby points. In this sense the latents are a **parametrisation** of clothes. {numref}`fig-latent-grid`
// reads the map backwards, and decodes evenly spaced points.
//
// ## Limits and history
//
// The decoder makes an image from any point, but not every point stands for a garment. Where the map is empty, the
// decoder was never trained, and its images can be mixtures of nothing in particular. The axes also have no meaning of
// their own, and another draw gives another map. {cite:t}`baldi1989` proved that linear autoencoders find the space of
// PCA. {cite:t}`hinton2006` trained deep autoencoders and found codes that separate classes better than PCA does.
//
// ## Summary
//
// An autoencoder is an encoder and a decoder that are trained together to give back their input through a bottleneck.
// Without activation functions it can at best equal PCA, and the loss is zero exactly when the data have at most as
// many dimensions as there are latents. With them it describes a curved surface and loses less.
//
// ## What is missing
//
// An autoencoder says where its training images lie, and not how often an image occurs. To draw *new* images, a model
// needs a distribution over its latents, and a page says [what such a model maximises](evidence_lower_bound.cpp). Other
// tasks teach a network without labels, too. [The next page](self_supervision.cpp) compares three.
//
// ```{try}
// - More images: `--images 60000`. What happens to the ratio?
// - More epochs: `--epochs 50`. Does the gap to PCA grow?
// - Another image: `--image 12`. What is lost with two latents?
// ```

void page() {
    const Sets of = sets();
    const Components pca = components(of.train);
    const std::vector<Index> sizes = {2, 8, 32};
    std::vector<Autoencoder> nets, eights;
    for (const Index k : sizes) {
        Generator random(book::seed());
        nets.push_back(make(k, random));
        train(nets.back(), of.train, epochs(), 2e-3, random);
    }
    reconstructions(of, pca, sizes, nets);
    linear_case(of, pca);
    eights.push_back(nets[1]);
    for (int draw = 1; draw < draws(); ++draw) {
        Generator random(book::seed() + std::uint64_t(draw));
        eights.push_back(make(8, random));
        train(eights.back(), of.train, epochs(), 2e-3, random);
    }
    compare(of, pca, eights);
    map(of, nets[0]);
}
