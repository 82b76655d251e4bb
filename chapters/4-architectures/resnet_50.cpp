// # ResNet-50: sixteen bottleneck blocks
//
// ```{rows} sys-resnet-50 fig-5.5
// ```
//
// A photograph enters as $3 \times 224 \times 224$ numbers, and a thousand scores leave, one for each class. In between
// stand fifty layers with weights, most of them in sixteen [bottleneck blocks](residual_blocks.cpp). This network is
// **ResNet-50** {cite:p}`he2016`. Its plan follows from a few rules, and one of them is the most useful rule for a
// network of images: when the image halves, the channels double. {numref}`fig-resnet-shapes` shows the tensor on its
// way. Move the sliders. With 23 blocks in the third stage the network is called ResNet-101. The page builds the whole
// network, counts its 25,557,032 parameters, and sends an image through.
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/as_one.hpp>
#include <recto/nn/model_tape.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/resnet.hpp>
#include <recto/nn/summary.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say, book::timing;
using figure::Figure, figure::Names;

const book::Option<Index> third("third", 6, "blocks of the third stage",
                                {.least = 1, .most = 36});
const book::Option<Index> width("width", 64, "channels of the stem",
                                {.quick = 8, .least = 4, .most = 64});
const book::Option<Index> side("side", 224, "rows and columns of the image",
                               {.quick = 64, .least = 32, .most = 320});

nn::ResNetSize size() { return {.blocks = {3, 4, third(), 3}, .width = width()}; }

// Defined further down:
struct Conv {
    Index in, out, kernel;  // channels, and rows of the kernel
    Index side;             // rows of the result
    bool projection = false;

    Index weights() const;
    Index products() const;
};
std::vector<Conv> plan(const nn::ResNetSize& size, Index side,
                       bool stride_on_3x3 = true);
//-

//- how the figure is drawn
void on_its_way() {
    std::vector<double> place, channels, rows, place_narrow, narrow;
    Index layers = 1;  // the last one is linear
    for (const Conv& conv : plan(size(), side())) {
        if (conv.projection) continue;
        ++layers;
        place.push_back(double(layers - 1));
        channels.push_back(double(conv.out));
        rows.push_back(double(conv.side));
    }
    Figure figure("fig-resnet-shapes");
    figure
        .describe(
            "The number of channels and the number of rows after each convolution, on "
            "a "
            "logarithmic axis. The rows fall from 112 in steps of a half to 7. The "
            "channels rise in zigzag, since each block narrows and widens them, from "
            "64 "
            "to 2,048. Sliders set the channels of the stem, the rows of the image and "
            "the blocks of the third stage.")
        .slider(width, "channels of the stem")
        .slider(side, "rows of the image")
        .slider(third, "blocks of the third stage")
        .line("channels", place, channels,
              {.color = figure::blue, .dash = figure::solid, .points = true})
        .line("rows and columns", place, rows,
              {.color = figure::red, .dash = figure::solid, .points = true})
        .words("", std::vector<double>{12}, std::vector<double>{3000},
               Names{fmt::format("{} layers", layers)}, {.color = figure::ink})
        .log_y()
        .ylim(1, 4096)
        .x("convolution on the path")
        .y("number")
        .save(
            "The tensor after each convolution of the path; shortcuts are left out. "
            "Each "
            "zigzag is a bottleneck block. Where a stage begins, the rows halve and "
            "the "
            "channels double. Drag the sliders: the shape stays, its size and its "
            "length "
            "change.");
}
//-

// ## The plan
//
// The network has a **stem**, four **stages** and a **head**. The stem is a $7 \times 7$ convolution with stride 2,
// followed by max pooling with stride 2, so that $224$ rows become $56$. The stages have 3, 4, 6 and 3 blocks. In each
// stage the first block has a projection on its shortcut. In the first stage it only widens 64 channels to 256. In the
// others it has stride 2: it halves the rows and the columns, and doubles the channels.
//
// Follow one side of the image: 224, 112 after the first convolution, 56 after pooling, then 28, 14 and 7. Five
// halvings divide it by 32. Follow the channels: 3, 64, then 256, 512, 1024 and 2048. After the last stage
// $2048 \times 7 \times 7$ numbers are left. The head takes the mean of each channel, which is average pooling with a
// window of $7 \times 7$, and ends with a dense layer from 2048 numbers to 1000. Without the mean this dense layer
// would read $2048 \cdot 49$ numbers and have 100 million weights, four times as many as the whole network has now.
//
// All of this fits into a list of convolutions. `half` rounds up, as padded convolutions do:
Index half(Index n) { return (n + 1) / 2; }

std::vector<Conv> plan(const nn::ResNetSize& size, Index side, bool stride_on_3x3) {
    std::vector<Conv> all = {{size.channels, size.width, 7, half(side)}};
    Index in = size.width, m = size.width, rows = half(half(side));
    for (std::size_t stage = 0; stage < size.blocks.size(); ++stage, m *= 2)
        for (Index block = 0; block < size.blocks[stage]; ++block, in = 4 * m) {
            const Index before = rows;
            if (stage > 0 && block == 0) rows = half(rows);
            all.push_back({in, m, 1, stride_on_3x3 ? before : rows});
            all.push_back({m, m, 3, rows});
            all.push_back({m, 4 * m, 1, rows});
            if (block == 0) all.push_back({in, 4 * m, 1, rows, true});
        }
    return all;
}
Index Conv::weights() const { return in * out * kernel * kernel; }
Index Conv::products() const { return weights() * side * side; }

// Three convolutions in each of 16 blocks, the stem and the dense layer make the fifty layers of the name. The four
// projections are not counted in it. `stride_on_3x3` says which convolution of a block has the stride. The
// [last page](residual_blocks.cpp) compared both choices. We follow {cite:t}`goyal2017` and PyTorch's model and put it
// on the $3 \times 3$ convolution.
//
// ## The network
//
// {cpp:class}`~recto::nn::ResNet` holds the layers. To run the network, apply one part after another, and note the
// shapes:
std::vector<Shape> shapes(const nn::ResNet& net, const Tensor& image) {
    Tensor x = net.stem(image);
    std::vector<Shape> found = {x.shape().without(0)};
    x = net.pool(x);
    found.push_back(x.shape().without(0));
    for (const std::vector<nn::Bottleneck>& stage : net.stages) {
        for (const nn::Bottleneck& block : stage) x = block(x);
        found.push_back(x.shape().without(0));
    }
    found.push_back(net.head(mean(x, {2, 3})).shape().without(0));
    return found;
}

//- a pass of an image, and what is checked
struct Pass {
    std::vector<Shape> shapes;
    nn::Summary summary;
    double seconds = 0;
};

Pass pass(const nn::ResNet& net, const Tensor& image) {
    Pass one;
    {
        const NoGrad forward_only;
        one.seconds = book::median_seconds([&] { one.shapes = shapes(net, image); }, 3);
    }
    one.summary = nn::summary(net, image);
    for (const Shape& shape : one.shapes) say("{}", shape);
    Index convolutions = 0, projections = 0;
    for (const nn::SummaryRow& row : one.summary.rows) {
        convolutions += row.operation == "conv2d";
        projections +=
            row.operation == "conv2d" && row.layer.find("projection") != row.layer.npos;
    }
    claim("sys-resnet-50/a", "parameters of the whole network", nn::count(net),
          "==", 25'557'032);
    claim("sys-resnet-50/b", "convolutions in the whole network", convolutions,
          "==", 53);
    claim_true("", "49 of them in the stem and the blocks, 4 on shortcuts",
               convolutions - projections == 49 && projections == 4);
    claim_true("sys-resnet-50/c",
               "the stem, pooling and the four stages return the planned shapes",
               one.shapes == std::vector<Shape>{{64, 112, 112},
                                                {64, 56, 56},
                                                {256, 56, 56},
                                                {512, 28, 28},
                                                {1024, 14, 14},
                                                {2048, 7, 7},
                                                {1000}});
    book::claim_in("sys-resnet-50/d", "billions of multiplications",
                   double(one.summary.total.macs) / 1e9, 4.0, 4.2);

    const Index dense = net.head.weight.numel();
    Index weights = 0, scales = 0, products = dense, products_original = dense;
    for (const Conv& conv : plan(size(), side()))
        weights += conv.weights(), scales += 2 * conv.out, products += conv.products();
    for (const Conv& conv : plan(size(), side(), false))
        products_original += conv.products();
    claim("", "parameters that the plan misses",
          nn::count(net) - weights - scales - nn::count(net.head), "==", 0);
    claim("", "multiplications that the plan misses", one.summary.total.macs - products,
          "==", 0);
    say("multiplications: {:.2f} billion; with the stride on the first 1 × 1, {:.2f} "
        "billion",
        double(products) / 1e9, double(products_original) / 1e9);
    say("parameters: {:.0f} MB; results of all operations: {:.0f} MB",
        4e-6 * double(nn::count(net)), 1e-6 * double(one.summary.total.bytes));
    timing(
        "one image takes {:.2f} s on the CPU: {:.0f} billion multiplications a second",
        one.seconds, double(products) / 1e9 / one.seconds);
    timing(
        "90 epochs of 1.28 million images at this speed, forward and, twice as costly, "
        "backward: {:.0f} years",
        one.seconds * 3 * 90 * 1.28e6 / (365.0 * 24 * 3600));
    return one;
}
//-

// The shapes are printed above. With fresh random weights the thousand scores mean nothing, but shapes, parameters and
// cost are those of the trained network. A multiplication counts together with the addition after it. The original
// network has its strides on the first $1 \times 1$ convolutions, which read fewer pixels. {cite:t}`he2016` print 3.8
// billion for it.
//
// The weights take 102 megabytes in single precision. To *use* the network, a result may be forgotten as soon as the
// next layers have read it. To *train* it, the results of all operations must wait for the backward pass. The printed
// number is for one image, and a batch has many.
//
// {numref}`fig-5.5` draws the network from a run, with one box for each block. Equal blocks stand in a dashed frame
// with a multiplier. A stage of six blocks is its first block and a frame of five.
//- how the diagram is drawn, and what is checked
// The network, with each block as one operation.
struct Outline {
    nn::ResNet net;

    Tensor operator()(const Tensor& image) const {
        Tensor x = net.pool(net.stem(image));
        for (std::size_t stage = 0; stage < net.stages.size(); ++stage)
            for (const nn::Bottleneck& block : net.stages[stage])
                x = nn::as_one(!block.projection ? "bottleneck"
                               : stage == 0      ? "bottleneck, projection, S = 1"
                                                 : "bottleneck, projection, S = 2",
                               block, x);
        return net.head(mean(x, {2, 3}));
    }
    void visit(auto&& part) { part("net", net); }
};

void outline(const nn::ResNet& net, const Tensor& image, const Pass& ran) {
    figure::LayerColumn column = figure::layer_column(nn::tape_of(Outline{net}, image));
    for (figure::LayerBox& box : column.boxes) {
        const auto rename = [&](const char* from, const char* to) {
            if (box.words == from) box.words = to;
        };
        rename("conv2d", "conv 7 × 7, stride 2");
        rename("batch_norm", "batch norm");
        rename("relu", "ReLU");
        rename("max_pool2d", "max pooling 3 × 3, stride 2");
        rename("mean", "average pooling 7 × 7");
        rename("linear", "dense layer");
    }
    figure::layer_diagram("fig-5.5", column)
        .save(
            "ResNet-50, drawn from a run. A frame with a multiplier stands for equal "
            "blocks; a size stands at an arrow where it has changed.");
    book::shows("fig-5.5/a", "fig-5.5");
    std::vector<Index> blocks;   // of each stage, as drawn
    std::vector<Shape> changed;  // sizes at the arrows, from the stem on
    for (std::size_t i = 0; i < column.boxes.size(); ++i) {
        const figure::LayerBox& box = column.boxes[i];
        if (box.result != box.input) changed.push_back(box.result);
        if (!box.words.starts_with("bottleneck")) continue;
        if (box.words != "bottleneck") blocks.push_back(0);
        Index times = 1;
        for (const figure::LayerGroup& group : column.groups)
            if (group.first == Index(i)) times = group.times;
        blocks.back() += times;
    }
    claim_true("fig-5.5/b", "the drawn stages have 3, 4, 6 and 3 blocks",
               blocks == std::vector<Index>{3, 4, 6, 3});
    std::vector<Shape> want = ran.shapes;  // and the means, before the scores
    want.insert(want.end() - 1, Shape{want[want.size() - 2][0]});
    Index differ = Index(want.size() != changed.size());
    for (std::size_t i = 0; i < std::min(want.size(), changed.size()); ++i)
        differ += want[i] != changed[i];
    claim("fig-5.5/c", "drawn sizes that are not those of the forward pass", differ,
          "==", 0);
    claim("", "parameters that the boxes miss", nn::count(net) - column.parameters,
          "==", 0);
}
//-

// ## Where the weights are, and where the time goes
//
// Each stage has four times as many weights in a block as the stage before. The images of the first stage have 64 times
// as many pixels as those of the last. Place your bet:
//- the question, the table, and the figure
void costs(const nn::ResNet& net, const Pass& ran) {
    const std::vector<std::pair<std::string, std::string>> parts = {
        {"stem", "stem"},        {"stages.0", "stage 1"}, {"stages.1", "stage 2"},
        {"stages.2", "stage 3"}, {"stages.3", "stage 4"}, {"head", "head"}};
    std::vector<double> parameters(parts.size()), products(parts.size());
    for (const nn::SummaryRow& row : ran.summary.rows)
        for (std::size_t k = 0; k < parts.size(); ++k)
            if (row.layer.starts_with(parts[k].first)) {
                parameters[k] += double(row.parameters);
                products[k] += double(row.macs);
            }
    const auto most =
        std::max_element(products.begin() + 1, products.begin() + 5) - products.begin();
    ask("Which stage makes the most multiplications?",
        {{"The first: its images are the largest.", most == 1,
          "Its images are the largest, and its blocks have the fewest weights. The two "
          "cancel."},
         {"The second: it is large in both.", most == 2,
          "Its blocks cost as much as those of all other stages, and it has four of "
          "them."},
         {"The third: it has the most blocks.", most == 3,
          "A block has four times as many weights as one of the stage before, and a "
          "quarter of its pixels. So all blocks without a projection cost the same, "
          "and "
          "the stage with the most blocks costs most."},
         {"The fourth: it has most of the weights.", most == 4,
          "It has most of the weights, and each of them is used at only 49 "
          "pixels."}});
    std::vector<std::vector<book::Cell>> rows;
    Names names;
    std::vector<double> share, share_products;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const bool stage = k >= 1 && k <= 4;
        rows.push_back(
            {parts[k].second,
             stage ? book::Cell(Index(net.stages[k - 1].size())) : book::Cell(""),
             fmt::format("{}", ran.shapes[k == 0 ? 0 : k + 1]), parameters[k],
             std::round(products[k] / 1e6)});
        names.push_back(parts[k].second);
        share.push_back(100 * parameters[k] / double(ran.summary.total.parameters));
        share_products.push_back(100 * products[k] / double(ran.summary.total.macs));
    }
    book::table("fig-resnet-stages",
                "ResNet-50, stage by stage, for one image. Multiplications are in "
                "millions.",
                {"part", "blocks", "result", "parameters", "multiplications"}, rows);
    Figure("fig-resnet-cost")
        .describe(
            "Bars for stem, four stages and head: the share of the parameters and the "
            "share of the multiplications. The parameters rise steeply up to stage 4, "
            "which has more than half. The multiplications are spread over all stages "
            "and are highest in stage 3.")
        .bars("parameters", names, share, {.color = figure::blue})
        .bars("multiplications", names, share_products, {.color = figure::ochre})
        .y("share, %")
        .save(
            "Where the weights are, and where the multiplications are made. More than "
            "half of the weights are in the last stage, which makes a fifth of the "
            "multiplications.");
    for (const std::size_t stage : {0, 3}) {  // a block without a projection
        Index macs = 0;
        const std::string block = fmt::format("stages.{}.1.", stage);
        for (const nn::SummaryRow& row : ran.summary.rows)
            if (row.layer.starts_with(block)) macs += row.macs;
        say("the second block of stage {}: {} parameters, {:.1f} million "
            "multiplications",
            stage + 1, nn::count(net.stages[stage][1]), double(macs) / 1e6);
    }
}
//-

// Compare a block of the first stage with one of the last. The first has 69,632 convolution weights, each used at
// $56 \cdot 56 = 3136$ pixels, and the last has 4,456,448, each used at $7 \cdot 7 = 49$. Both products are 218
// million. This is what the rule buys. With $C$ channels and $H \times W$ pixels, a block makes
// $\frac{17}{16}\, C^2 H W$ multiplications. Doubling $C$ and halving $H$ and $W$ leaves this number as it is. So the
// work is spread evenly over the depth, and the stage with the most blocks costs most, as {numref}`fig-resnet-cost`
// shows. Memory is different: the tensors have $C H W$ numbers, which halve from one stage to the next, so most of the
// memory of training is needed before the third stage.

void page() {
    on_its_way();
    Generator random(book::seed());
    nn::ResNet net(size(), random, {.stride_on_3x3 = true});
    nn::set_training(net, false);
    const Tensor image = random.normal({1, 3, side(), side()});
    const Pass ran = pass(net, image);
    outline(net, image, ran);
    costs(net, ran);
}

// ## Limits and history
//
// This page trains nothing. Networks like this one are trained on the 1.28 million photographs of ImageNet
// {cite:p}`russakovsky2015`. {cite:t}`goyal2017` needed 90 epochs, and 256 GPUs did them in an hour. On the machine
// that made this book they would take the years that are printed above. A narrower network is much cheaper: at
// `--width 16` all channels but those of the image are a quarter, and the multiplications are about a fifteenth.
//
// {cite:t}`he2016` trained networks of 18, 34, 50, 101 and 152 layers. The last three differ in the number of blocks
// alone. Nothing in the plan depends on the size of the image before the head takes means, so the network runs on
// images of other sizes as well.
//
// ## Summary
//
// ResNet-50 is a stem, sixteen bottleneck blocks in four stages and a dense layer: 53 convolutions and 25,557,032
// parameters. Each stage after the first halves the image and doubles the channels, which keeps the cost of a block constant. An image
// of $224 \times 224$ pixels takes 4.1 billion multiplications.
//
// ## What is missing
//
// Each block adds something to the signal. How much? [The next page](fine_corrections.cpp) measures it in a small trained
// network, and deletes one block after another.
//
// ```{try}
// - The network of 101 layers: `--third 23`. How many parameters does it have?
// - A quarter of the channels: `--width 16`.
// - Small photographs: `--side 64`. What is left of the image after the last stage?
// ```
