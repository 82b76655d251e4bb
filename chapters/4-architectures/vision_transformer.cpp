// # Vision transformer (ViT): an image as a sequence of patches
//
// ```{rows} sys-vit fig-5.9 eq-vit-patch-embedding sys-cls-token
// ```
//
// A transformer reads a sequence of vectors. An image is a grid of pixels. How can a transformer read an image? The
// **vision transformer** {cite:p}`dosovitskiy2021` cuts the image into square **patches** and treats each patch as one
// token, as a language model treats a word. No layer knows that two patches are neighbours: the network must learn what
// a [convolution](../components/convolution.cpp) has built in. {numref}`fig-vit-patches` shows the first decision, the
// size of a patch. Move the slider. Small patches make a long sequence, and the work grows.
//
// ```{opening} fig-vit-patches
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/vision_transformer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using book::Study;
using data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> blocks("blocks", 12, "blocks of the large model",
                                 {.quick = 1, .least = 0, .most = 24});
const book::Option<Index> seen("image", 0, "number of the test image that is shown",
                               {.least = 0, .most = 9999});

// The small model, which is trained.
nn::VisionTransformerSize small() {
    return {.side = 28,
            .patch = 7,
            .channels = 1,
            .layers = 2,
            .width = 64,
            .heads = 4,
            .classes = 10};
}
//-

//- how the figure is drawn
// An image with gaps between its patches, on a canvas of fixed size.
std::vector<double> apart(const Tensor& image, Index patch, Index canvas) {
    const Index gaps = 28 / patch - 1, margin = (canvas - 28 - gaps) / 2;
    std::vector<double> cells(std::size_t(canvas * canvas), NAN);
    for (Index r = 0; r < 28; ++r)
        for (Index c = 0; c < 28; ++c) {
            const Index down = margin + r + r / patch, across = margin + c + c / patch;
            cells[std::size_t(down * canvas + across)] = double(image.at({0, 0, r, c}));
        }
    return cells;
}

// Multiplications of the small model with other patches, for one image, by the library's count.
double millions(Index patch) {
    nn::VisionTransformerSize size = small();
    size.patch = patch;
    Generator random(book::seed());
    const nn::VisionTransformer net(size, random);
    const NoGrad forward_only;
    const FlopCount count;
    net(zeros({1, 1, 28, 28}));
    return double(count.multiply_adds()) / 1e6;
}

void cut(const Tensor& image) {
    const std::vector<double> sides = {2, 4, 7, 14};
    const Index canvas = 41;
    Names places;
    for (Index i = 1; i <= canvas; ++i) places.push_back(std::to_string(i));
    std::vector<double> work;
    for (const double side : sides) work.push_back(millions(Index(side)));
    Figure figure("fig-vit-patches");
    figure
        .describe(
            "Left, an image of a boot cut into square patches with gaps between them. "
            "Right, "
            "the multiplications of a small model against the side of a patch, on "
            "logarithmic "
            "axes: a falling line. A slider sets the side of a patch.")
        .slider("side", sides, "rows and columns of a patch", 7)
        .panel("one image, cut");
    for (const double side : sides)
        figure.at(side).heatmap("", places, places, apart(image, Index(side), canvas),
                                0, 1);
    figure.always().bare();
    figure.panel("work for one image")
        .line("multiplications", sides, work, {.color = figure::blue})
        .log_axes()
        .x("rows and columns of a patch")
        .y("millions of multiplications");
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const Index many = 28 / Index(sides[i]);
        figure.at(sides[i])
            .dots("this patch", {sides[i]}, {work[i]},
                  {.color = figure::red, .width = 4})
            .rule_x(sides[i], fmt::format("{} tokens", many * many));
    }
    figure.always().save(
        "An image of 28 by 28 pixels as patches. Half the side makes four times as "
        "many "
        "tokens. From 14 to 7 rows the work grows to 3.3 times, from 4 to 2 rows to "
        "5.2 "
        "times, since attention compares all pairs of tokens.");
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const Index side = Index(sides[i]), many = 28 / side;
        say("patches of {} × {}: {} tokens of {} numbers, {:.2f} million "
            "multiplications",
            side, side, many * many, side * side, work[i]);
    }
}
//-

// ## Patches and tokens
//
// Take an image of $4 \times 4$ grey pixels, numbered 1 to 16 row by row, and patches of $2 \times 2$. The first patch
// holds the pixels 1, 2, 5 and 6. Written as a row, it is $(1, 2, 5, 6)$. The next rows are $(3, 4, 7, 8)$,
// $(9, 10, 13, 14)$ and $(11, 12, 15, 16)$. The image has become a matrix of four rows, and no pixel is lost.
//
// In general an image has $H \times W$ pixels and three colours. With patches of $P \times P$ there are $M = HW / P^2$
// of them, and $X$ has $M$ rows of $3P^2$ numbers. One matrix $W^E$ of $3P^2$ by $D$ maps each row to the width of the
// transformer, and a learned vector $E_0$ is put in front:
//
// ```{equation} eq-vit-patch-embedding
// :function: recto::nn::VisionTransformer
// :test: VisionTransformer: the embedding is a convolution with a stride
// (E_1, \dots, E_M) = X W^E, \qquad E = (E_0, E_1, \dots, E_M)
// ```
//
// The vector $E_0$ is the **class token**. It belongs to no patch and is the same for all images. It serves as a place
// to collect: attention lets it collect what it needs from all patches, and the classifier reads the output at this
// place alone. To each row a learned vector is added that says where the row stands, a [position
// embedding](../components/positions.cpp). Then the blocks of a [transformer](transformer_blocks.cpp) follow, without a
// mask: every patch sees every other. The whole model is short:
Tensor forward(const nn::VisionTransformer& net, const Tensor& images,
               std::vector<Shape>& shapes) {
    const Index width = net.places.size(1);
    const Tensor x = nn::patches(images, net.patch),
                 embedded = linear(x, net.embed.weight, net.embed.bias),
                 first = expand(net.class_token, {images.size(0), 1, width});
    Tensor z = concat({first, embedded}, 1) + net.places;
    for (const nn::GptBlock& block : net.blocks) z = block(z, {});
    const Tensor read = select(net.last(z), 1, 0), scores = net.head(read);
    for (const Tensor& t : {x, z, read, scores}) shapes.push_back(t.shape().without(0));
    return scores;
}

// The matrix $W^E$ is a convolution in disguise. A convolution whose kernel and stride are both $P$ reads each patch
// once, and its weights are those of $W^E$ in another shape. So the first layer of a vision transformer knows that the
// pixels of a patch belong together. All later layers treat the patches as a set with places.
//
// ## ViT-B/16
//
// The base model of {cite:t}`dosovitskiy2021` reads $224 \times 224$ pixels in patches of $16 \times 16$: 196 patches
// of $3 \cdot 16^2 = 768$ numbers. Its width is 768 too, which is a coincidence. Twelve blocks follow. A block has
// $12 D^2 + 13 D$ parameters, 7,087,872 each. With 590,592 in the embedding, 768 in the class token, 151,296 in the
// positions, 1,536 in the last normalisation and 769,000 in the classifier, the sum is 86,567,656. We build it:
//- the large model, and what is checked
void large(const nn::VisionTransformer& net, const Tensor& image) {
    claim("sys-vit/a", "parameters of ViT-B/16", nn::count(net), "==", 86'567'656);
    const NoGrad forward_only;
    const Tensor rows = nn::patches(image, net.patch);
    claim_true("sys-vit/b", "the patches put together again are the image, bit by bit",
               nn::from_patches(rows, 3, 224, net.patch).values() == image.values());
    const Tensor kernels = reshape(net.embed.weight,
                                   {net.embed.weight.size(0), 3, net.patch, net.patch}),
                 maps = conv2d(image, kernels, net.embed.bias, {.stride = net.patch}),
                 want = transpose(flatten(maps, 2)), got = net.embed(rows);
    claim("eq-vit-patch-embedding/a",
          "patch embedding against a convolution with stride P, relative difference",
          max(abs(got - want)).item() / max(abs(want)).item(), "<=", 1e-5);

    std::vector<Shape> ran;
    const FlopCount count;
    const Tensor scores = forward(net, image, ran);
    say("multiplications for one image: {:.1f} billion",
        double(count.multiply_adds()) / 1e9);
    claim("",
          "scores of the lines above against those of the object, largest difference",
          max(abs(scores - net(image))).item(), "<=", 1e-5);

    const Index patches = net.places.size(0) - 1, numbers = net.embed.weight.size(1),
                wide = net.embed.weight.size(0), classes = net.head.weight.size(0);
    const std::vector<Shape> drawn = {
        {patches, numbers}, {patches + 1, wide}, {net.head.weight.size(1)}, {classes}};
    Index differ = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) differ += drawn[i] != ran[i];
    using figure::Box;
    figure::Diagram diagram("fig-5.9");
    diagram
        .describe(
            "A diagram from top to bottom: an image, its patches, a matrix that embeds "
            "them, a class token that is put in front, added positions, twelve "
            "transformer blocks, a layer normalisation, the output at the class token, "
            "and a dense layer to the scores. Sizes stand beside the arrows.")
        .node("image",
              fmt::format("image\n{} × {} × {}", image.size(1), image.size(2),
                          image.size(3)),
              Box::plain)
        .node("embed", fmt::format("patch embedding\n{} × {}", numbers, wide))
        .node("token", "class token", Box::round, figure::red)
        .node("join", "put in front")
        .node("places", "position embedding", Box::round, figure::ochre)
        .node("add", "add")
        .node("blocks", fmt::format("{} transformer blocks", net.blocks.size()),
              Box::round, figure::blue)
        .tall("blocks")
        .node("last", "layer normalisation")
        .node("head", "dense layer")
        .node("scores", "scores", Box::plain)
        .edge("image", "embed",
              fmt::format("patches\nM × 3P² = {} × {}", patches, numbers))
        .edge("embed", "join")
        .edge("token", "join")
        .edge("join", "add", fmt::format("(M + 1) × D = {} × {}", patches + 1, wide))
        .edge("places", "add")
        .edge("add", "blocks")
        .edge("blocks", "last")
        .edge("last", "head",
              fmt::format("output at the class token\nD = {}", drawn[2][0]))
        .edge("head", "scores", fmt::format("C = {}", classes))
        .save(
            "The vision transformer, drawn from the object ViT-B/16. The classifier "
            "reads "
            "one row of the output, the one at the class token.");
    book::shows("fig-5.9/a", "fig-5.9");
    claim("fig-5.9/b", "drawn sizes that are not those of the forward pass", differ,
          "==", 0);
}
//-

// ## What the class token sees
//
// The class token starts without any knowledge of the image. After the blocks, its output must depend on every patch,
// or the classifier could miss a part of the image. We change one patch after the other in a small model, with patches
// of $7 \times 7$, and look at the output. Then we shuffle the patches, with and without positions:
//- the small model, and what is checked
void seeing(const Tensor& image) {
    Generator random(book::seed());
    nn::VisionTransformer net(small(), random);
    say("parameters of the small model: {}", nn::count(net));
    const NoGrad only_asking;
    const auto output = [&](const Tensor& rows) {
        const Tensor x = nn::from_patches(rows, 1, 28, 7);
        return select(net.outputs(net.tokens(x)), 1, 0);
    };
    const Tensor rows = nn::patches(image, 7), before = output(rows);
    Index unseen = 0;
    for (Index m = 0; m < rows.size(1); ++m) {
        Tensor changed = clone(rows);
        for (Index i = 0; i < rows.size(2); ++i)
            changed.set({0, m, i}, 1 - rows.at({0, m, i}));
        unseen += !(max(abs(output(changed) - before)).item() > 0);
    }
    claim("sys-cls-token/a",
          "of 16 patches, those that do not change the class token's "
          "output",
          unseen, "==", 0);
    const std::vector<Index> order = random.permutation(rows.size(1));
    const Tensor shuffled = reshape(
        index_rows(select(rows, 0, 0), Integers({rows.size(1)}, order)), rows.shape());
    const double placed = max(abs(output(shuffled) - before)).item();
    net.places = zeros(net.places.shape());
    const double lost = max(abs(output(shuffled) - output(rows))).item();
    say("shuffled patches change the output by {:.1e} at most; without positions by "
        "{:.1e}",
        placed, lost);
}
//-

// Without positions the shuffle changes nothing but rounding errors: attention sees a set. The positions are the only
// place where the model can learn that an image has two dimensions.
//
// ## Training on clothes
//
// The small model has two blocks of width 64 with four heads, and 105,098 parameters. It learns 55,000 images of
// Fashion-MNIST {cite:p}`xiao2017` for two epochs. The learning rate rises for a twentieth of the steps and then falls
// to zero. In the first of three draws we tried three rates for each readout, and judged them by 5,000 other images. All
// three draws then had the rate 0.004, which is the best for mean pooling and within 0.0002 of the best for the class
// token.
//
// Is the class token needed at all? The alternative is **mean pooling**: the classifier reads the mean of the outputs
// at all patches. Place your bet:
//- how a network is trained, and the study
const Index epochs = 2, batch = 100, kept = 55'000;
Study::Row learn(nn::Readout readout, double rate, Generator& random) {
    const Examples& train = data::fashion_mnist(Part::train);
    Examples to_learn = data::slice(train, 0, kept),
             to_choose = data::slice(train, kept, 60'000),
             to_judge = data::fashion_mnist(Part::test);
    for (Examples* set : {&to_learn, &to_choose, &to_judge})
        set->x = set->x * 2.8 - 0.8;  // around zero, about as wide as one
    const nn::VisionTransformer net(small(), random, readout);
    const auto accuracy = [&](const Examples& set) {
        const NoGrad only_asking;
        double right = 0;
        for (const Examples& some : data::Batches(set, 500))
            right += nn::accuracy(net(some.x), some.labels) * double(some.size());
        return right / double(set.size());
    };
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    const auto batches = [&] { return data::Batches(to_learn, batch, random); };
    const auto loss = [&](const Examples& some) {
        return cross_entropy(net(some.x), some.labels);
    };
    const double steps = double(epochs * kept / batch);
    const auto schedule = [&](Index step) {  // rises for a twentieth, then falls to 0
        const double done = double(step) / steps;
        return rate * std::min(1.0, 20 * done) * (1 - done);
    };
    Study::Row judged;
    optim::fit(adam, batches, loss, {.epochs = epochs, .lr = schedule},
               [&](const optim::Progress& now) {
                   if (now.epoch_ends) judged.push_back(accuracy(to_judge));
               });
    judged.insert(judged.begin(), accuracy(to_choose));
    return judged;
}

// Three learning rates in the first draw; the two later draws have the middle rate.
const std::vector<double> rates = {2e-3, 4e-3, 8e-3};
const double common_rate = 4e-3;
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double mean : {0.0, 1.0}) {
        for (const double rate : rates) cells.push_back({mean, rate, 1});
        for (const double draw : {2.0, 3.0}) cells.push_back({mean, common_rate, draw});
    }
    return cells;
}
Study::Row train_one(const Study::Row& cell) {
    Generator random(book::seed() * 100 + std::uint64_t(cell[2]));
    return learn(cell[0] == 1 ? nn::Readout::mean : nn::Readout::class_token, cell[1],
                 random);
}
const Study study({"vision_transformer",
                   {"mean", "rate", "draw"},
                   {"validation", "epoch 1", "epoch 2"},
                   {"sys-vit/c", "sys-cls-token/b"},
                   0.004},
                  all_cells(), train_one);
//-

//- the question, what is checked, and how the figure is drawn
std::vector<Study::Row> rows_of(double mean, double rate) {
    std::vector<Study::Row> found;
    for (const Study::Row& row : study.frozen().rows)
        if (row[0] == mean && row[1] == rate) found.push_back(row);
    return found;
}

void compare() {
    std::vector<double> last[2], minutes, gaps;
    std::vector<std::vector<double>> curves[2];
    const char* names[] = {"class token", "mean pooling"};
    for (const int mean : {0, 1}) {
        std::vector<double> found;
        for (const double rate : rates) {
            found.push_back(rows_of(mean, rate)[0][3]);
            say("{}, rate {}: validation accuracy {:.4f}", names[mean], rate,
                found.back());
        }
        claim("",
              fmt::format("{}: validation accuracy lost by the common rate 0.004",
                          names[mean]),
              std::ranges::max(found) - found[1], "<=", 0.001);
        for (const Study::Row& row : rows_of(mean, common_rate)) {
            last[mean].push_back(row[5]);
            curves[mean].push_back({row[4], row[5]});
            minutes.push_back(row.back() / 60);
        }
    }
    for (std::size_t i = 0; i < last[0].size(); ++i)
        gaps.push_back(std::abs(last[0][i] - last[1][i]));
    const double lead = book::median(last[1]) - book::median(last[0]);
    ask("The classifier reads the mean of all patches in place of the class token. "
        "What "
        "happens to the test accuracy?",
        {{"It falls by more than 0.03: the class token learns what to collect.",
          lead < -0.03,
          "Each patch can collect as well: all places have the same attention."},
         {"It changes by less than 0.03.", std::abs(lead) <= 0.03,
          "Every output has seen all patches, since attention connects all places. "
          "Their mean serves as well as a place of its own."},
         {"It rises by more than 0.03: the mean uses all outputs.", lead > 0.03,
          "The outputs hold much the same information, so more of them add little."}});
    Figure figure("fig-vit-readout");
    figure.describe(
        "Test accuracy after each of two epochs for the class token and for mean "
        "pooling, three draws each. All six lines rise from about 0.82 to about 0.86.");
    for (const int mean : {0, 1})
        figure.lines(names[mean], std::vector<double>{1, 2}, curves[mean],
                     {.color = mean ? figure::red : figure::blue});
    figure.x("epoch")
        .y("test accuracy")
        .ylim(0.8, 0.88)
        .save(
            "Test accuracy of the small model with both readouts, three draws each. "
            "The "
            "readouts differ by about as much as the draws.");
    claim("sys-vit/c", "test accuracy of the small model with a class token",
          over_seeds(last[0]), ">=", 0.83);
    book::timing_claim("sys-vit/d", "minutes of a training on one core",
                       over_seeds(minutes), "<=", 10);
    say("test accuracy with mean pooling: {}", book::brief(over_seeds(last[1])));
    claim("sys-cls-token/b", "difference of the accuracies, either way",
          over_seeds(gaps), "<=", 0.03);
}
//-

// Both readouts reach a test accuracy of about 0.86. They differ by 0.003 in the median of three draws, now in favour
// of the mean and now of the class token, which is less than two draws of the same readout differ. A class token is not
// special: what matters is that some output has seen all patches.
//
// ## Limits and history
//
// Our [LeNet](lenet.cpp) has 105,506 parameters, about as many as this model. After two epochs it reaches 0.884 from
// He's weights and 0.863 from uniform ones, and the vision transformer 0.858. Nothing tells a vision transformer that
// near patches belong together, and it must learn this from data. {cite:t}`dosovitskiy2021` found the same at full
// size: trained on ImageNet alone, with 1.3 million photographs, vision transformers stay below ResNets of similar
// size. Pretrained on 300 million images, they overtake them. Two epochs are a short training: in the second the
// accuracy still rises by about 0.03.
//
// Attention compares all pairs of patches, so the number of pairs grows with the fourth power of the image's side. This
// is why the patches of large images are large.
//
// ## Summary
//
// A vision transformer cuts an image into patches, maps each to a vector with one shared matrix, and puts a class token
// in front. After that it is a transformer without a mask. The matrix is a convolution whose stride is its kernel, and
// the class token or the mean of all outputs serves the classifier equally well.
//
// ## What is missing
//
// Must the mixing of patches be learned at all? [The next page](poolformer.cpp) takes the mean of neighbours.
//
// ```{try}
// - Another image: `--image 7`. Which size of a patch keeps a garment recognisable?
// - The blocks of the large model: `--blocks 24`. How many parameters does a block have?
// ```

void page() {
    cut(data::slice(data::fashion_mnist(Part::test), seen(), seen() + 1).x);
    Generator random(book::seed());
    const nn::VisionTransformer net({.layers = blocks()}, random);
    large(net, random.normal({1, 3, 224, 224}));
    seeing(data::slice(data::fashion_mnist(Part::test), seen(), seen() + 1).x);
    compare();
}
