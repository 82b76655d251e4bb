// # Backpropagation: whole layers
//
// ```{rows} eq-forward-recursion eq-backward-activations eq-backward-parameters fig-3.3 sys-autograd claim-backward-cost-ratio ex-tp3-backprop-ninja ex-tp3-fleuret-3-star
// ```
//
// [The last page](tiny_network.cpp) recorded a node for every product. That shows the idea, and is far too slow for images.
// On this page a node is a whole *layer*: it takes a batch of rows and returns a batch of rows, and in the **backward
// pass** it returns rows of gradients. The chain rule stays as it was, with matrices in place of numbers, and with a way
// to avoid writing these matrices down. This is **backpropagation** as all large libraries do it. With it you train a
// network on images without any tape. Then you see what the library's tape adds, and what a backward pass costs.
//
// Which way does a gradient take through three layers, and what does it need on the way? Move the slider:
//
// ```{opening} fig-steps-back
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

using namespace recto;
using book::ask_number, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Box, figure::Diagram, figure::Figure;

const book::Option<Index> pictures("pictures", 10'000, "number of training images",
                                   {.quick = 2000, .least = 100, .most = 60'000});
const book::Option<Index> epochs("epochs", 8,
                                 "number of passes over the training images",
                                 {.quick = 1, .least = 1, .most = 100});
const book::Option<Index> units("units", 50, "number of hidden units of the perceptron",
                                {.least = 1, .most = 1000});
const book::Option<double> rate("rate", 0.02, "learning rate", {.least = 0.0});
const book::Option<int> seeds("seeds", 5, "number of perceptrons trained",
                              {.quick = 1, .least = 1, .most = 50});
//-

// ## The forward pass keeps everything
//
// A network of $D$ layers is a composition of functions, $f = f^{(D)} \circ \dots \circ f^{(1)}$. What one layer passes to
// the next is an {term}`activation` $x^{(d)}$:
//
// ```{equation} eq-forward-recursion
// :function: recto::nn::Sequential
// :test: Sequential: modules one after another
// x^{(0)} = x, \qquad x^{(d)} = f^{(d)}(x^{(d-1)}; w_d) .
// ```
//
// Our layers are of two kinds. A linear layer multiplies by a matrix and adds a bias; a tanh has no weights.
struct Layer {
    Tensor w, b;  // (out, in) and (out); undefined in a tanh

    bool weighs() const { return w.defined(); }
    Tensor operator()(const Tensor& x) const {
        return weighs() ? linear(x, w, b) : tanh(x);
    }
};
using Layers = std::vector<Layer>;

// To compute the output alone, you could discard an activation as soon as the next one is there. We keep all of them,
// because the [backward pass needs them](chain_rule.cpp).
std::vector<Tensor> forwards(const Layers& layers, const Tensor& x) {
    std::vector<Tensor> kept{x};
    for (const Layer& f : layers) kept.push_back(f(kept.back()));
    return kept;
}
//- a network to try it on
Layers network(const std::vector<Index>& sizes, Generator& random) {
    Layers layers;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        const double spread = 1 / std::sqrt(double(sizes[i - 1]));
        if (i > 1) layers.push_back({});
        layers.push_back({random.uniform({sizes[i], sizes[i - 1]}, -spread, spread),
                          random.uniform({sizes[i]}, -spread, spread)});
    }
    return layers;
}
double gap(const Tensor& a, const Tensor& b) {  // relative to the largest of b
    const std::vector<Real> x = a.values(), y = b.values();
    double most = 0, size = 1e-300;
    for (std::size_t i = 0; i < y.size(); ++i) {
        most = std::max(most, std::abs(double(x[i]) - y[i]));
        size = std::max(size, std::abs(double(y[i])));
    }
    return x.size() == y.size() ? most / size : INFINITY;
}
//-

// ## Backward, with Jacobians
//
// Let $\ell$ be the loss of one sample. Its gradient with respect to an activation is a row, with one derivative for
// each number of the activation. To step from the output of a layer to its input, you need the derivative of every output
// with respect to every input. These form a matrix, the {term}`Jacobian` of the layer: a row for each output, a column for
// each input.
//
// Take a linear layer with $W = \begin{pmatrix} 1 & 2 \cr 0 & -1 \end{pmatrix}$ and the input $x = (3, 1)$. Its Jacobian
// with respect to the input is $W$ itself. Suppose that the gradient with respect to the output is the row $(1, 10)$.
// Then the gradient with respect to the input is that row times $W$:
// $(1 \cdot 1 + 10 \cdot 0, \; 1 \cdot 2 - 10 \cdot 1) = (1, -8)$.
//
// So the [products of derivatives](chain_rule.cpp) become products of matrices. They begin with
// $\nabla \ell_{\mid x^{(D)}}$, the derivative of the loss with respect to the last activation:
//
// ```{equation} eq-backward-activations
// :function: recto::linear
// :test: linear: gradient
// \nabla \ell_{\mid x^{(d-1)}} = \nabla \ell_{\mid x^{(d)}} \, J_{f^{(d)} \mid x} , \qquad d = D, \dots, 1 .
// ```
//
// The weights of a layer enter at this layer only. So their gradient branches off here, through the Jacobian with respect
// to the weights:
//
// ```{equation} eq-backward-parameters
// :function: recto::linear
// :test: linear: gradient
// \nabla \ell_{\mid w_d} = \nabla \ell_{\mid x^{(d)}} \, J_{f^{(d)} \mid w} .
// ```
//
// These two equations are all of backpropagation {cite:p}`fleuret2023`. A tanh has its derivatives on the diagonal, since
// each output depends on a single input.
Tensor jacobian_by_x(const Layer& f, const Tensor& y) {
    if (f.weighs()) return f.w;
    const Index n = y.size(1);
    Tensor J = zeros({n, n});
    for (Index i = 0; i < n; ++i) J.set({i, i}, 1 - y.at({0, i}) * y.at({0, i}));
    return J;
}
// With respect to the weights, row $i$ of the Jacobian holds the input at the positions of the weights of output $i$, a 1
// at the position of its bias, and zeros elsewhere. In the example the rows are $(3, 1, 0, 0 \mid 1, 0)$ and
// $(0, 0, 3, 1 \mid 0, 1)$, and $(1, 10)$ times this matrix is $(3, 1, 30, 10 \mid 1, 10)$.
//- the Jacobian with respect to the weights
Tensor jacobian_by_w(const Layer& f, const Tensor& x) {
    const Index out = f.w.size(0), in = f.w.size(1);
    Tensor J = zeros({out, out * in + out});
    for (Index i = 0; i < out; ++i) {
        for (Index j = 0; j < in; ++j) J.set({i, i * in + j}, x.at({0, j}));
        J.set({i, out * in + i}, 1);
    }
    return J;
}

//-

// ## Backward, without Jacobians
//
// Nearly all of this matrix is zero: for a layer from 784 to 50 numbers it has 1,962,500 entries, of which 39,250 can
// differ from zero. But we need only a row *times* the matrix, and this product is simple. In the example, $(3, 1, 30, 10)$
// is each number of $(1, 10)$ times the input $(3, 1)$. A gradient times a Jacobian, computed without the Jacobian, is a
// {term}`vector-Jacobian product`. It is all that a layer must provide. Here it is for a batch of $B$ samples, with a row
// of the gradient for each:
struct Back {
    Tensor x, w, b;
};
Back back(const Layer& f, const Tensor& x, const Tensor& y, const Tensor& dy) {
    if (!f.weighs()) return {dy * (1 - y * y), {}, {}};
    return {matmul(dy, f.w), matmul(transpose(dy), x), sum(dy, {0})};
}

// The linear layer uses its input `x`, and the tanh its output `y`: this is why the forward pass keeps both. Each sample adds
// its share to the gradient of the weights, and the matrix product `transpose(dy)` times `x` contains this sum. The backward
// pass is a loop from the last layer to the first:
std::vector<Back> backwards(const Layers& layers, const std::vector<Tensor>& kept,
                            Tensor slope) {
    std::vector<Back> grads(layers.size());
    for (std::size_t d = layers.size(); d > 0; --d) {
        grads[d - 1] = back(layers[d - 1], kept[d - 1], kept[d], slope);
        slope = grads[d - 1].x;
    }
    return grads;
}

// We test both ways on a network of three linear layers with a tanh between them. For each activation, the gradient by
// Jacobians and the gradient by products must agree with central differences.
//- central differences, one number after the other
Tensor differences(const Tensor& at, const std::function<double(const Tensor&)>& f) {
    const double h = 1e-3;
    const std::vector<Real> numbers = at.values();
    std::vector<Real> found;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto moved = [&](double by) {
            std::vector<Real> there = numbers;
            there[i] += by;
            return f(Tensor(at.shape(), there));
        };
        found.push_back(Real(
            (moved(-2 * h) - 8 * moved(-h) + 8 * moved(h) - moved(2 * h)) / (12 * h)));
    }
    return Tensor(at.shape(), found);
}

//-

//- the gradients of every activation and of all weights, in three ways
void both_ways() {
    Generator random(book::seed());
    const Layers layers = network({6, 8, 7, 3}, random);
    const Tensor x = random.normal({1, 6}), target = random.normal({1, 3});
    const auto rest = [&](std::size_t d, Tensor x) {  // the loss from activation d on
        for (; d < layers.size(); ++d) x = layers[d](x);
        return double(sum(square(x - target)).item());
    };
    const std::vector<Tensor> kept = forwards(layers, x);
    const std::vector<Back> products =
        backwards(layers, kept, 2 * (kept.back() - target));

    double by_jacobians = 0, by_products = 0, weights = 0;
    Tensor slope = 2 * (kept.back() - target);
    for (std::size_t d = layers.size(); d > 0; --d) {
        const Layer& f = layers[d - 1];
        if (f.weighs()) {
            const Tensor by_w = matmul(slope, jacobian_by_w(f, kept[d - 1]));
            const Index count = f.w.numel();
            weights = std::max(
                {weights,
                 gap(slice(by_w, 1, 0, count), reshape(products[d - 1].w, {1, count})),
                 gap(slice(by_w, 1, count, by_w.size(1)),
                     reshape(products[d - 1].b, {1, f.b.numel()}))});
        }
        slope = matmul(slope, jacobian_by_x(f, kept[d]));
        const Tensor there =
            differences(kept[d - 1], [&](const Tensor& x) { return rest(d - 1, x); });
        by_jacobians = std::max(by_jacobians, gap(slope, there));
        by_products = std::max(by_products, gap(products[d - 1].x, there));
    }
    claim("eq-backward-activations/a",
          "gradients by Jacobians and by differences, the largest gap", by_jacobians,
          "<=", 1e-6);
    claim("eq-backward-activations/b",
          "gradients by products and by differences, the largest gap", by_products,
          "<=", 1e-6);
    claim("", "weights and biases by Jacobians and by products, the largest gap",
          weights, "<=", 1e-12);

    const Index out = units(), in = 28 * 28;
    say("the Jacobian with respect to the weights of a layer from {} to {}: {} "
        "numbers, "
        "of which {} can differ from 0",
        in, out, out * (out * in + out), out * in + out);

    // The forward pass, with the library's own modules, composed directly:
    const nn::Sequential direct(
        [&](const Tensor& v) { return linear(v, layers[0].w, layers[0].b); },
        nn::Tanh(),
        [&](const Tensor& v) { return linear(v, layers[2].w, layers[2].b); },
        nn::Tanh(),
        [&](const Tensor& v) { return linear(v, layers[4].w, layers[4].b); });
    claim_true(
        "eq-forward-recursion/a",
        "the layers that keep everything and the direct composition give the same bits",
        kept.back().values() == direct(x).values());
}

//-

// ## A network on images, without a tape
//
// Is this enough to learn something? Take the 28 × 28 pixels of [images of clothes](../foundations/classification.cpp), 50
// hidden units and ten outputs. The target is 1 at the right class and 0 at the others. The loss is the squared error,
// summed over the outputs and averaged over the batch.
double train(std::uint64_t seed, const data::Examples& lessons,
             const data::Examples& test) {
    Generator random(seed);
    Layers layers = network({28 * 28, units(), 10}, random);

    // The loop needs our two functions and a step, and no tape:
    for (Index epoch = 0; epoch < epochs(); ++epoch)
        for (const data::Examples& batch : data::Batches(lessons, 20, random)) {
            const std::vector<Tensor> kept = forwards(layers, batch.x);
            const Tensor off = kept.back() - one_hot(batch.labels, 10);
            const std::vector<Back> grads =
                backwards(layers, kept, off * (2.0 / double(batch.size())));
            for (std::size_t d = 0; d < layers.size(); ++d) {
                if (!layers[d].weighs()) continue;
                layers[d].w = layers[d].w - grads[d].w * rate();
                layers[d].b = layers[d].b - grads[d].b * rate();
            }
        }
    return nn::accuracy(forwards(layers, test.x).back(), test.labels);
}

// We train five perceptrons on 10,000 images, each seen 8 times, and test them on 10,000 new images.
//- five trainings
void with_pictures() {
    const auto flat = [](const data::Examples& set) {
        data::Examples made = set;
        made.x = reshape(set.x, {set.size(), 28 * 28});
        return made;
    };
    const data::Examples lessons = flat(data::slice(
                             data::fashion_mnist(data::Part::train), 0, pictures())),
                         test = flat(data::fashion_mnist(data::Part::test));
    std::vector<double> right;
    const double start = book::now();
    for (int seed = 0; seed < seeds(); ++seed) {
        book::progress(seed + 1, seeds(), "perceptrons");
        right.push_back(train(book::seed() + std::uint64_t(seed), lessons, test));
    }
    const double seconds = book::seconds_since(start) / seeds();
    claim("ex-tp3-fleuret-3-star/b",
          "the share of test images that are classified correctly", over_seeds(right),
          ">=", 0.80);
    book::timing_claim("ex-tp3-fleuret-3-star/c",
                       "the time of one training with its test, in seconds", seconds,
                       "<=", 60);
}

//-

// The share of correct answers lies between 80.8 and 82.2 %. So you can train without a tape.
// But each new kind of layer needs its own `back`, and a mistake there is silent: the loss
// may still fall, only more slowly.
//
// ## Autograd: the library's tape
//
// Every operation of the library brings its own `back`. When it runs, it records itself on a tape: its name, its inputs,
// and a function that turns the gradient of its result into those of its inputs. The tape holds what happened in this run,
// so {term}`autograd` works for any program, also for loops whose length depends on the data, and for branches:
Tensor wander(const Tensor& x) {
    Tensor y = x;
    while (double(sum(square(y)).item()) < 100) {
        y = y * 1.5;
        if (double(sum(y).item()) > 0) y = y + tanh(y);
    }
    return sum(y);
}

// How many rounds this loop makes depends on $x$, and so do the branches. We compute the gradients for two inputs.
//- two forward passes, two backward passes
void autograd() {
    Tensor x({3}, {0.5, -0.4, 0.2});
    x.requires_grad_();
    double off = 0;
    std::vector<std::size_t> lengths;
    for (const double second :
         {-0.4, -0.9}) {  // a second way there, and a second way back
        x.set({1}, Real(second));
        x.zero_grad();
        const Tensor y = wander(x);
        y.backward();
        lengths.push_back(steps(y).size());
        off = std::max(off, gap(x.grad(), differences(x.detach(), [](const Tensor& at) {
                                    const NoGrad only_asking;
                                    return double(wander(at).item());
                                })));
    }
    say("{} steps on the first tape, {} on the second", lengths[0], lengths[1]);
    claim("sys-autograd/a",
          "a loop with branches, gradients and differences: the largest gap", off,
          "<=", 1e-8);

    //-

    // A tape lives as long as its result. When the program drops the result, every node must be freed, or a long training
    // would fill the memory. We hold each node by a pointer that does not keep it alive, and drop the result.
    //- ten nodes, and what is left of them
    std::vector<std::weak_ptr<Node>> nodes;
    const auto alive = [&] {
        return std::ranges::count_if(nodes, [](const auto& n) { return !n.expired(); });
    };
    {
        Tensor y = x;
        for (int i = 0; i < 10; ++i) {
            y = tanh(y * 1.1);
            nodes.push_back(y.node());
        }
        say("while the result is held: {} nodes of {}", alive(), nodes.size());
    }
    claim("sys-autograd/c", "nodes left when the result is dropped", alive(), "==", 0);
}

//-

// ## Watching a backward pass
//
// {numref}`fig-3.3` shows a real backward pass, of three layers and a batch of eight samples;
// {numref}`fig-steps-back` shows it step by step. A {cpp:class}`~recto::BackwardWatch` is told of each operation that
// the backward pass visits, and of the gradient that has arrived there. Every number in both figures comes from the tape.
//- how the steps are drawn
void step_by_step(const std::vector<Tensor>& kept, const std::vector<Tensor>& slopes) {
    struct Edge {
        int used;  // in this step
        double x0, y0, x1, y1;
    };
    std::vector<Edge> edges;
    for (int d = 0; d < 4; ++d) edges.push_back({d + 1, double(d), 2, d + 1.0, 2});
    edges.push_back({5, 4, 2, 3, 1});
    for (int d = 3; d > 0; --d) {
        const int used = 9 - d;
        edges.push_back({used, double(d), 1, double(d), 0});
        edges.push_back({used, d - 1.0, 2, double(d), 0});
        if (d > 1) edges.push_back({used, double(d), 1, d - 1.0, 1});
        if (d < 3) edges.push_back({used, double(d), 2, double(d), 1});
    }
    struct Node {
        int known;  // from this step on
        double x, y;
        std::string name, shape;
        figure::Color color;
    };
    std::vector<Node> nodes;
    const auto size_of = [](const Tensor& t) {
        return fmt::format("{} × {}", t.size(0), t.size(1));
    };
    for (int d = 0; d < 4; ++d)
        nodes.push_back({d, double(d), 2, fmt::format("x{}", d),
                         size_of(kept[std::size_t(d)]), figure::blue});
    nodes.push_back(
        {4, 4, 2, "ℓ", fmt::format("{:.3g}", double(kept[4].item())), figure::blue});
    for (int d = 3; d > 0; --d) {
        const auto at = std::size_t(d);
        nodes.push_back({8 - d, double(d), 1, fmt::format("∇x{}", d),
                         size_of(slopes[4 - at]), figure::red});
        nodes.push_back({9 - d, double(d), 0, fmt::format("∇w{}", d),
                         fmt::format("{} × {}", kept[at].size(1), kept[at - 1].size(1)),
                         figure::red});
    }
    const figure::Names what = {"the input: eight rows of four numbers",
                                "x1 = tanh(x0 w1ᵀ + b1)",
                                "x2 = tanh(x1 w2ᵀ + b2)",
                                "x3 = x2 w3ᵀ + b3",
                                "ℓ = mean of (x3 − target)²",
                                "∇x3 = 2 (x3 − target) / 16",
                                "∇w3 = ∇x3ᵀ x2,  ∇x2 = ∇x3 w3",
                                "s = ∇x2 (1 − x2²),  ∇w2 = sᵀ x1,  ∇x1 = s w2",
                                "s = ∇x1 (1 − x1²),  ∇w1 = sᵀ x0"};
    Figure figure("fig-steps-back");
    const std::vector<double> stops = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    figure
        .describe(
            "A row of four activations and the loss, below it a row of three gradients "
            "with respect to activations, below that the gradients of three matrices "
            "of weights. A slider first fills in the activations from left to right, "
            "then the gradients from right to left, and marks the lines along which "
            "each step reads.")
        .bare()
        .height(320)
        .slider("step", stops, "step", 7)
        .xlim(-0.4, 4.4)
        .ylim(-0.5, 2.9);
    const auto draw = [&](const std::function<bool(const Edge&)>& belongs,
                          figure::Color color, double width) {
        std::vector<double> x, y;
        for (const Edge& e : edges) {
            if (!belongs(e)) continue;
            const double dx = e.x1 - e.x0, dy = e.y1 - e.y0,
                         from = dx == 0 ? 0.36 : 0.22, to = dx == 0 ? 0.84 : 0.78;
            x.insert(x.end(), {e.x0 + from * dx, e.x0 + to * dx, NAN});
            y.insert(y.end(), {e.y0 + from * dy, e.y0 + to * dy, NAN});
        }
        if (!x.empty())
            figure.line("", x, y,
                        {.color = color,
                         .dash = figure::solid,
                         .width = width,
                         .points = false});
    };
    for (int step = 0; step <= 8; ++step) {
        figure.at(step);
        draw([&](const Edge& e) { return e.used != step; }, figure::grey, 1);
        draw([&](const Edge& e) { return e.used == step; },
             step < 5 ? figure::blue : figure::red, 3);
        figure.words("", {2}, {2.65}, {what[std::size_t(step)]},
                     {.color = figure::ink, .width = 14});
        for (const Node& n : nodes) {
            const bool known = n.known <= step;
            figure.words("", {n.x}, {n.y}, {n.name},
                         {.color = known ? n.color : figure::grey, .width = 16});
            if (known)
                figure.words("", {n.x}, {n.y - 0.22}, {n.shape},
                             {.color = figure::ink, .width = 12});
        }
    }
    figure.save(
        "Move the slider. Steps 1 to 4 compute the activations and the loss (forward), "
        "steps 5 to 8 the gradients (backward). Thick lines show what a step reads. "
        "The gradient of the weights of a layer needs the gradient that came back and "
        "the activation that went in, so every activation must be kept until its "
        "step.");
}
//-
//- a network of three layers, watched, and how the figure is drawn
void over_its_shoulder() {
    Generator random(book::seed());
    const Tensor x = random.normal({8, 4}), target = random.normal({8, 2});
    const Index sizes[] = {4, 6, 5, 2};
    std::vector<nn::Linear> layers;
    std::vector<Tensor> kept{x};
    for (int d = 0; d < 3; ++d) {
        layers.emplace_back(sizes[d], sizes[d + 1], random);
        kept.push_back(layers.back()(kept.back(), d < 2 ? Activation(tanh) : nullptr));
    }
    kept.push_back(mse_loss(kept.back(), target));

    std::vector<std::uint64_t> visited;
    std::vector<Tensor> slopes;
    {
        const BackwardWatch watch(
            [&](std::string_view, std::uint64_t id, const Tensor& dy) {
                visited.push_back(id), slopes.push_back(dy);
            });
        kept.back().backward();
    }
    // how the figure is drawn
    const auto words = [](const std::string& name, const Tensor& t) {
        const double norm = std::sqrt(double(sum(square(t.detach())).item()));
        return fmt::format("{}\n{}\nnorm {:.3g}", name, t.shape(), norm);
    };
    const auto id = [](char what, std::size_t d) { return what + std::to_string(d); };
    Diagram drawn("fig-3.3");
    drawn.left_to_right().node("x0", words("x", x), Box::box, figure::ink);
    std::vector<std::uint64_t> in_the_drawing;
    for (const Step& step : steps(kept.back())) {
        if (step.name == "leaf") continue;
        in_the_drawing.push_back(step.id);
        const std::size_t d = in_the_drawing.size();
        drawn.node(id('x', d), words(std::string(step.name), kept[d]), Box::round,
                   figure::blue);
        drawn.edge(id('x', d - 1), id('x', d), "", figure::blue);
    }
    for (std::size_t d = 3; d > 0; --d) {
        const std::string grad = id('g', d), weight = id('w', d);
        const Tensor by_weight = layers[d - 1].weight.grad();
        drawn.node(grad, words("∇x" + std::to_string(d), slopes[4 - d]), Box::round,
                   figure::red);
        drawn.node(weight, words("∇w" + std::to_string(d), by_weight), Box::box,
                   figure::red);
        drawn.edge_back(d == 3 ? "x4" : id('g', d + 1), grad, "", figure::red);
        drawn.edge_back(grad, weight, "", figure::red);
        drawn.edge(id('x', d - 1), weight, "", figure::grey);
        drawn.level({id('x', d), weight, grad});
    }
    drawn
        .describe(
            "Two rows. In one, the input, three layers and the loss; in the other, in "
            "the opposite direction, the gradients with respect to the three "
            "activations. From each of these an arrow leads to the gradient of that "
            "layer's weights; a second arrow leads there from the input of the layer.")
        .save(
            "The forward pass (blue) and the backward pass (red) of a network with "
            "three layers. The gradient of a weight needs both: the gradient that "
            "came back, and the activation that went in (grey). After Figure 3.3 of "
            "{cite:t}`fleuret2023`.");
    book::shows("fig-3.3/c", "fig-3.3");
    step_by_step(kept, slopes);
    // Did the tape record just these four results, in this order, with these shapes?
    std::vector<std::uint64_t> recorded, made;
    bool same_shapes = true;
    for (const Step& step : steps(kept.back())) {
        if (step.name == "leaf") continue;
        recorded.push_back(step.id);
        same_shapes = same_shapes && recorded.size() < kept.size() &&
                      step.shape == kept[recorded.size()].shape();
    }
    for (const Tensor& result : kept)
        if (result.node()) made.push_back(steps(result).back().id);
    claim_true("fig-3.3/a",
               "the blue boxes show the results that the tape recorded, in its order",
               in_the_drawing == made && made == recorded && same_shapes);

    //-

    // The backward pass may visit an operation when it has visited everything that used its result: the reverse of a
    // {term}`topological order`. The tape sorts its operations by the time of their creation. Each operation is created
    // after its inputs, so this order is topological.
    //- the order of the visits, checked
    bool after_all_users = visited.size() == recorded.size();
    for (const Step& step : steps(kept.back()))
        for (const std::uint64_t input : step.inputs) {
            const auto user = std::ranges::find(visited, step.id),
                       used = std::ranges::find(visited, input);
            after_all_users = after_all_users && (used == visited.end() || user < used);
        }
    claim_true("fig-3.3/b",
               "every operation is visited once, after all that used its result",
               after_all_users);
}

//-

// ## What a backward pass costs
//
// Forward, a linear layer is one matrix product. Backward, it is two: $\nabla\ell\, W$ for the activation and
// $\nabla\ell^\top x$ for the weights, each with as many {term}`multiply-adds <multiply-add>` as the forward product. So a
// backward pass should need twice the multiply-adds of a forward pass. There is one exception: the gradient with respect to
// the image is not needed, so the first layer computes only one of its two products. {cpp:class}`~recto::FlopCount` counts
// what the library's products and convolutions do.
//- multiply-adds of both passes, counted
struct Cost {
    Index forth, back;
    double ratio() const { return double(back) / double(forth); }
};
Cost cost(const std::function<Tensor()>& there) {
    FlopCount count;
    const Tensor y = sum(there());
    const Index forth = count.multiply_adds();
    count.restart();
    y.backward();
    return {forth, count.multiply_adds()};
}

void what_it_costs() {
    Generator random(book::seed());
    const Index n = 256;
    const nn::Mlp mlp({784, 1024, 1024, 10}, relu, random);
    Tensor x = random.normal({n, 784});
    const Cost usual = cost([&] { return mlp(x); });
    const Index first = n * 784 * 1024;  // of the forward pass, in the first layer
    //-
    ask_number(
        "A network has layers from 784 to 1024 to 1024 to 10 numbers. How many "
        "multiply-adds does the backward pass need, as a multiple of the forward pass?",
        usual.ratio(), 0.05,
        "Two products for each one of the forward pass, except in the first layer: 2 "
        "minus the share of that layer in the forward pass.");
    //- the numbers of this network
    say("forward {} multiply-adds, backward {}: {:.4f} times as many", usual.forth,
        usual.back, usual.ratio());
    claim("claim-backward-cost-ratio/a",
          "multiply-adds of the backward pass, minus those of the ratio 2 - the first "
          "layer's share",
          usual.back - (2 * usual.forth - first), "==", 0);

    //-

    // The rule holds for the layers of the next chapter, too. A *convolution*, which multiplies each small part of an
    // image by the same weights, has the same two products. [Attention](sequences.cpp) multiplies activations by
    // activations, and each of its two products has two in the backward pass. Our implementation also computes the scores
    // again there, to save [memory](memory.cpp), which makes five products for two.
    //- four networks
    const nn::Conv2d early(1, 8, 3, random), late(8, 16, 3, random);
    const Tensor images = random.normal({4, 1, 28, 28});
    const Cost images_cost = cost([&] { return late(relu(early(images))); });
    Tensor wanted = random.normal({n, 784}).requires_grad_(),
           qkv = random.normal({2, 64, 96}).requires_grad_();
    const Cost all = cost([&] { return mlp(wanted); }),
               attended = cost([&] { return self_attention(qkv, 4); });
    const auto row = [](const char* name, const Cost& c) {
        return std::vector<book::Cell>{name, c.forth / 1000, c.back / 1000, c.ratio()};
    };
    book::table(
        "tab-cost",
        "Thousands of multiply-adds of the forward and of the backward pass.",
        {"network", "forward", "backward", "ratio"},
        {row("three linear layers", usual),
         row("the same, with the gradient of the input", all),
         row("two convolutions", images_cost), row("self-attention", attended)});
    const Index early_share = 4 * 8 * 26 * 26 * 9;
    claim("", "with the gradient of the input, the ratio", all.ratio(), "==", 2);
    claim("",
          "convolutions: backward, minus twice forward, plus the share of the first",
          images_cost.back - 2 * images_cost.forth + early_share, "==", 0);

    //-

    // Multiply-adds are not seconds. The two products have other shapes than the forward product. Activation functions,
    // sums and the allocation of memory count nothing here, and take time. So the ratio of the times varies with
    // the machine, and can be less than the 1.5 that the first check below asks for:
    //- the time of both passes
    const auto there = [&] { return sum(mlp(x)); };
    const book::Comparison times =
        book::compare_seconds([&] { there().backward(); }, [&] { there(); }, 7);
    book::timing_claim("claim-backward-cost-ratio/b",
                       "the time of the backward pass over that of the forward pass",
                       times.ratio - 1, ">=", 1.5);
    book::timing_claim("claim-backward-cost-ratio/b", "the same ratio again",
                       times.ratio - 1, "<=", 3);
}
//-

void page() {
    both_ways();
    with_pictures();
    autograd();
    over_its_shoulder();
    what_it_costs();
}

// ## Summary and what is missing
//
// Backpropagation multiplies a row of gradients by one Jacobian after another, from the loss to the first layer. A layer
// provides this product without the Jacobian, so a linear layer goes backward with two matrix products. The backward pass of
// a network of such layers therefore needs up to twice the multiply-adds of its forward pass.
//
// One cost is still missing. The backward pass needs all activations of the forward pass, so memory must hold them all.
// [The next page](memory.cpp) weighs them, and trades them for time. [The page after it](vanishing.cpp) follows a gradient
// through many layers.
//
// ```{exercises}
// - [The network of this page, from bare loops](/exercises/backprop/perceptron_images.md)
// - [Backprop ninja: 26 derivatives by hand](/exercises/backprop/ninja.md)
// ```
//
// ```{try}
// - Take only eight hidden units: `--units 8`. Do the perceptrons still reach 80 %?
// - Take steps that are too long: `--rate 0.2`. What happens to the share of correct answers?
// - Learn from more images: `--pictures 60000`. What does it gain, and what does it cost?
// ```
