// # Image registration: from coarse to fine
//
// ```{rows} sys-multiscale-registration
// ```
//
// A map of buildings and an aerial photograph of the same place rarely agree. Parts of the map are a few pixels off, in
// different directions. To **register** the two means to find an arrow for each pixel of the image that points to the
// same place in the map. All these arrows are a **flow**. {numref}`fig-registration` shows a network that finds a
// flow in four steps, from 4 × 4 arrows to one arrow for each of 32 × 32 pixels. Move the slider.
//
// ```{opening} fig-registration
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/buildings.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/warp.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::say;
using book::Study;
using data::Buildings;
using figure::Figure, figure::Images, figure::Names;

const book::Option<Index> training("steps", 400, "training steps of the network",
                                   {.quick = 3, .least = 1, .most = 10'000});
const book::Option<Index> which("pair", 3, "which test pair the first figure shows",
                                {.least = 0, .most = 199});

using Numbers = std::vector<double>;
const Index side = 32, scales = 4;
const std::array<Index, 4> arrows = {4, 8, 16, 32};  // along each side, per scale
const std::array<Index, 4> widths = {48, 32, 16, 12}, blocks = {2, 2, 2, 1};
//-

// ## Reading an image along a flow
//
// If the flow is known, the map can be put right: each pixel reads the map where its arrow ends. This is called
// **warping**. Arrows end between pixels, so the value there is interpolated. Take the pixel in row 5 and column 7, and
// the arrow $(u, v) = (1.25, -0.5)$: 1.25 pixels to the right and half a pixel up. It ends in row 4.5 and column 8.25,
// between four pixels of the map:
//
// $$ \begin{pmatrix} x_{4,8} & x_{4,9} \cr x_{5,8} & x_{5,9} \end{pmatrix}
//    = \begin{pmatrix} 0.2 & 1.0 \cr 0 & 0.6 \end{pmatrix} $$
//
// **Bilinear interpolation** first goes a quarter of the way to the right, in both rows: $0.2 + 0.25 \cdot 0.8 = 0.4$ and
// $0 + 0.25 \cdot 0.6 = 0.15$. Then it goes half of the way down: $0.275$. In general, with $r + v = i + a$ and
// $s + u = j + b$, where $i$ and $j$ are whole numbers and $a$ and $b$ are less than one,
//
// $$ y_{rs} = (1-a)(1-b)\, x_{i,j} + (1-a)\, b\, x_{i,j+1} + a\,(1-b)\, x_{i+1,j} + a\, b\, x_{i+1,j+1} . $$
//
// The result has a derivative by the arrow. If the arrow grows to the right, $y$ changes by the mean of both differences
// along the rows, here $0.5 \cdot 0.8 + 0.5 \cdot 0.6 = 0.7$ per pixel. If it grows downwards, $y$ changes by
// $0.15 - 0.4 = -0.25$. So a loss on the warped map tells each arrow which way to turn, and a network
// can contain a warp as one of its layers {cite:p}`jaderberg2015`. The library's `nn::warp` agrees:
//- one pixel
void one_pixel() {
    Tensor map = zeros({1, 1, 8, 12}), flow = zeros({1, 2, 8, 12});
    const auto set = [](Tensor& x, Index at, double value) {
        x.write()[at] = Real(value);
    };
    set(map, 4 * 12 + 8, 0.2), set(map, 4 * 12 + 9, 1), set(map, 5 * 12 + 9, 0.6);
    set(flow, 5 * 12 + 7, 1.25), set(flow, 96 + 5 * 12 + 7, -0.5);
    flow.requires_grad_();
    const Tensor pixel = select(select(nn::warp(map, flow), 2, 5), 2, 7);
    sum(pixel).backward();
    const auto derivative = [&](Index at) {
        return double(flow.grad().values()[std::size_t(at)]);
    };
    const double right = derivative(5 * 12 + 7), down = derivative(96 + 5 * 12 + 7);
    say("warped pixel: {:.3f}; derivative by the arrow: {:.2f} to the right, {:.2f} "
        "down",
        pixel.values()[0], right, down);
    claim("",
          "the pixel and its two derivatives against those in the text, largest "
          "difference",
          std::max({std::abs(double(pixel.values()[0]) - 0.275), std::abs(right - 0.7),
                    std::abs(down + 0.25)}),
          "<=", 1e-6);
}
//-

// ## Why coarse first
//
// The derivative of a warp sees four pixels. If a wall of the map is three pixels away from the wall of the
// image, nothing at either wall says where the other one is. In an image that was made eight times smaller, three
// pixels are less than half a pixel. So a network first finds a few arrows for the **coarsest** scale, then warps the
// map by them, and at the next scale only looks for what is still missing, which is short again.
// {cite:t}`lucas1981` registered images this way without any network.
//
// Photograph and map do not look alike: roofs are red or grey, and trees hide corners. Our network therefore first draws
// its **own map** from the image. Then both maps can be compared. It multiplies them pixel by pixel, once as they are, and
// once for each of eight directions, with one map moved by half of a cell of the scale:
Tensor compare(const Tensor& own, const Tensor& map, Index step) {
    const Tensor wide = pad(map, {{step, step}, {step, step}});
    std::vector<Tensor> found = {own, map};
    for (const Index down : {0, 1, 2})
        for (const Index across : {0, 1, 2}) {
            const Index row = down * step, col = across * step;
            found.push_back(own *
                            slice(slice(wide, 2, row, row + side), 3, col, col + side));
        }
    return concat(found, 1);  // (batch, 11, 32, 32)
}
// Averaged over the cells of a scale, each product says how well the maps agree there if one of them is moved. A small
// network turns this into a correction of the flow, one such network for each scale. The whole network goes through
// them from the coarsest to the finest:
//- its parts: residual blocks, and the network of a scale
struct Block {
    nn::Conv2d first, second;
    Block(Index width, Generator& random)
        : first(width, width, 3, random, {.padding = 1, .weights = nn::he_init}),
          second(width, width, 3, random, {.padding = 1}) {
        second.weight = (second.weight.detach() * 0.1).requires_grad_();
    }
    Tensor operator()(const Tensor& x) const {
        return x + second(relu(first(relu(x))));
    }
    void visit(auto&& part) { part("first", first), part("second", second); }
};
// The correction of the flow at one scale.
struct Scale {
    nn::Conv2d enter;
    std::vector<Block> middle;
    nn::Conv2d leave;
    Scale(Index in, Index width, Index count, Generator& random)
        : enter(in, width, 3, random, {.padding = 1, .weights = nn::he_init}),
          leave(width, 2, 3, random, {.padding = 1}) {
        for (Index k = 0; k < count; ++k) middle.emplace_back(width, random);
        leave.weight = (leave.weight.detach() * 0.1).requires_grad_();
    }
    Tensor operator()(std::vector<Tensor> inputs, Tensor& hidden) const {
        if (hidden.defined()) inputs.push_back(upsample_bilinear(hidden, 2));
        Tensor x = enter(concat(inputs, 1));
        for (const Block& block : middle) x = block(x);
        hidden = relu(x);
        return leave(hidden);
    }
    void visit(auto&& part) {
        part("enter", enter), part("middle", middle), part("leave", leave);
    }
};
Tensor shrink(const Tensor& x, Index to) {
    return x.size(2) == to ? x : avg_pool2d(x, x.size(2) / to);
}
//-
struct Registration {
    std::vector<nn::Conv2d> draw;  // from the image to a map of its own
    std::vector<Scale> correct;    // coarsest first
    explicit Registration(Generator& random);
    Tensor own_map(const Tensor& images) const;
    // The flows of all scales.
    std::vector<Tensor> operator()(const Tensor& own, const Tensor& maps) const {
        std::vector<Tensor> flows;
        Tensor flow = zeros({maps.size(0), 2, arrows[0], arrows[0]}), hidden;
        for (std::size_t k = 0; k < correct.size(); ++k) {
            const Index size = arrows[k], step = std::max<Index>(1, side / size / 2);
            flow = nn::resize_flow(flow, size);
            const Tensor warped = nn::warp(maps, nn::resize_flow(flow, side));
            const Tensor agree = compare(centred(own), centred(warped), step);
            flow = flow + correct[k]({shrink(agree, size), flow}, hidden);
            flows.push_back(flow);
        }
        return flows;
    }
    static Tensor centred(const Tensor& map) { return (map - 0.3) * 2; }
    void visit(auto&& part) { part("draw", draw), part("correct", correct); }
};
//- its first weights, and how it draws
Registration::Registration(Generator& random) {
    for (const auto& [in, out] : {std::pair<Index, Index>{3, 12}, {12, 12}, {12, 1}})
        draw.emplace_back(in, out, 3, random,
                          nn::ConvLayerOptions{.padding = 1, .weights = nn::he_init});
    for (std::size_t k = 0; k < scales; ++k)
        correct.emplace_back(11 + 2 + (k > 0 ? widths[k - 1] : 0), widths[k], blocks[k],
                             random);
}
Tensor Registration::own_map(const Tensor& images) const {
    const Tensor x = relu(draw[0]((images - 0.45) * 5));
    return sigmoid(draw[2](relu(draw[1](x))));
}
//-

// Two lines carry the idea. The map is always warped at full size, with all arrows found so far. And each
// scale *adds* to the flow, like a [residual block](residual_blocks.cpp). From the image to the finest arrow, 25
// convolutions follow one another.
//
// The data are drawn by a program, so the true flow is known. An image shows four to seven buildings, a road and trees.
// The map is their outlines, moved by a smooth random deformation whose longest arrow has exactly 4 pixels. The loss is
// the mean length of the error of an arrow, the **end-point error**, summed over all scales, and the squared error of
// the network's own map. Each training step draws 16 new pairs:
//- training, the study and the test pairs
// Lengths of the errors at one scale, in pixels of the image; the small number keeps the root differentiable.
Tensor loss_at(const Tensor& flow, const Tensor& truth) {
    const double cell = double(side) / double(flow.size(2));
    return mean(
        sqrt(sum(square(flow * cell - shrink(truth, flow.size(2))), {1}) + 0.01));
}
Registration trained(std::uint64_t seed) {
    Generator random(seed);
    Registration net(random);
    optim::Adam adam(nn::parameters(net));
    for (Index step = 0; step < training(); ++step) {
        adam.options.lr = 5e-3 * (1 - double(step) / double(training()));
        const Buildings pairs = data::buildings(16, random);
        adam.zero_grad();
        const Tensor own = net.own_map(pairs.images);
        const std::vector<Tensor> flows = net(own, pairs.masks);
        Tensor loss = 5 * mse_loss(own, pairs.aligned);
        for (const Tensor& flow : flows) loss = loss + loss_at(flow, pairs.flows);
        loss.backward();
        optim::clip_norm(adam.parameters(), 1);
        adam.step();
    }
    return net;
}
Buildings test_pairs() {
    Generator random(book::seed() + 50);
    return data::buildings(200, random);
}
double error(const Tensor& flow, const Tensor& truth) {
    return double(
        mean(nn::end_point_errors(nn::resize_flow(flow, side), truth)).item());
}
// The mean end-point errors of all scales on the test pairs, and that of the finest over that of the one before.
Study::Row judge(const Registration& net, const Buildings& pairs) {
    const NoGrad only_asking;
    Study::Row found;
    for (const Tensor& flow : net(net.own_map(pairs.images), pairs.masks))
        found.push_back(error(flow, pairs.flows));
    found.push_back(found[3] / found[2]);
    return found;
}
Study::Row train_one(const Study::Row& cell) {
    return judge(trained(book::seed() + std::uint64_t(cell[0]) - 1), test_pairs());
}
const Study study({"registration",
                   {"draw"},
                   {"error_4", "error_8", "error_16", "error_32", "last_step"},
                   {"sys-multiscale-registration/b", "sys-multiscale-registration/c"},
                   0.04,
                   {0.04, 0.04, 0.04, 0.04, 0.0015}},
                  {{1}, {2}, {3}}, train_one);
//-

// ## What each scale finds
//
// We train three networks and test them on 200 new pairs. The map as it was given has an error, too: that of the flow without
// any arrows, the **identity**. No displacement is longer than half of a cell of the coarsest scale, and the coarsest flow
// has only 16 arrows. Place your bet:
//- the question, and what is checked
Numbers column(const char* name) { return study.frozen().column(name); }

void scales_apart(const Buildings& pairs, const Registration& net) {
    const Tensor none = zeros(pairs.flows.shape());
    const double identity = error(none, pairs.flows);
    const std::array<Numbers, 4> errors = {column("error_4"), column("error_8"),
                                           column("error_16"), column("error_32")};
    const double left = book::median(errors[0]) / identity;
    ask("What share of the error of the identity is left after the coarsest scale?",
        {{"More than nine tenths: displacements of half a cell cannot be seen.",
          left > 0.9,
          "A cell is not a dot. The products inside a cell are computed at full size."},
         {"Between seven and nine tenths.", left <= 0.9 && left > 0.7,
          "Most of a smooth deformation is the same for a whole cell."},
         {"Between four and seven tenths.", left <= 0.7 && left > 0.4,
          "A smooth deformation hardly changes within a cell, so a few arrows say "
          "much. "
          "What limits them is not their number."},
         {"Less than four tenths: the deformation is smooth, and 16 arrows describe "
          "it.",
          left <= 0.4,
          "16 arrows could describe it. The network must first find them, and "
          "buildings "
          "fit in more than one way."}});
    say("weights: {}; convolutions on the longest path: {}", nn::count(net),
        Index(net.draw.size()) +
            std::accumulate(blocks.begin(), blocks.end(), Index(0)) * 2 + 2 * scales);
    Numbers worst(errors[0].size(), 0), floors, medians, positions;
    for (std::size_t k = 0; k < scales; ++k) {
        positions.push_back(double(arrows[k]));
        medians.push_back(book::median(errors[k]));
        floors.push_back(
            error(shrink(pairs.flows, arrows[k]) * (double(arrows[k]) / double(side)),
                  pairs.flows));
        say("{} x {} arrows: error {} pixels; of the true flow at this resolution: "
            "{:.2f}",
            arrows[k], arrows[k], book::brief(book::over_seeds(errors[k])), floors[k]);
    }
    say("error of the identity: {:.2f} pixels", identity);
    const Study::Row drawn = judge(net, pairs);
    std::array<Numbers, 4> judged = errors;
    if (training() == 400)  // the first network is that of this run
        for (std::size_t k = 0; k < scales; ++k) judged[k][0] = drawn[k];
    for (std::size_t k = 1; k < scales; ++k)
        for (std::size_t i = 0; i < worst.size(); ++i)
            worst[i] = std::max(worst[i], judged[k][i] / judged[k - 1][i]);
    claim("sys-multiscale-registration/c",
          "mean end-point error at full size, in pixels", book::over_seeds(judged[3]),
          "<=", 1);
    claim("sys-multiscale-registration/b",
          "error of a scale over that of the coarser one, the largest of three steps",
          book::over_seeds(worst), "<", 1);
    say("the network of the figures, after each scale: {:.3f}, {:.3f}, {:.3f} and "
        "{:.3f} pixels",
        drawn[0], drawn[1], drawn[2], drawn[3]);
    if (training() == 400)
        claim(
            "",
            "the network of the figures, trained again, against the kept one, relative "
            "difference",
            std::abs(drawn[3] / errors[3][0] - 1), "<=", 0.04);
    Figure figure("fig-registration-scales");
    figure.describe(
        "The mean end-point error against the number of arrows along a side: 4, 8, 16 "
        "and "
        "32. Three close lines of networks fall steeply from 4 to 8, then slowly. The "
        "line "
        "of the true flow at the same resolution lies far below and falls to zero. A "
        "rule "
        "above all marks the identity.");
    for (std::size_t i = 0; i < errors[0].size(); ++i)
        figure.line("networks", positions,
                    {errors[0][i], errors[1][i], errors[2][i], errors[3][i]},
                    {.color = figure::blue});
    figure.line("best at this resolution", positions, floors, {.color = figure::ochre})
        .rule_y(identity, "the identity")
        .log_x()
        .x("arrows along a side")
        .y("mean end-point error, pixels")
        .ylim(0, 2.5)
        .save(
            "The error after each scale, for three networks. The lower curve is the "
            "best that a "
            "flow of this resolution can do. The networks lie far above it: the "
            "number of arrows does not limit them.");
}
//-

// The first scale removes about half of the error, and each later scale less than the one before. The last scale
// changes least. Its cells are single pixels, and the products of the last two scales look equally far, one pixel. The
// lower curve shows that the number of arrows is not what limits the network. If the true flow is averaged to 4 × 4 arrows
// and enlarged again, its error is about a tenth of that of the identity.
//
// ## Where it fails
//
// {numref}`fig-registration-pairs` shows the best, the middle and the worst of the 200 test pairs.
//- the figures
Tensor finest(const Buildings& pairs, const Registration& net) {
    return net(net.own_map(pairs.images), pairs.masks).back();
}
void opening(const Buildings& pairs, const Registration& net) {
    const NoGrad only_asking;
    const Index n = which();
    const auto one = [&](const Tensor& x) { return slice(x, 0, n, n + 1); };
    const Tensor image = one(pairs.images), map = one(pairs.masks),
                 truth = one(pairs.flows), aligned = one(pairs.aligned);
    std::vector<Tensor> flows = {zeros({1, 2, side, side})};
    for (const Tensor& flow : net(net.own_map(image), map))
        flows.push_back(nn::resize_flow(flow, side));
    const auto numbers = [](const Tensor& x) {
        const std::vector<Real> all = x.values();
        return Numbers(all.begin(), all.end());
    };
    Names places;
    for (Index i = 1; i <= side; ++i) places.push_back(std::to_string(i));
    // Every fourth arrow as a line, parted by gaps, and its end as a dot; rows count downwards.
    struct Drawn {
        Numbers x, y, end_x, end_y;
    };
    const auto drawn = [&](const Tensor& flow) {
        const Numbers all = numbers(flow);
        const double gap = std::numeric_limits<double>::quiet_NaN();
        Drawn found;
        for (Index row = 2; row < side; row += 4)
            for (Index col = 2; col < side; col += 4) {
                const std::size_t i = std::size_t(row * side + col);
                const double x = double(col), y = double(side - 1 - row);
                found.end_x.push_back(x + all[i]),
                    found.end_y.push_back(y - all[1024 + i]);
                for (const double v : {x, found.end_x.back(), gap})
                    found.x.push_back(v);
                for (const double v : {y, found.end_y.back(), gap})
                    found.y.push_back(v);
            }
        return found;
    };
    const Numbers stops = {0, 1, 2, 3, 4};
    Figure figure("fig-registration");
    figure
        .describe(
            "Four panels: an aerial image of buildings; the map read along a flow; "
            "where the two "
            "disagree; and the arrows of the flow beside the true ones. A slider sets "
            "the number "
            "of scales. Without any the disagreement has wide seams along all walls. "
            "With four "
            "most seams are gone, and most arrows lie on the true ones.")
        .columns(2)
        .slider("scales", stops, "scales", 4);
    figure.panel("the image")
        .heatmap("", places, places, numbers(mean(image, {1})), 0, 1)
        .bare();
    figure.panel("the warped map");
    for (const double stop : stops)
        figure.at(stop).heatmap("", places, places,
                                numbers(nn::warp(map, flows[std::size_t(stop)])), 0, 1);
    figure.always().bare();
    figure.panel("less the true map");
    for (const double stop : stops)
        figure.at(stop).heatmap(
            "", places, places,
            numbers(nn::warp(map, flows[std::size_t(stop)]) - aligned), -1, 1);
    figure.always().bare();
    figure.panel("the flow");
    const Drawn real = drawn(truth);
    figure.line("", real.x, real.y,
                {.color = figure::grey, .width = 4, .points = false});
    for (const double stop : stops) {
        const Drawn found = drawn(flows[std::size_t(stop)]);
        figure.at(stop)
            .line("", found.x, found.y,
                  {.color = figure::blue, .width = 1.5, .points = false})
            .dots("", found.end_x, found.end_y, {.color = figure::blue, .width = 1.5});
    }
    figure.always().xlim(-4, 35).ylim(-4, 35).bare().tall(285);
    figure.save(
        "A test pair after 0 to 4 scales. Each pixel of the second panel reads the map "
        "where "
        "its arrow ends. In the third panel a building of the map is too much where it "
        "is orange, and "
        "missing where it is blue. In the last panel the true arrows are grey and "
        "those of "
        "the network blue, with a dot at the end.");
}
void cases(const Buildings& pairs, const Registration& net) {
    const NoGrad only_asking;
    const Tensor flow = finest(pairs, net), warped = nn::warp(pairs.masks, flow);
    const std::vector<Real>
        each = mean(nn::end_point_errors(flow, pairs.flows), {1, 2}).values(),
        start = mean(nn::end_point_errors(zeros(flow.shape()), pairs.flows), {1, 2})
                    .values();
    std::vector<std::size_t> order(each.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return each[a] < each[b]; });
    const auto tinted = [&](const Tensor& map, std::size_t n) {
        const std::vector<Real> colours = select(pairs.images, 0, Index(n)).values(),
                                part = select(map, 0, Index(n)).values();
        Numbers mixed;
        for (std::size_t i = 0; i < colours.size(); ++i) {
            const double magenta = i / 1024 == 1 ? 0 : 1,
                         share = 0.55 * double(part[i % 1024]);
            mixed.push_back((1 - share) * double(colours[i]) + share * magenta);
        }
        return mixed;
    };
    Images images("fig-registration-pairs", 3);
    images.describe(
        "Three rows of three aerial images with maps laid over them in magenta: the "
        "best, "
        "the middle and the worst test pair. In each row the map as given is off by "
        "some "
        "pixels, and the registered map covers the roofs. The worst image is mostly "
        "ground.");
    for (const std::size_t n : {order.front(), order[order.size() / 2], order.back()}) {
        images.add(fmt::format("given: {:.1f} pixels", start[n]), side, side,
                   tinted(pairs.masks, n));
        images.add(fmt::format("registered: {:.1f}", each[n]), side, side,
                   tinted(warped, n));
        images.add("true", side, side, tinted(pairs.aligned, n));
    }
    images.save(
        "The best, the middle and the worst test pair by their mean end-point error, "
        "in pixels. The map lies over "
        "the image in magenta: as it was given, warped by the network, and as it "
        "should be.");
    const std::size_t better = std::size_t(std::count_if(
        order.begin(), order.end(), [&](auto n) { return each[n] < start[n]; }));
    say("errors of the three pairs: {:.2f}, {:.2f} and {:.2f} pixels; the network "
        "improves {} of {} maps",
        each[order.front()], each[order[order.size() / 2]], each[order.back()], better,
        each.size());
}
void where(const Buildings& pairs, const Registration& net) {
    const NoGrad only_asking;
    const Tensor off = finest(pairs, net) - pairs.flows;
    const std::vector<Real> error = off.values(), map = pairs.aligned.values();
    const Index far = 8;
    Numbers sums(std::size_t(far) + 1, 0), counts(std::size_t(far) + 1, 0);
    double across = 0, along = 0, walls = 0;
    for (Index n = 0; n < pairs.aligned.size(0); ++n) {
        const Real *m = &map[std::size_t(n * 1024)], *e = &error[std::size_t(n * 2048)];
        const auto at = [&](Index row, Index col) {
            return double(m[std::clamp<Index>(row, 0, side - 1) * side +
                            std::clamp<Index>(col, 0, side - 1)]);
        };
        std::vector<std::pair<Index, Index>> outline;
        for (Index row = 0; row < side; ++row)
            for (Index col = 0; col < side; ++col) {
                const double right = at(row, col + 1) - at(row, col - 1),
                             down = at(row + 1, col) - at(row - 1, col),
                             steep = std::hypot(right, down);
                if (steep < 0.5) continue;
                outline.emplace_back(row, col);
                const double x = double(e[row * side + col]),
                             y = double(e[1024 + row * side + col]);
                across += std::abs(x * right + y * down) / steep;
                along += std::abs(y * right - x * down) / steep;
                ++walls;
            }
        for (Index row = 0; row < side && !outline.empty(); ++row)
            for (Index col = 0; col < side; ++col) {
                Index nearest = 2 * side * side;
                for (const auto& [r, c] : outline)
                    nearest = std::min(nearest,
                                       (r - row) * (r - row) + (c - col) * (c - col));
                const std::size_t bin = std::size_t(std::min<Index>(
                    far, Index(std::lround(std::sqrt(double(nearest))))));
                sums[bin] += std::hypot(double(e[row * side + col]),
                                        double(e[1024 + row * side + col]));
                ++counts[bin];
            }
    }
    Numbers distance, mean_error;
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (counts[i] > 0)
            distance.push_back(double(i)), mean_error.push_back(sums[i] / counts[i]);
    say("mean error at a wall: {:.2f} pixels; 8 or more pixels away: {:.2f}",
        mean_error.front(), mean_error.back());
    say("at a wall: {:.2f} pixels across the wall, {:.2f} along it", across / walls,
        along / walls);
    Figure("fig-registration-walls")
        .describe(
            "The mean end-point error against the distance from the nearest wall. It "
            "rises from "
            "wall to ground.")
        .line("", distance, mean_error, {.color = figure::blue})
        .x("distance from the nearest wall, pixels")
        .y("mean end-point error, pixels")
        .ylim(0, 2)
        .save(
            "The error at pixels of all test pairs, by their distance from the nearest "
            "wall in the true map. "
            "The last point stands for 8 pixels and more.");
}
//-

// The program counts how many maps become better: all of them. But a flow is judged at each pixel, and the image says
// something about it only at walls. The worst pair shows it. Its registered map lies on the roofs, and still its
// error is large, because most of the image is ground. {numref}`fig-registration-walls` shows the error by the distance from the nearest
// wall. Far from all walls the network can only continue the flow smoothly, and there the error is almost three times as large as
// at a wall.
//
// Even a wall tells only half. If a straight wall is moved along itself, nothing changes in the image. This is the
// **aperture problem**. At walls, the error across the wall is smaller than that along it, and corners must tell the rest.
//
// ## Limits and origins
//
// Our maps are complete, and our images are drawn from a law that the training knows. Real maps also lack buildings, and contain
// some that are gone. {cite:t}`zampieri2018` registered maps with photographs of whole cities by a chain of networks, one
// for each scale, and {cite:t}`ranjan2017` estimated the motion between two frames of a video in the same way. The products of
// neighbouring places are the smallest case of a layer that compares two images at many displacements.
//
// A deformation that is longer than the coarsest scale can see is out of reach: the products look 4 pixels away. And a
// smooth flow cannot describe a building that hides another one.

void page() {
    one_pixel();
    const Registration net = trained(book::seed());
    const Buildings pairs = test_pairs();
    opening(pairs, net);
    scales_apart(pairs, net);
    cases(pairs, net);
    where(pairs, net);
}

// ## Summary
//
// Registration finds a flow: for each pixel an arrow to the same place in another image. Bilinear warping reads an image
// along a flow and passes gradients to the arrows. A network that goes from coarse to fine only has to find short
// corrections at each scale.
//
// ## What is missing
//
// A flow says where each pixel goes, and not what is there. [The next page](region_proposals.cpp) finds several things in
// one image, each with its place.
//
// ```{exercises}
// - [Case study: aligning maps with aerial images](/exercises/case_studies/registration.md)
// ```
//
// ```{try}
// - Another pair: `--pair 7`.
// - Longer training: `--steps 1500`. Which scales gain?
// ```
