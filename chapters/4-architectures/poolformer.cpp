// # PoolFormer: average pooling in place of attention
//
// ```{rows} sys-poolformer
// ```
//
// A block of a [vision transformer](vision_transformer.cpp) does two things: attention mixes the patches, and a
// perceptron changes each patch on its own. How clever must the mixing be? **PoolFormer** mixes with an operation that
// has no weights and no idea of what it sees: it takes the mean of the $3 \times 3$ patches around each place, and
// subtracts the patch itself. {numref}`fig-pool-scale` applies this to an image. Move the slider: what is added to the
// image makes it smoother or sharper, depending on its sign. Can a network that mixes like this classify as well as one
// with attention?
//
// ```{opening} fig-pool-scale
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/poolformer.hpp>
#include <recto/nn/vision_transformer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> seen("image", 0, "number of the test image that is shown",
                               {.least = 0, .most = 9999});
//-

//- how the figure is drawn
void sharpen() {
    const Tensor image =
                     data::slice(data::fashion_mnist(Part::test), seen(), seen() + 1).x,
                 added = nn::pool_mixer(image);
    const std::vector<double> factors = {-2, -1, -0.5, 0, 0.5, 1};
    Names places;
    for (int i = 1; i <= 28; ++i) places.push_back(std::to_string(i));
    Figure figure("fig-pool-scale");
    figure
        .describe(
            "An image of a garment plus a multiple of what the mixer computes from it. "
            "A "
            "slider sets the factor. At 1 the image is blurred, at 0 it is unchanged, "
            "and "
            "at negative factors its edges are exaggerated.")
        .slider("factor", factors, "factor of the mixer", 1)
        .columns(2)
        .panel("image + factor × mixer");
    for (const double factor : factors)
        figure.at(factor).heatmap("", places, places, (image + added * factor).values(),
                                  0, 1);
    figure.always().bare();
    figure.panel("the mixer alone")
        .heatmap("", places, places, added.values(), -0.5, 0.5)
        .bare()
        .save(
            "An image plus a multiple of the mean of each $3 \\times 3$ window less "
            "its "
            "centre, and this difference alone. With the factor 1 the sum is the mean "
            "of the "
            "window, a blurred image. Negative factors sharpen.");
}
//-

// ## The mean less the centre
//
// Take the nine numbers 1, 2, 3, then 4, 9, 6, then 7, 8, 5, as the rows of a window. Their sum is 45 and their mean is
// 5. The centre is 9, so the mixer gives $5 - 9 = -4$: this patch is higher than its neighbourhood. In a flat region the
// mixer gives 0. So it measures how far a patch differs from what surrounds it:
//
// $$ \mathrm{mix}(x) = \mathrm{avg}_{3 \times 3}(x) - x $$
//
// At the border the mean is that of the neighbours inside the image. In loops:
double mixed(const Tensor& x, Index row, Index column) {  // (rows, columns)
    double total = 0, count = 0;
    for (Index i = std::max(row - 1, Index(0)); i <= std::min(row + 1, x.size(0) - 1);
         ++i)
        for (Index j = std::max(column - 1, Index(0));
             j <= std::min(column + 1, x.size(1) - 1); ++j) {
            total += double(x.at({i, j}));
            count += 1;
        }
    return total / count - double(x.at({row, column}));
}

// Why does it look like an edge detector in {numref}`fig-pool-scale`? Let the numbers be samples of a smooth function.
// Along a line, the mean of $(x-1)^2$, $x^2$ and $(x+1)^2$ is $x^2 + \frac23$, wherever $x$ is. So on the function
// $x^2 + 3y^2$ the mixer gives $\frac23 + 3 \cdot \frac23 = \frac83$ at every place. The **Laplacian**, the sum of the
// second derivatives, is $2 + 6 = 8$. The mixer is a third of the Laplacian. For quadratic functions this is exact, and
// for other smooth functions it is close. A straight slope has no second derivative, and the mixer ignores it.
//- what is checked
void laplacian() {
    const NoGrad only_looking;
    Tensor bowl = zeros({1, 1, 9, 9});
    for (Index i = 0; i < 9; ++i)
        for (Index j = 0; j < 9; ++j)
            bowl.set({0, 0, i, j}, Real((j - 4) * (j - 4) + 3 * (i - 4) * (i - 4)));
    const Tensor found = nn::pool_mixer(bowl);
    double worst = 0, off = 0;
    for (Index i = 0; i < 9; ++i)
        for (Index j = 0; j < 9; ++j) {
            const double here = double(found.at({0, 0, i, j}));
            off = std::max(off, std::abs(here - mixed(reshape(bowl, {9, 9}), i, j)));
            if (i > 0 && i < 8 && j > 0 && j < 8)
                worst = std::max(worst, std::abs(here - 8.0 / 3));
        }
    claim("sys-poolformer/a",
          "the mixer on x² + 3y², inside a grid of 9 by 9: the largest deviation from "
          "8/3",
          worst, "<=", 1e-5);
    claim("", "the loops against the library, the border included, largest difference",
          off, "<=", 1e-5);
}
//-

// ## Slow and fast waves
//
// What does the mixer do to a pattern that is not smooth? Take stripes, a wave along the rows that turns by the angle
// $\alpha$ from one column to the next. The neighbours of a place sum to $2 \cos\alpha$ times its value, by the addition
// theorem. So the mean over the window is $\frac13 (1 + 2\cos\alpha)$ times the wave, and with a factor $\lambda$ in
// front of the mixer the sum is
//
// $$ x + \lambda\, \mathrm{mix}(x) = \Bigl( 1 - \tfrac23\, \lambda\, (1 - \cos\alpha) \Bigr)\, x . $$
//
// The wave keeps its shape and changes its height. For broad stripes $\cos\alpha$ is near 1 and nothing happens. For the
// finest stripes, 1 and $-1$ in turn, $\cos\alpha = -1$: with $\lambda = 1$ they shrink to a third and change their sign,
// and with $\lambda = -1$ they grow to $\frac73$. A positive factor removes fine detail, and a negative one amplifies it.
//- what is checked
void waves() {
    const NoGrad only_looking;
    double worst = 0;
    for (const double angle : {0.2, 1.0, 2.0, std::numbers::pi})
        for (const double factor : {-1.0, 0.5, 1.0}) {
            Tensor wave = zeros({1, 1, 5, 20});
            for (Index i = 0; i < 5; ++i)
                for (Index j = 0; j < 20; ++j)
                    wave.set({0, 0, i, j}, Real(std::cos(angle * double(j))));
            const Tensor sum = wave + nn::pool_mixer(wave) * factor;
            const double scale = 1 - 2.0 / 3 * factor * (1 - std::cos(angle));
            for (Index i = 0; i < 5; ++i)
                for (Index j = 1; j < 19; ++j)  // without the border
                    worst =
                        std::max(worst, std::abs(double(sum.at({0, 0, i, j})) -
                                                 scale * std::cos(angle * double(j))));
        }
    claim("", "stripes after the mixer against the formula, largest difference", worst,
          "<=", 1e-5);
}
//-

// ## The block
//
// A block of PoolFormer is a [transformer block](transformer_blocks.cpp) with the mixer in the place of attention. Each part
// reads its input normalised, and adds its result to that input, times a trained factor for each channel:
//
// ```{excerpt} recto/nn/poolformer.cpp PoolFormerBlock::operator()
// ```
//
// The subtraction in the mixer belongs to the sum: with a factor of 1 and without the normalisation,
// $x + \mathrm{mix}(x)$ is the mean of the window. The trained factor can turn the block into a blur for one channel and
// into a sharpening filter for another. The mixer needs no weights and no position embedding, because it knows which
// patches are neighbours. With $n$ patches its work grows like $n$, and that of attention like $n^2$. Our network has a
// patch embedding in front, and reads the mean of all patches:
struct PoolFormer {
    nn::Conv2d embed;  // kernel and stride of a patch
    std::vector<nn::PoolFormerBlock> blocks;
    nn::GroupNorm last;
    nn::Linear head;
    Tensor operator()(const Tensor& images) const {
        Tensor x = embed(images);
        for (const nn::PoolFormerBlock& block : blocks) x = block(x);
        return head(mean(last(x), {2, 3}));
    }
    void visit(auto&& part) {
        part("embed", embed), part("blocks", blocks), part("last", last),
            part("head", head);
    }
};
//- how networks are trained, and the study
const Index width = 24, layers = 2, patch = 2;
enum Kind { attending, pooling, nothing };

PoolFormer make_pooling(Index window, Generator& random) {
    PoolFormer net{nn::Conv2d(1, width, patch, random, {.stride = patch}),
                   {},
                   nn::GroupNorm(1, width),
                   nn::Linear(width, 10, random)};
    for (Index k = 0; k < layers; ++k) {
        net.blocks.emplace_back(width, 4 * width, random);
        net.blocks.back().window = window;
    }
    return net;
}
nn::VisionTransformer make_attention(Generator& random) {
    return nn::VisionTransformer({.side = 14,
                                  .patch = patch,
                                  .channels = 1,
                                  .layers = layers,
                                  .width = width,
                                  .heads = 4,
                                  .classes = 10},
                                 random, nn::Readout::mean);
}

Examples clothes(Part part, Index from, Index to) {
    Examples some = data::slice(data::fashion_mnist(part), from, to);
    some.x = (avg_pool2d(some.x, 2) - 0.286) / 0.353;
    return some;
}

const Index epochs = 6, batch = 50;
template <class Net>
Study::Row learn(const Net& net, Index kept, double rate, Generator& random) {
    const Examples lessons = clothes(Part::train, 0, kept),
                   others = clothes(Part::train, kept, kept + 1000),
                   test = clothes(Part::test, 0, 2000);
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    const double steps = double(epochs * kept / batch);
    optim::fit(
        adam, [&] { return Batches(lessons, batch, random); },
        [&](const Examples& some) { return cross_entropy(net(some.x), some.labels); },
        {.epochs = epochs, .lr = [&](Index step) {
             const double done = double(step) / steps;  // rises for a twentieth
             return rate * std::min(1.0, 20 * done) * (1 - done);
         }});
    const NoGrad only_looking;
    return {nn::accuracy(net(others.x), others.labels),
            nn::accuracy(net(test.x), test.labels)};
}

Study::Row train_one(Index kept, const Study::Row& cell) {
    Generator random(100 * book::seed() + std::uint64_t(cell[2]));
    const Kind kind = Kind(int(cell[0]));
    if (kind == attending) {
        Study::Row found = learn(make_attention(random), kept, cell[1], random);
        found.insert(found.end(), {0, 0});
        return found;
    }
    const PoolFormer net = make_pooling(kind == pooling ? 3 : 1, random);
    Study::Row found = learn(net, kept, cell[1], random);
    double least = INFINITY, most = -INFINITY;
    for (const nn::PoolFormerBlock& block : net.blocks)
        for (const Real s : block.scale_mix.values()) {
            least = std::min(least, double(s));
            most = std::max(most, double(s));
        }
    found.insert(found.end(), {least, most});
    return found;
}

const std::vector<double> rates = {0.003, 0.01};
std::vector<Study::Row> all_cells(const std::vector<double>& of_rates, int draws) {
    std::vector<Study::Row> cells;
    for (const Kind kind : {attending, pooling, nothing})
        for (const double rate : of_rates)
            for (int draw = 1; draw <= draws; ++draw)
                cells.push_back({double(kind), rate, double(draw)});
    return cells;
}
const std::vector<std::string> settings = {"kind", "rate", "draw"},
                               results = {"validation", "test", "least_factor",
                                          "largest_factor"};
const Study study({"poolformer",
                   settings,
                   results,
                   {"sys-poolformer/b"},
                   0,
                   {0.015, 0.015, 0.1, 0.1}},
                  all_cells(rates, 5),
                  [](const Study::Row& cell) { return train_one(8000, cell); });
// The first study had fewer images, and one rate more.
const Study few({"poolformer_few", settings, results, {}, 0, {0.1, 0.1, 0.3, 0.3}},
                all_cells({0.003, 0.01, 0.03}, 3),
                [](const Study::Row& cell) { return train_one(2000, cell); });

// The rows of a study with the rate that is best on validation images.
std::vector<Study::Row> best_of(const Study& of, Kind kind) {
    double best = 0, highest = -1;
    for (const Study::Row& row : of.frozen().rows) {
        double total = 0;
        for (const Study::Row& other : of.frozen().rows)
            if (other[0] == double(kind) && other[1] == row[1]) total += other[3];
        if (total > highest) highest = total, best = row[1];
    }
    std::vector<Study::Row> rows;
    for (const Study::Row& row : of.frozen().rows)
        if (row[0] == double(kind) && row[1] == best) rows.push_back(row);
    return rows;
}
std::vector<double> column(const std::vector<Study::Row>& rows, std::size_t number) {
    std::vector<double> found;
    for (const Study::Row& row : rows) found.push_back(row[number]);
    return found;
}
// Test accuracy with pooling less that with attention, draw by draw.
std::vector<double> gaps_of(const Study& of) {
    std::vector<double> gaps = column(best_of(of, pooling), 4);
    const std::vector<double> with_attention = column(best_of(of, attending), 4);
    for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] -= with_attention[i];
    return gaps;
}
//-

// ## Three mixers
//
// Three networks have two blocks of width 24 and patches of $2 \times 2$ pixels. They learn 8,000 images of clothes of
// $14 \times 14$ pixels for six epochs, each with the better of two learning rates. The first has attention with four
// heads, as a vision transformer, and mean pooling. The second is a PoolFormer. The third is a PoolFormer whose window is
// $1 \times 1$: then the mean less the centre is 0, and no patch ever hears of another before the last mean. Place your
// bet:
//- the question, what is checked, and how the figure is drawn
void compare() {
    const char* names[] = {"attention", "pooling, 3 × 3", "no mixing"};
    const figure::Color colors[] = {figure::ochre, figure::blue, figure::red};
    std::vector<double> test[3];
    Figure figure("fig-mixers");
    figure.describe(
        "Test accuracy against the learning rate, on a logarithmic axis, for networks "
        "with attention, with pooling and without mixing, five draws each. The lines "
        "of attention are the highest, those of pooling a little lower, and those "
        "without mixing far below. All rise with the learning rate.");
    for (const Kind kind : {attending, pooling, nothing}) {
        std::vector<std::vector<double>> curves(5);
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(kind))
                curves[std::size_t(row[2]) - 1].push_back(row[4]);
        test[kind] = column(best_of(study, kind), 4);
        figure.lines(names[kind], rates, curves, {.color = colors[kind]});
    }
    const double lost = book::median(test[pooling]) - book::median(test[nothing]);
    ask("How much lower is the test accuracy of the network whose patches never mix, "
        "compared with the PoolFormer?",
        {{"By more than 0.2: a patch of four pixels tells next to nothing.", lost > 0.2,
          "A patch tells its brightness and whether it holds an edge, and the mean "
          "over "
          "all patches counts how often each kind occurs."},
         {"By 0.03 to 0.2.", lost > 0.03 && lost <= 0.2,
          "The network without mixing sees a bag of patches. Pooling lets each patch "
          "know "
          "its surroundings, which is worth that much."},
         {"By less than 0.03: the perceptrons do the work.", lost <= 0.03,
          "The bag of patches already holds what is needed to tell these classes "
          "apart."}});
    figure.x("learning rate")
        .y("test accuracy")
        .log_x()
        .save(
            "Test accuracy of three networks with two blocks against the learning "
            "rate, "
            "five draws each: patches mixed by attention, by $3 \\times 3$ pooling, "
            "or "
            "not at all before the last mean.");
    Generator random(book::seed());
    say("parameters with attention: {}; with pooling: {}",
        nn::count(make_attention(random)), nn::count(make_pooling(3, random)));
    for (const Kind kind : {attending, pooling, nothing})
        say("{}: best rate {}, test accuracy {}", names[kind],
            best_of(study, kind)[0][1], book::brief(over_seeds(test[kind])));
    say("trained factors of the mixer: the least {}, the largest {}",
        book::brief(over_seeds(column(best_of(study, pooling), 5))),
        book::brief(over_seeds(column(best_of(study, pooling), 6))));
    say("first study, 2,000 images: best rates {} and {}, test accuracy {} with "
        "attention; difference of pooling from attention {}",
        best_of(few, attending)[0][1], best_of(few, pooling)[0][1],
        book::brief(over_seeds(column(best_of(few, attending), 4))),
        book::brief(over_seeds(gaps_of(few))));
    claim("sys-poolformer/b",
          "test accuracy of the PoolFormer less that of the vision transformer with as "
          "many blocks",
          over_seeds(gaps_of(study)), ">=", -0.03);
}
//-

// The network without mixing is far behind: a bag of patches loses much. Pooling wins most of this back. It remains
// behind attention, with a median difference just inside the limit of 0.03 that we had set before. Its network also has
// fewer weights, because the mixer has none.
//
// The difference depends on how much the networks learn from. Our first study had 2,000 images and three draws. There the
// PoolFormer was farther behind, by more than the limit in the median. Both networks were far from trained, so we
// repeated the comparison with four times as many images. For all three networks the larger of the two learning rates was
// the better one. The first study also had a rate three times as large, and it was best for neither attention nor pooling.
//
// All trained factors have stayed positive, so no channel of these networks has learned to sharpen. They began at 1, and
// some have come far from it in both directions.

void page() {
    sharpen();
    laplacian();
    waves();
    compare();
}

// ## Limits and origins
//
// {cite:t}`yu2022` replaced attention by pooling to ask what makes transformers good at images. Their answer is the frame:
// normalise, mix, add, then a perceptron for each place. They call it **MetaFormer**. Networks in this frame reach
// a good accuracy on ImageNet with the plainest mixer. What pooling cannot do is to look far away in one step, or to look at
// different places for different images. Each block reaches one patch farther. For a text this
// would be fatal: a word may refer to another one far back.
//
// ## Summary
//
// PoolFormer mixes patches by the mean of a $3 \times 3$ window less its centre, a third of the Laplacian. A trained
// factor for each channel can make it a blur or a sharpening filter. The mixer has no weights, and its work grows in
// proportion to the number of patches. On small images it serves a small network nearly as well as attention does.
//
// ## What is missing
//
// Every token has paid for every weight so far. On [the next page](mixture_of_experts.cpp) a router chooses.
//
// ```{try}
// - Another image: `--image 7`. Which of its edges does the mixer find?
// ```
