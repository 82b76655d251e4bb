// # Memory of training: what the backward pass keeps
//
// ```{rows} claim-training-memory sys-checkpointing sys-reversible-layers
// ```
//
// A backward pass costs about [twice the arithmetic](backpropagation.cpp) of a forward pass. The larger bill is memory.
// A model answers questions on your machine without trouble; you start to train it, and the program stops with the
// message *out of memory*. This page measures the **memory of training** byte by byte, and finds what fills it. Then it
// shows two ways to need less: **activation checkpointing**, which computes some results twice, and **reversible
// networks**, which compute their inputs from their outputs.
//
// Why does the same network need so much more memory in training?
//
// ```{opening} fig-memory
// ```
//- includes, names and options
#include <recto/autograd/checkpoint.hpp>
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/device/storage.hpp>
#include <recto/device/threads.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/reversible.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure;
using nn::Coupling, nn::couple, nn::reversible, nn::uncouple;

const book::Option<Index> depth("depth", 64, "number of layers of the network",
                                {.quick = 16, .least = 4, .most = 1024});
const book::Option<Index> width("width", 64, "width of a layer",
                                {.least = 2, .most = 4096});
const book::Option<Index> batch("batch", 512, "batch size",
                                {.quick = 128, .least = 1, .most = 100'000});
//-

// ## What a layer leaves behind
//
// Our network is a stack of equal layers, so that you can count with it. It can run any part of itself, and it counts
// how often a layer ran, which matters later.
Index layers_run = 0;

struct Stack {
    std::vector<nn::Linear> layers;

    Stack(Index many, Generator& random) {
        for (Index i = 0; i < many; ++i) layers.emplace_back(width(), width(), random);
    }
    Tensor run(Tensor x, Index begin, Index end) const {
        for (Index i = begin; i < end; ++i, ++layers_run)
            x = layers[std::size_t(i)](x, tanh);
        return x;
    }
    Index size() const { return Index(layers.size()); }
    void visit(auto&& part) { part("layers", layers); }
};

// In the forward pass a layer computes its output, $B \times m$ numbers for a batch of $B$ samples and a width of $m$. Ours
// has $512 \cdot 64$ numbers of 4 bytes, 131,072 bytes. For inference, the input of the layer can be discarded as soon
// as its output is there. For training it cannot. The layer is $y = \tanh(z)$ with $z = Wx + b$, and its backward pass is
//
// $$ \frac{\partial \Loss}{\partial W} = \sum_n \frac{\partial \Loss}{\partial z_n}\, x_n^\top, \qquad
//    \frac{\partial \Loss}{\partial z_n} = (1 - y_n^2)\, \frac{\partial \Loss}{\partial y_n} . $$
//
// Both formulas need results of the forward pass: the input $x$ and the output $y$. The gradient arrives at the first layer
// last of all. So the tape keeps the output of every layer, its {term}`activation`, until then. For 64 layers, that is 64
// times 131,072 bytes.
//
// Tensors count the memory that they hold ({cpp:func}`~recto::memory_use`), so we can ask for the peak. What exists before
// the run, the weights and the batch, does not count:
std::size_t peak_of(const auto& work) {
    const std::size_t before = memory_use().now;
    reset_memory_peak();
    work();
    return memory_use().peak - before;
}

// Inference runs the stack without a tape. Training adds the backward pass:
using Forward = std::function<Tensor(const Stack& net, const Tensor& x)>;

Tensor plain(const Stack& net, const Tensor& x) { return net.run(x, 0, net.size()); }

std::size_t inference_peak(const Stack& net, const Tensor& x) {
    const NoGrad only_asking;
    return peak_of([&] { plain(net, x); });
}

std::size_t training_peak(const Stack& net, const Tensor& x, const Forward& forward) {
    for (const NamedTensor& p : nn::parameters(net)) p.tensor.zero_grad();
    return peak_of([&] { mean(square(forward(net, x))).backward(); });
}

//- sizes in bytes
double bytes_of_output() { return double(batch() * width()) * sizeof(Real); }
double bytes_of_gradient() { return double(width() * (width() + 1)) * sizeof(Real); }
//-

// Several threads would need scratch space at moments of their own choice and blur the count, so this page computes on
// one thread. We measure stacks of 2 to 64 layers.
//- the peaks, layer by layer
void two_modes() {
    set_threads(1);
    Generator random(book::seed());
    const Tensor x = random.normal({batch(), width()});
    const Stack deepest(depth(), random);
    std::vector<double> depths, asking, training;
    for (Index d = 2; d <= depth(); ++d) {
        Stack net = deepest;
        net.layers.resize(std::size_t(d), net.layers[0]);
        depths.push_back(double(d));
        asking.push_back(double(inference_peak(net, x)));
        training.push_back(double(training_peak(net, x, plain)));
    }
    double worst_asking = 0, worst_training = 0;
    const double layer = bytes_of_output() + bytes_of_gradient();
    for (std::size_t i = 1; i < depths.size(); ++i) {
        worst_asking = std::max(worst_asking, std::abs(asking[i] - asking[i - 1]));
        worst_training =
            std::max(worst_training, std::abs(training[i] - training[i - 1] - layer));
    }

    //-

    // Each further layer should add the bytes of its output, and those of the gradient of its weights, which the optimiser
    // has not read yet when the backward pass ends. The measurement agrees to the byte:
    //- the peaks checked, and how the figure is drawn
    say("a layer's output: {} bytes, the gradient of its weights: {} bytes",
        bytes_of_output(), bytes_of_gradient());
    claim("claim-training-memory/a",
          "inference: the largest growth of the peak with one more layer, in bytes",
          worst_asking, "==", 0);
    claim("claim-training-memory/b",
          "training: the largest difference of the growth from the bytes of a layer",
          worst_training, "==", 0);

    const std::vector<double> batches = {64, 128, 256, 512, 1024};
    Figure drawn("fig-memory");
    drawn
        .describe(
            "Peak memory against the number of layers. For inference it is a "
            "horizontal line near zero, for training a rising straight line. A slider "
            "sets the batch size: with twice the batch the line of training rises "
            "nearly twice as fast.")
        .slider("batch", batches, "batch size", 512);
    for (const double size : batches) {
        const Tensor samples = random.normal({Index(size), width()});
        std::vector<double> few, asked, trained;
        for (Index d = 2; d <= depth(); d += std::max(Index(1), (depth() - 2) / 6)) {
            Stack net = deepest;
            net.layers.resize(std::size_t(d), net.layers[0]);
            few.push_back(double(d));
            asked.push_back(double(inference_peak(net, samples)) / 1e6);
            trained.push_back(double(training_peak(net, samples, plain)) / 1e6);
        }
        drawn.at(size)
            .line("training", few, trained, {.color = figure::red})
            .line("inference", few, asked, {.color = figure::blue});
    }
    drawn.x("layers")
        .y("peak memory, in MB")
        .save(
            "Peak memory of the same network at inference and in training. Inference "
            "holds one input and one output, whatever the depth; training holds all "
            "outputs. Move the slider: twice the batch needs nearly twice the memory.");
    book::shows("claim-training-memory/c", "fig-memory");
}
//-

// {numref}`fig-memory` explains the message *out of memory*. Fewer weights would hardly help: here the outputs are about
// eight times as large as the weights, and they grow with the batch. Half the batch needs about half the memory, but makes
// [the gradient noisier](batches.cpp). Is there another way?
//
// ## Activation checkpointing: compute again
//
// Activations are results: given an input, they can be computed again. So cut the stack into segments. In the forward pass
// keep only the input of each segment. When the backward pass arrives at a segment, run the segment again from its
// input, keep everything this time, pass the gradient through, and discard everything. This is {term}`activation
// checkpointing` {cite:p}`chen2016`; the idea is older {cite:p}`griewank1992`.
//
// For example, cut 64 layers into 4 segments of 16 layers. You keep 4 inputs, and 16 activations of the segment that runs
// again: 20 in place of 64. {cpp:func}`~recto::checkpoint` does it for any function of a tensor:
Tensor in_segments(const Stack& net, Tensor x, Index segments) {
    const Index each = (net.size() + segments - 1) / segments;
    for (Index begin = 0; begin < net.size(); begin += each) {
        const Index end = std::min(begin + each, net.size());
        x = checkpoint(
            [net, begin, end](const Tensor& t) { return net.run(t, begin, end); }, x);
    }
    return x;
}

// The function captures a copy of the network, a few handles, since it must exist when the backward pass runs it. If a
// segment draws random numbers, the library draws the same numbers again. Otherwise the second run would be another
// network. So we expect the gradients of the plain backward pass, to the last bit.
//- the gradients with and without segments, compared
std::vector<Real> gradients(const Stack& net, const Tensor& x, const Forward& forward) {
    training_peak(net, x, forward);
    std::vector<Real> all;
    for (const NamedTensor& p : nn::parameters(net))
        for (const Real g : p.tensor.grad().values()) all.push_back(g);
    return all;
}

void compare_segments() {
    Generator random(book::seed() + 1);
    const Tensor x = random.normal({batch(), width()});
    const Stack net(depth(), random);
    const Index root = Index(std::lround(std::sqrt(double(depth()))));
    const Forward cut = [root](const Stack& n, const Tensor& t) {
        return in_segments(n, t, root);
    };
    const std::vector<Real> want = gradients(net, x, plain);
    layers_run = 0;
    const std::vector<Real> got = gradients(net, x, cut);
    claim_true(
        "sys-checkpointing/a",
        "the gradients of all weights have the same bits with and without segments",
        got == want);
    claim("sys-checkpointing/c",
          "how often a layer ran, as a multiple of the plain pass",
          double(layers_run) / double(depth()), "<=", 2);

    //-

    // How many segments are best? A single segment saves nothing, since its second run keeps everything. With as many
    // segments as layers, all inputs are kept, and these are all activations. We measure in between.
    //- the peak and the time for 1 to 64 segments
    std::vector<double> counts, peaks, times;
    for (Index segments = 1; segments <= depth(); segments *= 2) {
        const Forward with = [segments](const Stack& n, const Tensor& t) {
            return in_segments(n, t, segments);
        };
        const double weights = bytes_of_gradient() * double(depth());
        counts.push_back(double(segments));
        peaks.push_back((double(training_peak(net, x, with)) - weights) /
                        bytes_of_output());
        times.push_back(book::compare_seconds([&] { training_peak(net, x, with); },
                                              [&] { training_peak(net, x, plain); }, 9)
                            .ratio);
    }
    const Index best =
        Index(counts[std::size_t(std::ranges::min_element(peaks) - peaks.begin())]);
    //-
    ask("A network of 64 layers is cut into equal segments. How many segments give the "
        "lowest peak memory?",
        {{"Two: fewer cuts, fewer inputs to keep.", best <= 2,
          "Few inputs are kept, but each of the two segments needs half of all "
          "activations when it runs again."},
         {"Eight.", best > 2 && best < depth() / 2,
          "Eight inputs are kept, and one segment of eight layers runs again at a "
          "time. With fewer segments the segments grow, with more the inputs."},
         {"Thirty-two: the smaller a segment, the less it needs.", best >= depth() / 2,
          "A segment of two layers needs little, but 32 inputs are kept all the "
          "time."}});

    // {numref}`fig-segments` shows the answer and its price.
    Figure("fig-segments")
        .describe(
            "Two panels against the number of segments from 1 to 64. In the first "
            "panel the peak memory is a valley with its lowest point in the middle. In "
            "the second the time of a training step is between about 1.2 and 1.7 times "
            "that without segments.")
        .panel("memory")
        .line("", counts, peaks)
        .log_x()
        .x("segments")
        .y("peak memory, in outputs of a layer")
        .panel("time")
        .line("", counts, times)
        .log_x()
        .ylim(0, 2)
        .x("segments")
        .y("time, plain = 1")
        .save(
            "A stack of 64 layers in segments. First panel: the peak memory, lowest at "
            "eight segments. Second panel: the time of a training step as a multiple "
            "of the time without segments, on this machine. One more forward pass "
            "makes it about 4/3 in theory; the measured times scatter.");
    book::shows("sys-checkpointing/d", "fig-segments");
}

// With $k$ segments of $D/k$ layers you keep about $k + D/k$ activations. This sum is smallest for $k = \sqrt D$, where it
// is $2 \sqrt D$. We test the rule for seven depths, up to a constant for what the backward pass itself needs:
//- the peak for the depths 4 to 64
void square_roots() {
    Generator random(book::seed() + 2);
    const Tensor x = random.normal({batch(), width()});
    std::vector<double> above;
    for (Index root = 2; root * root <= depth(); ++root) {
        const Stack net(root * root, random);
        const Forward cut = [root](const Stack& n, const Tensor& t) {
            return in_segments(n, t, root);
        };
        const double weights = bytes_of_gradient() * double(root * root);
        const double peak =
            (double(training_peak(net, x, cut)) - weights) / bytes_of_output();
        above.push_back(peak - 2 * double(root));
        say("{:3} layers: {:.1f} activations at the peak, {:.1f} more than twice the "
            "root",
            root * root, peak, above.back());
    }
    claim("sys-checkpointing/b",
          "activations at the peak minus twice the root of the depth, the worst case",
          std::ranges::max(above), "<=", 7);
}
//-

// So for the time of one more forward pass, memory grows with the root of the depth in place of the depth. You can spend
// what is saved on a larger batch or a deeper network. And you can go further: a segment may itself consist of segments.
Tensor in_halves(const Stack& net, const Tensor& x, Index begin, Index end) {
    if (end - begin == 1) return net.run(x, begin, end);
    const Index middle = (begin + end) / 2;
    const auto half = [net](Index from, Index to) {
        return [net, from, to](const Tensor& t) { return in_halves(net, t, from, to); };
    };
    return checkpoint(half(middle, end), checkpoint(half(begin, middle), x));
}

// ## Reversible networks
//
// Checkpointing starts from an input that was kept. If a layer could compute its input from its *output*, nothing would
// have to be kept. The layer $\tanh(Wx + b)$ has an inverse when $W$ has one, but where the tanh is flat, the inverse
// multiplies rounding errors. Here is a way to build any function into a layer that is easy to invert {cite:p}`dinh2015`.
// Cut $x$ into two halves, and let each half change the other:
//
// $$ y_1 = x_1 + f(x_2), \qquad y_2 = x_2 + g(y_1) . $$
//
// Take $f(x) = x^2$, $g(y) = 3y$, and $x_1 = 1$, $x_2 = 2$. Then $y_1 = 1 + 4 = 5$ and $y_2 = 2 + 15 = 17$. Now go backward:
// from $y_1 = 5$ compute $g(y_1) = 15$, so $x_2 = 17 - 15 = 2$; from this compute $f(x_2) = 4$, so $x_1 = 5 - 4 = 1$. The
// square has no inverse, and needs none. This is {term}`additive coupling`. A {term}`reversible network` of such blocks
// keeps only its last output {cite:p}`gomez2017`. In code, two layers of the stack make a block:
std::vector<Coupling> couplings(const Stack& net) {
    std::vector<Coupling> blocks;
    for (Index i = 0; i + 1 < net.size(); i += 2)
        blocks.push_back(
            {[net, i](const Tensor& t) { return net.run(t, i, i + 1); },
             [net, i](const Tensor& t) { return net.run(t, i + 1, i + 2); }});
    return blocks;
}
//- the same blocks with everything kept, for comparison
Tensor coupled(const Stack& net, Tensor x) {  // everything kept
    for (const Coupling& block : couplings(net)) x = couple(block, x);
    return x;
}
//-
Tensor undone(const Stack& net, const Tensor& x) {
    return reversible(couplings(net), x);
}

// We run 32 blocks forward and back again, with the weights as they were drawn. Adding and subtracting the same number
// leaves a rounding error, in proportion to the largest numbers on the way. So we compare the error with the largest
// output. Then we compare the gradients: {cpp:func}`~recto::nn::reversible` inverts block after block in the backward
// pass.
//- five draws of the weights
void run_backwards() {
    std::vector<double> errors, differences;
    for (std::uint64_t draw = 0; draw < 5; ++draw) {
        Generator random(book::seed() + 3 + draw);
        const Tensor x = random.normal({batch(), 2 * width()});
        const Stack net(64, random);
        {
            const NoGrad only_asking;
            Tensor y = coupled(net, x);
            const std::vector<Coupling> blocks = couplings(net);
            const double reached = double(max(abs(y)).item());
            for (std::size_t i = blocks.size(); i-- > 0;) y = uncouple(blocks[i], y);
            const double error = double(max(abs(y - x)).item());
            say("the output reaches {:.1f}; the input returns to within {:.1e}",
                reached, error);
            errors.push_back(error / reached);
        }
        const std::vector<Real> want = gradients(net, x, coupled),
                                got = gradients(net, x, undone);
        double largest = 0, worst = 0;
        for (std::size_t i = 0; i < want.size(); ++i) {
            largest = std::max(largest, double(std::abs(want[i])));
            worst = std::max(worst, double(std::abs(want[i] - got[i])));
        }
        differences.push_back(worst / largest);
    }
    claim("sys-reversible-layers/a",
          "the largest error of the input after 32 blocks forward and back, as a share "
          "of the largest output",
          std::ranges::max(errors), "<=", 1e-5);
    claim("sys-reversible-layers/b",
          "the largest difference from the gradients with everything kept, as a share "
          "of the largest gradient",
          std::ranges::max(differences), "<=", 1e-4);
}
//-

// ## All ways compared
//
// We measure each way at 64 and at 256 layers. The gradients of the weights are not counted. The last column counts how
// often a layer of the deeper network runs in one training step; one run is the forward pass alone.
//- the four ways
struct Way {
    const char* name;
    Forward forward;
    Index across;  // how wide the input is, in layers
};
const std::vector<Way> ways = {
    {"keep everything", plain, 1},
    {"segments, as many as layers in each",
     [](const Stack& n, const Tensor& t) {
         return in_segments(n, t, Index(std::lround(std::sqrt(double(n.size())))));
     },
     1},
    {"halves of halves of halves",
     [](const Stack& n, const Tensor& t) { return in_halves(n, t, 0, n.size()); }, 1},
    {"reversible", undone, 2}};

void compare_all() {
    std::vector<std::vector<book::Cell>> rows;
    for (const Way& way : ways) {
        rows.push_back({way.name});
        for (const Index many : {depth(), 4 * depth()}) {
            Generator random(book::seed() + 4);
            const Tensor x = random.normal({batch(), way.across * width()});
            const Stack net(many, random);
            layers_run = 0;
            const double peak = double(training_peak(net, x, way.forward)) -
                                bytes_of_gradient() * double(many);
            rows.back().push_back(std::round(10 * peak / bytes_of_output()) / 10);
            if (many > depth())
                rows.back().push_back(double(layers_run) / double(many));
        }
    }
    book::table(
        "ways",
        "Peak memory of each way, in outputs of one layer, and how often one training "
        "step runs each layer of the deeper network. A reversible block is twice as "
        "wide as a layer, so its input alone counts as two.",
        {"way", fmt::format("peak, {} layers", depth()),
         fmt::format("peak, {} layers", 4 * depth()), "runs of each layer"},
        rows);
}
//-

void page() {
    two_modes();
    compare_segments();
    square_roots();
    run_backwards();
    compare_all();
}

// Keeping everything needs one more activation for each layer. Segments need about $2\sqrt D$, and run every layer twice.
// With halves of halves, each doubling of the depth adds three activations, and one more run of every layer: 256 layers
// are eight doublings of a single one, so each layer runs nine times. A reversible network needs the same memory at any
// depth, and runs every layer twice. But it does not suit every architecture: the two halves keep their size, so no layer
// inside can pool or narrow them, and rounding errors come with the inverse.
//
// ## Summary and what is missing
//
// The memory of training is mostly activations, and grows with depth and batch size. Checkpointing keeps some of them, and
// computes the rest again for the price of one more forward pass. A reversible network keeps none, and computes each
// input from the output.
//
// We only looked at linear layers with a tanh. The derivative of a ReLU needs a single bit for each number. And one
// question remains: is the gradient that arrives at the first of 64 layers good for anything? [The next page](vanishing.cpp)
// follows it on its way.
//
// ```{try}
// - Make the batch eight times smaller: `--batch 64`. What sets the lower limit of the memory then?
// - Make the stack deeper: `--depth 256`. Where is the valley now?
// - Make the layers narrow: `--width 8`. Is the extra time still that of one forward pass?
// ```
