// # Filters: edges, templates and activation maps
//
// ```{rows} sys-activation-map claim-conv-edges-templates claim-conv-hierarchy claim-conv-channels-tradeoff
// ```
//
// The last pages explained how [a convolution](convolution.cpp) slides a small set of weights, its **filter**, over an
// image. This page asks what the result means. What can nine numbers find in an image? Long before networks learned
// filters, engineers wrote them by hand, to find **edges** and **templates**. {numref}`fig-edges` shows such a filter
// at work. Move the slider: the filter turns, and it responds to other edges. Does a trained network find the same
// filters? And what do its deeper layers respond to?
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Examples, data::Part;
using figure::Figure, figure::Images, figure::Names;
using Layers = std::vector<nn::Layer>;

const book::Option<Index> pictures("pictures", 10'000, "images to learn from",
                                   {.quick = 300, .least = 100, .most = 60'000});
const book::Option<Index> epochs("epochs", 4, "epochs of training",
                                 {.quick = 1, .least = 0, .most = 100});
const book::Option<Index> judged("judged", 10'000, "images in which units are active",
                                 {.quick = 1000, .least = 200, .most = 10'000});
const book::Option<double> noise("noise", 1, "standard deviation of the noise",
                                 {.least = 0.0, .most = 10.0});
const book::Option<double> turn("angle", 0, "direction of the first filter, in degrees",
                                {.least = 0.0, .most = 180.0});
const book::Option<std::string> painted("painted", "",
                                        "an image to see instead, 784 digits");
const book::Option<int> seeds("seeds", 5, "trained networks",
                              {.quick = 1, .least = 1, .most = 20});

// Defined further down:
const Tensor sobel_right({1, 1, 3, 3}, {-1, 0, 1, -2, 0, 2, -1, 0, 1}),
    sobel_down({1, 1, 3, 3}, {-1, -2, -1, 0, 0, 0, 1, 2, 1});
Tensor activation_map(const Tensor& y, Index sample, Index channel);
const ConvOptions same_size{.padding = 1};
Examples clothes(Part part) {
    Examples set = data::fashion_mnist(part);
    set.x = (set.x - 0.286) / 0.353;  // around zero, about as wide as one
    return set;
}
Tensor image(Index which) {
    return slice(data::fashion_mnist(Part::test).x, 0, which, which + 1);
}
//-

//- how the figure is drawn
Names numbered(Index count) {
    Names names;
    for (Index i = 1; i <= count; ++i) names.push_back(std::to_string(i));
    return names;
}
Tensor seen() {
    if (painted().empty()) return image(2);
    check(
        painted().size() == 784 &&
            painted().find_first_not_of("0123456789") == std::string::npos,
        "--painted: wanted 784 digits, a brightness from 0 to 9 for each pixel, got {} "
        "letters",
        painted().size());
    std::vector<Real> pixels;
    for (const char digit : painted()) pixels.push_back(Real(digit - '0') / 9);
    return Tensor({1, 1, 28, 28}, pixels);
}
void edges_figure() {
    const Tensor shown = seen();
    const Names pixels = numbered(28), taps = numbered(3);
    const std::vector<double> angles =
        figure::settings(turn, {0, 30, 60, 90, 120, 150, 180});
    Figure figure("fig-edges");
    figure
        .describe(
            "Three panels: an image of a pair of trousers, a filter of three by three "
            "weights, and the response of the filter at each pixel. A slider turns the "
            "filter. At 0 degrees the left edges of the legs are orange and the right "
            "ones blue; at 90 degrees the waist is orange and the hems are blue.")
        .columns(3)
        .height(166)
        .slider(turn, angles, "direction in degrees")
        .panel("image")
        .heatmap("", pixels, pixels, shown.values(), 0, 1)
        .bare()
        .painted_by(painted);
    figure.panel("filter").bare();
    const auto turned = [](double degrees) {
        const double a = degrees * std::numbers::pi / 180;
        const double across = degrees == 90 ? 0 : std::cos(a),
                     down = degrees == 180 ? 0 : std::sin(a);
        return across / 8 * sobel_right + down / 8 * sobel_down;
    };
    for (const double angle : angles)
        figure.at(angle).heatmap("", taps, taps, turned(angle).values(), -0.25, 0.25);
    figure.always().panel("response").bare();
    for (const double angle : angles)
        figure.at(angle).heatmap("", pixels, pixels,
                                 conv2d(shown, turned(angle), {}, same_size).values(),
                                 -0.5, 0.5);
    figure.always().save(
        "An image, a Sobel filter and its response: orange where brightness grows in "
        "the direction of the filter, blue where it falls, pale where nothing changes. "
        "Move the slider: 0 degrees finds changes to the right, 90 degrees changes "
        "downwards.");
}
//-

// ## Edges: a derivative
//
// A filter that subtracts the left neighbour from the right neighbour measures how fast the image changes: it is a
// **derivative**. The two neighbours are two pixels apart, so half of their difference is the change per pixel. The
// Sobel filter {cite:p}`sobel1968` averages this change over three rows, with the weights $\frac14$, $\frac12$ and
// $\frac14$, which reduces noise:
//
// $$ \frac18 \begin{pmatrix} -1 & 0 & 1 \cr -2 & 0 & 2 \cr -1 & 0 & 1 \end{pmatrix} $$
//
// Take a ramp, an image whose rows are all $0, 2, 4$. Each row gives a difference of 4, and the response is
// $\frac18 (1 \cdot 4 + 2 \cdot 4 + 1 \cdot 4) = 2$: the slope per pixel. On a constant image the response is 0,
// because the weights add up to zero. The function returns the largest error on a ramp with one slope down and another
// to the right. We try forty ramps:
double ramp_error(double down, double right) {
    Tensor ramp = empty({1, 1, 12, 12});
    for (Index r = 0; r < 12; ++r)
        for (Index c = 0; c < 12; ++c)
            ramp.set({0, 0, r, c}, Real(down * double(r) + right * double(c)));
    double worst = 0;
    for (const Real slope : (conv2d(ramp, sobel_right) / 8).values())
        worst = std::max(worst, std::abs(double(slope) - right));
    for (const Real slope : (conv2d(ramp, sobel_down) / 8).values())
        worst = std::max(worst, std::abs(double(slope) - down));
    return worst;
}

//- forty ramps
void ramps() {
    double worst = 0;
    for (int k = -20; k < 20; ++k)
        worst = std::max(worst, ramp_error(double(k) / 8, double(7 - k) / 4));
    claim("claim-conv-edges-templates/b",
          "the largest distance of a Sobel response from the slope of the ramp", worst,
          "<=", 1e-6);
}
//-

// ## Templates: a scalar product
//
// At each place, a filter computes the scalar product of its weights and a patch of the image. The filter $(1, -1, 1)$
// responds to the patch $(1, -1, 1)$ with 3, and to the patch $(1, 1, -1)$ with $-1$. Among all patches of one length,
// in the sense of vectors, the product is largest for the patch that is a positive multiple of the filter. So a filter
// also finds **templates**: make the weights equal to the pattern that you look for, and find the place of the largest
// response. This is the **matched filter** {cite:p}`north1963`. Of all linear filters it has the largest
// signal-to-noise ratio for a known pattern in white noise {cite:p}`turin1960`.
//
// We test it. The pattern has $7 \times 7$ pixels, each $+1$ or $-1$. We add it at a random place to an image of noise
// with a standard deviation of 1:
Index found_at(const Tensor& scene, const Tensor& pattern) {
    const std::vector<Real> response = conv2d(scene, pattern).values();
    return std::ranges::max_element(response) - response.begin();
}

//- the question, and a thousand scenes
struct Scene {
    Tensor pixels, pattern;
    Index place;  // of the pattern's corner, in the response
};
Scene scene(double deviation, Generator& random) {
    Scene made{random.normal({1, 1, 28, 28}, 0, Real(deviation)), empty({1, 1, 7, 7}),
               0};
    const Index row = random.next_integer(0, 22), column = random.next_integer(0, 22);
    made.place = row * 22 + column;
    for (Index r = 0; r < 7; ++r)
        for (Index c = 0; c < 7; ++c) {
            const Real one = random.next_uniform() < 0.5 ? Real(-1) : Real(1);
            made.pattern.set({0, 0, r, c}, one);
            made.pixels.set({0, 0, row + r, column + c},
                            made.pixels.at({0, 0, row + r, column + c}) + one);
        }
    return made;
}
double share_found(double deviation) {
    Generator random(book::seed());
    double right = 0;
    for (int n = 0; n < 1000; ++n) {
        const Scene made = scene(deviation, random);
        right += found_at(made.pixels, made.pattern) == made.place;
    }
    return right / 1000;
}
void templates() {
    const double share = share_found(noise());
    ask("In each pixel the noise is as strong as the pattern, and you cannot see the "
        "pattern in the image. There are 484 places. In how many of a hundred images "
        "is the response largest at the right place?",
        {{"In a few: the pattern is invisible.", share < 0.3,
          "Your eye looks at single pixels. The filter adds 49 of them."},
         {"In about half: signal and noise are equally strong.",
          share >= 0.3 && share < 0.9,
          "They are equally strong in one pixel. Over 49 pixels the signal adds up to "
          "49, the noise only to about 7."},
         {"In nearly all.", share >= 0.9,
          "The response to the pattern is 49, with a standard deviation of 7. Noise "
          "alone gives 0 with the same deviation, so the pattern stands out by 7 "
          "deviations."}});
    claim("claim-conv-edges-templates/c",
          "the share of a thousand noisy images with the maximum at the planted place",
          book::Measured(share, share, share, 1000), ">=", 0.99);
    const std::vector<double> levels = {0, 0.5, 1, 2, 4};
    const Names pixels = numbered(28), places = numbered(22);
    Figure figure("fig-template");
    figure
        .describe(
            "Two panels and a slider for the noise. Left, an image in which a small "
            "pattern of light and dark pixels disappears as the noise grows. Right, "
            "the response of the filter with a red frame at the true place: one bright "
            "cell there, which other cells approach as the noise grows.")
        .height(290)
        .slider("noise", levels, "standard deviation of the noise", 1)
        .panel("image")
        .bare();
    std::vector<Scene> made;
    for (const double level : levels) {
        Generator same(book::seed() + 5);
        made.push_back(scene(level, same));
        figure.at(level).heatmap("", pixels, pixels, made.back().pixels.values(), -3,
                                 3);
    }
    figure.always().panel("response of the matched filter").bare();
    for (std::size_t i = 0; i < levels.size(); ++i)
        figure.at(levels[i]).heatmap("", places, places,
                                     conv2d(made[i].pixels, made[i].pattern).values(),
                                     -80, 80);  // the red frame stands out
    figure.always()
        .frame({places[std::size_t(made[0].place % 22)]},
               {places[std::size_t(made[0].place / 22)]})
        .save(
            "A pattern in noise, and the response of the filter that equals the "
            "pattern; the red frame marks the true place. Move the slider: the eye "
            "loses the pattern long before the filter does.");
}
//-

// {numref}`fig-template` shows one scene at five levels of noise. With a noise of 2 the filter still finds most of the
// patterns, with a noise of 4 about one in ten. A thousand scenes give these shares with a standard error of about one
// hundredth:
//- the same for stronger noise
void stronger_noise() {
    for (const double deviation : {1.0, 2.0, 4.0})
        say("noise {}: {:.0f} of 1,000 are found", deviation,
            1000 * share_found(deviation));
}
//-

// The edge filter is a template as well: it matches a step from dark to bright.
//
// ## What a network learns
//
// In a network the filters are weights, and training sets them. We train LeNet on 10,000 images of clothes, five times
// with different seeds. Its first convolution has six filters, and each of them gives one channel of the result. The
// slice of one sample and one channel, a matrix, is called an **activation map**, because it shows where in the image
// the filter is active:
Tensor activation_map(const Tensor& y, Index sample, Index channel) {
    return select(select(y, 0, sample), 0, channel);
}

//- training, in processes of their own
Layers lenet(Generator& random) {
    return {nn::Conv2d(1, 6, 5, random, {.padding = 2}),
            nn::Relu(),
            nn::MaxPool2d{2},
            nn::Conv2d(6, 16, 5, random),
            nn::Relu(),
            nn::MaxPool2d{2},
            nn::Flatten(),
            nn::Linear(400, 120, random),
            nn::Relu(),
            nn::Linear(120, 84, random),
            nn::Relu(),
            nn::Linear(84, 10, random)};
}
Tensor run(const Layers& layers, Tensor x, std::size_t first = 0,
           std::size_t end = 12) {
    for (std::size_t i = first; i < end; ++i) x = layers[i](x);
    return x;
}
struct Net {
    Layers layers;
    void visit(auto&& part) { part("layers", layers); }
};
void learn(const Net& net, Generator& random) {
    const Examples set = data::slice(clothes(Part::train), 0, pictures());
    optim::Adam adam(nn::parameters(net), {.lr = 2e-3});
    optim::fit(
        adam, [&] { return data::Batches(set, 32, random); },
        [&](const Examples& batch) {
            return cross_entropy(run(net.layers, batch.x), batch.labels);
        },
        {.epochs = epochs()});
}
//-

// An activation map is a view: it shares its memory with the result. And each map depends on its own filter alone, so a
// convolution with this single filter must give the same map:
//- both properties, checked
void maps(const Net& net) {
    const NoGrad only_asking;
    const auto& first = std::get<nn::Conv2d>(net.layers[0].kind);
    Tensor y = conv2d(clothes(Part::test).x.view({3, 1, 28, 28}, {784, 784, 28, 1}, 0),
                      first.weight.detach(), first.bias.detach(), first.options);
    double worst = 0;
    for (Index m = 0; m < 6; ++m) {
        const Tensor alone =
            conv2d(clothes(Part::test).x.view({3, 1, 28, 28}, {784, 784, 28, 1}, 0),
                   slice(first.weight.detach(), 0, m, m + 1),
                   slice(first.bias.detach(), 0, m, m + 1), first.options);
        const std::vector<Real> one = activation_map(alone, 2, 0).values(),
                                map = activation_map(y, 2, m).values();
        for (std::size_t i = 0; i < map.size(); ++i)
            worst = std::max(worst, std::abs(double(map[i]) - double(one[i])));
    }
    claim("sys-activation-map/c",
          "the largest difference between a map and the convolution with its filter "
          "alone",
          worst, "<=", 1e-6);
    Tensor map = activation_map(y, 1, 3);
    map.set({5, 7}, 1000);
    claim_true("sys-activation-map/b",
               "a number written into the map stands in the tensor, and only there",
               y.at({1, 3, 5, 7}) == 1000 && max(y).item() == 1000 &&
                   max(activation_map(y, 1, 2)).item() < 1000);
}
//-

// {numref}`fig-filters` compares filters that were set by hand with filters that were learned.
//- how the figure is drawn
std::vector<double> as_picture(const Tensor& weights) {  // zero is grey; with a frame
    const std::vector<Real> w = weights.values();
    const Index side = weights.size(-1), zoom = 25 / side, end = zoom * side,
                rim = (28 - end) / 2;
    double most = 1e-9;
    for (const Real v : w) most = std::max(most, std::abs(double(v)));
    std::vector<double> pixels(784, 1);
    for (Index r = -1; r <= end; ++r)
        for (Index c = -1; c <= end; ++c) {
            const bool frame = r < 0 || c < 0 || r == end || c == end;
            pixels[std::size_t((r + rim) * 28 + c + rim)] =
                frame ? 0.6
                      : 0.5 + 0.5 * double(w[std::size_t(r / zoom * side + c / zoom)]) /
                                  most;
        }
    return pixels;
}
std::vector<double> as_response(const Tensor& map) {
    std::vector<double> pixels;
    double most = 1e-9;
    for (const Real v : map.values()) most = std::max(most, std::abs(double(v)));
    for (const Real v : map.values()) pixels.push_back(0.5 + 0.5 * double(v) / most);
    return pixels;
}
void filters_figure(const Net& net) {
    const NoGrad only_asking;
    const Tensor boot = image(0);
    const std::vector<std::pair<std::string, Tensor>> by_hand = {
        {"to the right", sobel_right / 8},
        {"downwards", sobel_down / 8},
        {"diagonal", (sobel_right + sobel_down) / 8},
        {"spot", Tensor({1, 1, 3, 3}, {0, -1, 0, -1, 4, -1, 0, -1, 0})},
        {"mean", full({1, 1, 3, 3}, Real(1.0 / 9))},
        {"corner", Tensor({1, 1, 3, 3}, {-1, -1, -1, -1, 2, 2, -1, 2, 1})}};
    Images sheet("fig-filters", 6);
    sheet.describe(
        "Four rows of six small images. First row, filters set by hand: differences to "
        "the right, downwards and along the diagonal, a spot, a mean and a corner. "
        "Second row, their responses to an ankle boot. Third row, six learned filters "
        "of five by five weights, most of them bright on one side and dark on the "
        "other. Fourth row, their activation maps of the same boot.");
    for (const auto& [label, w] : by_hand) sheet.add(label, 28, 28, as_picture(w));
    for (const auto& [label, w] : by_hand)
        sheet.add("", 28, 28, as_response(conv2d(boot, w, {}, same_size)));
    const auto& first = std::get<nn::Conv2d>(net.layers[0].kind);
    const Tensor y = conv2d((boot - 0.286) / 0.353, first.weight.detach(),
                            first.bias.detach(), first.options);
    for (Index m = 0; m < 6; ++m)
        sheet.add(fmt::format("learned {}", m + 1), 28, 28,
                  as_picture(select(first.weight.detach(), 0, m)));
    for (Index m = 0; m < 6; ++m)
        sheet.add("", 28, 28, as_response(activation_map(y, 0, m)));
    sheet.save(
        "Above, filters set by hand (bright is positive, dark negative; the grey frame "
        "is only their edge) and their responses to a boot. Below, the first filters "
        "of a trained LeNet and their "
        "activation maps. Compare each map below with the responses above: edges and "
        "means return.");
    book::shows("claim-conv-edges-templates/a", "fig-filters");
    book::shows("sys-activation-map/a", "fig-filters");
}
//-

// The learned filters are less tidy than those that were set by hand, but they respond to similar things. Maps 2 and 3
// mark horizontal edges, maps 4 and 6 vertical ones, and maps 1 and 5 are negative and positive means. Edge detectors
// exist in nature, too: {cite:t}`hubel1962` recorded cells in the visual cortex of cats that respond to an edge of one
// direction at one place.
//
// ## From parts to things
//
// LeNet begins with a convolution, a pooling layer and a second convolution, its layers 1 to 3. Layer 3 reads the
// pooled activation maps of layer 1. Each of its units sees $14 \times 14$ pixels, where a unit of layer 1 sees
// $5 \times 5$ ([receptive field](receptive_field.cpp)). Such a unit can combine edges into parts, such as a heel or a
// sleeve. If it does, its activity should say more about the *class* of the image.
//
// We measure this by the **selectivity** of a unit. Take the maximum of its activation map in each test image, and find
// the 100 images with the largest maxima. The selectivity is the share of the most frequent class among these 100. With
// ten classes it is at least 0.1, and 1 means that a single class excites the unit most:
double selectivity(const std::vector<double>& activity,
                   const std::vector<Index>& labels) {
    std::vector<std::size_t> order(activity.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::stable_sort(order,
                             [&](auto i, auto j) { return activity[i] > activity[j]; });
    std::vector<double> of_class(10);
    for (std::size_t n = 0; n < 100; ++n)
        of_class[std::size_t(labels[order[n]])] += 0.01;
    return std::ranges::max(of_class);
}

//- the activity of all units, and the median selectivity of a layer
std::vector<std::vector<double>> activity(const Net& net, std::size_t layers,
                                          const Tensor& x) {
    const NoGrad only_asking;
    std::vector<std::vector<double>> of_unit;
    for (Index begin = 0; begin < x.size(0); begin += 500) {
        const Tensor peaks =
            max(run(net.layers, slice(x, 0, begin, begin + 500), 0, layers), {2, 3});
        of_unit.resize(std::size_t(peaks.size(1)));
        const std::vector<Real> numbers = peaks.values();
        for (std::size_t i = 0; i < numbers.size(); ++i)
            of_unit[i % of_unit.size()].push_back(double(numbers[i]));
    }
    return of_unit;
}
const std::size_t layer_1 = 2, layer_3 = 5;  // up to the relu after each convolution
double median_selectivity(const Net& net, std::size_t layers, const Examples& set) {
    std::vector<double> shares;
    for (const auto& unit : activity(net, layers, set.x))
        shares.push_back(selectivity(unit, set.labels.values()));
    return book::median(shares);
}
std::vector<double> one_network(Index run_number) {
    Generator random(book::seed() * 100 + std::uint64_t(run_number));
    const Net net{lenet(random)};
    const Examples test = data::slice(clothes(Part::test), 0, judged());
    std::vector<double> found = {median_selectivity(net, layer_1, test),
                                 median_selectivity(net, layer_3, test)};
    learn(net, random);
    found.push_back(median_selectivity(net, layer_1, test));
    found.push_back(median_selectivity(net, layer_3, test));
    const NoGrad only_asking;
    double right = 0;
    for (const Examples& some : data::Batches(test, 500))
        right += nn::accuracy(run(net.layers, some.x), some.labels) /
                 double(test.size() / 500);
    found.push_back(right);
    for (const NamedTensor& t : nn::state(net))
        for (const Real v : t.tensor.values()) found.push_back(double(v));
    return found;
}
Net restored(const std::vector<double>& found) {
    Generator random(1);
    Net net{lenet(random)};
    std::size_t next = 5;
    for (NamedTensor& t : nn::state(net)) {
        std::vector<Real> values;
        for (Index i = 0; i < t.tensor.numel(); ++i)
            values.push_back(Real(found[next++]));
        t.tensor.detach().copy_(Tensor(t.tensor.shape(), values));
    }
    return net;
}
void hierarchy_figure(const Net& net) {
    const Examples test = data::slice(clothes(Part::test), 0, judged());
    Images sheet("fig-hierarchy", 8);
    sheet.describe(
        "Six rows of eight images of clothes: for three units of the first layer, and "
        "three of the third, the images in which the unit is most active. The rows of "
        "the first layer mix several kinds of clothes; most rows of the third hold a "
        "single kind.");
    for (const auto& [layers, name] :
         {std::pair{layer_1, "layer 1"}, {layer_3, "layer 3"}}) {
        const auto units = activity(net, layers, test.x);
        for (std::size_t unit = 0; unit < 3; ++unit) {
            std::vector<std::size_t> order(units[unit].size());
            std::iota(order.begin(), order.end(), std::size_t(0));
            std::ranges::stable_sort(
                order, [&](auto i, auto j) { return units[unit][i] > units[unit][j]; });
            for (std::size_t n = 0; n < 8; ++n)
                sheet.add(n == 0 ? fmt::format("{}, {}", name, unit + 1) : "", 28, 28,
                          image(Index(order[n])).values());
        }
    }
    sheet.negative().save(
        "Each row: the eight test images in which one unit of a trained LeNet is most "
        "active, for the network with the median difference. Above, three units of "
        "layer 1; below, three of layer 3. Compare how "
        "many kinds of clothes share a row.");
    book::shows("claim-conv-hierarchy/a", "fig-hierarchy");
}
void hierarchy() {
    std::vector<std::vector<double>> found(static_cast<std::size_t>(seeds()));
    book::each_apart(
        seeds(), 2, one_network,
        [&](Index i, const std::vector<double>& one) { found[std::size_t(i)] = one; });
    const Net net = restored(found[0]);
    maps(net);
    filters_figure(net);
    std::vector<double> gains, untrained;
    for (const auto& one : found) {
        say("before training: {:.2f} and {:.2f}; trained: {:.2f} and {:.2f}; test "
            "accuracy {:.3f}",
            one[0], one[1], one[2], one[3], one[4]);
        gains.push_back(one[3] - one[2]);
        untrained.push_back(one[1] - one[0]);
    }
    claim("claim-conv-hierarchy/b",
          "the median selectivity of layer 3 minus that of layer 1", over_seeds(gains),
          ">", 0);
    say("the same before training: {}", book::brief(over_seeds(untrained)));
    std::ranges::sort(found, {}, [](const auto& one) { return one[3] - one[2]; });
    hierarchy_figure(restored(found[found.size() / 2]));
}
//-

// In four of the five networks the third layer is more selective, in one slightly less. The median difference is about
// 0.2. Most of the difference comes from training: with random weights its median is 0.045, and its sign
// depends on the draw.
//
// {cite:t}`zeiler2014` found such a hierarchy in a larger network for photographs: corners and edges with their colours
// in the second layer, textures in the third, and parts of objects and whole objects in the fourth and fifth.
// {numref}`fig-hierarchy` shows the first three units of both layers in the network with the median difference.
//
// ## Space for channels
//
// A unit of a deeper layer sees a larger area, and two neighbouring units see almost the same area. So a deeper layer
// needs fewer places. At each place it needs more channels, because there are more kinds of parts than kinds of edges.
// Convolutional networks therefore trade space for channels. {numref}`fig-trade` follows one sample through the
// convolutional part of three networks: LeNet, VGG-16 {cite:p}`simonyan2015` and ResNet-18 {cite:p}`he2016`. We leave
// out the connections of ResNet-18 that skip layers, since each is added to a result of the same size.
//- sizes along three networks
using Sizes = std::vector<std::pair<std::string, Shape>>;
void convolutions(Layers& layers, Index in, Index out, int count, Generator& random) {
    for (int i = 0; i < count; ++i) {
        layers.push_back(nn::Conv2d(i == 0 ? in : out, out, 3, random,
                                    {.padding = 1, .weights = nn::zeros_init}));
        layers.push_back(nn::Relu());
    }
}
Layers vgg_16(Generator& random) {
    Layers layers;
    Index in = 3;
    for (const auto& [out, count] :
         {std::pair<Index, int>{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
        convolutions(layers, in, out, count, random);
        layers.push_back(nn::MaxPool2d{2});
        in = out;
    }
    return layers;
}
Layers resnet_18(Generator& random) {
    Layers layers = {nn::Conv2d(3, 64, 7, random,
                                {.stride = 2, .padding = 3, .weights = nn::zeros_init}),
                     nn::Relu(), nn::MaxPool2d{3, {.stride = 2, .padding = 1}}};
    Index in = 64;
    for (const Index out : {64, 128, 256, 512}) {
        layers.push_back(nn::Conv2d(
            in, out, 3, random,
            {.stride = out == in ? 1 : 2, .padding = 1, .weights = nn::zeros_init}));
        layers.push_back(nn::Relu());
        convolutions(layers, out, out, 3, random);
        in = out;
    }
    return layers;
}
void trade() {
    Generator random(book::seed());
    Layers feature = lenet(random);
    feature.erase(feature.begin() + 6, feature.end());
    std::vector<std::vector<book::Cell>> rows;
    Index grown = 0, shrunk = 0;
    const auto walk = [&](const std::string& name, const Layers& layers,
                          const Shape& start) {
        Shape shape = start;
        const auto add = [&] {
            rows.push_back({name,  // with no-break spaces
                            fmt::format("{} × {} × {}", shape[1], shape[2], shape[3]),
                            shape.numel()});
        };
        add();
        for (const nn::Layer& layer : layers) {
            const Shape after = layer.result_shape(shape);
            grown += after[2] * after[3] > shape[2] * shape[3];
            shrunk += after[1] < shape[1];
            const bool changed = after != shape;
            shape = after;
            if (changed) add();
        }
    };
    walk("LeNet", feature, {1, 1, 28, 28});
    walk("VGG-16", vgg_16(random), {1, 3, 224, 224});
    walk("ResNet-18", resnet_18(random), {1, 3, 224, 224});
    book::table(
        "fig-trade",
        "The size of one sample wherever it changes, channels × height × width, and "
        "the product of the three.",
        {"network", "size", "numbers"}, rows);
    claim("claim-conv-channels-tradeoff/a",
          "layers that return more places than they read", grown, "==", 0);
    claim("claim-conv-channels-tradeoff/b",
          "layers that return fewer channels than they read", shrunk, "==", 0);
}
//-

// No layer returns more places than it reads, and none returns fewer channels. The first convolution makes more numbers
// than it reads. From then on the trade loses numbers: when VGG-16 halves both sides and doubles the channels, half of
// the numbers are left.
//
// ## Limits
//
// A matched filter finds its pattern at one size and in one direction only. It also responds to brightness: a bright
// patch can give a larger product than the pattern, so in photographs patches are first scaled to equal length. A
// filter of the third layer reads six maps at once, so its weights are hard to read as an image, and
// {numref}`fig-hierarchy` shows the images that excite it instead. Selectivity looks at the 100 strongest responses
// only; the unit may also respond, more weakly, to other classes.

void page() {
    edges_figure();
    ramps();
    templates();
    stronger_noise();
    hierarchy();
    trade();
}

// ## Summary
//
// A filter computes the scalar product of its weights with each patch of an image, so it can measure a derivative or
// find a template. The first filters of a trained network resemble edge filters and means, and a deeper layer combines
// their activation maps into responses that tell more about the class. On the way the maps become smaller and their
// number grows.
//
// ## What is missing
//
// A convolution is an affine map, like the dense layer, and a stack of affine maps is affine again. Without something
// between them, two convolutions could find nothing that one larger convolution could not find. What makes the
// hierarchy possible is the **activation function** after each convolution. [The next page](activations.cpp) is about
// it.
//
// ```{try}
// - Stronger noise: `--noise 2`. How many patterns of a hundred are still found?
// - Without training: `--epochs 0`. What do the learned filters of {numref}`fig-filters` look like now?
// ```
