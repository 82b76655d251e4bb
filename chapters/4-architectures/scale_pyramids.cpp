// # Scale pyramids: zoom out to see, and lose nothing
//
// ```{rows} claim-zooming-out-needed sys-pyramid
// ```
//
// A network that classifies images makes them smaller and smaller. A network that draws images goes the other way, from a
// few coarse places to many fine ones. Both are **pyramids** of scales. Why do they throw away pixels that could be
// kept? {numref}`fig-zoom` shows the reason: two dots lie far apart, and a unit in the middle must say whether they have the
// same colour. With kernels of three pixels each layer adds two pixels to what the unit sees. With pooling each layer
// adds more than the one before. Move the slider.
//
// ```{opening} fig-zoom
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
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
using data::Examples, data::Part;
using figure::Figure, figure::Names;
using Layers = std::vector<nn::Layer>;

const book::Option<Index> examples("examples", 2000, "images of two dots to learn from",
                                   {.quick = 200, .least = 100, .most = 100'000});
const book::Option<Index> epochs("epochs", 10, "passes over them",
                                 {.quick = 1, .least = 1, .most = 100});
const book::Option<int> draws("draws", 3, "trainings of each network",
                              {.quick = 1, .least = 1, .most = 20});
const book::Option<Index> shown("image", 12,
                                "number of the test image that is taken apart",
                                {.least = 0, .most = 1999});

const Index side = 17, middle = 8, distance = 8, channels = 8;

// Defined further down:
struct Window {
    Index kernel, stride;
};
Index field(const std::vector<Window>& windows);
std::vector<Window> windows(Index convolutions, bool zoom);
Examples two_dots(Index count, Generator& random);
//-

//- how the figure is drawn
void seen() {
    Generator random(book::seed());
    const std::vector<Real> image = two_dots(1, random).x.values();
    Names places;
    for (Index i = 0; i < side; ++i) places.push_back(fmt::format("{}", i - middle));
    Figure figure("fig-zoom");
    figure
        .describe(
            "Two panels with the same image of seventeen by seventeen pixels: noise, "
            "and "
            "two dots eight columns apart. Red frames mark the corners of the square "
            "that the unit in the middle sees. A slider sets the number of "
            "convolutions. Without pooling the squares have sides of 3, 5, 7, 9 and 11 "
            "pixels. With pooling they have 3, 9 and from then on all 17.")
        .height(260)
        .slider("layers", {1, 2, 3, 4, 5}, "convolutions", 2);
    for (const bool zoom : {false, true}) {
        figure.panel(zoom ? "with pooling after each" : "without pooling");
        for (Index n = 1; n <= 5; ++n) {
            const Index half = std::min(middle, field(windows(n, zoom)) / 2);
            const std::string low = fmt::format("{}", -half),
                              high = fmt::format("{}", half);
            figure.at(double(n))
                .heatmap("", places, places, image, -1, 1)
                .frame({low, high, low, high}, {low, low, high, high});
        }
        figure.always().x("column, from the middle").y("row, from the middle");
    }
    figure.save(
        "An image of two dots, and the square that the unit in the middle sees: red "
        "frames mark its corners. Three convolutions with kernels of 3 see 7 pixels, "
        "and "
        "the dots lie 8 columns apart. With pooling two convolutions see both dots.");
    for (const bool zoom : {false, true}) {
        std::string fields;
        for (Index n = 1; n <= 6; ++n)
            fields += fmt::format(" {}", field(windows(n, zoom)));
        say("fields of 1 to 6 convolutions {} pooling:{}", zoom ? "with" : "without",
            fields);
    }
}
//-

// ## How fast a field grows
//
// A unit depends on a square of pixels, its [receptive field](../components/receptive_field.cpp). Take a convolution
// with kernels of 3, then pooling with windows of 3 and a stride of 2, then another convolution. The first convolution
// sees 3 pixels. Neighbouring units stand 1 pixel apart, so the pooling adds $2 \cdot 1$ pixels and sees 5. After the
// stride neighbours stand 2 pixels apart, and the second convolution adds $2 \cdot 2$ and sees 9. In general the field
// of $D$ layers with kernels $K_d$ and strides $s_d$ is
//
// $$ r = 1 + \sum_{d=1}^D (K_d - 1) \prod_{i < d} s_i . $$
//
// Without strides every product is 1, and $D$ convolutions of 3 see $2D + 1$ pixels. An object of 100 pixels needs 50
// of them. With pooling between, each convolution adds twice as much as the one before, and six of them see 189 pixels.
Index field(const std::vector<Window>& windows) {
    Index seen = 1, apart = 1;
    for (const Window& w : windows) {
        seen += (w.kernel - 1) * apart;
        apart *= w.stride;
    }
    return seen;
}

//- the networks and their training
std::vector<Window> windows(Index convolutions, bool zoom) {
    std::vector<Window> found;
    for (Index n = 0; n < convolutions; ++n) {
        if (n > 0 && zoom) found.push_back({3, 2});
        found.push_back({3, 1});
    }
    return found;
}

// Convolutions without padding if there is no pooling, so that the middle of an image can be cut out without a change.
struct Net {
    Layers layers;
    bool zoom;
    Tensor operator()(Tensor x) const {  // (batch, 1, side, side) to (batch, 2)
        for (const nn::Layer& layer : layers) x = layer(x);
        return select(select(x, 3, x.size(3) / 2), 2, x.size(2) / 2);
    }
    void visit(auto&& part) { part("layers", layers); }
};
Net make(Index convolutions, bool zoom, Generator& random) {
    Layers layers;
    const nn::ConvLayerOptions options{.padding = zoom ? 1 : 0, .weights = nn::he_init};
    for (Index n = 0; n < convolutions; ++n) {
        if (n > 0 && zoom)
            layers.emplace_back(nn::MaxPool2d{3, {.stride = 2, .padding = 1}});
        layers.emplace_back(
            nn::Conv2d(n > 0 ? channels : 1, channels, 3, random, options));
        layers.emplace_back(nn::Relu());
    }
    layers.emplace_back(nn::Conv2d(channels, 2, 1, random, {.weights = nn::he_init}));
    return {layers, zoom};
}
Tensor seen_part(const Tensor& x, Index seen, bool zoom) {
    if (zoom || seen >= side) return x;
    const Index low = middle - seen / 2, high = middle + seen / 2 + 1;
    return contiguous(slice(slice(x, 2, low, high), 3, low, high));
}
//-

// ## Two dots
//
// The task needs both dots and nothing else. Each dot is bright or dark by the toss of a coin, in any of seven rows, and
// the label says whether both tosses agree. A unit that sees one dot knows nothing about the label: it is as likely
// *same* as *different*.
Examples two_dots(Index count, Generator& random) {
    Tensor x = random.normal({count, 1, side, side}, 0, Real(0.1));
    Integers same({count});
    Real* pixels = x.write();
    Index* label = same.write();
    for (Index i = 0; i < count; ++i, pixels += side * side) {
        Real colours[2];
        for (const Index dot : {0, 1}) {
            const Index row = random.next_integer(middle - 3, middle + 4),
                        column = middle - distance / 2 + dot * distance;
            colours[dot] = random.next_uniform() < 0.5 ? Real(1) : Real(-1);
            pixels[row * side + column] += colours[dot];
        }
        label[i] = colours[0] == colours[1];
    }
    return {x, same, {}, "two dots"};
}

// We train networks of one to six convolutions without pooling, and of one to three with pooling between. Their answer
// is read at the unit in the middle. First, place your bet:
//- the trainings, the question, the figure, and what is checked
double accuracy_of(Index convolutions, bool zoom, std::uint64_t seed) {
    Generator random(seed);
    const Net net = make(convolutions, zoom, random);
    const Index seen = field(windows(convolutions, zoom));
    Examples learned = two_dots(examples(), random),
             judged = two_dots(book::quick() ? 500 : 5000, random);
    for (Examples* set : {&learned, &judged}) set->x = seen_part(set->x, seen, zoom);
    const Index batch = 50;
    const double rate = 5e-3,
                 steps = double(epochs() * ((examples() + batch - 1) / batch));
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    const auto batches = [&] { return data::Batches(learned, batch, random); };
    const auto falling = [&](Index step) { return rate * (1 - double(step) / steps); };
    optim::fit(
        adam, batches,
        [&](const Examples& some) { return cross_entropy(net(some.x), some.labels); },
        {.epochs = epochs(), .lr = falling});
    const NoGrad only_asking;
    return nn::accuracy(net(judged.x), judged.labels);
}

// The side of the square of pixels that change the answer of a random network.
Index measured_field(Index convolutions, bool zoom, Generator& random) {
    const NoGrad only_asking;
    Index reach = 0;
    for (int attempt = 0; attempt < 5; ++attempt) {
        const Net net = make(convolutions, zoom, random);
        const Tensor base = random.normal({1, 1, side, side}, 0, 1);
        Tensor x = contiguous(expand(base, {side * side, 1, side, side}));
        Real* at = x.write();
        for (Index i = 0; i < side * side; ++i) at[i * side * side + i] += 10;
        const Tensor change = net(x) - net(base);
        for (Index i = 0; i < side * side; ++i)
            if (change.at({i, 0}) != 0)
                reach = std::max(
                    {reach, std::abs(i / side - middle), std::abs(i % side - middle)});
    }
    return 2 * reach + 1;
}

void zooming() {
    struct Family {
        const char* name;
        bool zoom;
        Index most;
        figure::Color color;
    };
    std::vector<double> blind, sighted;
    std::vector<double> by_draw(std::size_t(draws()), 0.0);
    double nearly = 0;
    Index differ = 0;
    Generator random(book::seed());
    Figure figure("fig-seen-field");
    figure.describe(
        "Test accuracy against the side of the receptive field, for networks without "
        "and "
        "with pooling, three trainings each. Up to a field of 7 all points lie at one "
        "half. A line marks the distance of the dots, 8. From a field of 9 on the "
        "points lie near 1.");
    for (const auto& [name, zoom, most, color] :
         {Family{"without pooling", false, 6, figure::blue},
          Family{"with pooling", true, 3, figure::red}}) {
        std::vector<double> fields;
        std::vector<std::vector<double>> accuracies(by_draw.size());
        for (Index n = 1; n <= most; ++n) {
            const Index wide = field(windows(n, zoom));
            fields.push_back(double(wide));
            differ += std::min(wide, side) != measured_field(n, zoom, random);
            std::vector<double> here;
            for (int d = 0; d < draws(); ++d) {
                const double found =
                    accuracy_of(n, zoom, book::seed() * 100 + std::uint64_t(d));
                here.push_back(found);
                accuracies[std::size_t(d)].push_back(found);
                double& far = by_draw[std::size_t(d)];
                if (wide < distance) far = std::max(far, std::abs(found - 0.5));
            }
            if (zoom && n == most) sighted = here;
            if (!zoom && n == 3) nearly = book::median(here);
            say("{}, {} convolutions: field {}, accuracy {}", name, n, wide,
                book::brief(over_seeds(here)));
        }
        figure.lines(name, fields, accuracies, {.color = color, .points = true});
    }
    figure.rule_x(double(distance), "distance of the dots")
        .x("side of the receptive field, pixels")
        .y("test accuracy")
        .ylim(0.4, 1.02)
        .save(
            "Test accuracy of networks that must say whether two dots have the same "
            "colour, against the field of the unit that answers. Nothing is learned "
            "until the field covers both dots.");
    book::shows("claim-zooming-out-needed/a", "fig-seen-field");
    ask("The dots lie 8 columns apart. Three convolutions without pooling see 7 "
        "columns, "
        "one fewer. What accuracy do they reach on new images?",
        {{"About 0.9: they miss only the last column.", nearly > 0.85,
          "What they miss are the dots. Nothing else in the image says anything."},
         {"About 0.75: right for half of the images, and a guess for the rest.",
          nearly <= 0.85 && nearly > 0.6,
          "Even a unit that sees one of the dots can only guess, for every image."},
         {"About 0.5, as a coin does.", nearly <= 0.6 && nearly > 0.4,
          "The answer depends only on pixels that have nothing to do with the label. "
          "More training or more channels cannot change this."}});
    claim("claim-zooming-out-needed/b",
          "accuracy minus one half, in absolute value, the largest of three fields "
          "smaller than the distance",
          over_seeds(by_draw), "<=", 0.03);
    claim("claim-zooming-out-needed/c",
          "accuracy of three convolutions with pooling between", over_seeds(sighted),
          ">=", 0.95);
    claim("claim-zooming-out-needed/d",
          "networks whose measured field is not that of the formula", differ, "==", 0);
}
//-

// Below a field of 8 the networks guess, all of them. This is no failure of the training: the answer is a function of
// pixels that are independent of the label. With pooling, a field of 9 is enough for an accuracy of 0.996.
//
// The four convolutions without pooling are a surprise. They have the same field of 9, and their accuracy is 0.57 in one
// training, 0.89 in another and 0.99 in the third. The dots lie on the rim of their field, and a signal from the rim must
// pass through the outermost weight of every kernel: there is a single way through four layers, which may be hard to find
// in this short training. One convolution more makes a field of 11, and all three trainings reach 0.99.
//
// So the field decides what can be learned. How easily it is learned depends on how the network got the field, and
// down-sampling is the cheap way.
// It doubles the growth of the field, and each layer behind it has a quarter of the places to compute.
//
// ## Back to full size
//
// Zooming out loses where things are. A **Laplacian pyramid** {cite:p}`burt1983` keeps what is lost. Take the row
// $(1, 3, 5, 7)$. The means of pairs are $(2, 6)$. Enlarged again they are $(2, 2, 6, 6)$, and the rest is
// $(-1, 1, -1, 1)$. The coarse row and the rest together are the whole row. In general, with an image $x_0$ and
// $x_{k+1}$ its means of 2 × 2 pixels, the pyramid consists of the rests $h_k = x_k - \operatorname{up}(x_{k+1})$ and
// of the coarsest image. It works for every way to enlarge, here with bilinear interpolation:
struct Pyramid {
    std::vector<Tensor> rests;  // finest first
    Tensor coarsest;
};
Tensor enlarged(const Tensor& x) { return upsample_bilinear(x, 2); }
Pyramid take_apart(Tensor x, int levels) {
    Pyramid found;
    for (int k = 0; k < levels; ++k) {
        const Tensor small = avg_pool2d(x, 2);
        found.rests.push_back(x - enlarged(small));
        x = small;
    }
    found.coarsest = x;
    return found;
}
Tensor put_together(const Pyramid& p) {
    Tensor x = p.coarsest;
    for (auto rest = p.rests.rbegin(); rest != p.rests.rend(); ++rest)
        x = enlarged(x) + *rest;
    return x;
}

// The rests are mostly near zero, because neighbouring pixels are alike: the image of {numref}`fig-laplacian` has a mean
// square of 0.0871, and its two rests have 0.0071 and 0.0081. This is why the pyramid was invented as a code, since small
// numbers need few bits. For a network it says that most of an image can be decided on few places: the coarse image has a
// sixteenth of the pixels and still shows the outline. What the rests add are edges.
//- what is checked, and how the figure is drawn
void laplacian() {
    const NoGrad only_asking;
    const Tensor images = data::slice(data::fashion_mnist(Part::test), 0, 1000).x;
    claim("sys-pyramid/a",
          "1,000 images against their pyramids put together, largest difference",
          max(abs(put_together(take_apart(images, 2)) - images)).item(), "<=", 1e-6);
    const Tensor image = slice(images, 0, shown() % 1000, shown() % 1000 + 1);
    const Pyramid whole = take_apart(image, 2);
    Names places;
    for (Index i = 1; i <= 28; ++i) places.push_back(std::to_string(i));
    Figure figure("fig-laplacian");
    figure
        .describe(
            "Two panels. Left, an image of clothes that becomes sharper as the slider "
            "adds rests. Right, what the last step has added: zero in flat parts, "
            "positive and negative along edges.")
        .height(230)
        .slider("rests", {0, 1, 2}, "rests that are added", 0)
        .panel("put together so far");
    std::vector<Tensor> sums;
    for (int used = 0; used <= 2; ++used) {
        Pyramid part = whole;
        for (int k = 0; k < 2 - used; ++k)
            part.rests[std::size_t(k)] = zeros(whole.rests[std::size_t(k)].shape());
        sums.push_back(put_together(part));
        figure.at(used).heatmap("", places, places, sums.back().values(), 0, 1);
    }
    figure.always().bare().panel("added by the last step");
    for (int used = 0; used <= 2; ++used) {
        const Tensor step = used ? sums[std::size_t(used)] - sums[std::size_t(used - 1)]
                                 : zeros(image.shape());
        figure.at(used).heatmap("", places, places, step.values(), -0.5, 0.5);
    }
    figure.always().bare().save(
        "A Laplacian pyramid of three levels: 7 × 7 pixels, enlarged; with the rest of "
        "14 × 14; and with the rest of 28 × 28, which gives the image back. The other "
        "panel shows what the step has added, negative numbers in blue and positive "
        "ones in orange.");
    for (std::size_t k = 0; k < 2; ++k)
        say("rest of {} × {}: mean square {:.4f}", whole.rests[k].size(2),
            whole.rests[k].size(3), mean(square(whole.rests[k])).item());
    say("the image: mean square {:.4f}", mean(square(image)).item());
}
//-

// ## The reverse pyramid
//
// A network that draws can follow the pyramid upwards: it decides what is where on 7 × 7 places, enlarges the result, and
// adds rests at 14 × 14 and at 28 × 28. Most of the decisions then fall where places are few and fields are large.
// {cite:t}`denton2015` trained generators that draw one rest after the other, and {cite:t}`karras2018` let a generator grow
// from 4 × 4 to 1,024 × 1,024 pixels during its training. A [U-Net](../components/skip_connections.cpp) goes down and up again, and hands
// each scale of the way down to the same scale of the way up, as the pyramid hands over its rests.
//
// ## Limits and history
//
// {cite:t}`burt1983` invented the Laplacian pyramid to compress images. Our task is made so that one unit must see both
// dots. A classifier that averages the answers of all units can combine what different units have seen, and photographs
// give hints about an object in each of its parts. And a large field is necessary, not sufficient. Deep networks
// [use the middle of their field](../components/receptive_field.cpp) far more than its rim, as the four convolutions
// without pooling did.
//
// Pooling is also not the only way to see far. A [dilated convolution](../components/convolution_options.cpp) skips pixels
// instead of removing them, and [attention](../components/attention.cpp) connects all places at once.
//
// ## Summary
//
// A unit can only answer what its receptive field contains, and strides double the growth of the field where layers add
// to it. A Laplacian pyramid splits an image into a coarse image and rests, and loses nothing. Networks that draw follow
// it from coarse to fine.
//
// ## What is missing
//
// Networks that draw images from coarse to fine are said to beat those that work at full size with as many weights. A
// first comparison of ours was undecided after four epochs of training, so that part of the row is open.
//
// [The next page](residual_blocks.cpp) makes the blocks of which deep pyramids are built.
//
// ```{try}
// - More images of dots: `--examples 20000`. Can a field of 7 learn from ten times as many?
// - Another image in the pyramid: `--image 3`. Where do its rests lie?
// ```

void page() {
    seen();
    zooming();
    laplacian();
}
