// # Weight sharing: the same filter everywhere
//
// ```{rows} claim-weight-sharing
// ```
//
// A [convolution](../components/convolution.cpp) makes two decisions at once. A unit sees only a small window of the
// image, and all units of a channel have the same weights. What does the second decision bring? A **locally
// connected** layer makes only the first: each place has a filter of its own. {numref}`fig-shared-filters` shows what one
// trained channel of each kind answers to a boot. Move the slider and shift the boot. The answer of the shared filter
// moves along. The answer of the unshared filters becomes another picture.
//
// ```{opening} fig-shared-filters
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/augment.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::report, book::say;
using data::Examples, data::Part;
using figure::Figure, figure::Names;
using Numbers = std::vector<double>;

const book::Option<Index> pictures("pictures", 2000, "images that each network sees",
                                   {.quick = 100, .least = 50, .most = 20'000});
const book::Option<Index> epochs("epochs", 6, "passes over these images",
                                 {.quick = 1, .least = 1, .most = 100});
const book::Option<Index> draws("draws", 5, "networks of each kind",
                                {.quick = 1, .least = 1, .most = 20});
const book::Option<Index> channel("channel", 2, "number of the channel that is drawn",
                                  {.least = 0, .most = 7});
const Index side = 28, judged = 1000, farthest = 6, jitter = 4;
//-

// ## Counting weights
//
// Take a row of five pixels and a window of three. The window has three places. A convolution has three weights and
// uses them at each place. A locally connected layer has three weights for each place, nine in all. Both compute three
// answers with nine products. So the second layer works as much and has three times as many weights.
//
// An image has $P$ places for a window of $k \times k$ pixels. With one input channel and $m$ output channels, a
// convolution has $m k^2$ weights, and a locally connected layer has $P m k^2$:
//
// $$ \frac{P\, m\, k^2}{m\, k^2} = P $$
//
// The code cuts all windows out of the images. It then multiplies the windows at each place by the matrix of this place:
struct Local {
    Tensor weight;  // (places, in * kernel * kernel, out)
    Tensor bias;    // (out), shared
    Index kernel, stride;

    Tensor operator()(const Tensor& x) const {  // (n, in, height, width)
        const Index rows = (x.size(2) - kernel) / stride + 1,
                    cols = (x.size(3) - kernel) / stride + 1, out = bias.numel();
        std::vector<Tensor> windows;  // pixel (i, j) of all windows
        for (Index i = 0; i < kernel; ++i)
            for (Index j = 0; j < kernel; ++j)
                windows.push_back(
                    slice(slice(x, 2, i, i + (rows - 1) * stride + 1, stride), 3, j,
                          j + (cols - 1) * stride + 1, stride));
        const Tensor all = permute(stack(windows, 2), {3, 4, 0, 1, 2});
        const Tensor y =
            matmul(reshape(all, {rows * cols, x.size(0), weight.size(1)}), weight);
        return reshape(permute(y, {1, 2, 0}), {x.size(0), out, rows, cols}) +
               reshape(bias, {out, 1, 1});
    }
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};
//- both layers, and what is checked
Local make_local(Index in, Index out, Index kernel, Index stride, Index places,
                 Generator& random) {
    const Index inputs = in * kernel * kernel;
    Local layer{
        random.normal({places, inputs, out}, 0, Real(std::sqrt(2 / double(inputs)))),
        zeros({out}), kernel, stride};
    layer.weight.requires_grad_(), layer.bias.requires_grad_();
    return layer;
}

// Gives each place the filters of a convolution.
void copy_filters(Local& to, const nn::Conv2d& from) {
    const Tensor matrix = transpose(flatten(from.weight));
    to.weight = expand(reshape(matrix, {1, matrix.size(0), matrix.size(1)}),
                       {to.weight.size(0), matrix.size(0), matrix.size(1)});
}

void counting() {
    const NoGrad only_counting;
    Generator random(book::seed());
    struct Size {
        Index side, in, out, kernel, stride;
    };
    Index wrong = 0;
    double worst = 0;
    for (const Size s : {Size{28, 1, 8, 5, 2}, Size{6, 8, 16, 3, 1},
                         Size{9, 2, 3, 2, 1}, Size{7, 3, 4, 7, 1}}) {
        const nn::Conv2d shared(s.in, s.out, s.kernel, random, {.stride = s.stride});
        const Tensor x = random.normal({2, s.in, s.side, s.side});
        const FlopCount by_shared;
        const Tensor want = shared(x);
        const Index shared_work = by_shared.multiply_adds(),
                    places = want.size(2) * want.size(3);
        Local local = make_local(s.in, s.out, s.kernel, s.stride, places, random);
        wrong += local.weight.numel() != places * shared.weight.numel();
        const FlopCount by_local;
        local(x);
        wrong += by_local.multiply_adds() != shared_work;
        copy_filters(local, shared), local.bias = shared.bias;
        worst = std::max(worst, double(max(abs(local(x) - want)).item()));
        say("{} × {} places, kernels of {} × {}: {} weights shared, {} unshared, {} "
            "products each",
            want.size(2), want.size(3), s.kernel, s.kernel, shared.weight.numel(),
            local.weight.numel(), shared_work / 2);
    }
    claim("claim-weight-sharing/a",
          "of 4 layers, those whose weights are not in the ratio of the places, or "
          "whose products differ in number",
          wrong, "==", 0);
    claim("",
          "a locally connected layer with the same filter everywhere against the "
          "convolution, largest difference",
          worst, "<=", 1e-5);
}
//-

// By the last check, every convolution is also a locally connected layer: the one whose filters happen to be equal.
// So sharing takes away possibilities and adds none. It can only help if what it takes away would have misled the
// training.
//
// What would that be? Take the row $(0, 0, 0, 1, 2)$, with an edge near its end, and the filter $(-1, 0, 1)$. At the
// three places the filter answers 0, 1 and 2: the edge is at the end. Move the row by one pixel to $(0, 0, 1, 2, 2)$.
// The answers are now 1, 2 and 1, so the largest answer has moved by one place, too. Now suppose that each place has
// its own filter, and that training has shown the first row only. The filter of the second place was never shown more
// than the beginning of an edge. Whatever it has learned, it need not be $(-1, 0, 1)$, and nothing tells how it will
// answer to $(0, 1, 2)$.
//
// The reverse can happen, too. Suppose that an edge at the end means a shoe, and an edge at the beginning means a
// bag. Unshared filters can answer to one and not to the other. Shared ones answer to both alike, and the layer
// behind them must sort them out by place.
//
// ## Two networks that differ in nothing else
//
// Both networks are small [LeNets](lenet.cpp) with two layers of windows. Each pooling keeps the larger of
// two neighbours in each direction and forgets which it was. This is the **hierarchy**: the second layer looks at
// what the first one found, over a larger part of the image.
template <class Layer>
struct Network {
    Layer first, second;
    nn::Linear readout;
    Tensor operator()(const Tensor& x) const {
        const Tensor h = relu(max_pool2d(first(x), 2));  // 6 x 6 places
        return readout(flatten(max_pool2d(relu(second(h)), 2)));
    }
    void visit(auto&& part) {
        part("first", first), part("second", second), part("readout", readout);
    }
};
//- the networks, and their training
using Shared = Network<nn::Conv2d>;
using Unshared = Network<Local>;
template <class Net>
Net make(Generator& random);
template <>
Shared make(Generator& random) {
    const nn::Conv2d first(1, 8, 5, random, {.stride = 2, .weights = nn::he_init}),
        second(8, 16, 3, random, {.weights = nn::he_init});
    return {first, second, nn::Linear(64, 10, random)};
}
template <>
Unshared make(Generator& random) {
    const Local first = make_local(1, 8, 5, 2, 12 * 12, random),
                second = make_local(8, 16, 3, 1, 4 * 4, random);
    return {first, second, nn::Linear(64, 10, random)};
}

Examples some(Part part, Index from, Index count) {
    const Examples& all = data::fashion_mnist(part);  // a browser has fewer
    const Index begin = std::min(from, all.size() - 1);
    return data::slice(all, begin, std::min(begin + count, all.size()));
}
// Each image is moved at random by up to `jitter` pixels, down or up and to a side.
Examples moved(Examples set, std::uint64_t seed) {
    Generator random(seed);
    set.x = data::shifted(set.x, jitter, random);
    return set;
}
// All images are moved, by `down` and `across` pixels.
Tensor moved_by(const Tensor& x, Index down, Index across) {
    const Index room = 8;
    const Tensor wide = pad(x, {{room, room}, {room, room}});
    return slice(slice(wide, 2, room - down, room - down + side), 3, room - across,
                 room - across + side);
}

template <class Net>
Net learned(bool on_moved, double lr, std::uint64_t draw) {
    Generator random(100 * book::seed() + draw);
    const Net net = make<Net>(random);
    Examples lessons = some(Part::train, 0, pictures());
    if (on_moved) lessons = moved(lessons, 7);
    optim::Adam adam(nn::parameters(net));
    const Index batch = 50;
    const double steps = double(epochs() * ((lessons.size() + batch - 1) / batch));
    optim::fit(
        adam, [&] { return data::Batches(lessons, batch, random); },
        [&](const Examples& few) { return cross_entropy(net(few.x), few.labels); },
        {.epochs = epochs(),
         .lr = [&](Index step) { return lr * (1 - double(step) / steps); }});
    return net;
}
template <class Net>
double accuracy(const Net& net, const Examples& set) {
    const NoGrad only_asking;
    return nn::accuracy(net(set.x), set.labels);
}

// The best of three learning rates, by images that are neither trained on nor tested on: moved ones.
template <class Net>
double best_rate(const char* kind, bool on_moved) {
    const Examples held = moved(some(Part::train, pictures(), judged), 8);
    double best = 0, highest = -1;
    std::string all;
    for (const double lr : {3e-3, 1e-2, 3e-2}) {
        const double reached = accuracy(learned<Net>(on_moved, lr, 99), held);
        all += fmt::format("{}{} gives {:.3f}", all.empty() ? "" : ", ", lr, reached);
        if (reached > highest) highest = reached, best = lr;
    }
    say("{}, accuracy on moved held-out images: rate {}", kind, all);
    return best;
}

// Accuracies of one network: on the test images as they are, moved at random, and at each distance.
struct Judged {
    double upright, moved;
    Numbers at;
};
template <class Net>
Judged judge(const Net& net) {
    const Examples test = some(Part::test, 0, judged);
    const double as_they_are = accuracy(net, test);
    Judged found{as_they_are, accuracy(net, moved(test, 9)), {as_they_are}};
    for (Index far = 2; far <= farthest; far += 2) {
        double total = 0;
        const std::array<std::array<Index, 2>, 4> ways = {
            {{far, 0}, {-far, 0}, {0, far}, {0, -far}}};
        for (Index way = 0; way < 4; ++way) {  // a quarter of the images goes each way
            Examples part =
                data::slice(test, way * test.size() / 4, (way + 1) * test.size() / 4);
            part.x =
                moved_by(part.x, ways[std::size_t(way)][0], ways[std::size_t(way)][1]);
            total += accuracy(net, part) / 4;
        }
        found.at.push_back(total);
    }
    return found;
}
//-

//- how the first figure is drawn, and what is checked
// One channel of the first layer, before pooling.
template <class Net>
Tensor answer(const Net& net, const Tensor& image) {
    const NoGrad only_asking;
    return relu(select(select(net.first(image), 0, 0), 0, channel()));
}
void draw_answers(const Shared& shared, const Unshared& unshared) {
    const Tensor boot = some(Part::test, 0, 1).x;
    const Numbers stops = {-6, -4, -2, 0, 2, 4, 6};
    Names pixels, places;
    for (Index i = 1; i <= side; ++i) pixels.push_back(std::to_string(i));
    for (Index i = 1; i <= 12; ++i) places.push_back(std::to_string(i));
    Figure figure("fig-shared-filters");
    figure
        .describe(
            "Three heat maps: an image of a boot, the answer of a shared filter at 12 "
            "by 12 places and the answer of unshared filters there. A slider moves the "
            "boot sideways. The pattern of the shared filter moves with the boot. "
            "The pattern of the unshared filters stays where it is and changes.")
        .slider("shift", stops, "pixels moved sideways", 0)
        .columns(3)
        .height(230)
        .panel("the image");
    const auto panel = [&](const Names& names, const auto& look, double high) {
        for (const double stop : stops)
            figure.at(stop).heatmap("", names, names,
                                    look(moved_by(boot, 0, Index(stop))).values(), 0,
                                    high);
        figure.always().bare();
    };
    panel(
        pixels, [](const Tensor& x) { return x; }, 1);
    figure.panel("shared filter");
    panel(
        places, [&](const Tensor& x) { return answer(shared, x); },
        double(max(answer(shared, boot)).item()));
    figure.panel("a filter for each place");
    panel(
        places, [&](const Tensor& x) { return answer(unshared, x); },
        double(max(answer(unshared, boot)).item()));
    figure.save(
        "A boot, and what one channel of the first layer answers to it, at 12 × 12 "
        "places. Light is a large answer. Both networks were trained on images that "
        "nothing had moved. Two pixels are one place, since the windows are two pixels "
        "apart.");
    const auto apart = [](const Tensor& after, const Tensor& before) {
        return double(
            max(abs(slice(after, 1, 1, 12) - slice(before, 1, 0, 11))).item());
    };
    const Tensor there = moved_by(boot, 0, 2);
    const double by_shared = apart(answer(shared, there), answer(shared, boot)),
                 by_unshared = apart(answer(unshared, there), answer(unshared, boot));
    claim("",
          "shared filter, the boot two pixels aside: change beyond a move by one place",
          by_shared, "<=", 1e-5);
    say("the same for the unshared filters: {:.2f}", by_unshared);
}
//-

// Both networks see 2000 images of clothes, all of them centred, as Fashion-MNIST has them. Both have the same
// learning rates to choose from. The shared one has far fewer parameters. Place your bet:
//- training, the question, and the figure
struct Both {
    std::vector<Judged> shared, unshared;
    Numbers ahead(const auto& number) const {
        Numbers found;
        for (std::size_t i = 0; i < shared.size(); ++i)
            found.push_back(number(shared[i]) - number(unshared[i]));
        return found;
    }
};
Both compare(bool on_moved) {
    say("{}", on_moved ? "trained on moved images" : "trained on centred images");
    const double rate = best_rate<Shared>("  shared", on_moved),
                 other = best_rate<Unshared>("  unshared", on_moved);
    Both found;
    for (std::uint64_t draw = 1; draw <= std::uint64_t(draws()); ++draw) {
        const Shared shared = learned<Shared>(on_moved, rate, draw);
        const Unshared unshared = learned<Unshared>(on_moved, other, draw);
        if (draw == 1 && !on_moved) {
            draw_answers(shared, unshared);
            say("parameters: {} shared, {} unshared", nn::count(shared),
                nn::count(unshared));
        }
        found.shared.push_back(judge(shared)),
            found.unshared.push_back(judge(unshared));
    }
    return found;
}
Numbers all(const std::vector<Judged>& some, const auto& number) {
    Numbers found;
    for (const Judged& one : some) found.push_back(number(one));
    return found;
}
const auto upright = [](const Judged& one) { return one.upright; };
const auto at_random = [](const Judged& one) { return one.moved; };

void draw_distances(const Both& centred, const Both& on_moved) {
    Figure figure("fig-shared-accuracy");
    figure.describe(
        "Two panels: test accuracy against the pixels by which test images are moved, "
        "for shared and for unshared filters, with the range over the draws. "
        "After training on centred images both lines fall, and the shared one falls "
        "more slowly: it begins below and ends above. After training on moved images "
        "the two lines lie close together and are nearly level up to four pixels.");
    const Numbers far = {0, 2, 4, 6};
    const auto draw = [&](const char* label, const std::vector<Judged>& nets,
                          figure::Color color) {
        Numbers low, middle, high;
        for (std::size_t i = 0; i < far.size(); ++i) {
            const Numbers found =
                all(nets, [&](const Judged& one) { return one.at[i]; });
            const book::Measured range = over_seeds(found);
            low.push_back(range.low), middle.push_back(range.value),
                high.push_back(range.high);
        }
        figure.band("", far, low, high, {.color = color})
            .line(label, far, middle,
                  {.color = color, .dash = figure::solid, .points = true});
    };
    for (const bool second : {false, true}) {
        const Both& both = second ? on_moved : centred;
        figure.panel(second ? "trained on moved images" : "trained on centred images");
        draw("shared", both.shared, figure::blue);
        draw("unshared", both.unshared, figure::red);
        figure.x("pixels moved").y("test accuracy").ylim(0, 0.9);
    }
    figure.save(
        "Test accuracy when all test images are moved, a quarter of them in each "
        "direction; "
        "median and range over the draws. One panel: trained on "
        "centred images. The other: trained on as many images, each moved at "
        "random by up to four pixels.");
}

void trained() {
    const Both centred = compare(false);
    const Numbers still = centred.ahead(upright), ahead = centred.ahead(at_random);
    const double plain = book::median(still), there = book::median(ahead);
    ask("Which network is more accurate on test images?",
        {{"The shared one, on centred images and on moved ones.",
          plain > 0 && there > 0,
          "The shared filters can do less. On centred images a filter for each place "
          "may learn what belongs there, such as a heel, and this helps."},
         {"The unshared one, on centred images and on moved ones: it can do all that "
          "the shared filters do.",
          plain <= 0 && there <= 0,
          "It can, but it has only learned what it was shown. No training image "
          "has a heel in the middle, so no filter there knows heels."},
         {"The unshared one on centred images, the shared one on moved ones.",
          plain <= 0 && there > 0,
          "A filter for each place learns what belongs there, such as a heel. "
          "When the boot moves, the heel stands where the filters expect a toe. A "
          "shared "
          "filter finds it wherever it is."},
         {"The shared one on centred images, the unshared one on moved ones.",
          plain > 0 && there <= 0,
          "Sharing is knowledge about moved things, so this would be odd."}});
    for (const auto& [kind, nets] : {std::pair{"shared", &centred.shared},
                                     std::pair{"unshared", &centred.unshared}})
        say("{}: centred test images {}, moved ones {}", kind,
            book::brief(over_seeds(all(*nets, upright))),
            book::brief(over_seeds(all(*nets, at_random))));
    claim(
        "claim-weight-sharing/b",
        "trained on 2000 centred images: accuracy of the shared filters on moved test "
        "images minus that of the unshared ones",
        over_seeds(ahead), ">=", 0.02);
    claim("", "the same on centred test images", over_seeds(still), "<", 0);
    const Both on_moved = compare(true);
    report("", "the same on moved test images, both trained on moved images",
           over_seeds(on_moved.ahead(at_random)));
    draw_distances(centred, on_moved);
}
//-

// On centred images the unshared filters are better by a few hundredths. A filter for one place can learn what
// belongs at this place, and in centred photographs a sole is always at the bottom. This knowledge is worth nothing
// once the images move. A move by at most four pixels in a random direction costs both networks much of their
// accuracy. The unshared network loses more, so that the shared one is ahead in each of five draws.
// {numref}`fig-shared-accuracy` shows where the lines cross.
//
// ## Why not invariant?
//
// The shared network also loses a third of its accuracy. Its filters are **equivariant**: when the image moves, their
// answers move. Something must then forget the place, and the pooling does this only by little steps. At the end $2
// \times 2$ places are left, and the readout has separate weights for each of them. The readout is a dense layer, and
// it has seen centred images only. A mean over all places would forget the place altogether. So sharing alone does
// not make a network invariant. It makes the features movable, and hierarchy with pooling turns this into invariance
// piece by piece.
//
// ## Knowledge or data
//
// Suppose now that the 2000 training images are themselves moved at random, by up to four pixels. Then the unshared
// filters are shown heels in many places. The last lines of the block say what remains of the lead of the shared
// filters: nothing, in the median over five draws. Both networks reach about the same accuracy on moved images, and
// the shared network does so with less than a twentieth of the parameters. What the architecture knew beforehand, the
// other network has learned from the data. [Augmentation](../training/augmentation.cpp) is the same bargain:
// knowledge about shifts can be built in, or it can be shown.

void page() {
    counting();
    trained();
}

// ## Limits and origins
//
// The networks are small, and the shared network could be larger: for equal parameters it could have several times as
// many channels. We kept the channels equal, so that both networks do the same work and differ in the sharing alone.
// Each network had three learning rates to choose from, by one training and moved images, and six passes over the
// images. With more training images, the lead on moved images may change; the page's options let you try.
//
// {cite:t}`fukushima1980` built shared filters and a hierarchy into the neocognitron, and {cite:t}`lecun1989`
// trained such a network by backpropagation, for digits of handwritten postal codes.
//
// ## Summary
//
// A convolution and a locally connected layer do the same work, and the second has as many times more weights as
// there are places. Sharing only takes possibilities away. On images that are moved as no training image was, the
// shared filters are ahead; on centred images the unshared ones are, and after training on moved images neither.
//
// ## What is missing
//
// Two layers of shared filters make a small hierarchy. [The next page](deeper_convnets.cpp) builds networks with five
// and with thirteen, and asks what happens with fifty.
//
// ```{exercises}
// - [A convolution of images](/exercises/components/convolution.md)
// ```
//
// ```{try}
// - Another channel: `--channel 5`. Does its answer move with the boot?
// - More images: `--pictures 6000`. Do the lines still cross?
// ```
