// # What the backward pass keeps
//
// ```{rows} claim-training-memory sys-checkpointing sys-reversible-layers
// ```
//
// [Backpropagation](backpropagation.cpp) costs little more time than two forward passes. The bill comes elsewhere: in
// memory. Who tries to train a large model for the first time usually learns this from a message: out of memory, and
// that for a model which answered questions on the same machine without trouble. This page measures where
// the memory goes, byte by byte, and shows two ways to need less of it.
//- includes and names
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
//-

// Three numbers can be changed:
const book::Option<Index> depth("depth", 64, "how many layers the deepest network has",
                                {.quick = 16, .least = 4, .most = 1024});
const book::Option<Index> width("width", 64,
                                "how many numbers a layer makes of as many",
                                {.least = 2, .most = 4096});
const book::Option<Index> batch("batch", 512, "how many samples go through at a time",
                                {.quick = 128, .least = 1, .most = 100'000});

// ## Two ways to run a network
//
// The network is a stack of equal layers, because then it is easy to count. It can run any part of itself, and it
// counts how often a layer ran. That number will matter later.
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

// What does a layer leave behind? In the forward pass it makes its output, $N\times d$ numbers. For inference
// nobody needs its input any more once the output is there. For training it is different. The layer is $y =
// \tanh(Wx + b)$, and its backward pass wants
//
// $$ \frac{\partial \Loss}{\partial W} = \sum_n \frac{\partial \Loss}{\partial z_n}\, x_n^\top, \qquad
//    \frac{\partial \Loss}{\partial z_n} = (1 - y_n^2)\, \frac{\partial \Loss}{\partial y_n} . $$
//
// The input $x$ stands in it, and the output $y$. Both must still be there when the gradient arrives, and it
// arrives at the first layer last of all. So the tape keeps what every layer made until the end. These kept numbers
// are called *activations*, whatever the activation function is.
//
// Tensors count the memory that they hold ({cpp:func}`~recto::memory_use`), so we can simply ask for the
// peak. What is there beforehand, the weights and the batch, does not count.
std::size_t peak_of(const auto& work) {
    const std::size_t before = memory_use().now;
    reset_memory_peak();
    work();
    return memory_use().peak - before;
}

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

void two_modes() {
    // One thing would blur the count: several threads need scratch space at moments of their own choice. So this page
    // computes on one thread. Then it lets the stack grow, layer by layer.
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

    // Each further layer should cost its output, and the gradient of its weights, which nobody has fetched yet when the
    // sweep ends. To the byte:
    say("a layer's output: {} bytes, the gradient of its weights: {} bytes",
        bytes_of_output(), bytes_of_gradient());
    claim("claim-training-memory/a",
          "bytes by which the peak grows at inference, at most, with one more layer",
          worst_asking, "==", 0);
    claim("claim-training-memory/b",
          "in training: the largest difference from the bytes of that layer",
          worst_training, "==", 0);

    const double unit = bytes_of_output();
    for (double& v : asking) v /= unit;
    for (double& v : training) v /= unit;
    Figure("fig-memory")
        .describe(
            "Peak of memory against the number of layers, in outputs of one layer. For "
            "inference it is a horizontal line at two, for training a line that rises "
            "by a little more than one per layer.")
        .line("training", depths, training, {.color = figure::red, .points = false})
        .line("inference", depths, asking, {.color = figure::blue, .points = false})
        .x("layers")
        .y("peak, in outputs of a layer")
        .save(
            "The same network, once asked and once trained. The unit is the output of "
            "one layer for the whole batch. Inference holds an input and an output; "
            "training holds all outputs.");
    book::shows("claim-training-memory/c", "fig-memory");
}

// {numref}`fig-memory` explains the message of the first paragraph. It also says what does *not* help: smaller
// weights. The red line counts activations, and their number grows with the batch. Half the batch, half the memory;
// but then [the gradient becomes noisier](batches.cpp). Is there another way?
//
// ## Forget, and compute again
//
// Activations are not data. They are results, and whoever has the input can compute them once more. So cut the stack in
// segments. In the forward pass keep only the input of each segment and forget what happens inside. When the backward
// pass arrives at a segment, run it again from its input, this time keeping everything, pass the gradient through, and
// forget it again. This is called *activation checkpointing* {cite:p}`chen2016`; the idea is older
// {cite:p}`griewank1992`.
//
// {cpp:func}`~recto::checkpoint` does it for any function of a tensor:
Tensor in_segments(const Stack& net, Tensor x, Index segments) {
    const Index each = (net.size() + segments - 1) / segments;
    for (Index begin = 0; begin < net.size(); begin += each) {
        const Index end = std::min(begin + each, net.size());
        x = checkpoint(
            [net, begin, end](const Tensor& t) { return net.run(t, begin, end); }, x);
    }
    return x;
}

// The function captures a copy of the network, which is a handful of handles: it must still be there when the
// backward pass wants to run it. What a segment draws at random, for dropout say, the library draws again, the same
// numbers. Otherwise the second run would be another network. Then the gradients should not merely be close to the
// plain ones:
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
    claim_true("sys-checkpointing/a",
               "the gradients of all weights have the same bits with and without",
               got == want);
    claim("sys-checkpointing/c",
          "how often a layer ran, as a multiple of the plain pass",
          double(layers_run) / double(depth()), "<=", 2);

    // How many segments are best? With one, nothing is gained: its second run keeps everything. With as many as layers,
    // all inputs are kept, which is all activations. We measure in between.
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
    ask("A network of 64 layers is cut in equal segments. With how many of them is the "
        "peak of memory lowest?",
        {{"Two: fewer cuts, fewer things to keep.", best <= 2,
          "Few inputs are kept, but each of the two segments needs half of all "
          "activations when it runs again."},
         {"Eight.", best > 2 && best < depth() / 2,
          "Eight inputs are kept, and a segment of eight layers is run again at a "
          "time. With fewer segments the second number grows, with more the first."},
         {"Thirty-two: the smaller a segment, the less it needs.", best >= depth() / 2,
          "A segment of two layers needs little, but 32 inputs are kept all the "
          "time."}});

    // {numref}`fig-segments` has the answer, and the price.
    Figure("fig-segments")
        .describe(
            "Two panels against the number of segments from 1 to 64. Left, the peak of "
            "memory is a valley with its lowest point in the middle. Right, the time "
            "of a training step is about a third above that of the plain one, whatever "
            "the number of segments.")
        .panel("memory")
        .line("", counts, peaks)
        .log_x()
        .x("segments")
        .y("peak, in outputs of a layer")
        .panel("time")
        .line("", counts, times)
        .log_x()
        .ylim(0, 2)
        .x("segments")
        .y("time, plain = 1")
        .save(
            "A stack of 64 layers in segments. Left the peak of memory, right the time "
            "of a step as a multiple of that without segments, on this machine.");
    book::shows("sys-checkpointing/d", "fig-segments");
}

// With $k$ segments of $D/k$ layers the peak is about $k + D/k$ activations, and that is smallest for $k = \sqrt
// D$, where it is $2 \sqrt D$. Is it really so, up to a constant for what the sweep itself needs?
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
        say("{:3} layers: at the peak {:.1f} activations, {:.1f} more than twice the "
            "root",
            root * root, peak, above.back());
    }
    claim(
        "sys-checkpointing/b",
        "activations at the peak, less twice the root of the depth, in the worst case",
        std::ranges::max(above), "<=", 7);
}

// One more forward pass for the whole, then, and memory that grows like a root instead of a line. What is saved can
// be spent on a larger batch or a larger network. And it can be driven further: a segment may be made of segments.
Tensor in_halves(const Stack& net, const Tensor& x, Index begin, Index end) {
    if (end - begin == 1) return net.run(x, begin, end);
    const Index middle = (begin + end) / 2;
    const auto half = [net](Index from, Index to) {
        return [net, from, to](const Tensor& t) { return in_halves(net, t, from, to); };
    };
    return checkpoint(half(middle, end), checkpoint(half(begin, middle), x));
}

// ## Layers that run backwards
//
// Recomputing starts from an input that was kept. Could one compute the input from the *output*? Then nothing at all
// need be kept. A layer $\tanh(Wx + b)$ could be inverted in principle, but what the tangent has pressed together
// comes back with large errors. There is a trick by which any function can be built into a layer that is easily
// undone {cite:p}`dinh2015`. Cut $x$ in two halves, and let each half change the other:
//
// $$ y_1 = x_1 + f(x_2), \qquad y_2 = x_2 + g(y_1) . $$
//
// Neither $f$ nor $g$ must be invertible. Whoever has $y_1$ and $y_2$ computes $g(y_1)$, subtracts it, has $x_2$,
// computes $f(x_2)$, subtracts it, and has $x_1$. This is *additive coupling*. A *reversible network* made of such
// blocks keeps only its last output {cite:p}`gomez2017`:
std::vector<Coupling> couplings(const Stack& net) {  // two layers make a block
    std::vector<Coupling> blocks;
    for (Index i = 0; i + 1 < net.size(); i += 2)
        blocks.push_back(
            {[net, i](const Tensor& t) { return net.run(t, i, i + 1); },
             [net, i](const Tensor& t) { return net.run(t, i + 1, i + 2); }});
    return blocks;
}
Tensor coupled(const Stack& net, Tensor x) {  // everything kept
    for (const Coupling& block : couplings(net)) x = couple(block, x);
    return x;
}
Tensor undone(const Stack& net, const Tensor& x) {
    return reversible(couplings(net), x);
}

void run_backwards() {
    // First forward through 32 blocks and back again. Nothing is exact here: to add and to subtract the same number
    // leaves a rounding error of its size, so we compare the error with the largest number that the blocks made. The
    // weights stay as they were drawn. Then the gradients: {cpp:func}`~recto::nn::reversible` undoes block after block in the
    // backward pass.
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
            say("the output reaches {:.1f}; the input comes back to within {:.1e}",
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
          "the largest error of an input that came back through 32 blocks, as a share "
          "of the largest output",
          std::ranges::max(errors), "<=", 1e-5);
    claim("sys-reversible-layers/b",
          "the largest difference from the gradients with everything kept, as a share "
          "of the largest gradient",
          std::ranges::max(differences), "<=", 1e-4);
}

// ## All on one table
//
// For each way we take the network from above and one of four times its depth. Gradients of weights are left out.
struct Way {
    const char* name;
    Forward forward;
    Index across;  // how wide the input is, in layers
};
const std::vector<Way> ways = {
    {"keep everything", plain, 1},
    {"as many segments as layers in each",
     [](const Stack& n, const Tensor& t) {
         return in_segments(n, t, Index(std::lround(std::sqrt(double(n.size())))));
     },
     1},
    {"halves of halves of halves",
     [](const Stack& n, const Tensor& t) { return in_halves(n, t, 0, n.size()); }, 1},
    {"reversible", undone, 2}};

// Each is measured at both depths:
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
    book::table("ways",
                "What each way holds at its peak, in outputs of one layer, and how "
                "often it runs each layer. A reversible block is twice as wide as a "
                "layer, so its numbers begin higher.",
                {"way", fmt::format("{} layers", depth()),
                 fmt::format("{} layers", 4 * depth()), "runs"},
                rows);
}

void page() {
    two_modes();
    compare_segments();
    square_roots();
    run_backwards();
    compare_all();
}

// Halves of halves hold only a few activations more each time the depth doubles, and pay with one more run of every
// layer. Reversible blocks hold what they need for one block, however deep the network is, and run twice. But they
// are not for every network: the halves must keep their size, so nothing can be pooled or made narrower inside, and
// a rounding error comes with them.
//
// ## What is missing
//
// The price of all this was time, and we said nothing about what is kept of a layer that is *not* linear with a
// tangent: a ReLU could do with one bit for every number. And whatever we keep, the question remains what arrives:
// with sixty-four factors in the product, is the gradient of the first layer good for anything? [The next
// page](vanishing.cpp) follows it on its way.
//
// ```{try}
// - A batch eight times smaller: `--batch 64`. What is the lower limit of the memory then?
// - A deeper stack: `--depth 256`. Where is the valley now?
// - Narrow layers: `--width 8`. Does the time still rise by a third?
// ```
