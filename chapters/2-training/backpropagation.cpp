// # Whole layers
//
// ```{rows} eq-forward-recursion eq-backward-activations eq-backward-parameters fig-3.3 sys-autograd claim-backward-cost-ratio ex-tp3-backprop-ninja ex-tp3-fleuret-3-star
// ```
//
// [Single numbers](micrograd.cpp) taught us all there is to know about the way back, and cost us a node for every
// product. The nodes of this page are *layers*. A layer takes a batch of rows and gives a batch of rows; what it
// hands back are rows of slopes. The rule is the same, only that its numbers have become matrices, and that there
// is a way to never write these matrices down. With it we train a network on pictures and use no tape at all.
// Then we see what the library's tape does for us, and what it costs.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/diagram.hpp>
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
using figure::Box, figure::Diagram;
//-

// Five numbers can be changed:
const book::Option<Index> pictures("pictures", 10'000,
                                   "how many pictures to learn from",
                                   {.quick = 2000, .least = 100, .most = 60'000});
const book::Option<Index> epochs("epochs", 8, "how often each of them is seen",
                                 {.quick = 1, .least = 1, .most = 100});
const book::Option<Index> units("units", 50, "hidden units of the perceptron",
                                {.least = 1, .most = 1000});
const book::Option<double> rate("rate", 0.02, "how far a step goes", {.least = 0.0});
const book::Option<int> seeds("seeds", 5, "how many perceptrons are trained",
                              {.quick = 1, .least = 1, .most = 50});

// ## Forwards, keeping everything
//
// A network of $D$ layers is a function made of functions, $f = f^{(D)} \circ \dots \circ f^{(1)}$. What passes
// between them are the {term}`activations <activation>` $x^{(d)}$:
//
// ```{equation} eq-forward-recursion
// :function: recto::nn::Sequential
// :test: Sequential: modules one after another
// x^{(0)} = x, \qquad x^{(d)} = f^{(d)}(x^{(d-1)}; w_d) .
// ```
//
// Our layers are of two kinds: one multiplies by a matrix and adds a bias, the other is a tanh and has no
// weights. A function would be through with an activation as soon as the next one is there. We keep them all,
// because the way back [needs them](chain_rule.cpp).
struct Layer {
    Tensor w, b;  // (out, in) and (out); undefined in a tanh

    bool weighs() const { return w.defined(); }
    Tensor operator()(const Tensor& x) const {
        return weighs() ? linear(x, w, b) : tanh(x);
    }
};
using Layers = std::vector<Layer>;

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

// ## Back, with matrices
//
// Let the loss of one sample be $\ell$. The gradient by an activation is a row, one slope for each of its
// numbers. To go from one activation to the one before it takes all slopes of the layer between them, a matrix,
// its {term}`Jacobian`: as many rows as the layer has outputs, as many columns as it has inputs. The [products of
// slopes](chain_rule.cpp) become products of matrices:
//
// ```{equation} eq-backward-activations
// :function: recto::linear
// :test: linear: gradient
// \nabla \ell_{\mid x^{(d-1)}} = \nabla \ell_{\mid x^{(d)}} \, J_{f^{(d)} \mid x} , \qquad \nabla \ell_{\mid x^{(D)}} =
// \nabla L_{\mid x^{(D)}} .
// ```
//
// The weights of a layer enter at one place, so their gradient branches off there, by the Jacobian with respect
// to the weights:
//
// ```{equation} eq-backward-parameters
// :function: recto::linear
// :test: linear: gradient
// \nabla \ell_{\mid w_d} = \nabla \ell_{\mid x^{(d)}} \, J_{f^{(d)} \mid w} .
// ```
//
// Those are all equations of backpropagation {cite:p}`fleuret2023`. The Jacobians of our two layers can be
// written down. A linear layer has its own matrix; a tanh has its slopes on the diagonal, because each output
// sees one input only. By its weights, a linear layer has the input in row $i$ at the places of output $i$'s
// weights, a 1 at that of its bias, and zeros everywhere else.
Tensor jacobian_by_x(const Layer& f, const Tensor& y) {
    if (f.weighs()) return f.w;
    const Index n = y.size(1);
    Tensor J = zeros({n, n});
    for (Index i = 0; i < n; ++i) J.set({i, i}, 1 - y.at({0, i}) * y.at({0, i}));
    return J;
}
Tensor jacobian_by_w(const Layer& f, const Tensor& x) {
    const Index out = f.w.size(0), in = f.w.size(1);
    Tensor J = zeros({out, out * in + out});
    for (Index i = 0; i < out; ++i) {
        for (Index j = 0; j < in; ++j) J.set({i, i * in + j}, x.at({0, j}));
        J.set({i, out * in + i}, 1);
    }
    return J;
}

// ## Back, without them
//
// The last of these matrices is absurd: nearly all of it is zeros. Nobody wants it. What we want is a row *times*
// it, and that product is simple. Gradient times Jacobian, without the Jacobian, is called a
// {term}`vector-Jacobian product`, and it is all that a layer has to offer. Now for a batch of $N$ samples at
// once, a gradient of one row for each:
struct Back {
    Tensor x, w, b;
};
Back back(const Layer& f, const Tensor& x, const Tensor& y, const Tensor& dy) {
    if (!f.weighs()) return {dy * (1 - y * y), {}, {}};
    return {matmul(dy, f.w), matmul(transpose(dy), x), sum(dy, {0})};
}

// Each sample of the batch adds its share to the gradient of the weights, and the product of matrices in the
// middle does that sum by the way. The whole way back is a loop from the last layer to the first:
std::vector<Back> backwards(const Layers& layers, const std::vector<Tensor>& kept,
                            Tensor slope) {
    std::vector<Back> grads(layers.size());
    for (std::size_t d = layers.size(); d > 0; --d) {
        grads[d - 1] = back(layers[d - 1], kept[d - 1], kept[d], slope);
        slope = grads[d - 1].x;
    }
    return grads;
}

// And for the differences, one number after the other:
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

// Three witnesses again: Jacobians, products without Jacobians, and differences, for every activation of a
// network of three linear layers with a tanh between them. The loss is the squared distance to a target.
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

    // Both ways go back together, layer by layer:
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
          "by Jacobians and by differences, the largest gap", by_jacobians, "<=", 1e-6);
    claim("eq-backward-activations/b",
          "by products alone and by differences, the largest gap", by_products,
          "<=", 1e-6);
    claim("", "weights and biases by Jacobians and by products, the largest gap",
          weights, "<=", 1e-12);

    const Index out = units(), in = 28 * 28;
    say("the Jacobian by the weights of a layer from {} to {}: {} numbers, of which {} "
        "may differ from 0",
        in, out, out * (out * in + out), out * in + out);

    // The way there must be the ordinary one. With the library's own modules, composed directly:
    const nn::Sequential direct(
        [&](const Tensor& v) { return linear(v, layers[0].w, layers[0].b); },
        nn::Tanh(),
        [&](const Tensor& v) { return linear(v, layers[2].w, layers[2].b); },
        nn::Tanh(),
        [&](const Tensor& v) { return linear(v, layers[4].w, layers[4].b); });
    claim_true(
        "eq-forward-recursion/a",
        "the stack that keeps everything and the direct composition give the same bits",
        kept.back().values() == direct(x).values());
}

// ## Pictures, with nothing but this
//
// Is that enough to learn something? Take 28 × 28 pixels of [clothes](../foundations/classification.cpp), 50
// hidden units, ten outputs, and ask for output 1 at the right class and 0 at the others. The loss is the squared
// error, summed over the outputs, its mean taken over the batch. There is no tape in this loop: two functions of
// ours, and a step.
double train(std::uint64_t seed, const data::Examples& lessons,
             const data::Examples& test) {
    Generator random(seed);
    Layers layers = network({28 * 28, units(), 10}, random);
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

// The pictures are shown as they are, each seen a few times, and then judged by ten thousand others.
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
    claim("ex-tp3-fleuret-3-star/b", "the share of new pictures that are named rightly",
          over_seeds(right), ">=", 0.80);
    book::timing_claim("ex-tp3-fleuret-3-star/c",
                       "the training and its test, in seconds", seconds, "<=", 60);
}

// So one can do without. But for every new layer somebody must derive its `back`, and a mistake in it is silent:
// the loss still falls a little. In two exercises that somebody is you. [The
// first](../exercises/backprop/perceptron_images.md) is the network above, from bare loops. [The
// other](../exercises/backprop/ninja.md) is a network of 26 steps, with one derivative for each, which the judge
// lists one by one as *exact*, *approximate* or *wrong*; its last two ask for formulas in which nearly everything
// cancels.
//
// ## The library does it
//
// Every operation of the library brings its `back` along. When it runs, it puts itself on a tape: its name, its
// inputs, and a function that turns the gradient of its result into those of its inputs. Nothing is declared
// beforehand. That is why {term}`autograd` works for any program, with loops whose length depends on the data and
// branches that are not always taken. The tape holds what did happen.
Tensor wander(const Tensor& x) {
    Tensor y = x;
    while (double(sum(square(y)).item()) < 100) {
        y = y * 1.5;
        if (double(sum(y).item()) > 0) y = y + tanh(y);
    }
    return sum(y);
}

// How many rounds this makes depends on $x$, and so does which way it takes in each.
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

    // A tape hangs on its result. When nobody holds the result any more, every node must go, or a long training
    // would fill the memory. We hold each node by a pointer that does not keep it alive, and let the result go.
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
        say("while the result is there, {} nodes of {}", alive(), nodes.size());
    }
    claim("sys-autograd/c", "nodes left when the result is gone", alive(), "==", 0);
}

// ## What it did
//
// Let us look over its shoulder. A network of three layers, a batch of eight samples, and a
// {cpp:class}`~recto::BackwardWatch`, which is told of every operation that the way back comes to, and of the
// gradient that has arrived there. Whatever stands in {numref}`fig-3.3` was taken from the tape.
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
    //- how the figure is drawn
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
            "the opposite direction, the gradients by the three activations. From each "
            "of these an arrow leads to the gradient of that layer's weights, and "
            "another one comes to it from the activation before the layer.")
        .save(
            "The way there (blue) and the way back (red) of a network with three "
            "layers. The gradient of a weight needs both: what came back, and what "
            "went "
            "in (grey). After Figure 3.3 of {cite:t}`fleuret2023`.");
    //-
    book::shows("fig-3.3/c", "fig-3.3");
    // Each blue box shows the numbers of one tensor, kept when it was made. Did the tape record just these four results, in
    // this order, with these shapes?
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

    // An operation may be visited when all that used its result have been: the reverse of a topological order.
    // The tape sorts by the time of birth, and nothing is born before its inputs.
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

// ## What it costs
//
// Forwards, a linear layer is one product of matrices. Backwards it is two: $\nabla\ell\, W$ for the activation,
// and $\nabla\ell^\top x$ for the weights, each with as many {term}`multiply-adds <multiply-add>` as the first.
// So the way back should cost twice the way there. Not quite: nobody wants the gradient by the picture, so the
// first layer saves one of its two. {cpp:class}`~recto::FlopCount` counts what the library's products and
// convolutions really do.
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
    const Index first = n * 784 * 1024;  // of the way there, in the first layer
    ask_number(
        "A network from 784 to 1024 to 1024 to 10 numbers. By which factor is the way "
        "back dearer than the way there?",
        usual.ratio(), 0.05,
        "Two products for each one, less one of the first layer's: 2 minus its share "
        "of the way there.");
    say("forth {} multiply-adds, back {}: {:.4f} times as many", usual.forth,
        usual.back, usual.ratio());
    claim(
        "claim-backward-cost-ratio/a",
        "multiply-adds back, less those of a ratio of 2 minus the first layer's share",
        usual.back - (2 * usual.forth - first), "==", 0);

    // The rule does not ask what kind of product it is. A convolution has the same two; attention multiplies
    // activations with activations and has two for each of its two, and our implementation computes the scores
    // once more on the way back, to save [memory](memory.cpp), which makes five for two.
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
        "tab-cost", "Thousands of multiply-adds, of the way there and of the way back.",
        {"network", "forth", "back", "ratio"},
        {row("three linear layers", usual), row("the same, back to the input", all),
         row("two convolutions", images_cost), row("self-attention", attended)});
    const Index early_share = 4 * 8 * 26 * 26 * 9;
    claim("", "with the gradient by the input, the ratio", all.ratio(), "==", 2);
    claim("", "convolutions: back, less twice the way there and the first one's share",
          images_cost.back - 2 * images_cost.forth + early_share, "==", 0);

    // Multiply-adds are not seconds. The two products have other shapes than the first, and activation functions,
    // sums and fresh memory count nothing here and take time all the same.
    const auto there = [&] { return sum(mlp(x)); };
    const book::Comparison times =
        book::compare_seconds([&] { there().backward(); }, [&] { there(); }, 7);
    book::timing_claim("claim-backward-cost-ratio/b",
                       "the time of the way back over that of the way there",
                       times.ratio - 1, ">=", 1.5);
    book::timing_claim("claim-backward-cost-ratio/b", "the same ratio again",
                       times.ratio - 1, "<=", 3);
}

void page() {
    both_ways();
    with_pictures();
    autograd();
    over_its_shoulder();
    what_it_costs();
}

// ## What is missing
//
// One bill was not opened. The way back needs every activation of the way there, so they must all be kept, and
// for a deep network on large pictures that is far more than its weights. [The next page](memory.cpp) weighs
// them, and trades them for time. [The one after](vanishing.cpp) asks what happens to a gradient on a long way.
//
// ```{try}
// - Only eight hidden units: `--units 8`. Are 80 % still within reach?
// - Steps that are too long: `--rate 0.2`. What does the share of right answers say?
// - More lessons: `--pictures 60000`. What does it gain, and what does it cost?
// ```
